// SPDX-License-Identifier: MIT
/* The message of the last failure, and structs that carry their size. */
#include "error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <scoria/types.h>

/* A struct is no larger in any version to come: another size was never set. */
#define LARGEST_STRUCT 4096u

static _Thread_local char message[256];

int error_set(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return -err;
}

int error_no_memory(void)
{
	return error_set(ENOMEM, "out of memory");
}

const char *scoria_error(void)
{
	return message;
}

int opts_copy(const char *what, void *to, size_t known, size_t least, const void *from)
{
	const uint8_t *bytes = from;
	size_t size, i;

	if (!from)
		return error_set(EINVAL, "%s: options are NULL", what);
	memcpy(&size, from, sizeof(size));
	if (size < least || size > LARGEST_STRUCT)
		return error_set(EINVAL, "%s: size of options is %zu, need %zu to %u", what, size,
				 least, LARGEST_STRUCT);
	for (i = known; i < size; i++)
		if (bytes[i])
			return error_set(EINVAL, "%s: byte %zu of options is set, this library knows %zu",
					 what, i, known);
	memset(to, 0, known);
	memcpy(to, from, size < known ? size : known);
	return 0;
}

int info_copy(const char *what, void *to, size_t least, const void *from, size_t known)
{
	size_t size;

	if (!to)
		return error_set(EINVAL, "%s: struct is NULL", what);
	memcpy(&size, to, sizeof(size));
	if (size < least || size > LARGEST_STRUCT)
		return error_set(EINVAL, "%s: size of struct is %zu, need %zu to %u", what, size,
				 least, LARGEST_STRUCT);
	memset((uint8_t *)to + sizeof(size), 0, size - sizeof(size));
	if (size > known)
		size = known;
	memcpy((uint8_t *)to + sizeof(size), (const uint8_t *)from + sizeof(size),
	       size - sizeof(size));
	return 0;
}
