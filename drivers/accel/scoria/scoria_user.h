/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_USER_H
#define SCORIA_USER_H

#include <linux/mm.h>
#include <linux/uaccess.h>

/* A struct longer than this nobody will ever have. */
#define SCORIA_MAX_STRIDE	4096

static inline bool scoria_is_stride(u32 stride, size_t least)
{
	return stride >= least && stride <= SCORIA_MAX_STRIDE;
}

/*
 * Copy element @i of an array in userspace, whose structs may be longer than
 * ours, or shorter.
 */
static inline int scoria_copy_element(void *to, size_t size, u64 array, u32 i, u32 stride)
{
	if (stride > SCORIA_MAX_STRIDE)
		return -E2BIG;
	return copy_struct_from_user(to, size, u64_to_user_ptr(array + (u64)i * stride), stride);
}

#endif
