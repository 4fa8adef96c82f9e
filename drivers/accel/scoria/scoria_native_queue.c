// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/scoria_accel.h>

#include "scoria_device.h"
#include "scoria_drv.h"
#include "scoria_native.h"
#include "scoria_program.h"
#include "scoria_queue.h"

/* For the jobs of all queues of a process that exits. */
#define CLOSE_MS	1000

static int read_priority(struct drm_device *drm, s32 value, enum scoria_priority *priority)
{
	switch (value) {
	case DRM_SCORIA_PRIORITY_LOW:
		*priority = SCORIA_PRIORITY_LOW;
		return 0;
	case DRM_SCORIA_PRIORITY_NORMAL:
		*priority = SCORIA_PRIORITY_NORMAL;
		return 0;
	case DRM_SCORIA_PRIORITY_HIGH:
		*priority = SCORIA_PRIORITY_HIGH;
		return capable(CAP_SYS_NICE) ? 0 : -EACCES;
	}
	drm_dbg(drm, "priority %d\n", value);
	return -EINVAL;
}

static int read_core_mask(struct drm_device *drm, u32 value, u32 *mask)
{
	struct scoria_device *sdev = to_scoria_device(drm);

	if (value & ~SCORIA_ALL_CORES) {
		drm_dbg(drm, "core mask %#x\n", value);
		return -EINVAL;
	}
	*mask = value ? : SCORIA_ALL_CORES;
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		if (*mask & BIT(i) && READ_ONCE(sdev->cores[i].present))
			return 0;
	return -ENODEV;
}

static int read_args(struct drm_device *drm, const struct drm_scoria_queue_create *args,
		     struct scoria_queue_args *queue_args)
{
	int ret;

	if (args->flags) {
		drm_dbg(drm, "flags %#x\n", args->flags);
		return -EINVAL;
	}
	queue_args->bannable = true;
	ret = read_priority(drm, args->priority, &queue_args->priority);
	return ret ? ret : read_core_mask(drm, args->core_mask, &queue_args->core_mask);
}

int scoria_native_queue_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_queue_create *args = data;
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_queue_args queue_args;
	struct scoria_queue *queue;
	int ret = read_args(drm, args, &queue_args);

	if (ret)
		return ret;
	queue = scoria_queue_create(sfile->sdev, &queue_args);
	if (IS_ERR(queue))
		return PTR_ERR(queue);
	ret = scoria_ids_add(&sfile->queues, queue, &args->queue);
	if (ret) {
		scoria_queue_drop(queue);
		scoria_queue_put(queue);
	}
	return ret;
}

int scoria_native_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_scoria_queue_destroy *args = data;
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_queue *queue;

	if (args->reserved || !args->queue)
		return -EINVAL;
	queue = scoria_ids_remove(&sfile->queues, args->queue);
	if (!queue) {
		drm_dbg(drm, "no queue %u\n", args->queue);
		return -ENOENT;
	}
	scoria_queue_drop(queue);
	scoria_queue_put(queue);
	return 0;
}

struct scoria_queue *scoria_native_queue_find(struct scoria_file *sfile, u32 id)
{
	struct scoria_queue *queue;

	if (!id)
		return scoria_queue_get(sfile->queue);
	xa_lock(&sfile->queues.objects);
	queue = xa_load(&sfile->queues.objects, id);
	if (queue)
		scoria_queue_get(queue);
	xa_unlock(&sfile->queues.objects);
	return queue;
}

/* Nobody waits for the jobs of a process that was killed. */
static void flush_queues(struct scoria_file *sfile)
{
	long timeout = msecs_to_jiffies(CLOSE_MS);
	struct scoria_queue *queue;
	unsigned long id;

	if (current->flags & PF_EXITING && current->exit_code == SIGKILL)
		return;
	timeout = scoria_queue_flush(sfile->queue, timeout);
	xa_for_each(&sfile->queues.objects, id, queue)
		timeout = scoria_queue_flush(queue, timeout);
}

void scoria_native_close(struct scoria_file *sfile)
{
	struct scoria_program *program;
	struct scoria_queue *queue;
	unsigned long id;

	flush_queues(sfile);
	xa_for_each(&sfile->queues.objects, id, queue) {
		scoria_queue_drop(queue);
		scoria_queue_put(queue);
	}
	xa_destroy(&sfile->queues.objects);
	scoria_queue_drop(sfile->queue);
	scoria_queue_put(sfile->queue);
	xa_for_each(&sfile->programs.objects, id, program)
		scoria_program_put(program);
	xa_destroy(&sfile->programs.objects);
}
