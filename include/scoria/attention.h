/* SPDX-License-Identifier: MIT */
/*
 * Scaled dot-product attention, fp16.
 *
 *	q	batch x heads x queries x dim
 *	k	batch x kv_heads x keys x dim
 *	v	batch x kv_heads x keys x value_dim
 *	mask	queries x keys, the same for all heads, or batch x heads x queries x keys
 *	out	batch x heads x queries x value_dim
 *
 *	out = softmax(scale * q k' + mask) v	for every head, in fp32 where it is summed
 *
 * Head h uses head h / (heads / kv_heads) of k and v (grouped queries). Causal: query i
 * sees keys j <= i + keys - queries only, as if it had a mask with -inf beyond. A query
 * that sees no key gets NaN, as softmax of nothing but -inf is.
 *
 * Scores, scale * q k', are fp16 between the steps, with a mask and without. Those beyond
 * 65504 are infinite and make their row NaN, also where a mask hides them; others are off
 * by 2^-10 of themselves, and so, with s the largest score of the query, is the result by
 * at most
 *
 *	(2^-8 + 2^-10 s) sum_j p_j |v_j| + 2^-22 sum_j |v_j|
 *
 * for probabilities p, on top of the fp32 sums' own error (see matmul.h). A probability of
 * less than 2^-22 may be 0, which makes NaN of an infinite v.
 *
 * What runs where: both products are matmuls (MAC array, DPU), which scale as well. The
 * DPU adds the mask; softmax.h says how the rest runs. The CPU copies between these,
 * packs k and v for the MAC array, which takes them as weights, and writes the causal
 * mask.
 */
#ifndef SCORIA_ATTENTION_H
#define SCORIA_ATTENTION_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_mask {
	SCORIA_MASK_NONE = 0,
	SCORIA_MASK_SHARED = 1,		/* queries x keys */
	SCORIA_MASK_FULL = 2,		/* batch x heads x queries x keys */
};

/**
 * struct scoria_attention_opts - which attention
 * @size:      sizeof(struct scoria_attention_opts)
 * @type:      SCORIA_FP16
 * @batch:     0 stands for 1
 * @heads:     0 stands for 1
 * @kv_heads:  of k and v, @heads is a multiple of it; 0 stands for @heads
 * @queries: @keys: @dim: see the head of this file
 * @value_dim: 0 stands for @dim
 * @scale:     in [2^-10, 2^10], rounded to fp16; 0 stands for 1 / sqrt(@dim)
 * @mask:      which one is added
 * @causal:    not 0: see the head of this file
 */
struct scoria_attention_opts {
	size_t size;
	enum scoria_type type;
	size_t batch;
	size_t heads;
	size_t kv_heads;
	size_t queries;
	size_t keys;
	size_t dim;
	size_t value_dim;
	double scale;
	enum scoria_mask mask;
	int causal;
};

struct scoria_attention_plan;

/* As scoria_matmul_plan_create(). */
SCORIA_API int scoria_attention_plan_create(struct scoria_device *dev,
					    const struct scoria_attention_opts *opts,
					    struct scoria_attention_plan **plan);
SCORIA_API void scoria_attention_plan_destroy(struct scoria_attention_plan *plan);
SCORIA_API int scoria_attention_plan_info(const struct scoria_attention_plan *plan,
					  struct scoria_plan_info *info);

/* @mask is NULL exactly when the plan has none. */
SCORIA_API int scoria_attention_run(struct scoria_attention_plan *plan, const void *q,
				    const void *k, const void *v, const void *mask, void *out);

/* Plan, run and forget. */
SCORIA_API int scoria_attention(struct scoria_device *dev,
				const struct scoria_attention_opts *opts, const void *q,
				const void *k, const void *v, const void *mask, void *out);

#ifdef __cplusplus
}
#endif

#endif
