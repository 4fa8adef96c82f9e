/* SPDX-License-Identifier: MIT */
/* The options of operations with windows: kernels, strides, padding. */
#ifndef SCORIA_WINDOW_H
#define SCORIA_WINDOW_H

#include <stddef.h>

/* "3" or "3x5", above 0; NULL leaves the values alone. */
int window_pair(const char *argv0, const char *name, const char *text, size_t *y, size_t *x);

/**
 * struct window_side - one direction
 * @in: @kernel: @stride: @dilation: 0 stands for a dilation or stride of 1
 * @before: @after: where the padding goes
 */
struct window_side {
	size_t in;
	size_t kernel;
	size_t stride;
	size_t dilation;
	size_t *before;
	size_t *after;
};

/* P, PYxPX, T,B,L,R, same or valid; NULL leaves the padding alone. */
int window_pad(const char *argv0, const char *text, const struct window_side *y,
	       const struct window_side *x);

#endif
