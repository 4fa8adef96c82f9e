/* SPDX-License-Identifier: MIT */
/* A random operation of any kind on random data, checked against the reference. */
#ifndef RANDOM_OP_H
#define RANDOM_OP_H

#include "shape.h"

struct shape_verdict random_op(struct scoria_device *dev, struct random *random);

#endif
