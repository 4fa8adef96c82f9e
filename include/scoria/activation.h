/* SPDX-License-Identifier: MIT */
/*
 * Activations and other functions of one fp16 argument.
 *
 *	out[i] = f(in[i])	for i from 0 to n - 1
 *
 * Functions made of straight pieces and those that the divider gives run on the
 * arithmetic of the DPU; all others use its lookup tables (programming-model C9).
 * scoria_activation_describe() says for which arguments and how well. There,
 *
 *	exact		right to fp16 rounding
 *	bounded		off by at most 2^-9 of the range of results
 *	unbounded	off by at most 2^-8 of the result, or one subnormal step
 *
 * and outside that domain a function either holds the value of the nearer end
 * (log of what is not positive, for example), or goes to its limit and is off by
 * at most 2^-13. sin and cos of very large arguments are some value in [-1, 1].
 * NaN gives NaN, always. A zero may have either sign. The figures that were
 * reached are in Documentation/accel/scoria/ops-eltwise.rst.
 *
 *	relu		max(x, 0)
 *	relu6		min(max(x, 0), 6)
 *	relux		min(max(x, 0), alpha)			alpha > 0
 *	leaky_relu	x < 0 ? alpha x : x			alpha > 0, 0.01
 *	prelu		x < 0 ? slope x : x			a slope a channel
 *	hardtanh	min(max(x, lo), hi)			-1, 1
 *	hardsigmoid	min(max(x + 3, 0), 6) / 6
 *	hardswish	x hardsigmoid(x)
 *	sigmoid		1 / (1 + exp(-x))
 *	logsigmoid	log(sigmoid(x))
 *	silu		x sigmoid(x)
 *	mish		x tanh(softplus(x))
 *	gelu		x (1 + erf(x / sqrt(2))) / 2
 *	quick_gelu	x sigmoid(1.702 x)
 *	elu		x < 0 ? alpha (exp(x) - 1) : x		alpha > 0, 1
 *	celu		x < 0 ? alpha (exp(x / alpha) - 1) : x	alpha > 0, 1
 *	selu		1.0507 (x < 0 ? 1.67326 (exp(x) - 1) : x)
 *	softplus	log(1 + exp(x))
 *	softsign	x / (1 + |x|)
 *	tanh exp exp2 log sqrt rsqrt reciprocal
 *	sin cos tan asin acos atan sinh cosh asinh acosh atanh
 */
#ifndef SCORIA_ACTIVATION_H
#define SCORIA_ACTIVATION_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_activation {
	SCORIA_RELU = 1,
	SCORIA_RELU6,
	SCORIA_RELUX,
	SCORIA_LEAKY_RELU,
	SCORIA_PRELU,
	SCORIA_HARDTANH,
	SCORIA_HARDSIGMOID,
	SCORIA_HARDSWISH,
	SCORIA_SIGMOID,
	SCORIA_LOGSIGMOID,
	SCORIA_SILU,
	SCORIA_MISH,
	SCORIA_GELU,
	SCORIA_QUICK_GELU,
	SCORIA_ELU,
	SCORIA_CELU,
	SCORIA_SELU,
	SCORIA_SOFTPLUS,
	SCORIA_SOFTSIGN,
	SCORIA_TANH,
	SCORIA_EXP,
	SCORIA_EXP2,
	SCORIA_LOG,
	SCORIA_SQRT,
	SCORIA_RSQRT,
	SCORIA_RECIPROCAL,
	SCORIA_SIN,
	SCORIA_COS,
	SCORIA_TAN,
	SCORIA_ASIN,
	SCORIA_ACOS,
	SCORIA_ATAN,
	SCORIA_SINH,
	SCORIA_COSH,
	SCORIA_ASINH,
	SCORIA_ACOSH,
	SCORIA_ATANH,
};

/**
 * struct scoria_activation_opts - which function
 * @size:     sizeof(struct scoria_activation_opts)
 * @function: see the head of this file
 * @n:        elements
 * @alpha:    of relux, leaky_relu, elu and celu; 0 stands for the default
 * @lo: @hi:  of hardtanh; both 0 stand for -1 and 1
 * @channels: @inner: of prelu: element i has the slope of channel
 *            i / @inner % @channels; 0 for @inner stands for 1
 */
struct scoria_activation_opts {
	size_t size;
	enum scoria_activation function;
	size_t n;
	double alpha;
	double lo;
	double hi;
	size_t channels;
	size_t inner;
};

enum scoria_outside {
	SCORIA_OUTSIDE_HOLDS = 1,	/* the value of the nearer end */
	SCORIA_OUTSIDE_FOLLOWS = 2,	/* the function, within 2^-13 */
	SCORIA_OUTSIDE_BOUNDED = 3,	/* something in the range */
};

/**
 * struct scoria_activation_info - how good a function is
 * @size:    sizeof(struct scoria_activation_info)
 * @lo: @hi: the domain
 * @exact:   not 0 when results are right to fp16 rounding
 * @range:   of a bounded function, largest minus smallest result; else 0
 * @outside: enum scoria_outside
 */
struct scoria_activation_info {
	size_t size;
	double lo;
	double hi;
	int exact;
	double range;
	enum scoria_outside outside;
};

struct scoria_activation_plan;

/* "relu" and so on, NULL for what is not a function. The string is static. */
SCORIA_API const char *scoria_activation_name(enum scoria_activation function);

/* Fill @info, whose @size the caller sets. */
SCORIA_API int scoria_activation_describe(const struct scoria_activation_opts *opts,
					  struct scoria_activation_info *info);

/* As scoria_matmul_plan_create(). */
SCORIA_API int scoria_activation_plan_create(struct scoria_device *dev,
					     const struct scoria_activation_opts *opts,
					     struct scoria_activation_plan **plan);
SCORIA_API void scoria_activation_plan_destroy(struct scoria_activation_plan *plan);
SCORIA_API int scoria_activation_plan_info(const struct scoria_activation_plan *plan,
					   struct scoria_plan_info *info);

/* @slopes: fp16, of prelu; NULL for the others. @out may be @in. */
SCORIA_API int scoria_activation_run(struct scoria_activation_plan *plan, const void *in,
				     const void *slopes, void *out);

/* Plan, run and forget. */
SCORIA_API int scoria_activation(struct scoria_device *dev,
				 const struct scoria_activation_opts *opts, const void *in,
				 const void *slopes, void *out);

#ifdef __cplusplus
}
#endif

#endif
