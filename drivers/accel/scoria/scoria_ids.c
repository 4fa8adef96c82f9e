// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_ids.h"

void scoria_ids_init(struct scoria_ids *ids, int max)
{
	xa_init_flags(&ids->objects, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	ids->last = 0;
	atomic_set(&ids->count, 0);
	ids->max = max;
}

int scoria_ids_add(struct scoria_ids *ids, void *object, u32 *id)
{
	int ret;

	if (atomic_inc_return(&ids->count) > ids->max) {
		atomic_dec(&ids->count);
		return -ENOSPC;
	}
	ret = xa_alloc_cyclic(&ids->objects, id, object, xa_limit_32b, &ids->last,
			      GFP_KERNEL_ACCOUNT);
	if (ret < 0)
		atomic_dec(&ids->count);
	/* 1 says that the numbers have gone round */
	return min(ret, 0);
}

void *scoria_ids_remove(struct scoria_ids *ids, u32 id)
{
	void *object = xa_erase(&ids->objects, id);

	if (object)
		atomic_dec(&ids->count);
	return object;
}
