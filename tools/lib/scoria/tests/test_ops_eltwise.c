// SPDX-License-Identifier: MIT
/*
 * Measures every operation over vectors and writes the table that the documentation
 * has. UPDATE=1 stores it; else it must be what is stored.
 */
#include <math.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/vectors.h"
#include "../pass.h"
#include "fp16.h"
#include "page.h"
#include "shape.h"

#define PAGE "Documentation/accel/scoria/ops-eltwise.rst"
#define ALL 65536u

/* A task of fp16 has this many elements. */
#define REFERENCE_N 64000u

/* Bit patterns of fp16, one after the other, and others that go with them. */
static uint16_t first[ALL], second[ALL], third[ALL], out[ALL];

static void fill(void)
{
	struct random random = { 1 };

	for (unsigned int i = 0; i < ALL; i++)
		first[i] = i;
	random_fill(&random, SCORIA_UINT8, second, sizeof(second));
	random_fill(&random, SCORIA_UINT8, third, sizeof(third));
}

/**
 * struct cost - of one run over REFERENCE_N elements
 */
struct cost {
	struct scoria_device_stats before;
	struct scoria_device_stats after;
};

static void cost_begin(struct cost *cost, struct scoria_device *dev)
{
	cost->before.size = cost->after.size = sizeof(cost->before);
	scoria_device_stats(dev, &cost->before);
}

static void put_cost(struct cost *cost, struct scoria_device *dev)
{
	unsigned long long tasks, words, bytes;

	scoria_device_stats(dev, &cost->after);
	tasks = cost->after.tasks - cost->before.tasks;
	words = cost->after.words - cost->before.words - tasks * (pass_words() + STREAM_TRAILER);
	bytes = cost->after.bytes_read + cost->after.bytes_written - cost->before.bytes_read -
		cost->before.bytes_written;
	page_put("     - %llu\n     - %llu\n     - %llu\n", tasks, words / lut_upload_words(), bytes);
}

static unsigned int inputs(enum scoria_eltwise_op op)
{
	return scoria_eltwise_inputs(op);
}

static int run_eltwise(struct scoria_device *dev, enum scoria_eltwise_op op, enum scoria_type type,
		       size_t n, struct compare *result)
{
	const struct scoria_eltwise_opts o = { .size = sizeof(o), .op = op, .type = type, .n = n,
					       .lo = -2.5, .hi = 6 };
	const uint16_t *b = inputs(op) > 1 ? second : NULL, *c = inputs(op) > 2 ? third : NULL;
	int err = scoria_eltwise(dev, &o, first, b, c, out);

	if (!err)
		reference_eltwise(&o, first, b, c, out, result);
	return err;
}

static void put_eltwise(struct scoria_device *dev, enum scoria_eltwise_op op,
			enum scoria_type type)
{
	struct compare result = { 0 }, unused;
	struct cost cost;

	EXPECT_EQ(0, run_eltwise(dev, op, type, ALL, &result));
	EXPECT(compare_passed(&result));
	page_put("   * - %s\n     - %s\n     - %.2g\n", scoria_eltwise_name(op), scoria_type_name(type),
	    result.max_error);
	cost_begin(&cost, dev);
	EXPECT_EQ(0, run_eltwise(dev, op, type, REFERENCE_N, &unused));
	put_cost(&cost, dev);
}

static void put_all_eltwise(struct scoria_device *dev)
{
	page_put("Element-wise operations\n=======================\n\n"
	    ".. list-table::\n   :header-rows: 1\n\n"
	    "   * - operation\n     - type\n     - largest error\n"
	    "     - tasks\n     - tables\n     - bytes moved\n");
	for (enum scoria_eltwise_op op = SCORIA_ADD; op <= SCORIA_CLIP; op++)
		put_eltwise(dev, op, SCORIA_FP16);
	for (enum scoria_eltwise_op op = SCORIA_ADD; op <= SCORIA_MIN; op++)
		put_eltwise(dev, op, SCORIA_INT8);
}

static const uint16_t slopes[] = { 0x3400, 0xb800, 0x4000 };

static struct scoria_activation_opts options(enum scoria_activation function, size_t n)
{
	return (struct scoria_activation_opts){
		.size = sizeof(struct scoria_activation_opts),
		.function = function,
		.n = n,
		.alpha = function == SCORIA_RELUX ? 2.5 : 0,
		.channels = function == SCORIA_PRELU ? 3 : 0,
	};
}

static int run_activation(struct scoria_device *dev, const struct scoria_activation_opts *o)
{
	return scoria_activation(dev, o, first, o->channels ? slopes : NULL, out);
}

/* How far result @i is off as the promise counts: of the range, or of the result. */
static double error_at(const struct scoria_activation_opts *o,
		       const struct scoria_activation_info *info, unsigned int i)
{
	const double x = (double)fp16_to_fp32(first[i]), got = (double)fp16_to_fp32(out[i]);
	const double ref = reference_activation_value(o, slopes, x, i);
	const double smallest = 0x1p-14;

	if (!(x >= info->lo && x <= info->hi) || !isfinite(got) || !isfinite(ref))
		return 0;
	return fabs(got - ref) / (info->range != 0 ? info->range : fmax(fabs(ref), smallest));
}

static double largest_error(const struct scoria_activation_opts *o,
			    const struct scoria_activation_info *info)
{
	double most = 0;

	for (unsigned int i = 0; i < ALL; i++)
		most = fmax(most, error_at(o, info, i));
	return most;
}

static void put_bound(double bound)
{
	if (isinf(bound))
		page_put("%s", bound < 0 ? "-inf" : "inf");
	else
		page_put("%.6g", bound);
}

static const char *promise(const struct scoria_activation_info *info)
{
	if (info->exact)
		return "exact";
	return info->range != 0 ? "bounded" : "unbounded";
}

static const char *outside(const struct scoria_activation_info *info)
{
	if (isinf(info->lo) && isinf(info->hi))
		return "nothing";
	if (info->outside == SCORIA_OUTSIDE_HOLDS)
		return "holds";
	return info->outside == SCORIA_OUTSIDE_FOLLOWS ? "follows" : "in range";
}

static void put_activation(struct scoria_device *dev, enum scoria_activation function)
{
	struct scoria_activation_opts o = options(function, ALL);
	struct scoria_activation_info info = { .size = sizeof(info) };
	struct cost cost;

	EXPECT_EQ(0, scoria_activation_describe(&o, &info));
	EXPECT_EQ(0, run_activation(dev, &o));
	page_put("   * - %s\n     - ", scoria_activation_name(function));
	put_bound(info.lo);
	page_put(" to ");
	put_bound(info.hi);
	page_put("\n     - %s\n     - %s\n     - %.2g\n", outside(&info), promise(&info),
	    largest_error(&o, &info));
	o.n = REFERENCE_N;
	cost_begin(&cost, dev);
	EXPECT_EQ(0, run_activation(dev, &o));
	put_cost(&cost, dev);
}

static void put_all_activations(struct scoria_device *dev)
{
	page_put("\nActivations and other functions, fp16\n=====================================\n\n"
	    "Errors are parts of the range of results where they are bounded, else parts of the\n"
	    "result, or of 2\\ :sup:`-14` where the result is smaller.\n\n"
	    ".. list-table::\n   :header-rows: 1\n\n"
	    "   * - function\n     - domain\n     - outside\n     - promise\n"
	    "     - largest error\n     - tasks\n     - tables\n     - bytes moved\n");
	for (enum scoria_activation f = SCORIA_RELU; f <= SCORIA_ATANH; f++)
		put_activation(dev, f);
}

static void put_head(void)
{
	page_put(".. SPDX-License-Identifier: MIT\n.. Written by tools/lib/scoria/tests/test_ops_eltwise.c, "
	    "with UPDATE=1\n\n========================\nOperations over vectors\n"
	    "========================\n\n"
	    "What ``include/scoria/eltwise.h`` and ``activation.h`` promise, and what was measured on\n"
	    "the model with every fp16 value as the first argument and any bit pattern as the others.\n"
	    "All run on the DPU with DPU_RDMA; those with tables use the DPU's lookup tables. Tasks\n"
	    "(of which each is one pass over the vector), tables stored and bytes moved by the NPU,\n"
	    "commands included, are for %u elements; a task has at most that many of fp16 and twice as\n"
	    "many of int8. The CPU copies vectors and repeats broadcast ones, and computes nothing.\n\n",
	    REFERENCE_N);
}

/* What the headers' notes come from, in one place. */
static void put_doubts(void)
{
	page_put("\nTo check on a board\n===================\n\n"
	    "What these operations take from the hardware that no board is known to have shown:\n\n"
	    "* int8 and uint8 vectors without a convolution, and integer multiplication in EW, on\n"
	    "  which ``where`` relies as well.\n"
	    "* That NaN from memory counts as above the limit of RELUX, as 0 times infinity does, and\n"
	    "  that products make it positive, so that ReLU leaves it.\n"
	    "* How the divider rounds, and what max and min do with NaN.\n"
	    "* Tables whose entries are 2\\ :sup:`0` to 2\\ :sup:`12` indices apart, other than the 2\\ :sup:`5` and\n"
	    "  2\\ :sup:`14` of programs that ran, and different distances in the two tables.\n"
	    "* That MAX and MIN of BS and BN work on floats as those of EW do.\n");
}

TEST(the_documented_figures_are_those_that_are_measured)
{
	struct scoria_device *dev = shape_device();

	fill();
	put_head();
	put_all_eltwise(dev);
	put_all_activations(dev);
	put_doubts();
	if (!page_is_stored(PAGE))
		TAP_FAIL("%s is stale: run this test with UPDATE=1 in the top directory", PAGE);
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST_MAIN()
