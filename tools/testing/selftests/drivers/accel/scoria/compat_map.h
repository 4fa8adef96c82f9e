/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases of compat.c: buffers in the memory of processes. */
#ifndef SCORIA_COMPAT_MAP_H
#define SCORIA_COMPAT_MAP_H

#include <sys/wait.h>

#include "compat.h"

#define MAP_PAGES	2

/* A buffer of MAP_PAGES pages, with a number in each. */
static void numbered(struct world *w, struct bo *bo)
{
	bo_create(w->fd, MAP_PAGES * PAGE, bo);
	for (int i = 0; i < MAP_PAGES; i++)
		bo->map[i * PAGE] = (uint8_t)(i + 1);
}

/* Flags and protection in the low bytes of the value. */
static void map_as(struct world *w, const struct compat_case *c)
{
	const int prot = (int)(c->value & 0xff), flags = (int)(c->value >> 8);
	struct bo bo;
	uint8_t *map;

	numbered(w, &bo);
	map = mmap(NULL, MAP_PAGES * PAGE, prot, flags, w->fd, (off_t)bo.offset);
	say_result(w, outcome((long)map));
	if (map == MAP_FAILED)
		return;
	say(w, ": %u %u", map[0], map[PAGE]);
	if (prot & PROT_WRITE) {
		map[0] = 77;
		say_bool(w, "shared", bo.map[0] == 77);
	}
}

/* Pages from a page of the buffer on. */
static void map_pages(struct world *w, const struct compat_case *c)
{
	const uint64_t from = c->value >> 8, pages = c->value & 0xff;
	struct bo bo;

	numbered(w, &bo);
	say_result(w, outcome((long)mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, w->fd,
					 (off_t)(bo.offset + from * PAGE))));
}

static void map_offset(struct world *w, const struct compat_case *c)
{
	say_result(w, outcome((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, w->fd,
					 (off_t)c->value)));
}

static void map_of_other_file(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_result(w, outcome((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, w->other,
					 (off_t)w->matmul.commands.offset)));
}

static void map_closed(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	(void)c;
	bo_create_unmapped(w->fd, PAGE, &bo);
	bo_close(w->fd, &bo);
	say_result(w, outcome((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, w->fd,
					 (off_t)bo.offset)));
}

/* The file is open to be read only. */
static void map_of_read_only(struct world *w, const struct compat_case *c)
{
	struct bo bo;
	int fd = open("/dev/accel/accel0", O_RDONLY | O_CLOEXEC);

	(void)w;
	say_result(w, bo_create_unmapped(fd, PAGE, &bo));
	say_result(w, outcome((long)mmap(NULL, PAGE, (int)c->value, MAP_SHARED, fd,
					 (off_t)bo.offset)));
}

static void map_outlives(struct world *w, const struct compat_case *c)
{
	struct bo bo;
	uint8_t *map;

	(void)c;
	numbered(w, &bo);
	map = bo.map;
	bo.map = NULL;
	say_result(w, bo_close(w->fd, &bo));
	close(w->fd);
	say(w, ": %u %u", map[0], map[PAGE]);
	map[0] = 9;
	say(w, " %u", map[0]);
}

static void map_remap(struct world *w, const struct compat_case *c)
{
	struct bo bo;
	uint8_t *map;

	numbered(w, &bo);
	map = mremap(bo.map, MAP_PAGES * PAGE, c->value * PAGE, MREMAP_MAYMOVE);
	say_result(w, outcome((long)map));
	if (map != MAP_FAILED)
		say(w, ": %u", map[0]);
}

static void map_move(struct world *w, const struct compat_case *c)
{
	uint8_t *to = mmap(NULL, MAP_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct bo bo;

	(void)c;
	numbered(w, &bo);
	to = mremap(bo.map, MAP_PAGES * PAGE, MAP_PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	say_result(w, outcome((long)to));
	say(w, ": %u %u", to[0], to[PAGE]);
}

static void map_unmap_part(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	(void)c;
	numbered(w, &bo);
	say_result(w, outcome(munmap(bo.map, PAGE)));
	say(w, ": %u", bo.map[PAGE]);
	say_result(w, prep(w->fd, bo.handle, 0, 0));
}

static void map_protect(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	(void)c;
	numbered(w, &bo);
	say_result(w, outcome(mprotect(bo.map, PAGE, PROT_READ)));
	say_result(w, outcome(mprotect(bo.map, PAGE, PROT_READ | PROT_WRITE)));
	say_result(w, outcome(mprotect(bo.map, PAGE, PROT_READ | PROT_EXEC)));
}

static void map_advise(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	numbered(w, &bo);
	say_result(w, outcome(madvise(bo.map, PAGE, (int)c->value)));
	say(w, ": %u", bo.map[0]);
}

static void map_in_child(struct world *w, const struct compat_case *c)
{
	struct bo bo;
	int status;

	(void)c;
	numbered(w, &bo);
	if (!fork()) {
		bo.map[0] = 55;
		_exit(bo.map[PAGE]);
	}
	wait(&status);
	say(w, "%d %u", WEXITSTATUS(status), bo.map[0]);
}

/* The kernel reads and writes a buffer itself, as it does for who reads a file into it. */
static void map_of_system_calls(struct world *w, const struct compat_case *c)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC), ends[2];
	struct bo bo;

	(void)c;
	numbered(w, &bo);
	say(w, "%zd", read(fd, bo.map, PAGE));
	say(w, " %d", pipe(ends));
	say(w, " %zd", write(ends[1], bo.map, PAGE));
}

static void map_lock(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	(void)c;
	numbered(w, &bo);
	say_result(w, outcome(mlock(bo.map, PAGE)));
	say_result(w, outcome(msync(bo.map, PAGE, MS_SYNC)));
}

#define MAP(flags, prot)	((uint64_t)(flags) << 8 | (prot))
#define PAGES(from, n)		((uint64_t)(from) << 8 | (n))

static const struct compat_case map_cases[] = {
	{ "mmap: shared, to read", map_as, "0: 1 2", .value = MAP(MAP_SHARED, PROT_READ) },
	{ "mmap: shared", map_as, "0: 1 2 shared",
	  .value = MAP(MAP_SHARED, PROT_READ | PROT_WRITE) },
	{ "mmap: shared, to execute", map_as, "0: 1 2",
	  .value = MAP(MAP_SHARED, PROT_READ | PROT_EXEC) },
	{ "mmap: private, to read", map_as, "EINVAL", .value = MAP(MAP_PRIVATE, PROT_READ) },
	{ "mmap: private", map_as, "EINVAL", .value = MAP(MAP_PRIVATE, PROT_READ | PROT_WRITE) },
	{ "mmap: shared, populated", map_as, "0: 1 2 shared",
	  .value = MAP(MAP_SHARED | MAP_POPULATE, PROT_READ | PROT_WRITE) },
	{ "mmap: first page", map_pages, "0", .value = PAGES(0, 1) },
	{ "mmap: second page", map_pages, "EINVAL", .value = PAGES(1, 1) },
	{ "mmap: a page too much", map_pages, "EINVAL", .value = PAGES(0, MAP_PAGES + 1) },
	{ "mmap: behind the end", map_pages, "EINVAL", .value = PAGES(MAP_PAGES, 1) },
	{ "mmap: offset 0", map_offset, "EINVAL", .value = 0 },
	{ "mmap: offset odd", map_offset, "EINVAL", .value = 1 },
	{ "mmap: offset 2^63", map_offset, "EINVAL", .value = 1ull << 63 },
	{ "mmap: last offset", map_offset, "EINVAL", .value = -(uint64_t)PAGE },
	{ "mmap: of another file", map_of_other_file, "EACCES", .value = 0 },
	{ "mmap: handle closed", map_closed, "EINVAL", .value = 0 },
	{ "mmap: file to read, to read", map_of_read_only, "0 0", .value = PROT_READ },
	{ "mmap: file to read, to write", map_of_read_only, "0 EACCES",
	  .value = PROT_READ | PROT_WRITE },
	{ "mmap: outlives handle and file", map_outlives, "0: 1 2 9", .value = 0 },
	{ "mremap: longer", map_remap, "EFAULT", .value = MAP_PAGES + 1 },
	{ "mremap: shorter", map_remap, "0: 1", .value = MAP_PAGES - 1 },
	{ "mremap: elsewhere", map_move, "0: 1 2", .value = 0 },
	{ "munmap: a part", map_unmap_part, "0: 2 0", .value = 0 },
	{ "mprotect", map_protect, "0 0 0", .value = 0 },
	{ "madvise: DONTNEED", map_advise, "EINVAL: 1", .value = MADV_DONTNEED },
	{ "madvise: DONTFORK", map_advise, "0: 1", .value = MADV_DONTFORK },
	{ "madvise: REMOVE", map_advise, "ENODEV: 1", .value = MADV_REMOVE },
	{ "fork: mapping is shared", map_in_child, "2 55", .value = 0 },
	{ "read, write: into a mapping", map_of_system_calls, "4096 0 4096", .value = 0 },
	{ "mlock, msync", map_lock, "0 EINVAL", .value = 0 },
};

#endif
