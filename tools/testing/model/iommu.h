/* SPDX-License-Identifier: MIT */
/*
 * The IOMMU in front of a core: Rockchip's, with 40-bit page tables
 * (programming-model I4). The test board puts it between the core's model and
 * memory; it knows nothing of either.
 *
 * Threads: one at a time.
 */
#ifndef IOMMU_H
#define IOMMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IOMMU_PAGE_BYTES	4096u
#define IOMMU_MAX_BANKS		2

struct iommu;

/**
 * struct iommu_host - what surrounds the IOMMU
 * @read_entry: a 32-bit page table entry at physical address @pa; 0, or a
 *              negative errno when nothing answers there
 * @irq:        the interrupt line changed to @level
 */
struct iommu_host {
	int (*read_entry)(void *ctx, uint64_t pa, uint32_t *entry);
	void (*irq)(void *ctx, bool level);
};

/**
 * struct iommu_counters - what it has done since iommu_create()
 * @walks:  translations that read the page table
 * @faults: page faults and bus errors
 * @zaps:   zap commands and zapped lines
 */
struct iommu_counters {
	uint64_t walks;
	uint64_t faults;
	uint64_t zaps;
};

/* One with @n_banks register banks (1 or 2). @host is copied. NULL: ENOMEM. */
struct iommu *iommu_create(const struct iommu_host *host, void *ctx, unsigned int n_banks);
void iommu_destroy(struct iommu *iommu);

/* As after power-up: paging off, every register lost, pending faults dropped. */
void iommu_reset(struct iommu *iommu);

uint32_t iommu_read(struct iommu *iommu, unsigned int bank, uint32_t offset);
void iommu_write(struct iommu *iommu, unsigned int bank, uint32_t offset, uint32_t value);

/* Whether the bank translates addresses, which are physical ones otherwise. */
bool iommu_pages(const struct iommu *iommu, unsigned int bank);

/*
 * The physical address of @iova, for the rest of its page. 0, or -EFAULT after
 * a fault was raised; the access then waits for iommu_replay().
 */
int iommu_translate(struct iommu *iommu, uint32_t iova, bool write, uint64_t *pa);

/* An access has faulted, and the guest has commanded that it be tried again. */
bool iommu_wants_replay(const struct iommu *iommu);

/* Try the waiting access again: 0, or -EFAULT after it raised its fault again. */
int iommu_replay(struct iommu *iommu);

const struct iommu_counters *iommu_counters(const struct iommu *iommu);

#endif
