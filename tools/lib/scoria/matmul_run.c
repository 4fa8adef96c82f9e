// SPDX-License-Identifier: MIT
/* A planned matrix product carried out: product by product, in pieces of rows. */
#include "check.h"
#include "error.h"
#include "matmul.h"
#include "pack.h"
#include "unpack.h"

/* Rows of one product: the caller's A, operand or NULL, and C. */
struct rows {
	const uint8_t *a;
	const uint8_t *operand;
	uint8_t *c;
	uint32_t n;
};

static int run_rows(struct scoria_matmul_plan *plan, struct operands *operands,
		    const struct rows *rows)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	const struct epilogue epilogue = {
		.ending = &plan->ending,
		.bias = plan->ending.bias ? operands_bias(operands, 0) : NULL,
		.operand = plan->ending.fusion.operand_place == PLACE_CPU ? rows->operand : NULL,
	};
	const struct strided from = { .data = rows->a, .c = 1, .h = o->lda, .repeat = 1,
				      .flip = stored_flip(o->type) };
	const struct strided operand = { .data = rows->operand, .c = 1, .h = o->ldc, .repeat = 1,
					 .flip = stored_flip(o->out) };
	const struct destination to = { .data = rows->c, .c = 1, .h = o->ldc,
					.flip = stored_flip(o->out) };
	struct program *program = &plan->program;
	int err;

	pack_features(program_input(program, 0), &program->plan.layer, &from, rows->n);
	if (program->operand)
		pack_operand(program_operand(program, 0), &program->plan.layer, &operand, rows->n);
	err = program_run(program, operands);
	if (!err)
		unpack(&to, program_output(program, 0), &program->plan, &epilogue, rows->n);
	return err;
}

static int run_passes(struct scoria_matmul_plan *plan, const struct rows *rows)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	const size_t step = plan->post_rows * o->ldc * scoria_type_size(o->out);
	struct rows now = *rows;
	size_t row;
	int err = 0;

	for (row = 0; plan->post.n && row < o->m && !err; row += plan->post_rows) {
		err = post_run_apart(&plan->post, now.operand, now.c);
		now.c += step;
		if (now.operand)
			now.operand += step;
	}
	return err;
}

static int run_product(struct scoria_matmul_plan *plan, struct matmul_operand *b,
		       struct rows rows)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	size_t a_row = o->lda * scoria_type_size(o->type), row;
	size_t c_row = o->ldc * scoria_type_size(o->out);
	int err = 0;

	if (plan->planes)
		return planes_run(plan->planes, b->planes, (const int16_t *)rows.a,
				  (int64_t *)rows.c);
	for (row = 0; row < o->m && !err; row += plan->rows) {
		rows.n = min_u32(plan->rows, o->m - row);
		err = run_rows(plan, &b->operands, &rows);
		rows.a += plan->rows * a_row;
		if (rows.operand)
			rows.operand += plan->rows * c_row;
		rows.c += plan->rows * c_row;
	}
	return err;
}

static int check_run(const struct scoria_matmul_plan *plan,
		     const struct scoria_matmul_weights *weights, const struct rows *rows)
{
	int err = CHECK_POINTERS("matmul", POINTER(plan), POINTER(weights), { "a", rows->a },
				 { "c", rows->c });

	if (err)
		return err;
	if (weights->plan != plan)
		return error_set(EINVAL, "matmul: the weights belong to another plan");
	return fusion_check_operand(&plan->ending, rows->operand);
}

int scoria_matmul_run_fused(struct scoria_matmul_plan *plan, struct scoria_matmul_weights *weights,
			    const void *a, const void *operand, void *c)
{
	struct rows rows = { a, operand, c, 0 };
	int err = check_run(plan, weights, &rows);
	const struct scoria_matmul_opts *o;
	size_t i;

	for (i = 0; !err && i < plan->opts.batch; i++) {
		o = &plan->opts;
		err = run_product(plan, &weights->b[o->b_shared ? 0 : i], rows);
		if (!err)
			err = run_passes(plan, &rows);
		rows.a += o->stride_a * scoria_type_size(o->type);
		if (operand)
			rows.operand += o->stride_c * scoria_type_size(o->out);
		rows.c += o->stride_c * scoria_type_size(o->out);
	}
	return err;
}

int scoria_matmul_run(struct scoria_matmul_plan *plan, struct scoria_matmul_weights *weights,
		      const void *a, void *c)
{
	return scoria_matmul_run_fused(plan, weights, a, NULL, c);
}

int scoria_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *opts, const void *a,
		  const void *b, void *c)
{
	struct scoria_matmul_weights *weights = NULL;
	struct scoria_matmul_plan *plan = NULL;
	int err = CHECK_POINTERS("matmul", POINTER(a), POINTER(b), POINTER(c));

	if (!err)
		err = scoria_matmul_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_matmul_weights_create(plan, b, &weights);
	if (!err)
		err = scoria_matmul_run(plan, weights, a, c);
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	return err;
}
