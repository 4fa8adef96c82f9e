/* SPDX-License-Identifier: GPL-2.0-only */
/* Native ioctls for fuzz.c: half-right structs over the world that it has. */
#ifndef SCORIA_FUZZ_NATIVE_H
#define SCORIA_FUZZ_NATIVE_H

#define N_NATIVE_JOBS	4
#define N_NATIVE_TASKS	5
#define N_NATIVE_BOS	6
#define N_NATIVE_SYNCS	4

/* Syncobjs of DRM, as much as there are calls for. */
#define SYNCOBJ_CREATE		DRM_IOWR(0xbf, uint32_t[2])
#define SYNCOBJ_DESTROY		DRM_IOWR(0xc0, uint32_t[2])
#define SYNCOBJ_TO_FD		DRM_IOWR(0xc1, uint32_t[4])
#define SYNCOBJ_RESET		DRM_IOWR(0xc4, uint64_t[2])
#define SYNCOBJ_SIGNAL		DRM_IOWR(0xc5, uint64_t[2])

/* Programs, queues and syncobjs are small numbers from 1 on. */
static uint32_t native_id(struct fuzzer *f)
{
	return one_in(f, 16) ? (uint32_t)number(f) : below(f, 12);
}

static uint32_t mostly(struct fuzzer *f, uint32_t good)
{
	return one_in(f, 24) ? (uint32_t)number(f) : good;
}

static void native_query(struct fuzzer *f)
{
	struct drm_scoria_query args = {
		.type = below(f, 3), .size = (uint32_t)number(f), .data = pointer(f, f->argument),
	};

	/* not more than there is room for at a good pointer */
	if (args.size > sizeof(f->argument) && one_in(f, 2))
		args.size = sizeof(f->argument);
	if (args.data == (uintptr_t)f->argument && args.size > sizeof(f->argument))
		args.data = (uintptr_t)world.scratch;
	ioctl(file(f), DRM_IOCTL_SCORIA_QUERY, &args);
}

static void native_create(struct fuzzer *f)
{
	struct drm_scoria_bo_create args = {
		.size = one_in(f, 3) ? bo_size(f) : PAGE, .flags = mostly(f, 0),
	};
	uint32_t slot = below(f, N_HANDLES);

	if (ioctl(file(f), DRM_IOCTL_SCORIA_BO_CREATE, &args))
		return;
	world.handles[slot] = args.handle;
	world.addresses[slot] = args.address;
}

static void native_info(struct fuzzer *f)
{
	struct drm_scoria_bo_info args = { .handle = handle(f), .reserved = mostly(f, 0) };
	uint32_t slot = below(f, N_HANDLES);

	if (ioctl(file(f), DRM_IOCTL_SCORIA_BO_INFO, &args))
		return;
	world.handles[slot] = args.handle;
	world.addresses[slot] = args.address;
}

static void native_sync(struct fuzzer *f)
{
	struct drm_scoria_bo_sync args = {
		.handle = handle(f), .flags = mostly(f, 1 + below(f, 2)),
		.offset = one_in(f, 2) ? number(f) : 0, .size = number(f),
	};

	ioctl(file(f), DRM_IOCTL_SCORIA_BO_SYNC, &args);
}

static void native_wait(struct fuzzer *f)
{
	struct drm_scoria_bo_wait args = {
		.handle = handle(f), .flags = mostly(f, below(f, 2)),
		.timeout_ns = one_in(f, 2) ? 0 : now_ns() + below(f, 20) * NS_PER_MS,
	};

	ioctl(file(f), DRM_IOCTL_SCORIA_BO_WAIT, &args);
}

static void native_program(struct fuzzer *f)
{
	struct drm_scoria_task tasks[N_NATIVE_TASKS];
	struct drm_scoria_program_create args = {
		.tasks = pointer(f, tasks), .task_count = mostly(f, 1 + below(f, N_NATIVE_TASKS)),
		.task_stride = mostly(f, sizeof(tasks[0])), .flags = mostly(f, 0),
	};
	uint64_t *words = (uint64_t *)world.maps[below(f, N_MAPS)];
	uint32_t n = write_commands(f, words);

	for (size_t i = 0; i < N_NATIVE_TASKS; i++)
		tasks[i] = (struct drm_scoria_task) {
			.words = one_in(f, 8) ? pointer(f, words) : (uintptr_t)words,
			.word_count = mostly(f, n), .flags = mostly(f, 0),
		};
	ioctl(file(f), DRM_IOCTL_SCORIA_PROGRAM_CREATE, &args);
}

static void native_queue(struct fuzzer *f)
{
	struct drm_scoria_queue_create args = {
		.flags = mostly(f, 0), .priority = (int32_t)mostly(f, below(f, 3) - 1),
		.core_mask = mostly(f, below(f, 8)),
	};

	ioctl(file(f), DRM_IOCTL_SCORIA_QUEUE_CREATE, &args);
}

static void native_destroy(struct fuzzer *f)
{
	struct drm_scoria_program_destroy program = { .program = native_id(f) };
	struct drm_scoria_queue_destroy queue = { .queue = native_id(f) };

	if (one_in(f, 2))
		ioctl(file(f), DRM_IOCTL_SCORIA_PROGRAM_DESTROY, &program);
	else
		ioctl(file(f), DRM_IOCTL_SCORIA_QUEUE_DESTROY, &queue);
}

static void native_syncobj(struct fuzzer *f)
{
	static const unsigned long requests[] = {
		SYNCOBJ_DESTROY, SYNCOBJ_TO_FD, SYNCOBJ_RESET, SYNCOBJ_SIGNAL,
	};
	uint32_t ids[2] = { native_id(f), native_id(f) };
	uint32_t made[2] = { 0, below(f, 2) };
	/* a handle and flags, or a pointer to handles and their number */
	uint64_t args[2] = { ids[0], 0 };
	unsigned long request = requests[below(f, ARRAY_SIZE(requests))];

	if (one_in(f, 2)) {
		ioctl(file(f), SYNCOBJ_CREATE, made);
		return;
	}
	if (request == SYNCOBJ_RESET || request == SYNCOBJ_SIGNAL) {
		args[0] = (uintptr_t)ids;
		args[1] = ARRAY_SIZE(ids);
	}
	if (!ioctl(file(f), request, args) && request == SYNCOBJ_TO_FD)
		close((int)args[1]);
}

static void native_submit(struct fuzzer *f)
{
	struct drm_scoria_job jobs[N_NATIVE_JOBS];
	struct drm_scoria_job_bo bos[N_NATIVE_BOS];
	struct drm_scoria_sync syncs[2][N_NATIVE_SYNCS];
	struct drm_scoria_submit args = {
		.queue = one_in(f, 2) ? 0 : native_id(f), .flags = mostly(f, 0),
		.jobs = one_in(f, 8) ? pointer(f, jobs) : (uintptr_t)jobs,
		.job_count = mostly(f, 1 + below(f, N_NATIVE_JOBS)),
		.job_stride = mostly(f, sizeof(jobs[0])),
		.in_syncs = one_in(f, 8) ? pointer(f, syncs[0]) : (uintptr_t)syncs[0],
		.out_syncs = one_in(f, 8) ? pointer(f, syncs[1]) : (uintptr_t)syncs[1],
		.in_sync_count = one_in(f, 4) ? mostly(f, below(f, N_NATIVE_SYNCS)) : 0,
		.out_sync_count = one_in(f, 2) ? mostly(f, below(f, N_NATIVE_SYNCS)) : 0,
		.sync_stride = mostly(f, sizeof(syncs[0][0])),
	};

	for (size_t i = 0; i < N_NATIVE_BOS; i++)
		bos[i] = (struct drm_scoria_job_bo) {
			.handle = handle(f), .flags = mostly(f, 1 + below(f, 3)),
		};
	for (size_t i = 0; i < 2 * N_NATIVE_SYNCS; i++)
		syncs[i % 2][i / 2] = (struct drm_scoria_sync) {
			.handle = native_id(f), .flags = mostly(f, 0),
			.point = one_in(f, 2) ? 0 : number(f),
		};
	for (size_t i = 0; i < N_NATIVE_JOBS; i++)
		jobs[i] = (struct drm_scoria_job) {
			.program = native_id(f), .first_task = mostly(f, 0),
			.task_count = mostly(f, below(f, N_NATIVE_TASKS)),
			.timeout_ms = mostly(f, below(f, 40)),
			.bos = one_in(f, 8) ? pointer(f, bos) : (uintptr_t)bos,
			.bo_count = mostly(f, below(f, N_NATIVE_BOS)),
			.bo_stride = mostly(f, sizeof(bos[0])), .flags = mostly(f, 0),
		};
	ioctl(file(f), DRM_IOCTL_SCORIA_SUBMIT, &args);
}

#endif
