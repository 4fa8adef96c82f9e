/* SPDX-License-Identifier: MIT */
/* Products of two matrices that are both new at every run. */
#ifndef SCORIA_PRODUCT_H
#define SCORIA_PRODUCT_H

#include <scoria/matmul.h>

/*
 * C := A B. *@weights is NULL before the first run, which makes them, and belongs to the
 * caller; they are destroyed before @plan.
 */
int product_run(struct scoria_matmul_plan *plan, struct scoria_matmul_weights **weights,
		const void *a, const void *b, void *c);

#endif
