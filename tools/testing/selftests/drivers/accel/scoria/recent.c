// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of rocket's interface that come again, which the driver knows by their words: they
 * have to do what their words say now, and keep nothing that was given back.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "dmabuf.h"
#include "scoria_test.h"

#define RACERS		3
#define RACE_MS		1200
#define MANY_BYTES	0x200000	/* of jobs, and so many times again */
#define MANY_TIMES	32
#define JOB_WORDS	8192
#define N_JOBS		100	/* of so many words, more than it remembers */
#define PATIENCE_MS	2000	/* a job lets go of its buffers some time after it has ended */

FIXTURE(recent) {
	int fd;
	struct matmul matmul;
};

FIXTURE_SETUP(recent)
{
	DEVICE_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
}

FIXTURE_TEARDOWN(recent)
{
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

/* Run @s over an output of @matmul full of sentinels; 0, or -errno. */
static int run_submission(int fd, struct matmul *matmul, struct submission *s)
{
	int ret;

	memset(matmul->region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
	ret = matmul_flush(fd, matmul);
	if (!ret)
		ret = submit(fd, s);
	return ret ? ret : bo_prep(fd, &matmul->region[JOB_OUTPUT]);
}

static int run(int fd, struct matmul *matmul)
{
	struct submission s;

	matmul_prepare(matmul, &s);
	return run_submission(fd, matmul, &s);
}

static bool computes(int fd, struct matmul *matmul)
{
	return !run(fd, matmul) && matmul_is_right(matmul);
}

/* Submit until that gives @error, which it will when no job has the buffers any more. */
static bool is_refused(int fd, struct submission *s, int error)
{
	for (int i = 0; i < PATIENCE_MS; i++) {
		if (submit(fd, s) == error)
			return true;
		sleep_ms(1);
	}
	return false;
}

/* A new buffer in the place of @bo, which was closed: the first gap, once nobody has it. */
static bool takes_the_place(int fd, struct bo *bo)
{
	const uint64_t address = bo->address;

	for (int i = 0; i < PATIENCE_MS; i++) {
		if (bo_create(fd, MATMUL_BO_BYTES, bo))
			return false;
		if (bo->address == address)
			return true;
		bo_close(fd, bo);
		sleep_ms(1);
	}
	return false;
}

TEST_F(recent, job_that_comes_again_computes_on_what_the_buffers_hold_then)
{
	uint8_t *input = self->matmul.region[JOB_INPUT].map;

	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(computes(self->fd, &self->matmul));
	memset(input, 0, sizeof(job_input));
	ASSERT_EQ(0, run(self->fd, &self->matmul));
	for (size_t i = 0; i < sizeof(job_expected); i++)
		ASSERT_EQ(0, self->matmul.region[JOB_OUTPUT].map[i]);
	memcpy(input, job_input, sizeof(job_input));
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

TEST_F(recent, word_that_changed_counts)
{
	struct bo other;

	ASSERT_EQ(0, bo_create(self->fd, MATMUL_BO_BYTES, &other));
	EXPECT_TRUE(computes(self->fd, &self->matmul));
	matmul_point(&self->matmul, JOB_OUTPUT, (uint32_t)other.address);
	ASSERT_EQ(0, run(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_untouched(&self->matmul));
	EXPECT_EQ(0, memcmp(other.map, job_expected, sizeof(job_expected)));
	matmul_point(&self->matmul, JOB_OUTPUT,
		     (uint32_t)self->matmul.region[JOB_OUTPUT].address);
	EXPECT_TRUE(computes(self->fd, &self->matmul));
	bo_close(self->fd, &other);
}

TEST_F(recent, every_word_is_compared)
{
	uint64_t *words = matmul_words(&self->matmul);

	for (size_t i = 0; i < ARRAY_SIZE(job_words); i++) {
		const uint64_t word = words[i];

		ASSERT_TRUE(computes(self->fd, &self->matmul));
		/* the registers of the IOMMU, which no stream may reach */
		words[i] = 0x0201ull << 48 | 0x9000;
		EXPECT_EQ(-EINVAL, run(self->fd, &self->matmul)) {
			TH_LOG("word %zu", i);
		}
		words[i] = word;
	}
}

TEST_F(recent, task_that_is_shorter_is_another)
{
	struct submission s;

	EXPECT_TRUE(computes(self->fd, &self->matmul));
	matmul_prepare(&self->matmul, &s);
	s.task.regcmd_count--;
	EXPECT_EQ(-EINVAL, submit(self->fd, &s));
	s.task.regcmd_count = ARRAY_SIZE(job_words);
	s.job.task_count = 2;
	s.job.tasks = (uintptr_t)(struct drm_scoria_rocket_task[]){ s.task, { 0, 1 } };
	EXPECT_EQ(-EINVAL, submit(self->fd, &s));
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

TEST_F(recent, buffer_that_is_closed_is_given_back)
{
	struct bo *output = &self->matmul.region[JOB_OUTPUT];

	EXPECT_TRUE(computes(self->fd, &self->matmul));
	bo_close(self->fd, output);
	ASSERT_TRUE(takes_the_place(self->fd, output));
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

TEST_F(recent, address_of_a_closed_buffer_is_refused)
{
	struct bo *weights = &self->matmul.region[JOB_WEIGHTS];
	struct submission s;

	EXPECT_TRUE(computes(self->fd, &self->matmul));
	bo_close(self->fd, weights);
	matmul_prepare(&self->matmul, &s);
	s.job.in_bo_handle_count = 2;	/* without the handle of the weights */
	EXPECT_TRUE(is_refused(self->fd, &s, -EINVAL));
	ASSERT_TRUE(takes_the_place(self->fd, weights));
	memcpy(weights->map, job_weights, sizeof(job_weights));
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

TEST_F(recent, commands_that_are_closed_are_gone)
{
	struct bo *commands = &self->matmul.commands;
	struct submission s;

	EXPECT_TRUE(computes(self->fd, &self->matmul));
	bo_close(self->fd, commands);
	matmul_prepare(&self->matmul, &s);
	s.in[0] = s.in[1];
	EXPECT_TRUE(is_refused(self->fd, &s, -EINVAL));
	ASSERT_TRUE(takes_the_place(self->fd, commands));
	EXPECT_EQ(-EINVAL, matmul_submit(self->fd, &self->matmul));
	matmul_fill(&self->matmul);
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

TEST_F(recent, files_do_not_share)
{
	const int other = device_reopen(self->fd);

	ASSERT_LE(0, other);
	EXPECT_TRUE(computes(self->fd, &self->matmul));
	/* the same addresses are nothing there */
	EXPECT_EQ(-EINVAL, matmul_submit(other, &self->matmul));
	EXPECT_EQ(0, matmul_runs(other));
	close(other);
}

/* Each job's words are at another place: words that do nothing, and the matmul. */
TEST_F(recent, jobs_beyond_memory_compute)
{
	const size_t lead = JOB_WORDS - ARRAY_SIZE(job_words);
	struct matmul *matmul = &self->matmul;
	struct submission s;
	struct bo many;

	ASSERT_EQ(0, bo_create(self->fd, N_JOBS * JOB_WORDS * sizeof(uint64_t), &many));
	matmul_prepare(matmul, &s);
	s.in[0] = many.handle;
	s.task.regcmd_count = JOB_WORDS;
	for (int i = 0; i < N_JOBS; i++) {
		const size_t first = i * JOB_WORDS * sizeof(uint64_t);

		memcpy(many.map + first + lead * sizeof(uint64_t), matmul->commands.map,
		       sizeof(job_words));
		s.task.regcmd = (uint32_t)(many.address + first);
		ASSERT_EQ(0, run_submission(self->fd, matmul, &s));
		ASSERT_TRUE(matmul_is_right(matmul));
	}
	EXPECT_TRUE(computes(self->fd, matmul));
	bo_close(self->fd, &many);
}

/* As many tasks as are remembered, when they come again, and more. */
TEST_F(recent, jobs_about_the_limit_compute)
{
	static const uint32_t sizes[] = { 4290, 4290, 4370 };
	static struct drm_scoria_rocket_task tasks[4370];
	struct matmul *matmul = &self->matmul;
	struct submission s;

	matmul_prepare(matmul, &s);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = s.task;
	s.job.tasks = (uintptr_t)tasks;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		s.job.task_count = sizes[i];
		ASSERT_EQ(0, run_submission(self->fd, matmul, &s));
		ASSERT_TRUE(matmul_is_right(matmul));
	}
	EXPECT_TRUE(computes(self->fd, matmul));
}

/* Jobs of one thread, whose words another thread changes: it computes or gives zeros. */
struct racer {
	int fd;
	int64_t end;
	struct matmul matmul;
	struct bo zeros;		/* other weights */
	uint64_t versions[2];
	uint64_t *word;			/* the one that differs */
	unsigned int results[3];	/* of each version, and of neither */
};

static const uint8_t zeros[sizeof(job_expected)];

static unsigned int result_of(const struct matmul *matmul)
{
	const uint8_t *out = matmul->region[JOB_OUTPUT].map;

	if (matmul_is_right(matmul))
		return 0;
	for (size_t i = sizeof(zeros); i < MATMUL_BO_BYTES; i++)
		if (out[i] != SENTINEL)
			return 2;
	return memcmp(out, zeros, sizeof(zeros)) ? 2 : 1;
}

static int racer_create(struct racer *racer, int fd, int64_t end)
{
	struct matmul *matmul = &racer->matmul;
	int ret;

	*racer = (struct racer) { .fd = fd, .end = end };
	ret = matmul_create(fd, matmul);
	if (!ret)
		ret = bo_create(fd, MATMUL_BO_BYTES, &racer->zeros);
	for (size_t i = 0; i < ARRAY_SIZE(job_addresses); i++)
		if (job_addresses[i].region == JOB_WEIGHTS)
			racer->word = &matmul_words(matmul)[job_addresses[i].word];
	if (ret || !racer->word)
		return -1;
	racer->versions[0] = *racer->word;
	matmul_point(matmul, JOB_WEIGHTS, (uint32_t)racer->zeros.address);
	racer->versions[1] = *racer->word;
	return 0;
}

static void racer_destroy(struct racer *racer)
{
	matmul_destroy(racer->fd, &racer->matmul);
	bo_close(racer->fd, &racer->zeros);
}

static void *race(void *data)
{
	struct racer *racer = data;

	while (now_ns() < racer->end)
		racer->results[run(racer->fd, &racer->matmul) ? 2 : result_of(&racer->matmul)]++;
	return NULL;
}

static void *rewrite(void *data)
{
	struct racer *racers = data;

	for (unsigned int i = 0; now_ns() < racers[0].end; i++) {
		for (int r = 0; r < RACERS; r++)
			__atomic_store_n(racers[r].word, racers[r].versions[i / (r + 1) % 2],
					 __ATOMIC_RELAXED);
		usleep(i % 64 * 16);
	}
	return NULL;
}

/* Buffers that come, are in jobs that are remembered, and go, some by another way in. */
static void *come_and_go(void *data)
{
	struct racer *racer = data;

	while (now_ns() < racer->end) {
		struct matmul matmul;
		uint32_t handle;
		int buf;

		if (matmul_create(racer->fd, &matmul))
			continue;
		matmul_submit(racer->fd, &matmul);
		buf = handle_export(racer->fd, matmul.region[JOB_OUTPUT].handle);
		matmul_submit(racer->fd, &matmul);
		matmul_destroy(racer->fd, &matmul);
		/* the job may still have it in this address space */
		if (!handle_import(racer->fd, buf, &handle))
			bo_close(racer->fd, &(struct bo) { .handle = handle });
		close(buf);
	}
	return NULL;
}

TEST_F(recent, words_that_change_meanwhile_run_as_they_were_at_one_time)
{
	const int64_t end = now_ns() + RACE_MS * NS_PER_MS;
	struct racer racers[RACERS];
	pthread_t threads[RACERS + 2];

	for (int i = 0; i < RACERS; i++)
		ASSERT_EQ(0, racer_create(&racers[i], self->fd, end));
	for (int i = 0; i < RACERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, race, &racers[i]));
	ASSERT_EQ(0, pthread_create(&threads[RACERS], NULL, rewrite, racers));
	ASSERT_EQ(0, pthread_create(&threads[RACERS + 1], NULL, come_and_go, racers));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < RACERS; i++) {
		TH_LOG("%u jobs of one version, %u of the other", racers[i].results[0],
		       racers[i].results[1]);
		EXPECT_LT(0, racers[i].results[0]);
		EXPECT_LT(0, racers[i].results[1]);
		EXPECT_EQ(0, racers[i].results[2]);
		*racers[i].word = racers[i].versions[0];
		EXPECT_TRUE(computes(self->fd, &racers[i].matmul));
		racer_destroy(&racers[i]);
	}
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

/* An array of as many jobs as the kernel needs minutes for; NULL without. */
static void *many_jobs(const struct drm_scoria_rocket_job *job, uint32_t *n)
{
	const size_t size = (size_t)MANY_BYTES * MANY_TIMES;
	int file = memfd_create("jobs", MFD_CLOEXEC);
	uint8_t *area = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (file < 0 || area == MAP_FAILED || ftruncate(file, MANY_BYTES))
		return NULL;
	for (size_t at = 0; at < size; at += MANY_BYTES)
		if (mmap(area + at, MANY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 file, 0) == MAP_FAILED)
			return NULL;
	close(file);
	for (size_t i = 0; i < MANY_BYTES / sizeof(*job); i++)
		((struct drm_scoria_rocket_job *)area)[i] = *job;
	*n = (uint32_t)(size / sizeof(*job));
	return area;
}

TEST_F(recent, submit_without_end_can_be_killed)
{
	pid_t child, ended = 0;
	struct submission s;

	EXPECT_TRUE(computes(self->fd, &self->matmul));
	matmul_prepare(&self->matmul, &s);
	s.submit.jobs = (uintptr_t)many_jobs(&s.job, &s.submit.job_count);
	ASSERT_NE(0, s.submit.jobs);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(submit(self->fd, &s) ? 1 : 0);
	sleep_ms(100);
	ASSERT_EQ(0, waitpid(child, NULL, WNOHANG));
	kill(child, SIGKILL);
	for (int i = 0; i < PATIENCE_MS && !ended; i++) {
		ended = waitpid(child, NULL, WNOHANG);
		sleep_ms(1);
	}
	EXPECT_EQ(child, ended);
	EXPECT_TRUE(computes(self->fd, &self->matmul));
}

TEST_HARNESS_MAIN
