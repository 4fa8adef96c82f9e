// SPDX-License-Identifier: MIT
/* Element-wise operations: doubles, rounded to fp32 and then to the result's type. */
#include "vectors.h"

#include <math.h>

#include "fp16.h"

#define FACTOR_BITS 14

struct eltwise {
	struct scoria_eltwise_opts o;
	const void *inputs[3];
};

static double input(const struct eltwise *e, unsigned int which, size_t i)
{
	const enum scoria_broadcast broadcast[] = { e->o.broadcast_a, e->o.broadcast_b,
						    e->o.broadcast_c };

	if (!e->inputs[which])
		return 0;
	if (broadcast[which] == SCORIA_BROADCAST_SCALAR)
		i = 0;
	else if (broadcast[which] == SCORIA_BROADCAST_CHANNEL)
		i = i / (e->o.inner ? e->o.inner : 1) % e->o.channels;
	return compare_value(e->o.type, e->inputs[which], i);
}

static double clip(double x, double lo, double hi)
{
	return isnan(x) ? x : fmin(fmax(x, (float)lo), (float)hi);
}

/* The quotient that fp16 holds, towards 0. */
static double idiv(double a, double b)
{
	return trunc((double)fp16_to_fp32(fp32_to_fp16((float)(a / b))));
}

static double value(const struct eltwise *e, double a, double b, double c)
{
	switch (e->o.op) {
	case SCORIA_ADD:
		return a + b;
	case SCORIA_SUB:
		return a - b;
	case SCORIA_MUL:
		return a * b;
	case SCORIA_MAX:
		return fmax(a, b);
	case SCORIA_MIN:
		return fmin(a, b);
	case SCORIA_DIV:
		return a / b;
	case SCORIA_NEG:
		return -a;
	case SCORIA_ABS:
		return fabs(a);
	case SCORIA_ROUND:
		return rint(a);
	case SCORIA_FLOOR:
		return floor(a);
	case SCORIA_CEIL:
		return ceil(a);
	case SCORIA_IDIV:
		return idiv(a, b);
	case SCORIA_CMPLT:
		return a < b;
	case SCORIA_CMPLE:
		return a <= b;
	case SCORIA_CMPGT:
		return a > b;
	case SCORIA_CMPGE:
		return a >= b;
	case SCORIA_CMPEQ:
		return a == b;
	case SCORIA_CMPNEQ:
		return a != b;
	case SCORIA_WHERE:
		return a != 0 ? b : c;
	case SCORIA_CLIP:
		return clip(a, e->o.lo, e->o.hi);
	}
	return NAN;
}

/* NaN counts as above the limit. */
static double relu(const struct eltwise *e, double x, double limit)
{
	if (!e->o.relu)
		return x;
	if (e->o.relu_max > 0 && !(x <= limit))
		return limit;
	return x < 0 ? 0 : x;
}

static double or_one(double scale)
{
	return scale == 0 ? 1 : scale;
}

/* @scale with 15 significant bits. */
static double fifteen_bits(double scale)
{
	int exponent;
	double mantissa = frexp(scale, &exponent);

	return ldexp(rint(ldexp(mantissa, 15)), exponent - 15);
}

/* The formula of eltwise.h: every number is an integer below 2^53. */
static double quantised(const struct eltwise *e, double a, double b)
{
	const double sa = or_one(e->o.a_scale), sb = or_one(e->o.b_scale);
	const double so = or_one(e->o.out_scale), larger = fmax(sa, sb);
	const bool mul = e->o.op == SCORIA_MUL;
	const double one = ldexp(1, FACTOR_BITS);
	const double fa = mul ? 1 : rint(sa / larger * one), fb = mul ? 1 : rint(sb / larger * one);
	const double scale = mul ? sa * sb / so : larger / one / so;
	const double x = value(e, (a - e->o.a_zp) * fa, (b - e->o.b_zp) * fb, 0);
	const double y = relu(e, x, rint(e->o.relu_max / (mul ? sa * sb : larger / one)));
	const double least = e->o.type == SCORIA_UINT8 ? 0 : INT8_MIN;

	return fmin(fmax(rint(y * fifteen_bits(scale)) + e->o.out_zp, least), least + UINT8_MAX);
}

static double expected(const struct eltwise *e, size_t i)
{
	const double a = input(e, 0, i), b = input(e, 1, i), c = input(e, 2, i);

	if (e->o.type != SCORIA_FP16)
		return quantised(e, a, b);
	return (double)fp16_to_fp32(fp32_to_fp16((float)relu(e, value(e, a, b, c), e->o.relu_max)));
}

/* Where max and min have one NaN to choose from, both choices are right (eltwise.h). */
static bool may_be_nan(const struct eltwise *e, size_t i)
{
	return (e->o.op == SCORIA_MAX || e->o.op == SCORIA_MIN) && !(e->o.relu_max > 0) &&
	       (isnan(input(e, 0, i)) || isnan(input(e, 1, i)));
}

void reference_eltwise(const struct scoria_eltwise_opts *opts, const void *a, const void *b,
		       const void *c, const void *output, struct compare *result)
{
	const struct eltwise e = { *opts, { a, b, c } };
	double want;
	size_t i;

	*result = (struct compare){
		.type = opts->type,
		/* how a divider rounds is not known of all hardware */
		.rule = opts->op == SCORIA_DIV ? COMPARE_SUM : COMPARE_EXACT,
	};
	for (i = 0; i < opts->n; i++) {
		want = expected(&e, i);
		if (may_be_nan(&e, i) && isnan(compare_value(opts->type, output, i)))
			want = NAN;
		compare_add(result, output, i, want);
	}
}
