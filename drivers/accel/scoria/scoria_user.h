/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_USER_H
#define SCORIA_USER_H

#include <linux/mm.h>
#include <linux/uaccess.h>

/* A struct longer than this nobody will ever have. */
#define SCORIA_MAX_STRIDE	4096

/**
 * scoria_is_stride() - ask whether structs of an array can be so far apart
 * @stride: what userspace says
 * @least: size of the oldest version of the struct
 *
 * Return: whether they can.
 */
static inline bool scoria_is_stride(u32 stride, size_t least)
{
	return stride >= least && stride <= SCORIA_MAX_STRIDE;
}

/**
 * scoria_copy_element() - copy an element of an array in userspace
 * @to: where to
 * @size: of our struct
 * @array: address of the array
 * @i: index of the element
 * @stride: distance of elements
 *
 * Its structs may be longer than ours, or shorter.
 *
 * Return: 0, -E2BIG when it is too long or says what we do not know, or -EFAULT.
 */
static inline int scoria_copy_element(void *to, size_t size, u64 array, u32 i, u32 stride)
{
	if (stride > SCORIA_MAX_STRIDE)
		return -E2BIG;
	return copy_struct_from_user(to, size, u64_to_user_ptr(array + (u64)i * stride), stride);
}

#endif
