/* SPDX-License-Identifier: MIT */
/* What follows the sums of a contraction, from fusion.h and conv2d.h. */
#ifndef REFERENCE_FUSION_H
#define REFERENCE_FUSION_H

#include <scoria/conv2d.h>

#include "compare.h"

/**
 * struct following - see above
 * @fuse:    NULL for nothing
 * @operand: NULL for none, else of the results' type and layout
 * @out:     of the results
 * @relu: @relu_max: with those that @fuse stands for
 * @requant: of every channel, or NULL
 * @output_zp: of requantised results
 */
struct following {
	const struct scoria_fusion *fuse;
	const void *operand;
	enum scoria_type out;
	bool relu;
	double relu_max;
	const struct scoria_requant *requant;
	int32_t output_zp;
};

/* @given, with the ReLU of its @fuse, if that is one. */
struct following following_init(struct following given);

/* What @o, options of a contraction, ask for. They have the same names in all of them. */
#define FOLLOWING(o, requant_, operand_)					\
	following_init((struct following){					\
		.fuse = (o)->fuse, .operand = (operand_), .out = (o)->out,	\
		.relu = (o)->relu, .relu_max = (o)->relu_max,			\
		.requant = (requant_), .output_zp = (o)->output_zp,		\
	})

/* The factor of a channel, as the hardware has it. */
double following_factor(const struct following *f, size_t channel);

/*
 * The result for @x, a sum with its bias that may be off by @error, and how far it may
 * be away. @index is the place of the result.
 */
double following_float(const struct following *f, size_t channel, size_t index, double x,
		       double error, double *tolerance);

/**
 * struct rounded - sums of floats under comparison
 * @got:   the result
 * @terms: roundings in its sum
 * @magnitude: of the sum of result @index, asked for only where it decides
 */
struct rounded {
	double got;
	double terms;
	double (*magnitude)(void *ctx, size_t index);
	void *ctx;
};

/* The same with the error of @sums, which is counted where @got is not right without it. */
double following_rounded(const struct following *f, size_t channel, size_t index, double x,
			 const struct rounded *sums, double *tolerance);

/* The same for integers, which are exact. */
double following_integer(const struct following *f, size_t channel, size_t index, double acc);

#endif
