// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of rocket's interface that come again, which the driver knows by their words: they
 * have to do what their words say now, and keep nothing that was given back.
 */
#include "scoria_test.h"

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

/* Run the matmul over an output full of sentinels; 0, or -errno. */
static int run(int fd, struct matmul *matmul)
{
	int ret;

	memset(matmul->region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
	ret = matmul_flush(fd, matmul);
	if (!ret)
		ret = matmul_submit(fd, matmul);
	return ret ? ret : bo_prep(fd, &matmul->region[JOB_OUTPUT]);
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
		ASSERT_EQ(0, submit(self->fd, &s));
		ASSERT_EQ(0, bo_prep(self->fd, &matmul->region[JOB_OUTPUT]));
		ASSERT_TRUE(matmul_is_right(matmul));
		memset(matmul->region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
		ASSERT_EQ(0, bo_fini(self->fd, &matmul->region[JOB_OUTPUT]));
	}
	EXPECT_TRUE(computes(self->fd, matmul));
	bo_close(self->fd, &many);
}

TEST_HARNESS_MAIN
