// SPDX-License-Identifier: MIT
/* scoria layernorm, rmsnorm: of the rows of random or given data. */
#include <string.h>

#include "../lib/reference/composites.h"
#include "cmd.h"
#include "compute.h"
#include "values.h"

enum input { X, GAMMA, BETA, N_INPUTS };

struct norm {
	struct op op;
	struct scoria_norm_opts opts;
	const char *values;
	bool gamma;
	bool beta;
	struct tensor inputs[N_INPUTS];
	struct tensor y;
	struct scoria_norm_plan *plan;
};

static int parse(struct norm *nm, int argc, char **argv)
{
	struct scoria_norm_opts *o = &nm->opts;
	const struct opt opts[] = {
		{ "rows|m", OPT_SIZE, &o->rows, 1, "R", "rows (1)" },
		{ "columns|n|k", OPT_SIZE, &o->columns, 1, "C", "columns, which are normalised" },
		{ "eps", OPT_NONZERO, &o->eps, 0, "E", "added to the variance (1e-5)" },
		{ "gamma", OPT_FLAG, &nm->gamma, 0, NULL, "with a factor for every column" },
		{ "beta|bias", OPT_FLAG, &nm->beta, 0, NULL, "with a summand for every column" },
		{ "input|x", OPT_TEXT, &nm->inputs[X].file, 0, "FILE", "raw input" },
		{ "gamma-file", OPT_TEXT, &nm->inputs[GAMMA].file, 0, "FILE", "raw factors" },
		{ "beta-file", OPT_TEXT, &nm->inputs[BETA].file, 0, "FILE", "raw summands" },
		{ "output", OPT_TEXT, &nm->y.file, 0, "FILE", "write the raw output" },
		VALUES_OPTION(&nm->values),
		OP_OPTIONS(&nm->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria layernorm|rmsnorm --rows R --columns C [OPTION]...\n\nfp16.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_options(struct norm *nm)
{
	struct scoria_norm_opts *o = &nm->opts;
	int status = op_one_type(&nm->op, &o->type);

	if (status != CMD_OK)
		return status;
	if (!o->columns)
		return cmd_unusable(nm->op.argv0, "--columns is missing");
	o->op = strcmp(nm->op.argv0, "rmsnorm") ? SCORIA_LAYERNORM : SCORIA_RMSNORM;
	o->gamma = nm->gamma || nm->inputs[GAMMA].file;
	o->beta = nm->beta || nm->inputs[BETA].file;
	return CMD_OK;
}

static int create(void *ctx)
{
	struct norm *nm = ctx;
	int err = scoria_norm_plan_create(nm->op.dev, &nm->opts, &nm->plan);

	nm->op.info.size = sizeof(nm->op.info);
	return err ? err : scoria_norm_plan_info(nm->plan, &nm->op.info);
}

static int run(void *ctx)
{
	struct norm *nm = ctx;

	return scoria_norm_run(nm->plan, nm->inputs[X].data, nm->inputs[GAMMA].data,
			       nm->inputs[BETA].data, nm->y.data);
}

static int check(void *ctx)
{
	struct norm *nm = ctx;

	reference_norm(&nm->opts, nm->inputs[X].data, nm->inputs[GAMMA].data,
		       nm->inputs[BETA].data, nm->y.data, &nm->op.result);
	return 0;
}

static void destroy(void *ctx)
{
	scoria_norm_plan_destroy(((struct norm *)ctx)->plan);
}

static void set_tensors(struct norm *nm)
{
	const struct scoria_norm_opts *o = &nm->opts;
	const size_t n = o->rows * o->columns;
	struct tensor *in = nm->inputs;

	in[X] = (struct tensor){ "input", in[X].file, o->type, n, NULL };
	in[GAMMA] = (struct tensor){ "gamma-file", in[GAMMA].file, o->type,
				     o->gamma ? o->columns : 0, NULL };
	in[BETA] = (struct tensor){ "beta-file", in[BETA].file, o->type,
				    o->beta ? o->columns : 0, NULL };
	nm->y = (struct tensor){ "output", nm->y.file, o->type, n, NULL };
}

int cmd_norm(int argc, char **argv)
{
	struct norm nm = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(nm.opts), .rows = 1 },
	};
	int status = parse(&nm, argc, argv);
	char title[128];

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_options(&nm);
	if (status != CMD_OK)
		return status;
	set_tensors(&nm);
	snprintf(title, sizeof(title), "%s of %zu rows of %zu, %s", nm.op.argv0, nm.opts.rows,
		 nm.opts.columns, scoria_type_name(nm.opts.type));
	return compute(&(struct compute){
		.op = &nm.op, .title = title, .values = nm.values, .inputs = nm.inputs,
		.n_inputs = N_INPUTS, .output = &nm.y, .create = create, .run = run,
		.check = check, .destroy = destroy, .ctx = &nm,
	});
}
