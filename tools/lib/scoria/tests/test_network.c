// SPDX-License-Identifier: MIT
/*
 * A small quantised network in the manner of MobileNet v2, layer by layer: what the
 * library computes of each layer's input is within 1 of TensorFlow Lite's reference
 * kernels, and becomes the next layer's input.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/tflite.h"
#include "shape.h"

#define MAX_ELEMENTS	(48 * 48 * 64)
#define MAX_CHANNELS	160
#define CLASSES		10
#define RELU6_STEPS	255

/* Of a relu6: 0 to 6 in 255 steps. Others are symmetric, about as wide. */
#define RELU6_SCALE	(6.0 / RELU6_STEPS)
#define LINEAR_SCALE	0.05

enum kind { CONV, DEPTHWISE, ADD, AVERAGE, SOFTMAX };

/**
 * struct stage - a layer
 * @oc: @kernel: @stride: of convolutions
 * @relu6: behind it
 * @keep:  its output is added by the next ADD
 */
struct stage {
	enum kind kind;
	size_t oc;
	size_t kernel;
	size_t stride;
	bool relu6;
	bool keep;
};

static const struct stage network[] = {
	{ CONV, 16, 3, 2, true, false },
	/* a block without a residual: depthwise and narrow */
	{ DEPTHWISE, 16, 3, 1, true, false }, { CONV, 8, 1, 1, false, true },
	/* expanded six times, with one */
	{ CONV, 48, 1, 1, true, false }, { DEPTHWISE, 48, 3, 1, true, false },
	{ CONV, 8, 1, 1, false, false }, { ADD, 0, 0, 0, false, false },
	/* to half the size and more channels */
	{ CONV, 48, 1, 1, true, false }, { DEPTHWISE, 48, 3, 2, true, false },
	{ CONV, 24, 1, 1, false, true },
	{ CONV, 144, 1, 1, true, false }, { DEPTHWISE, 144, 5, 1, true, false },
	{ CONV, 24, 1, 1, false, false }, { ADD, 0, 0, 0, false, false },
	/* all of the image, then fully connected */
	{ CONV, 128, 1, 1, true, false }, { AVERAGE, 0, 0, 0, false, false },
	{ CONV, CLASSES, 1, 1, false, false }, { SOFTMAX, 0, 0, 0, false, false },
};

#define N_STAGES (sizeof(network) / sizeof(network[0]))

/* An image, height x width x channels, and what its numbers mean. */
struct image {
	size_t h;
	size_t w;
	size_t c;
	double scale;
	int32_t zero_point;
	int8_t data[MAX_ELEMENTS];
};

static struct scoria_device *dev;
static struct random numbers = { 37 };
static struct image now, kept, next;
static int8_t want[MAX_ELEMENTS], weights[MAX_ELEMENTS];
static int32_t sums[MAX_ELEMENTS], bias[MAX_CHANNELS];
static double scales[MAX_CHANNELS];

static size_t elements(const struct image *image)
{
	return image->h * image->w * image->c;
}

/* Weights in +-127 of a scale by channel that makes results about as wide as inputs. */
static void fill_weights(const struct stage *stage, size_t terms)
{
	const size_t n = stage->oc * terms;

	random_fill(&numbers, SCORIA_INT8, weights, n);
	for (size_t i = 0; i < n; i++)
		weights[i] = weights[i] == INT8_MIN ? -INT8_MAX : weights[i];
	random_fill(&numbers, SCORIA_INT32, bias, stage->oc);
	for (size_t i = 0; i < stage->oc; i++)
		scales[i] = exp2((random_next(&numbers) % 64 - 32.0) / 16) /
			    (73 * sqrt(terms) * now.scale);
}

/* Padding as TensorFlow's "same" has it. */
static void set_padding(size_t in, const struct stage *stage, size_t *before, size_t *after)
{
	const size_t out = (in + stage->stride - 1) / stage->stride;
	const size_t needed = (out - 1) * stage->stride + stage->kernel;
	const size_t all = needed > in ? needed - in : 0;

	*before = all / 2;
	*after = all - all / 2;
}

/* In @weights scales there, which become those of the requantisation. */
static struct scoria_conv2d_opts convolution(const struct stage *stage)
{
	const bool depthwise = stage->kind == DEPTHWISE;
	struct scoria_conv2d_opts o = {
		.size = sizeof(o), .type = SCORIA_INT8, .out = SCORIA_INT8, .layout = SCORIA_NHWC,
		.batch = 1, .ic = now.c, .oc = stage->oc, .h = now.h, .w = now.w,
		.kh = stage->kernel, .kw = stage->kernel, .stride_y = stage->stride,
		.stride_x = stage->stride, .groups = depthwise ? now.c : 1, .bias = 1,
		.input_zp = now.zero_point, .output_zp = next.zero_point, .scales = scales,
		.relu = stage->relu6, .relu_max = stage->relu6 ? RELU6_STEPS : 0,
	};

	fill_weights(stage, stage->kernel * stage->kernel * (depthwise ? 1 : now.c));
	for (size_t i = 0; i < stage->oc; i++)
		scales[i] *= now.scale / next.scale;
	set_padding(now.h, stage, &o.pad_top, &o.pad_bottom);
	set_padding(now.w, stage, &o.pad_left, &o.pad_right);
	return o;
}

static void convolve(const struct stage *stage)
{
	struct scoria_conv2d_opts o, of_sums;

	next.scale = stage->relu6 ? RELU6_SCALE : LINEAR_SCALE;
	next.zero_point = stage->relu6 ? INT8_MIN : 3;
	next.c = stage->oc;
	o = convolution(stage);
	EXPECT_EQ(0, scoria_conv2d_output(&o, &next.h, &next.w));
	EXPECT_EQ(0, scoria_conv2d(dev, &o, now.data, weights, bias, next.data));
	of_sums = o;
	of_sums.out = SCORIA_INT32;
	of_sums.scales = NULL;
	of_sums.output_zp = of_sums.relu = 0;
	of_sums.relu_max = 0;
	EXPECT_EQ(0, scoria_conv2d(dev, &of_sums, now.data, weights, bias, sums));
	tflite_requantise(&o, sums, want);
}

static void add(void)
{
	const struct scoria_eltwise_opts o = {
		.size = sizeof(o), .op = SCORIA_ADD, .type = SCORIA_INT8, .n = elements(&now),
		.a_scale = now.scale, .a_zp = now.zero_point, .b_scale = kept.scale,
		.b_zp = kept.zero_point, .out_scale = LINEAR_SCALE * 1.3, .out_zp = -7,
	};

	next = now;
	next.scale = o.out_scale;
	next.zero_point = o.out_zp;
	EXPECT_EQ(elements(&kept), elements(&now));
	EXPECT_EQ(0, scoria_eltwise(dev, &o, now.data, kept.data, NULL, next.data));
	tflite_eltwise(&o, now.data, kept.data, want);
}

static void average(void)
{
	const struct scoria_pool_opts o = {
		.size = sizeof(o), .type = SCORIA_INT8, .method = SCORIA_POOL_AVERAGE,
		.layout = SCORIA_NHWC, .batch = 1, .c = now.c, .h = now.h, .w = now.w,
	};

	next = now;
	next.h = next.w = 1;
	EXPECT_EQ(0, scoria_pool(dev, &o, now.data, next.data));
	tflite_average_pool(&o, now.data, want);
}

static void share(void)
{
	const struct scoria_softmax_opts o = { .size = sizeof(o), .type = SCORIA_INT8, .rows = 1,
					       .columns = now.c, .scale = now.scale };

	next = now;
	EXPECT_EQ(0, scoria_softmax(dev, &o, now.data, next.data));
	tflite_softmax(&o, now.data, want);
}

static void run(const struct stage *stage)
{
	switch (stage->kind) {
	case ADD:
		add();
		break;
	case AVERAGE:
		average();
		break;
	case SOFTMAX:
		share();
		break;
	default:
		convolve(stage);
	}
}

/* A layer of constants would agree with anything. */
static void judge(size_t number)
{
	int most = 0, low = INT8_MAX, high = INT8_MIN;

	for (size_t i = 0; i < elements(&next); i++) {
		const int error = abs(next.data[i] - want[i]);

		most = error > most ? error : most;
		low = want[i] < low ? want[i] : low;
		high = want[i] > high ? want[i] : high;
	}
	if (most > 1 || high - low < 20)
		TAP_FAIL("layer %zu, %zu x %zu x %zu in %d to %d: off by %d", number, next.h,
			 next.w, next.c, low, high, most);
}

TEST(every_layer_is_within_1_of_tensorflow_lite)
{
	dev = shape_device();
	now.h = now.w = 48;
	now.c = 3;
	now.scale = 1.0 / 128;
	now.zero_point = -1;
	random_fill(&numbers, SCORIA_INT8, now.data, elements(&now));
	for (size_t i = 0; i < N_STAGES; i++) {
		run(&network[i]);
		judge(i);
		if (network[i].keep)
			kept = next;
		now = next;
	}
	EXPECT_EQ(1, now.h * now.w);
	EXPECT_EQ(CLASSES, now.c);
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST_MAIN()
