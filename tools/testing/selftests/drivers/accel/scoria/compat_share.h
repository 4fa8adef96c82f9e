/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases of compat.c: buffers as dma-bufs, and the fences that these show. */
#ifndef SCORIA_COMPAT_SHARE_H
#define SCORIA_COMPAT_SHARE_H

#include <linux/sync_file.h>
#include <poll.h>

#include "compat.h"

static int export_with(int fd, uint32_t handle, uint32_t flags, int *buf)
{
	struct drm_prime_handle args = { .handle = handle, .flags = flags };
	int ret = drm_call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	*buf = args.fd;
	return ret;
}

static void export_flags(struct world *w, const struct compat_case *c)
{
	struct bo bo;
	int ret, buf;

	bo_create_unmapped(w->fd, 2 * PAGE, &bo);
	ret = export_with(w->fd, bo.handle, (uint32_t)c->value, &buf);
	say_result(w, ret);
	if (ret)
		return;
	say(w, ": %lld bytes", (long long)lseek(buf, 0, SEEK_END));
	say_bool(w, "cloexec", fcntl(buf, F_GETFD) & FD_CLOEXEC);
	say_result(w, outcome((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, buf, 0)));
	say_result(w, outcome((long)mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, buf, 0)));
	say_result(w, outcome((long)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, buf, 2 * PAGE)));
}

static void export_handle(struct world *w, const struct compat_case *c)
{
	int buf;

	say_result(w, export_with(w->fd, (uint32_t)c->value, O_RDWR, &buf));
}

static void export_shares(struct world *w, const struct compat_case *c)
{
	const int buf = handle_export(w->fd, w->matmul.commands.handle);
	uint8_t *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, buf, 0);

	(void)c;
	say_result(w, buf_sync(buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW));
	map[5] = 99;
	say_result(w, buf_sync(buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW));
	say_bool(w, "shared", w->matmul.commands.map[5] == 99);
}

static void import_own(struct world *w, const struct compat_case *c)
{
	const int buf = handle_export(w->fd, w->matmul.commands.handle);
	uint32_t handle = 0;

	(void)c;
	say_result(w, handle_import(w->fd, buf, &handle));
	say_bool(w, "the same", handle == w->matmul.commands.handle);
}

static void import_in_other_file(struct world *w, const struct compat_case *c)
{
	const int buf = handle_export(w->fd, w->matmul.commands.handle);
	uint32_t handle = 0;

	(void)c;
	say_result(w, handle_import(w->other, buf, &handle));
	say_result(w, prep(w->other, handle, 0, 0));
	say_result(w, fini(w->other, handle, 0));
	say_result(w, bo_close(w->other, &(struct bo) { .handle = handle }));
	/* it is still there for the one that made it */
	say_submit(w);
}

static void import_foreign(struct world *w, const struct compat_case *c)
{
	const int buf = udmabuf_create(PAGE);
	uint32_t handle = 0;

	(void)c;
	say_result(w, handle_import(w->fd, buf, &handle));
}

static void import_what_is_none(struct world *w, const struct compat_case *c)
{
	uint32_t handle = 0;

	say_result(w, handle_import(w->fd, (int)c->value, &handle));
}

static void import_node(struct world *w, const struct compat_case *c)
{
	uint32_t handle = 0;

	(void)c;
	say_result(w, handle_import(w->fd, w->fd, &handle));
}

static void export_outlives(struct world *w, const struct compat_case *c)
{
	const int buf = handle_export(w->fd, w->matmul.commands.handle);
	uint64_t *map;

	(void)c;
	close(w->fd);
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, buf, 0);
	say_result(w, outcome((long)map));
	say_bool(w, "there", map[0] == job_words[0]);
}

/* What poll says of the dma-buf of a region while a job uses it, and afterwards. */
static void poll_busy(struct world *w, const struct compat_case *c)
{
	const struct bo *bo = &w->matmul.region[c->value];
	const int buf = handle_export(w->fd, bo->handle);
	struct pollfd in = { .fd = buf, .events = POLLIN }, out = { .fd = buf, .events = POLLOUT };

	say_submit_held(w);
	say_result(w, poll(&in, 1, 0));
	say_result(w, poll(&out, 1, 0));
	board_open_gate(w->board);
	say_result(w, poll(&out, 1, JOB_SECONDS * 1000));
	bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]);
	say_result(w, poll(&in, 1, 0));
	say_output(w);
}

static int fence_status(int file)
{
	struct sync_file_info info = { .num_fences = 0 };

	return outcome(ioctl(file, SYNC_IOC_FILE_INFO, &info)) ? : info.status;
}

static int export_fence(int buf, uint32_t flags, int *file)
{
	struct dma_buf_export_sync_file args = { .flags = flags, .fd = -1 };
	int ret = drm_call(buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args);

	*file = args.fd;
	return ret;
}

static void fence_idle(struct world *w, const struct compat_case *c)
{
	const int buf = handle_export(w->fd, w->matmul.commands.handle);
	int file;

	say_result(w, export_fence(buf, (uint32_t)c->value, &file));
	say_result(w, fence_status(file));
}

/* Status of the fence while the job runs, and when it has ended. */
static void fence_busy(struct world *w, const struct compat_case *c)
{
	const struct bo *bo = &w->matmul.region[c->value >> 8];
	const int buf = handle_export(w->fd, bo->handle);
	int file;

	say_submit_held(w);
	say_result(w, export_fence(buf, c->value & 0xff, &file));
	say_result(w, fence_status(file));
	board_open_gate(w->board);
	bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]);
	say_result(w, fence_status(file));
}

static void fence_hung(struct world *w, const struct compat_case *c)
{
	const int buf = handle_export(w->fd, w->matmul.region[JOB_OUTPUT].handle);
	struct pollfd p = { .events = POLLIN };

	(void)c;
	board_break(w->board, BOARD_STUCK, 1);
	say_result(w, world_submit(w));
	say_result(w, export_fence(buf, DMA_BUF_SYNC_READ, &p.fd));
	say_result(w, poll(&p, 1, JOB_SECONDS * 1000));
	say_result(w, fence_status(p.fd));
}

#define STATUS(region, flags)	((uint64_t)(region) << 8 | (flags))

static const struct compat_case share_cases[] = {
	{ "export: flags 0", export_flags, "0: 8192 bytes not cloexec 0 EACCES EINVAL",
	  .value = 0 },
	{ "export: RDWR", export_flags, "0: 8192 bytes not cloexec 0 0 EINVAL", .value = O_RDWR },
	{ "export: RDWR, CLOEXEC", export_flags, "0: 8192 bytes cloexec 0 0 EINVAL",
	  .value = O_RDWR | O_CLOEXEC },
	{ "export: unknown flags", export_flags, "EINVAL", .value = O_NONBLOCK },
	{ "export: handle 0", export_handle, "ENOENT", .value = 0 },
	{ "export: handle unknown", export_handle, "ENOENT", .value = 0x7fffffff },
	{ "export: memory is shared", export_shares, "0 0 shared", .value = 0 },
	{ "export: outlives the file", export_outlives, "0 there", .value = 0 },
	{ "import: own buffer", import_own, "0 the same", .value = 0 },
	{ "import: into another file", import_in_other_file, "0 0 0 0 0 0 right", .value = 0 },
	{ "import: of another driver", import_foreign, NULL, .value = 0 },
	{ "import: -1", import_what_is_none, "EBADF", .value = (uint64_t)-1 },
	{ "import: standard input", import_what_is_none, "EINVAL", .value = 0 },
	{ "import: the node", import_node, "EINVAL", .value = 0 },
	{ "poll: output of a job", poll_busy, "0 0 0 1 1 right", .value = JOB_OUTPUT },
	{ "poll: input of a job", poll_busy, NULL, .value = JOB_INPUT },
	{ "fence: idle, to read", fence_idle, "0 1", .value = DMA_BUF_SYNC_READ },
	{ "fence: idle, to write", fence_idle, "0 1", .value = DMA_BUF_SYNC_WRITE },
	{ "fence: idle, no flags", fence_idle, "EINVAL EBADF", .value = 0 },
	{ "fence: output, to read", fence_busy, "0 0 0 1",
	  .value = STATUS(JOB_OUTPUT, DMA_BUF_SYNC_READ) },
	{ "fence: output, to write", fence_busy, "0 0 0 1",
	  .value = STATUS(JOB_OUTPUT, DMA_BUF_SYNC_RW) },
	{ "fence: input, to read", fence_busy, "0 0 1 1",
	  .value = STATUS(JOB_INPUT, DMA_BUF_SYNC_READ) },
	{ "fence: input, to write", fence_busy, NULL, .value = STATUS(JOB_INPUT, DMA_BUF_SYNC_RW) },
	{ "fence: job that hangs", fence_hung, NULL, .value = 0 },
};

#endif
