// SPDX-License-Identifier: MIT
/* What is refused, with which errno and with which words; and that a good job still works. */
#include <errno.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

static struct scoria_device *dev;
static struct random random_data = { 3 };

static struct scoria_matmul_opts matmul(void)
{
	return (struct scoria_matmul_opts){ .size = sizeof(struct scoria_matmul_opts),
					    .type = SCORIA_INT8, .out = SCORIA_INT32, .m = 4,
					    .k = 5, .n = 6 };
}

static struct scoria_conv2d_opts conv2d(void)
{
	return (struct scoria_conv2d_opts){ .size = sizeof(struct scoria_conv2d_opts),
					    .type = SCORIA_INT8, .out = SCORIA_INT32, .batch = 1,
					    .ic = 4, .oc = 6, .h = 5, .w = 7, .kh = 3, .kw = 3 };
}

static void expect_matmul_error(int err, const char *words, struct scoria_matmul_opts o)
{
	struct scoria_matmul_plan *plan = NULL;
	struct scoria_matmul_opts good = matmul();

	EXPECT_EQ(err, scoria_matmul_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
	EXPECT_RIGHT(shape_matmul(dev, &good, &random_data));
}

static void expect_conv2d_error(int err, const char *words, struct scoria_conv2d_opts o)
{
	struct scoria_conv2d_plan *plan = NULL;
	struct scoria_conv2d_opts good = conv2d();

	EXPECT_EQ(err, scoria_conv2d_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
	EXPECT_RIGHT(shape_conv2d(dev, &good, &random_data));
}

/* The options @base with some members changed. */
#define MATMUL(...) ({ struct scoria_matmul_opts o = matmul(); __VA_ARGS__; o; })
#define CONV2D(...) ({ struct scoria_conv2d_opts o = conv2d(); __VA_ARGS__; o; })

TEST(matmul_refuses_nonsense)
{
	dev = shape_device();
	expect_matmul_error(-EINVAL, "m = 0", MATMUL(o.m = 0));
	expect_matmul_error(-EINVAL, "k = 0", MATMUL(o.k = 0));
	expect_matmul_error(-EINVAL, "n = 0", MATMUL(o.n = 0));
	expect_matmul_error(-EINVAL, "not a type", MATMUL(o.type = 77));
	expect_matmul_error(-EINVAL, "not a type", MATMUL(o.out = 0));
	expect_matmul_error(-EINVAL, "b_layout = 2", MATMUL(o.b_layout = 2));
	expect_matmul_error(-EINVAL, "lda = 4", MATMUL(o.lda = 4));
	expect_matmul_error(-EINVAL, "ldb = 5", MATMUL(o.ldb = 5));
	expect_matmul_error(-EINVAL, "ldc = 5", MATMUL(o.ldc = 5));
	expect_matmul_error(-EINVAL, "overflow", MATMUL(o.lda = SIZE_MAX / 2));
	expect_matmul_error(-EINVAL, "size of options is 7", MATMUL(o.size = 7));
	scoria_device_close(dev);
}

TEST(matmul_refuses_types_that_the_hardware_lacks)
{
	dev = shape_device();
	expect_matmul_error(-EOPNOTSUPP, "int8 to fp32", MATMUL(o.out = SCORIA_FP32));
	expect_matmul_error(-EOPNOTSUPP, "fp32 to fp32",
			    MATMUL(o.type = SCORIA_FP32, o.out = SCORIA_FP32));
	expect_matmul_error(-EOPNOTSUPP, "fp16 to int32", MATMUL(o.type = SCORIA_FP16));
	expect_matmul_error(-EOPNOTSUPP, "uint8 to int8",
			    MATMUL(o.type = SCORIA_UINT8, o.out = SCORIA_INT8));
	scoria_device_close(dev);
}

TEST(matmul_refuses_what_does_not_fit)
{
	dev = shape_device();
	expect_matmul_error(-EOVERFLOW, "k = 131072", MATMUL(o.k = 131072));
	expect_matmul_error(-ENOSPC, "2147483648", MATMUL(o.n = 1ul << 31));
	expect_matmul_error(-ENOSPC, "weights do not fit",
			    MATMUL(o.k = 100000, o.n = 100000));
	scoria_device_close(dev);
}

TEST(conv2d_refuses_nonsense)
{
	dev = shape_device();
	expect_conv2d_error(-EINVAL, "batch is 0", CONV2D(o.batch = 0));
	expect_conv2d_error(-EINVAL, "ic is 0", CONV2D(o.ic = 0));
	expect_conv2d_error(-EINVAL, "oc is 0", CONV2D(o.oc = 0));
	expect_conv2d_error(-EINVAL, "h is 0", CONV2D(o.h = 0));
	expect_conv2d_error(-EINVAL, "w is 0", CONV2D(o.w = 0));
	expect_conv2d_error(-EINVAL, "kh is 0", CONV2D(o.kh = 0));
	expect_conv2d_error(-EINVAL, "kw is 0", CONV2D(o.kw = 0));
	expect_conv2d_error(-EINVAL, "groups = 3", CONV2D(o.groups = 3));
	expect_conv2d_error(-EINVAL, "layout = 5", CONV2D(o.layout = 5));
	expect_conv2d_error(-EINVAL, "type = 99", CONV2D(o.type = 99));
	expect_conv2d_error(-EINVAL, "does not fit h = 5", CONV2D(o.kh = 6));
	expect_conv2d_error(-EINVAL, "does not fit w = 7", CONV2D(o.dilation_x = 4));
	expect_conv2d_error(-EINVAL, "w = 2147483648", CONV2D(o.w = 1ul << 31));
	expect_conv2d_error(-EINVAL, "pad_left = 2147483648", CONV2D(o.pad_left = 1ul << 31));
	expect_conv2d_error(-EINVAL, "overflows the address space",
			    CONV2D(o.w = o.h = o.ic = INT32_MAX));
	scoria_device_close(dev);
}

TEST(conv2d_refuses_bad_quantisation)
{
	dev = shape_device();
	expect_conv2d_error(-EINVAL, "input_zp = 128", CONV2D(o.input_zp = 128));
	expect_conv2d_error(-EINVAL, "weight_zp = -129", CONV2D(o.weight_zp = -129));
	expect_conv2d_error(-EINVAL, "output_zp = 1", CONV2D(o.output_zp = 1));
	expect_conv2d_error(-EINVAL, "scale = 0", CONV2D(o.out = SCORIA_INT8));
	expect_conv2d_error(-EINVAL, "scale = 32768", CONV2D(o.out = SCORIA_INT8, o.scale = 32768));
	expect_conv2d_error(-EINVAL, "input_zp = -1",
			    CONV2D(o.type = SCORIA_UINT8, o.input_zp = -1));
	expect_conv2d_error(-EINVAL, "input_zp = 1",
			    CONV2D(o.type = SCORIA_FP16, o.out = SCORIA_FP16, o.input_zp = 1));
	scoria_device_close(dev);
}

TEST(conv2d_refuses_what_the_hardware_or_memory_lacks)
{
	dev = shape_device();
	expect_conv2d_error(-EOPNOTSUPP, "int8 to uint8", CONV2D(o.out = SCORIA_UINT8));
	expect_conv2d_error(-EOPNOTSUPP, "fp32 to fp32",
			    CONV2D(o.type = SCORIA_FP32, o.out = SCORIA_FP32));
	expect_conv2d_error(-EOVERFLOW, "131076 products", CONV2D(o.ic = 14564));
	expect_conv2d_error(-ENOSPC, "weights do not fit",
			    CONV2D(o.type = SCORIA_FP16, o.out = SCORIA_FP16, o.ic = o.oc = 60000));
	expect_conv2d_error(-ENOSPC, "products a sum",
			    CONV2D(o.type = SCORIA_FP16, o.out = SCORIA_FP16, o.ic = INT32_MAX / 8,
				   o.oc = 1));
	scoria_device_close(dev);
}

TEST(options_may_be_longer_when_the_rest_is_zero)
{
	struct {
		struct scoria_matmul_opts o;
		uint64_t later;
	} longer = { .o = matmul() };
	struct scoria_matmul_plan *plan = NULL;

	dev = shape_device();
	longer.o.size = sizeof(longer);
	EXPECT_EQ(0, scoria_matmul_plan_create(dev, &longer.o, &plan));
	scoria_matmul_plan_destroy(plan);
	plan = NULL;
	longer.later = 1ull << 63;
	EXPECT_EQ(-EINVAL, scoria_matmul_plan_create(dev, &longer.o, &plan));
	EXPECT_STR("is set", scoria_error());
	EXPECT(!plan);
	EXPECT_EQ(-EINVAL, scoria_matmul_plan_create(dev, NULL, &plan));
	scoria_device_close(dev);
}

TEST(a_device_has_a_name_and_a_limit)
{
	struct scoria_device_opts opts = { .size = sizeof(opts), .memory = 1 << 20 };
	struct scoria_device_opts wrong = { .size = sizeof(wrong), .interface = 7 };
	struct scoria_matmul_opts large = MATMUL(o.m = 1000, o.n = 1000);
	struct scoria_matmul_opts good = matmul();
	struct scoria_matmul_plan *plan = NULL;
	struct scoria_device *small = NULL;

	EXPECT_EQ(-ENODEV, scoria_device_open("toaster", NULL, &small));
	EXPECT_STR("toaster", scoria_error());
	EXPECT_EQ(-ENODEV, scoria_device_open("/dev/null", NULL, &small));
	EXPECT_EQ(-ENOENT, scoria_device_open("/dev/no/such/node", NULL, &small));
	EXPECT_STR("/dev/no/such/node", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_device_open("model", &wrong, &small));
	EXPECT_STR("interface = 7", scoria_error());
	EXPECT(!small);
	ASSERT(!scoria_device_open("model", &opts, &small));
	EXPECT_EQ(0, strcmp(scoria_device_name(small), "model"));
	EXPECT_EQ(-ENOSPC, scoria_matmul_plan_create(small, &large, &plan));
	EXPECT_RIGHT(shape_matmul(small, &good, &random_data));
	scoria_device_close(small);
}

TEST(weights_run_with_their_own_plan_only)
{
	struct scoria_conv2d_opts with_bias = CONV2D(o.bias = 1);
	struct scoria_matmul_opts mm = matmul();
	struct scoria_matmul_plan *one, *other;
	struct scoria_matmul_weights *weights;
	struct scoria_conv2d_weights *packed;
	struct scoria_conv2d_plan *conv;
	int8_t data[6 * 4 * 9] = { 0 };
	int32_t c[24];

	dev = shape_device();
	ASSERT(!scoria_matmul_plan_create(dev, &mm, &one));
	ASSERT(!scoria_matmul_plan_create(dev, &mm, &other));
	ASSERT(!scoria_matmul_weights_create(one, data, &weights));
	EXPECT_EQ(-EINVAL, scoria_matmul_run(other, weights, data, c));
	EXPECT_STR("another plan", scoria_error());
	EXPECT_EQ(0, scoria_matmul_run(one, weights, data, c));
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(other);
	scoria_matmul_plan_destroy(one);
	ASSERT(!scoria_conv2d_plan_create(dev, &with_bias, &conv));
	EXPECT_EQ(-EINVAL, scoria_conv2d_weights_create(conv, data, NULL, &packed));
	EXPECT_STR("bias is NULL", scoria_error());
	scoria_conv2d_plan_destroy(conv);
	scoria_device_close(dev);
}

/* 36 products of at most 128 * 128 leave room for a bias below 2^31 - 589824. */
TEST(a_bias_that_could_overflow_is_refused)
{
	struct scoria_conv2d_opts with_bias = CONV2D(o.bias = 1);
	int32_t bias[6] = { 0 };
	int8_t weights[6 * 4 * 9];
	struct scoria_conv2d_weights *packed;
	struct scoria_conv2d_plan *conv;

	memset(weights, -128, sizeof(weights));
	dev = shape_device();
	ASSERT(!scoria_conv2d_plan_create(dev, &with_bias, &conv));
	bias[4] = INT32_MAX - 36 * 128 * 128;
	EXPECT_EQ(0, scoria_conv2d_weights_create(conv, weights, bias, &packed));
	scoria_conv2d_weights_destroy(packed);
	bias[4]++;
	EXPECT_EQ(-EOVERFLOW, scoria_conv2d_weights_create(conv, weights, bias, &packed));
	EXPECT_STR("channel 4", scoria_error());
	scoria_conv2d_plan_destroy(conv);
	scoria_device_close(dev);
}

TEST_MAIN()
