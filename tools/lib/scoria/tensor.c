// SPDX-License-Identifier: MIT
/* Arrays in the layout of the NPU (programming-model D1, D5). */
#include "tensor.h"

#include <stdlib.h>

#include "check.h"
#include "error.h"
#include "limits.h"

/* Bytes of a pixel that the widest group of kernels writes: 64, or 128 of four bytes each (D5). */
#define SURFACES	4u
#define SURFACES_WIDE	8u

static bool has_layout(enum scoria_type type)
{
	switch (type) {
	case SCORIA_FP16:
	case SCORIA_BF16:
	case SCORIA_TF32:
	case SCORIA_FP32:
	case SCORIA_INT8:
	case SCORIA_UINT8:
	case SCORIA_INT32:
		return true;
	default:
		return false;
	}
}

static int check(struct scoria_tensor_opts *o, const struct scoria_tensor_opts *opts)
{
	int err = opts_copy("tensor", o, sizeof(*o), sizeof(*o), opts);

	if (err)
		return err;
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "tensor: type = %d: not a type", o->type);
	if (!has_layout(o->type))
		return error_set(EOPNOTSUPP, "tensor: %s: have fp16, bf16, tf32, fp32, int8, uint8, int32",
				 scoria_type_name(o->type));
	if (!o->batch)
		o->batch = 1;
	if (!o->c || !o->h || !o->w)
		return error_set(EINVAL, "tensor: c = %zu, h = %zu, w = %zu: none may be 0", o->c,
				 o->h, o->w);
	if (o->c > INT32_MAX || o->h > INT32_MAX || o->w > INT32_MAX)
		return error_set(ENOSPC, "tensor: c = %zu, h = %zu, w = %zu: 2^31 and more do not fit the NPU's 4 GiB",
				 o->c, o->h, o->w);
	return 0;
}

/* False when the bytes do not fit 64 bits. */
static bool measure(struct scoria_tensor *t, uint64_t *bytes)
{
	const size_t size = scoria_type_size(t->o.type);
	const uint32_t step = size == 4 ? SURFACES_WIDE : SURFACES;

	t->lanes = NPU_UNIT / size;
	t->surfaces = align_up(div_up(t->o.c, t->lanes), step);
	return !__builtin_mul_overflow(t->o.h * NPU_UNIT, t->o.w, &t->plane) &&
	       !__builtin_mul_overflow(t->plane, t->surfaces, &t->image) &&
	       !__builtin_mul_overflow(t->image, t->o.batch, bytes) && *bytes <= NPU_WINDOW;
}

int scoria_tensor_create(struct scoria_device *dev, const struct scoria_tensor_opts *opts,
			 struct scoria_tensor **out)
{
	int err = CHECK_POINTERS("tensor", { "dev", dev }, { "tensor", out });
	struct scoria_tensor t = { 0 };
	uint64_t bytes = 0;

	if (!err)
		err = check(&t.o, opts);
	if (!err && !measure(&t, &bytes))
		err = error_set(ENOSPC, "tensor: %zu x %zu x %zu x %zu does not fit the NPU's 4 GiB",
				t.o.batch, t.o.c, t.o.h, t.o.w);
	if (!err)
		err = scoria_buffer_create(dev, bytes, &t.buffer);
	if (err)
		return err;
	*out = malloc(sizeof(t));
	if (!*out) {
		scoria_buffer_destroy(t.buffer);
		return error_no_memory();
	}
	**out = t;
	return 0;
}

void scoria_tensor_destroy(struct scoria_tensor *tensor)
{
	if (!tensor)
		return;
	scoria_buffer_destroy(tensor->buffer);
	free(tensor);
}

int scoria_tensor_info(const struct scoria_tensor *t, struct scoria_tensor_info *info)
{
	int err = CHECK_POINTERS("tensor", { "tensor", t });
	struct scoria_tensor_info all;

	if (err)
		return err;
	all = (struct scoria_tensor_info){
		.address = scoria_buffer_address(t->buffer),
		.lanes = t->lanes,
		.surfaces = t->surfaces,
		.line = t->o.w * NPU_UNIT,
		.surface = t->plane,
		.image = t->image,
		.bytes = scoria_buffer_size(t->buffer),
	};
	return info_copy("tensor information", info, sizeof(info->size), &all, sizeof(all));
}

struct scoria_buffer *scoria_tensor_buffer(struct scoria_tensor *tensor)
{
	return tensor->buffer;
}

int tensor_check(const struct scoria_tensor *t, const char *what, const char *name,
		 const struct scoria_tensor_opts *want)
{
	if (!t)
		return error_set(EINVAL, "%s: tensor %s is NULL", what, name);
	if (t->o.type != want->type)
		return error_set(EINVAL, "%s: tensor %s is %s, the plan has %s", what, name,
				 scoria_type_name(t->o.type), scoria_type_name(want->type));
	if (t->o.batch != want->batch || t->o.c != want->c || t->o.h != want->h ||
	    t->o.w != want->w)
		return error_set(EINVAL, "%s: tensor %s is %zu x %zu x %zu x %zu, the plan has %zu x %zu x %zu x %zu",
				 what, name, t->o.batch, t->o.c, t->o.h, t->o.w, want->batch,
				 want->c, want->h, want->w);
	return 0;
}

uint32_t tensor_address(const struct scoria_tensor *t, uint64_t image, uint32_t channel)
{
	return scoria_buffer_address(t->buffer) + image * t->image +
	       channel / t->lanes * t->plane;
}
