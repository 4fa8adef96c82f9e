/* SPDX-License-Identifier: MIT */
/* What follows the sums of a contraction: checked, and told to the DPU's stages. */
#ifndef SCORIA_FUSION_INTERNAL_H
#define SCORIA_FUSION_INTERNAL_H

#include <scoria/fusion.h>
#include <scoria/conv2d.h>

#include "activation.h"
#include "layer.h"

/* Integer slopes have this many fractional bits (see the public fusion.h). */
#define ENDING_SLOPE_BITS 14

/* Where a part of what follows the sums runs. */
enum place {
	PLACE_TASK,	/* in the task of the contraction */
	PLACE_PASS,	/* in a pass of its own over the results */
	PLACE_CPU,	/* the CPU does it while it adds or unpacks the sums */
};

/**
 * struct fusion - the options, checked, and where each part of them runs
 * @factors:  fp16, of every output channel, or NULL
 * @function: an activation other than relu, relu6 and relux, or NULL
 * @act:      its options
 * @slopes:   fp16 or int16, of every output channel, or NULL
 * @operand: @operand_last: @operand_scale: @operand_zp: as in struct scoria_fusion
 * @operand_place: @function_place: of what there is
 * @lut:      of a function in the task that needs a table
 */
struct fusion {
	uint16_t *factors;
	const struct activation *function;
	struct scoria_activation_opts act;
	uint16_t *slopes;
	enum scoria_operand operand;
	bool operand_last;
	double operand_scale;
	int32_t operand_zp;
	enum place operand_place;
	enum place function_place;
	struct lut *lut;
};

/**
 * struct ending - all that follows the sums
 * @what:  operation, for messages
 * @out:   of the results
 * @channels: of the output
 * @bias:  a vector is added
 * @alpha: factor of float sums
 * @relu: @relu_max: 0 for no limit
 * @requant: of every channel, NULL where nothing is requantised
 * @one_shift: their shifts are equal
 * @by_channel: they differ, so that BN has to multiply
 * @zero_point: of the output, as the NPU stores it
 */
struct ending {
	const char *what;
	enum scoria_type out;
	size_t channels;
	bool bias;
	double alpha;
	bool relu;
	double relu_max;
	const struct scoria_requant *requant;
	bool one_shift;
	bool by_channel;
	int32_t zero_point;
	struct fusion fusion;
};

/*
 * Check @opts, which may be NULL, and copy them to @ending->fusion; a ReLU goes to
 * @ending. What else @ending has must be set, the multipliers excepted.
 */
int fusion_create(struct ending *ending, const struct scoria_fusion *opts);
void fusion_destroy(struct fusion *fusion);

/* Something follows that is best in the task: sums are kept together for it. */
static inline bool fusion_is_any(const struct fusion *fusion)
{
	return fusion->factors || fusion->function || fusion->operand;
}

/* -EINVAL when @operand is there and not wanted, or wanted and NULL. */
int fusion_check_operand(const struct ending *ending, const void *operand);

/* What the multipliers of the contraction have to include; @opts may be NULL. */
double fusion_scale(const struct scoria_fusion *opts);

/*
 * The stages of the DPU have no room for what follows the sums of @layer, of which only the
 * axes have to be set. The multipliers of @ending are.
 */
bool ending_needs_cpu(const struct layer *layer, const struct ending *ending);

/*
 * Decide what runs in the task of a contraction, of which @layer has the format, and
 * write BS, BN, EW and the output converter.
 */
int ending_describe(struct layer *layer, struct ending *ending);

/* The CPU finishes the sums: it does what is left but tables, and what follows those. */
void ending_leave_to_cpu(struct ending *ending);

/* The activation is leaky_relu or prelu, of which no result needs a table. */
bool ending_leaks(const struct ending *ending);

/* k of the public fusion.h for a channel with @shift. */
uint32_t ending_guard_bits(const struct ending *ending, uint32_t shift);

/* What stands in the area "scales" for output channel @channel. */
uint16_t ending_multiplier(const struct ending *ending, size_t channel);

#endif
