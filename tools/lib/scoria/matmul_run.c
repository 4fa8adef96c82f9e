// SPDX-License-Identifier: MIT
/* A planned matrix product carried out: product by product, in pieces of rows. */
#include "error.h"
#include "matmul.h"
#include "pack.h"
#include "unpack.h"

static struct epilogue epilogue_of(const struct scoria_matmul_plan *plan)
{
	const struct scoria_matmul_opts *o = &plan->opts;

	return (struct epilogue){
		.type = o->out,
		.alpha = o->alpha,
		.bias = plan->bias,
		.relu = o->relu,
		.relu_max = relu_limit(matmul_is_float(o->type), o->relu_max),
		.requant = plan->requant,
		.zero_point = o->output_zp,
	};
}

static int run_rows(struct scoria_matmul_plan *plan, struct operands *operands, const void *a,
		    void *c, uint32_t rows)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	const struct epilogue epilogue = epilogue_of(plan);
	const struct strided from = { .data = a, .c = 1, .h = o->lda, .repeat = 1 };
	const struct destination to = { .data = c, .c = 1, .h = o->ldc };
	struct program *program = &plan->program;
	int err;

	pack_features(program_input(program, 0), &program->plan.layer, &from, rows);
	err = program_run(program, operands);
	if (!err)
		unpack(&to, program_output(program, 0), &program->plan, &epilogue, rows);
	return err;
}

static int run_product(struct scoria_matmul_plan *plan, struct matmul_operand *b, const void *a,
		       void *c)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	size_t row;
	int err = 0;

	if (plan->planes)
		return planes_run(plan->planes, b->planes, a, c);
	for (row = 0; row < o->m && !err; row += plan->rows)
		err = run_rows(plan, &b->operands,
			       (const uint8_t *)a + row * o->lda * scoria_type_size(o->type),
			       (uint8_t *)c + row * o->ldc * scoria_type_size(o->out),
			       min_u32(plan->rows, o->m - row));
	return err;
}

int scoria_matmul_run(struct scoria_matmul_plan *plan, struct scoria_matmul_weights *weights,
		      const void *a, void *c)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	size_t i;
	int err = 0;

	if (weights->plan != plan)
		return error_set(EINVAL, "matmul: the weights belong to another plan");
	for (i = 0; i < o->batch && !err; i++)
		err = run_product(plan, &weights->b[o->b_shared ? 0 : i],
				  (const uint8_t *)a + i * o->stride_a * scoria_type_size(o->type),
				  (uint8_t *)c + i * o->stride_c * scoria_type_size(o->out));
	return err;
}

int scoria_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *opts, const void *a,
		  const void *b, void *c)
{
	struct scoria_matmul_weights *weights = NULL;
	struct scoria_matmul_plan *plan = NULL;
	int err;

	err = scoria_matmul_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_matmul_weights_create(plan, b, &weights);
	if (!err)
		err = scoria_matmul_run(plan, weights, a, c);
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	return err;
}
