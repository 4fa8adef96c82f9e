/* SPDX-License-Identifier: MIT */
/* A case of the benchmark and those who compute it. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scoria/scoria.h>

#include "timing.h"

/**
 * struct shape - what to compute
 * @m: @k: @n:  of a matrix product; 0 for a convolution
 * @ic: @oc: @size: @kernel: @stride: @pad: @groups: of a convolution over
 *              @size x @size pixels
 */
struct shape {
	const char *name;
	size_t m;
	size_t k;
	size_t n;
	size_t ic;
	size_t oc;
	size_t size;
	size_t kernel;
	size_t stride;
	size_t pad;
	size_t groups;
};

/**
 * struct work - a shape with numbers in it
 * @type:     SCORIA_FP16 or SCORIA_INT8
 * @input: @weights: in that type, as the library takes them: a convolution's NCHW,
 *            a product's A and, column by column, B
 * @output:   of the NPU, fp32 or int32, @groups * @m * @n values
 * @groups: @m: @k: @n: the same as @groups matrix products, the input of a
 *            convolution gathered window by window
 * @a: @b:    their factors, m x k and n x k each
 * @a8: @b8:  the same as int8, NULL for SCORIA_FP16
 * @c:        their results on the CPU, m x n each; int32 from int8
 */
struct work {
	const struct shape *shape;
	enum scoria_type type;
	void *input;
	void *weights;
	void *output;
	size_t groups;
	size_t m;
	size_t k;
	size_t n;
	float *a;
	float *b;
	int8_t *a8;
	int8_t *b8;
	void *c;
};

/* False when out of memory. */
bool work_create(struct work *work, const struct shape *shape, enum scoria_type type);
void work_free(struct work *work);

/* The library's options for it. */
struct scoria_conv2d_opts work_conv2d(const struct work *work);
struct scoria_matmul_opts work_matmul(const struct work *work);

/* Multiplications. */
double work_macs(const struct work *work);

/* Whether @output and @c agree: integers exactly, floats to 2^-16 of the largest. */
bool work_agrees(const struct work *work, bool c_is_int);

/**
 * struct npu_times - the library with a device
 * @op:  the whole call: packing the input, the job, unpacking the output
 * @job: the job alone
 * @tasks: of a run
 * @cycles: of a run, as the model estimates them; 0 on hardware
 * @info: of the plan, from npu_measure() only
 */
struct npu_times {
	struct timing op;
	struct timing job;
	uint64_t tasks;
	uint64_t cycles;
	struct scoria_plan_info info;
};

/*
 * Call @run @repeats times after one to warm up, at most MAX_REPEATS. A negative errno
 * from it ends that, see scoria_error().
 */
int npu_time(struct scoria_device *dev, int (*run)(void *ctx), void *ctx, unsigned int repeats,
	     struct npu_times *times);

/* The same with @work's operation. */
int npu_measure(struct scoria_device *dev, const struct work *work, unsigned int repeats,
		struct npu_times *times);

/* Three loops, without tricks. */
void loop_measure(const struct work *work, unsigned int repeats, struct timing *timing);

struct blas;

/* OpenBLAS on one thread; NULL, and why in @reason, where there is none. */
struct blas *blas_open(const char **reason);
const char *blas_config(const struct blas *blas);
void blas_close(struct blas *blas);

/* In fp32, for lack of fp16 and int8 there. */
void blas_measure(const struct blas *blas, const struct work *work, unsigned int repeats,
		  struct timing *timing);

#endif
