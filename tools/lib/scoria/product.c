// SPDX-License-Identifier: MIT
#include "product.h"

int product_run(struct scoria_matmul_plan *plan, struct scoria_matmul_weights **weights,
		const void *a, const void *b, void *c)
{
	const int err = *weights ? scoria_matmul_weights_update(*weights, b) :
				   scoria_matmul_weights_create(plan, b, weights);

	return err ? err : scoria_matmul_run(plan, *weights, a, c);
}
