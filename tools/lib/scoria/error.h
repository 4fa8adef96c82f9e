/* SPDX-License-Identifier: MIT */
/* How the library fails: a negative errno and a message for the caller. */
#ifndef SCORIA_ERROR_H
#define SCORIA_ERROR_H

#include <errno.h>
#include <stddef.h>

/*
 * Set the message of scoria_error() and return -@err, so that a check is one
 * statement: return error_set(EINVAL, "matmul: k is 0");
 */
int error_set(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

int error_no_memory(void);

/*
 * Copy an options struct whose first member is its size into the @known bytes
 * that this library knows. What a shorter one does not have becomes zero, what
 * a longer one has beyond must be zero. @least: bytes that every caller has.
 */
int opts_copy(const char *what, void *to, size_t known, size_t least, const void *from);

/* The same in the other direction, for structs that the library fills. */
int info_copy(const char *what, void *to, size_t least, const void *from, size_t known);

#endif
