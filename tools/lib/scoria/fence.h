/* SPDX-License-Identifier: MIT */
/* Jobs that run while their caller does something else. */
#ifndef SCORIA_FENCE_H
#define SCORIA_FENCE_H

#include <scoria/sequence.h>

#include "device.h"

/* Start @n jobs, which are copied. */
int fence_create(struct scoria_device *dev, const struct npu_job *jobs, size_t n,
		 struct scoria_fence **fence);

#endif
