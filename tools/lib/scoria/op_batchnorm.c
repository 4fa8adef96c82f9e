// SPDX-License-Identifier: MIT
/* Batch normalisation: folded into a depthwise convolution. */
#include <scoria/batchnorm.h>

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "error.h"
#include "fp16.h"

#define DEFAULT_EPS	1e-5
#define LARGEST_FP16	65504.0

struct scoria_batchnorm_plan {
	struct scoria_batchnorm_opts o;
	struct scoria_conv2d_plan *conv;
	struct scoria_conv2d_weights *weights;
};

static int check_values(const struct scoria_batchnorm_opts *o, const char *name,
			const float *values, double least)
{
	for (size_t i = 0; values && i < o->c; i++)
		if (!isfinite(values[i]) || values[i] < least)
			return error_set(EINVAL, "batchnorm: %s[%zu] = %g: must be finite%s", name, i,
					 (double)values[i], least == 0 ? " and not negative" : "");
	return 0;
}

static int check_sizes(const struct scoria_batchnorm_opts *o)
{
	const struct { const char *name; size_t value; } sizes[] = {
		{ "batch", o->batch }, { "c", o->c }, { "h", o->h }, { "w", o->w },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!sizes[i].value)
			return error_set(EINVAL, "batchnorm: %s is 0", sizes[i].name);
	return 0;
}

static int check_type(struct scoria_batchnorm_opts *o)
{
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "batchnorm: type = %d: not a type", o->type);
	if (o->type != SCORIA_FP16)
		return error_set(EOPNOTSUPP, "batchnorm: type = %s: have fp16",
				 scoria_type_name(o->type));
	if (o->eps == 0)
		o->eps = DEFAULT_EPS;
	if (!(o->eps > 0) || isinf(o->eps))
		return error_set(EINVAL, "batchnorm: eps = %g: must be positive and finite", o->eps);
	return 0;
}

static double value_at(const float *values, size_t i, double otherwise)
{
	return values ? (double)values[i] : otherwise;
}

static double factor_of(const struct scoria_batchnorm_opts *o, size_t i)
{
	return value_at(o->gamma, i, 1) / sqrt(value_at(o->var, i, 1) + o->eps);
}

static int check_factors(const struct scoria_batchnorm_opts *o)
{
	for (size_t i = 0; i < o->c; i++)
		if (fabs(factor_of(o, i)) > LARGEST_FP16)
			return error_set(EOVERFLOW, "batchnorm: gamma[%zu] / sqrt(var[%zu] + eps) = %g: factors are fp16, which ends at 65504",
					 i, i, factor_of(o, i));
	return 0;
}

/* Sizes of the arrays that the checks read follow from those of the image. */
static int check_opts(struct scoria_batchnorm_opts *o, const struct scoria_batchnorm_opts *opts,
		      struct scoria_conv2d_opts *conv)
{
	size_t h, w;
	int err = opts_copy("batchnorm", o, sizeof(*o), sizeof(*o), opts);

	if (!err)
		err = check_type(o);
	if (!err)
		err = check_sizes(o);
	if (err)
		return err;
	*conv = (struct scoria_conv2d_opts){
		.size = sizeof(*conv), .type = o->type, .out = o->type, .layout = o->layout,
		.batch = o->batch, .ic = o->c, .oc = o->c, .groups = o->c, .h = o->h, .w = o->w,
		.kh = 1, .kw = 1, .bias = 1, .relu = o->relu, .relu_max = o->relu_max,
	};
	err = scoria_conv2d_output(conv, &h, &w);
	if (!err)
		err = check_values(o, "mean", o->mean, -INFINITY);
	if (!err)
		err = check_values(o, "var", o->var, 0);
	if (!err)
		err = check_values(o, "gamma", o->gamma, -INFINITY);
	if (!err)
		err = check_values(o, "beta", o->beta, -INFINITY);
	return err ? err : check_factors(o);
}

static int pack(struct scoria_batchnorm_plan *plan)
{
	const struct scoria_batchnorm_opts *o = &plan->o;
	uint16_t *factors = calloc(o->c, sizeof(*factors));
	float *summands = calloc(o->c, sizeof(*summands));
	int err = factors && summands ? 0 : error_no_memory();

	for (size_t i = 0; i < o->c && !err; i++) {
		factors[i] = fp32_to_fp16((float)factor_of(o, i));
		summands[i] = (float)(value_at(o->beta, i, 0) - value_at(o->mean, i, 0) *
				      (double)fp16_to_fp32(factors[i]));
	}
	if (!err)
		err = scoria_conv2d_weights_create(plan->conv, factors, summands, &plan->weights);
	free(summands);
	free(factors);
	return err;
}

int scoria_batchnorm_plan_create(struct scoria_device *dev,
				 const struct scoria_batchnorm_opts *opts,
				 struct scoria_batchnorm_plan **out)
{
	int err = CHECK_POINTERS("batchnorm", { "dev", dev }, { "plan", out });
	struct scoria_batchnorm_plan *plan;
	struct scoria_conv2d_opts conv;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->o, opts, &conv);
	if (!err)
		err = scoria_conv2d_plan_create(dev, &conv, &plan->conv);
	if (!err)
		err = pack(plan);
	if (err) {
		scoria_batchnorm_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_batchnorm_plan_destroy(struct scoria_batchnorm_plan *plan)
{
	if (!plan)
		return;
	scoria_conv2d_weights_destroy(plan->weights);
	scoria_conv2d_plan_destroy(plan->conv);
	free(plan);
}

int scoria_batchnorm_plan_info(const struct scoria_batchnorm_plan *plan,
			       struct scoria_plan_info *info)
{
	int err = CHECK_POINTERS("batchnorm", POINTER(plan));

	return err ? err : scoria_conv2d_plan_info(plan->conv, info);
}

int scoria_batchnorm_run(struct scoria_batchnorm_plan *plan, const void *x, void *y)
{
	int err = CHECK_POINTERS("batchnorm", POINTER(plan), POINTER(x), POINTER(y));

	return err ? err : scoria_conv2d_run(plan->conv, plan->weights, x, y);
}

int scoria_batchnorm(struct scoria_device *dev, const struct scoria_batchnorm_opts *opts,
		     const void *x, void *y)
{
	struct scoria_batchnorm_plan *plan = NULL;
	int err = scoria_batchnorm_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_batchnorm_run(plan, x, y);
	scoria_batchnorm_plan_destroy(plan);
	return err;
}
