// SPDX-License-Identifier: MIT
/* One-dimensional convolution in terms of the two-dimensional one. */
#include <scoria/conv1d.h>

#include "error.h"

int scoria_conv1d_as_conv2d(const struct scoria_conv1d_opts *opts,
			    struct scoria_conv2d_opts *conv2d)
{
	struct scoria_conv1d_opts o;
	int err = opts_copy("conv1d", &o, sizeof(o), offsetof(struct scoria_conv1d_opts, fuse),
			    opts);

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
