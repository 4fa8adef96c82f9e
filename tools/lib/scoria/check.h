/* SPDX-License-Identifier: MIT */
/* Checks that operations over matrices share. */
#ifndef SCORIA_CHECK_H
#define SCORIA_CHECK_H

#include <scoria/types.h>

/* Neither 0 nor beyond what the NPU's window can hold. @what: the operation. */
int check_matrix(const char *what, size_t rows, size_t columns);

/*
 * The elements from a row to the next; 0 becomes @columns. Not less than a row, and all
 * rows in the address space.
 */
int check_stride(const char *what, const char *name, size_t *stride, size_t rows,
		 size_t columns, enum scoria_type type);

#endif
