/* SPDX-License-Identifier: MIT */
/*
 * Quantised operations as TensorFlow Lite's reference kernels define them: its fixed
 * point arithmetic, step by step, with both of its roundings. Written from the
 * documentation of the arithmetic (gemmlowp's "Building a quantization paradigm from
 * first principles" and TensorFlow Lite's quantisation specification); nothing here is
 * shared with the library but the option structs.
 */
#ifndef REFERENCE_TFLITE_H
#define REFERENCE_TFLITE_H

#include <scoria/conv2d.h>
#include <scoria/eltwise.h>
#include <scoria/pool.h>
#include <scoria/softmax.h>

/**
 * struct tflite_multiplier - multiplier 2^(shift - 31)
 */
struct tflite_multiplier {
	int32_t multiplier;
	int shift;
};

/* The nearest one to @scale, not negative. */
struct tflite_multiplier tflite_quantize_multiplier(double scale);

/* Product and shift, each rounded. */
int32_t tflite_multiply(int32_t x, struct tflite_multiplier multiplier);

/* High half of twice the product, to nearest, ties away from 0. */
int32_t tflite_high_product(int32_t a, int32_t b);

/* @x / 2^@exponent to nearest, ties away from 0. */
int32_t tflite_shift(int32_t x, int exponent);

/*
 * These compute what the operation of @opts, which must be valid and of int8 or uint8
 * throughout, does in TensorFlow Lite. Convolutions: @sums are those of the library,
 * int32, in the order of the output; the kernels do not differ in these.
 */
void tflite_requantise(const struct scoria_conv2d_opts *opts, const int32_t *sums, void *output);

/* add, sub, mul */
void tflite_eltwise(const struct scoria_eltwise_opts *opts, const void *a, const void *b,
		    void *output);

/* Average pooling, padding never counts. */
void tflite_average_pool(const struct scoria_pool_opts *opts, const void *input, void *output);

void tflite_softmax(const struct scoria_softmax_opts *opts, const void *x, void *y);

#endif
