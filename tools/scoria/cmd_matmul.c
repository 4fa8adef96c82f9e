// SPDX-License-Identifier: MIT
/* scoria matmul: a matrix product on random or given data. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/reference/reference.h"
#include "cmd.h"
#include "fuse.h"
#include "op.h"
#include "tensor.h"

struct matmul {
	struct op op;
	struct scoria_matmul_opts opts;
	const char *layout;
	struct tensor a;
	struct tensor b;
	struct tensor bias;
	struct tensor c;
	struct fuse fuse;
	bool bias_wanted;
	bool b_shared;
	bool relu;
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
		{ "batch", OPT_SIZE, &o->batch, 1, "N", "products (1)" },
		{ "b-shared", OPT_FLAG, &mm->b_shared, 0, NULL, "all with the same B" },
		{ "alpha", OPT_NONZERO, &o->alpha, 0, "R", "factor of A B (1)" },
		{ "bias", OPT_FLAG, &mm->bias_wanted, 0, NULL, "add a row to all rows" },
		{ "bias-file", OPT_TEXT, &mm->bias.file, 0, "FILE", "raw bias, fp32 or int32" },
		{ "relu", OPT_FLAG, &mm->relu, 0, NULL, "negative results become 0" },
		{ "relu-max|relux", OPT_NONZERO, &o->relu_max, 0, "R",
		  "and those above R become R; in units of integer output" },
		{ "scale", OPT_NONZERO, &o->scale, 0, "R", "requantisation multiplier" },
		{ "a-zp", OPT_INT, &o->a_zp, 0, "Z", "zero point of A (0)" },
		{ "b-zp", OPT_INT, &o->b_zp, 0, "Z", "zero point of B (0)" },
		{ "output-zp", OPT_INT, &o->output_zp, 0, "Z", "output zero point (0)" },
		FUSE_OPTIONS(&mm->fuse),
		{ "output|c", OPT_TEXT, &mm->c.file, 0, "FILE", "write raw C, m x n" },
		OP_OPTIONS(&mm->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria matmul --m M --k K --n N [OPTION]...\n\n"
		     "C = alpha A B + bias: fp16 to fp32 (default) or fp16, bf16 and tf32 to fp32,\n"
		     "int8 to int32 (default) or int8, uint8 to int32 (default) or uint8, int4 to\n"
		     "int32, int16 to int64.\n");
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

static const char *default_out(const struct scoria_matmul_opts *o)
{
	switch (o->type) {
	case SCORIA_INT8:
	case SCORIA_UINT8:
		return o->scale != 0 ? scoria_type_name(o->type) : "int32";
	case SCORIA_INT4:
		return "int32";
	case SCORIA_INT16:
		return "int64";
	default:
		return "fp32";
	}
}

/* As for conv2d: results of random matrices with a standard deviation of about 50. */
static void default_scale(struct scoria_matmul_opts *o)
{
	if (scoria_type_size(o->out) == 1 && o->scale == 0)
		o->scale = 50 / (74.0 * 74 * sqrt(o->k));
}

static int set_types(struct matmul *mm)
{
	struct scoria_matmul_opts *o = &mm->opts;
	const char *out = mm->op.out;

	o->type = op_type(mm->op.dtype);
	if (!o->type)
		return cmd_unusable(mm->op.argv0, "--dtype: \"%s\" is not a type", mm->op.dtype);
	if (!out)
		out = default_out(o);
	o->out = op_type(out);
	if (!o->out)
		return cmd_unusable(mm->op.argv0, "--out: \"%s\" is not a type", out);
	if (o->scale != 0 && scoria_type_size(o->out) != 1)
		return cmd_unusable(mm->op.argv0, "--scale: %s output is not requantised", out);
	default_scale(o);
	o->relu = mm->relu || o->relu_max != 0;
	o->b_shared = mm->b_shared;
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
	size_t batch = o->batch ? o->batch : 1;
	int status;

	mm->a = (struct tensor){ "a", mm->a.file, o->type, batch * o->m * o->k, NULL };
	mm->b = (struct tensor){ "b", mm->b.file, o->type,
				 (o->b_shared ? 1 : batch) * o->k * o->n, NULL };
	mm->c = (struct tensor){ "output", mm->c.file, o->out, batch * o->m * o->n, NULL };
	status = tensor_load(mm->op.argv0, &mm->a, &random);
	if (status == CMD_OK)
		status = tensor_load(mm->op.argv0, &mm->b, &random);
	if (status == CMD_OK)
		status = fuse_load_operand(&mm->fuse, mm->op.argv0, mm->c.n, o->out, &random);
	if (status == CMD_OK)
		status = tensor_create(mm->op.argv0, &mm->c);
	return status;
}

static int run_once(void *ctx)
{
	struct matmul *mm = ctx;

	return scoria_matmul_run_fused(mm->plan, mm->weights, mm->a.data, mm->fuse.operand.data,
				       mm->c.data);
}

static int report(struct matmul *mm)
{
	const struct scoria_matmul_opts *o = &mm->opts;
	size_t batch = o->batch ? o->batch : 1;
	char title[160];

	snprintf(title, sizeof(title), "matmul batch=%zu m=%zu k=%zu n=%zu %s -> %s, B as %s",
		 batch, o->m, o->k, o->n, scoria_type_name(o->type), scoria_type_name(o->out),
		 mm->layout);
	return op_report(&mm->op, title, (double)batch * o->m * o->k * o->n);
}

static int check(struct matmul *mm)
{
	struct scoria_requant *requant = NULL;
	int err = 0;

	if (scoria_type_size(mm->opts.out) == 1) {
		requant = calloc(mm->opts.n, sizeof(*requant));
		err = requant ? scoria_matmul_requant(&mm->opts, requant) : -ENOMEM;
	}
	if (!err)
		err = reference_matmul_fused(&mm->opts, requant, mm->a.data, mm->b.data,
					     mm->fuse.operand.data, mm->c.data, &mm->op.result);
	free(requant);
	return err ? cmd_unusable(mm->op.argv0, "no memory for the reference") : CMD_OK;
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
	if (mm->op.check)
		status = check(mm);
	if (status == CMD_OK)
		status = tensor_save(mm->op.argv0, &mm->c);
	return status == CMD_OK ? report(mm) : status;
}

/* The plan reads the bias, so this comes first, with the shape not yet checked. */
static int load_bias(struct matmul *mm)
{
	struct random random = { mm->op.seed + 1 };
	bool integers = mm->opts.out == SCORIA_INT32 || scoria_type_size(mm->opts.out) == 1;
	int status;

	if (!mm->bias_wanted && !mm->bias.file)
		return CMD_OK;
	mm->bias = (struct tensor){ "bias-file", mm->bias.file,
				    integers ? SCORIA_INT32 : SCORIA_FP32, mm->opts.n, NULL };
	status = tensor_load(mm->op.argv0, &mm->bias, &random);
	mm->opts.bias = mm->bias.data;
	return status;
}

static int load_vectors(struct matmul *mm)
{
	struct random random = { mm->op.seed + 2 };
	int status = load_bias(mm);

	if (status != CMD_OK)
		return status;
	return fuse_load_vectors(&mm->fuse, mm->op.argv0, mm->opts.n, &random);
}

static int plan_and_compute(struct matmul *mm)
{
	int status = load_vectors(mm), err;

	if (status != CMD_OK)
		return status;
	err = scoria_matmul_plan_create(mm->op.dev, &mm->opts, &mm->plan);
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
		status = fuse_set(&mm.fuse, mm.op.argv0, &mm.opts.fuse);
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
	tensor_free(&mm.bias);
	fuse_free(&mm.fuse);
	tensor_free(&mm.c);
	return status;
}
