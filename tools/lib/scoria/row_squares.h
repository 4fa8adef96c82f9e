/* SPDX-License-Identifier: MIT */
/*
 * The sum of the squares of every row of a matrix: the diagonal of products of blocks of
 * rows with themselves.
 */
#ifndef SCORIA_ROW_SQUARES_H
#define SCORIA_ROW_SQUARES_H

#include <scoria/device.h>

struct row_squares;

/* @m rows of @k elements without gaps, fp16. */
int row_squares_create(struct scoria_device *dev, size_t m, size_t k,
		       struct row_squares **squares);
void row_squares_destroy(struct row_squares *squares);

/* Rows that @x of row_squares_run() has, for whole blocks. */
size_t row_squares_rows(size_t m, size_t k);

/* In fp32. Rows from @m on have to be finite. */
int row_squares_run(struct row_squares *squares, const uint16_t *x, double *out);

int row_squares_info(const struct row_squares *squares, struct scoria_plan_info *info);

#endif
