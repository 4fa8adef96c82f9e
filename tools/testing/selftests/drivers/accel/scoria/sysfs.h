/* SPDX-License-Identifier: GPL-2.0-only */
/* What root does to the driver from outside: binds and unbinds its cores, turns knobs. */
#ifndef SCORIA_SYSFS_H
#define SCORIA_SYSFS_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DRIVER		"/sys/bus/platform/drivers/scoria"
#define TIMEOUT_MS	"/sys/module/scoria/parameters/timeout_ms"	/* 500 by itself */
#define MAX_DEVICES	8

struct devices {
	int n;
	char names[MAX_DEVICES][64];
};

/* -errno or 0. */
static inline int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Bytes, cut at @size - 1 and with a 0 behind them, or -errno. */
static inline ssize_t read_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got;
}

/* As far as the devices, and back at once; the kernel would wait five busy seconds. */
static inline int prepare_sleep(void)
{
	int ret = write_text("/sys/power/pm_test", "devices");

	return ret ? ret : write_text("/sys/module/suspend/parameters/pm_test_delay", "0");
}

static inline void finish_sleep(void)
{
	write_text("/sys/module/suspend/parameters/pm_test_delay", "5");
	write_text("/sys/power/pm_test", "none");
}

/* Path of an attribute of the clock's scaling; false when there is none. */
static inline bool devfreq_path(char *path, size_t size, const char *attribute)
{
	bool found;
	glob_t match;

	found = !glob("/sys/class/devfreq/*.npu", 0, NULL, &match);
	if (found)
		snprintf(path, size, "%s/%s", match.gl_pathv[0], attribute);
	globfree(&match);
	return found;
}

/* The cores that are bound, by address. */
static inline struct devices bound_devices(void)
{
	struct devices devices = { .n = 0 };
	glob_t found;

	if (glob(DRIVER "/*.npu", 0, NULL, &found))
		return devices;
	for (size_t i = 0; i < found.gl_pathc && devices.n < MAX_DEVICES; i++)
		snprintf(devices.names[devices.n++], sizeof(devices.names[0]), "%s",
			 strrchr(found.gl_pathv[i], '/') + 1);
	globfree(&found);
	return devices;
}

static inline int unbind_device(const char *name)
{
	return write_text(DRIVER "/unbind", name);
}

static inline int bind_device(const char *name)
{
	return write_text(DRIVER "/bind", name);
}

static inline int unbind_all(const struct devices *devices)
{
	int ret = 0;

	for (int i = 0; i < devices->n; i++)
		ret |= unbind_device(devices->names[i]);
	return ret;
}

static inline int bind_all(const struct devices *devices)
{
	int ret = 0;

	for (int i = 0; i < devices->n; i++)
		ret |= bind_device(devices->names[i]);
	return ret;
}

#endif
