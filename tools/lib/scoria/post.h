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
 * @vectors: @n: in order, @wanted of them in the end
 * @result:  the buffer that the last one writes, or the contraction's own
 * @to:      what that has to be, NULL for any
 * @apart:   results that are an array of the caller's, 0 for those in @result
 */
struct post {
	struct vector vectors[POST_MAX];
	size_t n;
	size_t wanted;
	struct scoria_buffer *result;
	struct scoria_buffer *to;
	uint64_t apart;
};

/* @ending, which was described, leaves something to passes. */
bool post_is_needed(const struct ending *ending);

/*
 * What @ending leaves to passes, over all of @from. @operand, if there is one, and @to lie
 * as @from does; without @to the results get a buffer.
 */
int post_create(struct post *post, struct scoria_device *dev, const struct ending *ending,
		struct scoria_buffer *from, struct scoria_buffer *operand,
		struct scoria_buffer *to);

/*
 * The same over @n results that the CPU has finished and put into an array of the caller;
 * the passes have buffers of their own.
 */
int post_create_apart(struct post *post, struct scoria_device *dev, const struct ending *ending,
		      uint64_t n);

/* Run them over the array @results; @operand, if a pass takes it, lies likewise. */
int post_run_apart(struct post *post, const void *operand, void *results);

/* The chains that run it go to @chains, in order; returns how many. */
size_t post_chains(struct post *post, struct chain *chains[POST_MAX_CHAINS]);
/* Tasks, jobs and bytes of a run. */
void post_add_costs(const struct post *post, struct scoria_plan_info *info);
void post_destroy(struct post *post);

#endif
