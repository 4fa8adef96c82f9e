// SPDX-License-Identifier: GPL-2.0-only
/* SUBMIT: parts of programs, jobs that belong together, and what is refused. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "native_test.h"

FIXTURE(native_submit) {
	int fd;
	volatile uint32_t *board;
	struct matmul matmul;
	int program;
	struct run run;
};

FIXTURE_SETUP(native_submit)
{
	BOARD_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	self->program = program_of(self->fd, &self->matmul);
	ASSERT_LT(0, self->program);
	run_prepare(&self->run, 0, self->program, &self->matmul);
}

FIXTURE_TEARDOWN(native_submit)
{
	board_mend(self->board);
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

/* Refused with @error, about job @job, and without a trace; good ones still run. */
#define EXPECT_REFUSED(error, job_, self) do {				\
	const uint32_t kicks_ = board_sum((self)->board, BOARD_KICKS);	\
									\
	EXPECT_EQ(error, run_submit((self)->fd, &(self)->run));		\
	EXPECT_EQ(job_, (self)->run.submit.refused_job);		\
	EXPECT_EQ(0, bo_wait((self)->fd, &(self)->matmul.region[JOB_OUTPUT])); \
	EXPECT_TRUE(matmul_is_untouched(&(self)->matmul));		\
	EXPECT_EQ(kicks_, board_sum((self)->board, BOARD_KICKS));	\
	EXPECT_EQ(0, native_runs((self)->fd, 0));			\
} while (0)

TEST_F(native_submit, needs_no_list_of_buffers)
{
	self->run.job.bo_count = 0;
	self->run.job.bo_stride = 0;
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	/* the next job of the queue ends after it */
	ASSERT_EQ(0, native_runs(self->fd, 0));
	EXPECT_EQ(0, bo_sync(self->fd, &self->matmul.region[JOB_OUTPUT],
			     DRM_SCORIA_BO_SYNC_FROM_DEVICE));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

/* A program whose task i writes the i-th part of one buffer. */
#define PART_BYTES	2048

struct parts {
	struct matmul matmul;
	struct bo out;
	uint32_t n;
	uint32_t flags;	/* of jobs */
	int program;
};

static int parts_create(int fd, struct parts *parts, uint32_t n)
{
	uint64_t *words = calloc(n, sizeof(job_words));
	struct drm_scoria_task *tasks = calloc(n, sizeof(*tasks));
	int ret = matmul_create(fd, &parts->matmul);

	parts->n = n;
	parts->flags = 0;
	if (!ret)
		ret = bo_create(fd, n * PART_BYTES, &parts->out);
	for (uint32_t i = 0; i < n && !ret; i++) {
		uint64_t *to = words + i * NO_WORDS;

		matmul_point(&parts->matmul, JOB_OUTPUT,
			     (uint32_t)parts->out.address + i * PART_BYTES);
		memcpy(to, matmul_words(&parts->matmul), sizeof(job_words));
		tasks[i] = (struct drm_scoria_task) {
			.words = (uintptr_t)to, .word_count = NO_WORDS,
		};
	}
	parts->program = ret ? ret : program_create(fd, tasks, n);
	free(tasks);
	free(words);
	return parts->program < 0 ? parts->program : 0;
}

/* Exactly the parts from @first to before @end hold the result. */
static bool parts_are(const struct parts *parts, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < parts->n; i++) {
		const uint8_t *part = parts->out.map + i * PART_BYTES;
		bool run = i >= first && i < end;

		if (run && memcmp(part, job_expected, sizeof(job_expected)))
			return false;
		for (size_t at = 0; at < PART_BYTES && !run; at++)
			if (part[at] != SENTINEL)
				return false;
	}
	return true;
}

static int parts_run(int fd, struct parts *parts, uint32_t first, uint32_t count)
{
	struct run run;
	int ret;

	memset(parts->out.map, SENTINEL, parts->out.size);
	bo_sync(fd, &parts->out, DRM_SCORIA_BO_SYNC_TO_DEVICE);
	run_prepare(&run, 0, parts->program, &parts->matmul);
	run.bos[JOB_OUTPUT].handle = parts->out.handle;
	run.job.first_task = first;
	run.job.task_count = count;
	run.job.flags = parts->flags;
	ret = run_submit(fd, &run);
	if (!ret)
		ret = bo_wait(fd, &parts->out);
	return ret ? ret : bo_sync(fd, &parts->out, DRM_SCORIA_BO_SYNC_FROM_DEVICE);
}

TEST_F(native_submit, every_range_of_tasks_runs_alone)
{
	enum { N = 7 };
	struct parts parts;

	ASSERT_EQ(sizeof(job_expected), PART_BYTES);
	ASSERT_EQ(0, parts_create(self->fd, &parts, N));
	for (uint32_t first = 0; first < N; first++)
		for (uint32_t count = 0; first + count <= N; count++) {
			const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
			const uint32_t tasks = board_sum(self->board, BOARD_TASKS);
			const uint32_t end = count ? first + count : N;

			ASSERT_EQ(0, parts_run(self->fd, &parts, first, count));
			ASSERT_TRUE(parts_are(&parts, first, end)) {
				TH_LOG("tasks %u to %u", first, end);
			}
			ASSERT_EQ(kicks + 1, board_sum(self->board, BOARD_KICKS));
			ASSERT_EQ(tasks + end - first, board_sum(self->board, BOARD_TASKS));
		}
}

TEST_F(native_submit, unchained_tasks_are_a_kick_each)
{
	struct parts parts;
	uint32_t kicks, interrupts;

	ASSERT_EQ(0, parts_create(self->fd, &parts, 5));
	parts.flags = DRM_SCORIA_JOB_UNCHAINED;
	kicks = board_sum(self->board, BOARD_KICKS);
	interrupts = board_sum(self->board, BOARD_INTERRUPTS);
	ASSERT_EQ(0, parts_run(self->fd, &parts, 1, 3));
	EXPECT_TRUE(parts_are(&parts, 1, 4));
	EXPECT_EQ(kicks + 3, board_sum(self->board, BOARD_KICKS));
	EXPECT_EQ(interrupts + 3, board_sum(self->board, BOARD_INTERRUPTS));
}

TEST_F(native_submit, more_than_4095_tasks_are_two_kicks)
{
	struct parts parts;
	uint32_t kicks, interrupts;

	ASSERT_EQ(0, parts_create(self->fd, &parts, 4097));
	kicks = board_sum(self->board, BOARD_KICKS);
	interrupts = board_sum(self->board, BOARD_INTERRUPTS);
	ASSERT_EQ(0, parts_run(self->fd, &parts, 0, 0));
	EXPECT_TRUE(parts_are(&parts, 0, 4097));
	EXPECT_EQ(kicks + 2, board_sum(self->board, BOARD_KICKS));
	EXPECT_EQ(interrupts + 2, board_sum(self->board, BOARD_INTERRUPTS));
	/* a part that lies across the end of the first kick is one */
	ASSERT_EQ(0, parts_run(self->fd, &parts, 4090, 7));
	EXPECT_TRUE(parts_are(&parts, 4090, 4097));
	EXPECT_EQ(kicks + 3, board_sum(self->board, BOARD_KICKS));
	ASSERT_EQ(0, parts_run(self->fd, &parts, 1, 4095));
	EXPECT_TRUE(parts_are(&parts, 1, 4096));
	EXPECT_EQ(kicks + 4, board_sum(self->board, BOARD_KICKS));
}

TEST_F(native_submit, tasks_that_the_program_has_not_are_refused)
{
	static const struct { uint32_t first, count; } bad[] = {
		{ 1, 0 }, { 1, 1 }, { 0, 2 }, { ~0u, 0 }, { ~0u, 1 }, { 0, ~0u }, { 1, ~0u },
		{ ~0u, ~0u }, { 1u << 31, 1u << 31 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		self->run.job.first_task = bad[i].first;
		self->run.job.task_count = bad[i].count;
		EXPECT_REFUSED(-EINVAL, 0, self);
	}
}

/* Of three tasks the second takes its weights from where the first has put them. */
TEST_F(native_submit, task_that_reuses_data_cannot_be_the_first)	/* R9 */
{
	uint64_t reusing[NO_WORDS];
	struct drm_scoria_task tasks[3];

	memcpy(reusing, matmul_words(&self->matmul), sizeof(reusing));
	for (size_t i = 0; i < NO_WORDS; i++)
		if (reusing[i] >> 48 == 0x0201 && (reusing[i] & 0xffff) == 0x1040)
			reusing[i] |= 1ull << 13 << 16;	/* WEIGHT_REUSE */
	for (int i = 0; i < 3; i++)
		tasks[i] = (struct drm_scoria_task) {
			.words = (uintptr_t)(i == 1 ? reusing : matmul_words(&self->matmul)),
			.word_count = NO_WORDS,
		};
	self->run.job.program = program_create(self->fd, tasks, 3);
	self->run.job.first_task = 1;
	EXPECT_REFUSED(-EINVAL, 0, self);
	self->run.job.task_count = 1;
	EXPECT_REFUSED(-EINVAL, 0, self);
	for (uint32_t first = 0; first < 3; first += 2) {
		self->run.job.first_task = first;
		self->run.job.task_count = 0;
		ASSERT_EQ(0, matmul_reset(self->fd, &self->matmul));
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
		ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
		EXPECT_TRUE(matmul_is_right(&self->matmul));
	}
}

TEST_F(native_submit, fields_have_their_limits)
{
	self->run.submit.job_count = 0;
	EXPECT_REFUSED(-EINVAL, 0, self);
	self->run.submit.job_count = 257;
	EXPECT_REFUSED(-EINVAL, 257, self);
	self->run.submit.job_count = ~0u;
	EXPECT_REFUSED(-EINVAL, ~0u, self);
	self->run.submit.job_count = 1;
	self->run.submit.flags = 1;
	EXPECT_REFUSED(-EINVAL, 1, self);
	self->run.submit.flags = 0;
	self->run.submit.job_stride = 39;
	EXPECT_REFUSED(-EINVAL, 1, self);
	self->run.submit.job_stride = 4097;
	EXPECT_REFUSED(-EINVAL, 1, self);
	self->run.submit.job_stride = sizeof(self->run.job);
	self->run.submit.jobs = 0;
	EXPECT_REFUSED(-EFAULT, 0, self);
	self->run.submit.jobs = (uintptr_t)&self->run.job;
	self->run.submit.queue = 1;
	EXPECT_REFUSED(-ENOENT, 1, self);
	self->run.submit.queue = 0;
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(native_submit, jobs_have_their_limits)
{
	struct drm_scoria_job *job = &self->run.job;
	const struct drm_scoria_job good = *job;

	job->program = self->program + 1;
	EXPECT_REFUSED(-ENOENT, 0, self);
	job->program = 0;
	EXPECT_REFUSED(-ENOENT, 0, self);
	*job = good;
	job->flags = 2;
	EXPECT_REFUSED(-EINVAL, 0, self);
	*job = good;
	job->reserved = 1;
	EXPECT_REFUSED(-EINVAL, 0, self);
	*job = good;
	job->timeout_ms = 60001;
	EXPECT_REFUSED(-EINVAL, 0, self);
	job->timeout_ms = ~0u;
	EXPECT_REFUSED(-EINVAL, 0, self);
	*job = good;
	job->bo_count = 65537;
	EXPECT_REFUSED(-EINVAL, 0, self);
	job->bo_count = ~0u;
	EXPECT_REFUSED(-EINVAL, 0, self);
	*job = good;
	job->bo_stride = 7;
	EXPECT_REFUSED(-EINVAL, 0, self);
	job->bo_stride = 4097;
	EXPECT_REFUSED(-EINVAL, 0, self);
	*job = good;
	job->bos = 8;
	EXPECT_REFUSED(-EFAULT, 0, self);
	*job = good;
	self->run.bos[1].flags = 0;
	EXPECT_REFUSED(-EINVAL, 0, self);
	self->run.bos[1].flags = 4;
	EXPECT_REFUSED(-EINVAL, 0, self);
	self->run.bos[1].flags = 3;
	self->run.bos[1].handle = 12345;
	EXPECT_REFUSED(-ENOENT, 0, self);	/* U2 */
}

TEST_F(native_submit, longest_timeout_and_buffer_listed_twice_are_fine)	/* U14 */
{
	self->run.job.timeout_ms = 60000;
	self->run.bos[JOB_INPUT] = self->run.bos[JOB_OUTPUT];
	self->run.bos[JOB_INPUT].flags = DRM_SCORIA_BO_READ;
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(native_submit, most_jobs_and_most_buffers_run)
{
	static struct drm_scoria_job_bo bos[65536];
	static struct drm_scoria_job jobs[256];

	for (size_t i = 0; i < ARRAY_SIZE(bos); i++)
		bos[i] = self->run.bos[i % JOB_N_REGIONS];
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		jobs[i] = self->run.job;
	jobs[255].bos = (uintptr_t)bos;
	jobs[255].bo_count = ARRAY_SIZE(bos);
	self->run.submit.jobs = (uintptr_t)jobs;
	self->run.submit.job_count = ARRAY_SIZE(jobs);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(native_submit, all_jobs_or_none)	/* U3 */
{
	struct drm_scoria_job jobs[3] = { self->run.job, self->run.job, self->run.job };

	self->run.submit.jobs = (uintptr_t)jobs;
	self->run.submit.job_count = 3;
	jobs[2].program = 0;
	EXPECT_REFUSED(-ENOENT, 2, self);
	jobs[2] = jobs[0];
	jobs[1].bos = 8;
	EXPECT_REFUSED(-EFAULT, 1, self);
}

TEST_F(native_submit, jobs_of_a_submit_run_in_order)
{
	enum { N = 256 };
	struct drm_scoria_job jobs[N];
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);

	for (int i = 0; i < N; i++)
		jobs[i] = self->run.job;
	self->run.submit.jobs = (uintptr_t)jobs;
	self->run.submit.job_count = N;
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	EXPECT_EQ(kicks + N, board_sum(self->board, BOARD_KICKS));
}

/* Three matmuls, each a program of its own. */
struct three {
	struct matmul matmul[3];
	struct run run[3];
	struct drm_scoria_job jobs[3];
};

static int three_create(int fd, struct three *three, uint32_t queue)
{
	for (int i = 0; i < 3; i++) {
		int program, ret = matmul_create(fd, &three->matmul[i]);

		program = ret ? ret : program_of(fd, &three->matmul[i]);
		if (program < 0)
			return program;
		run_prepare(&three->run[i], queue, program, &three->matmul[i]);
		three->jobs[i] = three->run[i].job;
	}
	three->run[0].submit.jobs = (uintptr_t)three->jobs;
	three->run[0].submit.job_count = 3;
	return 0;
}

TEST_F(native_submit, jobs_behind_one_that_failed_do_not_run)
{
	struct three three;

	ASSERT_EQ(0, three_create(self->fd, &three, 0));
	board_break(self->board, BOARD_STUCK, 1);
	three.jobs[0].timeout_ms = 50;
	ASSERT_EQ(0, run_submit(self->fd, &three.run[0]));
	/* a submit of its own behind them runs */
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(-EIO, bo_wait(self->fd, &three.matmul[0].region[JOB_OUTPUT]));
	EXPECT_EQ(-ECANCELED, bo_wait(self->fd, &three.matmul[1].region[JOB_OUTPUT]));
	EXPECT_EQ(-ECANCELED, bo_wait(self->fd, &three.matmul[2].region[JOB_OUTPUT]));
	/* again and again */
	EXPECT_EQ(-ECANCELED, bo_wait(self->fd, &three.matmul[2].region[JOB_OUTPUT]));
	EXPECT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(matmul_is_untouched(&three.matmul[i]));
	board_mend(self->board);
	ASSERT_EQ(0, run_submit(self->fd, &three.run[0]));
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(0, native_finish(self->fd, &three.matmul[i]));
		EXPECT_TRUE(matmul_is_right(&three.matmul[i]));
	}
}

TEST_F(native_submit, timeout_is_that_of_the_job)
{
	int64_t start, took;

	for (unsigned int ms = 20; ms <= 1280; ms *= 8) {
		board_break(self->board, BOARD_STUCK, 1);
		self->run.job.timeout_ms = ms;
		start = now_ns();
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
		EXPECT_EQ(-EIO, bo_wait(self->fd, &self->matmul.region[JOB_OUTPUT]));
		took = now_ns() - start;
		EXPECT_LE(ms * NS_PER_MS, took);
		/* timers of the kernel may be late by an eighth, and who waits by some more */
		EXPECT_GE((ms + ms / 8 + 200) * NS_PER_MS, took);
		board_mend(self->board);
	}
}

/* Jobs of less than a millisecond, at all places of a tick. */
TEST_F(native_submit, shortest_timeout_is_whole)
{
	board_break(self->board, BOARD_DELAY_IRQ_US, 300);
	self->run.job.timeout_ms = 1;
	for (unsigned int i = 0; i < 500; i++) {
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
		ASSERT_EQ(0, bo_wait(self->fd, &self->matmul.region[JOB_OUTPUT]));
		usleep(i % 7 * 100);
	}
}

TEST_F(native_submit, handles_of_other_files_are_unknown)
{
	int other = device_open();
	struct bo bos[12];
	int queue;

	ASSERT_LE(0, other);
	queue = queue_create(other, 0, 0);
	ASSERT_LT(0, queue);
	for (int i = 0; i < 12; i++)
		ASSERT_EQ(0, bo_create_unmapped(other, 4096, &bos[i]));
	self->run.bos[0].handle = bos[11].handle;
	EXPECT_REFUSED(-ENOENT, 0, self);
	self->run.bos[0].handle = self->matmul.region[0].handle;
	self->run.submit.queue = queue;
	EXPECT_REFUSED(-ENOENT, 1, self);
	/* the program is unknown to the other file */
	run_prepare(&self->run, 0, self->program, &self->matmul);
	EXPECT_EQ(-ENOENT, run_submit(other, &self->run));
	close(other);
}

/* Implicit fences: of native jobs for compatible ones, and the other way round. */
TEST_F(native_submit, buffers_order_jobs_of_all_ioctls)	/* U9 */
{
	struct matmul second;
	int other;

	/* the second matmul reads what the first writes */
	ASSERT_EQ(0, matmul_create(self->fd, &second));
	board_break(self->board, BOARD_DELAY_START_US, 20000);
	other = queue_create(self->fd, 0, 0);
	ASSERT_LT(0, other);
	self->run.submit.queue = other;
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	/* rocket's job writes the input of the native one */
	matmul_point(&second, JOB_OUTPUT, (uint32_t)self->matmul.region[JOB_INPUT].address);
	matmul_flush(self->fd, &second);
	second.region[JOB_OUTPUT].handle = self->matmul.region[JOB_INPUT].handle;
	ASSERT_EQ(0, matmul_submit(self->fd, &second));
	EXPECT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_INPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	EXPECT_EQ(0, memcmp(self->matmul.region[JOB_INPUT].map, job_expected,
			    sizeof(job_expected)));
}

/* Threads that make, run and destroy what the others use too. */
struct thread {
	int fd;
	struct matmul *matmul;
};

static void *churn(void *data)
{
	struct thread *thread = data;

	for (int i = 0; i < 40; i++) {
		int program = program_of(thread->fd, thread->matmul);
		int queue = queue_create(thread->fd, 0, 0);

		native_submit(thread->fd, queue, program, thread->matmul);
		/* numbers of other threads too: whatever it says, nothing may break */
		program_destroy(thread->fd, program + i % 3);
		queue_destroy(thread->fd, queue + i % 2);
		program_destroy(thread->fd, program);
		queue_destroy(thread->fd, queue);
	}
	return NULL;
}

TEST_F(native_submit, threads_may_do_everything_at_once)
{
	struct thread threads[4];
	pthread_t ids[4];

	for (int i = 0; i < 4; i++) {
		threads[i] = (struct thread) { .fd = self->fd, .matmul = &self->matmul };
		ASSERT_EQ(0, pthread_create(&ids[i], NULL, churn, &threads[i]));
	}
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	bo_wait(self->fd, &self->matmul.region[JOB_OUTPUT]);
	EXPECT_EQ(0, native_runs(self->fd, 0));
}

/*
 * Submits many jobs at once, so that it has their buffers locked for most of its time,
 * and has to pause wherever it is when it has had its share of the CPU.
 */
struct crowd {
	int fd;
	struct run run;
	struct drm_scoria_job jobs[16];
	atomic_bool stop;
	unsigned int n_jobs;
	int ret;
};

/* As sched_setattr(2) has it; few C libraries do. */
struct deadline {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static int pause_half_the_time(void)
{
	const struct deadline deadline = {
		.size = sizeof(deadline), .policy = 6 /* SCHED_DEADLINE */,
		.runtime = 5 * NS_PER_MS, .deadline = 10 * NS_PER_MS, .period = 10 * NS_PER_MS,
	};

	return syscall(SYS_sched_setattr, 0, &deadline, 0) ? -errno : 0;
}

static void *crowd_work(void *data)
{
	struct crowd *crowd = data;

	crowd->ret = pause_half_the_time();
	while (!crowd->stop && !crowd->ret) {
		crowd->ret = run_submit(crowd->fd, &crowd->run);
		if (!crowd->ret) {
			crowd->n_jobs += crowd->run.submit.job_count;
			crowd->ret = bo_wait_until(crowd->fd, crowd->run.bos[JOB_OUTPUT].handle, 0,
						   now_ns() + JOB_SECONDS * NS_PER_S);
		}
	}
	return NULL;
}

static int crowd_start(struct crowd *crowd, pthread_t *id, const struct run *run, int queue)
{
	crowd->run = *run;
	crowd->run.job.bos = (uintptr_t)crowd->run.bos;
	for (size_t i = 0; i < ARRAY_SIZE(crowd->jobs); i++)
		crowd->jobs[i] = crowd->run.job;
	crowd->run.submit.queue = queue;
	crowd->run.submit.jobs = (uintptr_t)crowd->jobs;
	crowd->run.submit.job_count = ARRAY_SIZE(crowd->jobs);
	return pthread_create(id, NULL, crowd_work, crowd);
}

/* Often enough to meet the other thread's lock. */
#define SIGNAL_US	500
#define MAX_SIGNAL_US	100000
#define SUBMITS		150
#define SUBMIT_SECONDS	4

/* Until the next signal; 0 for none. */
static volatile sig_atomic_t signal_us;

static void next_signal(void)
{
	const struct itimerval timer = { .it_value = { 0, signal_us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Later and later, for on a slow machine a submit would not get on between them. */
static void on_alarm(int number)
{
	(void)number;
	if (!signal_us)
		return;
	signal_us = signal_us < MAX_SIGNAL_US / 2 ? 2 * signal_us : MAX_SIGNAL_US;
	next_signal();
}

static int submit_among_signals(int fd, struct submission *s)
{
	int ret;

	signal_us = SIGNAL_US;
	next_signal();
	ret = submit(fd, s);
	signal_us = 0;
	next_signal();
	return ret;
}

/* Which interrupt no call for long. */
static void take_signals(void)
{
	const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
}

/*
 * Jobs of rocket's submit are queued one by one, and the call may not be begun anew
 * after the first: not for a signal that comes while a later one waits for a lock.
 */
TEST_F(native_submit, signals_make_no_job_run_twice)
{
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
	const int64_t end = now_ns() + SUBMIT_SECONDS * NS_PER_S;
	static struct crowd crowd;
	struct drm_scoria_rocket_job jobs[4];
	struct submission s;
	unsigned int n_jobs = 0;
	pthread_t id;
	sigset_t set;
	int ret = 0;

	matmul_prepare(&self->matmul, &s);
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		jobs[i] = s.job;
	s.submit.jobs = (uintptr_t)jobs;
	s.submit.job_count = ARRAY_SIZE(jobs);
	crowd = (struct crowd) { .fd = self->fd };
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ASSERT_EQ(0, crowd_start(&crowd, &id, &self->run, queue_create(self->fd, 0, 0)));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	take_signals();
	for (int i = 0; i < SUBMITS && now_ns() < end && !ret; i++) {
		ret = submit_among_signals(self->fd, &s);
		n_jobs += ret ? 0 : s.submit.job_count;
	}
	crowd.stop = true;
	pthread_join(id, NULL);
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, crowd.ret);
	EXPECT_EQ(0, bo_wait(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_EQ(n_jobs + crowd.n_jobs, board_sum(self->board, BOARD_KICKS) - kicks);
}

TEST_HARNESS_MAIN
