/* SPDX-License-Identifier: MIT */
/*
 * A convolution as CNA sets it up and CORE carries it out.
 */
#ifndef CONV_H
#define CONV_H

#include "npu.h"

/* CONV_MODE of CNA, DPU and DPU_RDMA */
#define CONV_DIRECT	0
#define CONV_DEPTHWISE	3

#define CONV_ARGB_LANES	4	/* lanes of a first layer's pixel in CBUF */

/**
 * struct conv - registers of CNA and CORE, decoded, and what they work on
 * @in, @proc:   NPU_PRECISION_* of the features in memory and of the array
 * @lanes:       channels in a unit (C2)
 * @units:       units in a pixel
 * @width, height: input that has data; what lies outside is padding
 * @row_width:   DATAIN_WIDTH: pixels from row to row in the address rule
 * @channels:    padded channels, a whole number of units of the type with fewer lanes
 * @out_width, out_height: output
 * @kernel_width ... @pad_left: geometry; dilations are distances of taps
 * @kernels:     kernels (output channels), or channels when @depthwise
 * @group:       kernels that the array computes at once
 * @group_channels: channels in one channel group of the weights
 * @kernel_elements: of one kernel; of one channel when @depthwise
 * @argb:        channels of an interleaved first layer (D7), else 0
 * @qd:          CORE also sums the features (C4)
 * @reuse_data, reuse_weights: take what the previous task left in CBUF
 * @data_bytes, weight_bytes: the two shares of CBUF
 * @x:           features, [height][width][channels]
 * @pad:         one pixel of padding
 * @x_sum, pad_sum: their sums over the channels
 * @w:           weights of the group at hand, [tap][channel][group];
 *               depthwise [tap][group]
 * @w_bytes:     the same as stored
 * @taps:        scratch: a pointer to the pixel under each tap, for some pixels
 */
struct conv {
	unsigned int in;
	unsigned int proc;
	unsigned int lanes;
	unsigned int units;
	unsigned int width;
	unsigned int height;
	unsigned int row_width;
	unsigned int channels;
	unsigned int out_width;
	unsigned int out_height;
	unsigned int kernel_width;
	unsigned int kernel_height;
	unsigned int stride_x;
	unsigned int stride_y;
	unsigned int dilation_x;
	unsigned int dilation_y;
	unsigned int pad_left;
	unsigned int pad_top;
	unsigned int kernels;
	unsigned int group;
	unsigned int group_channels;
	size_t kernel_elements;
	bool depthwise;
	unsigned int argb;
	bool qd;
	bool reuse_data;
	bool reuse_weights;
	size_t data_bytes;
	size_t weight_bytes;

	double *x;
	double *pad;
	double *x_sum;
	double pad_sum;
	double *w;
	uint8_t *w_bytes;
	const double **taps;
};

/* cna.c */
bool cna_begin(struct npu_core *core, struct conv *conv);
void cna_end(struct conv *conv);

/* cna_features.c */
size_t cna_row_pitch(struct npu_core *core, const struct conv *conv);
bool cna_load_features(struct npu_core *core, const struct conv *conv);
bool cna_decode_features(struct npu_core *core, struct conv *conv);
void cna_decode_padding(struct npu_core *core, struct conv *conv);

/* cna_weights.c */
bool cna_load_weights(struct npu_core *core, struct conv *conv, unsigned int g);

static inline unsigned int conv_taps(const struct conv *conv)
{
	return conv->kernel_width * conv->kernel_height;
}

/* Bytes of @n kernels. One channel of int4 depthwise weights may have half a byte. */
static inline size_t conv_weight_bytes(const struct conv *conv, size_t n)
{
	return (size_t)div_up(n * conv->kernel_elements * precision_bits(conv->proc), 8);
}

/* Kernels (depthwise: channels) that group @g really has. */
static inline unsigned int conv_group_kernels(const struct conv *conv, unsigned int g)
{
	const unsigned int first = g * conv->group;

	if (first >= conv->kernels)
		return 0;
	return conv->kernels - first < conv->group ? conv->kernels - first : conv->group;
}

/* cbuf.c */
void cbuf_store(struct npu_core *core, size_t at, const uint8_t *src, size_t len);
void cbuf_load(const struct npu_core *core, size_t at, uint8_t *dst, size_t len);

/* core.c */
void core_lint(struct npu_core *core, const struct conv *conv);
void core_accumulate(struct npu_core *core, struct conv *conv, unsigned int g,
		     uint64_t pixel, unsigned int n, double *acc, double *sum);

/* elements.c: elements of any type as doubles */
void elements_decode(unsigned int precision, const uint8_t *src, size_t first,
		     size_t n, double *dst);

/*
 * The bits of one element of a unit, zero-extended; unit_put() wants the place
 * of a 4-bit element to be zero.
 */
uint32_t unit_get(const uint8_t *unit, unsigned int bits, unsigned int lane);
void unit_put(uint8_t *unit, unsigned int bits, unsigned int lane, uint32_t value);

/*
 * mac.c: the array. For @n pixels (at most MAC_PIXELS) and a multiple of 16
 * kernels: acc[p][k] += sum of x[p][tap][c] * w[tap][c][k]. Products and sums
 * are exact for integers; for floats the sum is in double and in order.
 */
#define MAC_PIXELS 8
void mac_direct(const double *const *x, unsigned int n, size_t taps, size_t channels,
		const double *w, size_t kernels, double *acc);
void mac_depthwise(const double *const *x, unsigned int n, size_t taps,
		   const double *w, size_t group, size_t channels, double *acc);

#endif
