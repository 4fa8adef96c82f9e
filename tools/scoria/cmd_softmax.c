// SPDX-License-Identifier: MIT
/* scoria softmax, log_softmax: of the rows of random or given data. */
#include <string.h>

#include "../lib/reference/composites.h"
#include "cmd.h"
#include "compute.h"
#include "values.h"

struct softmax {
	struct op op;
	struct scoria_softmax_opts opts;
	const char *values;
	bool log;
	struct tensor x;
	struct tensor y;
	struct scoria_softmax_plan *plan;
};

static int parse(struct softmax *sm, int argc, char **argv)
{
	struct scoria_softmax_opts *o = &sm->opts;
	const struct opt opts[] = {
		{ "rows|m", OPT_SIZE, &o->rows, 1, "R", "rows (1)" },
		{ "columns|n|k", OPT_SIZE, &o->columns, 1, "C", "columns, which share 1" },
		{ "log", OPT_FLAG, &sm->log, 0, NULL, "log softmax" },
		{ "scale|beta", OPT_NONZERO, &o->scale, 0, "S", "of the exponent (1)" },
		{ "input|x", OPT_TEXT, &sm->x.file, 0, "FILE", "raw input" },
		{ "output", OPT_TEXT, &sm->y.file, 0, "FILE", "write the raw output" },
		VALUES_OPTION(&sm->values),
		OP_OPTIONS(&sm->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria softmax|log_softmax --rows R --columns C [OPTION]...\n\n"
		     "fp16; int8 and uint8 quantised, of which the results have a scale of 1/256.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_types(struct softmax *sm)
{
	struct scoria_softmax_opts *o = &sm->opts;
	int status = op_one_type(&sm->op, &o->type);

	if (status != CMD_OK)
		return status;
	if (!o->columns)
		return cmd_unusable(sm->op.argv0, "--columns is missing");
	o->log = sm->log || !strcmp(sm->op.argv0, "log_softmax");
	return CMD_OK;
}

static int create(void *ctx)
{
	struct softmax *sm = ctx;
	int err = scoria_softmax_plan_create(sm->op.dev, &sm->opts, &sm->plan);

	sm->op.info.size = sizeof(sm->op.info);
	return err ? err : scoria_softmax_plan_info(sm->plan, &sm->op.info);
}

static int run(void *ctx)
{
	struct softmax *sm = ctx;

	return scoria_softmax_run(sm->plan, sm->x.data, sm->y.data);
}

static int check(void *ctx)
{
	struct softmax *sm = ctx;

	reference_softmax(&sm->opts, sm->x.data, sm->y.data, &sm->op.result);
	return 0;
}

static void destroy(void *ctx)
{
	scoria_softmax_plan_destroy(((struct softmax *)ctx)->plan);
}

int cmd_softmax(int argc, char **argv)
{
	struct softmax sm = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(sm.opts), .rows = 1 },
	};
	const struct scoria_softmax_opts *o = &sm.opts;
	int status = parse(&sm, argc, argv);
	char title[128];

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_types(&sm);
	if (status != CMD_OK)
		return status;
	snprintf(title, sizeof(title), "%s of %zu rows of %zu, %s", o->log ? "log softmax" :
		 "softmax", o->rows, o->columns, scoria_type_name(o->type));
	sm.x = (struct tensor){ "input", sm.x.file, o->type, o->rows * o->columns, NULL };
	sm.y = (struct tensor){ "output", sm.y.file, o->type, o->rows * o->columns, NULL };
	return compute(&(struct compute){
		.op = &sm.op, .title = title, .values = sm.values, .inputs = &sm.x, .n_inputs = 1,
		.output = &sm.y, .create = create, .run = run, .check = check,
		.destroy = destroy, .ctx = &sm,
	});
}
