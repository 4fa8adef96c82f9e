/* SPDX-License-Identifier: MIT */
/* Arrays of the commands that compute: from a file or at random, and to a file. */
#ifndef SCORIA_TENSOR_COMMAND_H
#define SCORIA_TENSOR_COMMAND_H

#include <scoria/types.h>

#include "../lib/reference/random.h"

/**
 * struct tensor - an array
 * @name: of the option that gives its file
 * @file: raw elements in the host's byte order; NULL for random or none
 * @type: of its elements
 * @n:    how many
 * @data: NULL until it is made
 */
struct tensor {
	const char *name;
	const char *file;
	enum scoria_type type;
	size_t n;
	void *data;
};

/*
 * Read it from its file, which must have its size, or fill it at random. CMD_OK, or
 * CMD_UNUSABLE after a message.
 */
int tensor_load(const char *argv0, struct tensor *tensor, struct random *random);

/* Zeros, for a result. */
int tensor_create(const char *argv0, struct tensor *tensor);

/* Write it to its file, if it has one. */
int tensor_save(const char *argv0, const struct tensor *tensor);

void tensor_free(struct tensor *tensor);

#endif
