// SPDX-License-Identifier: MIT
#include "random_op.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../reference/composites.h"
#include "../../reference/reference.h"
#include "../../reference/vectors.h"
#include "random_shape.h"

/* More than any operation here has. */
#define MAX_INPUTS 4

/**
 * struct trial - an operation under way
 * @inputs: @output: its arrays
 * @text:   what it is
 */
struct trial {
	struct scoria_device *dev;
	struct random *random;
	void *inputs[MAX_INPUTS];
	void *output;
	struct compare result;
	char text[256];
};

static size_t between(struct trial *t, size_t low, size_t high)
{
	return (size_t)random_range(t->random, (int64_t)low, (int64_t)high);
}

/* Mostly small, at times beyond a unit, a task or a block of anything. */
static size_t length(struct trial *t, size_t most)
{
	return between(t, 1, between(t, 0, 3) ? 40 : most);
}

static void *fill(struct trial *t, unsigned int i, enum scoria_type type, size_t n)
{
	t->inputs[i] = malloc(n * scoria_type_size(type));
	random_fill(t->random, type, t->inputs[i], n);
	return t->inputs[i];
}

static void *make_output(struct trial *t, enum scoria_type type, size_t n)
{
	t->output = malloc(n * scoria_type_size(type));
	return t->output;
}

static enum scoria_type byte_type(struct trial *t)
{
	return between(t, 0, 1) ? SCORIA_INT8 : SCORIA_UINT8;
}

/* Zero points of 0 to 127 are values of both types. */
static void quantise(struct trial *t, struct scoria_eltwise_opts *o)
{
	o->a_scale = (double)between(t, 1, 100) / 100;
	o->b_scale = (double)between(t, 1, 100) / 100;
	o->out_scale = (double)between(t, 1, 100) / 50;
	o->a_zp = (int32_t)between(t, 0, 127);
	o->b_zp = (int32_t)between(t, 0, 127);
	o->out_zp = (int32_t)between(t, 0, 127);
}

static int eltwise(struct trial *t)
{
	struct scoria_eltwise_opts o = { .size = sizeof(o), .n = length(t, 70000), .lo = -0.3,
					 .hi = 0.4, .channels = between(t, 1, 50),
					 .inner = between(t, 1, 20) };
	void *inputs[3] = { NULL };
	int err;

	o.op = (enum scoria_eltwise_op)between(t, SCORIA_ADD, SCORIA_CLIP);
	o.type = o.op <= SCORIA_MIN && between(t, 0, 1) ? byte_type(t) : SCORIA_FP16;
	if (o.type != SCORIA_FP16 && between(t, 0, 1))
		quantise(t, &o);
	o.relu = o.op <= SCORIA_MIN && between(t, 0, 1);
	o.broadcast_a = (enum scoria_broadcast)between(t, 0, 2);
	if (scoria_eltwise_inputs(o.op) > 1)
		o.broadcast_b = (enum scoria_broadcast)between(t, 0, 2);
	if (scoria_eltwise_inputs(o.op) > 2)
		o.broadcast_c = (enum scoria_broadcast)between(t, 0, 2);
	snprintf(t->text, sizeof(t->text), "%s %s n %zu broadcasts %d %d %d channels %zu inner %zu relu %d scales %g %g %g",
		 scoria_eltwise_name(o.op), scoria_type_name(o.type), o.n, o.broadcast_a,
		 o.broadcast_b, o.broadcast_c, o.channels, o.inner, o.relu, o.a_scale, o.b_scale,
		 o.out_scale);
	for (unsigned int i = 0; i < scoria_eltwise_inputs(o.op); i++)
		inputs[i] = fill(t, i, o.type, o.n > o.channels ? o.n : o.channels);
	err = scoria_eltwise(t->dev, &o, inputs[0], inputs[1], inputs[2],
			     make_output(t, o.type, o.n));
	if (!err)
		reference_eltwise(&o, inputs[0], inputs[1], inputs[2], t->output, &t->result);
	return err;
}

static int activation(struct trial *t)
{
	struct scoria_activation_opts o = { .size = sizeof(o), .n = length(t, 70000) };
	struct scoria_activation_info info = { .size = sizeof(info) };
	void *slopes = NULL;
	int err;

	o.function = (enum scoria_activation)between(t, SCORIA_RELU, SCORIA_ATANH);
	o.alpha = o.function == SCORIA_RELUX ? 0.6 : 0;
	if (o.function == SCORIA_PRELU) {
		o.channels = between(t, 1, 30);
		slopes = fill(t, 1, SCORIA_FP16, o.channels);
	}
	snprintf(t->text, sizeof(t->text), "%s n %zu", scoria_activation_name(o.function), o.n);
	fill(t, 0, SCORIA_FP16, o.n);
	err = scoria_activation(t->dev, &o, t->inputs[0], slopes,
				make_output(t, SCORIA_FP16, o.n));
	if (err)
		return err;
	scoria_activation_describe(&o, &info);
	reference_activation(&o, &info, t->inputs[0], slopes, t->output, &t->result);
	return 0;
}

static int pool(struct trial *t)
{
	struct scoria_pool_opts o = { .size = sizeof(o), .batch = between(t, 1, 2),
				      .type = between(t, 0, 1) ? SCORIA_FP16 : byte_type(t),
				      .c = between(t, 1, 20), .h = between(t, 1, 40),
				      .w = between(t, 1, 40), .layout = between(t, 0, 1) };
	size_t oh, ow;
	int err;

	o.method = (enum scoria_pool_method)between(t, SCORIA_POOL_MAX, SCORIA_POOL_AVERAGE);
	o.kh = between(t, 1, o.h);
	o.kw = between(t, 1, o.w);
	o.stride_y = between(t, 0, 9);
	o.stride_x = between(t, 0, 9);
	o.pad_top = between(t, 0, o.kh - 1);
	o.pad_right = between(t, 0, 1) ? between(t, 0, o.kw - 1) : 0;
	o.count_include_pad = between(t, 0, 1);
	snprintf(t->text, sizeof(t->text), "pool %d %s c %zu h %zu w %zu kernel %zux%zu stride %zux%zu pad %zu %zu include %d",
		 o.method, scoria_type_name(o.type), o.c, o.h, o.w, o.kh, o.kw, o.stride_y,
		 o.stride_x, o.pad_top, o.pad_right, o.count_include_pad);
	fill(t, 0, o.type, o.batch * o.c * o.h * o.w);
	err = scoria_pool_output(&o, &oh, &ow);
	if (!err)
		err = scoria_pool(t->dev, &o, t->inputs[0],
				  make_output(t, o.type, o.batch * o.c * oh * ow));
	return err ? err : reference_pool(&o, t->inputs[0], t->output, &t->result);
}

static int reduce(struct trial *t)
{
	const bool fp16 = between(t, 0, 1);
	struct scoria_reduce_opts o = { .size = sizeof(o), .rows = between(t, 1, 20),
					.columns = length(t, 3000) };
	int err;

	o.op = (enum scoria_reduce_op)between(t, SCORIA_REDUCE_SUM, SCORIA_REDUCE_CUMSUM);
	o.type = fp16 ? SCORIA_FP16 : SCORIA_INT8;
	o.out = fp16 || o.op == SCORIA_REDUCE_MEAN ? SCORIA_FP32 : SCORIA_INT32;
	snprintf(t->text, sizeof(t->text), "reduce %d %s rows %zu columns %zu", o.op,
		 scoria_type_name(o.type), o.rows, o.columns);
	fill(t, 0, o.type, o.rows * o.columns);
	err = scoria_reduce(t->dev, &o, t->inputs[0], make_output(t, o.out, o.rows * o.columns));
	if (!err)
		reference_reduce(&o, t->inputs[0], t->output, &t->result);
	return err;
}

static int softmax(struct trial *t)
{
	struct scoria_softmax_opts o = { .size = sizeof(o), .rows = between(t, 1, 20),
					 .columns = length(t, 2000), .type = SCORIA_FP16,
					 .log = between(t, 0, 1) };
	int err;

	if (!o.log && between(t, 0, 1)) {
		o.type = byte_type(t);
		o.scale = 0.05;
	}
	snprintf(t->text, sizeof(t->text), "softmax %s log %d rows %zu columns %zu",
		 scoria_type_name(o.type), o.log, o.rows, o.columns);
	fill(t, 0, o.type, o.rows * o.columns);
	err = scoria_softmax(t->dev, &o, t->inputs[0], make_output(t, o.type, o.rows * o.columns));
	if (!err)
		reference_softmax(&o, t->inputs[0], t->output, &t->result);
	return err;
}

static int norm(struct trial *t)
{
	struct scoria_norm_opts o = { .size = sizeof(o), .rows = between(t, 1, 40),
				      .columns = length(t, 2000), .type = SCORIA_FP16,
				      .gamma = between(t, 0, 1), .beta = between(t, 0, 1) };
	void *gamma = o.gamma ? fill(t, 1, o.type, o.columns) : NULL;
	void *beta = o.beta ? fill(t, 2, o.type, o.columns) : NULL;
	int err;

	o.op = (enum scoria_norm_op)between(t, SCORIA_LAYERNORM, SCORIA_RMSNORM);
	snprintf(t->text, sizeof(t->text), "norm %d rows %zu columns %zu gamma %d beta %d", o.op,
		 o.rows, o.columns, o.gamma, o.beta);
	fill(t, 0, o.type, o.rows * o.columns);
	err = scoria_norm(t->dev, &o, t->inputs[0], gamma, beta,
			  make_output(t, o.type, o.rows * o.columns));
	if (!err)
		reference_norm(&o, t->inputs[0], gamma, beta, t->output, &t->result);
	return err;
}

static int batchnorm(struct trial *t)
{
	struct scoria_batchnorm_opts o = { .size = sizeof(o), .type = SCORIA_FP16,
					   .batch = between(t, 1, 2), .c = between(t, 1, 80),
					   .h = between(t, 1, 20), .w = between(t, 1, 20),
					   .layout = between(t, 0, 1), .relu = between(t, 0, 1) };
	const size_t n = o.batch * o.c * o.h * o.w;
	int err;

	o.mean = fill(t, 1, SCORIA_FP32, o.c);
	o.gamma = fill(t, 2, SCORIA_FP32, o.c);
	o.beta = fill(t, 3, SCORIA_FP32, o.c);
	snprintf(t->text, sizeof(t->text), "batchnorm layout %d batch %zu c %zu h %zu w %zu",
		 o.layout, o.batch, o.c, o.h, o.w);
	fill(t, 0, o.type, n);
	err = scoria_batchnorm(t->dev, &o, t->inputs[0], make_output(t, o.type, n));
	if (!err)
		reference_batchnorm(&o, t->inputs[0], t->output, &t->result);
	return err;
}

static int attention(struct trial *t)
{
	struct scoria_attention_opts o = { .size = sizeof(o), .type = SCORIA_FP16,
					   .kv_heads = between(t, 1, 2), .queries = length(t, 150),
					   .keys = length(t, 150), .dim = between(t, 1, 70),
					   .causal = between(t, 0, 1) };
	const size_t group = between(t, 1, 2), keys = o.kv_heads * o.keys;
	const size_t rows = o.kv_heads * group * o.queries;
	void *q = fill(t, 0, o.type, rows * o.dim), *k = fill(t, 1, o.type, keys * o.dim);
	void *v = fill(t, 2, o.type, keys * o.dim);
	int err;

	o.heads = o.kv_heads * group;
	snprintf(t->text, sizeof(t->text), "attention heads %zu of %zu queries %zu keys %zu dim %zu causal %d",
		 o.heads, o.kv_heads, o.queries, o.keys, o.dim, o.causal);
	err = scoria_attention(t->dev, &o, q, k, v, NULL, make_output(t, o.type, rows * o.dim));
	return err ? err : reference_attention(&o, q, k, v, NULL, t->output, &t->result);
}

static struct shape_verdict run_trial(struct scoria_device *dev, struct random *random,
				      int (*run)(struct trial *t))
{
	struct trial t = { .dev = dev, .random = random };
	struct shape_verdict verdict = { 0 };
	int err = run(&t);

	snprintf(verdict.text, sizeof(verdict.text), "%s", t.text);
	shape_judge(&verdict, err, &t.result, true);
	for (int i = 0; i < MAX_INPUTS; i++)
		free(t.inputs[i]);
	free(t.output);
	return verdict;
}

struct shape_verdict random_op(struct scoria_device *dev, struct random *random)
{
	static int (*const runs[])(struct trial *t) = {
		eltwise, activation, pool, reduce, softmax, norm, batchnorm, attention,
	};
	const size_t n = sizeof(runs) / sizeof(runs[0]), which = random_next(random) % (2 * n);
	struct scoria_matmul_opts matmul;
	struct scoria_conv2d_opts conv2d;

	if (which < n)
		return run_trial(dev, random, runs[which]);
	if (which % 4 == 0) {
		matmul = random_matmul(random);
		return shape_matmul(dev, &matmul, random);
	}
	conv2d = random_conv2d(random);
	return shape_conv2d(dev, &conv2d, random);
}
