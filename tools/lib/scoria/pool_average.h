/* SPDX-License-Identifier: MIT */
/* Averages as contractions. */
#ifndef SCORIA_POOL_AVERAGE_H
#define SCORIA_POOL_AVERAGE_H

#include "pool.h"

struct pool_average;

int pool_average_create(struct scoria_device *dev, const struct pool_shape *shape,
			struct pool_average **average);
void pool_average_destroy(struct pool_average *average);
int pool_average_info(const struct pool_average *average, struct scoria_plan_info *info);
int pool_average_run(struct pool_average *average, const void *input, void *output);

#endif
