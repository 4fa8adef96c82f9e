// SPDX-License-Identifier: MIT
#include "pooled.h"

#include <stdio.h>
#include <string.h>

#include "../lib/reference/reference.h"
#include "cmd.h"
#include "opts.h"

int pooled_parse(struct pooled *pooled, const char *argv0)
{
	static const struct {
		const char *name;
		enum scoria_pool_method method;
	} methods[] = {
		{ "max", SCORIA_POOL_MAX }, { "min", SCORIA_POOL_MIN },
		{ "average", SCORIA_POOL_AVERAGE },
	};
	const char *text = pooled->text;

	pooled->opts = (struct scoria_pool_opts){ .size = sizeof(pooled->opts) };
	if (!text)
		return CMD_OK;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		size_t length = strlen(methods[i].name);

		if (strncmp(text, methods[i].name, length))
			continue;
		pooled->opts.method = methods[i].method;
		if (opts_pair(text + length, &pooled->opts.kh, &pooled->opts.kw) &&
		    pooled->opts.kh && pooled->opts.kw)
			return CMD_OK;
	}
	return cmd_unusable(argv0, "--pool: \"%s\" is not max, min or average with a window, as in max2 or average3x2",
			    text);
}

static int create_tensor(struct scoria_device *dev, struct scoria_tensor **tensor,
			 enum scoria_type type, size_t batch, size_t c, size_t h, size_t w)
{
	const struct scoria_tensor_opts o = { .size = sizeof(o), .type = type, .batch = batch,
					      .c = c, .h = h, .w = w };

	return scoria_tensor_create(dev, &o, tensor);
}

static int create_tensors(struct pooled *pooled, struct scoria_device *dev,
			  const struct scoria_conv2d_opts *conv, size_t oh, size_t ow)
{
	size_t ph = 0, pw = 0;
	int err = scoria_pool_output(&pooled->opts, &ph, &pw);

	if (!err)
		err = create_tensor(dev, &pooled->input, conv->type, conv->batch, conv->ic,
				    conv->h, conv->w);
	if (!err)
		err = create_tensor(dev, &pooled->between, conv->out, conv->batch, conv->oc, oh,
				    ow);
	if (!err)
		err = create_tensor(dev, &pooled->output, conv->out, conv->batch, conv->oc, ph, pw);
	if (!err && conv->fuse && conv->fuse->operand)
		err = create_tensor(dev, &pooled->operand, conv->out, conv->batch, conv->oc, oh,
				    ow);
	return err;
}

int pooled_plan(struct pooled *pooled, struct scoria_device *dev,
		const struct scoria_conv2d_opts *conv, size_t oh, size_t ow)
{
	int err;

	pooled->opts.type = conv->out;
	pooled->opts.layout = conv->layout;
	pooled->opts.batch = conv->batch;
	pooled->opts.c = conv->oc;
	pooled->opts.h = oh;
	pooled->opts.w = ow;
	err = scoria_pool_plan_create(dev, &pooled->opts, &pooled->plan);
	if (!err)
		err = create_tensors(pooled, dev, conv, oh, ow);
	return err ? err : scoria_sequence_create(dev, &pooled->seq);
}

size_t pooled_count(const struct pooled *pooled)
{
	size_t oh = 0, ow = 0;

	scoria_pool_output(&pooled->opts, &oh, &ow);
	return pooled->opts.batch * pooled->opts.c * oh * ow;
}

int pooled_add(struct pooled *pooled, struct scoria_conv2d_plan *plan,
	       struct scoria_conv2d_weights *weights, struct scoria_plan_info *info)
{
	int err = scoria_sequence_add_conv2d(pooled->seq, plan, weights, pooled->input,
					     pooled->operand, pooled->between);

	if (!err)
		err = scoria_sequence_add_pool(pooled->seq, pooled->plan, pooled->between,
					       pooled->output);
	return err ? err : scoria_sequence_info(pooled->seq, info);
}

void pooled_describe(const struct pooled *pooled, char *text, size_t size)
{
	size_t oh = 0, ow = 0;

	scoria_pool_output(&pooled->opts, &oh, &ow);
	snprintf(text, size, ", %s to %zux%zu", pooled->text, oh, ow);
}

int pooled_run(struct pooled *pooled, const void *input, const void *operand)
{
	enum scoria_layout layout = pooled->opts.layout;
	int err = scoria_tensor_pack(pooled->input, layout, input);

	if (!err && pooled->operand)
		err = scoria_tensor_pack(pooled->operand, layout, operand);
	if (!err)
		err = scoria_sequence_run(pooled->seq);
	return err ? err : scoria_tensor_unpack(pooled->output, layout, pooled->result.data);
}

int pooled_check(const struct pooled *pooled, const void *convolved, struct compare *result)
{
	const size_t count = result->count;
	int err;

	if (!compare_passed(result))
		return 0;
	err = reference_pool(&pooled->opts, convolved, pooled->result.data, result);
	result->count += count;
	return err;
}

void pooled_free(struct pooled *pooled)
{
	scoria_sequence_destroy(pooled->seq);
	scoria_pool_plan_destroy(pooled->plan);
	scoria_tensor_destroy(pooled->input);
	scoria_tensor_destroy(pooled->operand);
	scoria_tensor_destroy(pooled->between);
	scoria_tensor_destroy(pooled->output);
	tensor_free(&pooled->result);
}
