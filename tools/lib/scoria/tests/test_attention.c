// SPDX-License-Identifier: MIT
/* Attention: sizes, heads, masks, special scores, nonsense. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/composites.h"
#include "fp16.h"
#include "shape.h"

#define NEG_INF 0xfc00

static struct scoria_device *dev;
static struct random numbers = { 29 };

static struct scoria_attention_opts opts_of(size_t queries, size_t keys, size_t dim)
{
	return (struct scoria_attention_opts){ .size = sizeof(struct scoria_attention_opts),
					       .type = SCORIA_FP16, .queries = queries,
					       .keys = keys, .dim = dim };
}

static uint16_t *get_random(size_t n, double reach)
{
	uint16_t *x = malloc(n * sizeof(*x));

	random_fill(&numbers, SCORIA_FP16, x, n);
	for (size_t i = 0; i < n; i++)
		x[i] = fp32_to_fp16((float)(fp16_to_fp32(x[i]) * reach));
	return x;
}

/* Of every row, a third of the keys cannot be seen and the others count differently. */
static uint16_t *get_mask(size_t rows, size_t keys)
{
	uint16_t *mask = get_random(rows * keys, 4);

	for (size_t i = 0; i < rows * keys; i++)
		if (i % keys % 3 == 1)
			mask[i] = NEG_INF;
	return mask;
}

static size_t or_one(size_t n)
{
	return n ? n : 1;
}

/* One in thirty-one is infinite, NaN, or the largest there is. */
static void spoil(uint16_t *x, size_t n)
{
	static const uint16_t specials[] = { 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0xfbff };

	for (size_t i = 0; i < n; i++)
		if (!(random_next(&numbers) % 31))
			x[i] = specials[random_next(&numbers) % 5];
}

static void check_spoilt(struct scoria_attention_opts o, double reach, bool special)
{
	size_t heads = or_one(o.batch) * or_one(o.heads), dim = o.value_dim ? o.value_dim : o.dim;
	size_t kv = or_one(o.batch) * (o.kv_heads ? o.kv_heads : or_one(o.heads));
	size_t n = heads * o.queries * dim;
	uint16_t *q = get_random(heads * o.queries * o.dim, reach);
	uint16_t *k = get_random(kv * o.keys * o.dim, reach), *v = get_random(kv * o.keys * dim, 3);
	uint16_t *mask = NULL, *out = malloc((n + 1) * sizeof(*out));
	struct compare result = { 0 };

	if (special) {
		spoil(q, heads * o.queries * o.dim);
		spoil(k, kv * o.keys * o.dim);
		spoil(v, kv * o.keys * dim);
	}
	if (o.mask)
		mask = get_mask(o.mask == SCORIA_MASK_FULL ? heads * o.queries : o.queries, o.keys);
	out[n] = 0xa5a5;
	if (scoria_attention(dev, &o, q, k, v, mask, out))
		TAP_FAIL("failed: %s", scoria_error());
	else
		reference_attention(&o, q, k, v, mask, out, &result);
	if (!compare_passed(&result) || out[n] != 0xa5a5)
		TAP_FAIL("batch %zu heads %zu of %zu queries %zu keys %zu dim %zu, %zu scale %g mask %d causal %d reach %g: %zu of %zu wrong, first at %zu: %g instead of %g",
			 o.batch, o.heads, o.kv_heads, o.queries, o.keys, o.dim, o.value_dim,
			 o.scale, o.mask, o.causal, reach, result.bad, result.count,
			 result.first_bad, result.first_got, result.first_ref);
	free(out);
	free(mask);
	free(v);
	free(k);
	free(q);
}

static void check(struct scoria_attention_opts o, double reach)
{
	check_spoilt(o, reach, false);
}

TEST(sizes_around_every_limit_are_right)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 17, 64 };

	dev = shape_device();
	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < 6; j++) {
			struct scoria_attention_opts o = opts_of(sizes[i], sizes[j], sizes[5 - i]);

			check(o, 1);
			o.value_dim = sizes[j];
			check(o, 2);
		}
	check(opts_of(5, 1500, 80), 1);
	check(opts_of(130, 33, 64), 3);
	EXPECT_EQ(0, shape_reports());
}

TEST(heads_and_batches_are_kept_apart)
{
	for (size_t batch = 0; batch < 3; batch++)
		for (size_t kv = 0; kv < 4; kv++) {
			struct scoria_attention_opts o = opts_of(9, 20, 16);

			o.batch = batch;
			o.heads = 6;
			o.kv_heads = (size_t[]){ 0, 1, 2, 3 }[kv];
			check(o, 2);
		}
}

TEST(masks_and_causality_are_right)
{
	for (int causal = 0; causal < 2; causal++)
		for (enum scoria_mask mask = SCORIA_MASK_NONE; mask <= SCORIA_MASK_FULL; mask++) {
			struct scoria_attention_opts o = opts_of(11, 11, 16);

			o.causal = causal;
			o.mask = mask;
			o.heads = 3;
			o.batch = 2;
			check(o, 2);
			o.keys = 40;
			check(o, 2);
			/* the first queries see nothing */
			o.keys = 5;
			check(o, 2);
		}
}

TEST(every_scale_is_right)
{
	for (double scale = 0x1p-10; scale <= 0x1p10; scale *= 5) {
		struct scoria_attention_opts o = opts_of(6, 30, 20);

		o.scale = scale;
		check(o, sqrt(3 / scale) < 40 ? sqrt(3 / scale) : 40);
		o.mask = SCORIA_MASK_SHARED;
		check(o, sqrt(3 / scale) < 40 ? sqrt(3 / scale) : 40);
	}
}

TEST(special_values_are_those_of_the_formula)
{
	for (size_t dim = 1; dim < 40; dim += 3) {
		struct scoria_attention_opts o = opts_of(dim + 5, 40 - dim, dim);

		o.heads = 2;
		check_spoilt(o, 2, true);
		o.causal = 1;
		check_spoilt(o, 5, true);
	}
}

/* What is packed for a run does not reach the next one. */
TEST(a_plan_runs_again_with_other_keys_and_values)
{
	const struct scoria_attention_opts o = opts_of(5, 40, 24);
	struct scoria_attention_plan *plan = NULL;
	uint16_t again[5 * 24], fresh[5 * 24];

	EXPECT_EQ(0, scoria_attention_plan_create(dev, &o, &plan));
	for (int i = 0; i < 3; i++) {
		uint16_t *q = get_random(5 * 24, 2), *k = get_random(40 * 24, 2);
		uint16_t *v = get_random(40 * 24, 2);

		EXPECT_EQ(0, scoria_attention_run(plan, q, k, v, NULL, again));
		EXPECT_EQ(0, scoria_attention(dev, &o, q, k, v, NULL, fresh));
		EXPECT(!memcmp(again, fresh, sizeof(again)));
		free(v);
		free(k);
		free(q);
	}
	scoria_attention_plan_destroy(plan);
}

TEST(one_key_alone_is_its_value)
{
	const struct scoria_attention_opts o = opts_of(1, 1, 4);
	const uint16_t q[4] = { 0x3c00, 0xbc00, 0, 0x4000 }, v[4] = { 1, 0x7bff, 0xc0de, 0x8000 };
	uint16_t out[4];

	EXPECT_EQ(0, scoria_attention(dev, &o, q, q, v, NULL, out));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(v[i], out[i]);
	EXPECT_EQ(0, out[3] & 0x7fff);
}

static void expect_error(int err, const char *words, struct scoria_attention_opts o)
{
	struct scoria_attention_plan *plan = NULL;

	EXPECT_EQ(err, scoria_attention_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
}

#define ATTENTION(...) ({ struct scoria_attention_opts o = opts_of(2, 3, 4); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	const struct scoria_attention_opts good = ATTENTION(o.mask = SCORIA_MASK_SHARED);
	uint16_t x[24] = { 0 };

	expect_error(-EINVAL, "type = 0", ATTENTION(o.type = 0));
	expect_error(-EOPNOTSUPP, "type = int8", ATTENTION(o.type = SCORIA_INT8));
	expect_error(-EINVAL, "queries = 0", ATTENTION(o.queries = 0));
	expect_error(-EINVAL, "keys = 0", ATTENTION(o.keys = 0));
	expect_error(-EINVAL, "dim = 0", ATTENTION(o.dim = 0));
	expect_error(-EINVAL, "kv_heads = 2", ATTENTION(o.heads = 3, o.kv_heads = 2));
	expect_error(-EINVAL, "mask = 3", ATTENTION(o.mask = 3));
	expect_error(-EINVAL, "scale = nan", ATTENTION(o.scale = NAN));
	expect_error(-EINVAL, "scale = -1", ATTENTION(o.scale = -1));
	expect_error(-EINVAL, "scale = 1e+06", ATTENTION(o.scale = 1e6));
	expect_error(-EINVAL, "overflow", ATTENTION(o.batch = SIZE_MAX / 2));
	expect_error(-EINVAL, "overflow", ATTENTION(o.queries = o.keys = SIZE_MAX / 2));
	EXPECT_EQ(-EINVAL, scoria_attention(dev, &good, NULL, x, x, x, x));
	EXPECT_STR("q is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_attention(dev, &good, x, NULL, x, x, x));
	EXPECT_STR("k is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_attention(dev, &good, x, x, NULL, x, x));
	EXPECT_STR("v is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_attention(dev, &good, x, x, x, NULL, x));
	EXPECT_STR("mask is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_attention(dev, &good, x, x, x, x, NULL));
	EXPECT_STR("out is NULL", scoria_error());
	scoria_device_close(dev);
}

TEST_MAIN()
