/* SPDX-License-Identifier: MIT */
/* Softmax of fp16 rows without gaps: what softmax and attention share. */
#ifndef SCORIA_SOFTMAX_ROWS_H
#define SCORIA_SOFTMAX_ROWS_H

#include <stdbool.h>

#include <scoria/device.h>

/**
 * struct softmax_shape - see softmax.h
 * @mask_rows: rows of a mask that is added first, repeated for all rows; 0 for none.
 *             Not together with @log
 */
struct softmax_shape {
	size_t rows;
	size_t columns;
	double scale;
	bool log;
	size_t mask_rows;
};

struct softmax_rows;

int softmax_rows_create(struct scoria_device *dev, const struct softmax_shape *shape,
			struct softmax_rows **softmax);
void softmax_rows_destroy(struct softmax_rows *softmax);

/* @y may be @x. */
int softmax_rows_run(struct softmax_rows *softmax, const uint16_t *x, const uint16_t *mask,
		     uint16_t *y);

/* Added to @all. */
void softmax_rows_info(const struct softmax_rows *softmax, struct scoria_plan_info *all);

#endif
