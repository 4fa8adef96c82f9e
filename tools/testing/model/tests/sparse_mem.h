/* SPDX-License-Identifier: MIT */
/*
 * Memory of a test: ranges of a 32-bit bus with nothing between them. What no
 * range covers is not mapped, and an access that touches it fails as a whole.
 */
#ifndef SPARSE_MEM_H
#define SPARSE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Bytes around each range that nobody may write; see sparse_mem_intact(). */
#define SPARSE_MEM_REDZONE 64

struct sparse_range {
	uint64_t start;
	uint64_t len;
	uint8_t *data;		/* @len bytes between two redzones */
};

/**
 * struct sparse_mem - mapped memory; all zero is an empty one
 * @ranges:   by ascending start, disjoint
 * @n:        ranges in use
 * @size:     ranges allocated
 * @reads:    accesses answered, by the bus
 * @writes:   likewise
 * @faults:   accesses refused
 * @fault_at: first byte not mapped of the last refused access
 */
struct sparse_mem {
	struct sparse_range *ranges;
	size_t n;
	size_t size;
	uint64_t reads;
	uint64_t writes;
	uint64_t faults;
	uint32_t fault_at;
};

/*
 * Map @len zero bytes at @start and return them; they stay where they are
 * until unmapped. NULL with errno EINVAL for an empty range or one
 * beyond 2^32, EEXIST when it overlaps another, ENOMEM.
 */
uint8_t *sparse_mem_map(struct sparse_mem *mem, uint32_t start, uint64_t len);
/* Take out the range that starts at @start; -ENOENT when none does. */
int sparse_mem_unmap(struct sparse_mem *mem, uint32_t start);
void sparse_mem_free(struct sparse_mem *mem);

/* The byte at @addr, followed by the rest of its range; NULL when not mapped. */
uint8_t *sparse_mem_at(const struct sparse_mem *mem, uint32_t addr);

/*
 * Copy @len bytes, which may span adjacent ranges. 0, or -EFAULT when not all
 * of them are mapped; then nothing is copied.
 */
int sparse_mem_read(struct sparse_mem *mem, uint32_t addr, void *buf, size_t len);
int sparse_mem_write(struct sparse_mem *mem, uint32_t addr, const void *buf, size_t len);

/* Whether no redzone was written to. */
int sparse_mem_intact(const struct sparse_mem *mem);

/* sparse_mem_read() and _write() as members of struct npu_host. */
int sparse_mem_bus_read(void *mem, uint32_t addr, void *buf, size_t len);
int sparse_mem_bus_write(void *mem, uint32_t addr, const void *buf, size_t len);

#endif
