// SPDX-License-Identifier: MIT
/*
 * Every field of every operation's options at values that make no sense: -EINVAL, with the
 * field's name, before any memory of the NPU is taken. The device has so little of it that a
 * plan which came so far would fail with -ENOSPC.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

#define MEMORY 4096

/* More than any options here have, with room for what a newer library may know. */
#define ROOM 512

static struct scoria_device *dev;

/**
 * struct bad - a value of a field
 * @name:   of the field, which the message has to have
 * @offset: @size: where it is
 * @value:  what it is set to
 */
struct bad {
	const char *name;
	size_t offset;
	size_t size;
	const void *value;
};

#define MEMBER(type, member) (((struct type *)0)->member)

#define BAD_NAMED(name, type, member, ...)					\
	{ name, offsetof(struct type, member), sizeof(MEMBER(type, member)),	\
	  &(const __typeof__(MEMBER(type, member))){ __VA_ARGS__ } }

#define BAD(type, member, ...) BAD_NAMED(#member, type, member, __VA_ARGS__)

/* A size that no array and no multiple of it can have. */
#define HUGE_SIZE (SIZE_MAX / 2)

/**
 * struct operation - one with its options
 * @name: for messages
 * @good: options that are valid, of @size bytes
 * @plan: make a plan of @opts and destroy it
 * @bad:  ends with a row without a name
 */
struct operation {
	const char *name;
	const void *good;
	size_t size;
	int (*plan)(const void *opts);
	const struct bad *bad;
};

/* A plan that was not made is left as it was. */
#define PLAN(op)								\
	static int plan_##op(const void *opts)					\
	{									\
		struct scoria_##op##_plan *const none = (void *)&dev;		\
		struct scoria_##op##_plan *plan = none;				\
		int err = scoria_##op##_plan_create(dev, opts, &plan);		\
										\
		if (!err)							\
			scoria_##op##_plan_destroy(plan);			\
		else								\
			EXPECT(plan == none);					\
		return err;							\
	}

PLAN(matmul)
PLAN(conv2d)
PLAN(conv2d_transposed)
PLAN(eltwise)
PLAN(activation)
PLAN(pool)
PLAN(reduce)
PLAN(softmax)
PLAN(norm)
PLAN(batchnorm)
PLAN(attention)

static int plan_conv1d(const void *opts)
{
	struct scoria_conv2d_opts conv2d;
	int err = scoria_conv1d_as_conv2d(opts, &conv2d);

	return err ? err : plan_conv2d(&conv2d);
}

static int plan_tensor(const void *opts)
{
	struct scoria_tensor *tensor;
	int err = scoria_tensor_create(dev, opts, &tensor);

	if (!err)
		scoria_tensor_destroy(tensor);
	return err;
}

static int plan_convert(const void *opts)
{
	static const uint32_t from[4];
	uint32_t to[4];

	return scoria_convert(opts, from, to);
}

/* The options of what follows a convolution of two channels. */
static int plan_fusion_of(const void *opts, enum scoria_type type)
{
	const struct scoria_conv2d_opts o = {
		.size = sizeof(o), .type = type, .out = type, .batch = 1, .ic = 1, .oc = 2,
		.h = 1, .w = 1, .kh = 1, .kw = 1, .scale = type == SCORIA_INT8, .fuse = opts,
	};

	return plan_conv2d(&o);
}

static int plan_fusion(const void *opts)
{
	return plan_fusion_of(opts, SCORIA_FP16);
}

static int plan_int8_fusion(const void *opts)
{
	return plan_fusion_of(opts, SCORIA_INT8);
}

static const double scales[] = { 0.5, NAN }, no_scales[] = { 0.5, 0 };
static const float numbers[] = { 1, 1 }, bad_numbers[] = { 1, NAN }, large[] = { INFINITY, 1 };

static const struct scoria_matmul_opts matmul = {
	.size = sizeof(matmul), .type = SCORIA_INT8, .out = SCORIA_INT8, .m = 2, .k = 2, .n = 2,
	.scale = 0.5,
};

static const struct bad bad_matmul[] = {
	BAD(scoria_matmul_opts, type, 0), BAD(scoria_matmul_opts, type, 99),
	BAD(scoria_matmul_opts, out, 0), BAD(scoria_matmul_opts, out, -1),
	BAD(scoria_matmul_opts, b_layout, 2), BAD(scoria_matmul_opts, b_layout, -1),
	BAD(scoria_matmul_opts, m, 0), BAD(scoria_matmul_opts, k, 0),
	BAD(scoria_matmul_opts, n, 0), BAD(scoria_matmul_opts, lda, 1),
	BAD(scoria_matmul_opts, lda, HUGE_SIZE), BAD(scoria_matmul_opts, ldb, 1),
	BAD(scoria_matmul_opts, ldb, HUGE_SIZE), BAD(scoria_matmul_opts, ldc, 1),
	BAD(scoria_matmul_opts, ldc, HUGE_SIZE), BAD_NAMED("stride_", scoria_matmul_opts, batch,
							   HUGE_SIZE),
	BAD(scoria_matmul_opts, stride_a, 3), BAD(scoria_matmul_opts, stride_a, SIZE_MAX),
	BAD(scoria_matmul_opts, stride_b, 3), BAD(scoria_matmul_opts, stride_b, SIZE_MAX),
	BAD(scoria_matmul_opts, stride_c, 3), BAD(scoria_matmul_opts, stride_c, SIZE_MAX),
	BAD(scoria_matmul_opts, alpha, 2), BAD(scoria_matmul_opts, alpha, NAN),
	BAD(scoria_matmul_opts, alpha, -INFINITY), BAD(scoria_matmul_opts, relu_max, 1),
	BAD(scoria_matmul_opts, relu_max, -1), BAD(scoria_matmul_opts, relu_max, NAN),
	BAD(scoria_matmul_opts, relu_max, INFINITY), BAD(scoria_matmul_opts, scale, 0),
	BAD(scoria_matmul_opts, scale, -1), BAD(scoria_matmul_opts, scale, NAN),
	BAD(scoria_matmul_opts, scale, INFINITY), BAD(scoria_matmul_opts, scales, scales),
	BAD(scoria_matmul_opts, scales, no_scales), BAD(scoria_matmul_opts, output_zp, 128),
	BAD(scoria_matmul_opts, output_zp, -129), BAD(scoria_matmul_opts, a_zp, 128),
	BAD(scoria_matmul_opts, a_zp, -129), BAD(scoria_matmul_opts, b_zp, 128),
	BAD(scoria_matmul_opts, b_zp, INT32_MIN), { .name = NULL },
};

static const struct scoria_conv2d_opts conv2d = {
	.size = sizeof(conv2d), .type = SCORIA_INT8, .out = SCORIA_INT8, .batch = 1, .ic = 2,
	.oc = 2, .h = 4, .w = 4, .kh = 3, .kw = 3, .scale = 0.5,
};

static const struct bad bad_conv2d[] = {
	BAD(scoria_conv2d_opts, type, 0), BAD(scoria_conv2d_opts, type, -5),
	BAD(scoria_conv2d_opts, out, 0), BAD(scoria_conv2d_opts, out, 77),
	BAD(scoria_conv2d_opts, layout, 2), BAD(scoria_conv2d_opts, layout, -1),
	BAD(scoria_conv2d_opts, batch, 0), BAD(scoria_conv2d_opts, batch, SIZE_MAX),
	BAD(scoria_conv2d_opts, ic, 0), BAD(scoria_conv2d_opts, ic, HUGE_SIZE),
	BAD(scoria_conv2d_opts, oc, 0), BAD(scoria_conv2d_opts, oc, HUGE_SIZE),
	BAD(scoria_conv2d_opts, h, 0), BAD(scoria_conv2d_opts, h, HUGE_SIZE),
	BAD(scoria_conv2d_opts, w, 0), BAD(scoria_conv2d_opts, w, HUGE_SIZE),
	BAD(scoria_conv2d_opts, kh, 0), BAD_NAMED("h = 4", scoria_conv2d_opts, kh, 5),
	BAD(scoria_conv2d_opts, kw, 0), BAD_NAMED("w = 4", scoria_conv2d_opts, kw, 5),
	BAD(scoria_conv2d_opts, stride_y, HUGE_SIZE), BAD(scoria_conv2d_opts, stride_x, SIZE_MAX),
	BAD(scoria_conv2d_opts, dilation_y, SIZE_MAX),
	BAD(scoria_conv2d_opts, dilation_x, HUGE_SIZE),
	BAD_NAMED("h = 4", scoria_conv2d_opts, dilation_y, 2),
	BAD(scoria_conv2d_opts, pad_top, SIZE_MAX), BAD(scoria_conv2d_opts, pad_bottom, HUGE_SIZE),
	BAD(scoria_conv2d_opts, pad_left, 1ul << 31), BAD(scoria_conv2d_opts, pad_right, SIZE_MAX),
	BAD(scoria_conv2d_opts, groups, 3), BAD(scoria_conv2d_opts, groups, SIZE_MAX),
	BAD(scoria_conv2d_opts, input_zp, 128), BAD(scoria_conv2d_opts, input_zp, -129),
	BAD(scoria_conv2d_opts, weight_zp, 128), BAD(scoria_conv2d_opts, weight_zp, INT32_MIN),
	BAD(scoria_conv2d_opts, output_zp, 128), BAD(scoria_conv2d_opts, output_zp, -129),
	BAD(scoria_conv2d_opts, scale, 0), BAD(scoria_conv2d_opts, scale, NAN),
	BAD(scoria_conv2d_opts, scale, INFINITY), BAD(scoria_conv2d_opts, scale, -0.5),
	BAD(scoria_conv2d_opts, scales, scales), BAD(scoria_conv2d_opts, scales, no_scales),
	BAD(scoria_conv2d_opts, relu_max, 1), BAD(scoria_conv2d_opts, relu_max, -1),
	BAD(scoria_conv2d_opts, relu_max, NAN), { .name = NULL },
};

static const struct scoria_conv1d_opts conv1d = {
	.size = sizeof(conv1d), .type = SCORIA_INT8, .out = SCORIA_INT8, .batch = 1, .ic = 2,
	.oc = 2, .length = 4, .kernel = 3, .scale = 0.5,
};

static const struct bad bad_conv1d[] = {
	BAD(scoria_conv1d_opts, type, 0), BAD(scoria_conv1d_opts, out, 77),
	BAD(scoria_conv1d_opts, layout, 2), BAD(scoria_conv1d_opts, batch, 0),
	BAD(scoria_conv1d_opts, ic, 0), BAD(scoria_conv1d_opts, oc, SIZE_MAX),
	BAD(scoria_conv1d_opts, length, 0), BAD(scoria_conv1d_opts, length, SIZE_MAX),
	BAD(scoria_conv1d_opts, kernel, 0), BAD(scoria_conv1d_opts, kernel, 5),
	BAD(scoria_conv1d_opts, kernel, SIZE_MAX), BAD(scoria_conv1d_opts, stride, SIZE_MAX),
	BAD(scoria_conv1d_opts, dilation, 2), BAD(scoria_conv1d_opts, dilation, SIZE_MAX),
	BAD(scoria_conv1d_opts, pad_left, SIZE_MAX), BAD(scoria_conv1d_opts, pad_right, HUGE_SIZE),
	BAD(scoria_conv1d_opts, groups, 3), BAD(scoria_conv1d_opts, input_zp, 128),
	BAD(scoria_conv1d_opts, weight_zp, -129), BAD(scoria_conv1d_opts, output_zp, 1000),
	BAD(scoria_conv1d_opts, scale, NAN), BAD(scoria_conv1d_opts, scales, scales),
	BAD(scoria_conv1d_opts, relu_max, -1), { .name = NULL },
};

static const struct scoria_conv2d_transposed_opts transposed = {
	.size = sizeof(transposed),
	.conv = { .size = sizeof(conv2d), .type = SCORIA_INT8, .out = SCORIA_INT8, .batch = 1,
		  .ic = 2, .oc = 2, .h = 4, .w = 4, .kh = 3, .kw = 3, .scale = 0.5 },
};

#define BAD_T(name, ...) BAD_NAMED(name, scoria_conv2d_transposed_opts, __VA_ARGS__)

static const struct bad bad_transposed[] = {
	BAD_T("size of conv", conv.size, 2024), BAD_T("size of options", conv.size, 5),
	BAD_T("type", conv.type, 0),
	BAD_T("out", conv.out, 77), BAD_T("layout", conv.layout, 2),
	BAD_T("batch", conv.batch, 0), BAD_T("ic", conv.ic, 0), BAD_T("oc", conv.oc, SIZE_MAX),
	BAD_T("h", conv.h, 0), BAD_T("w", conv.w, SIZE_MAX), BAD_T("h: ", conv.kh, 0),
	BAD_T("w: ", conv.kw, SIZE_MAX), BAD_T("h: ", conv.stride_y, SIZE_MAX),
	BAD_T("w: ", conv.dilation_x, SIZE_MAX), BAD_T("h", conv.pad_top, SIZE_MAX),
	BAD_T("h", conv.pad_bottom, 6), BAD_T("w", conv.pad_left, SIZE_MAX),
	BAD_T("w", conv.pad_right, 6), BAD_T("groups", conv.groups, 3),
	BAD_T("input_zp", conv.input_zp, 128), BAD_T("weight_zp", conv.weight_zp, -129),
	BAD_T("output_zp", conv.output_zp, 128), BAD_T("scale", conv.scale, INFINITY),
	BAD_T("scales[1]", conv.scales, scales), BAD_T("relu_max", conv.relu_max, NAN),
	BAD_T("output padding", output_pad_y, 1), BAD_T("output padding", output_pad_x, SIZE_MAX),
	{ .name = NULL },
};

static const struct scoria_fusion fusion = { .size = sizeof(fusion) };

static const struct bad bad_fusion[] = {
	BAD(scoria_fusion, factors, bad_numbers), BAD(scoria_fusion, factors, large),
	BAD(scoria_fusion, activation, -1), BAD(scoria_fusion, activation, 1000),
	BAD_NAMED("alpha", scoria_fusion, activation, SCORIA_RELUX),
	BAD(scoria_fusion, slopes, numbers),
	BAD_NAMED("slopes", scoria_fusion, activation, SCORIA_PRELU),
	BAD(scoria_fusion, operand, 3), BAD(scoria_fusion, operand, -1), { .name = NULL },
};

static const struct scoria_fusion prelu = { .size = sizeof(prelu), .activation = SCORIA_PRELU,
					    .slopes = numbers };

static const struct bad bad_prelu[] = {
	BAD(scoria_fusion, slopes, bad_numbers), BAD(scoria_fusion, slopes, large),
	BAD(scoria_fusion, slopes, NULL), { .name = NULL },
};

static const struct scoria_fusion leak = { .size = sizeof(leak), .alpha = 0.1,
					   .activation = SCORIA_LEAKY_RELU };

static const struct bad bad_leak[] = {
	BAD(scoria_fusion, alpha, -1), BAD(scoria_fusion, alpha, NAN),
	BAD(scoria_fusion, alpha, 40000), BAD(scoria_fusion, alpha, 1e-20), { .name = NULL },
};

static const struct scoria_fusion addition = { .size = sizeof(addition), .operand_scale = 1,
					       .operand = SCORIA_OPERAND_ADD };

static const struct bad bad_addition[] = {
	BAD(scoria_fusion, operand_scale, NAN), BAD(scoria_fusion, operand_scale, -1),
	BAD(scoria_fusion, operand_scale, INFINITY), BAD(scoria_fusion, operand_scale, 40000),
	BAD(scoria_fusion, operand_scale, 1e-300),
	BAD(scoria_fusion, operand_zp, 128), BAD(scoria_fusion, operand_zp, -129), { .name = NULL },
};

static const struct scoria_eltwise_opts eltwise = {
	.size = sizeof(eltwise), .op = SCORIA_ADD, .type = SCORIA_INT8, .n = 4, .channels = 2,
	.inner = 1,
};

static const struct bad bad_eltwise[] = {
	BAD(scoria_eltwise_opts, op, 0), BAD(scoria_eltwise_opts, op, 99),
	BAD(scoria_eltwise_opts, type, 0), BAD(scoria_eltwise_opts, n, 0),
	BAD(scoria_eltwise_opts, n, SIZE_MAX), BAD(scoria_eltwise_opts, broadcast_a, 3),
	BAD(scoria_eltwise_opts, broadcast_b, -1), BAD(scoria_eltwise_opts, a_scale, NAN),
	BAD(scoria_eltwise_opts, a_scale, -1), BAD(scoria_eltwise_opts, b_scale, INFINITY),
	BAD(scoria_eltwise_opts, out_scale, -1), BAD(scoria_eltwise_opts, a_zp, 128),
	BAD(scoria_eltwise_opts, b_zp, -129), BAD(scoria_eltwise_opts, out_zp, 1000),
	BAD(scoria_eltwise_opts, relu_max, -1), BAD(scoria_eltwise_opts, relu_max, NAN),
	{ .name = NULL },
};

static const struct scoria_activation_opts activation = {
	.size = sizeof(activation), .function = SCORIA_RELUX, .alpha = 1, .n = 4,
};

static const struct bad bad_activation[] = {
	BAD(scoria_activation_opts, function, 0), BAD(scoria_activation_opts, function, 1000),
	BAD(scoria_activation_opts, n, 0), BAD(scoria_activation_opts, n, SIZE_MAX),
	BAD(scoria_activation_opts, alpha, 0), BAD(scoria_activation_opts, alpha, NAN),
	BAD(scoria_activation_opts, alpha, INFINITY), BAD(scoria_activation_opts, channels, 2),
	BAD(scoria_activation_opts, inner, 2), { .name = NULL },
};

static const struct scoria_pool_opts pool = {
	.size = sizeof(pool), .type = SCORIA_INT8, .method = SCORIA_POOL_AVERAGE, .batch = 1,
	.c = 2, .h = 4, .w = 4, .kh = 2, .kw = 2,
};

static const struct bad bad_pool[] = {
	BAD(scoria_pool_opts, type, 0), BAD(scoria_pool_opts, method, 77),
	BAD(scoria_pool_opts, layout, 2), BAD(scoria_pool_opts, batch, 0),
	BAD(scoria_pool_opts, c, 0), BAD(scoria_pool_opts, h, 0), BAD(scoria_pool_opts, w, 0),
	BAD_NAMED("h = 4", scoria_pool_opts, kh, 5), BAD_NAMED("w = 4", scoria_pool_opts, kw, 5),
	BAD_NAMED("of h", scoria_pool_opts, pad_top, SIZE_MAX),
	BAD_NAMED("of h", scoria_pool_opts, pad_bottom, 2),
	BAD_NAMED("of w", scoria_pool_opts, pad_left, 2),
	BAD_NAMED("of w", scoria_pool_opts, pad_right, SIZE_MAX),
	BAD_NAMED("in w", scoria_pool_opts, stride_x, SIZE_MAX), { .name = NULL },
};

static const struct scoria_reduce_opts reduce = {
	.size = sizeof(reduce), .type = SCORIA_FP16, .out = SCORIA_FP32, .op = SCORIA_REDUCE_SUM,
	.rows = 2, .columns = 2,
};

static const struct bad bad_reduce[] = {
	BAD(scoria_reduce_opts, type, 0), BAD(scoria_reduce_opts, out, 99),
	BAD(scoria_reduce_opts, op, 77), BAD(scoria_reduce_opts, rows, 0),
	BAD(scoria_reduce_opts, columns, 0), BAD(scoria_reduce_opts, ldx, 1),
	BAD(scoria_reduce_opts, ldx, HUGE_SIZE), { .name = NULL },
};

static const struct scoria_softmax_opts softmax = {
	.size = sizeof(softmax), .type = SCORIA_INT8, .rows = 2, .columns = 2, .scale = 0.1,
};

static const struct bad bad_softmax[] = {
	BAD(scoria_softmax_opts, type, 0), BAD(scoria_softmax_opts, rows, 0),
	BAD(scoria_softmax_opts, columns, 0), BAD(scoria_softmax_opts, ldx, 1),
	BAD(scoria_softmax_opts, ldy, 1), BAD(scoria_softmax_opts, ldx, HUGE_SIZE),
	BAD(scoria_softmax_opts, ldy, HUGE_SIZE), BAD(scoria_softmax_opts, scale, NAN),
	BAD(scoria_softmax_opts, scale, -1), BAD(scoria_softmax_opts, scale, INFINITY),
	{ .name = NULL },
};

static const struct scoria_norm_opts norm = {
	.size = sizeof(norm), .op = SCORIA_LAYERNORM, .type = SCORIA_FP16, .rows = 2, .columns = 2,
};

static const struct bad bad_norm[] = {
	BAD(scoria_norm_opts, op, 77), BAD(scoria_norm_opts, type, 0),
	BAD(scoria_norm_opts, rows, 0), BAD(scoria_norm_opts, columns, 0),
	BAD(scoria_norm_opts, ldx, 1), BAD(scoria_norm_opts, ldy, 1),
	BAD(scoria_norm_opts, ldx, HUGE_SIZE), BAD(scoria_norm_opts, ldy, HUGE_SIZE),
	BAD(scoria_norm_opts, eps, NAN), BAD(scoria_norm_opts, eps, -1),
	BAD(scoria_norm_opts, eps, INFINITY), { .name = NULL },
};

static const struct scoria_batchnorm_opts batchnorm = {
	.size = sizeof(batchnorm), .type = SCORIA_FP16, .batch = 1, .c = 2, .h = 2, .w = 2,
};

static const struct bad bad_batchnorm[] = {
	BAD(scoria_batchnorm_opts, type, 0), BAD(scoria_batchnorm_opts, layout, 2),
	BAD(scoria_batchnorm_opts, batch, 0), BAD(scoria_batchnorm_opts, c, 0),
	BAD(scoria_batchnorm_opts, h, 0), BAD(scoria_batchnorm_opts, w, 0),
	BAD(scoria_batchnorm_opts, mean, bad_numbers), BAD(scoria_batchnorm_opts, var, bad_numbers),
	BAD(scoria_batchnorm_opts, gamma, large), BAD(scoria_batchnorm_opts, beta, bad_numbers),
	BAD(scoria_batchnorm_opts, eps, -1), BAD(scoria_batchnorm_opts, eps, NAN),
	BAD(scoria_batchnorm_opts, relu_max, -1), { .name = NULL },
};

static const struct scoria_attention_opts attention = {
	.size = sizeof(attention), .type = SCORIA_FP16, .heads = 2, .queries = 2, .keys = 2,
	.dim = 2,
};

static const struct bad bad_attention[] = {
	BAD(scoria_attention_opts, type, 0), BAD(scoria_attention_opts, kv_heads, 3),
	BAD(scoria_attention_opts, queries, 0),
	BAD(scoria_attention_opts, keys, 0), BAD(scoria_attention_opts, dim, 0),
	BAD(scoria_attention_opts, scale, NAN), BAD(scoria_attention_opts, scale, INFINITY),
	BAD(scoria_attention_opts, mask, 77), { .name = NULL },
};

static const struct scoria_convert_opts convert = {
	.size = sizeof(convert), .from = SCORIA_FP32, .to = SCORIA_FP16, .rows = 2, .columns = 2,
};

static const struct bad bad_convert[] = {
	BAD(scoria_convert_opts, from, 0), BAD(scoria_convert_opts, to, 99),
	BAD(scoria_convert_opts, rows, 0), BAD(scoria_convert_opts, columns, 0),
	BAD(scoria_convert_opts, ld_from, 1), BAD(scoria_convert_opts, ld_to, 1),
	BAD(scoria_convert_opts, ld_from, HUGE_SIZE), { .name = NULL },
};

static const struct scoria_tensor_opts tensor = { .size = sizeof(tensor), .type = SCORIA_FP16,
						  .batch = 1, .c = 2, .h = 2, .w = 2 };

static const struct bad bad_tensor[] = {
	BAD(scoria_tensor_opts, type, 0), BAD(scoria_tensor_opts, c, 0),
	BAD(scoria_tensor_opts, h, 0), BAD(scoria_tensor_opts, w, 0), { .name = NULL },
};

#define OPERATION(name, plan) { #name, &name, sizeof(name), plan, bad_##name }

static const struct operation operations[] = {
	OPERATION(matmul, plan_matmul), OPERATION(conv2d, plan_conv2d),
	OPERATION(conv1d, plan_conv1d), OPERATION(transposed, plan_conv2d_transposed),
	OPERATION(fusion, plan_fusion), OPERATION(prelu, plan_int8_fusion),
	OPERATION(leak, plan_int8_fusion),
	OPERATION(addition, plan_int8_fusion), OPERATION(eltwise, plan_eltwise),
	OPERATION(activation, plan_activation), OPERATION(pool, plan_pool),
	OPERATION(reduce, plan_reduce), OPERATION(softmax, plan_softmax),
	OPERATION(norm, plan_norm), OPERATION(batchnorm, plan_batchnorm),
	OPERATION(attention, plan_attention), OPERATION(convert, plan_convert),
	OPERATION(tensor, plan_tensor),
};

#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* The options of @op with @size bytes at @offset from @value, and nothing behind them. */
static void *changed(const struct operation *op, size_t offset, size_t size, const void *value)
{
	uint8_t *opts = calloc(1, ROOM);

	memcpy(opts, op->good, op->size);
	memcpy(opts + offset, value, size);
	return opts;
}

static void expect_refused(const struct operation *op, void *opts, const char *name)
{
	const int err = op->plan(opts);

	if (err != -EINVAL || !strstr(scoria_error(), name))
		TAP_FAIL("%s: %s: %d, \"%s\"", op->name, name, err, err ? scoria_error() : "");
	free(opts);
}

static void open_device(uint64_t memory)
{
	const struct scoria_device_opts o = { .size = sizeof(o), .memory = memory };

	if (scoria_device_open("model", &o, &dev)) {
		printf("Bail out! %s\n", scoria_error());
		exit(1);
	}
}

/* Else what follows would prove nothing. */
TEST(the_options_that_are_made_bad_are_good)
{
	open_device(0);
	for (size_t i = 0; i < N_OPERATIONS; i++) {
		const int err = operations[i].plan(operations[i].good);

		if (err)
			TAP_FAIL("%s: %d, %s", operations[i].name, err, scoria_error());
	}
	scoria_device_close(dev);
}

TEST(every_field_is_refused_by_name_before_memory_is_taken)
{
	open_device(MEMORY);
	for (size_t i = 0; i < N_OPERATIONS; i++)
		for (const struct bad *bad = operations[i].bad; bad->name; bad++)
			expect_refused(&operations[i], changed(&operations[i], bad->offset,
							       bad->size, bad->value), bad->name);
	scoria_device_close(dev);
}

TEST(sizes_of_options_are_believed_only_as_far_as_they_are_known)
{
	static const size_t sizes[] = { 0, 7, 8 };
	static const uint8_t one = 1;

	open_device(MEMORY);
	for (size_t i = 0; i < N_OPERATIONS; i++) {
		const struct operation *op = &operations[i];
		const size_t more = op->size + 8;
		uint8_t *longer = changed(op, 0, sizeof(more), &more);

		for (size_t j = 0; j < 3; j++)
			expect_refused(op, changed(op, 0, sizeof(sizes[j]), &sizes[j]), "size");
		longer[op->size] = one;
		expect_refused(op, longer, "is set");
		EXPECT_EQ(-EINVAL, op->plan == plan_fusion || op->plan == plan_int8_fusion ?
				   -EINVAL : op->plan(NULL));
	}
	scoria_device_close(dev);
}

#define EXPECT_NULL(name, call)							\
	do {									\
		EXPECT_EQ(-EINVAL, call);					\
		EXPECT_STR(name " is NULL", scoria_error());			\
	} while (0)

static const void *const some = &matmul;
static uint8_t results[64];

TEST(matmul_refuses_null_by_name)
{
	struct scoria_matmul_weights *weights;
	struct scoria_matmul_plan *plan;

	open_device(0);
	EXPECT_NULL("dev", scoria_matmul_plan_create(NULL, &matmul, &plan));
	EXPECT_NULL("plan", scoria_matmul_plan_create(dev, &matmul, NULL));
	EXPECT_NULL("columns", scoria_matmul_requant(&matmul, NULL));
	EXPECT_NULL("a", scoria_matmul(dev, &matmul, NULL, some, results));
	EXPECT_NULL("b", scoria_matmul(dev, &matmul, some, NULL, results));
	EXPECT_NULL("c", scoria_matmul(dev, &matmul, some, some, NULL));
	ASSERT(!scoria_matmul_plan_create(dev, &matmul, &plan));
	EXPECT_NULL("plan", scoria_matmul_weights_create(NULL, some, &weights));
	EXPECT_NULL("b", scoria_matmul_weights_create(plan, NULL, &weights));
	EXPECT_NULL("weights", scoria_matmul_weights_create(plan, some, NULL));
	EXPECT_NULL("plan", scoria_matmul_plan_info(NULL, NULL));
	EXPECT_NULL("struct", scoria_matmul_plan_info(plan, NULL));
	ASSERT(!scoria_matmul_weights_create(plan, some, &weights));
	EXPECT_NULL("weights", scoria_matmul_weights_update(NULL, some));
	EXPECT_NULL("b", scoria_matmul_weights_update(weights, NULL));
	EXPECT_NULL("plan", scoria_matmul_run(NULL, weights, some, results));
	EXPECT_NULL("weights", scoria_matmul_run(plan, NULL, some, results));
	EXPECT_NULL("a", scoria_matmul_run(plan, weights, NULL, results));
	EXPECT_NULL("c", scoria_matmul_run(plan, weights, some, NULL));
	EXPECT_EQ(0, scoria_matmul_run(plan, weights, some, results));
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	scoria_device_close(dev);
}

TEST(conv2d_refuses_null_by_name)
{
	struct scoria_conv2d_weights *packed;
	struct scoria_conv2d_plan *plan;
	size_t size;

	open_device(0);
	EXPECT_NULL("oh", scoria_conv2d_output(&conv2d, NULL, &size));
	EXPECT_NULL("ow", scoria_conv2d_output(&conv2d, &size, NULL));
	EXPECT_NULL("channels", scoria_conv2d_requant(&conv2d, NULL));
	EXPECT_NULL("dev", scoria_conv2d_plan_create(NULL, &conv2d, &plan));
	EXPECT_NULL("plan", scoria_conv2d_plan_create(dev, &conv2d, NULL));
	EXPECT_NULL("input", scoria_conv2d(dev, &conv2d, NULL, some, NULL, results));
	EXPECT_NULL("weights", scoria_conv2d(dev, &conv2d, some, NULL, NULL, results));
	EXPECT_NULL("output", scoria_conv2d(dev, &conv2d, some, some, NULL, NULL));
	EXPECT_NULL("input", scoria_conv1d(dev, &conv1d, NULL, some, NULL, results));
	EXPECT_NULL("conv2d", scoria_conv1d_as_conv2d(&conv1d, NULL));
	ASSERT(!scoria_conv2d_plan_create(dev, &conv2d, &plan));
	EXPECT_NULL("plan", scoria_conv2d_plan_info(NULL, NULL));
	EXPECT_NULL("plan", scoria_conv2d_weights_create(NULL, some, NULL, &packed));
	EXPECT_NULL("weights", scoria_conv2d_weights_create(plan, NULL, NULL, &packed));
	EXPECT_NULL("packed", scoria_conv2d_weights_create(plan, some, NULL, NULL));
	ASSERT(!scoria_conv2d_weights_create(plan, some, NULL, &packed));
	EXPECT_NULL("plan", scoria_conv2d_run(NULL, packed, some, results));
	EXPECT_NULL("packed", scoria_conv2d_run(plan, NULL, some, results));
	EXPECT_NULL("input", scoria_conv2d_run(plan, packed, NULL, results));
	EXPECT_NULL("output", scoria_conv2d_run(plan, packed, some, NULL));
	EXPECT_EQ(0, scoria_conv2d_run(plan, packed, some, results));
	scoria_conv2d_weights_destroy(packed);
	scoria_conv2d_plan_destroy(plan);
	scoria_device_close(dev);
}

TEST(transposed_convolutions_refuse_null_by_name)
{
	struct scoria_conv2d_transposed_weights *packed;
	struct scoria_conv2d_transposed_plan *plan;
	size_t size;

	open_device(0);
	EXPECT_NULL("oh", scoria_conv2d_transposed_output(&transposed, NULL, &size));
	EXPECT_NULL("channels", scoria_conv2d_transposed_requant(&transposed, NULL));
	EXPECT_NULL("dev", scoria_conv2d_transposed_plan_create(NULL, &transposed, &plan));
	EXPECT_NULL("plan", scoria_conv2d_transposed_plan_create(dev, &transposed, NULL));
	EXPECT_NULL("weights",
		    scoria_conv2d_transposed(dev, &transposed, some, NULL, NULL, results));
	ASSERT(!scoria_conv2d_transposed_plan_create(dev, &transposed, &plan));
	EXPECT_NULL("plan", scoria_conv2d_transposed_plan_info(NULL, NULL));
	EXPECT_NULL("weights", scoria_conv2d_transposed_weights_create(plan, NULL, NULL, &packed));
	ASSERT(!scoria_conv2d_transposed_weights_create(plan, some, NULL, &packed));
	EXPECT_NULL("packed", scoria_conv2d_transposed_run(plan, NULL, some, results));
	EXPECT_NULL("input", scoria_conv2d_transposed_run(plan, packed, NULL, results));
	EXPECT_NULL("output", scoria_conv2d_transposed_run(plan, packed, some, NULL));
	scoria_conv2d_transposed_weights_destroy(packed);
	scoria_conv2d_transposed_plan_destroy(plan);
	scoria_device_close(dev);
}

#define EXPECT_PLAN_REFUSES_NULL(op)						\
	do {									\
		EXPECT_NULL("dev", scoria_##op##_plan_create(NULL, &op, &plan_of_##op));	\
		EXPECT_NULL("plan", scoria_##op##_plan_create(dev, &op, NULL));	\
		EXPECT_NULL("plan", scoria_##op##_plan_info(NULL, NULL));	\
		ASSERT(!scoria_##op##_plan_create(dev, &op, &plan_of_##op));	\
		EXPECT_NULL("struct", scoria_##op##_plan_info(plan_of_##op, NULL));	\
	} while (0)

TEST(operations_by_elements_refuse_null_by_name)
{
	struct scoria_activation_plan *plan_of_activation;
	struct scoria_eltwise_plan *plan_of_eltwise;

	open_device(0);
	EXPECT_PLAN_REFUSES_NULL(activation);
	EXPECT_NULL("plan", scoria_activation_run(NULL, some, NULL, results));
	EXPECT_NULL("in", scoria_activation_run(plan_of_activation, NULL, NULL, results));
	EXPECT_NULL("out", scoria_activation_run(plan_of_activation, some, NULL, NULL));
	EXPECT_PLAN_REFUSES_NULL(eltwise);
	EXPECT_NULL("plan", scoria_eltwise_run(NULL, some, some, NULL, results));
	EXPECT_NULL("out", scoria_eltwise_run(plan_of_eltwise, some, some, NULL, NULL));
	EXPECT_EQ(-EINVAL, scoria_eltwise_run(plan_of_eltwise, NULL, some, NULL, results));
	EXPECT_STR("a is NULL", scoria_error());
	EXPECT_NULL("seq", scoria_sequence_add_eltwise(NULL, plan_of_eltwise, NULL, NULL, NULL));
	scoria_activation_plan_destroy(plan_of_activation);
	scoria_eltwise_plan_destroy(plan_of_eltwise);
	scoria_device_close(dev);
}

TEST(pooling_and_sums_refuse_null_by_name)
{
	struct scoria_reduce_plan *plan_of_reduce;
	struct scoria_pool_plan *plan_of_pool;

	open_device(0);
	EXPECT_PLAN_REFUSES_NULL(pool);
	EXPECT_NULL("plan", scoria_pool_run(NULL, some, results));
	EXPECT_NULL("input", scoria_pool_run(plan_of_pool, NULL, results));
	EXPECT_NULL("output", scoria_pool_run(plan_of_pool, some, NULL));
	EXPECT_NULL("seq", scoria_sequence_add_pool(NULL, plan_of_pool, NULL, NULL));
	EXPECT_PLAN_REFUSES_NULL(reduce);
	EXPECT_NULL("plan", scoria_reduce_run(NULL, some, results));
	EXPECT_NULL("x", scoria_reduce_run(plan_of_reduce, NULL, results));
	EXPECT_NULL("y", scoria_reduce_run(plan_of_reduce, some, NULL));
	scoria_pool_plan_destroy(plan_of_pool);
	scoria_reduce_plan_destroy(plan_of_reduce);
	scoria_device_close(dev);
}

TEST(composites_refuse_null_by_name)
{
	struct scoria_attention_plan *plan_of_attention;
	struct scoria_batchnorm_plan *plan_of_batchnorm;
	struct scoria_softmax_plan *plan_of_softmax;
	struct scoria_norm_plan *plan_of_norm;

	open_device(0);
	EXPECT_PLAN_REFUSES_NULL(softmax);
	EXPECT_NULL("plan", scoria_softmax_run(NULL, some, results));
	EXPECT_NULL("x", scoria_softmax_run(plan_of_softmax, NULL, results));
	EXPECT_NULL("y", scoria_softmax_run(plan_of_softmax, some, NULL));
	EXPECT_PLAN_REFUSES_NULL(norm);
	EXPECT_NULL("plan", scoria_norm_run(NULL, some, NULL, NULL, results));
	EXPECT_NULL("x", scoria_norm_run(plan_of_norm, NULL, NULL, NULL, results));
	EXPECT_PLAN_REFUSES_NULL(batchnorm);
	EXPECT_NULL("plan", scoria_batchnorm_run(NULL, some, results));
	EXPECT_NULL("y", scoria_batchnorm_run(plan_of_batchnorm, some, NULL));
	EXPECT_PLAN_REFUSES_NULL(attention);
	EXPECT_NULL("plan", scoria_attention_run(NULL, some, some, some, NULL, results));
	EXPECT_NULL("q", scoria_attention_run(plan_of_attention, NULL, some, some, NULL, results));
	EXPECT_NULL("out", scoria_attention_run(plan_of_attention, some, some, some, NULL, NULL));
	scoria_softmax_plan_destroy(plan_of_softmax);
	scoria_norm_plan_destroy(plan_of_norm);
	scoria_batchnorm_plan_destroy(plan_of_batchnorm);
	scoria_attention_plan_destroy(plan_of_attention);
	scoria_device_close(dev);
}

TEST(devices_buffers_and_sequences_refuse_null_by_name)
{
	struct scoria_sequence *seq;
	struct scoria_buffer *buffer;

	open_device(0);
	EXPECT_NULL("dev", scoria_device_open("model", NULL, NULL));
	EXPECT_NULL("dev", scoria_device_stats(NULL, NULL));
	EXPECT_NULL("dev", scoria_buffer_create(NULL, 16, &buffer));
	EXPECT_NULL("buffer", scoria_buffer_create(dev, 16, NULL));
	EXPECT_NULL("buffer", scoria_buffer_sync(NULL, 0, 0, SCORIA_SYNC_TO_DEVICE));
	EXPECT_NULL("dev", scoria_tensor_create(NULL, &tensor, NULL));
	EXPECT_NULL("tensor", scoria_tensor_create(dev, &tensor, NULL));
	EXPECT_NULL("tensor", scoria_tensor_info(NULL, NULL));
	EXPECT_NULL("dev", scoria_sequence_create(NULL, &seq));
	EXPECT_NULL("seq", scoria_sequence_create(dev, NULL));
	EXPECT_NULL("seq", scoria_sequence_run(NULL));
	EXPECT_NULL("seq", scoria_sequence_run_async(NULL, NULL));
	EXPECT_NULL("seq", scoria_sequence_info(NULL, NULL));
	ASSERT(!scoria_sequence_create(dev, &seq));
	EXPECT_NULL("fence", scoria_sequence_run_async(seq, NULL));
	EXPECT_NULL("fence", scoria_fence_wait(NULL, 0));
	scoria_sequence_destroy(seq);
	scoria_device_close(dev);
}

TEST_MAIN()
