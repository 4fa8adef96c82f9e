/* SPDX-License-Identifier: MIT */
/* Which random values operations over vectors get. */
#ifndef SCORIA_VALUES_H
#define SCORIA_VALUES_H

#include "tensor.h"

#define VALUES_OPTION(values) \
	{ "values", OPT_TEXT, (values), 0, "uniform|bits", \
	  "random values: in [-1, 1), or any bit pattern (uniform)" }

/* tensor_load(), with random data as @values says; NULL stands for uniform. */
int values_load(const char *argv0, const char *values, struct tensor *tensor,
		struct random *random);

#endif
