/* SPDX-License-Identifier: MIT */
/* A matrix product of random numbers on the NPU, checked against the CPU. */
#ifndef DEMO_PRODUCT_H
#define DEMO_PRODUCT_H

#include "step.h"

/* @m x @k times @k x @n. False when it could not be computed. */
bool product_run(struct scoria_device *dev, enum scoria_type type, enum scoria_type out, size_t m,
		 size_t k, size_t n, struct step *step);

#endif
