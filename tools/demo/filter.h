/* SPDX-License-Identifier: MIT */
/*
 * A 3x3 filter over a picture, as a convolution on the NPU and on the CPU. The
 * CPU starts from the same picture and never sees what the NPU made.
 */
#ifndef DEMO_FILTER_H
#define DEMO_FILTER_H

#include "picture.h"
#include "step.h"

/**
 * struct filter - one filter
 * @name:     one word
 * @what:     for people
 * @opts:     the convolution, its sizes left out
 * @weights:  of it, oc x (ic / groups) x 3 x 3
 * @passes:   how often it is applied, each time to the result before
 */
struct filter {
	const char *name;
	const char *what;
	struct scoria_conv2d_opts opts;
	const void *weights;
	unsigned int passes;
};

#define N_FILTERS 3

extern const struct filter filters[N_FILTERS];

/**
 * struct filtered - what came of it
 * @npu: @cpu:   the pictures
 * @difference:  their distance, DIFFERENCE_GAIN times
 * @values: @same: values of the two results; those equal in every bit
 */
struct filtered {
	struct picture npu;
	struct picture cpu;
	struct picture difference;
	uint64_t values;
	uint64_t same;
};

#define DIFFERENCE_GAIN 64

/* False when it could not be computed; stderr then has the reason. */
bool filter_run(const struct filter *filter, struct scoria_device *dev,
		const struct picture *photo, struct filtered *filtered, struct step *step);

void filtered_free(struct filtered *filtered);

#endif
