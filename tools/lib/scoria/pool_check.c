// SPDX-License-Identifier: MIT
/* What a pooling may ask for. */
#include "error.h"
#include "limits.h"
#include "pool.h"

/* One direction, by the names of the header. */
struct side {
	const char *name;
	size_t in;
	size_t *kernel;
	size_t *stride;
	size_t before;
	size_t after;
	uint32_t *out;
};

static int check_types(const struct scoria_pool_opts *o)
{
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "pool: type = %d: not a type", o->type);
	if (o->method < SCORIA_POOL_MAX || o->method > SCORIA_POOL_AVERAGE)
		return error_set(EINVAL, "pool: method = %d: not a method", o->method);
	if (o->layout != SCORIA_NCHW && o->layout != SCORIA_NHWC)
		return error_set(EINVAL, "pool: layout = %d: not a layout", o->layout);
	if (o->type != SCORIA_FP16 && o->type != SCORIA_INT8 && o->type != SCORIA_UINT8)
		return error_set(EOPNOTSUPP, "pool: type = %s: have fp16, int8 and uint8",
				 scoria_type_name(o->type));
	return 0;
}

static int check_pad_value(const struct scoria_pool_opts *o)
{
	int32_t low = o->type == SCORIA_INT8 ? INT8_MIN : 0;
	int32_t high = o->type == SCORIA_INT8 ? INT8_MAX : UINT8_MAX;

	if (!o->pad_value)
		return 0;
	if (o->type == SCORIA_FP16 || o->method != SCORIA_POOL_AVERAGE || !o->count_include_pad)
		return error_set(EINVAL, "pool: pad_value = %d: only int8 and uint8 averages with count_include_pad have one",
				 o->pad_value);
	if (o->pad_value < low || o->pad_value > high)
		return error_set(EINVAL, "pool: pad_value = %d: %s goes from %d to %d", o->pad_value,
				 scoria_type_name(o->type), low, high);
	return 0;
}

static int check_size(const char *name, size_t size)
{
	if (!size)
		return error_set(EINVAL, "pool: %s is 0", name);
	/* a plane of so many units is all of the NPU's window */
	if (size > NPU_WINDOW / NPU_UNIT)
		return error_set(ENOSPC, "pool: %s = %zu does not fit the NPU's 4 GiB", name, size);
	return 0;
}

static int check_side(const struct side *side)
{
	int err = check_size(side->name, side->in);

	if (err)
		return err;
	if (!*side->kernel)
		*side->kernel = side->in;
	if (!*side->stride)
		*side->stride = *side->kernel;
	if (*side->stride > INT32_MAX)
		return error_set(EINVAL, "pool: stride of %zu in %s is above the limit of 2^31 - 1",
				 *side->stride, side->name);
	if (side->before >= *side->kernel || side->after >= *side->kernel)
		return error_set(EINVAL, "pool: padding of %zu and %zu of %s must be less than the kernel of %zu",
				 side->before, side->after, side->name, *side->kernel);
	/* padding is less than the kernel, so neither of these sums wraps */
	if (*side->kernel > NPU_WINDOW / NPU_UNIT ||
	    *side->kernel > side->in + side->before + side->after)
		return error_set(EINVAL, "pool: a kernel of %zu does not fit %s = %zu with padding %zu and %zu",
				 *side->kernel, side->name, side->in, side->before, side->after);
	*side->out = (side->in + side->before + side->after - *side->kernel) / *side->stride + 1;
	return 0;
}

static int check_bytes(const struct pool_shape *shape)
{
	const struct scoria_pool_opts *o = &shape->o;
	size_t in = scoria_type_size(o->type), out = in;
	const struct { size_t in; size_t out; } factors[] = {
		{ o->batch, o->batch }, { o->c, o->c }, { o->h, shape->oh }, { o->w, shape->ow },
	};

	for (int i = 0; i < 4; i++)
		if (__builtin_mul_overflow(in, factors[i].in, &in) || in > PTRDIFF_MAX ||
		    __builtin_mul_overflow(out, factors[i].out, &out) || out > PTRDIFF_MAX)
			return error_set(EINVAL, "pool: batch = %zu, c = %zu, h = %zu, w = %zu: the size overflows the address space",
					 o->batch, o->c, o->h, o->w);
	return 0;
}

int pool_check(struct pool_shape *shape, const struct scoria_pool_opts *opts)
{
	struct scoria_pool_opts *o = &shape->o;
	const struct side y = { "h", opts ? opts->h : 0, &o->kh, &o->stride_y,
				opts ? opts->pad_top : 0, opts ? opts->pad_bottom : 0, &shape->oh };
	const struct side x = { "w", opts ? opts->w : 0, &o->kw, &o->stride_x,
				opts ? opts->pad_left : 0, opts ? opts->pad_right : 0, &shape->ow };
	int err;

	*shape = (struct pool_shape){ 0 };
	err = opts_copy("pool", o, sizeof(*o), sizeof(*o), opts);
	if (!err)
		err = check_types(o);
	if (!err)
		err = check_pad_value(o);
	if (!err)
		err = check_size("batch", o->batch);
	if (!err)
		err = check_size("c", o->c);
	if (!err)
		err = check_side(&y);
	if (!err)
		err = check_side(&x);
	return err ? err : check_bytes(shape);
}

int scoria_pool_output(const struct scoria_pool_opts *opts, size_t *oh, size_t *ow)
{
	struct pool_shape shape;
	int err = pool_check(&shape, opts);

	if (err)
		return err;
	*oh = shape.oh;
	*ow = shape.ow;
	return 0;
}
