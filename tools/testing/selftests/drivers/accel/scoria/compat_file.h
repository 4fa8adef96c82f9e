/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases of compat.c: the node, its files, and DRM's own ioctls. */
#ifndef SCORIA_COMPAT_FILE_H
#define SCORIA_COMPAT_FILE_H

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "compat.h"

#define GET_UNIQUE	DRM_IOWR(0x01, uint64_t[2])
#define GET_CLIENT	DRM_IOWR(0x05, uint64_t[6])
#define SET_CLIENT_CAP	DRM_IOW(0x0d, uint64_t[2])
#define COMMAND(nr)	DRM_IOWR(DRM_COMMAND_BASE + (nr), uint64_t[3])

static void file_version(struct world *w, const struct compat_case *c)
{
	char name[32] = "", date[32] = "", description[64] = "";
	struct drm_version v = {
		.name = name, .name_len = (size_t)c->value,
		.date = date, .date_len = sizeof(date) - 1,
		.desc = description, .desc_len = sizeof(description) - 1,
	};

	say_result(w, drm_call(w->fd, DRM_IOCTL_VERSION, &v));
	say(w, ": %s of %zu", name, (size_t)v.name_len);
}

static void file_version_number(struct world *w, const struct compat_case *c)
{
	struct drm_version v = { .name = NULL };

	(void)c;
	drm_call(w->fd, DRM_IOCTL_VERSION, &v);
	say(w, "%d.%d.%d", v.version_major, v.version_minor, v.version_patchlevel);
}

static void file_capability(struct world *w, const struct compat_case *c)
{
	struct drm_get_cap args = { .capability = c->value };

	say_result(w, drm_call(w->fd, DRM_IOCTL_GET_CAP, &args));
	say(w, ": %llu", (unsigned long long)args.value);
}

/* With an argument of zeros. */
static void file_ioctl(struct world *w, const struct compat_case *c)
{
	uint64_t argument[64] = { 0 };

	say_result(w, drm_call(w->fd, c->value, argument));
}

/* What DRM refuses, or does not know, is told apart from what it does. */
static void file_core_ioctls(struct world *w, const struct compat_case *c)
{
	static const unsigned long requests[] = { GET_CLIENT, SET_CLIENT_CAP };

	(void)c;
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		uint64_t argument[64] = { 0 };

		say_result(w, drm_call(w->fd, requests[i], argument));
	}
}

static void file_flink(struct world *w, const struct compat_case *c)
{
	struct drm_gem_flink args = { .handle = w->matmul.commands.handle };

	(void)c;
	say_result(w, drm_call(w->fd, DRM_IOCTL_GEM_FLINK, &args));
}

static void file_close_handles(struct world *w, const struct compat_case *c)
{
	struct bo bo = { .handle = 0 }, unknown = { .handle = 0x7fffffff }, good;

	(void)c;
	bo_create_unmapped(w->fd, PAGE, &good);
	say_result(w, bo_close(w->fd, &bo));
	say_result(w, bo_close(w->fd, &unknown));
	say_result(w, bo_close(w->fd, &good));
	say_result(w, bo_close(w->fd, &good));
	say_result(w, bo_close(w->other, &w->matmul.commands));
}

static void file_poll(struct world *w, const struct compat_case *c)
{
	struct pollfd p = { .fd = w->fd, .events = (short)c->value };

	say_result(w, outcome(poll(&p, 1, 0)));
	say(w, ": %#x", p.revents);
}

static void file_read_write(struct world *w, const struct compat_case *c)
{
	char byte = 0;

	(void)c;
	fcntl(w->fd, F_SETFL, O_NONBLOCK);
	say_result(w, outcome(read(w->fd, &byte, 1)));
	say_result(w, outcome(write(w->fd, &byte, 1)));
	say_result(w, outcome(lseek(w->fd, 1, SEEK_SET)));
	say_result(w, outcome(ftruncate(w->fd, 0)));
}

static void file_duplicate(struct world *w, const struct compat_case *c)
{
	const int fd = dup(w->fd);

	(void)c;
	close(w->fd);
	w->fd = fd;
	say_submit(w);
}

/* In a child, and then again in the parent. */
static void file_inherited(struct world *w, const struct compat_case *c)
{
	int status;

	(void)c;
	if (!fork()) {
		const bool right = !world_submit(w) &&
				   !bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]) &&
				   matmul_is_right(&w->matmul);

		_exit(right);
	}
	wait(&status);
	say(w, "%d", WEXITSTATUS(status));
	matmul_fill(&w->matmul);
	matmul_flush(w->fd, &w->matmul);
	say_submit(w);
}

static void file_read_only(struct world *w, const struct compat_case *c)
{
	const int fd = open("/dev/accel/accel0", O_RDONLY | O_CLOEXEC);
	struct bo bo;

	(void)c;
	say_result(w, bo_create_unmapped(fd, PAGE, &bo));
	say_result(w, prep(fd, bo.handle, 0, 0));
	say_result(w, fini(fd, bo.handle, 0));
	say_result(w, bo_close(fd, &bo));
}

/* Who was given a file by root, and may not open the node. */
static void file_of_nobody(struct world *w, const struct compat_case *c)
{
	(void)c;
	chmod("/dev/accel/accel0", 0600);
	say_result(w, outcome(setuid(65534)));
	say_result(w, outcome(open("/dev/accel/accel0", O_RDWR | O_CLOEXEC)));
	say_submit(w);
	say_result(w, matmul_runs(w->fd));
}

static void file_two(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_result(w, matmul_runs(w->other));
	close(w->other);
	say_submit(w);
}

static void file_closed_busy(struct world *w, const struct compat_case *c)
{
	(void)c;
	say_submit_held(w);
	close(w->fd);
	board_open_gate(w->board);
	/* its job may end first */
	say_result(w, matmul_runs(w->other));
}

static const struct compat_case file_cases[] = {
	{ "version: name", file_version, "0: rocket of 6", .value = 31 },
	{ "version: name cut", file_version, "0: roc of 6", .value = 3 },
	{ "version: number", file_version_number, NULL, .value = 0 },
	{ "cap: 0", file_capability, "EOPNOTSUPP: 0", .value = 0 },
	{ "cap: DUMB_BUFFER", file_capability, "EOPNOTSUPP: 0", .value = DRM_CAP_DUMB_BUFFER },
	{ "cap: PRIME", file_capability, "0: 3", .value = DRM_CAP_PRIME },
	{ "cap: TIMESTAMP_MONOTONIC", file_capability, "0: 1",
	  .value = DRM_CAP_TIMESTAMP_MONOTONIC },
	{ "cap: SYNCOBJ", file_capability, NULL, .value = DRM_CAP_SYNCOBJ },
	{ "cap: SYNCOBJ_TIMELINE", file_capability, NULL, .value = DRM_CAP_SYNCOBJ_TIMELINE },
	{ "cap: unknown", file_capability, "EOPNOTSUPP: 0", .value = 0xffff },
	{ "ioctl: number 4", file_ioctl, "EINVAL", .value = COMMAND(4) },
	{ "ioctl: number 0x1f", file_ioctl, "EINVAL", .value = COMMAND(0x1f) },
	{ "ioctl: number 0x5f", file_ioctl, "EINVAL", .value = COMMAND(0x5f) },
	{ "ioctl: native query", file_ioctl, NULL, .value = DRM_IOCTL_SCORIA_QUERY },
	{ "ioctl: of another type", file_ioctl, "ENOTTY", .value = _IOWR('x', 0x40, uint64_t[3]) },
	{ "ioctl: GET_UNIQUE", file_ioctl, NULL, .value = GET_UNIQUE },
	{ "ioctl: syncobj", file_ioctl, NULL, .value = DRM_IOCTL_SYNCOBJ_CREATE },
	{ "ioctl: of display nodes", file_core_ioctls, NULL, .value = 0 },
	{ "ioctl: FLINK by root", file_flink, NULL, .value = 0 },
	{ "close: handles", file_close_handles, "EINVAL EINVAL 0 EINVAL EINVAL", .value = 0 },
	{ "node: poll", file_poll, "0: 0", .value = POLLIN | POLLOUT },
	{ "node: read, write, seek, cut", file_read_write, "EAGAIN EINVAL 0 EINVAL", .value = 0 },
	{ "file: duplicate", file_duplicate, "0 0 right", .value = 0 },
	{ "file: inherited", file_inherited, "1 0 0 right", .value = 0 },
	{ "file: to read", file_read_only, "0 0 0 0", .value = 0 },
	{ "file: of nobody", file_of_nobody, "0 EACCES 0 0 right 0", .value = 0 },
	{ "file: two", file_two, "0 0 0 right", .value = 0 },
	{ "file: closed with a job in flight", file_closed_busy, "0 0", .value = 0 },
};

#endif
