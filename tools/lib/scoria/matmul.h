/* SPDX-License-Identifier: MIT */
/* Matrix product: what its checks, its plan and its run share. */
#ifndef SCORIA_MATMUL_INTERNAL_H
#define SCORIA_MATMUL_INTERNAL_H

#include <scoria/matmul.h>

#include "fusion.h"
#include "program.h"
#include "requant.h"
#include "zero_points.h"

struct planes;
struct planes_weights;

/**
 * struct scoria_matmul_plan - see matmul.h
 * @opts:    checked, with all defaults filled in
 * @cores:   to keep busy
 * @bias:    a copy of the caller's, or NULL
 * @requant: of every column, NULL when nothing is requantised
 * @ending:  what follows the sums
 * @program: of @rows rows of one product; of none when there are @planes
 * @rows:    of A in one run of the program
 * @post: @post_rows: passes over rows that the CPU has finished, so many at a time
 * @planes:  an int16 product by bytes, else NULL
 */
struct scoria_matmul_plan {
	struct scoria_matmul_opts opts;
	uint32_t cores;
	void *bias;
	struct scoria_requant *requant;
	struct ending ending;
	struct program program;
	uint32_t rows;
	struct post post;
	size_t post_rows;
	struct planes *planes;
};

/* One B. */
struct matmul_operand {
	struct operands operands;
	struct planes_weights *planes;
};

struct scoria_matmul_weights {
	struct scoria_matmul_plan *plan;
	size_t n;
	struct matmul_operand b[];
};

/* The real multipliers of requantised results. */
struct requant_scales matmul_scales(const struct scoria_matmul_opts *o);

int matmul_check(struct scoria_matmul_opts *o, const struct scoria_matmul_opts *opts);

static inline bool matmul_is_float(enum scoria_type type)
{
	return type == SCORIA_FP16 || type == SCORIA_BF16 || type == SCORIA_TF32;
}

static inline struct zero_points matmul_zero_points(const struct scoria_matmul_opts *o)
{
	return (struct zero_points){ o->type, o->a_zp, o->b_zp };
}

/* The columns of B have to be summed for their bias. */
static inline bool matmul_has_zero_points(const struct scoria_matmul_opts *o)
{
	const struct zero_points zp = matmul_zero_points(o);

	return (o->type == SCORIA_INT8 || o->type == SCORIA_UINT8) && zero_points_are_any(&zp);
}

/*
 * What is added to the columns of the product with @b, for the area "bias". -EOVERFLOW
 * when with zero points a sum could leave int32.
 */
int matmul_bias(const struct scoria_matmul_plan *plan, const void *b, void *to);

/* Weights that hold nothing yet: scoria_matmul_weights_update() has to follow. */
int matmul_weights_reserve(struct scoria_matmul_plan *plan, struct scoria_matmul_weights **weights);

/* An int16 product is four of int8. */
int planes_create(struct scoria_device *dev, const struct scoria_matmul_opts *o,
		  struct planes **planes);
void planes_destroy(struct planes *planes);
int planes_info(const struct planes *planes, struct scoria_plan_info *info);
int planes_weights_create(struct planes *planes, struct planes_weights **weights);
int planes_weights_pack(struct planes *planes, struct planes_weights *weights, const int16_t *b);
void planes_weights_destroy(struct planes_weights *weights);
int planes_run(struct planes *planes, struct planes_weights *weights, const int16_t *a, int64_t *c);

#endif
