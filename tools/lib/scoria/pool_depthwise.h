/* SPDX-License-Identifier: MIT */
/*
 * Averages of int8 and uint8 as a depthwise convolution with ones, which stays in bytes:
 * the MAC array sums, the output converter divides.
 */
#ifndef SCORIA_POOL_DEPTHWISE_H
#define SCORIA_POOL_DEPTHWISE_H

#include <stdbool.h>

#include <scoria/sequence.h>

#include "pool.h"

struct pool_depthwise;

/* Every window has the same divisor, and is one that convolutions have. */
bool pool_depthwise_can(const struct pool_shape *shape);

int pool_depthwise_create(struct scoria_device *dev, const struct pool_shape *shape,
			  struct pool_depthwise **depthwise);
void pool_depthwise_destroy(struct pool_depthwise *depthwise);
int pool_depthwise_info(const struct pool_depthwise *depthwise, struct scoria_plan_info *info);
int pool_depthwise_run(struct pool_depthwise *depthwise, const void *input, void *output);

/* From tensor to tensor, which have the right shapes. */
int pool_depthwise_add(struct pool_depthwise *depthwise, struct scoria_sequence *seq,
		       const struct scoria_tensor *input, struct scoria_tensor *output);

#endif
