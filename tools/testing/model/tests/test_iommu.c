// SPDX-License-Identifier: MIT
/*
 * The IOMMU (programming-model I4): registers, walks of 40-bit tables, faults,
 * stalls, the TLB. Offsets and bits are restated from that page.
 */
#include <errno.h>
#include <string.h>

#include "../iommu.h"
#include "tap.h"

#define DTE_ADDR	0x00
#define STATUS		0x04
#define COMMAND		0x08
#define PAGE_FAULT_ADDR	0x0c
#define ZAP_ONE_LINE	0x10
#define INT_RAWSTAT	0x14
#define INT_CLEAR	0x18
#define INT_MASK	0x1c
#define INT_STATUS	0x20

#define PAGING		0
#define NO_PAGING	1
#define STALL		2
#define NO_STALL	3
#define ZAP		4
#define FAULT_DONE	5
#define FORCE_RESET	6

#define ST_PAGING	(1u << 0)
#define ST_FAULT	(1u << 1)
#define ST_STALL	(1u << 2)
#define ST_WRITE	(1u << 5)

/* The directory is at 0xab12345000, the one table of it at 0x3456789000. */
#define DIRECTORY	0xab12345000ull
#define DIRECTORY_ENTRY	0x12345ba0u	/* [31:12], [35:32] in 11:8, [39:36] in 7:4 */
#define TABLE		0x3456789000ull
#define TABLE_ENTRY	0x56789431u
#define IOVA		0x00403000u	/* directory index 1, table index 3 */

struct tables {
	struct iommu *iommu;
	uint32_t pte;
	bool dead;
	bool level;
	unsigned int walks;
};

static int read_entry(void *ctx, uint64_t pa, uint32_t *entry)
{
	struct tables *tables = ctx;

	tables->walks++;
	*entry = 0;
	if (tables->dead)
		return -EFAULT;
	if (pa == DIRECTORY + 4 * 1)
		*entry = TABLE_ENTRY;
	if (pa == TABLE + 4 * 3)
		*entry = tables->pte;
	return 0;
}

static void irq(void *ctx, bool level)
{
	((struct tables *)ctx)->level = level;
}

static struct iommu *start(struct tables *tables, unsigned int banks)
{
	static const struct iommu_host host = { read_entry, irq };

	memset(tables, 0, sizeof(*tables));
	tables->pte = 0xcdef0127u;	/* 0x21cdef0000, readable, writable */
	tables->iommu = iommu_create(&host, tables, banks);
	for (unsigned int i = 0; i < banks; i++) {
		iommu_write(tables->iommu, i, DTE_ADDR, DIRECTORY_ENTRY);
		iommu_write(tables->iommu, i, INT_MASK, 3);
		iommu_write(tables->iommu, i, COMMAND, PAGING);
	}
	return tables->iommu;
}

TEST(addresses_have_40_bits_in_directory_and_pages)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	EXPECT_EQ(0, iommu_translate(iommu, IOVA + 0x123, false, &pa));
	EXPECT_EQ(0x21cdef0123ull, pa);
	EXPECT_EQ(2, tables.walks);
	iommu_destroy(iommu);
}

TEST(without_paging_addresses_pass)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	EXPECT(iommu_pages(iommu, 0));
	iommu_write(iommu, 0, COMMAND, NO_PAGING);
	EXPECT(!iommu_pages(iommu, 0));
	EXPECT_EQ(0, iommu_translate(iommu, 0xfedcba98u, true, &pa));
	EXPECT_EQ(0xfedcba98u, pa);
	EXPECT_EQ(0, iommu_read(iommu, 0, STATUS) & ST_PAGING);
	iommu_destroy(iommu);
}

TEST(unmapped_page_faults_with_its_address_and_direction)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	EXPECT_EQ(-EFAULT, iommu_translate(iommu, IOVA + 0x1010, true, &pa));
	EXPECT(tables.level);
	EXPECT_EQ(IOVA + 0x1010, iommu_read(iommu, 0, PAGE_FAULT_ADDR));
	EXPECT_EQ(ST_FAULT | ST_WRITE, iommu_read(iommu, 0, STATUS) & (ST_FAULT | ST_WRITE));
	EXPECT_EQ(1, iommu_read(iommu, 0, INT_STATUS));
	EXPECT_EQ(1, iommu_counters(iommu)->faults);
	iommu_write(iommu, 0, INT_CLEAR, 1);
	EXPECT(!tables.level);
	iommu_destroy(iommu);
}

TEST(access_without_the_right_faults)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	tables.pte = 0xcdef0123u;	/* readable only */
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(-EFAULT, iommu_translate(iommu, IOVA, true, &pa));
	iommu_write(iommu, 0, COMMAND, FORCE_RESET);
	iommu_destroy(iommu);
	iommu = start(&tables, 1);
	tables.pte = 0xcdef0125u;	/* writable only */
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, true, &pa));
	EXPECT_EQ(-EFAULT, iommu_translate(iommu, IOVA, false, &pa));
	iommu_destroy(iommu);
}

TEST(table_that_does_not_answer_is_a_bus_error)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	tables.dead = true;
	EXPECT_EQ(-EFAULT, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(2, iommu_read(iommu, 0, INT_RAWSTAT));
	iommu_destroy(iommu);
}

TEST(masked_interrupt_shows_in_the_raw_status_alone)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	iommu_write(iommu, 0, INT_MASK, 0);
	EXPECT_EQ(-EFAULT, iommu_translate(iommu, 0, false, &pa));
	EXPECT(!tables.level);
	EXPECT_EQ(0, iommu_read(iommu, 0, INT_STATUS));
	EXPECT_EQ(1, iommu_read(iommu, 0, INT_RAWSTAT));
	iommu_destroy(iommu);
}

TEST(old_page_is_used_until_its_line_is_zapped)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	tables.pte = 0x11110127u;
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(0x21cdef0000ull, pa);
	iommu_write(iommu, 0, ZAP_ONE_LINE, IOVA + 0x1000);
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(0x21cdef0000ull, pa);
	iommu_write(iommu, 0, ZAP_ONE_LINE, IOVA);
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(0x2111110000ull, pa);
	tables.pte = 0x22220127u;
	iommu_write(iommu, 0, COMMAND, ZAP);
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(0x2122220000ull, pa);
	iommu_destroy(iommu);
}

TEST(stall_is_immediate_unless_an_access_hangs_in_a_fault)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	iommu_write(iommu, 0, COMMAND, STALL);
	EXPECT_EQ(ST_STALL, iommu_read(iommu, 0, STATUS) & ST_STALL);
	iommu_write(iommu, 0, COMMAND, NO_STALL);
	EXPECT_EQ(1u << 31, iommu_read(iommu, 0, STATUS) & 1u << 31);
	EXPECT_EQ(-EFAULT, iommu_translate(iommu, 0, false, &pa));
	iommu_write(iommu, 0, COMMAND, STALL);
	EXPECT_EQ(0, iommu_read(iommu, 0, STATUS) & ST_STALL);
	iommu_reset(iommu);
	iommu_write(iommu, 0, COMMAND, PAGING);
	iommu_write(iommu, 0, COMMAND, STALL);
	EXPECT_EQ(ST_STALL, iommu_read(iommu, 0, STATUS) & ST_STALL);
	iommu_destroy(iommu);
}

TEST(fault_that_is_done_is_tried_again)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);
	uint64_t pa;

	tables.pte = 0;
	EXPECT_EQ(-EFAULT, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT(!iommu_wants_replay(iommu));
	iommu_write(iommu, 0, COMMAND, FAULT_DONE);
	EXPECT(iommu_wants_replay(iommu));
	iommu_write(iommu, 0, INT_CLEAR, 1);
	EXPECT_EQ(-EFAULT, iommu_replay(iommu));
	EXPECT(tables.level);
	tables.pte = 0xcdef0127u;
	iommu_write(iommu, 0, COMMAND, FAULT_DONE);
	EXPECT_EQ(0, iommu_replay(iommu));
	EXPECT(!iommu_wants_replay(iommu));
	EXPECT_EQ(2, iommu_counters(iommu)->faults);
	iommu_destroy(iommu);
}

TEST(force_reset_clears_the_directory_and_stops_paging)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 1);

	EXPECT_EQ(DIRECTORY_ENTRY, iommu_read(iommu, 0, DTE_ADDR));
	iommu_write(iommu, 0, DTE_ADDR, 0xcafebabeu);
	EXPECT_EQ(0xcafebab0u, iommu_read(iommu, 0, DTE_ADDR));
	iommu_write(iommu, 0, COMMAND, FORCE_RESET);
	EXPECT_EQ(0, iommu_read(iommu, 0, DTE_ADDR));
	EXPECT_EQ(0, iommu_read(iommu, 0, STATUS) & ST_PAGING);
	iommu_destroy(iommu);
}

TEST(two_banks_are_both_needed)
{
	struct tables tables;
	struct iommu *iommu = start(&tables, 2);
	uint64_t pa;

	iommu_write(iommu, 1, COMMAND, FORCE_RESET);
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, false, &pa));
	EXPECT_EQ(0x21cdef0000ull, pa);
	EXPECT_EQ(0, iommu_translate(iommu, IOVA, true, &pa));
	EXPECT_EQ(IOVA, pa);
	iommu_destroy(iommu);
}

TEST_MAIN()
