// SPDX-License-Identifier: MIT
/* What the DPU does behind the sums, in the contraction's task or in passes behind it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

#define CHANNELS 52

static struct random random_data = { 5 };
static float vector[CHANNELS];

static struct scoria_conv2d_opts conv(enum scoria_type type, enum scoria_type out)
{
	struct scoria_conv2d_opts o = {
		.size = sizeof(o), .type = type, .out = out, .batch = 1, .ic = 20, .oc = CHANNELS,
		.h = 9, .w = 7, .kh = 3, .kw = 3, .pad_top = 1, .pad_left = 1, .bias = 1,
	};

	if (scoria_type_size(out) == 1) {
		o.scale = 50 / (74.0 * 74 * sqrt(180));
		o.input_zp = 3;
		o.weight_zp = type == SCORIA_UINT8 ? 120 : -4;
		o.output_zp = 9;
	}
	return o;
}

static struct scoria_matmul_opts product(enum scoria_type type, enum scoria_type out)
{
	return (struct scoria_matmul_opts){ .size = sizeof(struct scoria_matmul_opts),
					    .type = type, .out = out, .m = 13, .k = 70,
					    .n = CHANNELS, .ldc = CHANNELS + 3, .scale = 1e-3 };
}

static struct scoria_fusion nothing(void)
{
	return (struct scoria_fusion){ .size = sizeof(struct scoria_fusion) };
}

/* A convolution and a product that compute; a refusal counts as wrong here. */
static void expect_right(struct scoria_device *dev, enum scoria_type type, enum scoria_type out,
			 const struct scoria_fusion *fuse)
{
	struct scoria_conv2d_opts o = conv(type, out);
	struct scoria_matmul_opts m = product(type, out);
	struct shape_verdict verdict;

	o.fuse = m.fuse = fuse;
	verdict = shape_conv2d(dev, &o, &random_data);
	EXPECT_RIGHT(verdict);
	EXPECT_EQ(0, verdict.err);
	if (type == SCORIA_UINT8)
		return;
	verdict = shape_matmul(dev, &m, &random_data);
	EXPECT_RIGHT(verdict);
	EXPECT_EQ(0, verdict.err);
}

static void expect_refused(const char *words, struct scoria_conv2d_opts o,
			   const struct scoria_fusion *fuse, int errno_)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_plan *plan;

	o.fuse = fuse;
	EXPECT_EQ(-errno_, scoria_conv2d_plan_create(dev, &o, &plan));
	EXPECT(strstr(scoria_error(), words));
	if (!strstr(scoria_error(), words))
		printf("# %s\n", scoria_error());
	scoria_device_close(dev);
}

static uint64_t tasks_of(struct scoria_device *dev, struct scoria_conv2d_opts o,
			 const struct scoria_fusion *fuse)
{
	struct scoria_plan_info info = { .size = sizeof(info) };
	struct scoria_conv2d_plan *plan;

	o.fuse = fuse;
	if (scoria_conv2d_plan_create(dev, &o, &plan))
		return 0;
	scoria_conv2d_plan_info(plan, &info);
	scoria_conv2d_plan_destroy(plan);
	return info.tasks;
}

TEST(every_function_follows_fp16_sums)
{
	struct scoria_device *dev = shape_device();
	struct scoria_fusion fuse = nothing();
	int function;

	random_fill(&random_data, SCORIA_FP32, vector, CHANNELS);
	for (function = SCORIA_RELU; function <= SCORIA_ATANH; function++) {
		fuse.activation = function;
		fuse.alpha = function == SCORIA_RELUX ? 1.5 : 0;
		fuse.slopes = function == SCORIA_PRELU ? vector : NULL;
		expect_right(dev, SCORIA_FP16, SCORIA_FP16, &fuse);
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

/* All orders; what has no room in the task is a pass. */
TEST(operands_before_and_behind_functions_of_fp16)
{
	static const enum scoria_activation functions[] = { 0, SCORIA_RELU6, SCORIA_LEAKY_RELU,
							    SCORIA_SIGMOID, SCORIA_SILU };
	struct scoria_device *dev = shape_device();
	struct scoria_fusion fuse = nothing();
	size_t i;
	int way;

	random_fill(&random_data, SCORIA_FP32, vector, CHANNELS);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		for (way = 0; way < 8; way++) {
			fuse.activation = functions[i];
			fuse.operand = way & 1 ? SCORIA_OPERAND_ADD : SCORIA_OPERAND_MUL;
			fuse.operand_last = way & 2;
			fuse.factors = way & 4 ? vector : NULL;
			expect_right(dev, SCORIA_FP16, SCORIA_FP16, &fuse);
		}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

/* In the task itself, which is what fusion is for. */
TEST(what_the_hardware_fuses_costs_no_task)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, SCORIA_FP16);
	struct scoria_fusion fuse = nothing();

	EXPECT_EQ(1, tasks_of(dev, o, NULL));
	fuse.operand = SCORIA_OPERAND_ADD;
	fuse.activation = SCORIA_RELU;
	fuse.factors = vector;
	EXPECT_EQ(1, tasks_of(dev, o, &fuse));
	fuse.factors = NULL;
	fuse.operand_last = 1;
	fuse.activation = SCORIA_LEAKY_RELU;
	EXPECT_EQ(1, tasks_of(dev, o, &fuse));
	fuse.operand = SCORIA_OPERAND_NONE;
	fuse.activation = SCORIA_SIGMOID;
	EXPECT_EQ(1, tasks_of(dev, o, &fuse));
	fuse.activation = SCORIA_TANH;
	EXPECT(tasks_of(dev, o, &fuse) > 1);
	scoria_device_close(dev);
}

TEST(quantised_results_take_operands_and_leaks)
{
	static const enum scoria_type types[] = { SCORIA_INT8, SCORIA_UINT8 };
	struct scoria_device *dev = shape_device();
	int i, way;

	random_fill(&random_data, SCORIA_FP32, vector, CHANNELS);
	for (i = 0; i < 2; i++)
		for (way = 0; way < 8; way++) {
			struct scoria_fusion fuse = nothing();

			fuse.operand = way & 1 ? SCORIA_OPERAND_ADD : SCORIA_OPERAND_MUL;
			fuse.operand_scale = way & 1 ? 0.37 : 0.011;
			fuse.operand_zp = 21;
			fuse.operand_last = way & 2;
			if (way & 4)
				fuse.activation = way & 2 ? SCORIA_LEAKY_RELU : SCORIA_RELU;
			expect_right(dev, types[i], types[i], &fuse);
			fuse = nothing();
			fuse.activation = way & 1 ? SCORIA_PRELU : SCORIA_LEAKY_RELU;
			fuse.alpha = way & 1 ? 0 : 0.05 * (way + 1);
			fuse.slopes = way & 1 ? vector : NULL;
			expect_right(dev, types[i], types[i], &fuse);
		}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

/* Operands of 40 times the output's scale leave fewer guard bits. */
TEST(large_operand_scales_keep_the_formula)
{
	struct scoria_device *dev = shape_device();
	struct scoria_fusion fuse = nothing();
	static const double scales[] = { 7.9, 8.1, 40, 20000, 1e-9 };
	size_t i;

	fuse.operand = SCORIA_OPERAND_ADD;
	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		fuse.operand_scale = scales[i];
		expect_right(dev, SCORIA_INT8, SCORIA_INT8, &fuse);
	}
	scoria_device_close(dev);
}

TEST(channels_with_scales_of_their_own_take_an_operand)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(SCORIA_INT8, SCORIA_INT8);
	struct scoria_fusion fuse = nothing();
	double scales[CHANNELS];
	struct shape_verdict verdict;
	int i;

	for (i = 0; i < CHANNELS; i++)
		scales[i] = o.scale * exp2(-3.0 * i / CHANNELS);
	fuse.operand = SCORIA_OPERAND_ADD;
	fuse.operand_scale = 0.8;
	fuse.activation = SCORIA_RELUX;
	fuse.alpha = 90;
	o.scales = scales;
	o.fuse = &fuse;
	verdict = shape_conv2d(dev, &o, &random_data);
	EXPECT_RIGHT(verdict);
	EXPECT_EQ(0, verdict.err);
	/* no shift in common: the CPU multiplies, and does what follows */
	scales[3] = o.scale * 1e-4;
	EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	scoria_device_close(dev);
}

/* Rows, columns and channels in several tasks, all at the places of the whole operand. */
TEST(operands_of_tiled_shapes)
{
	static const struct { size_t ic, oc, h, w; } shapes[] = {
		{ 3, 20, 5, 2500 }, { 64, 40, 90, 80 }, { 600, 1100, 3, 2 }, { 1, 1, 1, 1 },
	};
	struct scoria_device *dev = shape_device();
	struct scoria_fusion fuse = nothing();
	size_t i;

	fuse.operand = SCORIA_OPERAND_ADD;
	fuse.activation = SCORIA_RELU;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct scoria_conv2d_opts o = conv(SCORIA_FP16, SCORIA_FP16);
		int type;

		for (type = 0; type < 2; type++) {
			if (type)
				o = conv(SCORIA_INT8, SCORIA_INT8);
			o.ic = shapes[i].ic;
			o.oc = shapes[i].oc;
			o.h = shapes[i].h;
			o.w = shapes[i].w;
			o.pad_bottom = o.pad_right = 1;
			o.layout = i & 1 ? SCORIA_NHWC : SCORIA_NCHW;
			o.batch = i == 3 ? 3 : 1;
			o.fuse = &fuse;
			EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
		}
	}
	scoria_device_close(dev);
}

/* Depthwise, grouped, gathered: an operand of integers is in the task or not at all. */
TEST(operands_of_other_ways)
{
	struct scoria_device *dev = shape_device();
	struct scoria_fusion fuse = nothing();
	struct shape_verdict verdict;
	int i;

	fuse.operand = SCORIA_OPERAND_ADD;
	for (i = 0; i < 6; i++) {
		struct scoria_conv2d_opts o = i & 1 ? conv(SCORIA_INT8, SCORIA_INT8) :
						      conv(SCORIA_FP16, SCORIA_FP16);

		o.ic = o.oc = 24;
		o.groups = i < 2 ? 24 : i < 4 ? 4 : 1;
		if (i >= 4) {
			o.h = o.w = 40;
			o.kh = o.kw = 34;
			o.ic = 2;
		}
		o.fuse = &fuse;
		verdict = shape_conv2d(dev, &o, &random_data);
		EXPECT_RIGHT(verdict);
		EXPECT_EQ(0, verdict.err);
	}
	scoria_device_close(dev);
}

TEST(what_does_not_go_together_is_refused_with_the_reason)
{
	struct scoria_conv2d_opts fp16 = conv(SCORIA_FP16, SCORIA_FP16);
	struct scoria_conv2d_opts fp32 = conv(SCORIA_FP16, SCORIA_FP32);
	struct scoria_conv2d_opts int8 = conv(SCORIA_INT8, SCORIA_INT8);
	struct scoria_conv2d_opts int32 = conv(SCORIA_INT8, SCORIA_INT32);
	struct scoria_fusion add = nothing(), tanh = nothing(), prelu = nothing();
	struct scoria_fusion factors = nothing();

	add.operand = SCORIA_OPERAND_ADD;
	tanh.activation = SCORIA_TANH;
	factors.factors = vector;
	prelu.activation = SCORIA_PRELU;
	expect_refused("behind results of int32", int32, &add, EOPNOTSUPP);
	expect_refused("tanh behind results of fp32", fp32, &tanh, EOPNOTSUPP);
	expect_refused("tanh behind results of int8", int8, &tanh, EOPNOTSUPP);
	expect_refused("factors are for floats", int8, &factors, EOPNOTSUPP);
	expect_refused("slopes are NULL", fp16, &prelu, EINVAL);
}

static bool is_float(enum scoria_type type)
{
	return type == SCORIA_FP16 || type == SCORIA_FP32;
}

/*
 * Every activation that the type has, before and behind every operand, with factors or not;
 * every @step-th of all these, as no step here divides the number of ways.
 */
static void for_endings(enum scoria_type out, size_t step,
			void (*run)(const struct scoria_fusion *fuse))
{
	static const enum scoria_activation functions[] = { 0, SCORIA_RELU6, SCORIA_LEAKY_RELU,
							    SCORIA_PRELU, SCORIA_TANH,
							    SCORIA_HARDSWISH };
	const size_t n = out == SCORIA_FP16 ? 6 : 4;
	size_t i;

	random_fill(&random_data, SCORIA_FP32, vector, CHANNELS);
	for (i = 0; i < n * 12; i += step) {
		struct scoria_fusion fuse = nothing();
		const size_t way = i % 12;

		fuse.activation = functions[i / 12];
		fuse.slopes = fuse.activation == SCORIA_PRELU ? vector : NULL;
		fuse.operand = way % 3;
		fuse.operand_last = way / 3 % 2;
		fuse.factors = is_float(out) && way >= 6 ? vector : NULL;
		fuse.operand_scale = is_float(out) ? 0 : fuse.operand == 1 ? 0.7 : 0.02;
		fuse.operand_zp = is_float(out) ? 0 : 11;
		run(&fuse);
	}
}

static const struct { enum scoria_type in, out; } fused_pairs[] = {
	{ SCORIA_FP16, SCORIA_FP16 }, { SCORIA_FP16, SCORIA_FP32 }, { SCORIA_INT8, SCORIA_INT8 },
	{ SCORIA_UINT8, SCORIA_UINT8 },
};

static struct scoria_device *device;
static struct scoria_conv2d_opts convolution;
static struct scoria_matmul_opts matrices;

static void run_convolution(const struct scoria_fusion *fuse)
{
	convolution.fuse = fuse;
	EXPECT_RIGHT(shape_conv2d(device, &convolution, &random_data));
}

static void run_matrices(const struct scoria_fusion *fuse)
{
	matrices.fuse = fuse;
	EXPECT_RIGHT(shape_matmul(device, &matrices, &random_data));
}

/* In one task, depthwise, in groups, gathered, and of sums that come in parts. */
TEST(everything_that_the_type_has_goes_together_on_every_way)
{
	static const struct { size_t ic, h, w, kernel, groups; } ways[] = {
		{ 20, 5, 4, 3, 1 }, { CHANNELS, 3, 4, 3, CHANNELS }, { 8, 4, 4, 1, 4 },
		{ 2, 36, 35, 34, 1 }, { 10500, 2, 1, 1, 1 },
	};

	device = shape_device();
	for (size_t pair = 0; pair < 4; pair++)
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			convolution = conv(fused_pairs[pair].in, fused_pairs[pair].out);
			convolution.ic = ways[i].ic;
			convolution.h = ways[i].h;
			convolution.w = ways[i].w;
			convolution.kh = convolution.kw = ways[i].kernel;
			convolution.groups = ways[i].groups;
			convolution.batch = 2;
			convolution.layout = i % 2;
			convolution.scale = 50 / (74.0 * 74 * ways[i].kernel *
						  sqrt(ways[i].ic / ways[i].groups));
			for_endings(convolution.out, i ? 5 : 1, run_convolution);
		}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(device);
}

/*
 * k that is split, an alpha that is no fp16 number and at times makes results as small as
 * fp16 numbers can be, rows with gaps behind them.
 */
TEST(products_that_the_cpu_finishes_take_everything)
{
	device = shape_device();
	for (size_t pair = 0; pair < 3; pair++)
		for (int way = 0; way < 4; way++) {
			matrices = product(fused_pairs[pair].in, fused_pairs[pair].out);
			matrices.m = 3;
			matrices.k = way & 1 ? 10500 : 40;
			matrices.ldc = way & 2 ? CHANNELS + 5 : 0;
			matrices.batch = 2;
			matrices.alpha = !is_float(matrices.out) ? 0 : way & 1 ? 0.3 : 1e-4;
			matrices.scale = 50 / (74.0 * 74 * sqrt(matrices.k));
			for_endings(matrices.out, way & 1 ? 7 : 5, run_matrices);
		}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(device);
}

TEST(bad_options_are_refused_by_name)
{
	struct scoria_conv2d_opts fp16 = conv(SCORIA_FP16, SCORIA_FP16);
	struct scoria_conv2d_opts int8 = conv(SCORIA_INT8, SCORIA_INT8);
	struct scoria_fusion f = nothing();

	f.size = 8;
	expect_refused("size of options", fp16, &f, EINVAL);
	f = nothing();
	f.activation = 1000;
	expect_refused("activation = 1000", fp16, &f, EINVAL);
	f.activation = SCORIA_RELU;
	fp16.relu = 1;
	expect_refused("as well", fp16, &f, EINVAL);
	fp16.relu = 0;
	f.activation = SCORIA_RELUX;
	expect_refused("alpha = 0", fp16, &f, EINVAL);
	f.activation = SCORIA_RELU6;
	f.alpha = 3;
	expect_refused("alpha = 3: relu6 has none", fp16, &f, EINVAL);
	f = nothing();
	f.operand = 3;
	expect_refused("operand = 3", fp16, &f, EINVAL);
	f.operand = SCORIA_OPERAND_ADD;
	f.operand_scale = 2;
	expect_refused("operand_scale = 2", fp16, &f, EINVAL);
	f.operand_scale = NAN;
	expect_refused("operand_scale = ", int8, &f, EINVAL);
	f.operand_scale = -1;
	expect_refused("operand_scale = -1", int8, &f, EINVAL);
	f.operand_scale = 1;
	f.operand_zp = 128;
	expect_refused("operand_zp = 128", int8, &f, EINVAL);
	f = nothing();
	f.factors = vector;
	vector[5] = 1e6;
	expect_refused("factors[5]", fp16, &f, EINVAL);
	vector[5] = NAN;
	expect_refused("factors[5]", fp16, &f, EINVAL);
	vector[5] = 0;
}

TEST(an_operand_is_given_exactly_when_there_is_one)
{
	struct scoria_device *dev = shape_device();
	struct scoria_matmul_opts o = product(SCORIA_FP16, SCORIA_FP16);
	struct scoria_fusion fuse = nothing();
	struct scoria_matmul_weights *weights;
	struct scoria_matmul_plan *plan;
	static uint16_t numbers[70 * (CHANNELS + 3)];

	fuse.operand = SCORIA_OPERAND_ADD;
	for (int i = 0; i < 2; i++) {
		o.fuse = i ? &fuse : NULL;
		ASSERT(!scoria_matmul_plan_create(dev, &o, &plan));
		ASSERT(!scoria_matmul_weights_create(plan, numbers, &weights));
		EXPECT_EQ(i ? -EINVAL : 0, scoria_matmul_run(plan, weights, numbers, numbers));
		EXPECT_EQ(i ? 0 : -EINVAL,
			  scoria_matmul_run_fused(plan, weights, numbers, numbers, numbers));
		scoria_matmul_weights_destroy(weights);
		scoria_matmul_plan_destroy(plan);
	}
	scoria_device_close(dev);
}

TEST_MAIN()
