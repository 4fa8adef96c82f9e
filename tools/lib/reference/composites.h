/* SPDX-License-Identifier: MIT */
/* Operations that are put together from others, see reference.h. */
#ifndef REFERENCE_COMPOSITES_H
#define REFERENCE_COMPOSITES_H

#include <scoria/softmax.h>

#include "compare.h"

/* Compare @y, whose index is its place. @opts must be valid. */
void reference_softmax(const struct scoria_softmax_opts *opts, const void *x, const void *y,
		       struct compare *result);

#endif
