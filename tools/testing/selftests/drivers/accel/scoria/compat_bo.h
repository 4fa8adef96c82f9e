/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases of compat.c: CREATE_BO, PREP_BO, FINI_BO. */
#ifndef SCORIA_COMPAT_BO_H
#define SCORIA_COMPAT_BO_H

#include "compat.h"

/* How many pages of the buffer can be mapped, up to 3. */
static int pages_of(int fd, const struct bo *bo)
{
	int pages = 3;

	for (; pages; pages--) {
		void *map = mmap(NULL, (size_t)pages * PAGE, PROT_READ, MAP_SHARED, fd,
				 (off_t)bo->offset);

		if (map == MAP_FAILED)
			continue;
		munmap(map, (size_t)pages * PAGE);
		break;
	}
	return pages;
}

static void create_size(struct world *w, const struct compat_case *c)
{
	struct bo bo;
	int ret = bo_create_unmapped(w->fd, (uint32_t)c->value, &bo);

	say_result(w, ret);
	if (ret)
		return;
	say(w, ": %d pages", pages_of(w->fd, &bo));
	say_bool(w, "aligned", !(bo.address % PAGE) && !(bo.offset % PAGE));
	say_bool(w, "in 32 bits", bo.address + bo.size <= 1ull << 32);
}

static void first_address(struct world *w, const struct compat_case *c)
{
	struct bo bo, next;

	(void)c;
	bo_create_unmapped(w->other, PAGE, &bo);
	bo_create_unmapped(w->other, PAGE, &next);
	say(w, "%#llx, then %#llx", (unsigned long long)bo.address,
	    (unsigned long long)next.address);
}

static void first_handles(struct world *w, const struct compat_case *c)
{
	struct bo bo, next, again;

	(void)c;
	bo_create_unmapped(w->other, PAGE, &bo);
	bo_create_unmapped(w->other, PAGE, &next);
	bo_close(w->other, &bo);
	bo_create_unmapped(w->other, PAGE, &again);
	say(w, "%u %u %u", bo.handle, next.handle, again.handle);
}

static void content_of_new(struct world *w, const struct compat_case *c)
{
	static const uint8_t zeros[PAGE];
	bool are_zeros = true;
	struct bo bo;

	(void)c;
	/* memory that was somebody's before */
	for (int i = 0; i < 64 && are_zeros; i++) {
		bo_create(w->fd, PAGE, &bo);
		are_zeros = !memcmp(bo.map, zeros, PAGE);
		memset(bo.map, 0xff, PAGE);
		bo_close(w->fd, &bo);
	}
	say_bool(w, "zeros", are_zeros);
}

static void argument_of(struct world *w, const struct compat_case *c)
{
	union {
		struct drm_scoria_rocket_create_bo args;
		uint8_t bytes[64];
	} u = { .args = { .size = PAGE } };
	const unsigned long size = c->value & 0xff;

	if (c->value >> 8)
		u.bytes[size - 1] = 1;
	say_result(w, drm_call(w->fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
					   DRM_COMMAND_BASE, size), &u));
	say_bool(w, "told", u.args.handle);
}

static void create_into(struct world *w, const struct compat_case *c)
{
	say_result(w, drm_call(w->fd, DRM_IOCTL_SCORIA_ROCKET_CREATE_BO, (void *)c->value));
}

static void access_handle(struct world *w, const struct compat_case *c)
{
	say_result(w, prep(w->fd, (uint32_t)c->value, 0, 0));
	say_result(w, fini(w->fd, (uint32_t)c->value, 0));
}

static void access_reserved(struct world *w, const struct compat_case *c)
{
	const uint32_t handle = c->value ? w->matmul.commands.handle : 0x7fffffff;

	say_result(w, prep(w->fd, handle, 1, 0));
	say_result(w, fini(w->fd, handle, 0x80000000));
}

static void access_closed(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	(void)c;
	bo_create_unmapped(w->fd, PAGE, &bo);
	bo_close(w->fd, &bo);
	say_result(w, prep(w->fd, bo.handle, 0, 0));
	say_result(w, fini(w->fd, bo.handle, 0));
}

/* A handle of the one file, in the other, which has none. */
static void access_of_other_file(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_result(w, prep(w->other, w->matmul.commands.handle, 0, 0));
	say_result(w, fini(w->other, w->matmul.commands.handle, 0));
}

static void access_twice(struct world *w, const struct compat_case *c)
{
	const uint32_t handle = w->matmul.commands.handle;

	(void)c;
	say_result(w, prep(w->fd, handle, 0, 0));
	say_result(w, prep(w->fd, handle, 0, 0));
	say_result(w, fini(w->fd, handle, 0));
	say_result(w, fini(w->fd, handle, 0));
}

static void prep_idle(struct world *w, const struct compat_case *c)
{
	say_result(w, prep(w->fd, w->matmul.commands.handle, 0, (int64_t)c->value));
}

/* While a job writes the output: at once or for a while, and then to the end. */
static void prep_busy(struct world *w, const struct compat_case *c)
{
	const uint32_t handle = w->matmul.region[JOB_OUTPUT].handle;

	say_submit_held(w);
	say_result(w, prep(w->fd, handle, 0, (int64_t)c->value < 2 ? (int64_t)c->value :
			   now_ns() + (int64_t)c->value));
	board_open_gate(w->board);
	say_result(w, prep(w->fd, handle, 0, INT64_MAX));
	say_output(w);
}

static void prep_input_busy(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_submit_held(w);
	say_result(w, prep(w->fd, w->matmul.region[JOB_INPUT].handle, 0, 0));
	board_open_gate(w->board);
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
}

static void fini_busy(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_submit_held(w);
	say_result(w, fini(w->fd, w->matmul.region[JOB_OUTPUT].handle, 0));
	board_open_gate(w->board);
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

static void prep_hung(struct world *w, const struct compat_case *c)
{
	(void)c;
	board_break(w->board, BOARD_STUCK, 1);
	say_submit(w);
	board_mend(w->board);
	say_result(w, matmul_runs(w->fd));
}

static void close_busy(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_submit_held(w);
	say_result(w, bo_close(w->fd, &w->matmul.region[JOB_INPUT]));
	board_open_gate(w->board);
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

#define A_PAGE	"0: 1 pages aligned in 32 bits"

static const struct compat_case bo_cases[] = {
	{ "create: size 0", create_size, NULL, .value = 0 },
	{ "create: size 1", create_size, A_PAGE, .value = 1 },
	{ "create: size 4095", create_size, A_PAGE, .value = 4095 },
	{ "create: size 4096", create_size, A_PAGE, .value = 4096 },
	{ "create: size 4097", create_size, "0: 2 pages aligned in 32 bits", .value = 4097 },
	{ "create: size 16 MiB + 1", create_size, "0: 3 pages aligned in 32 bits",
	  .value = (16 << 20) + 1 },
	{ "create: size 0xf0000000", create_size, NULL, .value = 0xf0000000 },
	{ "create: size 0xffffffff", create_size, NULL, .value = 0xffffffff },
	{ "create: first addresses", first_address, NULL, .value = 0 },
	{ "create: handles", first_handles, "1 2 1", .value = 0 },
	{ "create: content", content_of_new, "zeros", .value = 0 },
	{ "create: argument of 4 bytes", argument_of, "0 not told", .value = 4 },
	{ "create: argument with a zero tail", argument_of, "0 told", .value = 32 },
	{ "create: argument with a tail", argument_of, NULL, .value = 1 << 8 | 32 },
	{ "create: argument NULL", create_into, "EFAULT", .value = 0 },
	{ "create: argument unmapped", create_into, "EFAULT", .value = PAGE },
	{ "prep, fini: handle 0", access_handle, "ENOENT ENOENT", .value = 0 },
	{ "prep, fini: handle unknown", access_handle, "ENOENT ENOENT", .value = 0x7fffffff },
	{ "prep, fini: handle 0xffffffff", access_handle, "ENOENT ENOENT", .value = 0xffffffff },
	{ "prep, fini: reserved", access_reserved, "EINVAL EINVAL", .value = 1 },
	{ "prep, fini: reserved, handle unknown", access_reserved, "EINVAL EINVAL", .value = 0 },
	{ "prep, fini: handle closed", access_closed, "ENOENT ENOENT", .value = 0 },
	{ "prep, fini: handle of another file", access_of_other_file, "ENOENT ENOENT", .value = 0 },
	{ "prep, fini: twice", access_twice, "0 0 0 0", .value = 0 },
	{ "prep: idle, timeout 0", prep_idle, "0", .value = 0 },
	{ "prep: idle, timeout past", prep_idle, "0", .value = PAST },
	{ "prep: idle, timeout -1", prep_idle, "0", .value = (uint64_t)-1 },
	{ "prep: idle, least timeout", prep_idle, "0", .value = (uint64_t)INT64_MIN },
	{ "prep: idle, greatest timeout", prep_idle, "0", .value = INT64_MAX },
	{ "prep: busy, timeout 0", prep_busy, "0 EBUSY 0 right", .value = 0 },
	{ "prep: busy, timeout past", prep_busy, "0 EBUSY 0 right", .value = PAST },
	{ "prep: busy, timeout -1", prep_busy, "0 EBUSY 0 right", .value = (uint64_t)-1 },
	{ "prep: busy, for a while", prep_busy, "0 ETIMEDOUT 0 right",
	  .value = SHORT_MS * NS_PER_MS },
	{ "prep: input of a job", prep_input_busy, NULL, .value = 0 },
	{ "prep: job that hangs", prep_hung, NULL, .value = 0 },
	{ "fini: busy", fini_busy, "0 0 0 right", .value = 0 },
	{ "close: buffer of a job", close_busy, "0 0 0 right", .value = 0 },
};

#endif
