/* SPDX-License-Identifier: MIT */
/*
 * Zero points of int8 and uint8 (programming-model C4). The NPU sees uint8 as int8 minus
 * 128; padding holds the input's zero point, OW_OP takes the weights' back from every
 * product, and the rest is in the bias.
 */
#ifndef SCORIA_ZERO_POINTS_H
#define SCORIA_ZERO_POINTS_H

#include "layer.h"

#include <scoria/types.h>

/* What turns a tensor of @type into what the NPU sees, and back. */
static inline uint8_t stored_flip(enum scoria_type type)
{
	return type == SCORIA_UINT8 ? 0x80 : 0;
}

/* A zero point of a tensor of @type as the NPU sees it. */
static inline int32_t stored_zero_point(enum scoria_type type, int32_t zero_point)
{
	return type == SCORIA_UINT8 ? zero_point - 128 : zero_point;
}

/**
 * struct zero_points - of a contraction, as the caller has them
 * @type: of both tensors
 */
struct zero_points {
	enum scoria_type type;
	int32_t input;
	int32_t weight;
};

/* Neither is 0 for the NPU, so that there is something to correct. */
static inline bool zero_points_are_any(const struct zero_points *zp)
{
	return stored_zero_point(zp->type, zp->input) || stored_zero_point(zp->type, zp->weight);
}

/* Padding and OW_OP. */
void zero_points_describe(struct layer *layer, const struct zero_points *zp);

/* Of w minus the zero point of weights, and of its magnitude, over one output channel. */
struct kernel_sums {
	int64_t plain;
	int64_t magnitude;
};

static inline void kernel_sums_add(struct kernel_sums *sums, const struct zero_points *zp,
				   uint8_t raw)
{
	int32_t w = (zp->type == SCORIA_UINT8 ? raw : (int8_t)raw) - zp->weight;

	sums->plain += w;
	sums->magnitude += w < 0 ? -w : w;
}

/*
 * *@folded = @bias minus what the input's zero point adds to the sums of output channel
 * @channel. -EOVERFLOW when they could leave int32; @what: the operation.
 */
int zero_points_fold(const char *what, const struct zero_points *zp,
		     const struct kernel_sums *sums, int32_t bias, size_t channel,
		     int32_t *folded);

#endif
