/* SPDX-License-Identifier: MIT */
/* A page of the documentation that a test writes: it must be the one that is stored. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>

__attribute__((format(printf, 1, 2)))
void page_put(const char *format, ...);

/*
 * Whether all that was put since the last call is what file @path has. UPDATE=1 in
 * the environment stores it there first.
 */
bool page_is_stored(const char *path);

#endif
