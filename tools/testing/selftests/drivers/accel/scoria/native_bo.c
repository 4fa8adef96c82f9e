// SPDX-License-Identifier: GPL-2.0-only
/* QUERY, BO_CREATE, BO_INFO, BO_SYNC and BO_WAIT, and the sizes of every native struct. */
#include "native_test.h"

FIXTURE(native_bo) {
	int fd;
};

FIXTURE_SETUP(native_bo)
{
	DEVICE_SETUP(self);
}

FIXTURE_TEARDOWN(native_bo)
{
	close(self->fd);
}

static int query(int fd, uint32_t type, void *data, uint32_t *size)
{
	struct drm_scoria_query args = { .type = type, .size = *size, .data = (uintptr_t)data };
	int ret = drm_call(fd, DRM_IOCTL_SCORIA_QUERY, &args);

	*size = args.size;
	return ret;
}

TEST_F(native_bo, device_is_described)
{
	struct drm_scoria_query_device device = { 0 };
	uint32_t size = sizeof(device);

	ASSERT_EQ(0, query(self->fd, DRM_SCORIA_QUERY_DEVICE, &device, &size));
	EXPECT_EQ(sizeof(device), size);
	EXPECT_EQ(0x46495245, device.hw_version);
	EXPECT_NE(0, device.core_mask);
	EXPECT_EQ(0, device.core_mask & ~7u);
	EXPECT_LE(200000000, device.clock_hz);
	EXPECT_LT(0, device.address_start);
	EXPECT_EQ(0xf0000000, device.address_end);
	EXPECT_EQ(0, device.features);
}

TEST_F(native_bo, limits_are_those_of_the_header)
{
	struct drm_scoria_query_limits limits = { 0 };
	uint32_t size = sizeof(limits);

	ASSERT_EQ(0, query(self->fd, DRM_SCORIA_QUERY_LIMITS, &limits, &size));
	EXPECT_EQ(sizeof(limits), size);
	EXPECT_EQ(65536, limits.program_tasks);
	EXPECT_EQ(131060, limits.task_words);
	EXPECT_EQ(4095, limits.kick_tasks);
	EXPECT_EQ(256, limits.submit_jobs);
	EXPECT_EQ(60000, limits.max_timeout_ms);
	EXPECT_EQ(-1, limits.min_priority);
	EXPECT_EQ(getuid() ? 0 : 1, limits.max_priority);
}

TEST_F(native_bo, answers_may_be_shorter_and_longer)
{
	uint8_t data[4096];
	uint32_t size;

	for (uint32_t want = 0; want <= 200; want++) {
		const uint32_t known = sizeof(struct drm_scoria_query_limits);

		memset(data, SENTINEL, sizeof(data));
		size = want;
		ASSERT_EQ(0, query(self->fd, DRM_SCORIA_QUERY_LIMITS, data, &size));
		ASSERT_EQ(known, size);
		if (want > 2)
			ASSERT_EQ(1, data[2]);	/* of 65536 */
		for (uint32_t i = known; i < want; i++)
			ASSERT_EQ(0, data[i]);
		for (uint32_t i = want; i < sizeof(data); i++)
			ASSERT_EQ(SENTINEL, data[i]);
	}
	size = 4096;
	EXPECT_EQ(0, query(self->fd, DRM_SCORIA_QUERY_DEVICE, data, &size));
}

TEST_F(native_bo, bad_queries_are_refused)
{
	struct drm_scoria_query_device device;
	uint32_t size = sizeof(device);

	EXPECT_EQ(-EINVAL, query(self->fd, DRM_SCORIA_QUERY_LIMITS + 1, &device, &size));
	EXPECT_EQ(-EINVAL, query(self->fd, ~0u, &device, &size));
	size = 4097;
	EXPECT_EQ(-EINVAL, query(self->fd, DRM_SCORIA_QUERY_DEVICE, &device, &size));
	size = ~0u;
	EXPECT_EQ(-EINVAL, query(self->fd, DRM_SCORIA_QUERY_DEVICE, &device, &size));
	size = sizeof(device);
	EXPECT_EQ(-EFAULT, query(self->fd, DRM_SCORIA_QUERY_DEVICE, NULL, &size));
	size = 0;
	EXPECT_EQ(0, query(self->fd, DRM_SCORIA_QUERY_DEVICE, NULL, &size));
}

static int create(int fd, uint64_t size, uint32_t flags, struct drm_scoria_bo_create *args)
{
	*args = (struct drm_scoria_bo_create){ .size = size, .flags = flags };
	return drm_call(fd, DRM_IOCTL_SCORIA_BO_CREATE, args);
}

TEST_F(native_bo, buffer_is_zeroed_and_has_an_address)
{
	struct drm_scoria_bo_create args;
	uint8_t *map;

	ASSERT_EQ(0, create(self->fd, 5000, 0, &args));
	EXPECT_EQ(8192, args.size);
	EXPECT_NE(0, args.handle);
	EXPECT_NE(0, args.address);
	EXPECT_EQ(0, args.address % 4096);
	map = mmap(NULL, args.size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		   (off_t)args.offset);
	ASSERT_NE(MAP_FAILED, (void *)map);
	for (size_t i = 0; i < args.size; i++)
		ASSERT_EQ(0, map[i]);
	munmap(map, args.size);
}

TEST_F(native_bo, sizes_have_their_limits)	/* U13 */
{
	struct drm_scoria_bo_create args;
	static const uint64_t too_long[] = {
		0xf0000000, 1ull << 32, (1ull << 32) + 4096, 1ull << 63, ~0ull - 4095, ~0ull,
	};

	EXPECT_EQ(-EINVAL, create(self->fd, 0, 0, &args));
	EXPECT_EQ(-EINVAL, create(self->fd, 4096, 1, &args));
	EXPECT_EQ(-EINVAL, create(self->fd, 4096, ~0u, &args));
	for (size_t i = 0; i < ARRAY_SIZE(too_long); i++)
		EXPECT_EQ(-ENOSPC, create(self->fd, too_long[i], 0, &args));
	ASSERT_EQ(0, create(self->fd, 1, 0, &args));
	EXPECT_EQ(4096, args.size);
}

TEST_F(native_bo, info_is_what_the_buffer_was_created_with)
{
	struct drm_scoria_bo_create args;
	struct drm_scoria_bo_info info;

	ASSERT_EQ(0, create(self->fd, 5000, 0, &args));
	ASSERT_EQ(0, bo_info(self->fd, args.handle, &info));
	EXPECT_EQ(args.size, info.size);
	EXPECT_EQ(args.address, info.address);
	EXPECT_EQ(args.offset, info.offset);
}

TEST_F(native_bo, info_is_for_handles_of_the_file)
{
	struct drm_scoria_bo_create args;
	struct drm_scoria_bo_info info = { .reserved = 1 };
	int other = device_open();

	ASSERT_EQ(0, create(self->fd, 4096, 0, &args));
	EXPECT_EQ(-ENOENT, bo_info(other, args.handle, &info));
	EXPECT_EQ(-ENOENT, bo_info(self->fd, 0, &info));
	EXPECT_EQ(-ENOENT, bo_info(self->fd, args.handle + 1, &info));
	info = (struct drm_scoria_bo_info){ .handle = args.handle, .reserved = 1 };
	EXPECT_EQ(-EINVAL, drm_call(self->fd, DRM_IOCTL_SCORIA_BO_INFO, &info));
	close(other);
}

static int sync_range(int fd, uint32_t handle, uint32_t flags, uint64_t offset, uint64_t size)
{
	struct drm_scoria_bo_sync args = {
		.handle = handle, .flags = flags, .offset = offset, .size = size,
	};

	return drm_call(fd, DRM_IOCTL_SCORIA_BO_SYNC, &args);
}

TEST_F(native_bo, sync_takes_every_range_within_the_buffer)	/* M2 */
{
	const uint32_t to = DRM_SCORIA_BO_SYNC_TO_DEVICE, from = DRM_SCORIA_BO_SYNC_FROM_DEVICE;
	struct bo bo;

	ASSERT_EQ(0, bo_create(self->fd, 12288, &bo));
	memset(bo.map, SENTINEL, bo.size);
	for (uint64_t offset = 0; offset < 12288; offset += 1023)
		for (uint64_t size = 1; offset + size <= 12288; size += 999) {
			ASSERT_EQ(0, sync_range(self->fd, bo.handle, to, offset, size));
			ASSERT_EQ(0, sync_range(self->fd, bo.handle, from, offset, size));
		}
	for (size_t i = 0; i < bo.size; i++)
		ASSERT_EQ(SENTINEL, bo.map[i]);
	EXPECT_EQ(0, sync_range(self->fd, bo.handle, to, 0, 12288));
	EXPECT_EQ(0, sync_range(self->fd, bo.handle, to, 12287, 1));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to, 0, 12289));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to, 12287, 2));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to, 12288, 1));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to, 1, ~0ull));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to, ~0ull, 2));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to, 0, 0));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, 0, 0, 1));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to | from, 0, 1));
	EXPECT_EQ(-EINVAL, sync_range(self->fd, bo.handle, to | 4, 0, 1));
	EXPECT_EQ(-ENOENT, sync_range(self->fd, bo.handle + 1, to, 0, 1));
	EXPECT_EQ(-ENOENT, sync_range(self->fd, 0, to, 0, 1));
	bo_close(self->fd, &bo);
	EXPECT_EQ(-ENOENT, sync_range(self->fd, bo.handle, to, 0, 1));
}

TEST_F(native_bo, handles_are_of_the_file)
{
	int other = device_open();
	struct bo first, second;

	/* the second has a number that the other file does not know */
	ASSERT_EQ(0, bo_create(self->fd, 4096, &first));
	ASSERT_EQ(0, bo_create(self->fd, 4096, &second));
	ASSERT_EQ(0, bo_create(other, 4096, &first));
	EXPECT_EQ(-ENOENT, sync_range(other, second.handle, DRM_SCORIA_BO_SYNC_TO_DEVICE, 0, 1));
	EXPECT_EQ(-ENOENT, bo_wait_until(other, second.handle, 0, 0));
	EXPECT_EQ(0, bo_wait_until(other, first.handle, 0, 0));
	EXPECT_EQ(0, bo_wait_until(self->fd, second.handle, 0, 0));
	close(other);
}

TEST_F(native_bo, wait_is_for_writers_or_for_readers_too)
{
	volatile uint32_t *board = board_open();
	struct matmul matmul;
	uint32_t in, out;
	int program;

	if (!board)
		SKIP(return, "not on the test board");
	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	in = matmul.region[JOB_INPUT].handle;
	out = matmul.region[JOB_OUTPUT].handle;
	program = program_of(self->fd, &matmul);
	ASSERT_LT(0, program);
	board_shut(board);
	ASSERT_EQ(0, native_submit(self->fd, 0, program, &matmul));
	/* the job reads the one and writes the other */
	EXPECT_EQ(0, bo_wait_until(self->fd, in, 0, 0));
	EXPECT_EQ(-EBUSY, bo_wait_until(self->fd, in, DRM_SCORIA_BO_WAIT_WRITE, 0));
	EXPECT_EQ(-EBUSY, bo_wait_until(self->fd, out, 0, 0));
	EXPECT_EQ(-EBUSY, bo_wait_until(self->fd, out, 0, now_ns() - 1));
	EXPECT_EQ(-ETIMEDOUT, bo_wait_until(self->fd, out, 0, now_ns() + 10 * NS_PER_MS));
	board_open_gate(board);
	EXPECT_EQ(0, bo_wait_until(self->fd, in, DRM_SCORIA_BO_WAIT_WRITE,
				   now_ns() + NS_PER_S));
	EXPECT_EQ(0, bo_wait_until(self->fd, out, 0, 0));
	EXPECT_EQ(-EINVAL, bo_wait_until(self->fd, out, 2, 0));
	EXPECT_EQ(-EINVAL, bo_wait_until(self->fd, out, ~0u, 0));
	EXPECT_EQ(0, bo_wait_until(self->fd, out, 0, INT64_MAX));
	EXPECT_EQ(0, bo_wait_until(self->fd, out, 0, INT64_MIN));
	EXPECT_EQ(-ENOENT, bo_wait_until(self->fd, out + 100, 0, 0));
	board_mend(board);
	matmul_destroy(self->fd, &matmul);
}

/* The ioctl as it must be refused, or must do, whatever the size of its struct. */
struct sized {
	unsigned long request;
	unsigned int size;
	int error;
};

/*
 * Zero structs: each is refused for something else than its size. QUERY of no
 * bytes succeeds.
 */
static const struct sized sized[] = {
	{ DRM_IOCTL_SCORIA_QUERY, sizeof(struct drm_scoria_query), 0 },
	{ DRM_IOCTL_SCORIA_BO_CREATE, sizeof(struct drm_scoria_bo_create), -EINVAL },
	{ DRM_IOCTL_SCORIA_BO_SYNC, sizeof(struct drm_scoria_bo_sync), -EINVAL },
	{ DRM_IOCTL_SCORIA_BO_WAIT, sizeof(struct drm_scoria_bo_wait), -ENOENT },
	{ DRM_IOCTL_SCORIA_PROGRAM_CREATE, sizeof(struct drm_scoria_program_create), -EINVAL },
	{ DRM_IOCTL_SCORIA_PROGRAM_DESTROY, sizeof(struct drm_scoria_program_destroy), -ENOENT },
	{ DRM_IOCTL_SCORIA_QUEUE_CREATE, sizeof(struct drm_scoria_queue_create), 0 },
	{ DRM_IOCTL_SCORIA_QUEUE_DESTROY, sizeof(struct drm_scoria_queue_destroy), -EINVAL },
	{ DRM_IOCTL_SCORIA_SUBMIT, sizeof(struct drm_scoria_submit), -EINVAL },
	{ DRM_IOCTL_SCORIA_BO_INFO, sizeof(struct drm_scoria_bo_info), -ENOENT },
};

TEST_F(native_bo, structs_may_be_shorter_or_longer_and_tails_must_be_zero)	/* U10 */
{
	uint8_t arg[256];

	for (size_t i = 0; i < ARRAY_SIZE(sized); i++) {
		const struct sized *s = &sized[i];

		for (unsigned int size = 8; size < s->size + 64; size += 8) {
			memset(arg, 0, sizeof(arg));
			EXPECT_EQ(s->error, call_sized(self->fd, s->request, arg, size)) {
				TH_LOG("ioctl %zu, %u bytes", i, size);
			}
		}
		memset(arg, 0, sizeof(arg));
		arg[s->size] = 1;
		EXPECT_EQ(-E2BIG, call_sized(self->fd, s->request, arg, s->size + 8));
		arg[s->size] = 0;
		arg[s->size + 63] = 0x80;
		EXPECT_EQ(-E2BIG, call_sized(self->fd, s->request, arg, s->size + 64));
	}
}

TEST_F(native_bo, numbers_between_rockets_ioctls_and_ours_are_nothing)
{
	for (unsigned int nr = 0x04; nr < 0x20; nr++)
		EXPECT_EQ(-EINVAL, drm_call(self->fd, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x40 + nr,
							   8), &(uint64_t){ 0 }));
	for (unsigned int nr = 0x2a; nr < 0x40; nr++)
		EXPECT_EQ(-EINVAL, drm_call(self->fd, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x40 + nr,
							   8), &(uint64_t){ 0 }));
}

TEST_HARNESS_MAIN
