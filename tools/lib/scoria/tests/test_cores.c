// SPDX-License-Identifier: MIT
/* Operations on one, two and three cores, of which results must not tell (fault R7). */
#include <errno.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../device.h"
#include "random_shape.h"
#include "rk3588_npu.h"
#include "shape.h"

#define MAX_CORES 3

struct conv2d_run {
	uint8_t *output;
	size_t bytes;
	struct scoria_plan_info info;
	struct scoria_device_stats stats;
};

static void *get_random(struct random *random, enum scoria_type type, size_t n)
{
	void *data = malloc(n * scoria_type_size(type));

	random_fill(random, type, data, n);
	return data;
}

/* The same data each time. */
static struct conv2d_run run_conv2d(unsigned int cores, const struct scoria_conv2d_opts *o)
{
	struct conv2d_run run = { .info = { .size = sizeof(run.info) },
				  .stats = { .size = sizeof(run.stats) } };
	struct scoria_device *dev = shape_device_of(cores);
	struct scoria_conv2d_weights *packed;
	struct scoria_conv2d_plan *plan;
	struct random random = { 11 };
	void *input = get_random(&random, o->type, o->batch * o->ic * o->h * o->w);
	void *weights = get_random(&random, o->type,
				   o->oc * (o->ic / o->groups) * o->kh * o->kw);
	size_t oh, ow;

	scoria_conv2d_output(o, &oh, &ow);
	run.bytes = o->batch * o->oc * oh * ow * scoria_type_size(o->out);
	run.output = calloc(run.bytes, 1);
	if (scoria_conv2d_plan_create(dev, o, &plan) ||
	    scoria_conv2d_plan_info(plan, &run.info) ||
	    scoria_conv2d_weights_create(plan, weights, NULL, &packed) ||
	    scoria_conv2d_run(plan, packed, input, run.output)) {
		printf("Bail out! %s\n", scoria_error());
		exit(1);
	}
	scoria_device_stats(dev, &run.stats);
	scoria_conv2d_weights_destroy(packed);
	scoria_conv2d_plan_destroy(plan);
	scoria_device_close(dev);
	free(weights);
	free(input);
	return run;
}

static struct scoria_conv2d_opts conv(enum scoria_type type, enum scoria_type out)
{
	return (struct scoria_conv2d_opts){ .size = sizeof(struct scoria_conv2d_opts),
					    .type = type, .out = out, .batch = 1, .ic = 48,
					    .oc = 80, .h = 60, .w = 70, .kh = 3, .kw = 3,
					    .groups = 1, .scale = 1e-3 };
}

static void expect_same(struct scoria_conv2d_opts o)
{
	struct conv2d_run one = run_conv2d(1, &o);
	unsigned int cores;

	EXPECT_EQ(1, one.info.jobs);
	for (cores = 2; cores <= MAX_CORES; cores++) {
		struct conv2d_run more = run_conv2d(cores, &o);

		EXPECT_EQ(0, memcmp(one.output, more.output, one.bytes));
		EXPECT_EQ(cores, more.info.jobs);
		EXPECT_EQ(cores, more.stats.jobs);
		EXPECT_EQ(one.stats.bytes_written, more.stats.bytes_written);
		EXPECT(more.stats.cycles < one.stats.cycles);
		free(more.output);
	}
	free(one.output);
}

TEST(tiles_of_a_convolution_are_spread_over_the_cores)
{
	expect_same(conv(SCORIA_FP16, SCORIA_FP16));
	expect_same(conv(SCORIA_FP16, SCORIA_FP32));
	expect_same(conv(SCORIA_INT8, SCORIA_INT8));
}

/* One row: only the columns of B are there to share. */
TEST(a_product_with_one_row_is_spread)
{
	struct scoria_matmul_opts o = { .size = sizeof(o), .type = SCORIA_FP16, .out = SCORIA_FP16,
					.m = 1, .k = 512, .n = 2000 };
	struct random random = { 5 };
	uint16_t *a = get_random(&random, o.type, o.k), *b = get_random(&random, o.type, o.k * o.n);
	uint16_t *c[MAX_CORES + 1];
	unsigned int cores;

	for (cores = 1; cores <= MAX_CORES; cores++) {
		struct scoria_device *dev = shape_device_of(cores);
		struct scoria_device_stats stats = { .size = sizeof(stats) };

		c[cores] = calloc(o.n, sizeof(uint16_t));
		EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, c[cores]));
		scoria_device_stats(dev, &stats);
		EXPECT_EQ(cores, stats.jobs);
		EXPECT_EQ(0, memcmp(c[1], c[cores], o.n * sizeof(uint16_t)));
		scoria_device_close(dev);
	}
	for (cores = 1; cores <= MAX_CORES; cores++)
		free(c[cores]);
	free(b);
	free(a);
}

TEST(tiles_of_groups_are_too)
{
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, SCORIA_FP16);

	o.groups = 8;
	o.h = o.w = 9;
	expect_same(o);
	o.groups = o.oc = o.ic;
	o.h = o.w = 140;
	expect_same(o);
}

/* Passes depend on each other: those of a tile stay on one core. */
TEST(functions_are_spread_and_give_the_same_on_every_number_of_cores)
{
	const struct scoria_activation_opts o = { .size = sizeof(o), .function = SCORIA_TANH,
						  .n = 300000 };
	uint16_t *in = malloc(o.n * 2), *out = malloc(o.n * 2), *first = malloc(o.n * 2);
	struct random random = { 3 };
	uint64_t cycles = UINT64_MAX;
	unsigned int cores;

	random_fill(&random, SCORIA_FP16, in, o.n);
	for (cores = 1; cores <= MAX_CORES; cores++) {
		struct scoria_device *dev = shape_device_of(cores);
		struct scoria_device_stats stats = { .size = sizeof(stats) };

		EXPECT_EQ(0, scoria_activation(dev, &o, in, NULL, cores > 1 ? out : first));
		scoria_device_stats(dev, &stats);
		EXPECT_EQ(cores, stats.jobs);
		EXPECT(stats.cycles < cycles);
		cycles = stats.cycles;
		if (cores > 1)
			EXPECT_EQ(0, memcmp(first, out, o.n * 2));
		scoria_device_close(dev);
	}
	free(first);
	free(out);
	free(in);
}

TEST(random_operations_are_right_on_two_cores)
{
	struct scoria_device *dev = shape_device_of(2);
	struct scoria_matmul_opts matmul;
	struct scoria_conv2d_opts conv2d;
	int i;

	for (i = 0; i < 40; i++) {
		struct random random = { 7000 + i };

		matmul = random_matmul(&random);
		EXPECT_RIGHT(shape_matmul(dev, &matmul, &random));
		conv2d = random_conv2d(&random);
		EXPECT_RIGHT(shape_conv2d(dev, &conv2d, &random));
	}
	scoria_device_close(dev);
}

/* Of three jobs beside each other the second fails: that is what the caller hears. */
TEST(a_failure_on_one_core_is_reported_and_all_go_on)
{
	struct scoria_device *dev = shape_device_of(3);
	struct npu_job jobs[3];
	struct random random = { 1 };
	struct scoria_matmul_opts o = random_matmul(&random);
	int i;

	for (i = 0; i < 3; i++)
		jobs[i] = (struct npu_job){ .address = 0x10000000 + i * 0x1000000, .words = 126,
					    .pitch = 1024, .tasks = 1, .parallel = i,
					    .blocks = NPU_ENABLE_DPU };
	EXPECT_EQ(-EFAULT, device_submit(dev, jobs, 3));
	EXPECT(strstr(scoria_error(), "0x10000000"));
	EXPECT_RIGHT(shape_matmul(dev, &o, &random));
	scoria_device_close(dev);
}

TEST(a_number_of_cores_that_no_chip_has_is_refused)
{
	struct scoria_device_opts opts = { .size = sizeof(opts), .cores = 4 };
	struct scoria_device *dev;

	EXPECT_EQ(-EINVAL, scoria_device_open("model", &opts, &dev));
	EXPECT(strstr(scoria_error(), "cores = 4"));
}

TEST_MAIN()
