// SPDX-License-Identifier: MIT
/* What is added to the sums of every column of a product. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "matmul.h"

/* Row by row, as B lies. */
static void sum_columns(const struct scoria_matmul_opts *o, const uint8_t *b,
			struct kernel_sums *sums)
{
	const struct zero_points zp = matmul_zero_points(o);
	const bool kn = o->b_layout == SCORIA_B_KN;
	const size_t rows = kn ? o->k : o->n, columns = kn ? o->n : o->k;
	size_t row, column;

	for (row = 0; row < rows; row++)
		for (column = 0; column < columns; column++)
			kernel_sums_add(&sums[kn ? column : row], &zp, b[row * o->ldb + column]);
}

static int fold_columns(const struct scoria_matmul_plan *plan, const uint8_t *b, int32_t *to)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	const struct zero_points zp = matmul_zero_points(o);
	struct kernel_sums *sums = calloc(o->n, sizeof(*sums));
	const int32_t *bias = plan->bias;
	int err = 0;
	size_t j;

	if (!sums)
		return error_no_memory();
	sum_columns(o, b, sums);
	for (j = 0; j < o->n && !err; j++)
		err = zero_points_fold("matmul", &zp, &sums[j], bias ? bias[j] : 0, j, &to[j]);
	free(sums);
	return err;
}

int matmul_bias(const struct scoria_matmul_plan *plan, const void *b, void *to)
{
	if (matmul_has_zero_points(&plan->opts))
		return fold_columns(plan, b, to);
	if (plan->bias)
		memcpy(to, plan->bias, plan->opts.n * sizeof(uint32_t));
	return 0;
}
