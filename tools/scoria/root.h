/* SPDX-License-Identifier: MIT */
/*
 * Files of the machine, below a directory that stands for its root: "" on the machine
 * itself, a tree of files that a test has made up otherwise. Symbolic links are read
 * and not followed out of it. Paths are printf() formats that begin with a slash.
 */
#ifndef SCORIA_ROOT_H
#define SCORIA_ROOT_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ROOT_PATH_MAX 1024

/* The path of a file below @root, cut at ROOT_PATH_MAX. */
__attribute__((format(printf, 3, 4)))
void root_path(const char *root, char *path, const char *format, ...);

/*
 * Read a file into @text, whose end is cut off when it does not fit and to which a 0
 * is added. Returns bytes without that 0, or a negative errno with @text empty.
 */
__attribute__((format(printf, 4, 5)))
ssize_t root_read(const char *root, char *text, size_t size, const char *format, ...);

/* Whether there is something, without following a link. */
__attribute__((format(printf, 2, 3)))
bool root_exists(const char *root, const char *format, ...);

/* The last part of what a link points to; false when it is no link. */
__attribute__((format(printf, 4, 5)))
bool root_link(const char *root, char *name, size_t size, const char *format, ...);

/* NULL, with errno set, when there is no such directory. */
__attribute__((format(printf, 2, 3)))
DIR *root_opendir(const char *root, const char *format, ...);

/* The name of the next entry, "." and ".." left out; NULL at the end. */
const char *root_readdir(DIR *dir);

#endif
