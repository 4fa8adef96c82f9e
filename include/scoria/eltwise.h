/* SPDX-License-Identifier: MIT */
/*
 * Element-wise operations.
 *
 *	out[i] = op(a[i], b[i], c[i])	for i from 0 to n - 1
 *
 * Arrays are flat; an input may be broadcast: one value for all elements, or one
 * for each channel. They run on the DPU with its read engines, fp16 in memory and
 * fp32 inside (programming-model F4). The CPU copies to and from NPU memory and
 * repeats broadcast inputs there, since the broadcast modes of the read engine
 * were never run on a board.
 *
 *	op		out			passes	notes
 *	add sub mul	a + b, a - b, a b	1	rounded once
 *	max min		the larger, smaller	1	1
 *	div		a / b			1	rounded once on the model, 2
 *	neg abs		-a, |a|			1
 *	round		nearest, ties to even	2	3
 *	floor ceil	largest integer <= a,	4	3
 *			smallest >= a
 *	idiv		round towards 0 of a/b	6	3, 4
 *	cmplt cmpgt	a < b, a > b		2	5
 *	cmple cmpge	a <= b, a >= b		4	5
 *	cmpeq		a == b			4	5
 *	cmpneq		not (a == b)		5	5
 *	where		a is not 0 ? b : c	5	6
 *	clip		min(max(a, lo), hi)	2	7
 *
 * Overflow gives infinity, subnormals are kept, NaN stays NaN except where a note
 * says otherwise. -0 counts as 0 everywhere. fp32 results are not offered: boards
 * ran into timeouts when such vector tasks were repeated (programming-model B8).
 *
 * 1 When one operand is NaN either may come: what the hardware does was never
 *   measured. Of -0 and 0 either may come, too.
 * 2 The divider's rounding was never measured on a board, only that it agrees with
 *   a / b (programming-model C6).
 * 3 By a lookup table that holds the identity, whose index rounds; the ALU's floor
 *   and ceil are names in the TRM that nobody has tried. A zero is +0.
 * 4 Of the quotient as fp16 has it: right for all integers up to 2048; beyond,
 *   a quotient less than half an fp16 step below an integer counts as that integer.
 * 5 1 or 0. False when a or b is NaN, cmpneq true. The difference is formed, never
 *   rounded to 0; infinities of one sign, whose difference is NaN, are told from
 *   NaN by another two passes where that matters.
 * 6 NaN is not 0. The arms are selected as bytes in int8 processing, so that
 *   infinities, NaN with their payload and -0 pass unchanged. Integer
 *   multiplication in the element-wise unit was never tried on a board (K7).
 * 7 NaN stays NaN.
 *
 * A ReLU may follow add, sub, mul, max and min in the same pass: what is negative
 * becomes 0, what is above relu_max, NaN included, becomes relu_max.
 *
 * int8, uint8: add, sub, mul, max, min of quantised values, where q stands for the real
 * value scale * (q - zero_point). With m = max(a_scale, b_scale),
 *
 *	add sub max min	x = op((a - a_zp) * fa, (b - b_zp) * fb)
 *			fa = round(a_scale / m * 2^14), fb likewise
 *			scale = m / 2^14 / out_scale
 *	mul		x = (a - a_zp) * (b - b_zp)
 *			scale = a_scale * b_scale / out_scale
 *	out = saturate(round(relu(x) * M / 2^s) + out_zp), ties to even
 *
 * M and s are those of scoria_quantize_scale(scale). This is within 1 of TFLite's
 * reference. Scales of 1 and zero points of 0, which 0 stands for, are plain
 * saturating integers. int8 processing of vectors was never tried on a board alone,
 * only behind a convolution (programming-model C6, K7).
 */
#ifndef SCORIA_ELTWISE_H
#define SCORIA_ELTWISE_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_eltwise_op {
	SCORIA_ADD = 1,
	SCORIA_SUB,
	SCORIA_MUL,
	SCORIA_MAX,
	SCORIA_MIN,
	SCORIA_DIV,
	SCORIA_NEG,
	SCORIA_ABS,
	SCORIA_ROUND,
	SCORIA_FLOOR,
	SCORIA_CEIL,
	SCORIA_IDIV,
	SCORIA_CMPLT,
	SCORIA_CMPLE,
	SCORIA_CMPGT,
	SCORIA_CMPGE,
	SCORIA_CMPEQ,
	SCORIA_CMPNEQ,
	SCORIA_WHERE,
	SCORIA_CLIP,
};

enum scoria_broadcast {
	SCORIA_BROADCAST_NONE = 0,	/* n elements */
	SCORIA_BROADCAST_SCALAR = 1,	/* one */
	SCORIA_BROADCAST_CHANNEL = 2,	/* one a channel */
};

/**
 * struct scoria_eltwise_opts - which operation
 * @size:     sizeof(struct scoria_eltwise_opts)
 * @op:       see the head of this file
 * @type:     SCORIA_FP16, SCORIA_INT8 or SCORIA_UINT8, of all arrays
 * @n:        elements of the output
 * @broadcast_a: @broadcast_b: @broadcast_c: how many elements inputs have
 * @channels: @inner: of broadcast by channel: element i uses the value of channel
 *            i / @inner % @channels. Channels last have @inner 1, channels of
 *            images in planes height * width. 0 for @inner stands for 1.
 * @lo: @hi:  of clip, @lo <= @hi
 * @a_scale: @b_scale: @out_scale: of int8 and uint8, positive; 0 stands for 1. fp16 has
 *            none, whatever is here
 * @a_zp: @b_zp: @out_zp: likewise, values of the type
 * @relu:     not 0 for a ReLU behind the operation
 * @relu_max: its upper limit as a real value, such as 6; 0 for none. For int8 and
 *            uint8 the nearest number that x can have.
 */
struct scoria_eltwise_opts {
	size_t size;
	enum scoria_eltwise_op op;
	enum scoria_type type;
	size_t n;
	enum scoria_broadcast broadcast_a;
	enum scoria_broadcast broadcast_b;
	enum scoria_broadcast broadcast_c;
	size_t channels;
	size_t inner;
	double lo;
	double hi;
	double a_scale;
	double b_scale;
	double out_scale;
	int32_t a_zp;
	int32_t b_zp;
	int32_t out_zp;
	int relu;
	double relu_max;
};

struct scoria_eltwise_plan;

/* "add" and so on, NULL for what is not an operation. The string is static. */
SCORIA_API const char *scoria_eltwise_name(enum scoria_eltwise_op op);

/* How many inputs it has, 1 to 3; 0 for what is not an operation. */
SCORIA_API unsigned int scoria_eltwise_inputs(enum scoria_eltwise_op op);

/* As scoria_matmul_plan_create(). */
SCORIA_API int scoria_eltwise_plan_create(struct scoria_device *dev,
					  const struct scoria_eltwise_opts *opts,
					  struct scoria_eltwise_plan **plan);
SCORIA_API void scoria_eltwise_plan_destroy(struct scoria_eltwise_plan *plan);
SCORIA_API int scoria_eltwise_plan_info(const struct scoria_eltwise_plan *plan,
					struct scoria_plan_info *info);

/*
 * Inputs that the operation does not have are NULL. @out may be one of the inputs
 * that is not broadcast. -EINVAL: an input is missing or is one too many.
 */
SCORIA_API int scoria_eltwise_run(struct scoria_eltwise_plan *plan, const void *a, const void *b,
				  const void *c, void *out);

/* Plan, run and forget. */
SCORIA_API int scoria_eltwise(struct scoria_device *dev, const struct scoria_eltwise_opts *opts,
			      const void *a, const void *b, const void *c, void *out);

#ifdef __cplusplus
}
#endif

#endif
