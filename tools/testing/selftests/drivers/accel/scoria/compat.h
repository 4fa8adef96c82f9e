/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cases of compat.c share. A case is a call or a few, whose results it says in
 * words; what these have to be stands with the case, or in the table of differences
 * between the in-tree driver and ours where they are not the same on both.
 */
#ifndef SCORIA_COMPAT_TEST_H
#define SCORIA_COMPAT_TEST_H

#include <stdarg.h>
#include <stddef.h>

#include "dmabuf.h"
#include "scoria_test.h"

#define PAGE		4096
#define PAST		1	/* absolute time, ns: long ago */
#define SHORT_MS	20

/* What a case has: files, a job that computes, and room for longer structs than ours. */
struct world {
	int fd;
	int other;
	volatile uint32_t *board;
	struct matmul matmul;
	struct submission s;
	uint8_t jobs[2 * PAGE];
	uint8_t tasks[2 * PAGE];
	char *text;
};

struct compat_case {
	const char *name;
	void (*run)(struct world *w, const struct compat_case *c);
	/* NULL: it is in the table of differences. */
	const char *want;
	/* A field of the world, with the value that it is to have; or a number for the case. */
	uint64_t value;
	size_t at;
	size_t size;
	/* Other fields mean something else then: not to be combined. */
	bool alone;
};

#define TEXT_BYTES	128
#define FIELD(member)	.at = offsetof(struct world, member), \
			.size = sizeof(((struct world *)NULL)->member)

static inline void say(struct world *w, const char *format, ...)
{
	const size_t used = strlen(w->text);
	va_list args;

	va_start(args, format);
	vsnprintf(w->text + used, TEXT_BYTES - used, format, args);
	va_end(args);
}

/* A result of ours: a number, or the name of an error. */
static inline void say_result(struct world *w, int ret)
{
	const char *space = *w->text ? " " : "";

	if (ret < 0)
		say(w, "%s%s", space, strerrorname_np(-ret));
	else
		say(w, "%s%d", space, ret);
}

static inline void say_word(struct world *w, const char *word)
{
	say(w, "%s%s", *w->text ? " " : "", word);
}

static inline void say_bool(struct world *w, const char *word, bool is)
{
	say(w, "%s%s%s", *w->text ? " " : "", is ? "" : "not ", word);
}

/* What a call of libc's did: -errno, or 0 for whatever else it returns. */
static inline int outcome(long ret)
{
	return ret == -1 ? -errno : 0;
}

static inline void apply(struct world *w, const struct compat_case *c)
{
	/* little endian, as the NPU */
	memcpy((uint8_t *)w + c->at, &c->value, c->size);
}

static inline int world_submit(struct world *w)
{
	memcpy(w->jobs, &w->s.job, sizeof(w->s.job));
	memcpy(w->tasks, &w->s.task, sizeof(w->s.task));
	return submit(w->fd, &w->s);
}

static inline void say_output(struct world *w)
{
	say_word(w, matmul_is_right(&w->matmul) ? "right" :
		    matmul_is_untouched(&w->matmul) ? "untouched" : "wrong");
}

/* The submit, the wait for its output, and what is there. */
static inline void say_submit(struct world *w)
{
	say_result(w, world_submit(w));
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

static inline void world_init(struct world *w)
{
	matmul_create(w->fd, &w->matmul);
	matmul_prepare(&w->matmul, &w->s);
	w->s.submit.jobs = (uintptr_t)w->jobs;
	w->s.job.tasks = (uintptr_t)w->tasks;
}

static inline int prep(int fd, uint32_t handle, uint32_t reserved, int64_t timeout_ns)
{
	struct drm_scoria_rocket_prep_bo args = {
		.handle = handle, .reserved = reserved, .timeout_ns = timeout_ns,
	};

	return drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_PREP_BO, &args);
}

static inline int fini(int fd, uint32_t handle, uint32_t reserved)
{
	struct drm_scoria_rocket_fini_bo args = { .handle = handle, .reserved = reserved };

	return drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_FINI_BO, &args);
}

/* @size bytes of @data that end where nothing can be read any more. */
static inline void *at_page_end(const void *data, size_t size)
{
	uint8_t *place = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(place + PAGE, PAGE);
	return memcpy(place + PAGE - size, data, size);
}

/* The job runs until board_open_gate(), however slow who looks at it is. */
static inline void say_submit_held(struct world *w)
{
	board_shut(w->board);
	say_result(w, world_submit(w));
}

#endif
