/* SPDX-License-Identifier: MIT */
/*
 * Lookup tables of the DPU (programming-model C9): two of 513 entries that meet,
 * linear between entries, constant or with a slope outside.
 */
#ifndef SCORIA_LUT_H
#define SCORIA_LUT_H

#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

#define LUT_ENTRIES 513u

/**
 * struct lut - tables and how they are reached
 * @entry:   LE, LO
 * @start:   index of the first entry of LE, of LO, and of the last entry of LO
 * @select:  entries are 2^select indices apart
 * @slope:   of what lies outside, 0 or 1 per index
 * @absolute: the index follows from |x|
 * @scale:   BS multiplies by it, 1 for nothing to multiply; not together with @absolute
 * @factor:  BN multiplies by it: index = x * scale * factor
 * @minus_exp: the result is the entry times 2^-minus_exp
 */
struct lut {
	int16_t entry[2][LUT_ENTRIES];
	int32_t start[3];
	uint8_t select[2];
	uint8_t slope;
	bool absolute;
	double scale;
	double factor;
	uint8_t minus_exp;
};

/**
 * struct lut_range - what the tables have to hold
 * @f:   positive function; it is asked from @low to @high only
 * @ctx: its argument
 * @low: @middle: @high: LE covers the first part, LO the second
 * @absolute: @f takes |x|
 */
struct lut_range {
	double (*f)(const void *ctx, double x);
	const void *ctx;
	double low;
	double middle;
	double high;
	bool absolute;
};

/*
 * Tables for @range, which hold their ends outside. Fault R6 cannot happen: no
 * entry and so no value between entries is 0, and there are no slopes. What is
 * below the last place is the entry 1, which decodes as 0 when the largest value is
 * at most 1, and as 2^-minus_exp otherwise (C7).
 */
void lut_build(struct lut *lut, const struct lut_range *range);

/* index = round(x * @factor), to nearest even, and the result is the index. */
void lut_identity(struct lut *lut, double factor);

/* The commands that store the tables; there are lut_upload_words(). */
void emit_lut_upload(struct stream *stream, const struct lut *lut);
uint32_t lut_upload_words(void);

/* The LUT's registers for one task. @lut is NULL for none. */
void emit_lut(struct stream *stream, const struct lut *lut);

#endif
