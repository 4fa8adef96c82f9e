// SPDX-License-Identifier: GPL-2.0-only
/* Buffers: creation, mapping, CPU access, lifetime. */
#include <pthread.h>
#include <sys/resource.h>

#include "scoria_test.h"

FIXTURE(bo) {
	int fd;
};

FIXTURE_SETUP(bo)
{
	DEVICE_SETUP(self);
}

FIXTURE_TEARDOWN(bo)
{
	close(self->fd);
}

TEST_F(bo, device_tells_rockets_name_and_version_1_1)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	ASSERT_EQ(0, drm_call(self->fd, DRM_IOCTL_VERSION, &version));
	EXPECT_STREQ("rocket", name);
	EXPECT_EQ(1, version.version_major);
	EXPECT_EQ(1, version.version_minor);
}

/* GET_UNIQUE, GET_MAGIC and SET_MASTER: what belongs to displays oopsed in DRM. */
TEST_F(bo, ioctls_of_display_nodes_are_refused)
{
	static const unsigned long requests[] = {
		DRM_IOWR(0x01, uint64_t[2]), DRM_IOR(0x02, uint32_t), DRM_IO(0x1e),
	};
	uint64_t argument[2] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		EXPECT_EQ(-EACCES, drm_call(self->fd, requests[i], argument));
}

TEST_F(bo, size_zero_is_refused_and_one_byte_is_a_page)
{
	struct bo bo;

	EXPECT_EQ(-EINVAL, bo_create_unmapped(self->fd, 0, &bo));
	ASSERT_EQ(0, bo_create(self->fd, 1, &bo));
	EXPECT_EQ(0, bo.address % 4096);
	EXPECT_NE(0, bo.address);
	bo.map[4095] = 1;
	EXPECT_EQ(0, bo_close(self->fd, &bo));
}

/* The window has 0xf0000000 bytes but for the first page; no memory is taken first. */
TEST_F(bo, what_does_not_fit_the_addresses_is_refused)	/* U13 */
{
	static const uint32_t sizes[] = { 0xffffffff, 0xf0000000, 0xeffff001 };
	struct bo bo;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		EXPECT_EQ(-ENOSPC, bo_create_unmapped(self->fd, sizes[i], &bo));
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(bo, buffers_start_as_zeros_and_do_not_overlap)
{
	struct bo a, b;

	ASSERT_EQ(0, bo_create(self->fd, 3 * 4096 + 1, &a));
	ASSERT_EQ(0, bo_create(self->fd, 4096, &b));
	for (int i = 0; i < 3 * 4096; i++)
		ASSERT_EQ(0, a.map[i]);
	EXPECT_TRUE(b.address + 4096 <= a.address || a.address + 4 * 4096 <= b.address);
	memset(a.map, 0x11, a.size);
	EXPECT_EQ(0, b.map[0]);
	EXPECT_EQ(0, bo_close(self->fd, &a));
	EXPECT_EQ(0, bo_close(self->fd, &b));
}

TEST_F(bo, unaligned_cpu_access_works)	/* M3 */
{
	struct bo bo;
	uint64_t value = 0x0123456789abcdefull, back;

	ASSERT_EQ(0, bo_create(self->fd, 4096, &bo));
	for (int shift = 0; shift < 16; shift++) {
		memcpy(bo.map + shift, &value, sizeof(value));
		memcpy(&back, bo.map + shift, sizeof(back));
		EXPECT_EQ(value, back);
	}
	bo_close(self->fd, &bo);
}

TEST_F(bo, mapping_more_than_the_buffer_fails)
{
	struct bo bo;

	ASSERT_EQ(0, bo_create(self->fd, 4096, &bo));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 8192, PROT_READ, MAP_SHARED, self->fd,
				   (off_t)bo.offset));
	bo_close(self->fd, &bo);
}

TEST_F(bo, mapping_outlives_the_handle_and_the_file)
{
	int fd = device_open();
	struct bo bo;
	uint8_t *map;

	ASSERT_EQ(0, bo_create(fd, 4096, &bo));
	map = bo.map;
	bo.map = NULL;
	map[7] = 42;
	EXPECT_EQ(0, bo_close(fd, &bo));
	close(fd);
	EXPECT_EQ(42, map[7]);
	munmap(map, 4096);
}

TEST_F(bo, prep_and_fini_of_unknown_handles_fail)
{
	const struct bo bo = { .handle = 0x7fffffff }, zero = { 0 };

	EXPECT_EQ(-ENOENT, bo_prep(self->fd, &bo));
	EXPECT_EQ(-ENOENT, bo_fini(self->fd, &bo));
	EXPECT_EQ(-ENOENT, bo_prep(self->fd, &zero));
	EXPECT_EQ(-ENOENT, bo_fini(self->fd, &zero));
}

TEST_F(bo, reserved_fields_must_be_zero)
{
	struct drm_scoria_rocket_prep_bo prep = { .reserved = 1 };
	struct drm_scoria_rocket_fini_bo fini = { .reserved = 1 };
	struct bo bo;

	ASSERT_EQ(0, bo_create(self->fd, 4096, &bo));
	prep.handle = bo.handle;
	fini.handle = bo.handle;
	EXPECT_EQ(-EINVAL, drm_call(self->fd, DRM_IOCTL_SCORIA_ROCKET_PREP_BO, &prep));
	EXPECT_EQ(-EINVAL, drm_call(self->fd, DRM_IOCTL_SCORIA_ROCKET_FINI_BO, &fini));
	prep.reserved = 0;
	fini.reserved = 0;
	EXPECT_EQ(0, drm_call(self->fd, DRM_IOCTL_SCORIA_ROCKET_PREP_BO, &prep));
	EXPECT_EQ(0, drm_call(self->fd, DRM_IOCTL_SCORIA_ROCKET_FINI_BO, &fini));
	bo_close(self->fd, &bo);
}

TEST_F(bo, idle_buffer_is_ready_at_any_time)	/* U8 */
{
	struct bo bo;

	ASSERT_EQ(0, bo_create(self->fd, 4096, &bo));
	EXPECT_EQ(0, bo_prep_until(self->fd, &bo, 0));
	EXPECT_EQ(0, bo_prep_until(self->fd, &bo, -1));
	EXPECT_EQ(0, bo_prep_until(self->fd, &bo, now_ns()));
	EXPECT_EQ(0, bo_prep_until(self->fd, &bo, INT64_MAX));
	bo_close(self->fd, &bo);
}

TEST_F(bo, closed_handle_is_gone)
{
	struct bo bo;

	ASSERT_EQ(0, bo_create_unmapped(self->fd, 4096, &bo));
	EXPECT_EQ(0, bo_close(self->fd, &bo));
	EXPECT_EQ(-EINVAL, bo_close(self->fd, &bo));
	EXPECT_EQ(-ENOENT, bo_prep(self->fd, &bo));
}

struct guesser {
	pthread_t thread;
	int fd;
	volatile bool stop;
};

/* Handles are small numbers: use those that CREATE_BO is about to return. */
static void *guess_handles(void *data)
{
	struct guesser *guesser = data;

	for (uint32_t i = 0; !guesser->stop; i++) {
		struct bo bo = { .handle = 1 + i % 4 };

		bo_fini(guesser->fd, &bo);
		bo_prep_until(guesser->fd, &bo, 0);
		bo_close(guesser->fd, &bo);
	}
	return NULL;
}

TEST_F(bo, handles_may_be_guessed)	/* U6 */
{
	struct guesser guesser = { .fd = self->fd };
	struct bo bo;

	ASSERT_EQ(0, pthread_create(&guesser.thread, NULL, guess_handles, &guesser));
	for (int i = 0; i < 200; i++) {
		int ret = bo_create_unmapped(self->fd, 4096, &bo);

		/* the guesser may have closed it before it was told here */
		ASSERT_TRUE(ret == 0 || ret == -ENOENT);
	}
	guesser.stop = true;
	pthread_join(guesser.thread, NULL);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F_TIMEOUT(bo, five_thousand_buffers_need_no_descriptors, SLOW_SECONDS)	/* M1 */
{
	const struct rlimit limit = { 256, 256 };
	static struct bo bos[5000];

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (int i = 0; i < 5000; i++)
		ASSERT_EQ(0, bo_create_unmapped(self->fd, 4096, &bos[i]));
	for (int i = 0; i < 5000; i++)
		ASSERT_EQ(0, bo_close(self->fd, &bos[i]));
}

TEST_F(bo, addresses_are_used_again)
{
	uint64_t highest = 0;
	struct bo bo;

	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, bo_create_unmapped(self->fd, 64 << 10, &bo));
		if (bo.address > highest)
			highest = bo.address;
		ASSERT_EQ(0, bo_close(self->fd, &bo));
	}
	EXPECT_GT(1 << 20, highest);
}

TEST_HARNESS_MAIN
