/* SPDX-License-Identifier: MIT */
/*
 * Arrays in the layout of the NPU, in its memory, so that an operation's output can be
 * the next one's input as it is (sequence.h).
 *
 * An array is batch x c x h x w elements. In the NPU's layout, NC1HWC2, an image is
 * surfaces of lanes channels each, a surface h rows of w units, and a unit 16
 * bytes: the lanes of one pixel. Channel i is lane i % lanes of surface i / lanes. A
 * matrix of rows x columns is one image: columns channels, h = rows, w = 1.
 *
 * Every image has as many surfaces as any operation touches: a multiple of four, or of
 * eight for types of four bytes. Lanes beyond c are finite, but need not be 0.
 *
 * uint8 is stored as int8, 128 less, as the NPU sees it; tf32 as it is.
 *
 * Threads: a tensor may be packed, unpacked or run by one thread at a time.
 */
#ifndef SCORIA_TENSOR_H
#define SCORIA_TENSOR_H

#include <scoria/buffer.h>
#include <scoria/conv2d.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scoria_tensor;

/**
 * struct scoria_tensor_opts - which array
 * @size:  sizeof(struct scoria_tensor_opts)
 * @type:  fp16, bf16, tf32, fp32, int8, uint8 or int32
 * @batch: images, 0 stands for 1
 * @c:     channels
 * @h: @w: rows and columns
 */
struct scoria_tensor_opts {
	size_t size;
	enum scoria_type type;
	size_t batch;
	size_t c;
	size_t h;
	size_t w;
};

/**
 * struct scoria_tensor_info - how it lies
 * @size:     sizeof(struct scoria_tensor_info)
 * @address:  NPU address of image 0
 * @lanes:    channels of a unit (C2)
 * @surfaces: of an image
 * @line: @surface: @image: bytes from a row, a surface, an image to the next
 * @bytes:    of all images
 */
struct scoria_tensor_info {
	size_t size;
	uint64_t address;
	uint64_t lanes;
	uint64_t surfaces;
	uint64_t line;
	uint64_t surface;
	uint64_t image;
	uint64_t bytes;
};

/*
 * A tensor of zeros; with uint8, of 128. -EINVAL for sizes of 0, -EOPNOTSUPP for other
 * types, -ENOSPC and -ENOMEM as scoria_buffer_create().
 */
SCORIA_API int scoria_tensor_create(struct scoria_device *dev,
				    const struct scoria_tensor_opts *opts,
				    struct scoria_tensor **tensor);

/* After the sequences that use it. NULL is accepted. */
SCORIA_API void scoria_tensor_destroy(struct scoria_tensor *tensor);

/* Fill @info, whose @size the caller sets. */
SCORIA_API int scoria_tensor_info(const struct scoria_tensor *tensor,
				  struct scoria_tensor_info *info);

/* Its memory, which goes with it. Who writes there calls scoria_buffer_sync(). */
SCORIA_API struct scoria_buffer *scoria_tensor_buffer(struct scoria_tensor *tensor);

/*
 * Copy all of an array into the tensor, or back: batch x c x h x w elements (SCORIA_NCHW)
 * or batch x h x w x c (SCORIA_NHWC). Nothing that uses the tensor may be running.
 */
SCORIA_API int scoria_tensor_pack(struct scoria_tensor *tensor, enum scoria_layout layout,
				  const void *data);
SCORIA_API int scoria_tensor_unpack(const struct scoria_tensor *tensor, enum scoria_layout layout,
				    void *data);

/**
 * struct scoria_strides - where the elements of an array are
 * @size: sizeof(struct scoria_strides)
 * @batch: @c: @h: @w: elements from an image, a channel, a row, a column to the next; what
 *        there is only one of has any stride
 */
struct scoria_strides {
	size_t size;
	size_t batch;
	size_t c;
	size_t h;
	size_t w;
};

/*
 * The same for an array with gaps or in another order, such as a camera's frame or a part
 * of a larger array, from where it lies: @data is its element of channel 0, row 0, column 0.
 * Gaps are neither read nor written. A stride of 0 repeats what is packed. -EINVAL: it
 * reaches beyond the address space, or two elements would be unpacked to one place.
 */
SCORIA_API int scoria_tensor_pack_strided(struct scoria_tensor *tensor,
					  const struct scoria_strides *strides,
					  const void *data);
SCORIA_API int scoria_tensor_unpack_strided(const struct scoria_tensor *tensor,
					    const struct scoria_strides *strides, void *data);

#ifdef __cplusplus
}
#endif

#endif
