// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/scoria_accel.h>

#include "scoria_as.h"
#include "scoria_device.h"
#include "scoria_exec.h"
#include "scoria_limits.h"
#include "scoria_native.h"
#include "scoria_queue.h"
#include "scoria_segment.h"

#define MAX_ANSWER	4096

union answer {
	struct drm_scoria_query_device device;
	struct drm_scoria_query_limits limits;
};

static size_t answer_device(struct scoria_device *sdev, union answer *answer)
{
	u32 mask = 0;

	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		if (READ_ONCE(sdev->cores[i].present))
			mask |= BIT(i);
	answer->device = (struct drm_scoria_query_device){
		.hw_version = SCORIA_NPU_VERSION,
		.core_mask = mask,
		.clock_hz = READ_ONCE(sdev->clock.rate),
		.address_start = SCORIA_AS_BUFFERS_START,
		.address_end = SCORIA_AS_COMMANDS_START,
	};
	return sizeof(answer->device);
}

static size_t answer_limits(struct scoria_device *sdev, union answer *answer)
{
	answer->limits = (struct drm_scoria_query_limits){
		.program_tasks = SCORIA_MAX_TASKS,
		.task_words = SCORIA_MAX_TASK_WORDS,
		.kick_tasks = SCORIA_MAX_KICK_TASKS,
		.programs = SCORIA_MAX_PROGRAMS,
		.queues = SCORIA_MAX_QUEUES,
		.submit_jobs = SCORIA_MAX_SUBMIT_JOBS,
		.submit_syncs = SCORIA_MAX_SUBMIT_SYNCS,
		.job_bos = SCORIA_MAX_JOB_BOS,
		.default_timeout_ms = scoria_exec_timeout_ms(),
		.task_timeout_ms = SCORIA_TASK_TIMEOUT_MS,
		.max_timeout_ms = SCORIA_MAX_TIMEOUT_MS,
		.ban_threshold = SCORIA_BAN_THRESHOLD,
		.min_priority = DRM_SCORIA_PRIORITY_LOW,
		.max_priority = capable(CAP_SYS_NICE) ? DRM_SCORIA_PRIORITY_HIGH :
							DRM_SCORIA_PRIORITY_NORMAL,
	};
	return sizeof(answer->limits);
}

static size_t (*const answers[])(struct scoria_device *sdev, union answer *answer) = {
	[DRM_SCORIA_QUERY_DEVICE] = answer_device,
	[DRM_SCORIA_QUERY_LIMITS] = answer_limits,
};

int scoria_native_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_query *args = data;
	void __user *to = u64_to_user_ptr(args->data);
	union answer answer;
	size_t size, known;

	if (args->type >= ARRAY_SIZE(answers) || args->size > MAX_ANSWER) {
		drm_dbg(drm, "query type %u of %u bytes\n", args->type, args->size);
		return -EINVAL;
	}
	known = answers[array_index_nospec(args->type, ARRAY_SIZE(answers))]
		(to_scoria_device(drm), &answer);
	size = args->size;
	args->size = known;
	if (copy_to_user(to, &answer, min(size, known)))
		return -EFAULT;
	if (size > known && clear_user(to + known, size - known))
		return -EFAULT;
	return 0;
}
