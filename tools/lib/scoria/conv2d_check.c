// SPDX-License-Identifier: MIT
/* What a convolution may ask for. */
#include <float.h>

#include "check.h"
#include "conv2d.h"
#include "error.h"

/* As for a matrix product: 2^7 * 2^7 * k has to stay below 2^31. */
#define MAX_INT8_TAPS 131071u

struct named {
	const char *name;
	size_t *value;
};

static int check_positive(const struct named *sizes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!*sizes[i].value)
			return error_set(EINVAL, "conv2d: %s is 0", sizes[i].name);
		if (*sizes[i].value > INT32_MAX)
			return error_set(EINVAL, "conv2d: %s = %zu is above the limit of 2^31 - 1",
					 sizes[i].name, *sizes[i].value);
	}
	return 0;
}

static void default_to_one(size_t *value)
{
	if (!*value)
		*value = 1;
}

static int check_numbers(struct scoria_conv2d_opts *o)
{
	const struct named sizes[] = {
		{ "batch", &o->batch }, { "ic", &o->ic }, { "oc", &o->oc }, { "h", &o->h },
		{ "w", &o->w }, { "kh", &o->kh }, { "kw", &o->kw },
		{ "stride_y", &o->stride_y }, { "stride_x", &o->stride_x },
		{ "dilation_y", &o->dilation_y }, { "dilation_x", &o->dilation_x },
		{ "groups", &o->groups },
	};

	default_to_one(&o->stride_y);
	default_to_one(&o->stride_x);
	default_to_one(&o->dilation_y);
	default_to_one(&o->dilation_x);
	default_to_one(&o->groups);
	return check_positive(sizes, sizeof(sizes) / sizeof(sizes[0]));
}

static int check_types(const struct scoria_conv2d_opts *o)
{
	enum scoria_type in = o->type, out = o->out;

	if (!scoria_type_size(in) || !scoria_type_size(out))
		return error_set(EINVAL, "conv2d: type = %d, out = %d: not a type", in, out);
	if (o->layout != SCORIA_NCHW && o->layout != SCORIA_NHWC)
		return error_set(EINVAL, "conv2d: layout = %d: not a layout", o->layout);
	if (in == SCORIA_FP16 && (out == SCORIA_FP32 || out == SCORIA_FP16))
		return 0;
	if ((in == SCORIA_INT8 || in == SCORIA_UINT8) && (out == SCORIA_INT32 || out == in))
		return 0;
	return error_set(EOPNOTSUPP, "conv2d: %s to %s: have fp16 to fp32 or fp16, int8 to int32 or int8, uint8 to int32 or uint8",
			 scoria_type_name(in), scoria_type_name(out));
}

/* Integers are clipped at integers, and those have to be int32. */
static int check_relu(const struct scoria_conv2d_opts *o)
{
	double most = o->type == SCORIA_FP16 ? (double)FLT_MAX : (double)INT32_MAX;

	if (!(o->relu_max >= 0 && o->relu_max <= most))
		return error_set(EINVAL, "conv2d: relu_max = %g: must be in [0, %g]", o->relu_max,
				 most);
	if (o->relu_max > 0 && !o->relu)
		return error_set(EINVAL, "conv2d: relu_max = %g, but relu is 0", o->relu_max);
	return 0;
}

struct requant_scales conv2d_scales(const struct scoria_conv2d_opts *o)
{
	return (struct requant_scales){ o->scale, o->scales, o->oc, fusion_scale(o->fuse) };
}

static int check_scales(const struct scoria_conv2d_opts *o)
{
	const struct requant_scales scales = conv2d_scales(o);

	return requant_check("conv2d", &scales);
}

static int check_quantisation(const struct scoria_conv2d_opts *o)
{
	int err;

	err = check_zero_point("conv2d", "input_zp", o->type, o->input_zp);
	if (!err)
		err = check_zero_point("conv2d", "weight_zp", o->type, o->weight_zp);
	if (!err)
		err = check_zero_point("conv2d", "output_zp", o->out, o->output_zp);
	if (!err && o->scales && !conv2d_is_requantised(o))
		return error_set(EINVAL, "conv2d: scales are for int8 and uint8 output");
	if (!err && conv2d_is_requantised(o))
		err = check_scales(o);
	return err ? err : check_relu(o);
}

static int check_groups(struct conv2d_shape *shape)
{
	const struct scoria_conv2d_opts *o = &shape->o;

	if (o->ic % o->groups || o->oc % o->groups)
		return error_set(EINVAL, "conv2d: ic = %zu and oc = %zu must be multiples of groups = %zu",
				 o->ic, o->oc, o->groups);
	shape->icg = o->ic / o->groups;
	shape->ocg = o->oc / o->groups;
	if (o->groups > 1 && shape->icg == 1)
		shape->multiplier = shape->ocg;
	return 0;
}

/* One direction, with the names of its fields. */
struct side {
	const char *in_name;
	const char *before_name;
	const char *after_name;
	size_t in;
	size_t before;
	size_t after;
	size_t kernel;
	size_t dilation;
	size_t stride;
};

/* Output size in one direction; the sums stay far from the ends of 64 bits. */
static int output_size(const struct side *s, uint32_t *out)
{
	uint64_t padded, window = (uint64_t)s->dilation * (s->kernel - 1) + 1, n;

	if (s->before > INT32_MAX || s->after > INT32_MAX)
		return error_set(EINVAL, "conv2d: %s = %zu, %s = %zu: the limit is 2^31 - 1",
				 s->before_name, s->before, s->after_name, s->after);
	padded = (uint64_t)s->in + s->before + s->after;
	if (window > padded)
		return error_set(EINVAL, "conv2d: a window of %llu does not fit %s = %zu with %s = %zu and %s = %zu",
				 (unsigned long long)window, s->in_name, s->in, s->before_name,
				 s->before, s->after_name, s->after);
	n = (padded - window) / s->stride + 1;
	if (n > INT32_MAX)
		return error_set(EINVAL, "conv2d: output of %llu in %s is above the limit of 2^31 - 1",
				 (unsigned long long)n, s->in_name);
	*out = n;
	return 0;
}

static int check_bytes(const char *what, size_t size, const size_t *factors, size_t n)
{
	size_t bytes = size, i;

	for (i = 0; i < n; i++)
		if (__builtin_mul_overflow(bytes, factors[i], &bytes) || bytes > PTRDIFF_MAX)
			return error_set(EINVAL, "conv2d: the size of the %s overflows the address space",
					 what);
	return 0;
}

static int check_arrays(const struct conv2d_shape *shape)
{
	const struct scoria_conv2d_opts *o = &shape->o;
	const size_t input[] = { o->batch, o->ic, o->h, o->w };
	const size_t weights[] = { o->oc, shape->icg, o->kh, o->kw };
	const size_t output[] = { o->batch, o->oc, shape->oh, shape->ow };
	int err;

	err = check_bytes("input", scoria_type_size(o->type), input, 4);
	if (!err)
		err = check_bytes("weights", scoria_type_size(o->type), weights, 4);
	if (!err)
		err = check_bytes("output", scoria_type_size(o->out), output, 4);
	return err;
}

static int check_taps(const struct conv2d_shape *shape)
{
	const struct scoria_conv2d_opts *o = &shape->o;
	uint64_t taps = (uint64_t)shape->icg * o->kh * o->kw;

	if (!conv2d_is_float(o) && taps > MAX_INT8_TAPS)
		return error_set(EOVERFLOW, "conv2d: %llu products a sum: above %u int8 sums could overflow int32",
				 (unsigned long long)taps, MAX_INT8_TAPS);
	if (taps > INT32_MAX)
		return error_set(ENOSPC, "conv2d: %llu products a sum: 2^31 and more do not fit the NPU's 4 GiB",
				 (unsigned long long)taps);
	return 0;
}

static int check_outputs(struct conv2d_shape *shape)
{
	const struct scoria_conv2d_opts *o = &shape->o;
	const struct side y = { "h", "pad_top", "pad_bottom", o->h, o->pad_top, o->pad_bottom,
				o->kh, o->dilation_y, o->stride_y };
	const struct side x = { "w", "pad_left", "pad_right", o->w, o->pad_left, o->pad_right,
				o->kw, o->dilation_x, o->stride_x };
	int err = output_size(&y, &shape->oh);

	return err ? err : output_size(&x, &shape->ow);
}

int conv2d_check(struct conv2d_shape *shape, const struct scoria_conv2d_opts *opts)
{
	int err;

	*shape = (struct conv2d_shape){ 0 };
	err = opts_copy("conv2d", &shape->o, sizeof(shape->o),
			offsetof(struct scoria_conv2d_opts, scales), opts);
	if (!err)
		err = check_types(&shape->o);
	if (!err)
		err = check_numbers(&shape->o);
	if (!err)
		err = check_quantisation(&shape->o);
	if (!err)
		err = check_groups(shape);
	if (!err)
		err = check_outputs(shape);
	if (!err)
		err = check_arrays(shape);
	if (!err)
		err = check_taps(shape);
	return err;
}

int scoria_conv2d_output(const struct scoria_conv2d_opts *opts, size_t *oh, size_t *ow)
{
	int err = CHECK_POINTERS("conv2d", POINTER(oh), POINTER(ow));
	struct conv2d_shape shape;

	if (!err)
		err = conv2d_check(&shape, opts);
	if (err)
		return err;
	*oh = shape.oh;
	*ow = shape.ow;
	return 0;
}

int scoria_conv2d_requant(const struct scoria_conv2d_opts *opts, struct scoria_requant *channels)
{
	struct requant_scales scales;
	struct conv2d_shape shape;
	int err = CHECK_POINTERS("conv2d", POINTER(channels));

	if (!err)
		err = conv2d_check(&shape, opts);
	if (err)
		return err;
	if (!conv2d_is_requantised(&shape.o))
		return error_set(EINVAL, "conv2d: out = %s: only int8 and uint8 are requantised",
				 scoria_type_name(shape.o.out));
	scales = conv2d_scales(&shape.o);
	requant_channels(&scales, channels);
	return 0;
}
