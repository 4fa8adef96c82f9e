/* SPDX-License-Identifier: MIT */
/* One operation on random data, computed by the library and checked against the reference. */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>

#include <scoria/scoria.h>

#include "../../reference/compare.h"
#include "../../reference/random.h"

/* Bytes around an output that must keep their value. */
#define SHAPE_GUARD 64

/**
 * struct shape_verdict - how it went
 * @right: results, guard bytes and gaps between rows are as they must be
 * @err:   of the library, 0 when it computed
 * @text:  the options, and what is wrong
 */
struct shape_verdict {
	bool right;
	int err;
	char text[512];
};

struct shape_verdict shape_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
				  struct random *random);
struct shape_verdict shape_conv2d(struct scoria_device *dev, const struct scoria_conv2d_opts *opts,
				  struct random *random);

/* Fill @verdict, whose text says what was done; @guards: nothing was written outside. */
void shape_judge(struct shape_verdict *verdict, int err, const struct compare *result, bool guards);

/*
 * The model, or what SCORIA_DEVICE names, with its reports counted, see shape_reports();
 * with all its cores, or some.
 */
struct scoria_device *shape_device(void);
struct scoria_device *shape_device_of(unsigned int cores);

/* What the model had to say since the last call; the library's streams give no cause. */
unsigned int shape_reports(void);

#define EXPECT_RIGHT(verdict)							\
	do {									\
		struct shape_verdict verdict_ = (verdict);			\
										\
		if (!verdict_.right)						\
			TAP_FAIL("%s", verdict_.text);				\
	} while (0)

#endif
