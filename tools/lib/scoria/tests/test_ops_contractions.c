// SPDX-License-Identifier: MIT
/*
 * Measures contractions, pooling, reductions and composites at reference shapes and
 * writes the table that the documentation has. UPDATE=1 stores it; else it must be what is stored.
 */
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/composites.h"
#include "../../reference/reference.h"
#include "page.h"
#include "shape.h"

/* Blocks by which operations run. */
#define MAC	"CNA, CORE, DPU"
#define PPU	"PPU"
#define SHARES	"DPU with tables, " MAC

#define PAGE "Documentation/accel/scoria/ops-contractions.rst"

static struct scoria_device *dev;
static struct scoria_device_stats before;
static void *input, *weights, *output;

/* Random tensors, and zeros for the result; the clock starts. */
static void begin(enum scoria_type type, size_t n_input, size_t n_weights, size_t n_output)
{
	struct random random = { 1 };

	input = calloc(n_input, scoria_type_size(type));
	weights = calloc(n_weights, scoria_type_size(type));
	output = calloc(n_output, sizeof(int64_t));
	random_fill(&random, type, input, n_input);
	random_fill(&random, type, weights, n_weights);
	before.size = sizeof(before);
	scoria_device_stats(dev, &before);
}

/* A row of the table. */
static void end(const char *name, const char *shape, enum scoria_type in, enum scoria_type out,
		const char *blocks, const struct scoria_device_stats *after,
		const struct compare *result)
{
	EXPECT(compare_passed(result));
	page_put("   * - %s\n     - %s\n     - %s to %s\n     - %s\n", name, shape,
		 scoria_type_name(in), scoria_type_name(out), blocks);
	page_put("     - %.2g\n     - %llu\n     - %llu\n", result->max_error,
		 (unsigned long long)(after->tasks - before.tasks),
		 (unsigned long long)(after->bytes_read + after->bytes_written -
				      before.bytes_read - before.bytes_written));
	free(output);
	free(weights);
	free(input);
}

static struct scoria_device_stats stop(void)
{
	struct scoria_device_stats after = { .size = sizeof(after) };

	scoria_device_stats(dev, &after);
	return after;
}

static void put_matmul(enum scoria_type in, enum scoria_type out)
{
	const struct scoria_matmul_opts o = { .size = sizeof(o), .type = in, .out = out, .m = 64,
					      .k = 1024, .n = 256, .scale = 2e-4,
					      .a_zp = in == SCORIA_UINT8 ? 128 : 0,
					      .b_zp = in == SCORIA_UINT8 ? 120 : 0 };
	struct scoria_requant requant[256];
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(in, o.m * o.k, o.k * o.n, o.m * o.n);
	EXPECT_EQ(0, scoria_matmul(dev, &o, input, weights, output));
	after = stop();
	if (scoria_type_size(out) == 1)
		scoria_matmul_requant(&o, requant);
	reference_matmul(&o, scoria_type_size(out) == 1 ? requant : NULL, input, weights, output,
			 &result);
	end("matmul", "64 x 1024 x 256", in, out, MAC, &after, &result);
}

static struct scoria_conv2d_opts conv(enum scoria_type in, enum scoria_type out)
{
	return (struct scoria_conv2d_opts){ .size = sizeof(struct scoria_conv2d_opts), .type = in,
					    .out = out, .batch = 1, .ic = 64, .oc = 64, .h = 28,
					    .w = 28, .kh = 3, .kw = 3, .pad_top = 1,
					    .pad_bottom = 1, .pad_left = 1, .pad_right = 1,
					    .scale = 4e-4 };
}

static void put_conv2d(const char *name, const char *shape, struct scoria_conv2d_opts o)
{
	struct scoria_requant requant[64];
	bool requantised = scoria_type_size(o.out) == 1;
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(o.type, o.ic * o.h * o.w, o.oc * o.ic * o.kh * o.kw, o.oc * o.h * o.w);
	EXPECT_EQ(0, scoria_conv2d(dev, &o, input, weights, NULL, output));
	after = stop();
	if (requantised)
		scoria_conv2d_requant(&o, requant);
	reference_conv2d(&o, requantised ? requant : NULL, input, weights, NULL, output, &result);
	end(name, shape, o.type, o.out, MAC, &after, &result);
}

static void put_convolutions(enum scoria_type in, enum scoria_type out)
{
	struct scoria_conv2d_opts o = conv(in, out);
	double scales[64];
	int i;

	put_conv2d("conv2d", "64 x 28 x 28, kernel 3 x 3", o);
	for (i = 0; i < 64; i++)
		scales[i] = o.scale * (i + 1) / 64;
	o.scales = scales;
	if (out == SCORIA_INT8)
		put_conv2d("conv2d, scales by channel", "64 x 28 x 28, kernel 3 x 3", o);
	o.scales = NULL;
	o.groups = 64;
	put_conv2d("conv2d, depthwise", "64 x 28 x 28, kernel 3 x 3", o);
}

static void put_transposed(enum scoria_type in, enum scoria_type out)
{
	struct scoria_conv2d_transposed_opts o = { .size = sizeof(o), .conv = conv(in, out) };
	struct scoria_device_stats after;
	struct compare result = { 0 };

	o.conv.h = o.conv.w = 14;
	o.conv.kh = o.conv.kw = 4;
	o.conv.stride_y = o.conv.stride_x = 2;
	begin(in, 64 * 14 * 14, 64 * 64 * 16, 64 * 28 * 28);
	EXPECT_EQ(0, scoria_conv2d_transposed(dev, &o, input, weights, NULL, output));
	after = stop();
	reference_conv2d_transposed(&o, NULL, input, weights, NULL, NULL, output, &result);
	end("transposed conv2d", "64 x 14 x 14, kernel 4 x 4, stride 2", in, out, MAC,
	    &after, &result);
}

static void put_pool(const char *name, const char *shape, enum scoria_pool_method method,
		     enum scoria_type type, size_t kernel, const char *blocks)
{
	const struct scoria_pool_opts o = { .size = sizeof(o), .type = type, .method = method,
					    .batch = 1, .c = 64, .h = 56, .w = 56, .kh = kernel,
					    .kw = kernel };
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(type, o.c * o.h * o.w, 1, o.c * o.h * o.w);
	EXPECT_EQ(0, scoria_pool(dev, &o, input, output));
	after = stop();
	reference_pool(&o, input, output, &result);
	end(name, shape, type, type, blocks, &after, &result);
}

static void put_pools(enum scoria_type type)
{
	put_pool("max pool", "64 x 56 x 56, kernel 2 x 2", SCORIA_POOL_MAX, type, 2, PPU);
	put_pool("min pool", "64 x 56 x 56, kernel 2 x 2", SCORIA_POOL_MIN, type, 2, PPU);
	put_pool("average pool", "64 x 56 x 56, kernel 7 x 7", SCORIA_POOL_AVERAGE, type, 7,
		 type == SCORIA_FP16 ? PPU : MAC);
	put_pool("global max pool", "64 x 56 x 56", SCORIA_POOL_MAX, type, 0, PPU);
	put_pool("global average pool", "64 x 56 x 56", SCORIA_POOL_AVERAGE, type, 0, MAC);
}

static void put_reduce(const char *name, enum scoria_reduce_op op, enum scoria_type in,
		       enum scoria_type out)
{
	const struct scoria_reduce_opts o = { .size = sizeof(o), .op = op, .type = in, .out = out,
					      .rows = 64, .columns = 1024 };
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(in, o.rows * o.columns, 1, o.rows * o.columns);
	EXPECT_EQ(0, scoria_reduce(dev, &o, input, output));
	after = stop();
	reference_reduce(&o, input, output, &result);
	end(name, "64 rows of 1024", in, out, MAC, &after, &result);
}

static void put_softmax(const char *name, enum scoria_type type, int log)
{
	const struct scoria_softmax_opts o = { .size = sizeof(o), .type = type, .log = log,
					       .rows = 64, .columns = 1024,
					       .scale = type == SCORIA_FP16 ? 0 : 0.05 };
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(type, o.rows * o.columns, 1, o.rows * o.columns);
	EXPECT_EQ(0, scoria_softmax(dev, &o, input, output));
	after = stop();
	reference_softmax(&o, input, output, &result);
	end(name, "64 rows of 1024", type, type, SHARES, &after, &result);
}

static void put_norm(const char *name, enum scoria_norm_op op)
{
	const struct scoria_norm_opts o = { .size = sizeof(o), .op = op, .type = SCORIA_FP16,
					    .rows = 64, .columns = 1024, .gamma = 1, .beta = 1 };
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(o.type, o.rows * o.columns, o.columns, o.rows * o.columns);
	EXPECT_EQ(0, scoria_norm(dev, &o, input, weights, weights, output));
	after = stop();
	reference_norm(&o, input, weights, weights, output, &result);
	end(name, "64 rows of 1024", o.type, o.type, MAC ", DPU with tables", &after, &result);
}

static void put_batchnorm(void)
{
	const struct scoria_batchnorm_opts o = { .size = sizeof(o), .type = SCORIA_FP16,
						 .batch = 1, .c = 64, .h = 28, .w = 28 };
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(o.type, o.c * o.h * o.w, 1, o.c * o.h * o.w);
	EXPECT_EQ(0, scoria_batchnorm(dev, &o, input, output));
	after = stop();
	reference_batchnorm(&o, input, output, &result);
	end("batchnorm", "64 x 28 x 28", o.type, o.type, MAC, &after, &result);
}

static void put_attention(void)
{
	const struct scoria_attention_opts o = { .size = sizeof(o), .type = SCORIA_FP16,
						 .heads = 4, .queries = 128, .keys = 128,
						 .dim = 64, .causal = 1 };
	const size_t n = o.heads * o.queries * o.dim;
	struct scoria_device_stats after;
	struct compare result = { 0 };

	begin(o.type, n, n, n);
	EXPECT_EQ(0, scoria_attention(dev, &o, input, weights, weights, NULL, output));
	after = stop();
	EXPECT_EQ(0, reference_attention(&o, input, weights, weights, NULL, output, &result));
	end("attention, causal", "4 heads, 128 x 128, dim 64", o.type, o.type, SHARES, &after,
	    &result);
}

static void put_composites(void)
{
	put_softmax("softmax", SCORIA_FP16, 0);
	put_softmax("log softmax", SCORIA_FP16, 1);
	put_softmax("softmax", SCORIA_INT8, 0);
	put_norm("layernorm", SCORIA_LAYERNORM);
	put_norm("rmsnorm", SCORIA_RMSNORM);
	put_batchnorm();
	put_attention();
}

static void put_head(void)
{
	page_put(".. SPDX-License-Identifier: MIT\n"
		 ".. Written by tools/lib/scoria/tests/test_ops_contractions.c, with UPDATE=1\n\n"
		 "================================================\n"
		 "Contractions, pooling, reductions and composites\n"
		 "================================================\n\n"
		 "Measured on the model with random tensors: floats in [-1, 1), all values of integers.\n"
		 "The largest error is the distance from the result in double or int64; for means of\n"
		 "int8 it includes the rounding to an integer. Tasks, and bytes that the NPU moved,\n"
		 "commands included, are those of one run. ``include/scoria`` says for each operation\n"
		 "what is left to the CPU and why.\n\n"
		 ".. list-table::\n   :header-rows: 1\n\n"
		 "   * - operation\n     - shape\n     - types\n     - blocks\n"
		 "     - largest error\n"
		 "     - tasks\n     - bytes moved\n");
}

static void put_contractions(void)
{
	put_matmul(SCORIA_FP16, SCORIA_FP32);
	put_matmul(SCORIA_FP16, SCORIA_FP16);
	put_matmul(SCORIA_BF16, SCORIA_FP32);
	put_matmul(SCORIA_TF32, SCORIA_FP32);
	put_matmul(SCORIA_INT4, SCORIA_INT32);
	put_matmul(SCORIA_INT8, SCORIA_INT32);
	put_matmul(SCORIA_INT8, SCORIA_INT8);
	put_matmul(SCORIA_UINT8, SCORIA_UINT8);
	put_matmul(SCORIA_INT16, SCORIA_INT64);
	put_convolutions(SCORIA_FP16, SCORIA_FP16);
	put_convolutions(SCORIA_INT8, SCORIA_INT32);
	put_convolutions(SCORIA_INT8, SCORIA_INT8);
	put_transposed(SCORIA_FP16, SCORIA_FP16);
	put_transposed(SCORIA_INT8, SCORIA_INT32);
}

TEST(the_documented_figures_are_those_that_are_measured)
{
	dev = shape_device();
	put_head();
	put_contractions();
	put_pools(SCORIA_FP16);
	put_pools(SCORIA_INT8);
	put_reduce("sum", SCORIA_REDUCE_SUM, SCORIA_FP16, SCORIA_FP32);
	put_reduce("sum", SCORIA_REDUCE_SUM, SCORIA_INT8, SCORIA_INT32);
	put_reduce("mean", SCORIA_REDUCE_MEAN, SCORIA_FP16, SCORIA_FP16);
	put_reduce("mean", SCORIA_REDUCE_MEAN, SCORIA_INT8, SCORIA_FP32);
	put_reduce("cumsum", SCORIA_REDUCE_CUMSUM, SCORIA_FP16, SCORIA_FP32);
	put_reduce("cumsum", SCORIA_REDUCE_CUMSUM, SCORIA_INT8, SCORIA_INT32);
	put_composites();
	page_put("\nTo check on a board\n===================\n\n"
		 "What these operations take from the hardware that no board is known to have shown:\n\n"
		 "* Multipliers by channel in BN, read by NRDMA, on int32 sums: int8 output with a scale\n"
		 "  for every channel, or with an upper limit of the ReLU.\n"
		 "* A bias in BN behind a multiplication by a number: products with alpha.\n"
		 "* That the MAC array's int4 sums are right in chains of tasks.\n"
		 "* Pooling with both reciprocals chosen together, where one of them is off from\n"
		 "  65536 / k by up to an eighth; NaN in max and min; pooling in column tiles with NOTCH.\n"
		 "* Infinities and NaN in softmax: the difference, the table and the divider have to\n"
		 "  treat them as the model does.\n");
	if (!page_is_stored(PAGE))
		TAP_FAIL("%s is stale: run this test with UPDATE=1 in the top directory", PAGE);
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST_MAIN()
