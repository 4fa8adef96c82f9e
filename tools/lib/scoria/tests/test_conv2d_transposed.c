// SPDX-License-Identifier: MIT
/* Transposed convolutions: every stride, kernel and crop against the reference. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/reference.h"
#include "shape.h"

static struct scoria_device *dev;
static struct random numbers = { 17 };

static const struct { enum scoria_type in, out; } pairs[] = {
	{ SCORIA_FP16, SCORIA_FP16 }, { SCORIA_FP16, SCORIA_FP32 }, { SCORIA_INT8, SCORIA_INT32 },
	{ SCORIA_INT8, SCORIA_INT8 }, { SCORIA_UINT8, SCORIA_INT32 },
	{ SCORIA_UINT8, SCORIA_UINT8 },
};

static struct scoria_conv2d_transposed_opts opts_of(size_t pair)
{
	struct scoria_conv2d_transposed_opts o = { .size = sizeof(o) };
	bool floats = pairs[pair].in == SCORIA_FP16;

	o.conv = (struct scoria_conv2d_opts){ .size = sizeof(o.conv), .type = pairs[pair].in,
					      .out = pairs[pair].out, .batch = 1, .ic = 10,
					      .oc = 6, .h = 5, .w = 7, .kh = 3, .kw = 3,
					      .stride_y = 2, .stride_x = 2,
					      .input_zp = floats ? 0 : 3,
					      .weight_zp = floats ? 0 : 2, .scale = 1e-3 };
	return o;
}

static void *get_random(enum scoria_type type, size_t n)
{
	void *data = malloc(n * scoria_type_size(type));

	random_fill(&numbers, type, data, n);
	return data;
}

static int run(const struct scoria_conv2d_transposed_opts *opts, const void *input,
	       const void *weights, const void *bias, const void *operand, void *output)
{
	struct scoria_conv2d_transposed_weights *packed = NULL;
	struct scoria_conv2d_transposed_plan *plan = NULL;
	int err;

	if (!operand)
		return scoria_conv2d_transposed(dev, opts, input, weights, bias, output);
	err = scoria_conv2d_transposed_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_conv2d_transposed_weights_create(plan, weights, bias, &packed);
	if (!err)
		err = scoria_conv2d_transposed_run_fused(plan, packed, input, operand, output);
	scoria_conv2d_transposed_weights_destroy(packed);
	scoria_conv2d_transposed_plan_destroy(plan);
	return err;
}

static int compute(const struct scoria_conv2d_transposed_opts *opts, size_t results, void *output,
		   struct compare *result)
{
	const struct scoria_conv2d_opts *o = &opts->conv;
	struct scoria_requant requant[200];
	bool requantised = scoria_type_size(o->out) == 1;
	void *input = get_random(o->type, o->batch * o->ic * o->h * o->w);
	void *weights = get_random(o->type, o->ic * o->oc * o->kh * o->kw);
	void *bias = get_random(o->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32, o->oc);
	void *operand = o->fuse && o->fuse->operand ? get_random(o->out, results) : NULL;
	int err = run(opts, input, weights, o->bias ? bias : NULL, operand, output);

	if (!err && requantised)
		err = scoria_conv2d_transposed_requant(opts, requant);
	if (!err)
		reference_conv2d_transposed(opts, requantised ? requant : NULL, input, weights,
					    o->bias ? bias : NULL, operand, output, result);
	free(operand);
	free(bias);
	free(weights);
	free(input);
	return err;
}

static void check(struct scoria_conv2d_transposed_opts opts)
{
	const struct scoria_conv2d_opts *o = &opts.conv;
	struct compare result = { 0 };
	size_t oh = 0, ow = 0, bytes;
	uint8_t *output;
	int err = scoria_conv2d_transposed_output(&opts, &oh, &ow);

	bytes = o->batch * o->oc * oh * ow * scoria_type_size(o->out);
	output = malloc(bytes + 1);
	output[bytes] = 0xa5;
	if (!err)
		err = compute(&opts, bytes / scoria_type_size(o->out), output, &result);
	if (err || !compare_passed(&result) || output[bytes] != 0xa5)
		TAP_FAIL("%s to %s layout %d batch %zu ic %zu oc %zu groups %zu h %zu w %zu kernel %zux%zu stride %zux%zu dilation %zux%zu pad %zu,%zu,%zu,%zu more %zu,%zu: %zu of %zu wrong, first at %zu: %g instead of %g; %s",
			 scoria_type_name(o->type), scoria_type_name(o->out), o->layout, o->batch,
			 o->ic, o->oc, o->groups, o->h, o->w, o->kh, o->kw, o->stride_y,
			 o->stride_x, o->dilation_y, o->dilation_x, o->pad_top, o->pad_bottom,
			 o->pad_left, o->pad_right, opts.output_pad_y, opts.output_pad_x,
			 result.bad, result.count, result.first_bad, result.first_got,
			 result.first_ref, err ? scoria_error() : "");
	free(output);
}

TEST(every_kernel_and_stride_is_right)
{
	dev = shape_device();
	for (size_t k = 1; k <= 6; k++)
		for (size_t s = 1; s <= 5; s++) {
			struct scoria_conv2d_transposed_opts o = opts_of((k + s) % 6);

			o.conv.kh = k;
			o.conv.kw = 7 - k;
			o.conv.stride_y = s;
			o.conv.stride_x = 6 - s;
			o.conv.bias = 1;
			check(o);
		}
	EXPECT_EQ(0, shape_reports());
}

TEST(all_types_are_right_with_everything)
{
	for (size_t pair = 0; pair < 6; pair++) {
		struct scoria_conv2d_transposed_opts o = opts_of(pair);

		o.conv.groups = 2;
		o.conv.bias = 1;
		o.conv.relu = 1;
		o.conv.relu_max = 90;
		o.conv.pad_top = 1;
		o.conv.pad_right = 1;
		o.output_pad_y = o.output_pad_x = 1;
		o.conv.layout = pair % 2;
		check(o);
		o.conv.groups = o.conv.oc = o.conv.ic;
		check(o);
	}
}

/* Whatever can follow a convolution's sums, in every phase: with operands in both layouts. */
TEST(everything_that_follows_is_right)
{
	static const enum scoria_activation functions[] = { 0, SCORIA_RELU6, SCORIA_LEAKY_RELU,
							    SCORIA_PRELU, SCORIA_SILU };
	float vector[12];

	random_fill(&numbers, SCORIA_FP32, vector, 12);
	for (size_t pair = 0; pair < 6; pair++)
		for (size_t i = 0; i < (pair ? 4 : 5) * 6 && pairs[pair].out != SCORIA_INT32; i++) {
			struct scoria_conv2d_transposed_opts o = opts_of(pair);
			const bool floats = o.conv.type == SCORIA_FP16;
			const struct scoria_fusion fuse = {
				.size = sizeof(fuse),
				.activation = functions[i / 6],
				.slopes = functions[i / 6] == SCORIA_PRELU ? vector : NULL,
				.factors = floats && i % 2 ? vector : NULL,
				.operand = i % 3,
				.operand_last = i % 2,
				.operand_scale = floats ? 0 : 0.04,
				.operand_zp = floats ? 0 : 7,
			};

			o.conv.fuse = &fuse;
			o.conv.bias = 1;
			o.conv.batch = 2;
			o.conv.layout = i % 2;
			o.conv.oc = 12;
			o.output_pad_x = 1;
			o.conv.pad_top = 2;
			check(o);
		}
	EXPECT_EQ(0, shape_reports());
}

TEST(an_operand_is_given_exactly_when_there_is_one)
{
	static uint16_t numbers_of_all[10 * 6 * 16 * 16];
	const struct scoria_fusion fuse = { .size = sizeof(fuse),
					    .operand = SCORIA_OPERAND_ADD };
	struct scoria_conv2d_transposed_opts o = opts_of(0);
	struct scoria_conv2d_transposed_weights *packed;
	struct scoria_conv2d_transposed_plan *plan;
	const void *some = numbers_of_all;

	for (int i = 0; i < 2; i++) {
		o.conv.fuse = i ? &fuse : NULL;
		ASSERT(!scoria_conv2d_transposed_plan_create(dev, &o, &plan));
		ASSERT(!scoria_conv2d_transposed_weights_create(plan, some, NULL, &packed));
		EXPECT_EQ(i ? -EINVAL : 0,
			  scoria_conv2d_transposed_run(plan, packed, some, numbers_of_all));
		EXPECT_EQ(i ? 0 : -EINVAL,
			  scoria_conv2d_transposed_run_fused(plan, packed, some, some,
							     numbers_of_all));
		scoria_conv2d_transposed_weights_destroy(packed);
		scoria_conv2d_transposed_plan_destroy(plan);
	}
}

static size_t between(size_t low, size_t high)
{
	return random_range(&numbers, low, high);
}

static struct scoria_conv2d_transposed_opts random_opts(void)
{
	struct scoria_conv2d_transposed_opts o = opts_of(between(0, 5));
	struct scoria_conv2d_opts *c = &o.conv;

	c->layout = between(0, 1);
	c->batch = between(1, 2);
	c->groups = between(0, 3) ? 1 : between(1, 3);
	c->ic = c->groups * between(1, 40);
	c->oc = c->groups * between(1, 40);
	c->h = between(1, 12);
	c->w = between(1, 12);
	c->kh = between(1, 7);
	c->kw = between(1, 7);
	c->stride_y = between(1, 4);
	c->stride_x = between(1, 4);
	c->dilation_y = between(0, 2) ? 1 : between(1, 4);
	c->dilation_x = between(0, 2) ? 1 : between(1, 4);
	c->pad_top = between(0, c->kh);
	c->pad_bottom = between(0, c->kh);
	c->pad_left = between(0, c->kw);
	c->pad_right = between(0, c->kw);
	o.output_pad_y = between(0, c->stride_y - 1);
	o.output_pad_x = between(0, c->stride_x - 1);
	c->bias = between(0, 1);
	return o;
}

TEST(random_shapes_are_right)
{
	for (int done = 0; done < 150 && !tap_failed;) {
		struct scoria_conv2d_transposed_opts o = random_opts();
		size_t oh, ow;

		/* crops may leave nothing */
		if (scoria_conv2d_transposed_output(&o, &oh, &ow))
			continue;
		check(o);
		done++;
	}
	EXPECT_EQ(0, shape_reports());
}

static void expect_error(const char *words, struct scoria_conv2d_transposed_opts o)
{
	struct scoria_conv2d_transposed_plan *plan = NULL;

	EXPECT_EQ(-EINVAL, scoria_conv2d_transposed_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
}

#define OPTS(...) ({ struct scoria_conv2d_transposed_opts o = opts_of(0); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	expect_error("size of options", OPTS(o.size = 3));
	expect_error("h: size 0", OPTS(o.conv.h = 0));
	expect_error("w: size 7, kernel 0", OPTS(o.conv.kw = 0));
	expect_error("output padding of 2", OPTS(o.output_pad_x = 2));
	expect_error("gives an output of", OPTS(o.conv.pad_top = 6, o.conv.pad_bottom = 5));
	expect_error("gives an output of", OPTS(o.conv.stride_y = INT32_MAX));
	expect_error("ic is 0", OPTS(o.conv.ic = 0));
	expect_error("multiples of groups", OPTS(o.conv.groups = 4));
	expect_error("not a type", OPTS(o.conv.type = 0));
	scoria_device_close(dev);
}

TEST_MAIN()
