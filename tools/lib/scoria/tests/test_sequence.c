// SPDX-License-Identifier: MIT
/*
 * Operations on tensors in the NPU's layout: the same results as one by one, without
 * packing in between.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/random.h"
#include "shape.h"

static struct random random_data = { 9 };

static void *get_random(enum scoria_type type, size_t n)
{
	void *data = malloc(n * scoria_type_size(type));

	random_fill(&random_data, type, data, n);
	return data;
}

static void must(int err)
{
	if (!err)
		return;
	printf("Bail out! %s\n", scoria_error());
	exit(1);
}

static struct scoria_tensor *tensor(struct scoria_device *dev, enum scoria_type type, size_t batch,
				    size_t c, size_t h, size_t w)
{
	const struct scoria_tensor_opts o = { .size = sizeof(o), .type = type, .batch = batch,
					      .c = c, .h = h, .w = w };
	struct scoria_tensor *t;

	must(scoria_tensor_create(dev, &o, &t));
	return t;
}

static struct scoria_conv2d_opts conv(enum scoria_type type, size_t ic, size_t oc)
{
	struct scoria_conv2d_opts o = {
		.size = sizeof(o), .type = type, .out = type, .batch = 2, .ic = ic, .oc = oc,
		.h = 24, .w = 20, .kh = 3, .kw = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1,
		.pad_right = 1, .relu = 1,
	};

	if (type != SCORIA_FP16) {
		o.scale = 0.002;
		o.input_zp = 7;
		o.weight_zp = -3;
		o.output_zp = 5;
	}
	if (type == SCORIA_UINT8)
		o.weight_zp = 130;
	return o;
}

/* A convolution with its plan, its weights and the weights as they came. */
struct layer {
	struct scoria_conv2d_opts o;
	struct scoria_conv2d_plan *plan;
	struct scoria_conv2d_weights *packed;
	void *weights;
};

static struct layer layer(struct scoria_device *dev, struct scoria_conv2d_opts o)
{
	struct layer l = { .o = o };

	l.weights = get_random(o.type, o.oc * (o.ic / (o.groups ? o.groups : 1)) * o.kh * o.kw);
	must(scoria_conv2d_plan_create(dev, &o, &l.plan));
	must(scoria_conv2d_weights_create(l.plan, l.weights, NULL, &l.packed));
	return l;
}

static void drop(struct layer *l)
{
	scoria_conv2d_weights_destroy(l->packed);
	scoria_conv2d_plan_destroy(l->plan);
	free(l->weights);
}

/* Others do not count bytes, and keep buffers that are in use. */
static bool is_model(const struct scoria_device *dev)
{
	return !strcmp(scoria_device_name(dev), "model");
}

static struct scoria_device_stats stats_of(struct scoria_device *dev)
{
	struct scoria_device_stats stats = { .size = sizeof(stats) };

	scoria_device_stats(dev, &stats);
	return stats;
}

/* Elements of the images that all layers here have. */
static size_t elements(size_t c)
{
	return 2 * c * 24 * 20;
}

/* conv -> conv -> add of the first result -> max pooling, channels that fill no unit. */
static void chain_of_four(enum scoria_layout layout)
{
	struct scoria_device *dev = shape_device();
	const struct scoria_eltwise_opts add = { .size = sizeof(add), .op = SCORIA_ADD,
						 .type = SCORIA_FP16, .n = elements(21) };
	const struct scoria_pool_opts max = { .size = sizeof(max), .type = SCORIA_FP16,
					      .method = SCORIA_POOL_MAX, .layout = layout,
					      .batch = 2, .c = 21, .h = 24, .w = 20, .kh = 3,
					      .kw = 3, .stride_y = 2, .stride_x = 2, .pad_top = 1,
					      .pad_left = 1 };
	struct scoria_conv2d_opts o1 = conv(SCORIA_FP16, 5, 21), o2 = conv(SCORIA_FP16, 21, 21);
	struct scoria_tensor *t[5];
	struct scoria_eltwise_plan *sum;
	struct scoria_sequence *seq;
	struct scoria_pool_plan *pool;
	struct scoria_device_stats before, after;
	struct scoria_plan_info info = { .size = sizeof(info) };
	struct layer one, two;
	size_t oh, ow, results, i;
	uint16_t *in = get_random(SCORIA_FP16, elements(5)), *a, *b, *want, *got;

	o1.layout = o2.layout = layout;
	one = layer(dev, o1);
	two = layer(dev, o2);
	must(scoria_eltwise_plan_create(dev, &add, &sum));
	must(scoria_pool_plan_create(dev, &max, &pool));
	must(scoria_pool_output(&max, &oh, &ow));
	results = 2 * 21 * oh * ow;
	a = calloc(elements(21), 2);
	b = calloc(elements(21), 2);
	want = calloc(results, 2);
	got = calloc(results, 2);
	must(scoria_conv2d_run(one.plan, one.packed, in, a));
	must(scoria_conv2d_run(two.plan, two.packed, a, b));
	must(scoria_eltwise_run(sum, a, b, NULL, b));
	must(scoria_pool_run(pool, b, want));

	t[0] = tensor(dev, SCORIA_FP16, 2, 5, 24, 20);
	for (i = 1; i < 4; i++)
		t[i] = tensor(dev, SCORIA_FP16, 2, 21, 24, 20);
	t[4] = tensor(dev, SCORIA_FP16, 2, 21, oh, ow);
	must(scoria_sequence_create(dev, &seq));
	must(scoria_sequence_add_conv2d(seq, one.plan, one.packed, t[0], NULL, t[1]));
	must(scoria_sequence_add_conv2d(seq, two.plan, two.packed, t[1], NULL, t[2]));
	must(scoria_sequence_add_eltwise(seq, sum, t[1], t[2], t[3]));
	must(scoria_sequence_add_pool(seq, pool, t[3], t[4]));
	must(scoria_tensor_pack(t[0], layout, in));
	before = stats_of(dev);
	must(scoria_sequence_run(seq));
	after = stats_of(dev);
	must(scoria_tensor_unpack(t[4], layout, got));
	EXPECT_EQ(0, memcmp(want, got, 2 * results));

	/* what ran is what was added, and every byte that was written is a tensor's */
	must(scoria_sequence_info(seq, &info));
	EXPECT_EQ(info.tasks, after.tasks - before.tasks);
	EXPECT_EQ(info.jobs, after.jobs - before.jobs);
	EXPECT_EQ(0, info.output_bytes);
	if (is_model(dev))
		EXPECT_EQ(2 * (2 * 4 * 24 * 20 * 16 + 4 * 24 * 20 * 16 + 4 * oh * ow * 16),
			  after.bytes_written - before.bytes_written);

	/* again, with the tensors full of what was there */
	memset(got, 0, 2 * results);
	must(scoria_sequence_run(seq));
	must(scoria_tensor_unpack(t[4], layout, got));
	EXPECT_EQ(0, memcmp(want, got, 2 * results));
	EXPECT_EQ(0, shape_reports());
	scoria_sequence_destroy(seq);
	for (i = 0; i < 5; i++)
		scoria_tensor_destroy(t[i]);
	scoria_pool_plan_destroy(pool);
	scoria_eltwise_plan_destroy(sum);
	drop(&one);
	drop(&two);
	free(in);
	free(a);
	free(b);
	free(want);
	free(got);
	scoria_device_close(dev);
}

TEST(convolutions_a_sum_and_pooling_without_packing_in_between)
{
	chain_of_four(SCORIA_NCHW);
	chain_of_four(SCORIA_NHWC);
}

/* Two layers, one after the other and in a sequence; the second may have an operand. */
static void expect_chained(struct scoria_conv2d_opts o1, struct scoria_conv2d_opts o2)
{
	struct scoria_device *dev = shape_device();
	bool operand = o2.fuse && o2.fuse->operand;
	struct layer one = layer(dev, o1), two = layer(dev, o2);
	size_t size = scoria_type_size(o2.out);
	uint8_t *in = get_random(o1.type, elements(o1.ic));
	uint8_t *mid = calloc(elements(o1.oc), scoria_type_size(o1.out));
	uint8_t *want = calloc(elements(o2.oc), size);
	uint8_t *got = calloc(elements(o2.oc), size), *e = get_random(o2.out, elements(o2.oc));
	struct scoria_tensor *a = tensor(dev, o1.type, 2, o1.ic, 24, 20);
	struct scoria_tensor *b = tensor(dev, o1.out, 2, o1.oc, 24, 20);
	struct scoria_tensor *c = tensor(dev, o2.out, 2, o2.oc, 24, 20);
	struct scoria_tensor *r = tensor(dev, o2.out, 2, o2.oc, 24, 20);
	struct scoria_sequence *seq;

	must(scoria_conv2d_run(one.plan, one.packed, in, mid));
	must(scoria_conv2d_run_fused(two.plan, two.packed, mid, operand ? e : NULL, want));
	must(scoria_sequence_create(dev, &seq));
	must(scoria_sequence_add_conv2d(seq, one.plan, one.packed, a, NULL, b));
	must(scoria_sequence_add_conv2d(seq, two.plan, two.packed, b, operand ? r : NULL, c));
	must(scoria_tensor_pack(a, o1.layout, in));
	must(scoria_tensor_pack(r, o2.layout, e));
	must(scoria_sequence_run(seq));
	must(scoria_tensor_unpack(c, o2.layout, got));
	EXPECT_EQ(0, memcmp(want, got, elements(o2.oc) * size));
	EXPECT_EQ(0, shape_reports());
	scoria_sequence_destroy(seq);
	scoria_tensor_destroy(a);
	scoria_tensor_destroy(b);
	scoria_tensor_destroy(c);
	scoria_tensor_destroy(r);
	drop(&one);
	drop(&two);
	free(in);
	free(mid);
	free(want);
	free(got);
	free(e);
	scoria_device_close(dev);
}

TEST(quantised_layers_depthwise_and_in_groups)
{
	static const enum scoria_type types[] = { SCORIA_FP16, SCORIA_INT8, SCORIA_UINT8 };
	struct scoria_conv2d_opts o1, o2;
	size_t i;

	for (i = 0; i < 3; i++) {
		o1 = conv(types[i], 9, 70);
		o2 = conv(types[i], 70, 70);
		o2.groups = 70;
		expect_chained(o1, o2);
		expect_chained(conv(types[i], 33, 64), conv(types[i], 64, 3));
		o1 = conv(types[i], 3, 64);
		o2 = conv(types[i], 64, 64);
		o2.groups = 2;
		expect_chained(o1, o2);
	}
}

/* As direct convolutions over 32 channels each: the array's own mode gives no int32. */
TEST(depthwise_layers_that_the_array_has_no_mode_for)
{
	static const enum scoria_type types[] = { SCORIA_INT8, SCORIA_UINT8 };
	const struct scoria_fusion fuse = { .size = sizeof(fuse), .operand = SCORIA_OPERAND_ADD,
					    .operand_scale = 0.3, .operand_zp = 4 };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct scoria_conv2d_opts o1 = conv(types[i], 9, 70), o2 = conv(types[i], 70, 70);

		o2.groups = 70;
		o2.fuse = &fuse;
		expect_chained(o1, o2);
		o2.fuse = NULL;
		o2.out = SCORIA_INT32;
		o2.output_zp = 0;
		expect_chained(o1, o2);
	}
}

TEST(operands_and_functions_in_a_sequence)
{
	struct scoria_fusion fuse = { .size = sizeof(fuse) };
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, 20, 30);

	fuse.operand = SCORIA_OPERAND_ADD;
	o.fuse = &fuse;
	expect_chained(conv(SCORIA_FP16, 4, 20), o);
	o.relu = 0;
	fuse.activation = SCORIA_TANH;
	expect_chained(conv(SCORIA_FP16, 4, 20), o);
	fuse.operand_last = 1;
	expect_chained(conv(SCORIA_FP16, 4, 20), o);
	fuse.operand = SCORIA_OPERAND_NONE;
	fuse.activation = SCORIA_SIGMOID;
	expect_chained(conv(SCORIA_FP16, 4, 20), o);
	o = conv(SCORIA_INT8, 20, 30);
	fuse = (struct scoria_fusion){ .size = sizeof(fuse), .operand = SCORIA_OPERAND_ADD,
				       .operand_scale = 0.3, .operand_zp = 4 };
	o.fuse = &fuse;
	expect_chained(conv(SCORIA_INT8, 4, 20), o);
}

/* The second has four bytes a result. */
static void products(const struct scoria_matmul_opts *o1, const struct scoria_matmul_opts *o2)
{
	const enum scoria_type type = o1->type;
	const size_t size = scoria_type_size(type);
	struct scoria_device *dev = shape_device();
	struct scoria_tensor *a = tensor(dev, type, 3, 50, 37, 1);
	struct scoria_tensor *b = tensor(dev, type, 3, 90, 37, 1);
	struct scoria_tensor *c = tensor(dev, o2->out, 3, 19, 37, 1);
	uint8_t *in = get_random(type, 3 * 37 * 50), *mid = calloc(3 * 37 * 90, size);
	uint8_t *w1 = get_random(type, 3 * 50 * 90), *w2 = get_random(type, 90 * 19);
	uint32_t *want = calloc(3 * 37 * 19, 4), *got = calloc(3 * 37 * 19, 4);
	struct scoria_matmul_weights *p1, *p2;
	struct scoria_matmul_plan *one, *two;
	struct scoria_sequence *seq;

	must(scoria_matmul_plan_create(dev, o1, &one));
	must(scoria_matmul_plan_create(dev, o2, &two));
	must(scoria_matmul_weights_create(one, w1, &p1));
	must(scoria_matmul_weights_create(two, w2, &p2));
	must(scoria_matmul_run(one, p1, in, mid));
	must(scoria_matmul_run(two, p2, mid, want));
	must(scoria_sequence_create(dev, &seq));
	must(scoria_sequence_add_matmul(seq, one, p1, a, NULL, b));
	must(scoria_sequence_add_matmul(seq, two, p2, b, NULL, c));
	/* rows of a matrix are those of an image whose channels come last */
	must(scoria_tensor_pack(a, SCORIA_NHWC, in));
	must(scoria_sequence_run(seq));
	must(scoria_tensor_unpack(c, SCORIA_NHWC, got));
	EXPECT_EQ(0, memcmp(want, got, 3 * 37 * 19 * 4));
	scoria_sequence_destroy(seq);
	scoria_matmul_weights_destroy(p1);
	scoria_matmul_weights_destroy(p2);
	scoria_matmul_plan_destroy(one);
	scoria_matmul_plan_destroy(two);
	scoria_tensor_destroy(a);
	scoria_tensor_destroy(b);
	scoria_tensor_destroy(c);
	free(in);
	free(mid);
	free(w1);
	free(w2);
	free(want);
	free(got);
	scoria_device_close(dev);
}

TEST(products_follow_each_other)
{
	struct scoria_matmul_opts o1 = { .size = sizeof(o1), .type = SCORIA_FP16,
					 .out = SCORIA_FP16, .m = 37, .k = 50, .n = 90,
					 .batch = 3 };
	struct scoria_matmul_opts o2 = { .size = sizeof(o2), .type = SCORIA_FP16,
					 .out = SCORIA_FP32, .m = 37, .k = 90, .n = 19,
					 .batch = 3, .b_shared = 1 };

	products(&o1, &o2);
	o1.type = o1.out = o2.type = SCORIA_UINT8;
	o2.out = SCORIA_INT32;
	o1.scale = 0.001;
	o1.a_zp = 3;
	o1.output_zp = o2.a_zp = 100;
	o1.b_zp = o2.b_zp = 131;
	products(&o1, &o2);
}

/* A sequence of one convolution from @in to @out. */
static struct scoria_sequence *one_layer(struct scoria_device *dev, const struct layer *l,
					 struct scoria_tensor *in, struct scoria_tensor *out)
{
	struct scoria_sequence *seq;

	must(scoria_sequence_create(dev, &seq));
	must(scoria_sequence_add_conv2d(seq, l->plan, l->packed, in, NULL, out));
	return seq;
}

TEST(runs_that_are_not_waited_for_at_once)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, 16, 40);
	uint16_t *in = get_random(SCORIA_FP16, elements(16)), *got = calloc(elements(40), 2);
	uint16_t *want[3];
	struct scoria_tensor *a = tensor(dev, SCORIA_FP16, 2, 16, 24, 20), *b[3];
	struct scoria_sequence *seq[3];
	struct scoria_fence *fence[3];
	struct layer l[3];
	int i;

	must(scoria_tensor_pack(a, SCORIA_NCHW, in));
	for (i = 0; i < 3; i++) {
		l[i] = layer(dev, o);
		want[i] = calloc(elements(40), 2);
		must(scoria_conv2d_run(l[i].plan, l[i].packed, in, want[i]));
		b[i] = tensor(dev, SCORIA_FP16, 2, 40, 24, 20);
		seq[i] = one_layer(dev, &l[i], a, b[i]);
	}
	for (i = 0; i < 3; i++)
		must(scoria_sequence_run_async(seq[i], &fence[i]));
	for (i = 2; i >= 0; i--) {
		int err = scoria_fence_wait(fence[i], 0);

		EXPECT(err == 0 || err == -EBUSY);
		EXPECT_EQ(0, scoria_fence_wait(fence[i], -1));
		EXPECT_EQ(0, scoria_fence_wait(fence[i], 0));
		must(scoria_tensor_unpack(b[i], SCORIA_NCHW, got));
		EXPECT_EQ(0, memcmp(want[i], got, elements(40) * 2));
	}
	for (i = 0; i < 3; i++) {
		scoria_fence_destroy(fence[i]);
		scoria_sequence_destroy(seq[i]);
		scoria_tensor_destroy(b[i]);
		free(want[i]);
		drop(&l[i]);
	}
	scoria_tensor_destroy(a);
	free(in);
	free(got);
	scoria_device_close(dev);
}

#define THREADS 4

/* Sequences of one thread, on a device that all share. */
struct worker {
	struct scoria_device *dev;
	uint64_t seed;
	bool right;
};

static void *run_sequences(void *ctx)
{
	struct worker *worker = ctx;
	struct random random = { worker->seed };
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, 8, 24);
	struct scoria_tensor *a = tensor(worker->dev, SCORIA_FP16, 2, 8, 24, 20);
	struct scoria_tensor *b = tensor(worker->dev, SCORIA_FP16, 2, 24, 24, 20);
	uint16_t *in = malloc(elements(8) * 2), *want = calloc(elements(24), 2);
	uint16_t *got = calloc(elements(24), 2);
	struct scoria_sequence *seq;
	struct scoria_fence *fence;
	struct layer l = { .o = o, .weights = malloc(24 * 8 * 9 * 2) };
	int i;

	random_fill(&random, SCORIA_FP16, l.weights, 24 * 8 * 9);
	must(scoria_conv2d_plan_create(worker->dev, &o, &l.plan));
	must(scoria_conv2d_weights_create(l.plan, l.weights, NULL, &l.packed));
	seq = one_layer(worker->dev, &l, a, b);
	worker->right = true;
	for (i = 0; i < 5 && worker->right; i++) {
		random_fill(&random, SCORIA_FP16, in, elements(8));
		must(scoria_conv2d_run(l.plan, l.packed, in, want));
		must(scoria_tensor_pack(a, SCORIA_NCHW, in));
		must(scoria_sequence_run_async(seq, &fence));
		must(scoria_fence_wait(fence, -1));
		must(scoria_tensor_unpack(b, SCORIA_NCHW, got));
		worker->right = !memcmp(want, got, elements(24) * 2);
		scoria_fence_destroy(fence);
	}
	scoria_sequence_destroy(seq);
	scoria_tensor_destroy(a);
	scoria_tensor_destroy(b);
	drop(&l);
	free(in);
	free(want);
	free(got);
	return NULL;
}

TEST(threads_that_share_a_device_run_sequences_at_once)
{
	struct scoria_device *dev = shape_device();
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .dev = dev, .seed = 40 + i };
		ASSERT(!pthread_create(&threads[i], NULL, run_sequences, &workers[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT(workers[i].right);
	}
	scoria_device_close(dev);
}

/* The failure of a job reaches who waits for it, again and again; then all is well. */
TEST(a_failure_is_told_by_the_fence)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, 16, 40);
	struct layer l = layer(dev, o);
	struct scoria_tensor *a = tensor(dev, SCORIA_FP16, 2, 16, 24, 20);
	struct scoria_tensor *b = tensor(dev, SCORIA_FP16, 2, 40, 24, 20);
	struct scoria_sequence *seq = one_layer(dev, &l, a, b);
	struct scoria_fence *fence;

	/* its input is gone, against the rules: the NPU reads where nothing answers */
	scoria_tensor_destroy(a);
	if (is_model(dev)) {
		must(scoria_sequence_run_async(seq, &fence));
		EXPECT_EQ(-EFAULT, scoria_fence_wait(fence, -1));
		EXPECT_EQ(-EFAULT, scoria_fence_wait(fence, -1));
		EXPECT(strstr(scoria_error(), "bus access failed"));
		scoria_fence_destroy(fence);
	}
	scoria_sequence_destroy(seq);
	a = tensor(dev, SCORIA_FP16, 2, 16, 24, 20);
	seq = one_layer(dev, &l, a, b);
	must(scoria_sequence_run_async(seq, &fence));
	scoria_fence_destroy(fence);
	shape_reports();
	scoria_sequence_destroy(seq);
	scoria_tensor_destroy(a);
	scoria_tensor_destroy(b);
	drop(&l);
	scoria_device_close(dev);
}

TEST(tensors_keep_what_is_packed)
{
	static const enum scoria_type types[] = { SCORIA_FP16, SCORIA_FP32, SCORIA_INT8,
						  SCORIA_UINT8, SCORIA_INT32, SCORIA_BF16 };
	struct scoria_device *dev = shape_device();
	size_t i, c;

	for (i = 0; i < 6; i++)
		for (c = 1; c < 40; c += 7) {
			size_t bytes = 2 * c * 3 * 5 * scoria_type_size(types[i]);
			uint8_t *in = malloc(bytes), *out = malloc(bytes);
			struct scoria_tensor *t = tensor(dev, types[i], 2, c, 3, 5);
			enum scoria_layout layout = c & 2 ? SCORIA_NHWC : SCORIA_NCHW;
			size_t n;

			for (n = 0; n < bytes; n++)
				in[n] = random_next(&random_data);
			must(scoria_tensor_pack(t, layout, in));
			must(scoria_tensor_unpack(t, layout, out));
			EXPECT_EQ(0, memcmp(in, out, bytes));
			scoria_tensor_destroy(t);
			free(in);
			free(out);
		}
	scoria_device_close(dev);
}

static void expect_refused(int want, const char *words, int err)
{
	EXPECT_EQ(want, err);
	if (!strstr(scoria_error(), words))
		TAP_FAIL("\"%s\" has no \"%s\"", scoria_error(), words);
}

TEST(layouts_that_do_not_agree_are_refused_with_the_reason)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(SCORIA_FP16, 6, 20);
	struct scoria_tensor *in = tensor(dev, SCORIA_FP16, 2, 6, 24, 20);
	struct scoria_tensor *out = tensor(dev, SCORIA_FP16, 2, 20, 24, 20);
	struct scoria_tensor *other = tensor(dev, SCORIA_INT8, 2, 20, 24, 20);
	struct scoria_sequence *seq;
	struct layer l = layer(dev, o), lowered, grouped;

	must(scoria_sequence_create(dev, &seq));
	expect_refused(-EINVAL, "nothing in it", scoria_sequence_run(seq));
	expect_refused(-EINVAL, "output is int8",
		       scoria_sequence_add_conv2d(seq, l.plan, l.packed, in, NULL, other));
	expect_refused(-EINVAL, "input is 2 x 20 x 24 x 20",
		       scoria_sequence_add_conv2d(seq, l.plan, l.packed, out, NULL, out));
	expect_refused(-EINVAL, "NULL",
		       scoria_sequence_add_conv2d(seq, l.plan, l.packed, NULL, NULL, out));
	expect_refused(-EINVAL, "the operand is given",
		       scoria_sequence_add_conv2d(seq, l.plan, l.packed, in, out, out));
	o.stride_x = 9;
	o.pad_right = 200;
	lowered = layer(dev, o);
	expect_refused(-EOPNOTSUPP, "gathers",
		       scoria_sequence_add_conv2d(seq, lowered.plan, lowered.packed, in, NULL,
						  out));
	o = conv(SCORIA_FP16, 6, 20);
	o.groups = 2;
	grouped = layer(dev, o);
	expect_refused(-EOPNOTSUPP, "groups of 3",
		       scoria_sequence_add_conv2d(seq, grouped.plan, grouped.packed, in, NULL,
						  out));
	expect_refused(-EINVAL, "another plan",
		       scoria_sequence_add_conv2d(seq, l.plan, grouped.packed, in, NULL, out));
	/* and after all that a good one */
	must(scoria_sequence_add_conv2d(seq, l.plan, l.packed, in, NULL, out));
	EXPECT_EQ(0, scoria_sequence_run(seq));
	scoria_sequence_destroy(seq);
	drop(&l);
	drop(&lowered);
	drop(&grouped);
	scoria_tensor_destroy(in);
	scoria_tensor_destroy(out);
	scoria_tensor_destroy(other);
	scoria_device_close(dev);
}

TEST(tensors_that_cannot_be_are_refused)
{
	struct scoria_device *dev = shape_device();
	struct scoria_tensor_opts o = { .size = sizeof(o), .type = SCORIA_INT4, .c = 1, .h = 1,
					.w = 1 };
	struct scoria_tensor *t;

	expect_refused(-EOPNOTSUPP, "int4", scoria_tensor_create(dev, &o, &t));
	o.type = 77;
	expect_refused(-EINVAL, "type = 77", scoria_tensor_create(dev, &o, &t));
	o.type = SCORIA_FP16;
	o.w = 0;
	expect_refused(-EINVAL, "w = 0", scoria_tensor_create(dev, &o, &t));
	o.w = o.h = 1 << 20;
	expect_refused(-ENOSPC, "4 GiB", scoria_tensor_create(dev, &o, &t));
	o.c = SIZE_MAX;
	expect_refused(-ENOSPC, "2^31", scoria_tensor_create(dev, &o, &t));
	scoria_device_close(dev);
}

TEST_MAIN()
