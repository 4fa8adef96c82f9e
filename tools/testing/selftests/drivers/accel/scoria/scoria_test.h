/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the selftests share: the device, buffers, a job whose result is known,
 * and the test board's page. Everything runs on a real board too; what needs
 * the test board skips there.
 */
#ifndef SCORIA_TEST_H
#define SCORIA_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "board_regs.h"
#include "kselftest_harness.h"
#include "scoria_accel.h"

enum job_region { JOB_INPUT, JOB_WEIGHTS, JOB_OUTPUT, JOB_N_REGIONS };

/* An int8 matmul, 8 x 64 x 64, as mtx512's generator emits it. */
#include "job_data.h"

#define NS_PER_MS	1000000ll
#define NS_PER_S	1000000000ll
#define JOB_SECONDS	5	/* no job of these tests takes longer */
#define SLOW_SECONDS	240	/* for tests that take half of the harness's 30 under KASAN */
#define SENTINEL	0xa5

static inline int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline void sleep_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

/* An ioctl as libdrm does it, but with -errno as the result of a failure. */
static inline int drm_call(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -errno : ret;
}

/* -1 when @fd is no accel device of this driver. */
static inline int check_driver(int fd)
{
	char name[32] = "", description[128] = "";
	struct drm_version version = {
		.name = name, .name_len = sizeof(name) - 1,
		.desc = description, .desc_len = sizeof(description) - 1,
	};

	if (drm_call(fd, DRM_IOCTL_VERSION, &version))
		return -1;
	return strcmp(name, "rocket") || !strcasestr(description, "scoria") ? -1 : 0;
}

/* The first accel node of this driver, or the one SCORIA_DEVICE names; -1 without. */
static inline int device_open(void)
{
	const char *chosen = getenv("SCORIA_DEVICE");
	char path[64];

	for (int i = 0; i < 16; i++) {
		int fd;

		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
		fd = open(chosen ? chosen : path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !check_driver(fd))
			return fd;
		if (fd >= 0)
			close(fd);
		if (chosen)
			break;
	}
	return -1;
}

/* The same device as another file; -1 and errno. */
static inline int device_reopen(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

struct bo {
	uint32_t handle;
	uint64_t size;
	uint64_t address;
	uint64_t offset;
	uint8_t *map;
};

static inline int bo_create_unmapped(int fd, uint32_t size, struct bo *bo)
{
	struct drm_scoria_rocket_create_bo args = { .size = size };
	int ret = drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_CREATE_BO, &args);

	*bo = (struct bo) {
		.handle = args.handle, .size = size, .address = args.dma_address,
		.offset = args.offset,
	};
	return ret;
}

static inline int bo_create(int fd, uint32_t size, struct bo *bo)
{
	int ret = bo_create_unmapped(fd, size, bo);

	if (ret)
		return ret;
	bo->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)bo->offset);
	return bo->map == MAP_FAILED ? -errno : 0;
}

static inline int bo_close(int fd, struct bo *bo)
{
	struct drm_gem_close args = { .handle = bo->handle };

	if (bo->map)
		munmap(bo->map, bo->size);
	return drm_call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

/* What the driver says of any buffer, an imported one as well. */
static inline int bo_info(int fd, uint32_t handle, struct drm_scoria_bo_info *info)
{
	*info = (struct drm_scoria_bo_info){ .handle = handle };
	return drm_call(fd, DRM_IOCTL_SCORIA_BO_INFO, info);
}

/* Wait until the absolute time @timeout_ns. */
static inline int bo_prep_until(int fd, const struct bo *bo, int64_t timeout_ns)
{
	struct drm_scoria_rocket_prep_bo args = {
		.handle = bo->handle, .timeout_ns = timeout_ns,
	};

	return drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_PREP_BO, &args);
}

static inline int bo_prep(int fd, const struct bo *bo)
{
	return bo_prep_until(fd, bo, now_ns() + JOB_SECONDS * NS_PER_S);
}

static inline int bo_fini(int fd, const struct bo *bo)
{
	struct drm_scoria_rocket_fini_bo args = { .handle = bo->handle };

	return drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_FINI_BO, &args);
}

/* The matmul in buffers of its own: commands, and one for each region. */
struct matmul {
	struct bo commands;
	struct bo region[JOB_N_REGIONS];
};

#define MATMUL_BO_BYTES	4096

static inline uint64_t *matmul_words(struct matmul *matmul)
{
	return (uint64_t *)matmul->commands.map;
}

/* Write @value into the value field of command @word. */
static inline void matmul_set(struct matmul *matmul, unsigned int word, uint32_t value)
{
	uint64_t *w = &matmul_words(matmul)[word];

	*w = (*w & ~(0xffffffffull << 16)) | (uint64_t)value << 16;
}

/* The last value that the stream writes to the register; -ENOENT if it writes none. */
static inline int matmul_set_register(struct matmul *matmul, uint16_t offset, uint32_t value)
{
	for (size_t i = ARRAY_SIZE(job_words); i--;)
		if ((uint16_t)matmul_words(matmul)[i] == offset) {
			matmul_set(matmul, i, value);
			return 0;
		}
	return -ENOENT;
}

static inline void matmul_point(struct matmul *matmul, enum job_region region, uint32_t address)
{
	for (size_t i = 0; i < ARRAY_SIZE(job_addresses); i++)
		if (job_addresses[i].region == region)
			matmul_set(matmul, job_addresses[i].word, address);
}

/* Command words, input, weights, and sentinels where the result will be. */
static inline void matmul_fill(struct matmul *matmul)
{
	memcpy(matmul->commands.map, job_words, sizeof(job_words));
	memcpy(matmul->region[JOB_INPUT].map, job_input, sizeof(job_input));
	memcpy(matmul->region[JOB_WEIGHTS].map, job_weights, sizeof(job_weights));
	memset(matmul->region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
	for (int i = 0; i < JOB_N_REGIONS; i++)
		matmul_point(matmul, i, (uint32_t)matmul->region[i].address);
}

static inline int matmul_flush(int fd, struct matmul *matmul)
{
	int ret = bo_fini(fd, &matmul->commands);

	for (int i = 0; !ret && i < JOB_N_REGIONS; i++)
		ret = bo_fini(fd, &matmul->region[i]);
	return ret;
}

static inline int matmul_create(int fd, struct matmul *matmul)
{
	int ret = bo_create(fd, MATMUL_BO_BYTES, &matmul->commands);

	for (int i = 0; !ret && i < JOB_N_REGIONS; i++)
		ret = bo_create(fd, MATMUL_BO_BYTES, &matmul->region[i]);
	if (ret)
		return ret;
	matmul_fill(matmul);
	return matmul_flush(fd, matmul);
}

static inline void matmul_destroy(int fd, struct matmul *matmul)
{
	bo_close(fd, &matmul->commands);
	for (int i = 0; i < JOB_N_REGIONS; i++)
		bo_close(fd, &matmul->region[i]);
}

/* A submit of one job of one task with everything that its structs point to. */
struct submission {
	uint32_t in[3];
	uint32_t out[1];
	struct drm_scoria_rocket_submit submit;
	struct drm_scoria_rocket_job job;
	struct drm_scoria_rocket_task task;
};

static inline void matmul_prepare(const struct matmul *matmul, struct submission *s)
{
	*s = (struct submission) {
		.task = {
			.regcmd = (uint32_t)matmul->commands.address,
			.regcmd_count = ARRAY_SIZE(job_words),
		},
		.in = {
			matmul->commands.handle, matmul->region[JOB_INPUT].handle,
			matmul->region[JOB_WEIGHTS].handle,
		},
		.out = { matmul->region[JOB_OUTPUT].handle },
		.job = {
			.tasks = (uintptr_t)&s->task,
			.in_bo_handles = (uintptr_t)s->in,
			.out_bo_handles = (uintptr_t)s->out,
			.task_count = 1,
			.task_struct_size = sizeof(s->task),
			.in_bo_handle_count = ARRAY_SIZE(s->in),
			.out_bo_handle_count = ARRAY_SIZE(s->out),
		},
		.submit = {
			.jobs = (uintptr_t)&s->job,
			.job_count = 1,
			.job_struct_size = sizeof(s->job),
		},
	};
}

static inline int submit(int fd, struct submission *s)
{
	return drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_SUBMIT, &s->submit);
}

static inline int matmul_submit(int fd, const struct matmul *matmul)
{
	struct submission s;

	matmul_prepare(matmul, &s);
	return submit(fd, &s);
}

/* The output is the expected one, and nothing beside it was touched. */
static inline bool matmul_is_right(const struct matmul *matmul)
{
	const uint8_t *out = matmul->region[JOB_OUTPUT].map;

	if (memcmp(out, job_expected, sizeof(job_expected)))
		return false;
	for (size_t i = sizeof(job_expected); i < MATMUL_BO_BYTES; i++)
		if (out[i] != SENTINEL)
			return false;
	return true;
}

static inline bool matmul_is_untouched(const struct matmul *matmul)
{
	const uint8_t *out = matmul->region[JOB_OUTPUT].map;

	for (size_t i = 0; i < MATMUL_BO_BYTES; i++)
		if (out[i] != SENTINEL)
			return false;
	return true;
}

/* 0 when a fresh matmul on @fd computes; -1 when it is wrong; else -errno. */
static inline int matmul_runs(int fd)
{
	struct matmul matmul;
	int ret = matmul_create(fd, &matmul);

	if (ret)
		return ret;
	ret = matmul_submit(fd, &matmul);
	if (!ret)
		ret = bo_prep(fd, &matmul.region[JOB_OUTPUT]);
	if (!ret && !matmul_is_right(&matmul))
		ret = -1;
	matmul_destroy(fd, &matmul);
	return ret;
}

/*
 * The debug page of the test board, NULL on a real one. Nothing is mapped right
 * before it: a kernel that copies from a buffer and beyond its end, as a test of
 * bad sizes makes it do, must meet no registers, which it cannot copy.
 */
static inline volatile uint32_t *board_open(void)
{
	int fd = open("/dev/scoria-board", O_RDWR | O_CLOEXEC);
	const size_t guard = 1 << 20;
	uint8_t *place;
	void *page;

	if (fd < 0)
		return NULL;
	place = mmap(NULL, guard + BOARD_DEBUG_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		page = MAP_FAILED;
	else
		page = mmap(place + guard, BOARD_DEBUG_SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

static inline uint32_t board_get(volatile uint32_t *board, uint32_t offset)
{
	return board[offset / 4];
}

static inline void board_set(volatile uint32_t *board, uint32_t offset, uint32_t value)
{
	board[offset / 4] = value;
}

/* A counter, low half, summed over the cores. */
static inline uint32_t board_sum(volatile uint32_t *board, uint32_t counter)
{
	uint32_t sum = 0;

	for (int i = 0; i < BOARD_N_CORES; i++)
		sum += board_get(board, BOARD_CORE(i) + counter);
	return sum;
}

/* The same fault for whichever core gets the next job. */
static inline void board_break(volatile uint32_t *board, uint32_t knob, uint32_t value)
{
	for (int i = 0; i < BOARD_N_CORES; i++)
		board_set(board, BOARD_CORE(i) + knob, value);
}

/* A core that is dead was so from the start. */
static inline void board_mend(volatile uint32_t *board)
{
	for (uint32_t i = 0; i < BOARD_N_KNOBS; i++)
		if (4 * i != BOARD_DEAD)
			board_break(board, 4 * i, 0);
}

/*
 * Jobs begin and compute, but none ends while the gate is shut: what a test looks at
 * meanwhile stays as it is, however slowly it looks. Their timeouts run on.
 */
static inline void board_shut(volatile uint32_t *board)
{
	board_break(board, BOARD_GATE, 1);
}

static inline void board_open_gate(volatile uint32_t *board)
{
	board_break(board, BOARD_GATE, 0);
}

/* The next job of each core ends, and the gate is shut again. */
static inline void board_pass_one(volatile uint32_t *board)
{
	board_break(board, BOARD_GATE, 2);
}

/* Wait until a counter or a knob, summed over the cores, is @sum; false if it never is. */
static inline bool board_comes_to(volatile uint32_t *board, uint32_t offset, uint32_t sum)
{
	const int64_t end = now_ns() + JOB_SECONDS * NS_PER_S;

	while (board_sum(board, offset) != sum && now_ns() < end)
		sleep_ms(1);
	return board_sum(board, offset) == sum;
}

/* A fixture's device and board; tests that need the board skip without it. */
#define DEVICE_SETUP(self) do {						\
	(self)->fd = device_open();					\
	if ((self)->fd < 0)						\
		SKIP(return, "no accel device of scoria's");		\
} while (0)

#define BOARD_SETUP(self) do {						\
	DEVICE_SETUP(self);						\
	(self)->board = board_open();					\
	if (!(self)->board)						\
		SKIP(return, "not on the test board");			\
	board_mend((self)->board);					\
} while (0)

#endif
