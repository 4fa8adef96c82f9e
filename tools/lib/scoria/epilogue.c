// SPDX-License-Identifier: MIT
/*
 * What BS and the output converter do (programming-model C5, C7), for results
 * whose parts the CPU has added.
 */
#include "epilogue.h"

#include <math.h>
#include <string.h>

#include "choices.h"
#include "fp16.h"
#include "limits.h"

void sums_clear(struct sums *sums)
{
	memset(sums->f, 0, sums->n * sizeof(sums->f[0]));
	memset(sums->i, 0, sums->n * sizeof(sums->i[0]));
}

void sums_add(struct sums *sums, const uint8_t *from)
{
	const float *f = (const float *)from;
	const int32_t *i = (const int32_t *)from;
	const int16_t *s = (const int16_t *)from;
	uint32_t p;

	if (sums->type == NPU_PRECISION_FP32)
		for (p = 0; p < sums->n; p++)
			sums->f[p] += f[p * (NPU_UNIT / 4)];
	else if (sums->type == NPU_PRECISION_INT32)
		for (p = 0; p < sums->n; p++)
			sums->i[p] += i[p * (NPU_UNIT / 4)];
	else
		for (p = 0; p < sums->n; p++)
			sums->i[p] += s[p * (NPU_UNIT / 2)];
}

/* NaN stays NaN below a limit of infinity, and counts as above any other (C5). */
static double limited(double value, double most)
{
	if (value < 0)
		return 0;
	return value <= most || isinf(most) ? value : most;
}

static void store_floats(const struct sums *sums, const struct epilogue *epilogue, uint32_t c,
			 void *data, size_t at, size_t stride)
{
	float bias = epilogue->bias ? ((const float *)epilogue->bias)[c] : 0;
	uint32_t p;

	for (p = 0; p < sums->n; p++, at += stride) {
		double value = sums->f[p] * epilogue->alpha + bias;

		if (epilogue->relu)
			value = limited(value, epilogue->relu_max);
		if (epilogue->type == SCORIA_FP16)
			((uint16_t *)data)[at] = fp32_to_fp16(value);
		else
			((float *)data)[at] = value;
	}
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

static void store_integers(const struct sums *sums, const struct epilogue *epilogue, uint32_t c,
			   void *data, size_t at, size_t stride)
{
	int32_t bias = epilogue->bias ? ((const int32_t *)epilogue->bias)[c] : 0;
	uint32_t p;

	for (p = 0; p < sums->n; p++, at += stride) {
		/* BS saturates when it adds */
		int64_t value = clamp(sums->i[p] + bias, INT32_MIN, INT32_MAX);

		if (epilogue->requant)
			value = rounded_shift(value * (int64_t)epilogue->requant[c].multiplier,
					      epilogue->requant[c].shift);
		if (epilogue->relu)
			value = limited(value, epilogue->relu_max);
		if (epilogue->type == SCORIA_INT32) {
			((int32_t *)data)[at] = clamp(value, INT32_MIN, INT32_MAX);
			continue;
		}
		value += epilogue->zero_point;
		if (epilogue->type == SCORIA_INT8)
			((int8_t *)data)[at] = clamp(value, INT8_MIN, INT8_MAX);
		else
			((uint8_t *)data)[at] = clamp(value, 0, UINT8_MAX);
	}
}

void sums_store(const struct sums *sums, const struct epilogue *epilogue, uint32_t c, void *data,
		size_t at, size_t stride)
{
	if (sums->type == NPU_PRECISION_FP32)
		store_floats(sums, epilogue, c, data, at, stride);
	else
		store_integers(sums, epilogue, c, data, at, stride);
}
