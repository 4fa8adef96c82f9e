// SPDX-License-Identifier: GPL-2.0-only
/* Queues: cores, order, fairness, priorities, and what ends one. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "native_test.h"

FIXTURE(native_queue) {
	int fd;
	volatile uint32_t *board;
	struct matmul matmul;
	int program;
};

FIXTURE_SETUP(native_queue)
{
	BOARD_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	self->program = program_of(self->fd, &self->matmul);
	ASSERT_LT(0, self->program);
}

FIXTURE_TEARDOWN(native_queue)
{
	board_mend(self->board);
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

TEST_F(native_queue, arguments_have_their_limits)
{
	struct drm_scoria_queue_create args = { .flags = 1 };
	struct drm_scoria_queue_destroy bad = { .reserved = 1 };

	EXPECT_EQ(-EINVAL, drm_call(self->fd, DRM_IOCTL_SCORIA_QUEUE_CREATE, &args));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, 2, 0));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, -2, 0));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, INT32_MAX, 0));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, INT32_MIN, 0));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, 0, 8));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, 0, 1u << 31));
	EXPECT_EQ(-EINVAL, queue_create(self->fd, 0, ~0u));
	EXPECT_EQ(-EINVAL, queue_destroy(self->fd, 0));
	EXPECT_EQ(-ENOENT, queue_destroy(self->fd, 1));
	EXPECT_EQ(-ENOENT, queue_destroy(self->fd, ~0u));
	bad.queue = queue_create(self->fd, 0, 0);
	EXPECT_EQ(-EINVAL, drm_call(self->fd, DRM_IOCTL_SCORIA_QUEUE_DESTROY, &bad));
	EXPECT_EQ(0, native_runs(self->fd, bad.queue));
	EXPECT_EQ(0, queue_destroy(self->fd, bad.queue));
	EXPECT_EQ(-ENOENT, queue_destroy(self->fd, bad.queue));
}

TEST_F(native_queue, file_may_have_64)
{
	int last = 0, n = 0;

	while (last >= 0 && n < 100) {
		last = queue_create(self->fd, 0, 0);
		n += last > 0;
	}
	EXPECT_EQ(64, n);
	EXPECT_EQ(-ENOSPC, last);
	EXPECT_EQ(0, queue_destroy(self->fd, 1));
	last = queue_create(self->fd, 0, 0);
	EXPECT_LT(64, last);
	EXPECT_EQ(0, native_runs(self->fd, last));
}

TEST_F(native_queue, numbers_are_of_the_file)
{
	int other = device_open();
	int queue = queue_create(self->fd, 0, 0);

	ASSERT_LT(0, queue);
	EXPECT_EQ(-ENOENT, queue_destroy(other, queue));
	EXPECT_EQ(0, native_runs(self->fd, queue));
	EXPECT_EQ(-ENOENT, native_runs(other, queue));
	close(other);
}

static int as_nobody(int fd, int32_t priority)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(setresuid(65534, 65534, 65534) ? 255 : -queue_create(fd, priority, 0) & 0xff);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(native_queue, high_priority_is_for_those_who_may)
{
	EXPECT_LT(0, queue_create(self->fd, DRM_SCORIA_PRIORITY_HIGH, 0));
	EXPECT_EQ(EACCES, as_nobody(self->fd, DRM_SCORIA_PRIORITY_HIGH));
	EXPECT_NE(EACCES, as_nobody(self->fd, DRM_SCORIA_PRIORITY_NORMAL));
	EXPECT_NE(EACCES, as_nobody(self->fd, DRM_SCORIA_PRIORITY_LOW));
}

TEST_F(native_queue, core_mask_is_kept_to)
{
	for (unsigned int core = 0; core < BOARD_N_CORES; core++) {
		const uint32_t counter = BOARD_CORE(core) + BOARD_KICKS;
		const uint32_t kicks = board_get(self->board, counter);
		int queue = queue_create(self->fd, 0, 1u << core);

		if (!(core_mask(self->fd) & 1u << core)) {
			EXPECT_EQ(-ENODEV, queue);
			continue;
		}
		ASSERT_LT(0, queue);
		for (int i = 0; i < 10; i++)
			ASSERT_EQ(0, native_runs(self->fd, queue));
		EXPECT_EQ(kicks + 10, board_get(self->board, counter));
		EXPECT_EQ(0, queue_destroy(self->fd, queue));
	}
}

TEST_F(native_queue, one_file_uses_all_cores_at_once)
{
	const int n_cores = __builtin_popcount(core_mask(self->fd));
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
	struct matmul matmul[BOARD_N_CORES];

	for (int i = 0; i < n_cores; i++)
		ASSERT_EQ(0, matmul_create(self->fd, &matmul[i]));
	board_shut(self->board);
	for (int i = 0; i < n_cores; i++) {
		int queue = queue_create(self->fd, 0, 0);

		ASSERT_LT(0, queue);
		ASSERT_EQ(0, native_submit(self->fd, queue, program_of(self->fd, &matmul[i]),
					   &matmul[i]));
	}
	/* a core has one kick until that job ends */
	EXPECT_TRUE(board_comes_to(self->board, BOARD_KICKS, kicks + n_cores));
	board_open_gate(self->board);
	for (int i = 0; i < n_cores; i++) {
		EXPECT_EQ(0, native_finish(self->fd, &matmul[i]));
		EXPECT_TRUE(matmul_is_right(&matmul[i]));
	}
}

#define HOLD_TIMEOUT_MS	10000
#define MAX_JOBS	256

/* A queue with many jobs, and a fence of each. */
struct load {
	uint32_t queue;
	uint32_t syncobj;
	unsigned int n;
	int fences[MAX_JOBS];
};

static int load_create(int fd, struct load *load, int32_t priority)
{
	int queue = queue_create(fd, priority, CORE_0);

	load->queue = queue;
	load->syncobj = syncobj_create(fd);
	load->n = 0;
	return queue < 0 ? queue : 0;
}

static void load_destroy(struct load *load)
{
	while (load->n)
		close(load->fences[--load->n]);
}

/* One job, which uses @bo if that is not NULL. */
static int load_add_using(int fd, struct load *load, int program, struct drm_scoria_job_bo *bo)
{
	struct run run = {
		.submit = {
			.queue = load->queue, .jobs = (uintptr_t)&run.job, .job_count = 1,
			.job_stride = sizeof(run.job), .out_syncs = (uintptr_t)&run.out,
			.out_sync_count = 1, .sync_stride = sizeof(run.out),
		},
		.job = {
			.program = program, .timeout_ms = HOLD_TIMEOUT_MS, .bos = (uintptr_t)bo,
			.bo_count = !!bo, .bo_stride = sizeof(*bo),
		},
		.out = { .handle = load->syncobj },
	};
	int ret = load->n < MAX_JOBS ? run_submit(fd, &run) : -ENOSPC;

	if (!ret)
		ret = sync_file_of(fd, load->syncobj);
	if (ret < 0)
		return ret;
	load->fences[load->n++] = ret;
	return 0;
}

static int load_add(int fd, struct load *load, int program, unsigned int n)
{
	int ret = 0;

	while (n-- && !ret)
		ret = load_add_using(fd, load, program, NULL);
	return ret;
}

/* Wait until the first @n jobs have ended. */
static int load_wait(const struct load *load, unsigned int n)
{
	struct pollfd last = { .fd = load->fences[n - 1], .events = POLLIN };

	return poll(&last, 1, 60000) == 1 ? 0 : -ETIMEDOUT;
}

/* When the first @n jobs had ended. */
static int64_t load_time(const struct load *load, unsigned int n)
{
	return sync_file_time(load->fences[n - 1]);
}

/* How many jobs had ended at that moment. */
static int load_done_by(const struct load *load, int64_t ns)
{
	int n = 0;

	while (n < (int)load->n && sync_file_time(load->fences[n]) <= ns)
		n++;
	return n;
}

/*
 * The core is given a few jobs of each queue, and more while these run. So that none is
 * missing where it should come next, each takes a while, and all wait for the core first.
 */
#define JOB_US		20000
#define SETTLE_MS	200

/* Keep core 0 busy until release_core(). Jobs then take @us. */
static int hold_core(int fd, volatile uint32_t *board, int program, uint32_t us)
{
	const uint32_t kicks = board_sum(board, BOARD_KICKS);
	struct load hold;
	int ret = load_create(fd, &hold, 0);

	if (ret)
		return ret;
	board_shut(board);
	ret = load_add(fd, &hold, program, 1);
	if (!ret && !board_comes_to(board, BOARD_KICKS, kicks + 1))
		ret = -ETIMEDOUT;
	load_destroy(&hold);
	board_break(board, BOARD_DELAY_IRQ_US, us);
	return ret;
}

static void release_core(volatile uint32_t *board)
{
	sleep_ms(SETTLE_MS);
	board_open_gate(board);
}

/* The jobs that a late queue of the same core and priority has to let by. */
static void expect_fair(struct __test_metadata *_metadata, const struct load *flood,
			const struct load *late, int64_t before, int64_t after)
{
	const int64_t end = load_time(late, late->n);

	/*
	 * One by one, and one more that ran already. Of what the flood got while the late
	 * jobs came in, nobody knows which it had to share.
	 */
	EXPECT_LE((int)late->n - 4, load_done_by(flood, end) - load_done_by(flood, before));
	EXPECT_GE((int)late->n + 6, load_done_by(flood, end) - load_done_by(flood, after));
}

TEST_F(native_queue, flood_does_not_keep_others_waiting)
{
	struct load flood, late;
	int64_t before, after;

	ASSERT_EQ(0, load_create(self->fd, &flood, 0));
	ASSERT_EQ(0, load_create(self->fd, &late, 0));
	ASSERT_EQ(0, hold_core(self->fd, self->board, self->program, JOB_US));
	ASSERT_EQ(0, load_add(self->fd, &flood, self->program, 200));
	release_core(self->board);
	ASSERT_EQ(0, load_wait(&flood, 10));
	before = now_ns();
	ASSERT_EQ(0, load_add(self->fd, &late, self->program, 20));
	after = now_ns();
	ASSERT_EQ(0, load_wait(&late, 20));
	expect_fair(_metadata, &flood, &late, before, after);
	board_mend(self->board);
	ASSERT_EQ(0, load_wait(&flood, 200));
	load_destroy(&flood);
	load_destroy(&late);
}

TEST_F(native_queue, queues_of_equal_priority_get_equal_shares)
{
	struct load loads[4];
	int64_t end;

	ASSERT_EQ(0, hold_core(self->fd, self->board, self->program, JOB_US));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, load_create(self->fd, &loads[i], 0));
		/* whoever floods most */
		ASSERT_EQ(0, load_add(self->fd, &loads[i], self->program, 50 + 30 * i));
	}
	release_core(self->board);
	ASSERT_EQ(0, load_wait(&loads[0], 50));
	end = load_time(&loads[0], 50);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, load_wait(&loads[i], loads[i].n));
		EXPECT_LE(46, load_done_by(&loads[i], end));
		EXPECT_GE(54, load_done_by(&loads[i], end));
	}
	for (int i = 0; i < 4; i++)
		load_destroy(&loads[i]);
}

TEST_F(native_queue, shares_are_of_time_and_not_of_jobs)
{
	int big = program_repeat(self->fd, &self->matmul, 40);
	struct load small_jobs, big_jobs;
	int n;

	ASSERT_LT(0, big);
	ASSERT_EQ(0, load_create(self->fd, &small_jobs, 0));
	ASSERT_EQ(0, load_create(self->fd, &big_jobs, 0));
	ASSERT_EQ(0, hold_core(self->fd, self->board, self->program, 0));
	/* so slow that a job's time is that of its tasks: the big ones take 40 times as long */
	board_break(self->board, BOARD_SLOW, 300);
	ASSERT_EQ(0, load_add(self->fd, &big_jobs, big, 10));
	ASSERT_EQ(0, load_add(self->fd, &small_jobs, self->program, 250));
	release_core(self->board);
	ASSERT_EQ(0, load_wait(&big_jobs, 5));
	n = load_done_by(&small_jobs, load_time(&big_jobs, 5));
	EXPECT_LE(4 * 40 - 40, n);
	EXPECT_GE(5 * 40 + 40, n);
	board_mend(self->board);
	ASSERT_EQ(0, load_wait(&small_jobs, 250));
	ASSERT_EQ(0, load_wait(&big_jobs, 10));
	load_destroy(&small_jobs);
	load_destroy(&big_jobs);
}

TEST_F(native_queue, fair_among_files_too)
{
	struct load flood, late;
	int other = device_open();
	int64_t before, after;
	struct matmul matmul;
	int program;

	ASSERT_EQ(0, matmul_create(other, &matmul));
	program = program_of(other, &matmul);
	ASSERT_LT(0, program);
	ASSERT_EQ(0, load_create(self->fd, &flood, 0));
	ASSERT_EQ(0, load_create(other, &late, 0));
	ASSERT_EQ(0, hold_core(self->fd, self->board, self->program, JOB_US));
	ASSERT_EQ(0, load_add(self->fd, &flood, self->program, 100));
	release_core(self->board);
	ASSERT_EQ(0, load_wait(&flood, 10));
	before = now_ns();
	ASSERT_EQ(0, load_add(other, &late, program, 20));
	after = now_ns();
	ASSERT_EQ(0, load_wait(&late, 20));
	expect_fair(_metadata, &flood, &late, before, after);
	ASSERT_EQ(0, load_wait(&flood, 100));
	load_destroy(&flood);
	load_destroy(&late);
	close(other);
}

TEST_F(native_queue, higher_priority_goes_first)
{
	struct load low, normal, high;
	int64_t end;

	ASSERT_EQ(0, load_create(self->fd, &low, DRM_SCORIA_PRIORITY_LOW));
	ASSERT_EQ(0, load_create(self->fd, &normal, DRM_SCORIA_PRIORITY_NORMAL));
	ASSERT_EQ(0, load_create(self->fd, &high, DRM_SCORIA_PRIORITY_HIGH));
	ASSERT_EQ(0, hold_core(self->fd, self->board, self->program, JOB_US));
	ASSERT_EQ(0, load_add(self->fd, &low, self->program, 10));
	ASSERT_EQ(0, load_add(self->fd, &normal, self->program, 20));
	ASSERT_EQ(0, load_add(self->fd, &high, self->program, 10));
	release_core(self->board);
	ASSERT_EQ(0, load_wait(&low, 10));
	end = load_time(&high, 10);
	EXPECT_EQ(0, load_done_by(&low, end));
	EXPECT_EQ(0, load_done_by(&normal, end));
	EXPECT_EQ(0, load_done_by(&low, load_time(&normal, 20)));
	load_destroy(&low);
	load_destroy(&normal);
	load_destroy(&high);
}

#define N_ENDED	40
#define N_AHEAD	3

/* One job that uses a new buffer, whose handle is closed; its address, or -errno. */
static int64_t add_with_buffer(int fd, struct load *load, int program)
{
	struct drm_scoria_job_bo used = { .flags = DRM_SCORIA_BO_READ };
	struct bo bo;
	int ret = bo_create_unmapped(fd, 4096, &bo);

	if (ret)
		return ret;
	used.handle = bo.handle;
	ret = load_add_using(fd, load, program, &used);
	bo_close(fd, &bo);
	return ret ? ret : (int64_t)bo.address;
}

/*
 * A low job that the core has, and does not come to, is before others in the order in
 * which jobs are freed: buffers are to go when the jobs that use them end. Without that each
 * new one has a new address.
 */
TEST_F(native_queue, job_that_waits_keeps_nothing_of_others)
{
	int64_t first, last = 0;
	struct load low, normal;

	ASSERT_EQ(0, load_create(self->fd, &low, DRM_SCORIA_PRIORITY_LOW));
	ASSERT_EQ(0, load_create(self->fd, &normal, DRM_SCORIA_PRIORITY_NORMAL));
	board_shut(self->board);
	/* so many that there is always another when one ends */
	ASSERT_EQ(0, load_add(self->fd, &normal, self->program, N_AHEAD));
	ASSERT_EQ(0, load_add(self->fd, &low, self->program, 1));
	first = add_with_buffer(self->fd, &normal, self->program);
	ASSERT_LT(0, first);
	sleep_ms(SETTLE_MS);
	for (int i = 1; i < N_ENDED; i++) {
		last = add_with_buffer(self->fd, &normal, self->program);
		ASSERT_LT(0, last);
		board_pass_one(self->board);
		ASSERT_EQ(0, load_wait(&normal, i));
		/* the core gets more */
		sleep_ms(JOB_US / 1000);
	}
	EXPECT_EQ(0, sync_file_status(low.fences[0]));
	EXPECT_GT(N_ENDED / 2 * 4096, last - first);
	board_open_gate(self->board);
	ASSERT_EQ(0, load_wait(&low, 1));
	load_destroy(&low);
	load_destroy(&normal);
}

TEST_F(native_queue, destroyed_queue_drops_what_the_core_has_not)
{
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
	struct matmul last;
	struct load load;
	int program;

	ASSERT_EQ(0, matmul_create(self->fd, &last));
	program = program_of(self->fd, &last);
	ASSERT_EQ(0, load_create(self->fd, &load, 0));
	board_shut(self->board);
	ASSERT_EQ(0, load_add(self->fd, &load, self->program, 30));
	ASSERT_EQ(0, native_submit(self->fd, load.queue, program, &last));
	EXPECT_TRUE(board_comes_to(self->board, BOARD_KICKS, kicks + 1));
	/* nobody waits for the job that runs */
	EXPECT_EQ(0, queue_destroy(self->fd, load.queue));
	EXPECT_EQ(0, sync_file_status(load.fences[0]));
	EXPECT_EQ(-ENOENT, native_submit(self->fd, load.queue, program, &last));
	board_open_gate(self->board);
	EXPECT_EQ(-ESRCH, bo_wait(self->fd, &last.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_untouched(&last));
	EXPECT_EQ(0, load_wait(&load, 30));
	while (load.n && sync_file_status(load.fences[load.n - 1]) == -ESRCH)
		close(load.fences[--load.n]);
	/* the first ones, which it had been given (SCORIA_QUEUE_DEPTH), have computed */
	EXPECT_EQ(kicks + load.n, board_sum(self->board, BOARD_KICKS));
	EXPECT_LE(1, (int)load.n);
	EXPECT_GE(4, (int)load.n);
	while (load.n && sync_file_status(load.fences[load.n - 1]) == 1)
		close(load.fences[--load.n]);
	EXPECT_EQ(0, load.n);
	EXPECT_EQ(0, native_runs(self->fd, 0));
	load_destroy(&load);
}

static int run_stuck(int fd, uint32_t queue, int program, const struct matmul *matmul)
{
	struct run run;
	int ret;

	run_prepare(&run, queue, program, matmul);
	run.job.timeout_ms = 20;
	ret = run_submit(fd, &run);
	return ret ? ret : bo_wait(fd, &matmul->region[JOB_OUTPUT]);
}

/* Interrupts whatever runs on its CPU. */
static void *interrupt_often(void *data)
{
	atomic_bool *stop = data;
	const struct timespec pause = { .tv_nsec = 70000 };

	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) { .sched_priority = 50 });
	while (!*stop)
		nanosleep(&pause, NULL);
	return NULL;
}

#define DESTROY_SECONDS	4

/*
 * While the scheduler takes jobs out of it; a queue that stayed in its lists would be
 * found there after it was freed.
 */
TEST_F(native_queue, queues_may_be_destroyed_at_any_moment)
{
	const int64_t end = now_ns() + DESTROY_SECONDS * NS_PER_S;
	struct drm_scoria_job jobs[8];
	atomic_bool stop = false;
	struct run run;
	pthread_t id;

	run_prepare(&run, 0, self->program, &self->matmul);
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		jobs[i] = run.job;
	run.submit.jobs = (uintptr_t)jobs;
	run.submit.job_count = ARRAY_SIZE(jobs);
	ASSERT_EQ(0, pthread_create(&id, NULL, interrupt_often, &stop));
	for (int i = 0; i < 1000 && now_ns() < end; i++) {
		run.submit.queue = queue_create(self->fd, 0, CORE_0);
		ASSERT_EQ(0, run_submit(self->fd, &run));
		/* sooner and later */
		for (volatile int wait = i % 20 * 100; wait; wait--)
			;
		ASSERT_EQ(0, queue_destroy(self->fd, run.submit.queue));
	}
	stop = true;
	pthread_join(id, NULL);
	EXPECT_EQ(0, native_runs(self->fd, 0));
}

TEST_F(native_queue, queue_whose_jobs_keep_hanging_is_banned)
{
	int queue = queue_create(self->fd, 0, CORE_0), other = queue_create(self->fd, 0, CORE_0);

	ASSERT_LT(0, queue);
	ASSERT_LT(0, other);
	board_set(self->board, BOARD_CORE(0) + BOARD_STUCK, 3);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(-EIO, run_stuck(self->fd, queue, self->program, &self->matmul));
	EXPECT_TRUE(matmul_is_untouched(&self->matmul));
	/* from now on by the ioctl itself */
	EXPECT_EQ(-EIO, native_submit(self->fd, queue, self->program, &self->matmul));
	EXPECT_EQ(-EIO, native_runs(self->fd, queue));
	EXPECT_EQ(0, native_runs(self->fd, other));
	EXPECT_EQ(0, native_runs(self->fd, 0));
	EXPECT_EQ(0, queue_destroy(self->fd, queue));
	EXPECT_EQ(0, native_runs(self->fd, queue_create(self->fd, 0, CORE_0)));
}

TEST_F(native_queue, good_job_in_between_prevents_the_ban)
{
	int queue = queue_create(self->fd, 0, CORE_0);

	ASSERT_LT(0, queue);
	for (int i = 0; i < 5; i++) {
		board_set(self->board, BOARD_CORE(0) + BOARD_STUCK, 2);
		for (int k = 0; k < 2; k++)
			EXPECT_EQ(-EIO, run_stuck(self->fd, queue, self->program, &self->matmul));
		EXPECT_EQ(0, native_runs(self->fd, queue));
	}
}

TEST_F(native_queue, faults_count_for_the_ban_and_queue_0_has_none)
{
	int queue = queue_create(self->fd, 0, CORE_0);

	ASSERT_LT(0, queue);
	board_break(self->board, BOARD_FAIL_DMA, 3);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(-EFAULT, run_stuck(self->fd, queue, self->program, &self->matmul));
	EXPECT_EQ(-EIO, native_submit(self->fd, queue, self->program, &self->matmul));
	board_break(self->board, BOARD_FAIL_DMA, 10);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(-EFAULT, run_stuck(self->fd, 0, self->program, &self->matmul));
	board_mend(self->board);
	EXPECT_EQ(0, native_runs(self->fd, 0));
}

/* Of a queue that gets banned all jobs end; those of its neighbour on the core run. */
TEST_F(native_queue, ban_ends_all_jobs_and_no_others)
{
	int queue = queue_create(self->fd, 0, CORE_0);
	struct matmul victims[12];
	struct load good;

	ASSERT_LT(0, queue);
	ASSERT_EQ(0, load_create(self->fd, &good, 0));
	ASSERT_EQ(0, hold_core(self->fd, self->board, self->program, 0));
	for (int i = 0; i < 12; i++) {
		struct run run;
		int program;

		ASSERT_EQ(0, matmul_create(self->fd, &victims[i]));
		/* hangs by itself: MRDMA is enabled and gets nothing (H8) */
		matmul_words(&victims[i])[0] = 0x2001ull << 48 | 0x5044;
		matmul_words(&victims[i])[NO_WORDS - 1] = 0x0081ull << 48 | 0x1dull << 16 | 0x0008;
		program = program_of(self->fd, &victims[i]);
		ASSERT_LT(0, program);
		run_prepare(&run, queue, program, &victims[i]);
		run.job.timeout_ms = 20;
		ASSERT_EQ(0, run_submit(self->fd, &run));
	}
	ASSERT_EQ(0, load_add(self->fd, &good, self->program, 10));
	release_core(self->board);
	for (int i = 0; i < 12; i++) {
		EXPECT_EQ(i < 3 ? -EIO : -ECANCELED,
			  bo_wait(self->fd, &victims[i].region[JOB_OUTPUT]));
		EXPECT_TRUE(matmul_is_untouched(&victims[i]));
		matmul_destroy(self->fd, &victims[i]);
	}
	EXPECT_EQ(0, load_wait(&good, 10));
	load_destroy(&good);
}

/* Dies with six queues of 50 jobs, of which core 0 has begun one. */
static void die_with_full_queues(volatile uint32_t *board)
{
	int fd = device_open();
	struct matmul matmul;
	struct load load;
	int program;

	board_shut(board);
	matmul_create(fd, &matmul);
	program = program_of(fd, &matmul);
	for (int i = 0; i < 6; i++) {
		load_create(fd, &load, 0);
		load_add(fd, &load, program, 50);
	}
	board_break(board, BOARD_DELAY_IRQ_US, JOB_US);
	release_core(board);
	kill(getpid(), SIGKILL);
}

TEST_F(native_queue, killed_process_drops_what_the_cores_have_not)	/* H13 */
{
	for (int round = 0; round < 3; round++) {
		const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
		pid_t child = fork();
		uint32_t ran;
		int status;

		if (!child)
			die_with_full_queues(self->board);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		/* those that the core was given, and some before the signal was there */
		sleep_ms(6 * 4 * JOB_US / 1000 + SETTLE_MS);
		ran = board_sum(self->board, BOARD_KICKS) - kicks;
		EXPECT_LE(1, ran);
		EXPECT_GE(150, ran);
		sleep_ms(SETTLE_MS);
		EXPECT_EQ(ran, board_sum(self->board, BOARD_KICKS) - kicks);
	}
	board_mend(self->board);
	EXPECT_EQ(0, native_runs(self->fd, 0));
}

TEST_HARNESS_MAIN
