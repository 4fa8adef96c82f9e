/* SPDX-License-Identifier: MIT */
/* Checks that operations share. */
#ifndef SCORIA_CHECK_H
#define SCORIA_CHECK_H

#include <scoria/types.h>

/**
 * struct pointer - an argument that must not be NULL
 * @name: as the header has it
 */
struct pointer {
	const char *name;
	const void *value;
};

/* -EINVAL, with the name, for the first that is NULL. @what: the operation. */
int check_pointers(const char *what, const struct pointer *pointers, size_t n);

#define CHECK_POINTERS(what, ...)						\
	check_pointers(what, (const struct pointer[]){ __VA_ARGS__ },		\
		       sizeof((const struct pointer[]){ __VA_ARGS__ }) / sizeof(struct pointer))

/* For variables that have the name of the argument. */
#define POINTER(variable) { #variable, variable }

/* A value of @type; 0 for what is neither int8 nor uint8. */
int check_zero_point(const char *what, const char *name, enum scoria_type type, int32_t value);

/* Neither 0 nor beyond what the NPU's window can hold. @what: the operation. */
int check_matrix(const char *what, size_t rows, size_t columns);

/*
 * The elements from a row to the next; 0 becomes @columns. Not less than a row, and all
 * rows in the address space.
 */
int check_stride(const char *what, const char *name, size_t *stride, size_t rows,
		 size_t columns, enum scoria_type type);

#endif
