/* SPDX-License-Identifier: MIT */
/*
 * A convolution as a test sees it: numbers in plain arrays, their layouts in
 * memory (programming-model D), the task (H1 to H4) and the naive sum (E4).
 * Nothing here comes from the model or the library.
 */
#ifndef CONV_H
#define CONV_H

#include "rig.h"

/**
 * struct type_info - a row of programming-model A2
 * @bits:      of an element
 * @c2:        channels in a unit of 16 bytes
 * @kernels:   of a weight group
 * @channels:  of a weight group
 * @depthwise: channels of a depthwise group: documented for int8 and fp16, twice
 *             the weight group as there for int4 and int16, else 0
 * @dpu:       precision code that the DPU uses for the accumulator
 * @is_float:  accumulates in fp32
 */
struct type_info {
	unsigned int bits;
	unsigned int c2;
	unsigned int kernels;
	unsigned int channels;
	unsigned int depthwise;
	enum type dpu;
	bool is_float;
};

extern const struct type_info type_info[N_TYPES];

void type_store(enum type type, uint8_t *base, size_t index, double value);
double type_load(enum type type, const uint8_t *base, size_t index);
/* A small number that @type holds exactly; with fractions when it is a float. */
double type_random(enum type type);

/**
 * struct conv - shape and numbers; zero in @dx, @dy, @sx, @sy, @kw, @kh stands for 1
 * @in:       type of features and weights
 * @out:      type that the DPU writes
 * @pad:      number that positions outside the input count as
 * @qd_off:   leave QD_EN out
 * @oc_pad:   channels that the DPU works on
 * @x:        features, [c][h][w]
 * @k:        weights, [oc][c][kh][kw], depthwise [c][kh][kw]
 */
struct conv {
	enum type in, out;
	bool depthwise;
	unsigned int w, h, c;
	unsigned int oc, kw, kh;
	unsigned int sx, sy, dx, dy;
	unsigned int left, top, ow, oh;
	double pad;
	bool qd_off;
	unsigned int c_pad, oc_pad;
	double *x, *k;
	uint8_t *y;		/* mapped output */
	uint32_t y_bytes;
	size_t x_bytes, k_bytes;
};

/* Fill in what is derived and random numbers for @x and @k. */
void conv_init(struct conv *conv);
void conv_free(struct conv *conv);

/* Features, weights and output, mapped at AT_X, AT_W, AT_Y with nothing around. */
void conv_place(struct conv *conv, struct rig *rig);
/* Change the numbers already placed. */
void conv_store_x(const struct conv *conv, uint8_t *bytes);
void conv_store_k(const struct conv *conv, uint8_t *bytes);

/* The whole task over dense planar cubes. */
void conv_task(const struct conv *conv, struct task *t);

/* The sum of programming-model E4, exact. */
double conv_sum(const struct conv *conv, unsigned int oc, unsigned int oy, unsigned int ox);
/* The feature that tap (ky, kx) of output (oy, ox) meets, padding included. */
double conv_feature(const struct conv *conv, unsigned int c, unsigned int oy, unsigned int ox,
		    unsigned int ky, unsigned int kx);

/* Surfaces that a kernel group writes, programming-model D5. */
unsigned int conv_surfaces(const struct conv *conv);
/* The output element, dense planar. */
double conv_output(const struct conv *conv, unsigned int oc, unsigned int oy, unsigned int ox);

/* Run @t and compare every output with conv_sum(); says what differs. */
bool conv_run(struct conv *conv, struct rig *rig, const struct task *t, const char *what);
/* conv_init() to conv_free() around the whole of it, on a core of its own. */
bool conv_check(struct conv *conv, const char *what);

#endif
