// SPDX-License-Identifier: MIT
/* Activations from their definitions, and how far from them a result may be. */
#include "vectors.h"

#include <math.h>

/* The nearest fp16 number is this much away, of the number or at all. */
#define HALF_STEP	0x1p-11
#define HALF_SUBNORMAL	0x1p-25

/* Constants in two multipliers are this precise; it may decide a tie. */
#define CONSTANTS	0x1p-19

#define OUTSIDE		0x1p-13

#define SELU_ALPHA	1.6732632423543772848170429916717
#define SELU_SCALE	1.0507009873554804934193349852946

struct activation {
	struct scoria_activation_opts o;
	struct scoria_activation_info info;
	const void *slopes;
};

static double or_default(double value, double otherwise)
{
	return value == 0 ? otherwise : value;
}

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static double hardtanh(const struct scoria_activation_opts *o, double x)
{
	return o->lo == 0 && o->hi == 0 ? clamp(x, -1, 1) : clamp(x, o->lo, o->hi);
}

static double softplus(double x)
{
	return fmax(x, 0) + log1p(exp(-fabs(x)));
}

/* Products of an infinity and 0 are the limits they stand for. */
static double gated(double x, double gate)
{
	return gate == 0 ? 0 : x * gate;
}

static double elu(double x, double alpha, double inner)
{
	return x < 0 ? alpha * expm1(x / inner) : x;
}

static double slope(const struct activation *a, size_t i)
{
	return compare_value(SCORIA_FP16, a->slopes,
			     i / (a->o.inner ? a->o.inner : 1) % a->o.channels);
}

static double linear(const struct activation *a, double x, size_t i)
{
	switch (a->o.function) {
	case SCORIA_RELU:
		return fmax(x, 0);
	case SCORIA_RELU6:
		return clamp(x, 0, 6);
	case SCORIA_RELUX:
		return clamp(x, 0, a->o.alpha);
	case SCORIA_LEAKY_RELU:
		return x < 0 ? or_default(a->o.alpha, 0.01) * x : x;
	case SCORIA_PRELU:
		return x < 0 ? slope(a, i) * x : x;
	case SCORIA_HARDTANH:
		return hardtanh(&a->o, x);
	case SCORIA_HARDSIGMOID:
		return clamp(x + 3, 0, 6) / 6;
	case SCORIA_HARDSWISH:
		return gated(x, clamp(x + 3, 0, 6) / 6);
	default:
		return NAN;
	}
}

static double gate_like(const struct activation *a, double x)
{
	const double alpha = or_default(a->o.alpha, 1);

	switch (a->o.function) {
	case SCORIA_SIGMOID:
		return 1 / (1 + exp(-x));
	case SCORIA_LOGSIGMOID:
		return -softplus(-x);
	case SCORIA_SILU:
		return gated(x, 1 / (1 + exp(-x)));
	case SCORIA_MISH:
		return gated(x, tanh(softplus(x)));
	case SCORIA_GELU:
		return gated(x, erfc(-x / sqrt(2)) / 2);
	case SCORIA_QUICK_GELU:
		return gated(x, 1 / (1 + exp(-1.702 * x)));
	case SCORIA_ELU:
		return elu(x, alpha, 1);
	case SCORIA_CELU:
		return elu(x, alpha, alpha);
	case SCORIA_SELU:
		return SELU_SCALE * elu(x, SELU_ALPHA, 1);
	case SCORIA_SOFTPLUS:
		return softplus(x);
	case SCORIA_SOFTSIGN:
		return isinf(x) ? copysign(1, x) : x / (1 + fabs(x));
	default:
		return NAN;
	}
}

static double elementary(enum scoria_activation function, double x)
{
	static double (*const functions[])(double) = {
		[SCORIA_TANH] = tanh, [SCORIA_EXP] = exp, [SCORIA_EXP2] = exp2,
		[SCORIA_LOG] = log, [SCORIA_SQRT] = sqrt, [SCORIA_SIN] = sin, [SCORIA_COS] = cos,
		[SCORIA_TAN] = tan, [SCORIA_ASIN] = asin, [SCORIA_ACOS] = acos,
		[SCORIA_ATAN] = atan, [SCORIA_SINH] = sinh, [SCORIA_COSH] = cosh,
		[SCORIA_ASINH] = asinh, [SCORIA_ACOSH] = acosh, [SCORIA_ATANH] = atanh,
	};

	if (function == SCORIA_RECIPROCAL)
		return 1 / x;
	if (function == SCORIA_RSQRT)
		return 1 / sqrt(fabs(x));
	return functions[function](x);
}

static double value(const struct activation *a, double x, size_t i)
{
	if (a->o.function <= SCORIA_HARDSWISH)
		return linear(a, x, i);
	if (a->o.function <= SCORIA_SOFTSIGN)
		return gate_like(a, x);
	return elementary(a->o.function, x);
}

static double tolerance(const struct activation *a, double ref)
{
	if (a->info.exact)
		return fabs(ref) * (HALF_STEP + CONSTANTS) + HALF_SUBNORMAL;
	if (a->info.range != 0)
		return a->info.range * 0x1p-9;
	return fabs(ref) * 0x1p-8 + 2 * HALF_SUBNORMAL;
}

/* What counts as the result for @x, and how much a result may be away. */
static double expected(const struct activation *a, double x, size_t i, double *allowed)
{
	const double inside = clamp(x, a->info.lo, a->info.hi);
	double ref = value(a, inside, i);

	*allowed = tolerance(a, ref);
	if (x == inside || a->info.outside == SCORIA_OUTSIDE_HOLDS)
		return ref;
	if (a->info.outside == SCORIA_OUTSIDE_FOLLOWS) {
		*allowed = fmax(*allowed, OUTSIDE);
		return value(a, x, i);
	}
	*allowed += a->info.range / 2;
	return isinf(x) ? NAN : 0;
}

double reference_activation_expected(const struct scoria_activation_opts *opts,
				     const struct scoria_activation_info *info, double x,
				     double *allowed)
{
	const struct activation a = { *opts, *info, NULL };

	return expected(&a, x, 0, allowed);
}

double reference_activation_value(const struct scoria_activation_opts *opts, const void *slopes,
				  double x, size_t i)
{
	const struct activation a = { .o = *opts, .slopes = slopes };

	return value(&a, x, i);
}

void reference_activation(const struct scoria_activation_opts *opts,
			  const struct scoria_activation_info *info, const void *in,
			  const void *slopes, const void *output, struct compare *result)
{
	const struct activation a = { *opts, *info, slopes };
	size_t i;

	*result = (struct compare){ .type = SCORIA_FP16, .rule = COMPARE_WITHIN };
	for (i = 0; i < opts->n; i++) {
		const double x = compare_value(SCORIA_FP16, in, i);
		const double ref = isnan(x) ? x : expected(&a, x, i, &result->tolerance);

		compare_add(result, output, i, ref);
	}
}
