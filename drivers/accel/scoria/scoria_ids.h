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

/**
 * scoria_ids_init() - prepare to give out numbers
 * @ids: the numbers
 * @max: how many objects there can be
 */
void scoria_ids_init(struct scoria_ids *ids, int max);

/**
 * scoria_ids_add() - give an object a number
 * @ids: the numbers
 * @object: the object
 * @id: set to its number
 *
 * Other threads find it by that at once. Numbers go round, so that one that was freed
 * is not soon given to another object.
 *
 * Return: 0, -ENOSPC when there are too many, or -ENOMEM.
 */
int scoria_ids_add(struct scoria_ids *ids, void *object, u32 *id);

/**
 * scoria_ids_remove() - take an object out
 * @ids: the numbers
 * @id: its number
 *
 * Return: the object, NULL if there is none.
 */
void *scoria_ids_remove(struct scoria_ids *ids, u32 id);

#endif
