/* SPDX-License-Identifier: MIT */
/* Operations that are put together from others, see reference.h. */
#ifndef REFERENCE_COMPOSITES_H
#define REFERENCE_COMPOSITES_H

#include <scoria/attention.h>
#include <scoria/batchnorm.h>
#include <scoria/norm.h>
#include <scoria/softmax.h>

#include "compare.h"

/* Compare @y, whose index is its place. @opts must be valid. */
void reference_softmax(const struct scoria_softmax_opts *opts, const void *x, const void *y,
		       struct compare *result);

/* @gamma and @beta may be NULL. */
void reference_norm(const struct scoria_norm_opts *opts, const void *x, const void *gamma,
		    const void *beta, const void *y, struct compare *result);

void reference_batchnorm(const struct scoria_batchnorm_opts *opts, const void *x, const void *y,
			 struct compare *result);

/* @mask may be NULL. 0 or -ENOMEM. */
int reference_attention(const struct scoria_attention_opts *opts, const void *q, const void *k,
			const void *v, const void *mask, const void *out, struct compare *result);

#endif
