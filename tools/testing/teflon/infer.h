/* SPDX-License-Identifier: MIT */
/*
 * A network in TFLite, on the CPU or with an external delegate. Not thread-safe;
 * one process may hold several.
 */
#ifndef TEFLON_INFER_H
#define TEFLON_INFER_H

#include <stddef.h>
#include <stdint.h>

struct infer;

/*
 * Read the network of the file @path. @delegate is the path of a delegate's
 * library, which is offered every layer, or NULL for TFLite's own kernels.
 * NULL when TFLite cannot, which then has said why on stderr.
 */
struct infer *infer_open(const char *path, const char *delegate);
void infer_close(struct infer *infer);

/* Fill every input with the bytes that follow from @seed. */
void infer_fill(struct infer *infer, uint64_t seed);

/* Run the network; 0, or -1 with the reason on stderr. */
int infer_run(struct infer *infer);

int infer_n_outputs(const struct infer *infer);

/* Bytes of output @i, and how many; valid until the next run. */
const void *infer_output(const struct infer *infer, int i, size_t *size);

/* Whether the bytes of output @i are signed. */
int infer_is_signed(const struct infer *infer, int i);

#endif
