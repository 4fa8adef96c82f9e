/* SPDX-License-Identifier: MIT */
/*
 * Pooling: the largest, the smallest or the mean value of every window.
 *
 *	input	batch x c x h x w (SCORIA_NCHW) or batch x h x w x c (SCORIA_NHWC)
 *	output	batch x c x oh x ow or batch x oh x ow x c, of the input's type
 *
 *	oh = (h + pad_top + pad_bottom - kh) / stride_y + 1, rounded down
 *
 * and ow likewise; use scoria_pool_output(). Types: fp16, int8, uint8.
 *
 *	max, min	exact; padding is -inf for max and inf for min. What the PPU
 *			does with NaN was not tried on a board: on the model it
 *			loses against numbers, and so against the padding.
 *	average, fp16	the sum in fp32, divided and rounded to fp16
 *	average, int8 and uint8	the mean rounded to the nearest integer, ties away
 *			from zero, off by at most 1/2 + 2^-10 |mean|, and within 1 of
 *			TensorFlow Lite's reference kernels; equal to them where every
 *			window has the same divisor of at most 64
 *
 * The divisor of an average is the number of elements under the window, or, with
 * count_include_pad, kh * kw, and positions in the padding count as pad_value.
 *
 * All of it runs on the pooling block (PPU), whose kernel and stride go to 16 and
 * whose padding to 7 (programming-model G), except that
 *
 *	- averages of int8 and uint8 in which every window has the same divisor are a
 *	  depthwise convolution with ones: the MAC array sums, the output converter
 *	  divides, with 15 bits of the reciprocal. Its limits are those of conv2d.h;
 *	- larger kernels of max and min run in passes of at most 16x16, all on the
 *	  PPU. Where a stride above 16 leaves no such passes the CPU gathers the
 *	  windows while it packs the input, and it packs padding above 7;
 *	- other averages over more than 16 rows or columns would be rounded to fp16 by
 *	  every pass. They are contractions with ones instead: the MAC array sums
 *	  windows, or rows of them where they overlap, in fp32 or int32, the CPU
 *	  adds these rows and divides;
 *	- int8 goes in as fp16 and comes back as int8 on the CPU, when it packs and
 *	  unpacks: no int8 pooling was ever seen right on a board. In a sequence
 *	  (sequence.h), where the CPU has no part, max and min rely on it.
 *
 * The in-tree driver does not wait for the PPU (faults H6): what runs there is refused on
 * it with -EOPNOTSUPP.
 */
#ifndef SCORIA_POOL_H
#define SCORIA_POOL_H

#include <scoria/conv2d.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_pool_method {
	SCORIA_POOL_MAX = 1,
	SCORIA_POOL_MIN = 2,
	SCORIA_POOL_AVERAGE = 3,
};

/**
 * struct scoria_pool_opts - what to pool
 * @size:     sizeof(struct scoria_pool_opts)
 * @type:     of input and output
 * @method:   see the head of this file
 * @layout:   of input and output
 * @batch:    images
 * @c:        channels
 * @h: @w:    input size
 * @kh: @kw:  window, 0 for all of the height or width (global pooling)
 * @stride_y: @stride_x: 0 for windows that lie side by side
 * @pad_top: @pad_bottom: @pad_left: @pad_right: less than the window, so that
 *            every window has an element
 * @count_include_pad: not 0 to divide averages by kh * kw everywhere
 * @pad_value: what padding counts as then, for int8 and uint8 in general their
 *            zero point; 0 for fp16 and everything else
 */
struct scoria_pool_opts {
	size_t size;
	enum scoria_type type;
	enum scoria_pool_method method;
	enum scoria_layout layout;
	size_t batch;
	size_t c;
	size_t h;
	size_t w;
	size_t kh;
	size_t kw;
	size_t stride_y;
	size_t stride_x;
	size_t pad_top;
	size_t pad_bottom;
	size_t pad_left;
	size_t pad_right;
	int count_include_pad;
	int32_t pad_value;
};

struct scoria_pool_plan;

/* Height and width of the output. -EINVAL when the options are not valid. */
SCORIA_API int scoria_pool_output(const struct scoria_pool_opts *opts, size_t *oh, size_t *ow);

/*
 * Decide once how to pool, and take the memory for it. The plan is run any number
 * of times. Errors: see scoria.h.
 */
SCORIA_API int scoria_pool_plan_create(struct scoria_device *dev,
				       const struct scoria_pool_opts *opts,
				       struct scoria_pool_plan **plan);
SCORIA_API void scoria_pool_plan_destroy(struct scoria_pool_plan *plan);

/* What the plan will do. The caller sets @info->size. */
SCORIA_API int scoria_pool_plan_info(const struct scoria_pool_plan *plan,
				     struct scoria_plan_info *info);

/* When the device fails, part of the output may have been written. */
SCORIA_API int scoria_pool_run(struct scoria_pool_plan *plan, const void *input, void *output);

/* Plan, run and forget. */
SCORIA_API int scoria_pool(struct scoria_device *dev, const struct scoria_pool_opts *opts,
			   const void *input, void *output);

#ifdef __cplusplus
}
#endif

#endif
