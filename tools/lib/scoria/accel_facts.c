// SPDX-License-Identifier: MIT
/* What a driver that speaks rocket's interface says of itself and of its NPU. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "accel_node.h"

/* "rocket" is the name of the interface, whoever speaks it; the description tells who. */
static void describe_driver(int fd, struct device_facts *facts)
{
	struct drm_version version = {
		.name = facts->name, .name_len = sizeof(facts->name) - 1,
		.desc = facts->description, .desc_len = sizeof(facts->description) - 1,
	};

	if (accel_call(fd, DRM_IOCTL_VERSION, &version))
		return;
	facts->major = version.version_major;
	facts->minor = version.version_minor;
	snprintf(facts->driver, sizeof(facts->driver), "%s %d.%d (%s)", facts->name,
		 facts->major, facts->minor, facts->description);
	facts->rewrites = strstr(facts->description, "scoria");
}

/* The kernel's name for it, whatever it was opened by. */
static void find_node(int fd, struct device_facts *facts)
{
	struct stat status;

	if (!fstat(fd, &status) && S_ISCHR(status.st_mode))
		snprintf(facts->node, sizeof(facts->node), "/dev/accel/accel%u",
			 minor(status.st_rdev));
}

static void add_limit(struct device_facts *facts, const char *name, int64_t value)
{
	facts->limits[facts->n_limits++] = (struct device_limit){ name, value };
}

static void query_limits(int fd, struct device_facts *facts)
{
	struct drm_scoria_query_limits limits = { 0 };
	struct drm_scoria_query query = {
		.type = DRM_SCORIA_QUERY_LIMITS,
		.size = sizeof(limits),
		.data = (uintptr_t)&limits,
	};

	if (accel_call(fd, DRM_IOCTL_SCORIA_QUERY, &query))
		return;
	add_limit(facts, "program_tasks", limits.program_tasks);
	add_limit(facts, "task_words", limits.task_words);
	add_limit(facts, "kick_tasks", limits.kick_tasks);
	add_limit(facts, "programs", limits.programs);
	add_limit(facts, "queues", limits.queues);
	add_limit(facts, "submit_jobs", limits.submit_jobs);
	add_limit(facts, "submit_syncs", limits.submit_syncs);
	add_limit(facts, "job_bos", limits.job_bos);
	add_limit(facts, "default_timeout_ms", limits.default_timeout_ms);
	add_limit(facts, "task_timeout_ms", limits.task_timeout_ms);
	add_limit(facts, "max_timeout_ms", limits.max_timeout_ms);
	add_limit(facts, "ban_threshold", limits.ban_threshold);
	add_limit(facts, "min_priority", limits.min_priority);
	add_limit(facts, "max_priority", limits.max_priority);
}

void accel_facts(int fd, struct device_facts *facts)
{
	struct drm_scoria_query_device device;

	describe_driver(fd, facts);
	find_node(fd, facts);
	facts->native = accel_query(fd, &device);
	if (!facts->native)
		return;
	facts->hw_version = device.hw_version;
	facts->core_mask = device.core_mask;
	facts->cores = (uint32_t)__builtin_popcount(device.core_mask);
	facts->clock_hz = device.clock_hz;
	facts->address_start = device.address_start;
	facts->address_end = device.address_end;
	facts->features = device.features;
	query_limits(fd, facts);
}
