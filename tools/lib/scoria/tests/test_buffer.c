// SPDX-License-Identifier: MIT
/* Buffers: addresses, contents, limits, and what a job that leaves them gets. */
#include <errno.h>

#include "../../../testing/model/tests/tap.h"
#include "../device.h"
#include "shape.h"

#define N 300

static uint32_t end_of(const struct scoria_buffer *buffer)
{
	return scoria_buffer_address(buffer) + scoria_buffer_size(buffer);
}

static bool overlap(const struct scoria_buffer *a, const struct scoria_buffer *b)
{
	return scoria_buffer_address(a) < end_of(b) && scoria_buffer_address(b) < end_of(a);
}

static void check_all(struct scoria_buffer *const *buffers)
{
	int i, j;

	for (i = 0; i < N; i++) {
		EXPECT(scoria_buffer_address(buffers[i]) != 0);
		EXPECT_EQ(0, scoria_buffer_address(buffers[i]) % 4096);
		EXPECT_EQ(i, *(uint8_t *)scoria_buffer_map(buffers[i]) +
			     256 * (i / 256));
		for (j = 0; j < i; j++)
			EXPECT(!overlap(buffers[i], buffers[j]));
	}
}

TEST(buffers_are_apart_aligned_and_never_at_zero)
{
	struct scoria_device *dev = shape_device();
	struct random random = { 5 };
	struct scoria_buffer *buffers[N];
	int i;

	for (i = 0; i < N; i++) {
		ASSERT(!scoria_buffer_create(dev, random_range(&random, 1, 20000), &buffers[i]));
		*(uint8_t *)scoria_buffer_map(buffers[i]) = i;
	}
	check_all(buffers);
	/* holes of all sizes are filled again, and nobody else notices */
	for (i = 0; i < N; i += 3) {
		scoria_buffer_destroy(buffers[i]);
		ASSERT(!scoria_buffer_create(dev, random_range(&random, 1, 30000), &buffers[i]));
		EXPECT_EQ(0, *(uint8_t *)scoria_buffer_map(buffers[i]));
		*(uint8_t *)scoria_buffer_map(buffers[i]) = i;
	}
	check_all(buffers);
	for (i = 0; i < N; i++)
		scoria_buffer_destroy(buffers[i]);
	scoria_device_close(dev);
}

TEST(the_window_ends_at_4_gib)
{
	struct scoria_device *dev = shape_device();
	struct scoria_buffer *large = NULL, *rest = NULL;

	EXPECT_EQ(-EINVAL, scoria_buffer_create(dev, 0, &rest));
	EXPECT_EQ(-ENOSPC, scoria_buffer_create(dev, 1ull << 32, &rest));
	EXPECT_EQ(-ENOSPC, scoria_buffer_create(dev, UINT64_MAX, &rest));
	ASSERT(!scoria_buffer_create(dev, (1ull << 32) - 3 * 4096, &large));
	EXPECT_EQ(-ENOSPC, scoria_buffer_create(dev, 4096, &rest));
	EXPECT_STR("4 GiB", scoria_error());
	scoria_buffer_destroy(large);
	EXPECT_EQ(0, scoria_buffer_create(dev, 4096, &rest));
	scoria_buffer_destroy(rest);
	scoria_device_close(dev);
}

TEST(sync_stays_inside_the_buffer)
{
	struct scoria_device *dev = shape_device();
	struct scoria_buffer *buffer;

	ASSERT(!scoria_buffer_create(dev, 100, &buffer));
	EXPECT_EQ(0, scoria_buffer_sync(buffer, 0, 100, SCORIA_SYNC_TO_DEVICE));
	EXPECT_EQ(0, scoria_buffer_sync(buffer, 100, 0, SCORIA_SYNC_FROM_DEVICE));
	EXPECT_EQ(-EINVAL, scoria_buffer_sync(buffer, 1, 100, SCORIA_SYNC_TO_DEVICE));
	EXPECT_EQ(-EINVAL, scoria_buffer_sync(buffer, UINT64_MAX, 2, SCORIA_SYNC_TO_DEVICE));
	EXPECT_EQ(-EINVAL, scoria_buffer_sync(buffer, 0, 1, 3));
	scoria_buffer_destroy(buffer);
	scoria_device_close(dev);
}

/* A job whose commands are not in memory fails, and the next one computes. */
TEST(a_failed_job_is_reported_and_the_device_goes_on)
{
	const struct scoria_matmul_opts good = { .size = sizeof(good), .type = SCORIA_FP16,
						 .out = SCORIA_FP32, .m = 3, .k = 4, .n = 5 };
	struct scoria_device *dev = shape_device();
	struct random random = { 1 };
	struct scoria_buffer *zeros;
	struct npu_job job = { .address = 0x10000000, .words = 126, .pitch = 1024, .tasks = 1 };

	EXPECT_EQ(-EFAULT, device_submit(dev, &job, 1));
	EXPECT_STR("bus access", scoria_error());
	/* no-operations, and no word that starts the blocks */
	ASSERT(!scoria_buffer_create(dev, 4096, &zeros));
	job.address = scoria_buffer_address(zeros);
	EXPECT_EQ(-ETIMEDOUT, device_submit(dev, &job, 1));
	EXPECT_STR("hangs", scoria_error());
	memset(scoria_buffer_map(zeros), 0xff, 4096);
	EXPECT_EQ(-EINVAL, device_submit(dev, &job, 1));
	EXPECT_STR("broken", scoria_error());
	EXPECT_RIGHT(shape_matmul(dev, &good, &random));
	scoria_buffer_destroy(zeros);
	scoria_device_close(dev);
}

TEST_MAIN()
