// SPDX-License-Identifier: MIT
/* scoria matmul: a matrix product on random or given data. */
#include <string.h>

#include "../lib/reference/reference.h"
#include "cmd.h"
#include "op.h"
#include "tensor.h"

struct matmul {
	struct op op;
	struct scoria_matmul_opts opts;
	const char *layout;
	struct tensor a;
	struct tensor b;
	struct tensor c;
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_weights *weights;
};

static int parse(struct matmul *mm, int argc, char **argv)
{
	struct scoria_matmul_opts *o = &mm->opts;
	const struct opt opts[] = {
		{ "m|rows", OPT_SIZE, &o->m, 1, "M", "rows of A and C" },
		{ "k|inner", OPT_SIZE, &o->k, 1, "K", "columns of A, rows of B" },
		{ "n|columns", OPT_SIZE, &o->n, 1, "N", "columns of B and C" },
		{ "b-layout", OPT_TEXT, &mm->layout, 0, "kn|nk", "rows of B's file (kn)" },
		{ "a", OPT_TEXT, &mm->a.file, 0, "FILE", "raw A, m x k, row-major" },
		{ "b", OPT_TEXT, &mm->b.file, 0, "FILE", "raw B" },
		{ "output|c", OPT_TEXT, &mm->c.file, 0, "FILE", "write raw C, m x n" },
		OP_OPTIONS(&mm->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria matmul --m M --k K --n N [OPTION]...\n\n"
		     "C = A B: fp16 to fp32 (default) or fp16, int8 to int32.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int missing(const struct matmul *mm)
{
	const struct scoria_matmul_opts *o = &mm->opts;
	const char *name = !o->m ? "m" : !o->k ? "k" : !o->n ? "n" : NULL;

	if (name)
		return cmd_unusable(mm->op.argv0, "--%s is missing", name);
	return CMD_OK;
}

static int set_types(struct matmul *mm)
{
	struct scoria_matmul_opts *o = &mm->opts;
	const char *out = mm->op.out;

	o->type = op_type(mm->op.dtype);
	if (!o->type)
		return cmd_unusable(mm->op.argv0, "--dtype: \"%s\" is not a type", mm->op.dtype);
	if (!out)
		out = o->type == SCORIA_FP16 ? "fp32" : "int32";
	o->out = op_type(out);
	if (!o->out)
		return cmd_unusable(mm->op.argv0, "--out: \"%s\" is not a type", out);
	if (!strcmp(mm->layout, "nk"))
		o->b_layout = SCORIA_B_NK;
	else if (strcmp(mm->layout, "kn"))
		return cmd_unusable(mm->op.argv0, "--b-layout: \"%s\" is not kn or nk", mm->layout);
	return CMD_OK;
}

static int load(struct matmul *mm)
{
	const struct scoria_matmul_opts *o = &mm->opts;
	struct random random = { mm->op.seed };
	int status;

	mm->a = (struct tensor){ "a", mm->a.file, o->type, o->m * o->k, NULL };
	mm->b = (struct tensor){ "b", mm->b.file, o->type, o->k * o->n, NULL };
	mm->c = (struct tensor){ "output", mm->c.file, o->out, o->m * o->n, NULL };
	status = tensor_load(mm->op.argv0, &mm->a, &random);
	if (status == CMD_OK)
		status = tensor_load(mm->op.argv0, &mm->b, &random);
	if (status == CMD_OK)
		status = tensor_create(mm->op.argv0, &mm->c);
	return status;
}

static int run_once(void *ctx)
{
	struct matmul *mm = ctx;

	return scoria_matmul_run(mm->plan, mm->weights, mm->a.data, mm->c.data);
}

static int report(struct matmul *mm)
{
	const struct scoria_matmul_opts *o = &mm->opts;
	char title[128];

	snprintf(title, sizeof(title), "matmul m=%zu k=%zu n=%zu %s -> %s, B as %s", o->m, o->k,
		 o->n, scoria_type_name(o->type), scoria_type_name(o->out), mm->layout);
	return op_report(&mm->op, title, (double)o->m * o->k * o->n);
}

/* With plan and data ready: weights once, the product as often as asked. */
static int compute(struct matmul *mm)
{
	int err = scoria_matmul_weights_create(mm->plan, mm->b.data, &mm->weights);
	int status;

	if (err)
		return op_failed(&mm->op, err);
	status = op_run(&mm->op, run_once, mm);
	if (status != CMD_OK)
		return status;
	if (mm->op.check && reference_matmul(&mm->opts, mm->a.data, mm->b.data, mm->c.data,
					     &mm->op.result))
		return cmd_unusable(mm->op.argv0, "no memory for the reference");
	status = tensor_save(mm->op.argv0, &mm->c);
	return status == CMD_OK ? report(mm) : status;
}

static int plan_and_compute(struct matmul *mm)
{
	int err = scoria_matmul_plan_create(mm->op.dev, &mm->opts, &mm->plan);
	int status;

	if (err)
		return op_failed(&mm->op, err);
	mm->op.info.size = sizeof(mm->op.info);
	scoria_matmul_plan_info(mm->plan, &mm->op.info);
	status = load(mm);
	return status == CMD_OK ? compute(mm) : status;
}

int cmd_matmul(int argc, char **argv)
{
	struct matmul mm = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(mm.opts) },
		.layout = "kn",
	};
	int status = parse(&mm, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = missing(&mm);
	if (status == CMD_OK)
		status = set_types(&mm);
	if (status == CMD_OK)
		status = op_open(&mm.op);
	if (status != CMD_OK)
		return status;
	status = plan_and_compute(&mm);
	scoria_matmul_weights_destroy(mm.weights);
	scoria_matmul_plan_destroy(mm.plan);
	op_close(&mm.op);
	tensor_free(&mm.a);
	tensor_free(&mm.b);
	tensor_free(&mm.c);
	return status;
}
