// SPDX-License-Identifier: GPL-2.0-only
/* PROGRAM_CREATE and PROGRAM_DESTROY: what is refused and why, and what a program keeps. */
#include "native_test.h"

FIXTURE(native_program) {
	int fd;
	struct matmul matmul;
	struct drm_scoria_task task;
	struct drm_scoria_program_create args;
};

FIXTURE_SETUP(native_program)
{
	DEVICE_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	self->task = (struct drm_scoria_task) {
		.words = (uintptr_t)matmul_words(&self->matmul), .word_count = NO_WORDS,
	};
	self->args = (struct drm_scoria_program_create) {
		.tasks = (uintptr_t)&self->task, .task_count = 1,
		.task_stride = sizeof(self->task),
	};
}

FIXTURE_TEARDOWN(native_program)
{
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

static int call(int fd, struct drm_scoria_program_create *args)
{
	return drm_call(fd, DRM_IOCTL_SCORIA_PROGRAM_CREATE, args);
}

/* Refused with @error and without a reason; good programs still run. */
#define EXPECT_REFUSED(error, self) do {				\
	EXPECT_EQ(error, call((self)->fd, &(self)->args));		\
	EXPECT_EQ(DRM_SCORIA_REASON_NONE, (self)->args.reason);		\
	EXPECT_EQ(0, (self)->args.program);				\
	EXPECT_EQ(0, native_runs((self)->fd, 0));			\
} while (0)

/* Refused for @reason_ at command @word_. */
#define EXPECT_REASON(reason_, word_, self) do {			\
	EXPECT_EQ(-EINVAL, call((self)->fd, &(self)->args));		\
	EXPECT_EQ(DRM_SCORIA_REASON_##reason_, (self)->args.reason);	\
	EXPECT_EQ(word_, (self)->args.refused_word);			\
	EXPECT_EQ(0, (self)->args.program);				\
	EXPECT_EQ(0, native_runs((self)->fd, 0));			\
} while (0)

TEST_F(native_program, runs_many_times)
{
	int program = program_of(self->fd, &self->matmul);

	ASSERT_LT(0, program);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, matmul_reset(self->fd, &self->matmul));
		ASSERT_EQ(0, native_submit(self->fd, 0, program, &self->matmul));
		ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
		ASSERT_TRUE(matmul_is_right(&self->matmul));
	}
	EXPECT_EQ(0, program_destroy(self->fd, program));
	EXPECT_EQ(-ENOENT, native_submit(self->fd, 0, program, &self->matmul));
	EXPECT_EQ(-ENOENT, program_destroy(self->fd, program));
}

TEST_F(native_program, commands_may_change_afterwards)
{
	int program = program_of(self->fd, &self->matmul);

	ASSERT_LT(0, program);
	memset(matmul_words(&self->matmul), 0xff, sizeof(job_words));
	bo_close(self->fd, &self->matmul.commands);
	self->matmul.commands.map = NULL;
	ASSERT_EQ(0, native_submit(self->fd, 0, program, &self->matmul));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(native_program, counts_and_strides_have_their_limits)
{
	static const uint32_t bad_counts[] = { 0, 65537, 1u << 31, ~0u };
	static const uint32_t bad_strides[] = { 0, 8, 15, 4097, 1u << 31, ~0u };

	for (size_t i = 0; i < ARRAY_SIZE(bad_counts); i++) {
		self->args.task_count = bad_counts[i];
		EXPECT_REFUSED(-EINVAL, self);
	}
	self->args.task_count = 1;
	for (size_t i = 0; i < ARRAY_SIZE(bad_strides); i++) {
		self->args.task_stride = bad_strides[i];
		EXPECT_REFUSED(-EINVAL, self);
	}
	self->args.task_stride = 16;
	self->args.flags = 1;
	EXPECT_REFUSED(-EINVAL, self);
	self->args.flags = 0;
	self->args.tasks = 0;
	EXPECT_REFUSED(-EFAULT, self);
	self->args.tasks = ~0ull - 8;
	EXPECT_REFUSED(-EFAULT, self);
}

TEST_F(native_program, words_have_their_limits)
{
	static const uint32_t bad_counts[] = { 0, 131061, 1u << 31, ~0u };

	for (size_t i = 0; i < ARRAY_SIZE(bad_counts); i++) {
		self->task.word_count = bad_counts[i];
		EXPECT_REFUSED(-EINVAL, self);
	}
	self->task.word_count = NO_WORDS;
	self->task.flags = 1;
	EXPECT_REFUSED(-EINVAL, self);
	self->task.flags = 0;
	self->task.words = 0;
	EXPECT_REFUSED(-EFAULT, self);
	self->task.words = ~0ull - 7;
	EXPECT_REFUSED(-EFAULT, self);
}

TEST_F(native_program, longest_task_runs)	/* R1 */
{
	uint64_t *words = calloc(131060, sizeof(*words));
	int program;

	ASSERT_NE(NULL, words);
	/* writes of a register that the task sets anyway, so that none is dropped */
	for (uint32_t i = 0; i < 131060; i++)
		words[i] = job_words[1];
	memcpy(words + 131060 - NO_WORDS, matmul_words(&self->matmul), sizeof(job_words));
	self->task.words = (uintptr_t)words;
	self->task.word_count = 131060;
	ASSERT_EQ(0, call(self->fd, &self->args));
	program = self->args.program;
	ASSERT_EQ(0, native_submit(self->fd, 0, program, &self->matmul));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	free(words);
}

TEST_F(native_program, tasks_may_be_apart_and_must_end_in_zeros)
{
	struct {
		struct drm_scoria_task task;
		uint64_t more;
	} tasks[2] = { { self->task, 0 }, { self->task, 0 } };

	self->args.tasks = (uintptr_t)tasks;
	self->args.task_count = 2;
	self->args.task_stride = sizeof(tasks[0]);
	EXPECT_EQ(0, call(self->fd, &self->args));
	tasks[1].more = 1;
	EXPECT_REFUSED(-E2BIG, self);
	EXPECT_EQ(1, self->args.refused_task);
}

TEST_F(native_program, refusal_names_task_word_and_reason)
{
	uint64_t *words = matmul_words(&self->matmul), good = words[5];
	struct drm_scoria_task tasks[3] = { self->task, self->task, self->task };
	uint64_t bad[NO_WORDS];

	/* the IOMMU, reached from the second task's word 5 */
	memcpy(bad, words, sizeof(bad));
	bad[5] = 0x0201ull << 48 | 0x1234ull << 16 | 0x9000;
	tasks[1].words = (uintptr_t)bad;
	self->args.tasks = (uintptr_t)tasks;
	self->args.task_count = 3;
	EXPECT_REASON(OUTSIDE_BLOCK, 5, self);
	EXPECT_EQ(1, self->args.refused_task);
	EXPECT_EQ(0x1234, self->args.refused_value);
	bad[5] = good;
	EXPECT_EQ(0, call(self->fd, &self->args));
	EXPECT_EQ(DRM_SCORIA_REASON_NONE, self->args.reason);
}

TEST_F(native_program, every_reason_is_given)
{
	uint64_t *words = matmul_words(&self->matmul), good = words[5];
	const uint32_t enable = NO_WORDS - 1;

	words[5] = 0x0301ull << 48 | 0x100c;
	EXPECT_REASON(TARGET, 5, self);
	words[5] = 0x0201ull << 48 | 0x1ffc;
	EXPECT_REASON(NO_REGISTER, 5, self);
	words[5] = 0x1001ull << 48 | 0x4000;
	EXPECT_REASON(READ_ONLY, 5, self);
	words[5] = 0x0101ull << 48 | 0x0020;
	EXPECT_REASON(HOST_ONLY, 5, self);
	words[5] = 0x0101ull << 48 | 0x0010;
	EXPECT_REASON(AFTER_TRAILER, 6, self);
	words[5] = good;
	words[enable] = 0x0081ull << 48 | 0x0dull << 16 | 0x9000;
	EXPECT_REASON(ENABLE_OFFSET, enable, self);
	words[enable] = 0x0081ull << 48 | 0x80ull << 16 | 0x0008;
	EXPECT_REASON(ENABLE_MASK, enable, self);
	words[enable] = 0;
	EXPECT_REASON(NO_ENABLE, NO_WORDS, self);
	words[enable] = 0x0081ull << 48 | 0x05ull << 16 | 0x0008;
	EXPECT_REASON(NO_END, enable, self);
	EXPECT_EQ(0x05, self->args.refused_value);
	words[enable] = job_words[enable];
	EXPECT_EQ(0, call(self->fd, &self->args));
}

/* The word that writes the address of a region. */
static uint32_t address_word(enum job_region region)
{
	for (size_t i = 0; i < ARRAY_SIZE(job_addresses); i++)
		if (job_addresses[i].region == region)
			return job_addresses[i].word;
	return ~0u;
}

TEST_F(native_program, addresses_outside_the_buffers_are_refused)	/* U11 */
{
	const struct bo *out = &self->matmul.region[JOB_OUTPUT];
	struct bo last;

	matmul_point(&self->matmul, JOB_INPUT, 0xfffff000);
	EXPECT_REASON(ADDRESS, address_word(JOB_INPUT), self);
	EXPECT_EQ(0xfffff000, self->args.refused_value);
	/* the kernel's own commands */
	matmul_point(&self->matmul, JOB_INPUT, 0xf0000000);
	EXPECT_REASON(ADDRESS, address_word(JOB_INPUT), self);
	matmul_point(&self->matmul, JOB_INPUT, (uint32_t)self->matmul.region[JOB_INPUT].address);
	/* one unit of 16 bytes less than one surface of the output */
	matmul_point(&self->matmul, JOB_OUTPUT, (uint32_t)out->address + MATMUL_BO_BYTES - 112);
	EXPECT_REASON(EXTENT, address_word(JOB_OUTPUT), self);
	matmul_point(&self->matmul, JOB_OUTPUT, (uint32_t)out->address);
	/* a buffer that is gone */
	ASSERT_EQ(0, bo_create_unmapped(self->fd, 1 << 20, &last));
	matmul_point(&self->matmul, JOB_WEIGHTS, (uint32_t)last.address + 0xff000);
	EXPECT_EQ(0, call(self->fd, &self->args));
	EXPECT_EQ(0, program_destroy(self->fd, self->args.program));
	bo_close(self->fd, &last);
	EXPECT_REASON(ADDRESS, address_word(JOB_WEIGHTS), self);
}

TEST_F(native_program, buffers_stay_as_long_as_the_program)
{
	int program = program_of(self->fd, &self->matmul);
	struct run run;
	struct bo more;

	ASSERT_LT(0, program);
	run_prepare(&run, 0, program, &self->matmul);
	run.job.bo_count = 1;
	run.bos[0] = run.bos[JOB_OUTPUT];
	/* input and weights have no handle any more, and nobody gets their addresses */
	for (int i = JOB_INPUT; i <= JOB_WEIGHTS; i++) {
		bo_close(self->fd, &self->matmul.region[i]);
		ASSERT_EQ(0, bo_create_unmapped(self->fd, MATMUL_BO_BYTES, &more));
		EXPECT_NE(self->matmul.region[JOB_INPUT].address, more.address);
		EXPECT_NE(self->matmul.region[JOB_WEIGHTS].address, more.address);
		self->matmul.region[i].map = NULL;
	}
	ASSERT_EQ(0, run_submit(self->fd, &run));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	EXPECT_EQ(0, program_destroy(self->fd, program));
}

TEST_F(native_program, destroyed_in_flight_runs_to_its_end)
{
	volatile uint32_t *board = board_open();
	int program = program_of(self->fd, &self->matmul);

	if (!board)
		SKIP(return, "not on the test board");
	ASSERT_LT(0, program);
	board_break(board, BOARD_DELAY_START_US, 20000);
	ASSERT_EQ(0, native_submit(self->fd, 0, program, &self->matmul));
	EXPECT_EQ(0, program_destroy(self->fd, program));
	/* what comes into its place must not disturb it */
	for (int i = 0; i < 50; i++)
		ASSERT_LT(0, program_of(self->fd, &self->matmul));
	ASSERT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	board_mend(board);
}

TEST_F(native_program, numbers_are_of_the_file_and_do_not_come_again)
{
	int other = device_open();
	int first = program_of(self->fd, &self->matmul), second;
	struct drm_scoria_program_destroy bad = { .program = first, .reserved = 1 };

	ASSERT_LT(0, first);
	EXPECT_EQ(-ENOENT, program_destroy(other, first));
	EXPECT_EQ(-EINVAL, drm_call(self->fd, DRM_IOCTL_SCORIA_PROGRAM_DESTROY, &bad));
	EXPECT_EQ(0, program_destroy(self->fd, first));
	second = program_of(self->fd, &self->matmul);
	EXPECT_LT(0, second);
	EXPECT_NE(first, second);
	EXPECT_EQ(-ENOENT, program_destroy(self->fd, 0));
	EXPECT_EQ(-ENOENT, program_destroy(self->fd, ~0u));
	close(other);
}

TEST_F(native_program, room_for_commands_has_its_end)
{
	enum { N_TASKS = 300 };
	struct drm_scoria_task tasks[N_TASKS];
	uint64_t *words = calloc(131060, sizeof(*words));

	/* 300 MiB, where there are 256 */
	ASSERT_NE(NULL, words);
	for (int i = 0; i < N_TASKS; i++)
		tasks[i] = (struct drm_scoria_task) {
			.words = (uintptr_t)words, .word_count = 131060,
		};
	self->args.tasks = (uintptr_t)tasks;
	self->args.task_count = N_TASKS;
	EXPECT_REFUSED(-ENOSPC, self);
	free(words);
}

TEST_HARNESS_MAIN
