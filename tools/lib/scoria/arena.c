// SPDX-License-Identifier: MIT
/* First-fit allocation in a 4 GiB window, see arena.h. */
#include "arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "error.h"
#include "limits.h"

#define PAGE 4096ull

int arena_init(struct arena *arena, uint64_t limit)
{
	void *base = mmap(NULL, NPU_WINDOW, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return error_set(ENOMEM, "device: cannot reserve 4 GiB of address space: %s",
				 strerror(errno));
	*arena = (struct arena){
		.base = base,
		.limit = limit && limit < NPU_WINDOW ? limit : NPU_WINDOW,
	};
	return 0;
}

void arena_destroy(struct arena *arena)
{
	munmap(arena->base, NPU_WINDOW);
	free(arena->ranges);
}

/* An unmapped page stays behind each range: an overrun meets it. */
static uint64_t footprint(uint64_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE + PAGE;
}

/* Index at which a range of @size goes, -1 when no gap is long enough. */
static ptrdiff_t find_gap(const struct arena *arena, uint64_t size, uint64_t *start)
{
	uint64_t from = PAGE;
	size_t i;

	for (i = 0; i < arena->n_ranges; i++) {
		if (arena->ranges[i].start - from >= footprint(size))
			break;
		from = arena->ranges[i].start + footprint(arena->ranges[i].size);
	}
	if (i == arena->n_ranges && NPU_WINDOW - from < footprint(size))
		return -1;
	*start = from;
	return i;
}

static int make_room(struct arena *arena)
{
	size_t max = arena->max_ranges ? 2 * arena->max_ranges : 64;
	void *ranges;

	if (arena->n_ranges < arena->max_ranges)
		return 0;
	ranges = realloc(arena->ranges, max * sizeof(*arena->ranges));
	if (!ranges)
		return error_no_memory();
	arena->ranges = ranges;
	arena->max_ranges = max;
	return 0;
}

int arena_alloc(struct arena *arena, uint64_t size, uint32_t *address)
{
	uint64_t start = 0;
	ptrdiff_t at;

	if (size > arena->limit - arena->used)
		return error_set(ENOSPC, "buffer: %llu bytes do not fit, %llu of %llu are in use",
				 (unsigned long long)size, (unsigned long long)arena->used,
				 (unsigned long long)arena->limit);
	at = find_gap(arena, size, &start);
	if (at < 0)
		return error_set(ENOSPC, "buffer: no %llu bytes in one piece are free in the 4 GiB window",
				 (unsigned long long)size);
	if (make_room(arena))
		return -ENOMEM;
	if (mprotect(arena->base + start, footprint(size) - PAGE, PROT_READ | PROT_WRITE))
		return error_set(ENOMEM, "buffer: %llu bytes: %s", (unsigned long long)size,
				 strerror(errno));
	memmove(arena->ranges + at + 1, arena->ranges + at,
		(arena->n_ranges - at) * sizeof(*arena->ranges));
	arena->ranges[at] = (struct arena_range){ start, size };
	arena->n_ranges++;
	arena->used += size;
	*address = start;
	return 0;
}

/* Index of the last range that starts at or before @address, or 0. */
static size_t search(const struct arena *arena, uint64_t address)
{
	size_t low = 0, high = arena->n_ranges;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (arena->ranges[mid].start <= address)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void arena_free(struct arena *arena, uint32_t address)
{
	size_t at = search(arena, address);
	uint64_t bytes = footprint(arena->ranges[at].size) - PAGE;

	/* the next owner gets zeros, and a late access by the CPU a fault */
	madvise(arena->base + address, bytes, MADV_DONTNEED);
	mprotect(arena->base + address, bytes, PROT_NONE);
	arena->used -= arena->ranges[at].size;
	arena->n_ranges--;
	memmove(arena->ranges + at, arena->ranges + at + 1,
		(arena->n_ranges - at) * sizeof(*arena->ranges));
}

static int inside(const struct arena_range *range, uint64_t address, uint64_t size)
{
	return address >= range->start && size <= range->size &&
	       address - range->start <= range->size - size;
}

void *arena_find(const struct arena *arena, uint64_t address, uint64_t size, size_t *hit)
{
	if (!arena->n_ranges)
		return NULL;
	if (*hit >= arena->n_ranges || !inside(&arena->ranges[*hit], address, size))
		*hit = search(arena, address);
	if (!inside(&arena->ranges[*hit], address, size))
		return NULL;
	return arena->base + address;
}
