// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that no sane program makes, from processes and threads that race, while
 * the NPU is broken now and then. Nothing is expected of the calls; the kernel's
 * checkers judge, and afterwards good jobs must compute.
 *
 * usage: fuzz [SECONDS [SEED]], or SCORIA_FUZZ_SECONDS and SCORIA_FUZZ_SEED in the
 * environment. What a seed does depends on the races, too.
 */
#include <ctype.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

#include "dmabuf.h"
#include "scoria_test.h"
#include "sysfs.h"

#define SECONDS		3
#define PROCESSES	3
#define THREADS		3
#define N_FILES		4
#define N_HANDLES	24
#define N_BUFS		6
#define N_MAPS		8
#define MAX_BYTES	0x100000	/* of a buffer that can be had */
#define HANG_MS		"30"

/* Of a process; its threads race for all of it. */
static struct {
	int files[N_FILES];
	uint32_t handles[N_HANDLES];
	uint64_t addresses[N_HANDLES];
	int bufs[N_BUFS];
	uint8_t *maps[N_MAPS];
	struct matmul known[N_FILES];	/* by file, if it is still the one */
	uint8_t *scratch;	/* a page, followed by one that cannot be accessed */
	volatile uint32_t *board;
	int64_t end;
} world;

struct fuzzer {
	uint64_t state;
	struct drm_scoria_rocket_job jobs[3];
	struct drm_scoria_rocket_task tasks[8];
	uint32_t in[16];
	uint32_t out[16];
	uint64_t argument[32];
};

#define PAGE		4096

static uint64_t next(struct fuzzer *f)	/* xorshift64* */
{
	f->state ^= f->state >> 12;
	f->state ^= f->state << 25;
	f->state ^= f->state >> 27;
	return f->state * 2685821657736338717ull;
}

static uint32_t below(struct fuzzer *f, uint32_t n)
{
	return (uint32_t)((next(f) >> 32) * n >> 32);
}

static bool one_in(struct fuzzer *f, uint32_t n)
{
	return !below(f, n);
}

static uint64_t number(struct fuzzer *f)
{
	static const uint64_t edges[] = {
		0, 1, 2, 7, 8, 15, 16, 39, 40, 48, 255, 256, 4095, 4096, 4097, 65535, 65536, 65537,
		131060, 131061, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
	};

	if (one_in(f, 4))
		return next(f) >> below(f, 64);
	return edges[below(f, ARRAY_SIZE(edges))] + (one_in(f, 4) ? below(f, 3) - 1 : 0);
}

/* Where a struct may lie: good, misaligned, half or not at all in memory, the kernel's. */
static uint64_t pointer(struct fuzzer *f, const void *good)
{
	switch (below(f, 12)) {
	case 0:
		return 0;
	case 1:
		return (uintptr_t)good + below(f, 8);
	case 2:
		return (uintptr_t)world.scratch + PAGE - below(f, 256);
	case 3:
		return 0xffff000000000000ull + number(f);
	case 4:
		return (uintptr_t)world.maps[below(f, N_MAPS)];
	case 5:
		return number(f);
	default:
		return (uintptr_t)good;
	}
}

static int file(struct fuzzer *f)
{
	return world.files[below(f, N_FILES)];
}

static uint32_t handle(struct fuzzer *f)
{
	return one_in(f, 16) ? (uint32_t)number(f) : world.handles[below(f, N_HANDLES)];
}

static uint32_t address(struct fuzzer *f)
{
	uint64_t base = world.addresses[below(f, N_HANDLES)];

	switch (below(f, 8)) {
	case 0:
		return (uint32_t)number(f);
	case 1:
		return (uint32_t)(base - 16 * below(f, 64));
	case 2:
		return (uint32_t)(base + PAGE - 16 * below(f, 16));
	default:
		return (uint32_t)base;
	}
}

static void open_again(struct fuzzer *f)
{
	int *slot = &world.files[below(f, N_FILES)];
	int old = *slot;

	*slot = one_in(f, 3) ? dup(file(f)) : device_open();
	close(old);
}

/* Not so large that the board runs out of memory, but for what cannot be had. */
static uint32_t bo_size(struct fuzzer *f)
{
	uint32_t size = (uint32_t)number(f);

	return size > MAX_BYTES && size < 0xf0000000 ? size % MAX_BYTES : size;
}

static void create(struct fuzzer *f)
{
	uint32_t slot = below(f, N_HANDLES);
	struct bo bo;

	if (bo_create_unmapped(file(f), one_in(f, 3) ? bo_size(f) : PAGE, &bo))
		return;
	world.handles[slot] = bo.handle;
	world.addresses[slot] = bo.address;
}

static void destroy(struct fuzzer *f)
{
	struct bo bo = { .handle = handle(f) };

	bo_close(file(f), &bo);
}

static void map(struct fuzzer *f)
{
	struct bo bo;
	int fd = file(f);

	if (bo_create(fd, PAGE * (1 + below(f, 4)), &bo))
		return;
	memset(bo.map, (int)next(f), PAGE);
	/* one that stays mapped until the process ends, maybe without a handle */
	world.maps[below(f, N_MAPS)] = bo.map;
	if (one_in(f, 2))
		bo_close(fd, &(struct bo) { .handle = bo.handle });
	mmap(NULL, number(f) & ~(PAGE - 1ull) & 0xffffff, PROT_READ, MAP_SHARED, fd,
	     (off_t)(bo.offset + (number(f) & ~(PAGE - 1ull))));
}

static void prepare(struct fuzzer *f)
{
	struct bo bo = { .handle = handle(f) };

	bo_prep_until(file(f), &bo, one_in(f, 2) ? 0 : now_ns() + below(f, 20) * NS_PER_MS);
}

static void finish(struct fuzzer *f)
{
	bo_fini(file(f), &(struct bo) { .handle = handle(f) });
}

/* Commands of the good job with a few words changed, or none. */
static uint32_t write_commands(struct fuzzer *f, uint64_t *words)
{
	uint32_t n = ARRAY_SIZE(job_words);

	memcpy(words, job_words, sizeof(job_words));
	for (size_t i = 0; i < ARRAY_SIZE(job_addresses); i++)
		words[job_addresses[i].word] = (words[job_addresses[i].word] &
						~(0xffffffffull << 16)) |
					       (uint64_t)address(f) << 16;
	for (uint32_t i = below(f, 4); i; i--)
		words[below(f, n)] ^= one_in(f, 2) ? 1ull << below(f, 64) : number(f) << 16;
	return n;
}

static void fill_job(struct fuzzer *f, struct drm_scoria_rocket_job *job)
{
	/* where a handle may be mapped, too */
	uint32_t n = write_commands(f, (uint64_t *)world.maps[below(f, N_MAPS)]);

	for (size_t i = 0; i < ARRAY_SIZE(f->tasks); i++)
		f->tasks[i] = (struct drm_scoria_rocket_task) {
			.regcmd = address(f),
			.regcmd_count = one_in(f, 8) ? (uint32_t)number(f) : n,
		};
	for (size_t i = 0; i < ARRAY_SIZE(f->in); i++) {
		f->in[i] = handle(f);
		f->out[i] = handle(f);
	}
	*job = (struct drm_scoria_rocket_job) {
		.tasks = pointer(f, f->tasks),
		.in_bo_handles = pointer(f, f->in),
		.out_bo_handles = pointer(f, f->out),
		.task_count = one_in(f, 8) ? (uint32_t)number(f) : 1 + below(f, 8),
		.task_struct_size = one_in(f, 8) ? (uint32_t)number(f) : sizeof(f->tasks[0]),
		.in_bo_handle_count = one_in(f, 8) ? (uint32_t)number(f) : below(f, 16),
		.out_bo_handle_count = one_in(f, 8) ? (uint32_t)number(f) : below(f, 3),
		.flags = one_in(f, 8) ? (uint32_t)number(f) : 0,
	};
}

static void submit_random(struct fuzzer *f)
{
	struct drm_scoria_rocket_submit args = {
		.jobs = pointer(f, f->jobs),
		.job_count = one_in(f, 16) ? (uint32_t)number(f) : 1 + below(f, 3),
		.job_struct_size = one_in(f, 16) ? (uint32_t)number(f) : sizeof(f->jobs[0]),
		.reserved = one_in(f, 64) ? number(f) : 0,
	};

	for (size_t i = 0; i < ARRAY_SIZE(f->jobs); i++)
		fill_job(f, &f->jobs[i]);
	ioctl(file(f), DRM_IOCTL_SCORIA_ROCKET_SUBMIT, &args);
}

/* A good job, and what it needs taken away while it runs. */
static void submit_good(struct fuzzer *f)
{
	struct matmul matmul;
	int fd = file(f);

	if (matmul_create(fd, &matmul))
		return;
	for (uint32_t i = 1 + below(f, 4); i; i--)
		matmul_submit(fd, &matmul);
	if (one_in(f, 3))
		bo_prep(fd, &matmul.region[JOB_OUTPUT]);
	if (one_in(f, 8))
		open_again(f);
	matmul_destroy(fd, &matmul);
}

/* Another buffer in the place of one of @matmul's, where the threads see it. */
static void renew_buffer(struct fuzzer *f, int fd, struct matmul *matmul)
{
	uint32_t i = below(f, JOB_N_REGIONS + 1);
	struct bo *bo = i == JOB_N_REGIONS ? &matmul->commands : &matmul->region[i];
	struct bo new;

	if (one_in(f, 2))
		bo_close(fd, &(struct bo) { .handle = bo->handle });
	if (bo_create_unmapped(fd, PAGE, &new))
		return;
	new.map = mmap(bo->map, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		       (off_t)new.offset);
	if (new.map == bo->map)
		*bo = new;
}

/* Jobs that the driver knows, while others change their words and close their buffers. */
static void submit_known(struct fuzzer *f)
{
	uint32_t slot = below(f, N_FILES);
	struct matmul *matmul = &world.known[slot];
	int fd = world.files[slot];
	int ret = 0;

	if (one_in(f, 4))
		matmul_fill(matmul);
	if (one_in(f, 4))
		matmul_point(matmul, below(f, JOB_N_REGIONS), address(f));
	for (uint32_t i = 1 + below(f, 4); i && !ret; i--)
		ret = matmul_submit(fd, matmul);
	if (ret || one_in(f, 8))
		renew_buffer(f, fd, matmul);
}

static void export(struct fuzzer *f)
{
	int *slot = &world.bufs[below(f, N_BUFS)];
	int old = *slot;

	*slot = one_in(f, 4) ? udmabuf_create(PAGE * (1 + below(f, 4))) :
			       handle_export(file(f), handle(f));
	close(old);
}

static void import(struct fuzzer *f)
{
	handle_import(file(f), world.bufs[below(f, N_BUFS)],
		      &world.handles[below(f, N_HANDLES)]);
}

static void use_buf(struct fuzzer *f)
{
	int buf = world.bufs[below(f, N_BUFS)];
	struct pollfd writable = { .fd = buf, .events = POLLIN | POLLOUT };
	struct sync_file_info info = { .num_fences = 0 };
	int fence = buf_export_fence(buf);

	poll(&writable, 1, (int)below(f, 3));
	ioctl(fence, SYNC_IOC_FILE_INFO, &info);
	/* udmabuf keeps the direction of the first time, which the DMA-API checks find wrong */
	buf_sync(buf, (number(f) & DMA_BUF_SYNC_END) | DMA_BUF_SYNC_RW);
	close(fence);
}

/*
 * DRM's ioctls that take an array of syncobjs allocate as much as its count says, and have
 * the allocator warn of what it never gives (6.12, 7.3): native_syncobj() has counts that
 * fit.
 */
static bool allocates_any_size(uint32_t nr)
{
	return (nr >= 0xc3 && nr <= 0xc5) || (nr >= 0xca && nr <= 0xcd);
}

/* Any number, any size, any argument: also of ioctls that do not exist. */
static void any_ioctl(struct fuzzer *f)
{
	uint32_t nr = 0x40 + (one_in(f, 2) ? 0x20 : 0) + below(f, 12);
	uint32_t size = one_in(f, 2) ? 8 * below(f, 16) : below(f, 300);

	if (one_in(f, 4))
		nr = below(f, 256);
	if (allocates_any_size(nr))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(f->argument); i++)
		f->argument[i] = one_in(f, 2) ? pointer(f, f->tasks) :
				 one_in(f, 2) ? number(f) : handle(f) | (uint64_t)handle(f) << 32;
	/* sizes of buffers come first */
	if (nr == 0x40 || nr == 0x61)
		f->argument[0] = bo_size(f);
	ioctl(file(f), _IOC(1 + below(f, 3), 'd', nr, size), pointer(f, f->argument));
}

static void read_files(struct fuzzer *f)
{
	char text[2048], path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file(f));
	fd = open(one_in(f, 2) ? path : "/sys/kernel/debug/accel/0/cores", O_RDONLY | O_CLOEXEC);
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

/* A child has all files of its parent, and ends without closing them, or is killed. */
static void fork_child(struct fuzzer *f)
{
	bool killed = one_in(f, 2);
	pid_t child = fork();

	if (!child) {
		for (int i = 0; i < 4; i++)
			submit_good(f);
		while (killed)
			pause();
		_exit(0);
	}
	usleep(below(f, 2000));
	if (child > 0 && killed)
		kill(child, SIGKILL);
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void break_board(struct fuzzer *f)
{
	static const uint32_t knobs[] = {
		BOARD_DROP_IRQ, BOARD_FAIL_DMA, BOARD_STUCK, BOARD_SPURIOUS, BOARD_DELAY_IRQ_US,
		BOARD_DELAY_START_US,
	};

	if (world.board)
		board_set(world.board, BOARD_CORE(below(f, BOARD_N_CORES)) +
			  knobs[below(f, ARRAY_SIZE(knobs))], below(f, 3));
}

#include "fuzz_native.h"

static const struct {
	void (*run)(struct fuzzer *f);
	uint32_t weight;
} deeds[] = {
	{ native_query, 1 }, { native_create, 4 }, { native_info, 2 },
	{ native_sync, 3 }, { native_wait, 3 },
	{ native_program, 12 }, { native_queue, 3 }, { native_destroy, 3 },
	{ native_syncobj, 5 }, { native_submit, 30 },
	{ create, 12 }, { destroy, 6 }, { map, 4 }, { prepare, 6 }, { finish, 4 },
	{ submit_random, 30 }, { submit_good, 10 }, { submit_known, 20 },
	{ export, 4 }, { import, 5 }, { use_buf, 4 }, { any_ioctl, 20 },
	{ open_again, 2 }, { read_files, 2 }, { fork_child, 1 }, { break_board, 1 },
};

static void *thread(void *data)
{
	struct fuzzer *f = data;
	uint32_t total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		total += deeds[i].weight;
	while (now_ns() < world.end) {
		uint32_t at = below(f, total);
		size_t i = 0;

		while (at >= deeds[i].weight)
			at -= deeds[i++].weight;
		deeds[i].run(f);
	}
	return NULL;
}

/* Places for the buffers of jobs, which the first that are submitted will have. */
static void make_known(void)
{
	uint8_t *place = mmap(NULL, N_FILES * (JOB_N_REGIONS + 1) * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < N_FILES; i++) {
		struct matmul *matmul = &world.known[i];

		matmul->commands.map = place;
		for (int j = 0; j < JOB_N_REGIONS; j++)
			matmul->region[j].map = place += PAGE;
		place += PAGE;
	}
}

static void make_world(int64_t end)
{
	world.end = end;
	world.board = board_open();
	world.scratch = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	munmap(world.scratch + PAGE, PAGE);
	for (int i = 0; i < N_FILES; i++)
		world.files[i] = device_open();
	make_known();
	for (int i = 0; i < N_BUFS; i++)
		world.bufs[i] = -1;
	for (int i = 0; i < N_MAPS; i++) {
		struct bo bo = { .map = MAP_FAILED };

		bo_create(world.files[i % N_FILES], PAGE, &bo);
		world.maps[i] = bo.map == MAP_FAILED ? world.scratch : bo.map;
		world.handles[i] = bo.handle;
		world.addresses[i] = bo.address;
	}
}

static void process(uint64_t seed, int64_t end)
{
	static struct fuzzer fuzzers[THREADS];
	pthread_t threads[THREADS];

	make_world(end);
	for (int i = 0; i < THREADS; i++) {
		fuzzers[i].state = (seed + (uint64_t)i) * 0x9e3779b97f4a7c15ull | 1;
		pthread_create(&threads[i], NULL, thread, &fuzzers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

FIXTURE(fuzz) {
	int fd;
	volatile uint32_t *board;
};

FIXTURE_SETUP(fuzz)
{
	DEVICE_SETUP(self);
	self->board = board_open();
	write_text(TIMEOUT_MS, HANG_MS);
}

FIXTURE_TEARDOWN(fuzz)
{
	write_text(TIMEOUT_MS, "500");
	close(self->fd);
}

static uint64_t setting(const char *name, uint64_t standard)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : standard;
}

TEST_F_TIMEOUT(fuzz, nothing_breaks, 7200)
{
	const uint64_t seed = setting("SCORIA_FUZZ_SEED", 1);
	const int64_t end = now_ns() + (int64_t)setting("SCORIA_FUZZ_SECONDS", SECONDS) * NS_PER_S;
	pid_t children[PROCESSES];

	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		ASSERT_LE(0, children[i]);
		if (!children[i])
			process(seed * PROCESSES * THREADS + (uint64_t)i * THREADS, end);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		/* one that wrote over its own memory may die of it */
		EXPECT_TRUE(WIFEXITED(status) || WIFSIGNALED(status));
	}
	if (self->board)
		board_mend(self->board);
	/* what was left behind may take its time */
	for (int i = 0; i < 12; i++)
		EXPECT_EQ(0, matmul_runs(self->fd));
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "SCORIA_FUZZ_SECONDS", "SCORIA_FUZZ_SEED" };
	int taken = 0;

	while (taken < argc - 1 && taken < (int)ARRAY_SIZE(names) && isdigit(argv[taken + 1][0])) {
		setenv(names[taken], argv[taken + 1], 1);
		taken++;
	}
	/* what is left is for the harness */
	argv[taken] = argv[0];
	return test_harness_run(argc - taken, argv + taken);
}
