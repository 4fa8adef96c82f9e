/* SPDX-License-Identifier: MIT */
/* The running sums of every row of a matrix, by products with triangles of ones. */
#ifndef SCORIA_PREFIX_SUMS_H
#define SCORIA_PREFIX_SUMS_H

#include <scoria/reduce.h>

struct prefix_sums;

/* @o: checked, with defaults filled in. */
int prefix_sums_create(struct scoria_device *dev, const struct scoria_reduce_opts *o,
		       struct prefix_sums **sums);
void prefix_sums_destroy(struct prefix_sums *sums);
int prefix_sums_run(struct prefix_sums *sums, const void *x, void *y);
int prefix_sums_info(const struct prefix_sums *sums, struct scoria_plan_info *info);

/* @value as element @index of a result of @type. */
void reduce_store(enum scoria_type type, void *y, size_t index, double value);

#endif
