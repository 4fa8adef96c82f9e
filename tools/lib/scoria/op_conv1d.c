// SPDX-License-Identifier: MIT
/* One-dimensional convolution in terms of the two-dimensional one. */
#include <scoria/conv1d.h>

#include "check.h"
#include "error.h"

/* What has another name here; conv2d.h has the rest. */
static int check_length(const struct scoria_conv1d_opts *o)
{
	const uint64_t window = (uint64_t)(o->dilation ? o->dilation : 1) * (o->kernel - 1) + 1;

	if (!o->length || o->length > INT32_MAX || !o->kernel || o->kernel > INT32_MAX)
		return error_set(EINVAL, "conv1d: length = %zu, kernel = %zu: must be from 1 to 2^31 - 1",
				 o->length, o->kernel);
	if (o->stride > INT32_MAX || o->dilation > INT32_MAX)
		return error_set(EINVAL, "conv1d: stride = %zu, dilation = %zu: the limit is 2^31 - 1",
				 o->stride, o->dilation);
	if (o->pad_left > INT32_MAX || o->pad_right > INT32_MAX)
		return error_set(EINVAL, "conv1d: pad_left = %zu, pad_right = %zu: the limit is 2^31 - 1",
				 o->pad_left, o->pad_right);
	if (window > (uint64_t)o->length + o->pad_left + o->pad_right)
		return error_set(EINVAL, "conv1d: kernel = %zu with dilation = %zu does not fit length = %zu with pad_left = %zu and pad_right = %zu",
				 o->kernel, o->dilation, o->length, o->pad_left, o->pad_right);
	return 0;
}

int scoria_conv1d_as_conv2d(const struct scoria_conv1d_opts *opts,
			    struct scoria_conv2d_opts *conv2d)
{
	int err = CHECK_POINTERS("conv1d", POINTER(conv2d));
	struct scoria_conv1d_opts o;

	if (!err)
		err = opts_copy("conv1d", &o, sizeof(o),
				offsetof(struct scoria_conv1d_opts, fuse), opts);
	if (!err)
		err = check_length(&o);
	if (err)
		return err;
	*conv2d = (struct scoria_conv2d_opts){
		.size = sizeof(*conv2d),
		.type = o.type,
		.out = o.out,
		.layout = o.layout,
		.batch = o.batch,
		.ic = o.ic,
		.oc = o.oc,
		.h = 1,
		.w = o.length,
		.kh = 1,
		.kw = o.kernel,
		.stride_x = o.stride,
		.dilation_x = o.dilation,
		.pad_left = o.pad_left,
		.pad_right = o.pad_right,
		.groups = o.groups,
		.bias = o.bias,
		.relu = o.relu,
		.input_zp = o.input_zp,
		.weight_zp = o.weight_zp,
		.output_zp = o.output_zp,
		.scale = o.scale,
		.scales = o.scales,
		.relu_max = o.relu_max,
		.fuse = o.fuse,
	};
	return 0;
}

int scoria_conv1d(struct scoria_device *dev, const struct scoria_conv1d_opts *opts,
		  const void *input, const void *weights, const void *bias, void *output)
{
	struct scoria_conv2d_opts conv2d;
	int err = scoria_conv1d_as_conv2d(opts, &conv2d);

	return err ? err : scoria_conv2d(dev, &conv2d, input, weights, bias, output);
}
