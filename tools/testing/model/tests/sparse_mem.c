// SPDX-License-Identifier: MIT
/* See sparse_mem.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sparse_mem.h"

#define REDZONE_BYTE 0xa5

/* Index of the first range that ends above @addr; mem->n when there is none. */
static size_t range_above(const struct sparse_mem *mem, uint64_t addr)
{
	size_t low = 0, high = mem->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct sparse_range *r = &mem->ranges[mid];

		if (r->start + r->len > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int range_reserve(struct sparse_mem *mem)
{
	size_t size = mem->size ? 2 * mem->size : 16;
	struct sparse_range *ranges;

	if (mem->n < mem->size)
		return 0;
	ranges = realloc(mem->ranges, size * sizeof(*ranges));
	if (!ranges)
		return -ENOMEM;
	mem->ranges = ranges;
	mem->size = size;
	return 0;
}

static uint8_t *redzoned_alloc(uint64_t len)
{
	uint8_t *block = calloc(1, len + 2 * SPARSE_MEM_REDZONE);

	if (!block)
		return NULL;
	memset(block, REDZONE_BYTE, SPARSE_MEM_REDZONE);
	memset(block + SPARSE_MEM_REDZONE + len, REDZONE_BYTE, SPARSE_MEM_REDZONE);
	return block + SPARSE_MEM_REDZONE;
}

uint8_t *sparse_mem_map(struct sparse_mem *mem, uint32_t start, uint64_t len)
{
	size_t at = range_above(mem, start);
	struct sparse_range r = { .start = start, .len = len };

	if (!len || len > (1ull << 32) - start) {
		errno = EINVAL;
		return NULL;
	}
	if (at < mem->n && mem->ranges[at].start < start + len) {
		errno = EEXIST;
		return NULL;
	}
	if (range_reserve(mem))
		return NULL;
	r.data = redzoned_alloc(len);
	if (!r.data)
		return NULL;
	memmove(&mem->ranges[at + 1], &mem->ranges[at], (mem->n - at) * sizeof(r));
	mem->ranges[at] = r;
	mem->n++;
	return r.data;
}

int sparse_mem_unmap(struct sparse_mem *mem, uint32_t start)
{
	size_t at = range_above(mem, start);

	if (at == mem->n || mem->ranges[at].start != start)
		return -ENOENT;
	free(mem->ranges[at].data - SPARSE_MEM_REDZONE);
	mem->n--;
	memmove(&mem->ranges[at], &mem->ranges[at + 1], (mem->n - at) * sizeof(mem->ranges[0]));
	return 0;
}

void sparse_mem_free(struct sparse_mem *mem)
{
	for (size_t i = 0; i < mem->n; i++)
		free(mem->ranges[i].data - SPARSE_MEM_REDZONE);
	free(mem->ranges);
	memset(mem, 0, sizeof(*mem));
}

uint8_t *sparse_mem_at(const struct sparse_mem *mem, uint32_t addr)
{
	size_t at = range_above(mem, addr);

	if (at == mem->n || mem->ranges[at].start > addr)
		return NULL;
	return mem->ranges[at].data + (addr - mem->ranges[at].start);
}

/* Index of the range with @addr if all of @len bytes are mapped, else mem->n. */
static size_t range_of(struct sparse_mem *mem, uint32_t addr, size_t len)
{
	size_t first = range_above(mem, addr);
	uint64_t at = addr;

	for (size_t i = first; at < (uint64_t)addr + len; i++) {
		if (i == mem->n || mem->ranges[i].start > at) {
			mem->faults++;
			mem->fault_at = at;
			return mem->n;
		}
		at = mem->ranges[i].start + mem->ranges[i].len;
	}
	return first;
}

/* The bytes of @r from @addr on, at most *@len; *@len becomes their number. */
static uint8_t *range_bytes(const struct sparse_range *r, uint64_t addr, size_t *len)
{
	uint64_t left = r->start + r->len - addr;

	if (*len > left)
		*len = left;
	return r->data + (addr - r->start);
}

int sparse_mem_read(struct sparse_mem *mem, uint32_t addr, void *buf, size_t len)
{
	size_t i = range_of(mem, addr, len);
	uint8_t *to = buf;

	if (i == mem->n)
		return -EFAULT;
	mem->reads++;
	for (uint64_t at = addr; len; i++) {
		size_t part = len;
		const uint8_t *from = range_bytes(&mem->ranges[i], at, &part);

		memcpy(to, from, part);
		to += part;
		at += part;
		len -= part;
	}
	return 0;
}

int sparse_mem_write(struct sparse_mem *mem, uint32_t addr, const void *buf, size_t len)
{
	size_t i = range_of(mem, addr, len);
	const uint8_t *from = buf;

	if (i == mem->n)
		return -EFAULT;
	mem->writes++;
	for (uint64_t at = addr; len; i++) {
		size_t part = len;
		uint8_t *to = range_bytes(&mem->ranges[i], at, &part);

		memcpy(to, from, part);
		from += part;
		at += part;
		len -= part;
	}
	return 0;
}

static int redzone_intact(const uint8_t *zone)
{
	for (size_t i = 0; i < SPARSE_MEM_REDZONE; i++)
		if (zone[i] != REDZONE_BYTE)
			return 0;
	return 1;
}

int sparse_mem_intact(const struct sparse_mem *mem)
{
	for (size_t i = 0; i < mem->n; i++) {
		const struct sparse_range *r = &mem->ranges[i];

		if (!redzone_intact(r->data - SPARSE_MEM_REDZONE) ||
		    !redzone_intact(r->data + r->len))
			return 0;
	}
	return 1;
}

int sparse_mem_bus_read(void *mem, uint32_t addr, void *buf, size_t len)
{
	return sparse_mem_read(mem, addr, buf, len);
}

int sparse_mem_bus_write(void *mem, uint32_t addr, const void *buf, size_t len)
{
	return sparse_mem_write(mem, addr, buf, len);
}
