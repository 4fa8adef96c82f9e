// SPDX-License-Identifier: MIT
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_path(const char *root, char *path, const char *format, va_list args)
{
	const int used = snprintf(path, ROOT_PATH_MAX, "%s", root);

	if (used < ROOT_PATH_MAX)
		vsnprintf(path + used, (size_t)(ROOT_PATH_MAX - used), format, args);
}

#define MAKE_PATH(root, path, format) do { \
		va_list args; \
		va_start(args, format); \
		make_path(root, path, format, args); \
		va_end(args); \
	} while (0)

void root_path(const char *root, char *path, const char *format, ...)
{
	MAKE_PATH(root, path, format);
}

static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, text + used, size - used);
		if (got > 0)
			used += (size_t)got;
	} while (used < size && (got > 0 || (got < 0 && errno == EINTR)));
	return got < 0 ? -errno : (ssize_t)used;
}

ssize_t root_read(const char *root, char *text, size_t size, const char *format, ...)
{
	char path[ROOT_PATH_MAX];
	ssize_t length;
	int fd;

	text[0] = '\0';
	MAKE_PATH(root, path, format);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	length = read_all(fd, text, size - 1);
	close(fd);
	text[length < 0 ? 0 : length] = '\0';
	return length;
}

bool root_exists(const char *root, const char *format, ...)
{
	char path[ROOT_PATH_MAX];
	struct stat status;

	MAKE_PATH(root, path, format);
	return !lstat(path, &status);
}

bool root_link(const char *root, char *name, size_t size, const char *format, ...)
{
	char path[ROOT_PATH_MAX], target[ROOT_PATH_MAX];
	const char *slash;
	ssize_t length;

	MAKE_PATH(root, path, format);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	slash = strrchr(target, '/');
	snprintf(name, size, "%s", slash ? slash + 1 : target);
	return true;
}

DIR *root_opendir(const char *root, const char *format, ...)
{
	char path[ROOT_PATH_MAX];

	MAKE_PATH(root, path, format);
	return opendir(path);
}

const char *root_readdir(DIR *dir)
{
	const struct dirent *entry;

	do
		entry = readdir(dir);
	while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
	return entry ? entry->d_name : NULL;
}
