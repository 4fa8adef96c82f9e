// SPDX-License-Identifier: MIT
#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_MAX 131072

static char page[PAGE_MAX];
static size_t used;

void page_put(const char *format, ...)
{
	size_t room = sizeof(page) - used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(page + used, room, format, args);
	va_end(args);
	used += (size_t)n < room ? (size_t)n : room - 1;
}

static bool store(const char *path)
{
	FILE *file = fopen(path, "w");
	bool written;

	if (!file)
		return false;
	written = fwrite(page, 1, used, file) == used;
	return !fclose(file) && written;
}

bool page_is_stored(const char *path)
{
	static char stored[PAGE_MAX];
	bool same = !getenv("UPDATE") || store(path);
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(stored, 1, sizeof(stored), file) : 0;

	if (file)
		fclose(file);
	/* a page that did not fit is not the one that is meant */
	same = same && used + 1 < sizeof(page) && n == used && !memcmp(stored, page, n);
	used = 0;
	return same;
}
