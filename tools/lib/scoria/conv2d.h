/* SPDX-License-Identifier: MIT */
/* Convolution: what its checks, its description and its run share. */
#ifndef SCORIA_CONV2D_INTERNAL_H
#define SCORIA_CONV2D_INTERNAL_H

#include <scoria/conv2d.h>

#include "fusion.h"
#include "pack.h"
#include "program.h"
#include "requant.h"
#include "unpack.h"
#include "zero_points.h"

/* How the convolution is laid on the hardware. */
enum conv2d_way {
	CONV2D_DIRECT,		/* one direct convolution per group */
	CONV2D_DEPTHWISE,	/* the array's depthwise mode */
	CONV2D_DIAGONAL,	/* depthwise as direct ones over 32 channels each */
	CONV2D_LOWERED,		/* one matrix product per group */
};

/**
 * struct conv2d_shape - checked options with all defaults filled in
 * @o:    the options
 * @oh: @ow: output size
 * @icg: @ocg: channels of input and output per group
 * @multiplier: output channels per input channel of a depthwise convolution, else 0
 */
struct conv2d_shape {
	struct scoria_conv2d_opts o;
	uint32_t oh;
	uint32_t ow;
	uint32_t icg;
	uint32_t ocg;
	uint32_t multiplier;
};

/**
 * struct scoria_conv2d_plan - see conv2d.h
 * @shape:   what is computed
 * @cores:   to keep busy
 * @way:     how
 * @groups:  that the way makes
 * @channels: output channels of a group; the last may have fewer
 * @program: of all groups
 * @window:  of a lowered convolution
 * @requant:  of every output channel, NULL when nothing is requantised
 * @ending:   what follows the sums
 * @post:     passes over results that the CPU has finished
 */
struct scoria_conv2d_plan {
	struct conv2d_shape shape;
	uint32_t cores;
	enum conv2d_way way;
	uint32_t groups;
	uint32_t channels;
	struct program program;
	struct window window;
	struct scoria_requant *requant;
	struct ending ending;
	struct post post;
};

struct scoria_conv2d_weights {
	struct operands operands;
};

int conv2d_check(struct conv2d_shape *shape, const struct scoria_conv2d_opts *opts);

/* The real multipliers of requantised results. */
struct requant_scales conv2d_scales(const struct scoria_conv2d_opts *o);

/* The results are int8 or uint8. */
static inline bool conv2d_is_requantised(const struct scoria_conv2d_opts *o)
{
	return scoria_type_size(o->out) == 1;
}

static inline bool conv2d_is_float(const struct scoria_conv2d_opts *o)
{
	return o->type == SCORIA_FP16;
}

static inline struct zero_points conv2d_zero_points(const struct scoria_conv2d_opts *o)
{
	return (struct zero_points){ o->type, o->input_zp, o->weight_zp };
}

/* Output channels that group @group really has. */
static inline uint32_t conv2d_channels(const struct scoria_conv2d_plan *plan, uint32_t group)
{
	return min_u32(plan->channels, plan->shape.o.oc - group * plan->channels);
}

/* The plan of @group, whose last group can have fewer channels than the others. */
struct plan conv2d_group_plan(const struct scoria_conv2d_plan *plan, uint32_t group);

#endif
