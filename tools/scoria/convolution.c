// SPDX-License-Identifier: MIT
#include "convolution.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/reference/reference.h"

int convolution_plan(struct convolution *c, struct scoria_device *dev, size_t *oh, size_t *ow)
{
	int err;

	if (c->transposed) {
		err = scoria_conv2d_transposed_plan_create(dev, &c->opts, &c->t_plan);
		return err ? err : scoria_conv2d_transposed_output(&c->opts, oh, ow);
	}
	err = scoria_conv2d_plan_create(dev, &c->opts.conv, &c->plan);
	return err ? err : scoria_conv2d_output(&c->opts.conv, oh, ow);
}

void convolution_info(const struct convolution *c, struct scoria_plan_info *info)
{
	info->size = sizeof(*info);
	if (c->transposed)
		scoria_conv2d_transposed_plan_info(c->t_plan, info);
	else
		scoria_conv2d_plan_info(c->plan, info);
}

int convolution_pack(struct convolution *c, const void *weights, const void *bias)
{
	if (c->transposed)
		return scoria_conv2d_transposed_weights_create(c->t_plan, weights, bias,
							       &c->t_weights);
	return scoria_conv2d_weights_create(c->plan, weights, bias, &c->weights);
}

int convolution_run(struct convolution *c, const void *input, const void *operand, void *output)
{
	if (c->transposed)
		return scoria_conv2d_transposed_run_fused(c->t_plan, c->t_weights, input, operand,
							  output);
	return scoria_conv2d_run_fused(c->plan, c->weights, input, operand, output);
}

/* NULL where nothing is requantised. */
static int get_requant(const struct convolution *c, struct scoria_requant **requant)
{
	*requant = NULL;
	if (scoria_type_size(c->opts.conv.out) > 1)
		return 0;
	*requant = calloc(c->opts.conv.oc, sizeof(**requant));
	if (!*requant)
		return -ENOMEM;
	return c->transposed ? scoria_conv2d_transposed_requant(&c->opts, *requant) :
			       scoria_conv2d_requant(&c->opts.conv, *requant);
}

int convolution_check(const struct convolution *c, const void *input, const void *weights,
		      const void *bias, const void *operand, const void *output,
		      struct compare *result)
{
	struct scoria_requant *requant;
	int err = get_requant(c, &requant);

	if (!err && c->transposed)
		err = reference_conv2d_transposed(&c->opts, requant, input, weights, bias, operand,
						  output, result);
	else if (!err)
		err = reference_conv2d_fused(&c->opts.conv, requant, input, weights, bias, operand,
					     output, result);
	free(requant);
	return err;
}

void convolution_free(struct convolution *c)
{
	scoria_conv2d_transposed_weights_destroy(c->t_weights);
	scoria_conv2d_transposed_plan_destroy(c->t_plan);
	scoria_conv2d_weights_destroy(c->weights);
	scoria_conv2d_plan_destroy(c->plan);
}
