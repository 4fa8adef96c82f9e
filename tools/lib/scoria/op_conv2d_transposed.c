// SPDX-License-Identifier: MIT
/* Transposed convolution: the plan, its weights and its run, phase by phase. */
#include <scoria/conv2d_transposed.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "conv2d.h"
#include "error.h"
#include "info.h"
#include "phase.h"

/* A convolution for one pair of residues; @oh and @ow are what it computes. */
struct part {
	struct phase y;
	struct phase x;
	size_t oh;
	size_t ow;
	struct scoria_conv2d_plan *plan;
};

/**
 * struct scoria_conv2d_transposed_plan - see conv2d_transposed.h
 * @o:      checked options, with strides and so on filled in
 * @x: @y:  directions
 * @parts: @n: those that have outputs
 * @result: of the largest part
 * @operand: likewise, of what the results are added to or multiplied by; NULL for nothing
 */
struct scoria_conv2d_transposed_plan {
	struct scoria_conv2d_opts o;
	struct transposed x;
	struct transposed y;
	struct part *parts;
	size_t n;
	void *result;
	void *operand;
};

struct scoria_conv2d_transposed_weights {
	struct scoria_conv2d_transposed_plan *plan;
	size_t n;
	struct scoria_conv2d_weights *parts[];
};

struct side {
	const char *name;
	size_t in;
	size_t kernel;
	size_t stride;
	size_t dilation;
	size_t before;
	size_t after;
	size_t more;
};

/* The output, and the size of the input with zeros between and around it. */
static int check_side(const struct side *s, struct transposed *t, size_t *padded)
{
	const size_t values[] = { s->in, s->kernel, s->stride, s->dilation };
	int64_t out;

	for (int i = 0; i < 4; i++)
		if (!values[i] || values[i] > INT32_MAX)
			return error_set(EINVAL, "conv2d_transposed: %s: size %zu, kernel %zu, stride %zu, dilation %zu: must be from 1 to 2^31 - 1",
					 s->name, s->in, s->kernel, s->stride, s->dilation);
	if (s->more >= s->stride && s->more >= s->dilation)
		return error_set(EINVAL, "conv2d_transposed: output padding of %zu of %s must be less than stride %zu or dilation %zu",
				 s->more, s->name, s->stride, s->dilation);
	if (s->before > INT32_MAX || s->after > INT32_MAX)
		return error_set(EINVAL, "conv2d_transposed: padding of %zu and %zu of %s: the limit is 2^31 - 1",
				 s->before, s->after, s->name);
	out = (int64_t)(s->in - 1) * s->stride + 1 + s->more - s->before - s->after;
	if (__builtin_add_overflow(out, (int64_t)(s->kernel - 1) * s->dilation, &out) || out < 1 ||
	    out > INT32_MAX)
		return error_set(EINVAL, "conv2d_transposed: %s = %zu gives an output of %lld, must be from 1 to 2^31 - 1",
				 s->name, s->in, (long long)out);
	*t = (struct transposed){ s->in, out, s->kernel, s->stride, s->dilation, s->before };
	*padded = out + (s->kernel - 1) * s->dilation;
	return 0;
}

static size_t or_one(size_t value)
{
	return value ? value : 1;
}

/*
 * Everything but the geometry is checked as for the convolution of the input with
 * zeros between and around its elements, which has the same output.
 */
static int check(struct scoria_conv2d_transposed_plan *plan,
		 const struct scoria_conv2d_transposed_opts *opts)
{
	struct scoria_conv2d_transposed_opts all;
	const struct scoria_conv2d_opts *o = &all.conv;
	struct scoria_conv2d_opts same;
	struct conv2d_shape shape;
	int err = opts_copy("conv2d_transposed", &all, sizeof(all), sizeof(all), opts);

	if (err)
		return err;
	/* what would be behind it is not the caller's: conv is as long as it is here */
	if (o->size > sizeof(*o))
		return error_set(EINVAL, "conv2d_transposed: size of conv is %zu, this library knows %zu",
				 o->size, sizeof(*o));
	same = *o;
	err = check_side(&(struct side){ "h", o->h, o->kh, or_one(o->stride_y),
					 or_one(o->dilation_y), o->pad_top, o->pad_bottom,
					 all.output_pad_y }, &plan->y, &same.h);
	if (!err)
		err = check_side(&(struct side){ "w", o->w, o->kw, or_one(o->stride_x),
						 or_one(o->dilation_x), o->pad_left, o->pad_right,
						 all.output_pad_x }, &plan->x, &same.w);
	if (err)
		return err;
	same.stride_y = same.stride_x = 1;
	same.pad_top = same.pad_bottom = same.pad_left = same.pad_right = 0;
	err = conv2d_check(&shape, &same);
	plan->o = shape.o;
	plan->o.h = o->h;
	plan->o.w = o->w;
	return err;
}

int scoria_conv2d_transposed_output(const struct scoria_conv2d_transposed_opts *opts, size_t *oh,
				    size_t *ow)
{
	int err = CHECK_POINTERS("conv2d_transposed", POINTER(oh), POINTER(ow));
	struct scoria_conv2d_transposed_plan plan;

	if (!err)
		err = check(&plan, opts);
	if (err)
		return err;
	*oh = plan.y.out;
	*ow = plan.x.out;
	return 0;
}

int scoria_conv2d_transposed_requant(const struct scoria_conv2d_transposed_opts *opts,
				     struct scoria_requant *channels)
{
	int err = CHECK_POINTERS("conv2d_transposed", POINTER(channels));
	struct scoria_conv2d_transposed_plan plan;
	struct requant_scales scales;

	if (!err)
		err = check(&plan, opts);
	if (err)
		return err;
	if (!conv2d_is_requantised(&plan.o))
		return error_set(EINVAL, "conv2d_transposed: out = %s: only int8 and uint8 are requantised",
				 scoria_type_name(plan.o.out));
	scales = conv2d_scales(&plan.o);
	requant_channels(&scales, channels);
	return 0;
}

static int create_part(struct scoria_device *dev, const struct scoria_conv2d_transposed_plan *plan,
		       struct part *part)
{
	struct scoria_conv2d_opts o = plan->o;
	int err;

	o.kh = part->y.taps;
	o.kw = part->x.taps;
	o.dilation_y = part->y.dilation;
	o.dilation_x = part->x.dilation;
	o.pad_top = part->y.before;
	o.pad_bottom = part->y.after;
	o.pad_left = part->x.before;
	o.pad_right = part->x.after;
	err = scoria_conv2d_output(&o, &part->oh, &part->ow);
	return err ? err : scoria_conv2d_plan_create(dev, &o, &part->plan);
}

static int create_parts(struct scoria_device *dev, struct scoria_conv2d_transposed_plan *plan)
{
	uint32_t ry, rx;
	int err = 0;

	for (ry = 0; ry < plan->y.stride && ry < plan->y.out + plan->y.crop && !err; ry++)
		for (rx = 0; rx < plan->x.stride && rx < plan->x.out + plan->x.crop && !err; rx++) {
			struct part part = { .y = phase_of(&plan->y, ry),
					     .x = phase_of(&plan->x, rx) };
			struct part *parts;

			if (!part.y.count || !part.x.count)
				continue;
			parts = realloc(plan->parts, (plan->n + 1) * sizeof(part));
			if (!parts)
				return error_no_memory();
			plan->parts = parts;
			err = create_part(dev, plan, &part);
			if (!err)
				parts[plan->n++] = part;
		}
	return err;
}

static int create_arrays(struct scoria_conv2d_transposed_plan *plan)
{
	const size_t size = scoria_type_size(plan->o.out);
	size_t most = 0, i;

	for (i = 0; i < plan->n; i++)
		if (plan->parts[i].oh * plan->parts[i].ow > most)
			most = plan->parts[i].oh * plan->parts[i].ow;
	plan->result = calloc(plan->o.batch * plan->o.oc, most * size);
	if (plan->parts[0].plan->ending.fusion.operand)
		plan->operand = calloc(plan->o.batch * plan->o.oc, most * size);
	if (!plan->result || (plan->parts[0].plan->ending.fusion.operand && !plan->operand))
		return error_no_memory();
	return 0;
}

int scoria_conv2d_transposed_plan_create(struct scoria_device *dev,
					 const struct scoria_conv2d_transposed_opts *opts,
					 struct scoria_conv2d_transposed_plan **out)
{
	int err = CHECK_POINTERS("conv2d_transposed", { "dev", dev }, { "plan", out });
	struct scoria_conv2d_transposed_plan *plan, checked = { .n = 0 };

	if (!err)
		err = check(&checked, opts);
	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	*plan = checked;
	err = create_parts(dev, plan);
	if (!err)
		err = create_arrays(plan);
	if (err) {
		scoria_conv2d_transposed_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_conv2d_transposed_plan_destroy(struct scoria_conv2d_transposed_plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->n; i++)
		scoria_conv2d_plan_destroy(plan->parts[i].plan);
	free(plan->parts);
	free(plan->operand);
	free(plan->result);
	free(plan);
}

int scoria_conv2d_transposed_plan_info(const struct scoria_conv2d_transposed_plan *plan,
				       struct scoria_plan_info *info)
{
	int err = CHECK_POINTERS("conv2d_transposed", POINTER(plan));
	struct scoria_plan_info all = { 0 };
	size_t i;

	if (err)
		return err;
	for (i = 0; i < plan->n; i++) {
		struct scoria_plan_info one = { .size = sizeof(one) };

		scoria_conv2d_plan_info(plan->parts[i].plan, &one);
		info_add(&all, &one, 1);
		all.lowered |= one.lowered;
	}
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

/* Where the weight of tap (@y, @x) of input channel @i and output channel @o is. */
static size_t weight_at(const struct scoria_conv2d_opts *o, size_t channel, size_t i, size_t y,
			size_t x)
{
	size_t ocg = o->oc / o->groups, icg = o->ic / o->groups, group = channel / ocg;

	return (((group * icg + i) * ocg + channel % ocg) * o->kh + y) * o->kw + x;
}

/* The taps of a part as a kernel, last tap first. An empty part has a zero. */
static void fill_kernels(const struct scoria_conv2d_transposed_plan *plan, const struct part *part,
			 const uint8_t *from, uint8_t *to)
{
	const struct scoria_conv2d_opts *o = &plan->o;
	size_t size = scoria_type_size(o->type), icg = o->ic / o->groups, c, i, y, x;
	const struct phase *py = &part->y, *px = &part->x;

	for (c = 0; c < o->oc; c++)
		for (i = 0; i < icg; i++)
			for (y = py->taps; y--;)
				for (x = px->taps; x--; to += size) {
					size_t at = weight_at(o, c, i, py->tap + y * py->tap_step,
							      px->tap + x * px->tap_step);

					if (py->empty || px->empty)
						memset(to, (uint8_t)o->weight_zp, size);
					else
						memcpy(to, from + at * size, size);
				}
}

static int pack_part(const struct scoria_conv2d_transposed_plan *plan, const struct part *part,
		     const void *weights, const void *bias, struct scoria_conv2d_weights **packed)
{
	const struct scoria_conv2d_opts *o = &plan->o;
	size_t n = o->oc * (o->ic / o->groups) * part->y.taps * part->x.taps;
	uint8_t *kernels = calloc(n, scoria_type_size(o->type));
	int err;

	if (!kernels)
		return error_no_memory();
	fill_kernels(plan, part, weights, kernels);
	err = scoria_conv2d_weights_create(part->plan, kernels, bias, packed);
	free(kernels);
	return err;
}

int scoria_conv2d_transposed_weights_create(struct scoria_conv2d_transposed_plan *plan,
					    const void *weights, const void *bias,
					    struct scoria_conv2d_transposed_weights **out)
{
	int err = CHECK_POINTERS("conv2d_transposed", POINTER(plan), POINTER(weights),
				 { "packed", out });
	struct scoria_conv2d_transposed_weights *packed;

	if (err)
		return err;
	packed = calloc(1, sizeof(*packed) + plan->n * sizeof(packed->parts[0]));
	if (!packed)
		return error_no_memory();
	packed->plan = plan;
	while (packed->n < plan->n && !err) {
		err = pack_part(plan, &plan->parts[packed->n], weights, bias,
				&packed->parts[packed->n]);
		if (!err)
			packed->n++;
	}
	if (err) {
		scoria_conv2d_transposed_weights_destroy(packed);
		return err;
	}
	*out = packed;
	return 0;
}

void scoria_conv2d_transposed_weights_destroy(struct scoria_conv2d_transposed_weights *packed)
{
	size_t i;

	if (!packed)
		return;
	for (i = 0; i < packed->n; i++)
		scoria_conv2d_weights_destroy(packed->parts[i]);
	free(packed);
}

static size_t index_of(const struct scoria_conv2d_opts *o, size_t image, size_t c, size_t h,
		       size_t y, size_t w, size_t x)
{
	if (o->layout == SCORIA_NHWC)
		return ((image * h + y) * w + x) * o->oc + c;
	return ((image * o->oc + c) * h + y) * w + x;
}

/* Elements between the array of a part and that of the caller, of the output's type. */
struct copy {
	const uint8_t *from;
	uint8_t *to;
	bool to_part;
};

/* All channels of a pixel: side by side, or a plane apart. */
static void copy_pixel(const struct scoria_conv2d_transposed_plan *plan, const struct part *part,
		       size_t image, size_t y, size_t x, const struct copy *copy)
{
	const struct scoria_conv2d_opts *o = &plan->o;
	const bool nhwc = o->layout == SCORIA_NHWC;
	const size_t size = scoria_type_size(o->out), run = nhwc ? o->oc : 1;
	size_t oy = part->y.first + y * plan->y.stride, ox = part->x.first + x * plan->x.stride, c;

	for (c = 0; c < o->oc; c += run) {
		size_t inner = index_of(o, image, c, part->oh, part->y.skip + y, part->ow,
					part->x.skip + x);
		size_t outer = index_of(o, image, c, plan->y.out, oy, plan->x.out, ox);

		memcpy(copy->to + (copy->to_part ? inner : outer) * size,
		       copy->from + (copy->to_part ? outer : inner) * size, run * size);
	}
}

static void copy_part(const struct scoria_conv2d_transposed_plan *plan, const struct part *part,
		      struct copy copy)
{
	size_t image, y, x;

	for (image = 0; image < plan->o.batch; image++)
		for (y = 0; y < part->y.count; y++)
			for (x = 0; x < part->x.count; x++)
				copy_pixel(plan, part, image, y, x, &copy);
}

/* The operand is not NULL exactly when there is one. */
static int run_part(struct scoria_conv2d_transposed_plan *plan, const struct part *part,
		    struct scoria_conv2d_weights *packed, const void *input, const void *operand,
		    void *output)
{
	int err;

	if (operand)
		copy_part(plan, part, (struct copy){ operand, plan->operand, true });
	err = scoria_conv2d_run_fused(part->plan, packed, input, operand ? plan->operand : NULL,
				      plan->result);
	if (!err)
		copy_part(plan, part, (struct copy){ plan->result, output, false });
	return err;
}

int scoria_conv2d_transposed_run_fused(struct scoria_conv2d_transposed_plan *plan,
				       struct scoria_conv2d_transposed_weights *packed,
				       const void *input, const void *operand, void *output)
{
	int err = CHECK_POINTERS("conv2d_transposed", POINTER(plan), POINTER(packed),
				 POINTER(input), POINTER(output));
	size_t i;

	if (err)
		return err;
	if (packed->plan != plan)
		return error_set(EINVAL, "conv2d_transposed: the weights belong to another plan");
	err = fusion_check_operand(&plan->parts[0].plan->ending, operand);
	for (i = 0; i < plan->n && !err; i++)
		err = run_part(plan, &plan->parts[i], packed->parts[i], input, operand, output);
	return err;
}

int scoria_conv2d_transposed_run(struct scoria_conv2d_transposed_plan *plan,
				 struct scoria_conv2d_transposed_weights *packed,
				 const void *input, void *output)
{
	return scoria_conv2d_transposed_run_fused(plan, packed, input, NULL, output);
}

int scoria_conv2d_transposed(struct scoria_device *dev,
			     const struct scoria_conv2d_transposed_opts *opts, const void *input,
			     const void *weights, const void *bias, void *output)
{
	struct scoria_conv2d_transposed_weights *packed = NULL;
	struct scoria_conv2d_transposed_plan *plan = NULL;
	int err = CHECK_POINTERS("conv2d_transposed", POINTER(input), POINTER(weights),
				 POINTER(output));

	if (!err)
		err = scoria_conv2d_transposed_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_conv2d_transposed_weights_create(plan, weights, bias, &packed);
	if (!err)
		err = scoria_conv2d_transposed_run(plan, packed, input, output);
	scoria_conv2d_transposed_weights_destroy(packed);
	scoria_conv2d_transposed_plan_destroy(plan);
	return err;
}
