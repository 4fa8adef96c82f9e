// SPDX-License-Identifier: MIT
/* The filters of the tour, one for each way in which the NPU convolves. */
#include "filter.h"

/* fp16 by its bits */
#define H_1_16	0x2c00	/* 0.0625 */
#define H_2_16	0x3000	/* 0.125 */
#define H_4_16	0x3400	/* 0.25 */

#define GAUSSIAN \
	H_1_16, H_2_16, H_1_16, \
	H_2_16, H_4_16, H_2_16, \
	H_1_16, H_2_16, H_1_16

static const uint16_t blur[] = { GAUSSIAN, GAUSSIAN, GAUSSIAN };

/*
 * Sobel's gradients of brightness, the colours weighted by 0.299, 0.587 and 0.114
 * (ITU-R BT.601) as fp16 has them: R, 2 R and so on.
 */
#define R	0x34c9
#define R2	0x38c9
#define G	0x38b2
#define G2	0x3cb2
#define B	0x2f4c
#define B2	0x334c
#define NEG	0x8000

#define SOBEL_X(w, w2)	NEG | (w), 0, w, NEG | (w2), 0, w2, NEG | (w), 0, w
#define SOBEL_Y(w, w2)	NEG | (w), NEG | (w2), NEG | (w), 0, 0, 0, w, w2, w

static const uint16_t edges[] = {
	SOBEL_X(R, R2), SOBEL_X(G, G2), SOBEL_X(B, B2),
	SOBEL_Y(R, R2), SOBEL_Y(G, G2), SOBEL_Y(B, B2),
};

/* Zero point 128: 12 times the pixel less its neighbours, which a quarter makes one. */
#define SHARPEN \
	127, 127, 127, \
	127, 140, 127, \
	127, 127, 127

static const uint8_t sharpen[] = { SHARPEN, SHARPEN, SHARPEN };

const struct filter filters[N_FILTERS] = {
	{
		.name = "blur",
		.what = "3x3 Gaussian per colour, 8 times: depthwise, fp16 -> fp16",
		.opts = { .type = SCORIA_FP16, .out = SCORIA_FP16, .oc = 3, .groups = 3 },
		.weights = blur,
		.passes = 8,
	},
	{
		.name = "edges",
		.what = "3x3 Sobel gradients of brightness: 3 -> 2 channels, fp16 -> fp32",
		.opts = { .type = SCORIA_FP16, .out = SCORIA_FP32, .oc = 2 },
		.weights = edges,
		.passes = 1,
	},
	{
		.name = "sharpen",
		.what = "3x3 sharpening per colour: depthwise, uint8 -> uint8, requantised",
		.opts = { .type = SCORIA_UINT8, .out = SCORIA_UINT8, .oc = 3, .groups = 3,
			  .weight_zp = 128, .scale = 0.25 },
		.weights = sharpen,
		.passes = 1,
	},
};
