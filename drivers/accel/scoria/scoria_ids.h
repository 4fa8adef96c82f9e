/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers by which a file knows its programs and queues. */
#ifndef SCORIA_IDS_H
#define SCORIA_IDS_H

#include <linux/atomic.h>
#include <linux/xarray.h>

/**
 * struct scoria_ids - objects by number, from 1 on
 * @objects: them; its lock is the one to take for a reference on what was found
 * @last:    number given last
 * @count:   objects in it, and on their way
 * @max:     how many there may be
 */
struct scoria_ids {
	struct xarray objects;
	u32 last;
	atomic_t count;
	int max;
};

void scoria_ids_init(struct scoria_ids *ids, int max);

/*
 * Give @object a number, by which other threads find it at once. Numbers go
 * round, so that one that was freed is not soon given to another object.
 * -ENOSPC when there are too many.
 */
int scoria_ids_add(struct scoria_ids *ids, void *object, u32 *id);

/* Take the object with number @id out; NULL if there is none. */
void *scoria_ids_remove(struct scoria_ids *ids, u32 id);

#endif
