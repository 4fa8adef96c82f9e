// SPDX-License-Identifier: MIT
/*
 * The builder of lookup tables: it chooses the distance of entries, the scale of
 * the index and the scale of the values.
 */
#include "lut.h"

#include <math.h>
#include <string.h>

#include "fp16.h"

#define SEGMENTS	(LUT_ENTRIES - 1)
#define ENTRY_MAX	32767
#define FINEST_SELECT	5	/* the distance of entries in every program that was run (C9) */
#define FACTOR_MAX	0x1p15	/* a power of two that fp16 holds */
#define SCALE		0x1p12	/* what BS adds to it */

/* The next number below @x that an fp16 register holds, so that a range grows and never shrinks. */
static double fp16_below(double x)
{
	uint16_t h = fp32_to_fp16(x);

	return (double)fp16_to_fp32(h) > x ? (double)fp16_to_fp32(h - 1) : (double)fp16_to_fp32(h);
}

/*
 * The index is as fine as FINEST_SELECT in the narrower table allows, or as the
 * multipliers do; then it is a power of two, so that every fp16 number in the
 * range has an index of its own.
 */
static void choose_factor(struct lut *lut, const struct lut_range *r)
{
	double narrow = fmin(r->middle - r->low, r->high - r->middle);
	double most = r->absolute ? FACTOR_MAX : SCALE * FACTOR_MAX;
	double factor = fmin(ldexp(SEGMENTS / narrow, FINEST_SELECT), most);

	lut->scale = factor > FACTOR_MAX ? SCALE : 1;
	lut->factor = fp16_below(factor / lut->scale);
}

/* Entries of a table of @indices indices are as near as they can be. */
static uint8_t choose_select(double indices)
{
	uint8_t select = 0;

	while (ldexp(SEGMENTS, select) < indices)
		select++;
	return select;
}

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* Value of the entry at index @i. */
static double value_at(const struct lut *lut, const struct lut_range *r, int64_t i)
{
	return r->f(r->ctx, clamp(i / (lut->scale * lut->factor), r->low, r->high));
}

static int64_t index_of(const struct lut *lut, unsigned int table, unsigned int i)
{
	return lut->start[table] + ((int64_t)i << lut->select[table]);
}

static double largest(const struct lut *lut, const struct lut_range *r)
{
	unsigned int table, i;
	double most = 0;

	for (table = 0; table < 2; table++)
		for (i = 0; i < LUT_ENTRIES; i++)
			most = fmax(most, value_at(lut, r, index_of(lut, table, i)));
	return most;
}

/* MINUS_EXP from 0 to 15: an entry of 1 must not leave the exponent's range (C7). */
static void choose_exponent(struct lut *lut, double most)
{
	int exponent = 15;

	while (exponent > 0 && ldexp(most, exponent) > ENTRY_MAX + 1)
		exponent--;
	lut->minus_exp = exponent;
}

/*
 * Interpolation rounds down (C9), so entries are rounded up to be off by as much to
 * both sides; but not what is a whole number but for the last bits of @value.
 */
static int16_t entry(const struct lut *lut, double value)
{
	return (int16_t)clamp(ceil(ldexp(value, lut->minus_exp) - 0x1p-6), 1, ENTRY_MAX);
}

void lut_build(struct lut *lut, const struct lut_range *r)
{
	unsigned int table, i;
	double per_unit;

	memset(lut, 0, sizeof(*lut));
	lut->absolute = r->absolute;
	choose_factor(lut, r);
	per_unit = lut->scale * lut->factor;
	lut->start[1] = (int32_t)rint(r->middle * per_unit);
	lut->select[0] = choose_select(lut->start[1] - r->low * per_unit);
	lut->select[1] = choose_select(r->high * per_unit - lut->start[1]);
	lut->start[0] = lut->start[1] - (int32_t)(SEGMENTS << lut->select[0]);
	lut->start[2] = lut->start[1] + (int32_t)(SEGMENTS << lut->select[1]);
	choose_exponent(lut, largest(lut, r));
	for (table = 0; table < 2; table++)
		for (i = 0; i < LUT_ENTRIES; i++)
			lut->entry[table][i] =
				entry(lut, value_at(lut, r, index_of(lut, table, i)));
}

void lut_identity(struct lut *lut, double factor)
{
	unsigned int i;

	memset(lut, 0, sizeof(*lut));
	lut->scale = 1;
	lut->factor = factor;
	lut->slope = 1;
	lut->select[0] = lut->select[1] = FINEST_SELECT;
	for (i = 0; i < 3; i++)
		lut->start[i] = ((int32_t)i - 1) * (int32_t)(SEGMENTS << FINEST_SELECT);
	for (i = 0; i < LUT_ENTRIES; i++) {
		lut->entry[0][i] = (int16_t)index_of(lut, 0, i);
		lut->entry[1][i] = (int16_t)index_of(lut, 1, i);
	}
}
