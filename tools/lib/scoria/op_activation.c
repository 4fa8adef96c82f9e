// SPDX-License-Identifier: MIT
/* Activations: options, and running the recipe of a function. */
#include <math.h>
#include <stdlib.h>

#include "activation.h"
#include "check.h"
#include "error.h"
#include "vector.h"

#define FP16_LARGEST	65504.0
#define FP16_ONE	0x3c00

struct scoria_activation_plan {
	struct scoria_activation_opts opts;
	struct vector vector;
};

const char *scoria_activation_name(enum scoria_activation function)
{
	const struct activation *activation = activation_find(function);

	return activation ? activation->name : NULL;
}

/* celu is a table stretched by it, the others multiply or limit by it. */
static int check_alpha(struct scoria_activation_opts *o, const struct activation *a)
{
	const double least = o->function == SCORIA_CELU ? 0x1p-8 : 0x1p-14;
	const double most = o->function == SCORIA_CELU ? 0x1p8 : FP16_LARGEST;
	const bool used = a->alpha != 0 || o->function == SCORIA_RELUX;

	if (!used && o->alpha != 0)
		return error_set(EINVAL, "activation: alpha = %g: %s has none", o->alpha, a->name);
	if (!used)
		return 0;
	if (o->function == SCORIA_RELU6 && o->alpha != 0)
		return error_set(EINVAL, "activation: alpha = %g: relu6 ends at 6, relux at alpha",
				 o->alpha);
	if (o->alpha == 0)
		o->alpha = a->alpha;
	if (!(o->alpha >= least && o->alpha <= most))
		return error_set(EINVAL, "activation: alpha = %g: %s takes %g to %g", o->alpha,
				 a->name, least, most);
	return 0;
}

static int check_limits(struct scoria_activation_opts *o, const struct activation *a)
{
	if (o->function != SCORIA_HARDTANH) {
		if (o->lo != 0 || o->hi != 0)
			return error_set(EINVAL, "activation: lo = %g, hi = %g: %s has none", o->lo,
					 o->hi, a->name);
		return 0;
	}
	if (o->lo == 0 && o->hi == 0) {
		o->lo = -1;
		o->hi = 1;
	}
	if (!(o->lo <= o->hi))
		return error_set(EINVAL, "activation: lo = %g is not at most hi = %g", o->lo, o->hi);
	return 0;
}

static int check_channels(struct scoria_activation_opts *o, const struct activation *a)
{
	if (o->function != SCORIA_PRELU && (o->channels || o->inner))
		return error_set(EINVAL, "activation: channels = %zu, inner = %zu: %s has no slopes",
				 o->channels, o->inner, a->name);
	if (o->function == SCORIA_PRELU && !o->channels)
		return error_set(EINVAL, "activation: prelu: channels is 0");
	if (!o->inner)
		o->inner = 1;
	return 0;
}

int activation_check(struct scoria_activation_opts *o)
{
	const struct activation *a = activation_find(o->function);
	int err;

	if (!a)
		return error_set(EINVAL, "activation: function = %d: not a function", o->function);
	err = check_alpha(o, a);
	if (!err)
		err = check_limits(o, a);
	if (!err)
		err = check_channels(o, a);
	return err;
}

static int check_function(struct scoria_activation_opts *o,
			  const struct scoria_activation_opts *opts)
{
	int err = opts_copy("activation", o, sizeof(*o), sizeof(*o), opts);

	return err ? err : activation_check(o);
}

static int check_opts(struct scoria_activation_opts *o, const struct scoria_activation_opts *opts)
{
	int err = check_function(o, opts);

	if (!err && (!o->n || o->n > PTRDIFF_MAX / sizeof(uint16_t)))
		return error_set(EINVAL, "activation: n = %zu: must be above 0 and addressable", o->n);
	return err;
}

int scoria_activation_describe(const struct scoria_activation_opts *opts,
			       struct scoria_activation_info *info)
{
	struct scoria_activation_opts o;
	int err = check_function(&o, opts);

	if (err)
		return err;
	return info_copy("activation information", info, sizeof(info->size),
			 &activation_find(o.function)->info, sizeof(*info));
}

static int plan_activation(struct scoria_device *dev, struct scoria_activation_plan *plan)
{
	const struct scoria_activation_opts *o = &plan->opts;
	const struct activation *a = activation_find(o->function);
	const bool slopes = o->function == SCORIA_PRELU;
	const struct vector_shape shape = {
		.n = o->n,
		.size = sizeof(uint16_t),
		.inputs = { [SLOT_B] = { slopes ? o->channels : 1, o->inner } },
	};
	struct recipe recipe = { .n = 0 };

	if (!a->cook(&recipe, a, o)) {
		recipe_destroy(&recipe);
		return error_no_memory();
	}
	return vector_create(&plan->vector, dev, &recipe, &shape);
}

int scoria_activation_plan_create(struct scoria_device *dev,
				  const struct scoria_activation_opts *opts,
				  struct scoria_activation_plan **out)
{
	int err = CHECK_POINTERS("activation", { "dev", dev }, { "plan", out });
	struct scoria_activation_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->opts, opts);
	if (!err)
		err = plan_activation(dev, plan);
	if (err) {
		free(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_activation_plan_destroy(struct scoria_activation_plan *plan)
{
	if (!plan)
		return;
	vector_destroy(&plan->vector);
	free(plan);
}

int scoria_activation_plan_info(const struct scoria_activation_plan *plan,
				struct scoria_plan_info *info)
{
	int err = CHECK_POINTERS("activation", POINTER(plan));

	return err ? err : vector_info(&plan->vector, info);
}

/* Functions without slopes may divide one by something: that is their second input. */
int scoria_activation_run(struct scoria_activation_plan *plan, const void *in, const void *slopes,
			  void *out)
{
	static const uint16_t one = FP16_ONE;
	const void *const inputs[VECTOR_INPUTS] = { in, slopes ? slopes : &one };
	int err = CHECK_POINTERS("activation", POINTER(plan), POINTER(in), POINTER(out));
	bool prelu;

	if (err)
		return err;
	prelu = plan->opts.function == SCORIA_PRELU;
	if (prelu != (slopes != NULL))
		return error_set(EINVAL, "activation: %s: slopes are %s",
				 scoria_activation_name(plan->opts.function),
				 slopes ? "given" : "NULL");
	return vector_run(&plan->vector, inputs, out);
}

int scoria_activation(struct scoria_device *dev, const struct scoria_activation_opts *opts,
		      const void *in, const void *slopes, void *out)
{
	struct scoria_activation_plan *plan = NULL;
	int err = scoria_activation_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_activation_run(plan, in, slopes, out);
	scoria_activation_plan_destroy(plan);
	return err;
}
