// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a process makes the kernel allocate counts for its memory cgroup. Each test
 * compares what the system's slabs grew by with what the group is charged for. Needs root.
 */
#include <sys/mount.h>
#include <sys/stat.h>

#include "native_test.h"
#include "sysfs.h"

#define ROOT		"/tmp/scoria-cgroup"
#define GROUP		ROOT "/test"
#define N_PROGRAMS	4000
#define N_JOBS		20000	/* of one word, 64 words apart */
#define JOBS_BYTES	0x1000000	/* far less than so many jobs take */
#define N_QUEUES	60	/* less than a file may have */
#define N_FILES		200
#define CALM_MS		200	/* what was freed before is gone then */
#define N_BUFFERS	64
#define BUFFER_BYTES	0x100000
#define MOST		75	/* per cent: files cost DRM some, and others free and allocate */

FIXTURE(memory) {
	int fd;
	struct matmul matmul;
};

/* A process that its group is too small for is nobody's test here: it has no limit. */
static bool enter_group(void)
{
	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL) && errno != EBUSY)
		return false;
	if (write_text(ROOT "/cgroup.subtree_control", "+memory"))
		return false;
	mkdir(GROUP, 0755);
	return !write_text(GROUP "/cgroup.procs", "0");
}

FIXTURE_SETUP(memory)
{
	DEVICE_SETUP(self);
	if (!enter_group())
		SKIP(return, "no memory cgroups");
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
}

FIXTURE_TEARDOWN(memory)
{
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
	write_text(ROOT "/cgroup.procs", "0");
	rmdir(GROUP);
	umount(ROOT);
}

/* The number behind a word at the start of a line, 0 without. */
static long long number_of(const char *path, const char *word)
{
	static char text[16384];
	const char *at;

	text[0] = '\n';
	if (read_text(path, text + 1, sizeof(text) - 1) < 0)
		return 0;
	at = strstr(text, word);
	return at ? atoll(at + strlen(word)) : 0;
}

struct slabs {
	long long system;
	long long group;
};

static struct slabs slabs_now(void)
{
	sleep_ms(CALM_MS);
	return (struct slabs) {
		.system = number_of("/proc/meminfo", "\nSlab:") * 1024,
		.group = number_of(GROUP "/memory.stat", "\nslab "),
	};
}

static struct slabs slabs_since(const struct slabs *before)
{
	const struct slabs now = slabs_now();
	const struct slabs grown = { now.system - before->system, now.group - before->group };

	ksft_print_msg("slabs grew by %lld bytes, %lld of them the group's\n", grown.system,
		       grown.group);
	return grown;
}

/* Of what the system has allocated since, how much the group is charged for. */
static long long percent_since(const struct slabs *before)
{
	const struct slabs grown = slabs_since(before);

	return grown.system > 0 ? 100 * grown.group / grown.system : 0;
}

TEST_F(memory, programs_are_charged)
{
	static uint32_t programs[N_PROGRAMS];
	struct slabs before;

	/* what stays of the first is there */
	ASSERT_LT(0, (int)program_of(self->fd, &self->matmul));
	before = slabs_now();
	for (int i = 0; i < N_PROGRAMS; i++) {
		programs[i] = program_of(self->fd, &self->matmul);
		ASSERT_LT(0, (int)programs[i]);
	}
	EXPECT_LT(MOST, percent_since(&before));
}

/*
 * Rocket's jobs that may come again: the least that is a job, so that what describes them
 * is most. The last of the handles makes the submit fail when they are remembered already.
 */
TEST_F(memory, jobs_that_are_remembered_have_a_limit)
{
	const uint64_t enable = 0x0081ull << 48 | 0x18ull << 16 | 0x0008;
	const uint32_t distance = 64 * sizeof(enable);
	struct submission s;
	struct slabs before;
	struct bo bo;

	ASSERT_EQ(0, bo_create(self->fd, N_JOBS * distance, &bo));
	for (uint32_t i = 0; i < N_JOBS; i++)
		memcpy(bo.map + i * distance, &enable, sizeof(enable));
	matmul_prepare(&self->matmul, &s);
	s.task.regcmd_count = 1;
	s.in[2] = 0;
	before = slabs_now();
	for (uint32_t i = 0; i < N_JOBS; i++) {
		s.task.regcmd = (uint32_t)bo.address + i * distance;
		ASSERT_EQ(-ENOENT, submit(self->fd, &s));
	}
	EXPECT_GT(JOBS_BYTES, slabs_since(&before).system);
	bo_close(self->fd, &bo);
}

TEST_F(memory, queues_are_charged)
{
	const struct slabs before = slabs_now();

	for (int i = 0; i < N_FILES; i++) {
		int fd = device_reopen(self->fd);

		for (int j = 0; j < N_QUEUES; j++)
			ASSERT_LT(0, queue_create(fd, 0, 0));
	}
	EXPECT_LT(MOST, percent_since(&before));
}

TEST_F(memory, buffers_are_charged)
{
	const long long before = number_of(GROUP "/memory.stat", "\nshmem ");
	struct bo bo;

	for (int i = 0; i < N_BUFFERS; i++)
		ASSERT_EQ(0, bo_create_unmapped(self->fd, BUFFER_BYTES, &bo));
	EXPECT_LE((long long)N_BUFFERS * BUFFER_BYTES,
		  number_of(GROUP "/memory.stat", "\nshmem ") - before);
}

TEST_HARNESS_MAIN
