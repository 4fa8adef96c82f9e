// SPDX-License-Identifier: MIT
/* scoria reduce: sums of the rows of random or given data. */
#include <string.h>

#include "../lib/reference/reference.h"
#include "cmd.h"
#include "op.h"
#include "tensor.h"

struct reduce {
	struct op op;
	struct scoria_reduce_opts opts;
	const char *what;
	struct tensor x;
	struct tensor y;
	struct scoria_reduce_plan *plan;
};

static int parse(struct reduce *rd, int argc, char **argv)
{
	struct scoria_reduce_opts *o = &rd->opts;
	const struct opt opts[] = {
		{ "op|method", OPT_TEXT, &rd->what, 0, "NAME", "sum, mean or cumsum (sum)" },
		{ "rows|m", OPT_SIZE, &o->rows, 1, "R", "rows (1)" },
		{ "columns|n|k", OPT_SIZE, &o->columns, 1, "C", "columns, which are added" },
		{ "input", OPT_TEXT, &rd->x.file, 0, "FILE", "raw input" },
		{ "output", OPT_TEXT, &rd->y.file, 0, "FILE", "write the raw output" },
		OP_OPTIONS(&rd->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria reduce --op OP --rows R --columns C [OPTION]...\n\n"
		     "fp16 to fp32 (default) or fp16; int8 to int32, or fp32 for mean.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_op(struct reduce *rd)
{
	static const char *const names[] = { "sum", "mean", "cumsum" };

	for (size_t i = 0; i < 3; i++)
		if (!strcmp(rd->what, names[i])) {
			rd->opts.op = SCORIA_REDUCE_SUM + i;
			return CMD_OK;
		}
	return cmd_unusable(rd->op.argv0, "--op: \"%s\" is not sum, mean or cumsum", rd->what);
}

static int set_types(struct reduce *rd)
{
	struct scoria_reduce_opts *o = &rd->opts;
	const char *out = rd->op.out;

	o->type = op_type(rd->op.dtype);
	if (!o->type)
		return cmd_unusable(rd->op.argv0, "--dtype: \"%s\" is not a type", rd->op.dtype);
	if (!out)
		out = o->type == SCORIA_INT8 && o->op != SCORIA_REDUCE_MEAN ? "int32" : "fp32";
	o->out = op_type(out);
	if (!o->out)
		return cmd_unusable(rd->op.argv0, "--out: \"%s\" is not a type", out);
	if (!o->columns)
		return cmd_unusable(rd->op.argv0, "--columns is missing");
	return CMD_OK;
}

static int load(struct reduce *rd)
{
	const struct scoria_reduce_opts *o = &rd->opts;
	struct random random = { rd->op.seed };
	size_t results = o->op == SCORIA_REDUCE_CUMSUM ? o->rows * o->columns : o->rows;
	int status;

	rd->x = (struct tensor){ "input", rd->x.file, o->type, o->rows * o->columns, NULL };
	rd->y = (struct tensor){ "output", rd->y.file, o->out, results, NULL };
	status = tensor_load(rd->op.argv0, &rd->x, &random);
	return status == CMD_OK ? tensor_create(rd->op.argv0, &rd->y) : status;
}

static int run_once(void *ctx)
{
	struct reduce *rd = ctx;

	return scoria_reduce_run(rd->plan, rd->x.data, rd->y.data);
}

static int compute(struct reduce *rd)
{
	const struct scoria_reduce_opts *o = &rd->opts;
	int status = op_run(&rd->op, run_once, rd);
	char title[128];

	if (status == CMD_OK && rd->op.check)
		reference_reduce(o, rd->x.data, rd->y.data, &rd->op.result);
	if (status == CMD_OK)
		status = tensor_save(rd->op.argv0, &rd->y);
	if (status != CMD_OK)
		return status;
	snprintf(title, sizeof(title), "reduce %s of %zu rows of %zu, %s -> %s", rd->what, o->rows,
		 o->columns, scoria_type_name(o->type), scoria_type_name(o->out));
	return op_report(&rd->op, title, (double)o->rows * o->columns);
}

static int plan_and_compute(struct reduce *rd)
{
	int err = scoria_reduce_plan_create(rd->op.dev, &rd->opts, &rd->plan);
	int status;

	if (err)
		return op_failed(&rd->op, err);
	rd->op.info.size = sizeof(rd->op.info);
	scoria_reduce_plan_info(rd->plan, &rd->op.info);
	status = load(rd);
	return status == CMD_OK ? compute(rd) : status;
}

int cmd_reduce(int argc, char **argv)
{
	struct reduce rd = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(rd.opts), .rows = 1 },
		.what = "sum",
	};
	int status = parse(&rd, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_op(&rd);
	if (status == CMD_OK)
		status = set_types(&rd);
	if (status == CMD_OK)
		status = op_open(&rd.op);
	if (status != CMD_OK)
		return status;
	status = plan_and_compute(&rd);
	scoria_reduce_plan_destroy(rd.plan);
	op_close(&rd.op);
	tensor_free(&rd.x);
	tensor_free(&rd.y);
	return status;
}
