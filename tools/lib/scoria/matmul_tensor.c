// SPDX-License-Identifier: MIT
/* A matrix product from tensor to tensor. */
#include "check.h"
#include "error.h"
#include "matmul.h"
#include "sequence.h"
#include "tensor.h"

struct operation {
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_weights *weights;
	const struct scoria_tensor *a;
	const struct scoria_tensor *operand;
	struct scoria_tensor *c;
};

static int check_way(const struct scoria_matmul_plan *plan)
{
	const struct scoria_matmul_opts *o = &plan->opts;

	if (plan->planes || o->type == SCORIA_INT4)
		return error_set(EOPNOTSUPP, "matmul: tensors: %s is taken apart by the CPU",
				 scoria_type_name(o->type));
	if (plan->program.plan.layer.unfinished)
		return error_set(EOPNOTSUPP, "matmul: tensors: the CPU finishes these sums");
	if (plan->rows < o->m)
		return error_set(EOPNOTSUPP, "matmul: tensors: m = %zu runs in pieces of %u rows",
				 o->m, plan->rows);
	return 0;
}

static int check_tensors(const struct operation *op)
{
	const struct scoria_matmul_opts *o = &op->plan->opts;
	const struct scoria_tensor_opts a = { .type = o->type, .batch = o->batch, .c = o->k,
					      .h = o->m, .w = 1 };
	const struct scoria_tensor_opts c = { .type = o->out, .batch = o->batch, .c = o->n,
					      .h = o->m, .w = 1 };
	int err = tensor_check(op->a, "matmul", "a", &a);

	if (!err)
		err = tensor_check(op->c, "matmul", "c", &c);
	if (!err)
		err = fusion_check_operand(&op->plan->ending, op->operand);
	if (!err && op->operand)
		err = tensor_check(op->operand, "matmul", "operand", &c);
	if (!err && (op->c == op->a || op->c == op->operand))
		err = error_set(EINVAL, "matmul: c is one of the inputs");
	return err;
}

static int emit_products(const struct operation *op, struct chain *chain, uint32_t results)
{
	const struct scoria_matmul_opts *o = &op->plan->opts;
	uint64_t task = 0, i;

	for (i = 0; i < o->batch; i++) {
		struct operands *b = &op->weights->b[o->b_shared ? 0 : i].operands;
		struct areas areas = program_operands(&op->plan->program, b, 0);

		areas.in = tensor_address(op->a, i, 0);
		areas.operand = op->operand ? tensor_address(op->operand, i, 0) : 0;
		areas.out = results + i * op->c->image;
		program_emit(&op->plan->program, chain, &areas, &task);
	}
	return chain_sync(chain);
}

int scoria_sequence_add_matmul(struct scoria_sequence *seq, struct scoria_matmul_plan *plan,
			       struct scoria_matmul_weights *weights,
			       const struct scoria_tensor *a, const struct scoria_tensor *operand,
			       struct scoria_tensor *c)
{
	const struct operation op = { plan, weights, a, operand, c };
	struct sequence_contraction contraction;
	int err = CHECK_POINTERS("matmul", POINTER(seq), POINTER(plan), POINTER(weights));

	if (!err)
		err = check_way(plan);
	if (!err && weights->plan != plan)
		err = error_set(EINVAL, "matmul: the weights belong to another plan");
	if (!err)
		err = check_tensors(&op);
	if (!err)
		err = sequence_begin(seq, &plan->program, plan->opts.batch, &plan->ending, operand,
				     c, &contraction);
	if (!err)
		err = emit_products(&op, contraction.chain, contraction.results);
	return err;
}
