/* SPDX-License-Identifier: MIT */
/*
 * The largest of every row of fp16 numbers. The CPU finds it: the PPU wants rows for
 * channels, and to copy them there takes longer than to compare them here.
 */
#ifndef SCORIA_ROW_MAXIMA_H
#define SCORIA_ROW_MAXIMA_H

#include <stddef.h>
#include <stdint.h>

/* @out: one of each row, NaN where a row has one. */
void row_maxima(const uint16_t *x, size_t rows, size_t columns, uint16_t *out);

#endif
