/* SPDX-License-Identifier: MIT */
/* Operations over vectors, see reference.h. */
#ifndef REFERENCE_VECTORS_H
#define REFERENCE_VECTORS_H

#include <scoria/activation.h>
#include <scoria/eltwise.h>

#include "compare.h"

/*
 * Compare the results @output of an element-wise operation. Inputs that it does not
 * have are NULL; @opts must be valid.
 */
void reference_eltwise(const struct scoria_eltwise_opts *opts, const void *a, const void *b,
		       const void *c, const void *output, struct compare *result);

/* The same for a function, of which @info says how good it is. */
void reference_activation(const struct scoria_activation_opts *opts,
			  const struct scoria_activation_info *info, const void *in,
			  const void *slopes, const void *output, struct compare *result);

/* What a function has to give for @x, and how far a result may be away; without slopes. */
double reference_activation_expected(const struct scoria_activation_opts *opts,
				     const struct scoria_activation_info *info, double x,
				     double *allowed);

/* f(x) in double; @i tells which of the slopes is its own. */
double reference_activation_value(const struct scoria_activation_opts *opts, const void *slopes,
				  double x, size_t i);

#endif
