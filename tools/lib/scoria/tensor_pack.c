// SPDX-License-Identifier: MIT
/* Between tensors and arrays of the caller, however these lie. */
#include "error.h"
#include "limits.h"
#include "pack.h"
#include "tensor.h"
#include "unpack.h"

#define N_AXES 4

/* Sizes and strides in the same order: images, channels, rows, columns. */
struct extent {
	size_t n;
	size_t stride;
};

/* An image as both sides of a layer, for the functions that pack and unpack those. */
static struct plan image_plan(const struct scoria_tensor *t)
{
	const uint32_t size = NPU_UNIT / t->lanes;

	return (struct plan){
		.layer = {
			.fmt = { .in_bits = 8 * size, .in_unit = t->lanes, .out_bytes = size,
				 .out_unit = t->lanes },
			.x = { .in = t->o.w, .out = t->o.w },
			.y = { .in = t->o.h, .out = t->o.h },
			.c = t->o.c,
			.oc = t->o.c,
			.c_align = t->surfaces * t->lanes,
		},
	};
}

static uint8_t flip_of(const struct scoria_tensor *t)
{
	return t->o.type == SCORIA_UINT8 ? 0x80 : 0;
}

static int strides_of(const struct scoria_tensor *t, enum scoria_layout layout,
		      struct scoria_strides *strides)
{
	const bool nhwc = layout == SCORIA_NHWC;

	if (layout != SCORIA_NCHW && layout != SCORIA_NHWC)
		return error_set(EINVAL, "tensor: layout = %d: not a layout", layout);
	*strides = (struct scoria_strides){
		.size = sizeof(*strides),
		.batch = t->o.c * t->o.h * t->o.w,
		.c = nhwc ? 1 : t->o.h * t->o.w,
		.h = nhwc ? t->o.w * t->o.c : t->o.w,
		.w = nhwc ? t->o.c : 1,
	};
	return 0;
}

/* By their strides, the smallest first. */
static void sort(struct extent axes[N_AXES])
{
	struct extent swap;
	int i, j;

	for (i = 1; i < N_AXES; i++)
		for (j = i; j && axes[j].stride < axes[j - 1].stride; j--) {
			swap = axes[j];
			axes[j] = axes[j - 1];
			axes[j - 1] = swap;
		}
}

/* Inside the address space and, if they are @apart, with a place for every element. */
static int check_strides(const struct scoria_tensor *t, const struct scoria_strides *s, bool apart)
{
	struct extent axes[N_AXES] = { { t->o.batch, s->batch }, { t->o.c, s->c },
				       { t->o.h, s->h }, { t->o.w, s->w } };
	const size_t size = scoria_type_size(t->o.type);
	size_t span = 1, reach;
	int i;

	sort(axes);
	for (i = 0; i < N_AXES; i++) {
		if (axes[i].n == 1)
			continue;
		if (apart && axes[i].stride < span)
			return error_set(EINVAL, "tensor: strides of %zu, %zu, %zu, %zu: elements lie on each other",
					 s->batch, s->c, s->h, s->w);
		if (__builtin_mul_overflow(axes[i].n - 1, axes[i].stride, &reach) ||
		    __builtin_add_overflow(span, reach, &span) || span > PTRDIFF_MAX / size)
			return error_set(EINVAL, "tensor: strides of %zu, %zu, %zu, %zu: overflow the address space",
					 s->batch, s->c, s->h, s->w);
	}
	return 0;
}

static int check(const struct scoria_tensor *t, struct scoria_strides *s,
		 const struct scoria_strides *strides, const void *data, bool apart)
{
	int err = opts_copy("tensor strides", s, sizeof(*s), sizeof(*s), strides);

	if (err)
		return err;
	if (!data)
		return error_set(EINVAL, "tensor: data is NULL");
	return check_strides(t, s, apart);
}

int scoria_tensor_pack_strided(struct scoria_tensor *t, const struct scoria_strides *strides,
			       const void *data)
{
	const size_t size = scoria_type_size(t->o.type);
	const struct plan plan = image_plan(t);
	struct scoria_strides s;
	int err = check(t, &s, strides, data, false);
	size_t i;

	for (i = 0; i < t->o.batch && !err; i++) {
		const struct strided from = {
			.data = (const uint8_t *)data + i * s.batch * size,
			.c = s.c,
			.h = s.h,
			.w = s.w,
			.repeat = 1,
			.flip = flip_of(t),
		};

		pack_features((uint8_t *)scoria_buffer_map(t->buffer) + i * t->image, &plan.layer,
			      &from, t->o.h);
	}
	return err ? err : scoria_buffer_sync(t->buffer, 0, scoria_buffer_size(t->buffer),
					      SCORIA_SYNC_TO_DEVICE);
}

int scoria_tensor_unpack_strided(const struct scoria_tensor *t,
				 const struct scoria_strides *strides, void *data)
{
	const size_t size = scoria_type_size(t->o.type);
	const struct plan plan = image_plan(t);
	struct scoria_strides s;
	int err = check(t, &s, strides, data, true);
	size_t i;

	if (!err)
		err = scoria_buffer_sync(t->buffer, 0, scoria_buffer_size(t->buffer),
					 SCORIA_SYNC_FROM_DEVICE);
	for (i = 0; i < t->o.batch && !err; i++) {
		const struct destination to = {
			.data = (uint8_t *)data + i * s.batch * size,
			.c = s.c,
			.h = s.h,
			.w = s.w,
			.flip = flip_of(t),
		};

		unpack(&to, (const uint8_t *)scoria_buffer_map(t->buffer) + i * t->image, &plan,
		       NULL, t->o.h);
	}
	return err;
}

int scoria_tensor_pack(struct scoria_tensor *t, enum scoria_layout layout, const void *data)
{
	struct scoria_strides strides;
	int err = strides_of(t, layout, &strides);

	return err ? err : scoria_tensor_pack_strided(t, &strides, data);
}

int scoria_tensor_unpack(const struct scoria_tensor *t, enum scoria_layout layout, void *data)
{
	struct scoria_strides strides;
	int err = strides_of(t, layout, &strides);

	return err ? err : scoria_tensor_unpack_strided(t, &strides, data);
}
