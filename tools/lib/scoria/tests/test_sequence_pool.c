// SPDX-License-Identifier: MIT
/* Pooling from tensor to tensor is what its own run gives, for every type, and who is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

static struct scoria_device *dev;
static struct random numbers = { 31 };

static const enum scoria_type types[] = { SCORIA_FP16, SCORIA_INT8, SCORIA_UINT8 };

static size_t between(size_t low, size_t high)
{
	return (size_t)random_range(&numbers, (int64_t)low, (int64_t)high);
}

static struct scoria_tensor *tensor(const struct scoria_pool_opts *o, size_t h, size_t w)
{
	const struct scoria_tensor_opts opts = { .size = sizeof(opts), .type = o->type, .c = o->c,
						 .batch = o->batch, .h = h, .w = w };
	struct scoria_tensor *t = NULL;

	EXPECT_EQ(0, scoria_tensor_create(dev, &opts, &t));
	return t;
}

/* @input through a tensor, to @output. */
static int run(struct scoria_pool_plan *plan, const struct scoria_pool_opts *o, const void *input,
	       size_t oh, size_t ow, void *output)
{
	struct scoria_tensor *from = tensor(o, o->h, o->w), *to = tensor(o, oh, ow);
	struct scoria_sequence *seq = NULL;
	int err;

	EXPECT_EQ(0, scoria_sequence_create(dev, &seq));
	EXPECT_EQ(0, scoria_tensor_pack(from, o->layout, input));
	err = scoria_sequence_add_pool(seq, plan, from, to);
	if (!err) {
		EXPECT_EQ(0, scoria_sequence_run(seq));
		EXPECT_EQ(0, scoria_tensor_unpack(to, o->layout, output));
	}
	scoria_sequence_destroy(seq);
	scoria_tensor_destroy(to);
	scoria_tensor_destroy(from);
	return err;
}

/* 0, or why it was refused. */
static int check(const struct scoria_pool_opts *o)
{
	const size_t size = scoria_type_size(o->type), n = o->batch * o->c * o->h * o->w;
	struct scoria_pool_plan *plan = NULL;
	uint8_t *input = malloc(n * size), *want, *got;
	size_t oh = 0, ow = 0, results;
	int err;

	random_fill(&numbers, o->type, input, n);
	EXPECT_EQ(0, scoria_pool_output(o, &oh, &ow));
	results = o->batch * o->c * oh * ow * size;
	want = malloc(results);
	got = malloc(results);
	EXPECT_EQ(0, scoria_pool_plan_create(dev, o, &plan));
	EXPECT_EQ(0, scoria_pool_run(plan, input, want));
	err = run(plan, o, input, oh, ow, got);
	if (!err && memcmp(want, got, results))
		TAP_FAIL("method %d %s c %zu h %zu w %zu kernel %zux%zu stride %zux%zu: differs",
			 o->method, scoria_type_name(o->type), o->c, o->h, o->w, o->kh, o->kw,
			 o->stride_y, o->stride_x);
	scoria_pool_plan_destroy(plan);
	free(got);
	free(want);
	free(input);
	return err;
}

static struct scoria_pool_opts random_pool(enum scoria_type type)
{
	struct scoria_pool_opts o = { .size = sizeof(o), .type = type, .batch = between(1, 2),
				      .layout = between(0, 1), .c = between(1, 70),
				      .h = between(1, 30), .w = between(1, 30),
				      .stride_y = between(1, 7), .stride_x = between(1, 7) };

	o.method = between(SCORIA_POOL_MAX, SCORIA_POOL_AVERAGE);
	o.kh = between(1, o.h < 16 ? o.h : 16);
	o.kw = between(1, o.w < 16 ? o.w : 16);
	o.pad_top = between(0, o.kh < 8 ? o.kh - 1 : 7);
	o.pad_right = between(0, o.kw < 8 ? o.kw - 1 : 7);
	o.count_include_pad = 1;
	if (o.method == SCORIA_POOL_AVERAGE && type != SCORIA_FP16)
		o.pad_value = (int32_t)between(0, 100);
	return o;
}

TEST(tensors_are_pooled_as_arrays_are)
{
	dev = shape_device();
	for (unsigned int i = 0; i < 90 && !tap_failed; i++) {
		const struct scoria_pool_opts o = random_pool(types[i % 3]);

		EXPECT_EQ(0, check(&o));
	}
	EXPECT_EQ(0, shape_reports());
}

/* As MobileNet ends, and more than the PPU has in one pass. */
TEST(global_averages_of_bytes_need_no_cpu)
{
	static const size_t sizes[] = { 1, 2, 7, 16, 17, 31 };

	for (unsigned int i = 0; i < 6; i++)
		for (unsigned int type = 1; type < 3; type++) {
			const struct scoria_pool_opts o = {
				.size = sizeof(o), .type = types[type], .batch = 1, .c = 100,
				.method = SCORIA_POOL_AVERAGE, .h = sizes[i], .w = sizes[i],
			};

			EXPECT_EQ(0, check(&o));
		}
	EXPECT_EQ(0, shape_reports());
}

TEST(what_the_cpu_has_to_do_is_refused_with_the_reason)
{
	struct scoria_pool_opts o = { .size = sizeof(o), .type = SCORIA_INT8, .batch = 1, .c = 5,
				      .method = SCORIA_POOL_AVERAGE, .h = 40, .w = 40, .kh = 3,
				      .kw = 3, .stride_y = 1, .stride_x = 1, .pad_top = 1 };

	EXPECT_EQ(-EOPNOTSUPP, check(&o));
	EXPECT_STR("windows count differently", scoria_error());
	o.method = SCORIA_POOL_MAX;
	o.kw = 17;
	EXPECT_EQ(-EOPNOTSUPP, check(&o));
	EXPECT_STR("gathers", scoria_error());
	scoria_device_close(dev);
}

TEST_MAIN()
