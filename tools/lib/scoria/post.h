/* SPDX-License-Identifier: MIT */
/* Passes over the results of a contraction where they lie, for what its task has no room for. */
#ifndef SCORIA_POST_H
#define SCORIA_POST_H

#include "fusion.h"
#include "vector.h"

#define POST_MAX 2
#define POST_MAX_CHAINS (POST_MAX * (RECIPE_MAX_LUTS + 1))

/**
 * struct post - see above
 * @vectors: @n: in order
 * @result:  the buffer that the last one writes, or the contraction's own
 */
struct post {
	struct vector vectors[POST_MAX];
	size_t n;
	struct scoria_buffer *result;
};

/*
 * What @ending leaves to passes, over all of @from. @operand, if there is one, lies as
 * @from does. @ending was described.
 */
int post_create(struct post *post, struct scoria_device *dev, const struct ending *ending,
		struct scoria_buffer *from, struct scoria_buffer *operand);
/* The chains that run it go to @chains, in order; returns how many. */
size_t post_chains(struct post *post, struct chain *chains[POST_MAX_CHAINS]);
void post_destroy(struct post *post);

#endif
