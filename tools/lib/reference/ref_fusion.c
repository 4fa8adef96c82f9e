// SPDX-License-Identifier: MIT
#include "fusion.h"

#include <math.h>

#include "fp16.h"
#include "vectors.h"

/* A result and how far it may be away. */
struct near {
	double value;
	double error;
};

struct following following_init(struct following f)
{
	enum scoria_activation function = f.fuse ? f.fuse->activation : 0;

	if (function != SCORIA_RELU && function != SCORIA_RELU6 && function != SCORIA_RELUX)
		return f;
	f.relu = true;
	f.relu_max = function == SCORIA_RELU6 ? 6 : function == SCORIA_RELUX ? f.fuse->alpha : 0;
	return f;
}

static double as_fp16(double value)
{
	return (double)fp16_to_fp32(fp32_to_fp16((float)value));
}

double following_factor(const struct following *f, size_t channel)
{
	return f->fuse && f->fuse->factors ? as_fp16((double)f->fuse->factors[channel]) : 1;
}

static bool has_function(const struct following *f)
{
	return f->fuse && f->fuse->activation >= SCORIA_LEAKY_RELU;
}

static double limit(double value, double most)
{
	value = value > 0 ? value : 0;
	return value > most ? most : value;
}

/* 0 stands for none, but what rounds to 0 is one. */
static double relu_limit(const struct following *f)
{
	return f->relu_max > 0 ? rint(f->relu_max) : INFINITY;
}

/* Half of the smallest step of fp16. */
#define FP16_HALF_STEP 0x1p-25

static double relative(const struct following *f, double value)
{
	return fabs(value) * (f->out == SCORIA_FP16 ? 0x1p-11 : 0x1p-24);
}

/* Every step of its own rounds to the type of the results. */
static double rounding(const struct following *f, double value)
{
	return fmax(relative(f, value), f->out == SCORIA_FP16 ? FP16_HALF_STEP : 0);
}

static struct near operate(const struct following *f, size_t index, struct near x)
{
	const double e = compare_value(f->out, f->operand, index);

	x.error += rounding(f, x.value);
	if (f->fuse->operand == SCORIA_OPERAND_ADD) {
		x.value += e;
		return x;
	}
	return (struct near){ x.value * e, x.error * fabs(e) };
}

static double function_value(const struct following *f, size_t channel, double x, double *allowed)
{
	const struct scoria_activation_opts o = {
		.size = sizeof(o), .function = f->fuse->activation, .n = 1,
		.alpha = f->fuse->alpha,
	};
	struct scoria_activation_info info = { .size = sizeof(info) };

	if (o.function == SCORIA_PRELU) {
		*allowed = 0;
		return x < 0 ? x * as_fp16((double)f->fuse->slopes[channel]) : x;
	}
	scoria_activation_describe(&o, &info);
	return reference_activation_expected(&o, &info, x, allowed);
}

/* What is off in front of a function is off by as much as that changes it. */
static struct near apply_function(const struct following *f, size_t channel, struct near x)
{
	const double error = x.error + rounding(f, x.value);
	struct near y = { 0, 0 };
	double ignored, up, down;

	y.value = function_value(f, channel, x.value, &y.error);
	up = fabs(function_value(f, channel, x.value + error, &ignored) - y.value);
	down = fabs(function_value(f, channel, x.value - error, &ignored) - y.value);
	y.error += fmax(up, down);
	return y;
}

static struct near activate(const struct following *f, size_t channel, struct near x)
{
	if (f->relu)
		x.value = limit(x.value, f->relu_max > 0 ? (double)(float)f->relu_max : INFINITY);
	return has_function(f) ? apply_function(f, channel, x) : x;
}

double following_float(const struct following *f, size_t channel, size_t index, double x,
		       double error, double *tolerance)
{
	struct near y = { x, error };
	const bool last = f->fuse && f->fuse->operand_last;

	if (f->operand && !last)
		y = operate(f, index, y);
	y = activate(f, channel, y);
	if (f->operand && last)
		y = operate(f, index, y);
	*tolerance = y.error + 2 * relative(f, y.value) +
		     (f->out == SCORIA_FP16 ? FP16_HALF_STEP : 0);
	return y.value;
}

double following_rounded(const struct following *f, size_t channel, size_t index, double x,
			 const struct rounded *sums, double *tolerance)
{
	const double exact = following_float(f, channel, index, x, 0, tolerance);

	if (fabs(sums->got - exact) <= *tolerance)
		return exact;
	return following_float(f, channel, index, x,
			       sums->terms * 0x1p-24 * sums->magnitude(sums->ctx, index),
			       tolerance);
}

static double saturate(double value)
{
	return fmin(fmax(value, INT32_MIN), INT32_MAX);
}

static double times(double x, uint32_t multiplier, int shift)
{
	return saturate(rint(ldexp(x * multiplier, -shift)));
}

static double leak(const struct following *f, size_t channel, double acc)
{
	uint32_t multiplier, shift;

	if (!has_function(f) || acc >= 0)
		return acc;
	if (f->fuse->activation == SCORIA_PRELU)
		return saturate(rint(ldexp(acc * rint(ldexp((double)f->fuse->slopes[channel], 14)),
					   -14)));
	scoria_quantize_scale(f->fuse->alpha != 0 ? f->fuse->alpha : 0.01, &multiplier, &shift);
	return times(acc, multiplier, shift);
}

/* k of fusion.h */
static uint32_t guard_bits(const struct following *f, double scale, uint32_t shift)
{
	uint32_t k = shift < 12 ? shift : 12;

	while (f->fuse->operand == SCORIA_OPERAND_ADD && k && ldexp(scale, k) > 32767)
		k--;
	return k;
}

static double operate_integer(const struct following *f, size_t index, double x, double scale,
			      uint32_t k)
{
	const double e = compare_value(f->out, f->operand, index) - f->fuse->operand_zp;
	uint32_t multiplier, shift;

	if (f->fuse->operand == SCORIA_OPERAND_MUL)
		return saturate(x * e);
	scoria_quantize_scale(ldexp(scale, k), &multiplier, &shift);
	return saturate(x + times(e, multiplier, shift));
}

static double with_operand(const struct following *f, size_t channel, size_t index, double acc)
{
	const double scale = f->fuse->operand_scale != 0 ? f->fuse->operand_scale : 1;
	const struct scoria_requant *r = &f->requant[channel];
	const uint32_t k = guard_bits(f, scale, r->shift);
	const double most = fmin(ldexp(relu_limit(f), (int)k), INT32_MAX);
	double x = times(acc, r->multiplier, r->shift - k);

	if (f->relu && f->fuse->operand_last)
		x = limit(x, most);
	x = operate_integer(f, index, x, scale, k);
	if (!f->fuse->operand_last)
		x = f->relu ? limit(x, most) : leak(f, channel, x);
	return rint(ldexp(x, -(int)k));
}

/* The products have at most 47 bits, so all of this is exact. */
double following_integer(const struct following *f, size_t channel, size_t index, double acc)
{
	const double low = f->out == SCORIA_INT8 ? -128 : 0, high = low + 255;
	double x = f->operand && !f->fuse->operand_last ? acc : leak(f, channel, acc);

	if (!f->requant)
		return f->relu ? limit(x, relu_limit(f)) : x;
	if (f->operand) {
		x = with_operand(f, channel, index, x);
	} else {
		x = rint(ldexp(x * f->requant[channel].multiplier,
			       -(int)f->requant[channel].shift));
		x = f->relu ? limit(x, relu_limit(f)) : x;
	}
	return fmin(fmax(x + f->output_zp, low), high);
}
