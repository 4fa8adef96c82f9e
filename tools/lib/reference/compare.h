/* SPDX-License-Identifier: MIT */
/* Results against the reference, with the tolerances of the op table. */
#ifndef REFERENCE_COMPARE_H
#define REFERENCE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <scoria/types.h>

/* How near results have to be. */
enum compare_rule {
	/*
	 * Integers must be equal. Floats may differ by 2^-10 |ref| (fp16) or 2^-23
	 * |ref| (fp32), plus terms 2^-24 sum|a b|, and fp16 by half its smallest step.
	 */
	COMPARE_SUM,
	/* Floats must be equal as well; NaN equals NaN, and -0 equals 0. */
	COMPARE_EXACT,
	/* As COMPARE_SUM, but integers may be 1/2 + 2^-10 |ref| away from a real value. */
	COMPARE_MEAN,
	/* |got - ref| is at most the tolerance. */
	COMPARE_WITHIN,
};

/**
 * struct compare - a comparison under way
 * @type:      of the results
 * @rule:      see enum compare_rule
 * @tolerance: of COMPARE_WITHIN, for the next result
 * @terms:     summands of each result, the bias included
 * @magnitude: sum|a b| (+ |bias|) of one result; asked for only where the result is
 *             not already close enough without it
 * @ctx:       first argument of @magnitude
 * @count:     results compared
 * @bad:       those outside the tolerance
 * @first_bad: index of the first, its value and what was expected
 * @max_error: largest |got - ref| where both are finite
 * @max_used:  largest fraction of the tolerance that was used, without bad ones
 */
struct compare {
	enum scoria_type type;
	enum compare_rule rule;
	double tolerance;
	double terms;
	double (*magnitude)(void *ctx, size_t index);
	void *ctx;
	size_t count;
	size_t bad;
	size_t first_bad;
	double first_got;
	double first_ref;
	double max_error;
	double max_used;
};

/* Element @index of @data as a double. */
double compare_value(enum scoria_type type, const void *data, size_t index);

/* Result @index of @data against @ref. */
void compare_add(struct compare *compare, const void *data, size_t index, double ref);

/* Something was compared, and nothing was wrong. */
static inline bool compare_passed(const struct compare *compare)
{
	return compare->count && !compare->bad;
}

#endif
