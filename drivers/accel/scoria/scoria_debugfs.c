// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_debugfs.h"

#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>

#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_job.h"

/* What is read under the lock, to be printed without it. */
struct snapshot {
	struct scoria_core_stats stats;
	bool present;
	bool powered;
	bool running;
	unsigned int staged;
	int error;
	u32 raw;
	u32 mask;
	u32 task_status;
};

static void take_snapshot(struct scoria_core *core, struct snapshot *snap)
{
	guard(spinlock_irqsave)(&core->lock);
	snap->stats = core->stats;
	snap->present = core->present;
	snap->powered = core->powered;
	snap->running = core->running;
	snap->staged = core->staged.n_jobs;
	snap->error = core->error;
	if (!core->powered)
		return;
	snap->raw = scoria_pc_read(core, NPU_PC_INTERRUPT_RAW_STATUS);
	snap->mask = scoria_pc_read(core, NPU_PC_INTERRUPT_MASK);
	snap->task_status = scoria_pc_read(core, NPU_PC_TASK_STATUS);
}

static const char *state_name(const struct snapshot *snap)
{
	if (!snap->present)
		return "absent";
	if (snap->error)
		return "resetting";
	if (snap->running)
		return "running";
	return snap->powered ? "idle" : "off";
}

static int show_cores(struct seq_file *m, void *unused)
{
	struct drm_debugfs_entry *entry = m->private;
	struct scoria_device *sdev = to_scoria_device(entry->dev);

	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++) {
		struct snapshot snap = { .error = 0 };

		take_snapshot(&sdev->cores[i], &snap);
		seq_printf(m, "npu%u: %s, %u staged, jobs %llu, kicks %llu, irqs %llu, lost %llu, resets %llu\n",
			   i, state_name(&snap), snap.staged, snap.stats.jobs, snap.stats.kicks,
			   snap.stats.irqs, snap.stats.lost, snap.stats.resets);
		if (snap.powered)
			seq_printf(m, "  raw %#x, mask %#x, tasks %#x\n", snap.raw, snap.mask,
				   snap.task_status);
	}
	return 0;
}

void scoria_debugfs_init(struct scoria_device *sdev)
{
	drm_debugfs_add_file(&sdev->drm, "cores", show_cores, NULL);
}
