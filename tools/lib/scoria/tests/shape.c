// SPDX-License-Identifier: MIT
#include "shape.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference/reference.h"

#define GUARD_BYTE 0xa5

static atomic_uint reports;

static void count_report(void *ctx, const char *text)
{
	(void)ctx;
	if (!atomic_fetch_add(&reports, 1))
		printf("# model: %s\n", text);
}

struct scoria_device *shape_device(void)
{
	return shape_device_of(0);
}

struct scoria_device *shape_device_of(unsigned int cores)
{
	const struct scoria_device_opts opts = { .size = sizeof(opts), .report = count_report,
						 .cores = cores };
	const char *name = getenv("SCORIA_DEVICE");
	struct scoria_device *dev;

	if (scoria_device_open(name ? name : "model", &opts, &dev)) {
		printf("Bail out! %s\n", scoria_error());
		exit(1);
	}
	return dev;
}

unsigned int shape_reports(void)
{
	return atomic_exchange(&reports, 0);
}

static void *get_random(struct random *random, enum scoria_type type, size_t n)
{
	void *data = malloc(n * scoria_type_size(type));

	random_fill(random, type, data, n);
	return data;
}

/* An output between guard bytes, which also fill it. */
static uint8_t *get_output(size_t bytes)
{
	uint8_t *whole = malloc(bytes + 2 * SHAPE_GUARD);

	memset(whole, GUARD_BYTE, bytes + 2 * SHAPE_GUARD);
	return whole + SHAPE_GUARD;
}

static bool untouched(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != GUARD_BYTE)
			return false;
	return true;
}

static bool guards_hold(const uint8_t *output, size_t bytes)
{
	return untouched(output - SHAPE_GUARD, SHAPE_GUARD) &&
	       untouched(output + bytes, SHAPE_GUARD);
}

void shape_judge(struct shape_verdict *verdict, int err, const struct compare *result, bool guards)
{
	char *end = verdict->text + strlen(verdict->text);
	size_t room = verdict->text + sizeof(verdict->text) - end;

	verdict->err = err;
	if (err)
		snprintf(end, room, ": %s", scoria_error());
	else if (result->bad)
		snprintf(end, room, ": %zu of %zu wrong, first at %zu: %g instead of %g",
			 result->bad, result->count, result->first_bad, result->first_got,
			 result->first_ref);
	else if (!guards)
		snprintf(end, room, ": bytes outside the result were written");
	verdict->right = !err && compare_passed(result) && guards;
}

static bool gaps_hold(const struct scoria_matmul_opts *o, const uint8_t *c)
{
	size_t size = scoria_type_size(o->out), row;

	if (!o->ldc)
		return true;
	for (row = 0; row + 1 < o->m; row++)
		if (!untouched(c + (row * o->ldc + o->n) * size, (o->ldc - o->n) * size))
			return false;
	return true;
}

static bool has_operand(const struct scoria_fusion *fuse)
{
	return fuse && fuse->operand;
}

static int run_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *o, const void *a,
		      const void *b, const void *operand, void *c)
{
	struct scoria_matmul_weights *weights = NULL;
	struct scoria_matmul_plan *plan = NULL;
	int err;

	if (!operand)
		return scoria_matmul(dev, o, a, b, c);
	err = scoria_matmul_plan_create(dev, o, &plan);
	if (!err)
		err = scoria_matmul_weights_create(plan, b, &weights);
	if (!err)
		err = scoria_matmul_run_fused(plan, weights, a, operand, c);
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	return err;
}

static int multiply(struct scoria_device *dev, const struct scoria_matmul_opts *o, const void *a,
		    const void *b, const void *operand, void *c, struct compare *result)
{
	struct scoria_requant *requant = NULL;
	int err = run_matmul(dev, o, a, b, operand, c);

	if (err)
		return err;
	if (scoria_type_size(o->out) == 1) {
		requant = calloc(o->n, sizeof(*requant));
		scoria_matmul_requant(o, requant);
	}
	reference_matmul_fused(o, requant, a, b, operand, c, result);
	free(requant);
	return 0;
}

static void describe_fusion(const struct scoria_fusion *fuse, char *text, size_t size)
{
	size_t used = strlen(text);

	if (fuse)
		snprintf(text + used, size - used, " fuse%s act %d alpha %g operand %d%s scale %g zp %d",
			 fuse->factors ? " factors" : "", fuse->activation, fuse->alpha,
			 fuse->operand, fuse->operand_last ? " last" : "", fuse->operand_scale,
			 fuse->operand_zp);
}

struct shape_verdict shape_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *o,
				  struct random *random)
{
	bool kn = o->b_layout == SCORIA_B_KN;
	size_t lda = o->lda ? o->lda : o->k, ldc = o->ldc ? o->ldc : o->n;
	size_t ldb = o->ldb ? o->ldb : kn ? o->n : o->k, batch = o->batch ? o->batch : 1;
	size_t all_a = o->stride_a ? o->stride_a : o->m * lda;
	size_t all_b = o->stride_b ? o->stride_b : (kn ? o->k : o->n) * ldb;
	size_t all_c = o->stride_c ? o->stride_c : o->m * ldc;
	size_t bytes = ((batch - 1) * all_c + (o->m - 1) * ldc + o->n) * scoria_type_size(o->out);
	void *a = get_random(random, o->type, batch * all_a);
	void *b = get_random(random, o->type, batch * all_b);
	uint8_t *c = get_output(bytes);
	struct compare result = { 0 };
	struct shape_verdict verdict;
	void *operand = NULL;
	int err;

	snprintf(verdict.text, sizeof(verdict.text),
		 "matmul %s to %s batch %zu%s m %zu k %zu n %zu %s ld %zu %zu %zu%s alpha %g relu %d max %g scale %g%s zp %d,%d,%d",
		 scoria_type_name(o->type), scoria_type_name(o->out), batch,
		 o->b_shared ? " with one B" : "", o->m, o->k, o->n, kn ? "kn" : "nk", lda, ldb,
		 ldc, o->bias ? " bias" : "", o->alpha, o->relu, o->relu_max, o->scale,
		 o->scales ? " by column" : "", o->a_zp, o->b_zp, o->output_zp);
	describe_fusion(o->fuse, verdict.text, sizeof(verdict.text));
	if (has_operand(o->fuse))
		operand = get_random(random, o->out, bytes / scoria_type_size(o->out));
	err = multiply(dev, o, a, b, operand, c, &result);
	shape_judge(&verdict, err, &result, guards_hold(c, bytes) && gaps_hold(o, c));
	free(operand);
	free(c - SHAPE_GUARD);
	free(b);
	free(a);
	return verdict;
}

static void describe(const struct scoria_conv2d_opts *o, char *text, size_t size)
{
	snprintf(text, size,
		 "conv2d %s to %s %s batch %zu ic %zu oc %zu h %zu w %zu kernel %zux%zu stride %zux%zu dilation %zux%zu pad %zu,%zu,%zu,%zu groups %zu bias %d relu %d max %g zp %d,%d,%d scale %.9g%s",
		 scoria_type_name(o->type), scoria_type_name(o->out),
		 o->layout == SCORIA_NHWC ? "nhwc" : "nchw", o->batch, o->ic, o->oc, o->h, o->w,
		 o->kh, o->kw, o->stride_y, o->stride_x, o->dilation_y, o->dilation_x, o->pad_top,
		 o->pad_bottom, o->pad_left, o->pad_right, o->groups, o->bias, o->relu,
		 o->relu_max, o->input_zp, o->weight_zp, o->output_zp, o->scale,
		 o->scales ? " by channel" : "");
	describe_fusion(o->fuse, text, size);
}

static int run_conv2d(struct scoria_device *dev, const struct scoria_conv2d_opts *o,
		      const void *input, const void *weights, const void *bias,
		      const void *operand, void *output)
{
	struct scoria_conv2d_weights *packed = NULL;
	struct scoria_conv2d_plan *plan = NULL;
	int err;

	if (!operand)
		return scoria_conv2d(dev, o, input, weights, bias, output);
	err = scoria_conv2d_plan_create(dev, o, &plan);
	if (!err)
		err = scoria_conv2d_weights_create(plan, weights, bias, &packed);
	if (!err)
		err = scoria_conv2d_run_fused(plan, packed, input, operand, output);
	scoria_conv2d_weights_destroy(packed);
	scoria_conv2d_plan_destroy(plan);
	return err;
}

static int convolve(struct scoria_device *dev, const struct scoria_conv2d_opts *o,
		    struct random *random, size_t results, uint8_t *output,
		    struct compare *result)
{
	size_t icg = o->ic / (o->groups ? o->groups : 1);
	void *input = get_random(random, o->type, o->batch * o->ic * o->h * o->w);
	void *weights = get_random(random, o->type, o->oc * icg * o->kh * o->kw);
	void *bias = NULL, *operand = NULL;
	struct scoria_requant *requant = NULL;
	int err;

	if (o->bias)
		bias = get_random(random, o->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
				  o->oc);
	if (scoria_type_size(o->out) == 1) {
		requant = calloc(o->oc, sizeof(*requant));
		scoria_conv2d_requant(o, requant);
	}
	if (has_operand(o->fuse))
		operand = get_random(random, o->out, results);
	err = run_conv2d(dev, o, input, weights, bias, operand, output);
	if (!err)
		reference_conv2d_fused(o, requant, input, weights, bias, operand, output, result);
	free(operand);
	free(requant);
	free(bias);
	free(weights);
	free(input);
	return err;
}

struct shape_verdict shape_conv2d(struct scoria_device *dev, const struct scoria_conv2d_opts *o,
				  struct random *random)
{
	struct shape_verdict verdict = { 0 };
	struct compare result = { 0 };
	size_t oh = 0, ow = 0, bytes;
	uint8_t *output;
	int err;

	describe(o, verdict.text, sizeof(verdict.text));
	err = scoria_conv2d_output(o, &oh, &ow);
	bytes = o->batch * o->oc * oh * ow * scoria_type_size(o->out);
	output = get_output(bytes);
	if (!err)
		err = convolve(dev, o, random, bytes / scoria_type_size(o->out), output, &result);
	shape_judge(&verdict, err, &result, guards_hold(output, bytes));
	free(output - SHAPE_GUARD);
	return verdict;
}
