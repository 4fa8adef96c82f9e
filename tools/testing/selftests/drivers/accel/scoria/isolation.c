// SPDX-License-Identifier: GPL-2.0-only
/* Processes beside each other, and processes that go away. */
#include <signal.h>
#include <sys/wait.h>

#include "scoria_test.h"

FIXTURE(isolation) {
	int fd;
	volatile uint32_t *board;
};

FIXTURE_SETUP(isolation)
{
	BOARD_SETUP(self);
}

FIXTURE_TEARDOWN(isolation)
{
	board_mend(self->board);
	close(self->fd);
}

/*
 * Patterns whose results are known from the one job: one row of the input, and
 * with it one row of the output, is zero. Both lie in surfaces of 8 rows of 16
 * bytes (programming-model D1, D5).
 */
#define ROWS		8
#define UNIT_BYTES	16

static void pattern_apply(struct matmul *matmul, unsigned int row)
{
	uint8_t *input = matmul->region[JOB_INPUT].map;

	for (size_t at = row * UNIT_BYTES; at < sizeof(job_input); at += ROWS * UNIT_BYTES)
		memset(input + at, 0, UNIT_BYTES);
}

static bool pattern_is_right(const struct matmul *matmul, unsigned int row)
{
	static const uint8_t zeros[UNIT_BYTES];
	const uint8_t *out = matmul->region[JOB_OUTPUT].map;

	for (size_t unit = 0; unit < sizeof(job_expected) / UNIT_BYTES; unit++) {
		const uint8_t *expected = unit % ROWS == row ? zeros :
					  job_expected + unit * UNIT_BYTES;

		if (memcmp(out + unit * UNIT_BYTES, expected, UNIT_BYTES))
			return false;
	}
	return true;
}

static int pattern_process(unsigned int row, int rounds)
{
	int fd = device_open();
	struct matmul matmul;

	if (fd < 0 || matmul_create(fd, &matmul))
		return 1;
	pattern_apply(&matmul, row);
	for (int i = 0; i < rounds; i++) {
		memset(matmul.region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
		if (matmul_flush(fd, &matmul) || matmul_submit(fd, &matmul) ||
		    bo_prep(fd, &matmul.region[JOB_OUTPUT]))
			return 2;
		if (!pattern_is_right(&matmul, row))
			return 3;
	}
	return 0;
}

TEST_F(isolation, processes_see_their_own_data)	/* M4 */
{
	pid_t children[6];
	int status;

	for (int i = 0; i < 6; i++) {
		children[i] = fork();
		ASSERT_LE(0, children[i]);
		if (!children[i])
			_exit(pattern_process((unsigned int)i, 10));
	}
	for (int i = 0; i < 6; i++) {
		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(0, WEXITSTATUS(status));
	}
}

TEST_F(isolation, address_of_another_file_is_refused)
{
	int other = device_open();
	struct matmul victim, attacker;
	struct bo far;

	/* an address that the victim has and the attacker has not */
	ASSERT_EQ(0, matmul_create(other, &victim));
	ASSERT_EQ(0, bo_create_unmapped(other, 64 << 20, &far));
	ASSERT_EQ(0, matmul_create(self->fd, &attacker));
	matmul_point(&attacker, JOB_OUTPUT, (uint32_t)far.address + (63 << 20));
	bo_fini(self->fd, &attacker.commands);
	EXPECT_EQ(-EINVAL, matmul_submit(self->fd, &attacker));
	EXPECT_EQ(0, matmul_runs(self->fd));
	EXPECT_EQ(0, matmul_runs(other));
	matmul_destroy(self->fd, &attacker);
	close(other);
}

TEST_F(isolation, handle_of_another_file_is_unknown)
{
	int other = device_open();
	struct bo bos[8];

	for (int i = 0; i < 8; i++)
		ASSERT_EQ(0, bo_create_unmapped(other, 4096, &bos[i]));
	EXPECT_EQ(-ENOENT, bo_prep(self->fd, &bos[7]));
	close(other);
}

#define CBUF_CON0	(0x0201ull << 48 | 0x1040)	/* target and offset */
#define DATA_REUSE	(1ull << (16 + 12))
#define WEIGHT_REUSE	(1ull << (16 + 13))

static void set_reuse(struct matmul *matmul, uint64_t bits)
{
	uint64_t *words = matmul_words(matmul);

	for (size_t i = 0; i < ARRAY_SIZE(job_words); i++)
		if ((words[i] & 0xffff00000000ffffull) == CBUF_CON0)
			words[i] |= bits;
}

/*
 * CBUF keeps what a job has put there. A later job, whose own input is zero, must
 * not compute from it.
 */
TEST_F(isolation, job_reuses_nothing_of_another_one)
{
	static const struct {
		enum job_region region;
		uint64_t bit;
	} sides[] = { { JOB_INPUT, DATA_REUSE }, { JOB_WEIGHTS, WEIGHT_REUSE } };
	static const uint8_t zeros[sizeof(job_expected)];

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		struct matmul thief;

		ASSERT_EQ(0, matmul_create(self->fd, &thief));
		memset(thief.region[sides[i].region].map, 0, MATMUL_BO_BYTES);
		set_reuse(&thief, sides[i].bit);
		ASSERT_EQ(0, matmul_flush(self->fd, &thief));
		ASSERT_EQ(0, matmul_runs(self->fd));
		ASSERT_EQ(0, matmul_submit(self->fd, &thief));
		EXPECT_EQ(0, bo_prep(self->fd, &thief.region[JOB_OUTPUT]));
		EXPECT_EQ(0, memcmp(thief.region[JOB_OUTPUT].map, zeros, sizeof(zeros)));
		matmul_destroy(self->fd, &thief);
	}
}

TEST_F(isolation, file_may_be_closed_with_jobs_in_flight)	/* U4 */
{
	board_break(self->board, BOARD_DELAY_START_US, 2000);
	for (int i = 0; i < 30; i++) {
		int fd = device_open();
		struct matmul matmul;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, matmul_create(fd, &matmul));
		for (int job = 0; job < 4; job++)
			ASSERT_EQ(0, matmul_submit(fd, &matmul));
		close(fd);
		for (int region = 0; region < JOB_N_REGIONS; region++)
			munmap(matmul.region[region].map, MATMUL_BO_BYTES);
		munmap(matmul.commands.map, MATMUL_BO_BYTES);
	}
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(isolation, killed_process_leaves_nothing_behind)	/* H13 */
{
	board_break(self->board, BOARD_DELAY_START_US, 5000);
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		int status;

		ASSERT_LE(0, child);
		if (!child)
			_exit(pattern_process(0, 1000));
		sleep_ms(7);
		kill(child, SIGKILL);
		ASSERT_EQ(child, waitpid(child, &status, 0));
	}
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(isolation, thousand_files_leak_nothing)	/* U4, U15; kmemleak judges */
{
	for (int i = 0; i < 1000; i++) {
		int fd = device_open();
		struct bo bo;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, bo_create_unmapped(fd, 4096, &bo));
		if (i % 50 == 0)
			ASSERT_EQ(0, matmul_runs(fd));
		close(fd);
	}
}

TEST_HARNESS_MAIN
