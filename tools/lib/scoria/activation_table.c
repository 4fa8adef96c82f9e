// SPDX-License-Identifier: MIT
/* What activations are made of, and what they promise. */
#include <math.h>

#include "activation.h"

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double silu(double x)
{
	return x * sigmoid(x);
}

static double quick_gelu(double x)
{
	return x * sigmoid(1.702 * x);
}

static double gelu(double x)
{
	return x * 0.5 * erfc(-x * M_SQRT1_2);
}

static double mish(double x)
{
	return x * tanh(log1p(exp(x)));
}

/* softplus(x) - max(x, 0), of |x| */
static double softplus_rest(double x)
{
	return log1p(exp(-x));
}

static double elu(double x)
{
	return x < 0 ? expm1(x) : x;
}

/* Finite at 1, where fp16 has no number nearer. */
static double atanh_inside(double x)
{
	return atanh(fmin(x, 1 - 0x1p-11));
}

#define HOLDS(from, to)		.lo = (from), .hi = (to), .outside = SCORIA_OUTSIDE_HOLDS
#define DOMAIN(from, to)	.info = { HOLDS(from, to) }
#define BOUNDED(from, to, of)	.info = { HOLDS(from, to), .range = (of) }
#define EXACT			.info = { HOLDS(-INFINITY, INFINITY), .exact = 1 }
#define FOLLOWED(from, to) \
	.info = { .lo = (from), .hi = (to), .outside = SCORIA_OUTSIDE_FOLLOWS }
#define GATE(from, to)		.gated = true, .gate = { .low = (from), .high = (to) }

static const struct activation activations[] = {
	[SCORIA_RELU] = { "relu", cook_relu, EXACT },
	[SCORIA_RELU6] = { "relu6", cook_relux, .alpha = 6, EXACT },
	[SCORIA_RELUX] = { "relux", cook_relux, EXACT },
	[SCORIA_LEAKY_RELU] = { "leaky_relu", cook_leaky, .alpha = 0.01, EXACT },
	[SCORIA_PRELU] = { "prelu", cook_prelu, EXACT },
	[SCORIA_HARDTANH] = { "hardtanh", cook_hardtanh, EXACT },
	[SCORIA_HARDSIGMOID] = { "hardsigmoid", cook_hardsigmoid, EXACT },
	[SCORIA_HARDSWISH] = { "hardswish", cook_hardswish, EXACT },
	[SCORIA_SIGMOID] = { "sigmoid", cook_tables, sigmoid, .pieces = { { -11, 0, 11 } },
			     BOUNDED(-INFINITY, INFINITY, 1) },
	[SCORIA_LOGSIGMOID] = { "logsigmoid", cook_logsigmoid, softplus_rest, .even = true,
				.pieces = { { 0, 3, 12 } }, FOLLOWED(-INFINITY, 4.5) },
	/*
	 * Gates end near the least result: below, tables hold results and not their
	 * quotients by an ever larger x, which are soon too small for a table.
	 */
	[SCORIA_SILU] = { "silu", cook_tables, silu, GATE(-1.25, INFINITY),
			  .pieces = { { -14, -1.25, 11 } }, FOLLOWED(-6, INFINITY) },
	[SCORIA_MISH] = { "mish", cook_tables, mish, GATE(-1.25, INFINITY),
			  .pieces = { { -14, -1.25, 8 } }, FOLLOWED(-6, INFINITY) },
	[SCORIA_GELU] = { "gelu", cook_tables, gelu, GATE(-0.75, INFINITY),
			  .pieces = { { -5.5, -0.75, 5 } }, FOLLOWED(-2.8, INFINITY) },
	[SCORIA_QUICK_GELU] = { "quick_gelu", cook_tables, quick_gelu, GATE(-0.75, INFINITY),
				.pieces = { { -9, -0.75, 7 } }, FOLLOWED(-3.6, INFINITY) },
	[SCORIA_ELU] = { "elu", cook_elu, elu, .alpha = 1, GATE(-11, INFINITY),
			 .pieces = { { -11, -3, 0 } }, DOMAIN(-INFINITY, INFINITY) },
	[SCORIA_CELU] = { "celu", cook_celu, elu, .alpha = 1, GATE(-11, INFINITY),
			  .pieces = { { -11, -3, 0 } }, DOMAIN(-INFINITY, INFINITY) },
	[SCORIA_SELU] = { "selu", cook_tables, elu, .gated = true,
			  .gate = { .low = -11, .high = INFINITY, .negative = 1.6732632423543772,
				    .factor = 1.0507009873554805 },
			  .pieces = { { -11, -3, 0 } }, DOMAIN(-INFINITY, INFINITY) },
	[SCORIA_SOFTPLUS] = { "softplus", cook_softplus, softplus_rest, .even = true,
			      .pieces = { { 0, 3, 12 } }, FOLLOWED(-4.5, INFINITY) },
	[SCORIA_SOFTSIGN] = { "softsign", cook_softsign, BOUNDED(-INFINITY, INFINITY, 2) },
	[SCORIA_TANH] = { "tanh", cook_tables, tanh, .even = true, GATE(-6, 6),
			  .pieces = { { 0, 2, 6 } }, BOUNDED(-INFINITY, INFINITY, 2) },
	/* six octaves a piece, so that the smallest value has nine bits; 1/4 to 16 first */
	[SCORIA_EXP] = { "exp", cook_tables, exp,
			 .pieces = { { -2 * M_LN2, M_LN2, 4 * M_LN2 },
				     { 4 * M_LN2, 7 * M_LN2, 10 * M_LN2 },
				     { 10 * M_LN2, 13 * M_LN2, 16 * M_LN2 },
				     { -8 * M_LN2, -5 * M_LN2, -2 * M_LN2 },
				     { -25 * M_LN2, -14 * M_LN2, -8 * M_LN2 } },
			 FOLLOWED(-14 * M_LN2, INFINITY) },
	[SCORIA_EXP2] = { "exp2", cook_tables, exp2,
			  .pieces = { { -2, 1, 4 }, { 4, 7, 10 }, { 10, 13, 16 }, { -8, -5, -2 },
				      { -25, -14, -8 } },
			  FOLLOWED(-14, INFINITY) },
	[SCORIA_LOG] = { "log", cook_tables, log, .gated = true,
			 .gate = { .shift = -1, .low = 0x1p-7 - 1, .high = 31 },
			 .pieces = { { 0x1p-7, 1, 32 }, { 32, 1024, 65536 },
				     { 0x1p-17, 0x1p-12, 0x1p-7 },
				     { 0x1p-24, 0x1p-20, 0x1p-17 } },
			 DOMAIN(0x1p-24, 65504) },
	[SCORIA_SQRT] = { "sqrt", cook_tables, sqrt, GATE(0, 0x1p-14),
			  .pieces = { { 0x1p-24, 0x1p-19, 0x1p-14 }, { 0x1p-14, 0x1p-9, 0x1p-4 },
				      { 0x1p-4, 2, 64 }, { 64, 2048, 65536 } },
			  DOMAIN(0, 65504) },
	[SCORIA_RSQRT] = { "rsqrt", cook_rsqrt, sqrt, GATE(0, 0x1p-14),
			   .pieces = { { 0x1p-24, 0x1p-19, 0x1p-14 }, { 0x1p-14, 0x1p-9, 0x1p-4 },
				       { 0x1p-4, 2, 64 }, { 64, 2048, 65536 } },
			   DOMAIN(0, 65504) },
	[SCORIA_RECIPROCAL] = { "reciprocal", cook_reciprocal, EXACT },
	[SCORIA_SIN] = { "sin", cook_sin, sin, .even = true, GATE(-INFINITY, INFINITY),
			 .pieces = { { 0, M_PI_2, M_PI } },
			 .info = { .lo = -4096, .hi = 4096, .range = 2,
				   .outside = SCORIA_OUTSIDE_BOUNDED } },
	[SCORIA_COS] = { "cos", cook_cos, sin, .even = true, GATE(-INFINITY, INFINITY),
			 .pieces = { { 0, M_PI_2, M_PI } },
			 .info = { .lo = -4096, .hi = 4096, .range = 2,
				   .outside = SCORIA_OUTSIDE_BOUNDED } },
	[SCORIA_TAN] = { "tan", cook_tables, tan, .even = true, GATE(-1.5, 1.5),
			 .pieces = { { 0, 1, 1.5 } }, DOMAIN(-1.5, 1.5) },
	/* from 3/4 on the entries are as near as fp16 numbers */
	[SCORIA_ASIN] = { "asin", cook_tables, asin, .even = true, GATE(-1, 1),
			  .pieces = { { 0, 0.75, 1 } }, BOUNDED(-1, 1, M_PI) },
	[SCORIA_ACOS] = { "acos", cook_acos, asin, .even = true, GATE(-1, 1),
			  .pieces = { { 0, 0.75, 1 } }, BOUNDED(-1, 1, M_PI) },
	/* gates that stop growing where the tables meet */
	[SCORIA_ATAN] = { "atan", cook_tables, atan, .even = true, GATE(-8, 8),
			  .pieces = { { 0, 8, 1032 } }, BOUNDED(-INFINITY, INFINITY, M_PI) },
	[SCORIA_SINH] = { "sinh", cook_tables, sinh, .even = true, GATE(-11.8, 11.8),
			  .pieces = { { 0, 2.5, 5.3 }, { 5.3, 7, 8.7 }, { 8.7, 10, 11.8 } },
			  DOMAIN(-INFINITY, INFINITY) },
	[SCORIA_COSH] = { "cosh", cook_tables, cosh, .even = true,
			  .pieces = { { 0, 2.5, 4.8 }, { 4.8, 6.5, 8.4 }, { 8.4, 10, 11.8 } },
			  DOMAIN(-INFINITY, INFINITY) },
	[SCORIA_ASINH] = { "asinh", cook_tables, asinh, .even = true, GATE(-4, 4),
			   .pieces = { { 0, 4, 128 }, { 128, 2048, 65536 } },
			   DOMAIN(-65504, 65504) },
	[SCORIA_ACOSH] = { "acosh", cook_tables, acosh, .gated = true,
			   .gate = { .shift = -1, .low = 0, .high = 0.5 },
			   .pieces = { { 1, 1.5, 33 }, { 33, 1024, 65536 } }, DOMAIN(1, 65504) },
	[SCORIA_ATANH] = { "atanh", cook_tables, atanh_inside, .even = true,
			   GATE(0x1p-11 - 1, 1 - 0x1p-11), .pieces = { { 0, 0.75, 1 } },
			   DOMAIN(0x1p-11 - 1, 1 - 0x1p-11) },
};

const struct activation *activation_find(enum scoria_activation function)
{
	if ((size_t)function >= sizeof(activations) / sizeof(activations[0]) ||
	    !activations[function].name)
		return NULL;
	return &activations[function];
}
