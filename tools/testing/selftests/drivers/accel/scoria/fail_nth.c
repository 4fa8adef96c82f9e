// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation, and every copy from or to userspace, of every call fails in
 * turn (U7, U15, P7). Whatever fails, the call says so and leaves nothing behind:
 * the kernel's checkers judge that, and a good job computes afterwards. Needs
 * root and a kernel with fault injection.
 */
#include <sys/syscall.h>

#include "dmabuf.h"
#include "scoria_test.h"
#include "sysfs.h"

#define FAULTS		"/sys/kernel/debug/"
#define MAX_FAULTS	5000	/* more than any call has places that can fail */

struct sweep {
	int control;
	unsigned int n;
};

static int sweep_open(struct sweep *sweep)
{
	static const char * const allow[] = {
		FAULTS "failslab/ignore-gfp-wait", FAULTS "fail_page_alloc/ignore-gfp-wait",
		FAULTS "fail_page_alloc/ignore-gfp-highmem",
	};
	static const char * const quiet[] = {
		FAULTS "failslab/verbose", FAULTS "fail_page_alloc/verbose",
		FAULTS "fail_usercopy/verbose",
	};
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(allow); i++)
		if (write_text(allow[i], "N") || write_text(quiet[i], "0"))
			return -1;
	write_text(FAULTS "fail_page_alloc/min-order", "0");
	snprintf(path, sizeof(path), "/proc/self/task/%ld/fail-nth", syscall(SYS_gettid));
	sweep->control = open(path, O_RDWR | O_CLOEXEC);
	sweep->n = 0;
	return sweep->control < 0 ? -1 : 0;
}

/* The next call of this thread fails in the place behind that of last time. */
static void sweep_arm(struct sweep *sweep)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", ++sweep->n);

	if (pwrite(sweep->control, text, len, 0) != len)
		sweep->n = MAX_FAULTS;
}

/*
 * How many places the call would have had to have more to come as far as the one
 * that was to fail; 0 when that one failed. Asking may fail in its place when the
 * call ended just before.
 */
static unsigned int sweep_disarm(struct sweep *sweep)
{
	char text[16] = "1";
	ssize_t ret = pread(sweep->control, text, sizeof(text) - 1, 0);

	while (pwrite(sweep->control, "0", 1, 0) != 1 && errno == EFAULT)
		;
	return ret > 0 ? (unsigned int)atoi(text) : 1;
}

/* Everything that a call may need. */
struct stage {
	int fd;
	int file;
	struct matmul matmul;
	struct submission submission;
	struct bo bo;
	uint32_t program;
	uint32_t queue;
	uint32_t sync;
	int buf;
	int fence;
	void *map;
};

FIXTURE(fail_nth) {
	struct stage stage;
	struct sweep sweep;
};

/*
 * Each time: @prepare, @call with a fault, @undo when that succeeded all the same,
 * @clean. Only @call must be there.
 */
FIXTURE_VARIANT(fail_nth) {
	int (*prepare)(struct stage *stage);
	int (*call)(struct stage *stage);
	void (*undo)(struct stage *stage);
	void (*clean)(struct stage *stage);
};

static int open_file(struct stage *stage)
{
	stage->file = device_reopen(stage->fd);
	return stage->file < 0 ? -errno : 0;
}

static void close_file(struct stage *stage)
{
	close(stage->file);
}

FIXTURE_VARIANT_ADD(fail_nth, open) { .call = open_file, .undo = close_file };

static int open_with_jobs(struct stage *stage)
{
	struct matmul matmul;
	int ret = open_file(stage);

	if (!ret)
		ret = matmul_create(stage->file, &matmul);
	for (int i = 0; i < 3 && !ret; i++)
		ret = matmul_submit(stage->file, &matmul);
	if (!ret)
		matmul_destroy(stage->file, &matmul);
	return ret;
}

/* It is closed, whatever fails. */
static int close_with_jobs(struct stage *stage)
{
	return close(stage->file) ? -errno : 0;
}

FIXTURE_VARIANT_ADD(fail_nth, close_with_jobs) {
	.prepare = open_with_jobs, .call = close_with_jobs,
};

static int create_bo(struct stage *stage)
{
	return bo_create_unmapped(stage->fd, 3 * 4096, &stage->bo);
}

static void close_bo(struct stage *stage)
{
	bo_close(stage->fd, &stage->bo);
}

FIXTURE_VARIANT_ADD(fail_nth, create_bo) { .call = create_bo, .undo = close_bo };

static int close_handle(struct stage *stage)
{
	return bo_close(stage->fd, &stage->bo);
}

FIXTURE_VARIANT_ADD(fail_nth, gem_close) {
	.prepare = create_bo, .call = close_handle, .clean = close_bo,
};

static int map_bo(struct stage *stage)
{
	stage->map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, stage->fd,
			  (off_t)stage->matmul.commands.offset);
	return stage->map == MAP_FAILED ? -errno : 0;
}

static void unmap_bo(struct stage *stage)
{
	munmap(stage->map, 4096);
}

FIXTURE_VARIANT_ADD(fail_nth, mmap) { .call = map_bo, .undo = unmap_bo };

static int prepare_submit(struct stage *stage)
{
	matmul_prepare(&stage->matmul, &stage->submission);
	return 0;
}

static int submit_job(struct stage *stage)
{
	return submit(stage->fd, &stage->submission);
}

static void await_job(struct stage *stage)
{
	bo_prep(stage->fd, &stage->matmul.region[JOB_OUTPUT]);
}

/* Commands in a buffer of their own time: no job that the driver remembers has them. */
static int prepare_new(struct stage *stage)
{
	struct bo *commands = &stage->matmul.commands;
	int ret = bo_close(stage->fd, commands);

	if (!ret)
		ret = bo_create(stage->fd, MATMUL_BO_BYTES, commands);
	if (ret)
		return ret;
	matmul_fill(&stage->matmul);
	prepare_submit(stage);
	return matmul_flush(stage->fd, &stage->matmul);
}

FIXTURE_VARIANT_ADD(fail_nth, submit) {
	.prepare = prepare_new, .call = submit_job, .undo = await_job,
};

static int prepare_again(struct stage *stage)
{
	int ret;

	prepare_submit(stage);
	ret = submit_job(stage);
	await_job(stage);
	return ret;
}

FIXTURE_VARIANT_ADD(fail_nth, submit_again) {
	.prepare = prepare_again, .call = submit_job, .undo = await_job,
};

/* Each task and each buffer is a place or more. */
#define MANY	40

static int prepare_refused(struct stage *stage)
{
	static struct drm_scoria_rocket_task tasks[MANY];
	static uint32_t handles[MANY];

	prepare_submit(stage);
	for (int i = 0; i < MANY; i++) {
		tasks[i] = stage->submission.task;
		tasks[i].regcmd_count = i ? 2 : tasks[i].regcmd_count;
		handles[i] = stage->submission.in[i % ARRAY_SIZE(stage->submission.in)];
	}
	stage->submission.job.tasks = (uintptr_t)tasks;
	/* the second has no end, so that the job is refused late */
	stage->submission.job.task_count = MANY;
	stage->submission.job.in_bo_handles = (uintptr_t)handles;
	stage->submission.job.in_bo_handle_count = MANY;
	return 0;
}

/* What is refused without a fault, too, has nothing to undo. */
static int submit_refused(struct stage *stage)
{
	int ret = submit_job(stage);

	return ret == -EINVAL ? 0 : ret;
}

FIXTURE_VARIANT_ADD(fail_nth, refused_submit) {
	.prepare = prepare_refused, .call = submit_refused,
};

static int prepare_wait(struct stage *stage)
{
	prepare_submit(stage);
	return submit_job(stage);
}

static int prep_bo(struct stage *stage)
{
	return bo_prep(stage->fd, &stage->matmul.region[JOB_OUTPUT]);
}

FIXTURE_VARIANT_ADD(fail_nth, prep_bo) {
	.prepare = prepare_wait, .call = prep_bo, .clean = await_job,
};

static int fini_bo(struct stage *stage)
{
	return bo_fini(stage->fd, &stage->matmul.region[JOB_OUTPUT]);
}

FIXTURE_VARIANT_ADD(fail_nth, fini_bo) { .call = fini_bo };

static int export_bo(struct stage *stage)
{
	stage->buf = handle_export(stage->fd, stage->bo.handle);
	return stage->buf < 0 ? stage->buf : 0;
}

static void close_buf(struct stage *stage)
{
	close(stage->buf);
}

FIXTURE_VARIANT_ADD(fail_nth, export) {
	.prepare = create_bo, .call = export_bo, .undo = close_buf, .clean = close_bo,
};

static int export_for_other(struct stage *stage)
{
	int ret = open_file(stage);

	if (!ret)
		ret = create_bo(stage);
	return ret ? ret : export_bo(stage);
}

static int import_other(struct stage *stage)
{
	uint32_t handle;

	return handle_import(stage->file, stage->buf, &handle);
}

static void close_all(struct stage *stage)
{
	close_file(stage);
	close_buf(stage);
	close_bo(stage);
}

FIXTURE_VARIANT_ADD(fail_nth, import_of_other_file) {
	.prepare = export_for_other, .call = import_other, .clean = close_all,
};

static int create_foreign(struct stage *stage)
{
	stage->buf = udmabuf_create(4 * 4096);
	return stage->buf < 0 ? stage->buf : 0;
}

static int import_foreign(struct stage *stage)
{
	return handle_import(stage->fd, stage->buf, &stage->bo.handle);
}

static void close_foreign(struct stage *stage)
{
	stage->bo.map = NULL;
	close_bo(stage);
}

FIXTURE_VARIANT_ADD(fail_nth, import_of_other_driver) {
	.prepare = create_foreign, .call = import_foreign, .undo = close_foreign,
	.clean = close_buf,
};

static int prepare_fence(struct stage *stage)
{
	int ret;

	stage->bo = stage->matmul.region[JOB_OUTPUT];
	ret = export_bo(stage);
	return ret ? ret : prepare_wait(stage);
}

static int export_fence(struct stage *stage)
{
	stage->fence = buf_export_fence(stage->buf);
	return stage->fence < 0 ? stage->fence : 0;
}

static void close_fence(struct stage *stage)
{
	close(stage->fence);
}

static void finish_fence(struct stage *stage)
{
	await_job(stage);
	close_buf(stage);
}

FIXTURE_VARIANT_ADD(fail_nth, export_of_fences) {
	.prepare = prepare_fence, .call = export_fence, .undo = close_fence,
	.clean = finish_fence,
};

static int native_create_bo(struct stage *stage)
{
	struct drm_scoria_bo_create args = { .size = 3 * 4096 };
	int ret = drm_call(stage->fd, DRM_IOCTL_SCORIA_BO_CREATE, &args);

	stage->bo = (struct bo) { .handle = args.handle };
	return ret;
}

FIXTURE_VARIANT_ADD(fail_nth, native_create_bo) { .call = native_create_bo, .undo = close_bo };

static int create_program(struct stage *stage)
{
	struct drm_scoria_task task = {
		.words = (uintptr_t)matmul_words(&stage->matmul),
		.word_count = ARRAY_SIZE(job_words),
	};
	struct drm_scoria_program_create args = {
		.tasks = (uintptr_t)&task, .task_count = 1, .task_stride = sizeof(task),
	};
	int ret = drm_call(stage->fd, DRM_IOCTL_SCORIA_PROGRAM_CREATE, &args);

	stage->program = args.program;
	return ret;
}

static void destroy_program(struct stage *stage)
{
	struct drm_scoria_program_destroy args = { .program = stage->program };

	drm_call(stage->fd, DRM_IOCTL_SCORIA_PROGRAM_DESTROY, &args);
}

FIXTURE_VARIANT_ADD(fail_nth, native_program) { .call = create_program, .undo = destroy_program };

static int create_queue(struct stage *stage)
{
	struct drm_scoria_queue_create args = { .priority = DRM_SCORIA_PRIORITY_NORMAL };
	int ret = drm_call(stage->fd, DRM_IOCTL_SCORIA_QUEUE_CREATE, &args);

	stage->queue = args.queue;
	return ret;
}

static void destroy_queue(struct stage *stage)
{
	struct drm_scoria_queue_destroy args = { .queue = stage->queue };

	drm_call(stage->fd, DRM_IOCTL_SCORIA_QUEUE_DESTROY, &args);
}

FIXTURE_VARIANT_ADD(fail_nth, native_queue) { .call = create_queue, .undo = destroy_queue };

/* DRM_IOCTL_SYNCOBJ_CREATE and _DESTROY: a handle, and flags of which 1 is signalled. */
static int prepare_native_submit(struct stage *stage)
{
	uint32_t args[2] = { 0, 1 };
	int ret = drm_call(stage->fd, DRM_IOWR(0xbf, uint32_t[2]), args);

	stage->sync = args[0];
	if (!ret)
		ret = create_program(stage);
	return ret ? ret : create_queue(stage);
}

static void clean_native_submit(struct stage *stage)
{
	uint32_t args[2] = { stage->sync, 0 };

	drm_call(stage->fd, DRM_IOWR(0xc0, uint32_t[2]), args);
	destroy_program(stage);
	destroy_queue(stage);
}

static int native_submit(struct stage *stage)
{
	const struct drm_scoria_job_bo bos[] = {
		{ stage->matmul.region[JOB_INPUT].handle, DRM_SCORIA_BO_READ },
		{ stage->matmul.region[JOB_OUTPUT].handle, DRM_SCORIA_BO_WRITE },
	};
	const struct drm_scoria_job job = {
		.program = stage->program, .bos = (uintptr_t)bos, .bo_count = ARRAY_SIZE(bos),
		.bo_stride = sizeof(bos[0]),
	};
	const struct drm_scoria_job jobs[] = { job, job };
	const struct drm_scoria_sync sync = { .handle = stage->sync };
	struct drm_scoria_submit args = {
		.queue = stage->queue, .jobs = (uintptr_t)jobs, .job_count = ARRAY_SIZE(jobs),
		.job_stride = sizeof(job), .in_syncs = (uintptr_t)&sync, .in_sync_count = 1,
		.out_syncs = (uintptr_t)&sync, .out_sync_count = 1, .sync_stride = sizeof(sync),
	};

	return drm_call(stage->fd, DRM_IOCTL_SCORIA_SUBMIT, &args);
}

FIXTURE_VARIANT_ADD(fail_nth, native_submit) {
	.prepare = prepare_native_submit, .call = native_submit, .undo = await_job,
	.clean = clean_native_submit,
};

FIXTURE_SETUP(fail_nth)
{
	self->stage.fd = device_open();
	if (self->stage.fd < 0)
		SKIP(return, "no accel device of scoria's");
	ASSERT_EQ(0, matmul_create(self->stage.fd, &self->stage.matmul));
	if (sweep_open(&self->sweep))
		SKIP(return, "the kernel has no fault injection, or this is not root");
}

FIXTURE_TEARDOWN(fail_nth)
{
	matmul_destroy(self->stage.fd, &self->stage.matmul);
	close(self->stage.fd);
}

/* What a call says when memory or a copy fails in it. */
static bool is_honest(int ret)
{
	return !ret || ret == -ENOMEM || ret == -EFAULT;
}

TEST_F(fail_nth, every_place_fails_in_turn)
{
	struct stage *stage = &self->stage;
	bool reached;

	do {
		int ret = 0;

		if (variant->prepare)
			ASSERT_EQ(0, variant->prepare(stage));
		sweep_arm(&self->sweep);
		ret = variant->call(stage);
		reached = !sweep_disarm(&self->sweep) && self->sweep.n < MAX_FAULTS;
		EXPECT_TRUE(is_honest(ret))
			TH_LOG("place %u: %d", self->sweep.n, ret);
		if (!ret && variant->undo)
			variant->undo(stage);
		if (variant->clean)
			variant->clean(stage);
		if (self->sweep.n % 16 == 0)
			ASSERT_EQ(0, matmul_runs(stage->fd));
	} while (reached);
	/* in the last round nothing failed */
	EXPECT_LT(1, self->sweep.n);
	EXPECT_GT(MAX_FAULTS, self->sweep.n);
	TH_LOG("%u places", self->sweep.n - 1);
	EXPECT_EQ(0, matmul_runs(stage->fd));
}

FIXTURE(fail_bind) {
	struct devices devices;
	struct sweep sweep;
};

/*
 * With no other core bound, the DRM device is made anew. @skipped: places up to the
 * end of drm_dev_init(), which in 6.12 does not survive when the device of a minor
 * cannot be made: drm_minor_alloc_release() puts an error pointer.
 */
FIXTURE_VARIANT(fail_bind) {
	bool alone;
	unsigned int skipped;
};

FIXTURE_VARIANT_ADD(fail_bind, first_core) { .alone = true, .skipped = 120 };
FIXTURE_VARIANT_ADD(fail_bind, one_more_core) { .alone = false };

FIXTURE_SETUP(fail_bind)
{
	self->devices = bound_devices();
	if (self->devices.n < 2)
		SKIP(return, "fewer than two cores");
	if (sweep_open(&self->sweep))
		SKIP(return, "the kernel has no fault injection, or this is not root");
}

FIXTURE_TEARDOWN(fail_bind)
{
}

/* Bind with a fault in the place @n; returns how many places are missing to it. */
static unsigned int bind_with_fault(struct sweep *sweep, const char *core, unsigned int n)
{
	int control = open(DRIVER "/bind", O_WRONLY | O_CLOEXEC);
	unsigned int left;
	ssize_t ret;

	sweep->n = n - 1;
	sweep_arm(sweep);
	ret = write(control, core, strlen(core));
	left = sweep_disarm(sweep);
	close(control);
	if (ret > 0)
		unbind_device(core);
	return left;
}

TEST_F_TIMEOUT(fail_bind, every_place_fails_in_turn, SLOW_SECONDS)	/* P7 */
{
	const int unbound = variant->alone ? self->devices.n : 1;
	const char *core = self->devices.names[0];
	unsigned int n;
	int fd;

	for (int i = 0; i < unbound; i++)
		ASSERT_EQ(0, unbind_device(self->devices.names[i]));
	n = MAX_FAULTS - bind_with_fault(&self->sweep, core, MAX_FAULTS);
	TH_LOG("%u places, of which %u are skipped", n, variant->skipped);
	EXPECT_LT(variant->skipped + 50, n);
	/* caches make it a few more or fewer from time to time */
	for (; n > variant->skipped; n--)
		bind_with_fault(&self->sweep, core, n);
	for (int i = 0; i < unbound; i++)
		ASSERT_EQ(0, bind_device(self->devices.names[i]));
	fd = device_open();
	ASSERT_LE(0, fd);
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(0, matmul_runs(fd));
	close(fd);
}

TEST_HARNESS_MAIN
