// SPDX-License-Identifier: MIT
/*
 * How fast the model of the NPU is: convolutions and matrix products through the
 * library, against plain loops and OpenBLAS on the same numbers in the same run.
 * All on one thread. A line is printed only when the three agree. Rates are those
 * of the fastest run, which other work on the machine disturbed least.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scoria/json.h"
#include "bench.h"

#define REPEATS		9
#define LOOP_REPEATS	3

static const struct shape shapes[] = {
	{ "conv 64x56x56 -> 64, 3x3", .ic = 64, .oc = 64, .size = 56, .kernel = 3, .stride = 1,
	  .pad = 1, .groups = 1 },
	{ "conv 256x28x28 -> 256, 3x3", .ic = 256, .oc = 256, .size = 28, .kernel = 3, .stride = 1,
	  .pad = 1, .groups = 1 },
	{ "conv 256x56x56 -> 64, 1x1", .ic = 256, .oc = 64, .size = 56, .kernel = 1, .stride = 1,
	  .groups = 1 },
	{ "conv 512x14x14 -> 512, 1x1", .ic = 512, .oc = 512, .size = 14, .kernel = 1, .stride = 1,
	  .groups = 1 },
	{ "conv 3x224x224 -> 64, 7x7 /2", .ic = 3, .oc = 64, .size = 224, .kernel = 7, .stride = 2,
	  .pad = 3, .groups = 1 },
	{ "depthwise 64x112x112, 3x3", .ic = 64, .oc = 64, .size = 112, .kernel = 3, .stride = 1,
	  .pad = 1, .groups = 64 },
	{ "matmul 1024x1024x1024", .m = 1024, .k = 1024, .n = 1024 },
	{ "matmul 1x4096x4096", .m = 1, .k = 4096, .n = 4096 },
	{ "matmul 32x32x32", .m = 32, .k = 32, .n = 32 },
};

#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct result {
	struct npu_times npu;
	struct timing loop;
	struct timing blas;
};

static const char *type_name(const struct work *work)
{
	return scoria_type_name(work->type);
}

static double rate(const struct work *work, double seconds)
{
	return work_macs(work) / seconds / 1e9;
}

/* The loops come first: what they leave in @work->c, the NPU is compared with. */
static bool measure(struct scoria_device *dev, const struct blas *blas, const struct work *work,
		    struct result *result)
{
	int err = npu_measure(dev, work, REPEATS, &result->npu);

	if (err) {
		fprintf(stderr, "bench: %s %s: %s\n", work->shape->name, type_name(work),
			scoria_error());
		return false;
	}
	loop_measure(work, LOOP_REPEATS, &result->loop);
	if (!work_agrees(work, work->a8)) {
		fprintf(stderr, "bench: %s %s: the NPU and the loops disagree\n",
			work->shape->name, type_name(work));
		return false;
	}
	if (!blas)
		return true;
	blas_measure(blas, work, REPEATS, &result->blas);
	if (!work_agrees(work, false)) {
		fprintf(stderr, "bench: %s %s: the NPU and OpenBLAS disagree\n",
			work->shape->name, type_name(work));
		return false;
	}
	return true;
}

static void print_head(void)
{
	printf("%-29s %-4s %7s %5s %17s %8s %8s %8s %8s\n", "", "", "", "", "NPU job, ms", "GMAC/s",
	       "GMAC/s", "GMAC/s", "GMAC/s");
	printf("%-29s %-4s %7s %5s %8s %8s %8s %8s %8s %8s\n", "shape", "type", "MMAC", "tasks",
	       "min", "median", "job", "whole op", "loops", "OpenBLAS");
}

static void print_row(const struct work *work, const struct result *result)
{
	const struct npu_times *npu = &result->npu;

	printf("%-29s %-4s %7.1f %5zu %8.2f %8.2f %8.2f %8.2f %8.2f", work->shape->name,
	       type_name(work), work_macs(work) / 1e6, (size_t)npu->tasks,
	       timing_min(&npu->job) * 1e3, timing_median(&npu->job) * 1e3,
	       rate(work, timing_min(&npu->job)), rate(work, timing_min(&npu->op)),
	       rate(work, timing_min(&result->loop)));
	if (result->blas.n)
		printf(" %8.2f\n", rate(work, timing_min(&result->blas)));
	else
		printf(" %8s\n", "-");
	fflush(stdout);
}

static void write_timing(struct json *json, const char *key, const struct work *work,
			 const struct timing *timing)
{
	if (!timing->n)
		return;
	json_begin_object(json, key);
	json_uint(json, "runs", timing->n);
	json_number(json, "seconds_min", timing_min(timing));
	json_number(json, "seconds_median", timing_median(timing));
	json_number(json, "gmac_per_second", rate(work, timing_min(timing)));
	json_end_object(json);
}

static void write_row(struct json *json, const struct work *work, const struct result *result)
{
	json_begin_object(json, NULL);
	json_string(json, "shape", work->shape->name);
	json_string(json, "type", type_name(work));
	json_number(json, "macs", work_macs(work));
	json_uint(json, "tasks", result->npu.tasks);
	write_timing(json, "npu_job", work, &result->npu.job);
	write_timing(json, "npu_op", work, &result->npu.op);
	write_timing(json, "loops", work, &result->loop);
	write_timing(json, "openblas_fp32", work, &result->blas);
	json_end_object(json);
}

static bool run(struct scoria_device *dev, const struct blas *blas, const struct shape *shape,
		enum scoria_type type, struct json *json)
{
	struct result result = { 0 };
	struct work work;
	bool ok = work_create(&work, shape, type);

	if (!ok) {
		fprintf(stderr, "bench: %s: out of memory\n", shape->name);
	} else if (measure(dev, blas, &work, &result)) {
		print_row(&work, &result);
		write_row(json, &work, &result);
	} else {
		ok = false;
	}
	work_free(&work);
	return ok;
}

static bool run_all(struct scoria_device *dev, struct json *json)
{
	static const enum scoria_type types[] = { SCORIA_INT8, SCORIA_FP16 };
	const char *reason;
	struct blas *blas = blas_open(&reason);
	bool ok = true;
	size_t i;

	if (blas)
		printf("OpenBLAS, in fp32 on one thread: %s\n\n", blas_config(blas));
	else
		printf("OpenBLAS: SKIP, %s\n\n", reason);
	json_string(json, "openblas", blas ? blas_config(blas) : NULL);
	json_begin_array(json, "results");
	print_head();
	for (i = 0; i < 2 * N_SHAPES; i++)
		ok &= run(dev, blas, &shapes[i / 2], types[i % 2], json);
	json_end_array(json);
	blas_close(blas);
	return ok;
}

static bool bench(FILE *file, const char *path)
{
	/* what it is compared with has one thread */
	const struct scoria_device_opts one_core = { .size = sizeof(one_core), .cores = 1 };
	struct scoria_device *dev;
	struct json json;
	bool ok;

	if (scoria_device_open("model", &one_core, &dev)) {
		fprintf(stderr, "bench: %s\n", scoria_error());
		return false;
	}
	json_init(&json, file);
	json_begin_object(&json, NULL);
	json_string(&json, "bench", "model");
	ok = run_all(dev, &json);
	json_end_object(&json);
	if (json_finish(&json)) {
		fprintf(stderr, "bench: %s is incomplete\n", path);
		ok = false;
	}
	scoria_device_close(dev);
	return ok;
}

int main(int argc, char **argv)
{
	FILE *file;
	bool ok;

	if (argc != 2) {
		fprintf(stderr, "usage: bench_model FILE.json\n");
		return 2;
	}
	file = fopen(argv[1], "w");
	if (!file) {
		perror(argv[1]);
		return EXIT_FAILURE;
	}
	ok = bench(file, argv[1]);
	fclose(file);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
