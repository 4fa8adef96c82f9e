/* SPDX-License-Identifier: MIT */
/*
 * The sum of every row of a matrix: a product with a column of ones, since the NPU
 * adds over channels nowhere but in its MAC array (programming-model A1).
 */
#ifndef SCORIA_ROW_SUMS_H
#define SCORIA_ROW_SUMS_H

#include <stdbool.h>

#include <scoria/device.h>

struct row_sums;

/* @m rows of @k elements, fp16 or int8, @lda elements from a row to the next. */
int row_sums_create(struct scoria_device *dev, enum scoria_type type, size_t m, size_t k,
		    size_t lda, struct row_sums **sums);
void row_sums_destroy(struct row_sums *sums);

/* fp16 in fp32, int8 exactly. */
int row_sums_run(struct row_sums *sums, const void *a, double *out);

/* What @runs runs cost. */
int row_sums_info(const struct row_sums *sums, uint64_t runs,
		  struct scoria_plan_info *info);

#endif
