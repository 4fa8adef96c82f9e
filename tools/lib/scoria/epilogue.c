// SPDX-License-Identifier: MIT
/*
 * What the DPU's stages do (programming-model C5 to C7), for results whose parts the CPU has
 * added, and for what the stages have no room for.
 */
#include "epilogue.h"

#include <math.h>
#include <string.h>

#include "choices.h"
#include "fp16.h"
#include "limits.h"
#include "requant.h"

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

static bool has_function(const struct epilogue *epilogue)
{
	const struct fusion *f = &epilogue->ending->fusion;

	return f->function && f->function_place == PLACE_CPU;
}

static double factor_of(const struct ending *e, size_t channel)
{
	return e->fusion.factors ? (double)fp16_to_fp32(e->fusion.factors[channel]) : 1;
}

static double activate_float(const struct epilogue *epilogue, size_t channel, double value)
{
	const struct ending *e = epilogue->ending;
	const struct fusion *f = &e->fusion;

	if (e->relu)
		return limited(value, relu_limit(true, e->relu_max));
	if (!has_function(epilogue) || !(value < 0))
		return value;
	return value * (f->slopes ? (double)fp16_to_fp32(f->slopes[channel]) : f->act.alpha);
}

static double operate_float(const struct epilogue *epilogue, size_t at, double value)
{
	const struct ending *e = epilogue->ending;
	const double operand = e->out == SCORIA_FP16 ?
			       (double)fp16_to_fp32(((const uint16_t *)epilogue->operand)[at]) :
			       (double)((const float *)epilogue->operand)[at];

	return e->fusion.operand == SCORIA_OPERAND_MUL ? value * operand : value + operand;
}

static double finish_float(const struct epilogue *epilogue, size_t channel, size_t at, double value)
{
	const bool last = epilogue->ending->fusion.operand_last;

	if (epilogue->operand && !last)
		value = operate_float(epilogue, at, value);
	value = activate_float(epilogue, channel, value);
	return epilogue->operand && last ? operate_float(epilogue, at, value) : value;
}

static void store_floats(const struct sums *sums, const struct epilogue *epilogue, uint32_t c,
			 void *data, size_t at, size_t stride)
{
	const struct ending *e = epilogue->ending;
	const size_t channel = epilogue->channel + c;
	const double factor = e->alpha * factor_of(e, channel);
	float bias = epilogue->bias ? ((const float *)epilogue->bias)[c] : 0;
	uint32_t p;

	for (p = 0; p < sums->n; p++, at += stride) {
		double value = finish_float(epilogue, channel, at, sums->f[p] * factor + bias);

		if (e->out == SCORIA_FP16)
			((uint16_t *)data)[at] = fp32_to_fp16(value);
		else
			((float *)data)[at] = value;
	}
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

static int64_t saturate(int64_t x)
{
	return clamp(x, INT32_MIN, INT32_MAX);
}

/**
 * struct channel - what integers of one output channel are multiplied by (fusion.h)
 * @sum:     of sums, with k fractional bits left where an operand follows
 * @leak:    of negative ones
 * @operand: of the operand that is added
 * @k:       those bits
 * @most:    limit of the ReLU, with them
 */
struct channel {
	struct scoria_requant sum;
	struct scoria_requant leak;
	struct scoria_requant operand;
	uint32_t k;
	int64_t most;
};

static void set_leak(struct channel *channel, const struct ending *e, size_t c)
{
	if (e->fusion.slopes)
		channel->leak = (struct scoria_requant){ e->fusion.slopes[c], ENDING_SLOPE_BITS };
	else
		scoria_quantize_scale(e->fusion.act.alpha, &channel->leak.multiplier,
				      &channel->leak.shift);
}

static struct channel channel_of(const struct epilogue *epilogue, uint32_t c)
{
	const struct ending *e = epilogue->ending;
	const size_t number = epilogue->channel + c;
	struct channel channel = { .sum = { 1, 0 } };

	if (e->requant)
		channel.sum = e->requant[number];
	if (epilogue->operand) {
		channel.k = ending_guard_bits(e, channel.sum.shift);
		channel.sum.shift -= channel.k;
	}
	if (epilogue->operand && e->fusion.operand == SCORIA_OPERAND_ADD)
		scoria_quantize_scale(ldexp(e->fusion.operand_scale, channel.k),
				      &channel.operand.multiplier, &channel.operand.shift);
	if (has_function(epilogue))
		set_leak(&channel, e, number);
	channel.most = fmin(ldexp(relu_limit(false, e->relu_max), channel.k), INT32_MAX);
	return channel;
}

static int64_t times(int64_t x, struct scoria_requant factor)
{
	/* slopes are int16, the others positive */
	return saturate(rounded_shift(x * (int16_t)factor.multiplier, factor.shift));
}

static int64_t activate_integer(const struct epilogue *epilogue, const struct channel *channel,
				int64_t x)
{
	if (epilogue->ending->relu)
		return clamp(x, 0, channel->most);
	return has_function(epilogue) && x < 0 ? times(x, channel->leak) : x;
}

static int64_t operate_integer(const struct epilogue *epilogue, const struct channel *channel,
			       size_t at, int64_t x)
{
	const struct ending *e = epilogue->ending;
	const uint8_t flip = e->out == SCORIA_UINT8 ? 0x80 : 0;
	const uint8_t raw = ((const uint8_t *)epilogue->operand)[at] ^ flip;
	const int64_t operand = (int8_t)raw - e->fusion.operand_zp;

	if (e->fusion.operand == SCORIA_OPERAND_MUL)
		return saturate(x * operand);
	return saturate(x + times(operand, channel->operand));
}

/* Functions without an operand behind them come before the requantisation, a ReLU after it. */
static int64_t finish_integer(const struct epilogue *epilogue, const struct channel *channel,
			      size_t at, int64_t acc)
{
	const bool early = epilogue->operand && !epilogue->ending->fusion.operand_last;
	int64_t x = acc;

	if (has_function(epilogue) && !early)
		x = activate_integer(epilogue, channel, x);
	if (epilogue->ending->requant)
		x = times(x, channel->sum);
	if (epilogue->ending->relu && !early)
		x = activate_integer(epilogue, channel, x);
	if (epilogue->operand)
		x = operate_integer(epilogue, channel, at, x);
	if (early)
		x = activate_integer(epilogue, channel, x);
	return rounded_shift(x, channel->k);
}

static void store_integers(const struct sums *sums, const struct epilogue *epilogue, uint32_t c,
			   void *data, size_t at, size_t stride)
{
	const enum scoria_type out = epilogue->ending->out;
	const uint8_t flip = out == SCORIA_UINT8 ? 0x80 : 0;
	const struct channel channel = channel_of(epilogue, c);
	int32_t bias = epilogue->bias ? ((const int32_t *)epilogue->bias)[c] : 0;
	uint32_t p;

	for (p = 0; p < sums->n; p++, at += stride) {
		/* BS saturates when it adds */
		int64_t value = finish_integer(epilogue, &channel, at,
					       saturate(sums->i[p] + bias));

		if (out == SCORIA_INT32)
			((int32_t *)data)[at] = saturate(value);
		else
			((uint8_t *)data)[at] = (uint8_t)clamp(value + epilogue->ending->zero_point,
							       INT8_MIN, INT8_MAX) ^ flip;
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
