/* SPDX-License-Identifier: MIT */
/*
 * Numbers of one type to another, for what goes into operations and comes out. The CPU
 * does this, with the vector unit of the machine: no device takes part.
 *
 *	fp32 to fp16, bf16	to nearest, ties to even; beyond the largest number
 *				infinity, subnormals kept, NaN stays NaN
 *	fp16, bf16 to fp32	exact
 */
#ifndef SCORIA_CONVERT_H
#define SCORIA_CONVERT_H

#include <scoria/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct scoria_convert_opts - what to convert
 * @size: sizeof(struct scoria_convert_opts)
 * @from: @to: types
 * @rows: @columns: of a matrix
 * @ld_from: @ld_to: elements from a row to the next, 0 for rows without gaps
 */
struct scoria_convert_opts {
	size_t size;
	enum scoria_type from;
	enum scoria_type to;
	size_t rows;
	size_t columns;
	size_t ld_from;
	size_t ld_to;
};

/*
 * Gaps between rows are neither read nor written; @from and @to may not overlap.
 * -EOPNOTSUPP: no such pair of types.
 */
SCORIA_API int scoria_convert(const struct scoria_convert_opts *opts, const void *from, void *to);

#ifdef __cplusplus
}
#endif

#endif
