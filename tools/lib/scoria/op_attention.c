// SPDX-License-Identifier: MIT
/* Attention: options, and a softmax between two matrix products. */
#include <scoria/attention.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "error.h"
#include "fp16.h"
#include "info.h"
#include "product.h"
#include "softmax_rows.h"

#define FP16_NEGATIVE_INFINITY 0xfc00

/**
 * struct scoria_attention_plan - see attention.h
 * @rows:    of scores, of all heads
 * @scores:  q k', scaled
 * @values:  p v
 * @k: @v:   of a run, packed; NULL before the first
 * @shares:  the scores, then p
 * @mask:    what is added, when that is not the caller's mask
 */
struct scoria_attention_plan {
	struct scoria_attention_opts o;
	size_t rows;
	struct scoria_matmul_plan *scores;
	struct softmax_rows *softmax;
	struct scoria_matmul_plan *values;
	struct scoria_matmul_weights *k;
	struct scoria_matmul_weights *v;
	uint16_t *shares;
	uint16_t *mask;
};

static int check_kind(const struct scoria_attention_opts *o)
{
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "attention: type = %d: not a type", o->type);
	if (o->type != SCORIA_FP16)
		return error_set(EOPNOTSUPP, "attention: type = %s: have fp16",
				 scoria_type_name(o->type));
	if (o->mask != SCORIA_MASK_NONE && o->mask != SCORIA_MASK_SHARED &&
	    o->mask != SCORIA_MASK_FULL)
		return error_set(EINVAL, "attention: mask = %d: not a mask", o->mask);
	return 0;
}

static int check_scale(struct scoria_attention_opts *o)
{
	const double least = 0x1p-10, most = 0x1p10;

	if (o->scale == 0)
		o->scale = 1 / sqrt(o->dim);
	if (!(o->scale >= least && o->scale <= most))
		return error_set(EINVAL, "attention: scale = %g: must be in [%g, %g]", o->scale, least,
				 most);
	return 0;
}

static int check_heads(struct scoria_attention_opts *o)
{
	if (!o->batch)
		o->batch = 1;
	if (!o->heads)
		o->heads = 1;
	if (!o->kv_heads)
		o->kv_heads = o->heads;
	if (!o->value_dim)
		o->value_dim = o->dim;
	if (!o->queries || !o->keys || !o->dim)
		return error_set(EINVAL, "attention: queries = %zu, keys = %zu, dim = %zu: none may be 0",
				 o->queries, o->keys, o->dim);
	if (o->heads % o->kv_heads)
		return error_set(EINVAL, "attention: heads = %zu is not a multiple of kv_heads = %zu",
				 o->heads, o->kv_heads);
	return 0;
}

/* Elements of the largest arrays: q, k, v and out are no larger than these. */
static int check_sizes(const struct scoria_attention_opts *o)
{
	const size_t longest = o->queries > o->keys ? o->queries : o->keys;
	const size_t widest = o->dim > o->value_dim ? o->dim : o->value_dim;
	const size_t factors[] = { o->heads, longest, longest > widest ? longest : widest,
				   sizeof(uint16_t) };
	size_t bytes = o->batch, i;

	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		if (__builtin_mul_overflow(bytes, factors[i], &bytes) || bytes > PTRDIFF_MAX)
			return error_set(EINVAL, "attention: batch = %zu, heads = %zu, queries = %zu, keys = %zu, dim = %zu, value_dim = %zu: the size overflows the address space",
					 o->batch, o->heads, o->queries, o->keys, o->dim,
					 o->value_dim);
	return 0;
}

static int check_opts(struct scoria_attention_opts *o, const struct scoria_attention_opts *opts)
{
	int err = opts_copy("attention", o, sizeof(*o), sizeof(*o), opts);

	if (!err)
		err = check_kind(o);
	if (!err)
		err = check_heads(o);
	if (!err)
		err = check_scale(o);
	return err ? err : check_sizes(o);
}

/* Queries of all heads that share keys are rows of one product. */
static struct scoria_matmul_opts product(const struct scoria_attention_opts *o)
{
	return (struct scoria_matmul_opts){
		.size = sizeof(struct scoria_matmul_opts),
		.type = o->type,
		.out = o->type,
		.m = o->heads / o->kv_heads * o->queries,
		.batch = o->batch * o->kv_heads,
	};
}

/* The DPU's factors are fp16: another one would be left to the CPU (see matmul.h). */
static int create_products(struct scoria_device *dev, struct scoria_attention_plan *plan)
{
	const struct scoria_attention_opts *o = &plan->o;
	struct scoria_matmul_opts scores = product(o), values = product(o);
	int err;

	scores.b_layout = SCORIA_B_NK;
	scores.k = o->dim;
	scores.n = o->keys;
	scores.alpha = (double)fp16_to_fp32(fp32_to_fp16((float)o->scale));
	values.k = o->keys;
	values.n = o->value_dim;
	err = scoria_matmul_plan_create(dev, &scores, &plan->scores);
	return err ? err : scoria_matmul_plan_create(dev, &values, &plan->values);
}

/* Rows of the mask that is added, after which it repeats. */
static size_t mask_rows(const struct scoria_attention_plan *plan)
{
	if (plan->o.mask == SCORIA_MASK_FULL)
		return plan->rows;
	return plan->o.mask == SCORIA_MASK_SHARED || plan->o.causal ? plan->o.queries : 0;
}

static int create_arrays(struct scoria_attention_plan *plan)
{
	const struct scoria_attention_opts *o = &plan->o;

	plan->shares = calloc(plan->rows, o->keys * sizeof(*plan->shares));
	if (o->causal)
		plan->mask = calloc(mask_rows(plan), o->keys * sizeof(*plan->mask));
	return plan->shares && (plan->mask || !o->causal) ? 0 : error_no_memory();
}

static int create_parts(struct scoria_device *dev, struct scoria_attention_plan *plan)
{
	const struct scoria_attention_opts *o = &plan->o;
	struct softmax_shape shape = { .columns = o->keys, .scale = 1 };
	int err;

	plan->rows = o->batch * o->heads * o->queries;
	shape.rows = plan->rows;
	shape.mask_rows = mask_rows(plan);
	err = create_arrays(plan);
	if (!err)
		err = create_products(dev, plan);
	return err ? err : softmax_rows_create(dev, &shape, &plan->softmax);
}

int scoria_attention_plan_create(struct scoria_device *dev,
				 const struct scoria_attention_opts *opts,
				 struct scoria_attention_plan **out)
{
	int err = CHECK_POINTERS("attention", { "dev", dev }, { "plan", out });
	struct scoria_attention_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->o, opts);
	if (!err)
		err = create_parts(dev, plan);
	if (err) {
		scoria_attention_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_attention_plan_destroy(struct scoria_attention_plan *plan)
{
	if (!plan)
		return;
	scoria_matmul_weights_destroy(plan->v);
	scoria_matmul_weights_destroy(plan->k);
	softmax_rows_destroy(plan->softmax);
	scoria_matmul_plan_destroy(plan->values);
	scoria_matmul_plan_destroy(plan->scores);
	free(plan->mask);
	free(plan->shares);
	free(plan);
}

int scoria_attention_plan_info(const struct scoria_attention_plan *plan,
			       struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { 0 }, part = { .size = sizeof(part) };
	int err = CHECK_POINTERS("attention", POINTER(plan));

	if (err)
		return err;
	scoria_matmul_plan_info(plan->scores, &part);
	info_add(&all, &part, 1);
	softmax_rows_info(plan->softmax, &all);
	scoria_matmul_plan_info(plan->values, &part);
	info_add(&all, &part, 1);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

/* Keys that a query sees. */
static size_t visible(const struct scoria_attention_opts *o, size_t query)
{
	const size_t end = query + 1 + o->keys;

	return end > o->queries ? end - o->queries : 0;
}

/* The caller's, if there is one, with -inf for what a query may not see. */
static void make_causal(const struct scoria_attention_plan *plan, const uint16_t *mask)
{
	const struct scoria_attention_opts *o = &plan->o;
	const size_t rows = mask_rows(plan);
	size_t row, j;

	if (mask)
		memcpy(plan->mask, mask, rows * o->keys * sizeof(*mask));
	for (row = 0; row < rows; row++)
		for (j = visible(o, row % o->queries); j < o->keys; j++)
			plan->mask[row * o->keys + j] = FP16_NEGATIVE_INFINITY;
}

int scoria_attention_run(struct scoria_attention_plan *plan, const void *q, const void *k,
			 const void *v, const void *mask, void *out)
{
	int err = CHECK_POINTERS("attention", POINTER(plan), POINTER(q), POINTER(k), POINTER(v),
				 POINTER(out));

	if (err)
		return err;
	if (!mask != !plan->o.mask)
		return error_set(EINVAL, "attention: mask is %s, the plan has %s",
				 mask ? "given" : "NULL", mask ? "none" : "one");
	if (plan->o.causal)
		make_causal(plan, mask);
	err = product_run(plan->scores, &plan->k, q, k, plan->shares);
	if (!err)
		err = softmax_rows_run(plan->softmax, plan->shares, plan->mask ? plan->mask : mask,
				       plan->shares);
	return err ? err : product_run(plan->values, &plan->v, plan->shares, v, out);
}

int scoria_attention(struct scoria_device *dev, const struct scoria_attention_opts *opts,
		     const void *q, const void *k, const void *v, const void *mask, void *out)
{
	struct scoria_attention_plan *plan = NULL;
	int err = scoria_attention_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_attention_run(plan, q, k, v, mask, out);
	scoria_attention_plan_destroy(plan);
	return err;
}
