/* SPDX-License-Identifier: MIT */
/* A tensor, and whether it is what an operation wants. */
#ifndef SCORIA_TENSOR_INTERNAL_H
#define SCORIA_TENSOR_INTERNAL_H

#include <scoria/tensor.h>

#include "layer.h"

/**
 * struct scoria_tensor - see tensor.h
 * @o:      options, with defaults filled in
 * @lanes:  channels of a unit
 * @surfaces: of an image
 * @plane: @image: bytes of a surface and of an image
 * @buffer: all of it
 */
struct scoria_tensor {
	struct scoria_tensor_opts o;
	uint32_t lanes;
	uint32_t surfaces;
	uint64_t plane;
	uint64_t image;
	struct scoria_buffer *buffer;
};

/* -EINVAL, naming @what and @name, when it is not an array as @want says. */
int tensor_check(const struct scoria_tensor *tensor, const char *what, const char *name,
		 const struct scoria_tensor_opts *want);

/* The NPU address of channel @channel, the first of a unit, of image @image. */
uint32_t tensor_address(const struct scoria_tensor *tensor, uint64_t image, uint32_t channel);

#endif
