// SPDX-License-Identifier: MIT
/* The memory under the other tests: a hole must be a hole. */
#include <errno.h>

#include "sparse_mem.h"
#include "tap.h"

TEST(access_spans_adjacent_ranges)
{
	struct sparse_mem mem = { 0 };
	uint8_t buf[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, back[8];
	uint8_t *high = sparse_mem_map(&mem, 0x1010, 16);
	uint8_t *low = sparse_mem_map(&mem, 0x1000, 16);

	ASSERT(low && high);
	EXPECT_EQ(0, sparse_mem_write(&mem, 0x100c, buf, 8));
	EXPECT_EQ(4, low[15]);
	EXPECT_EQ(5, high[0]);
	EXPECT_EQ(0, sparse_mem_read(&mem, 0x100c, back, 8));
	EXPECT(!memcmp(buf, back, 8));
	sparse_mem_free(&mem);
}

TEST(access_that_touches_a_hole_changes_nothing)
{
	struct sparse_mem mem = { 0 };
	uint8_t buf[4] = { 1, 2, 3, 4 };
	uint8_t *low = sparse_mem_map(&mem, 0x1000, 16);
	uint8_t *high = sparse_mem_map(&mem, 0x1011, 16);

	ASSERT(low && high);
	EXPECT_EQ(-EFAULT, sparse_mem_write(&mem, 0x100e, buf, 4));
	EXPECT_EQ(0x1010, mem.fault_at);
	EXPECT_EQ(0, low[14]);
	EXPECT_EQ(0, high[0]);
	EXPECT_EQ(-EFAULT, sparse_mem_read(&mem, 0xfff, buf, 4));
	EXPECT_EQ(0xfff, mem.fault_at);
	EXPECT_EQ(1, buf[0]);
	EXPECT_EQ(2, mem.faults);
	EXPECT_EQ(0, sparse_mem_write(&mem, 0x100c, buf, 4));
	sparse_mem_free(&mem);
}

TEST(ranges_neither_overlap_nor_leave_32_bits)
{
	struct sparse_mem mem = { 0 };
	uint8_t byte;

	EXPECT(sparse_mem_map(&mem, 0xfffffff0, 16));
	EXPECT(!sparse_mem_map(&mem, 0xffffffff, 1) && errno == EEXIST);
	EXPECT(!sparse_mem_map(&mem, 0xffffffe0, 17) && errno == EEXIST);
	EXPECT(!sparse_mem_map(&mem, 0xffffffe0, 0) && errno == EINVAL);
	EXPECT(!sparse_mem_map(&mem, 0x10, 0xfffffff1) && errno == EINVAL);
	EXPECT(sparse_mem_map(&mem, 0xffffffe0, 16));
	EXPECT_EQ(0, sparse_mem_read(&mem, 0xffffffff, &byte, 1));
	sparse_mem_free(&mem);
}

TEST(unmapped_range_is_a_hole_again)
{
	struct sparse_mem mem = { 0 };
	uint8_t byte = 0;

	for (uint32_t at = 0; at < 48; at += 16)
		ASSERT(sparse_mem_map(&mem, at, 16));
	EXPECT_EQ(-ENOENT, sparse_mem_unmap(&mem, 17));
	EXPECT_EQ(0, sparse_mem_unmap(&mem, 16));
	EXPECT_EQ(0, sparse_mem_read(&mem, 15, &byte, 1));
	EXPECT_EQ(-EFAULT, sparse_mem_read(&mem, 16, &byte, 1));
	EXPECT_EQ(-EFAULT, sparse_mem_read(&mem, 31, &byte, 1));
	EXPECT_EQ(0, sparse_mem_read(&mem, 32, &byte, 1));
	EXPECT_EQ(-ENOENT, sparse_mem_unmap(&mem, 16));
	sparse_mem_free(&mem);
}

TEST(redzone_shows_a_write_beside_a_range)
{
	struct sparse_mem mem = { 0 };
	uint8_t *bytes = sparse_mem_map(&mem, 0, 16);

	ASSERT(bytes);
	EXPECT(sparse_mem_intact(&mem));
	bytes[16] ^= 1;
	EXPECT(!sparse_mem_intact(&mem));
	bytes[16] ^= 1;
	bytes[-1] ^= 1;
	EXPECT(!sparse_mem_intact(&mem));
	sparse_mem_free(&mem);
}

TEST_MAIN()
