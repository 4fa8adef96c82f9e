/* SPDX-License-Identifier: MIT */
/* Random shapes over every parameter. */
#ifndef RANDOM_SHAPE_H
#define RANDOM_SHAPE_H

#include <stdbool.h>

#include <scoria/scoria.h>

#include "../../reference/random.h"

struct scoria_matmul_opts random_matmul(struct random *random);
struct scoria_conv2d_opts random_conv2d(struct random *random);

#endif
