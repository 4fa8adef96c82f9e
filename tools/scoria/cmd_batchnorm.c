// SPDX-License-Identifier: MIT
/* scoria batchnorm: of random or given images, with random or given statistics. */
#include <math.h>
#include <string.h>

#include "../lib/reference/composites.h"
#include "cmd.h"
#include "compute.h"
#include "values.h"

enum statistic { MEAN, VAR, GAMMA, BETA, N_STATISTICS };

struct batchnorm {
	struct op op;
	struct scoria_batchnorm_opts opts;
	const char *layout;
	const char *values;
	bool relu;
	struct tensor statistics[N_STATISTICS];
	struct tensor x;
	struct tensor y;
	struct scoria_batchnorm_plan *plan;
};

static int parse(struct batchnorm *bn, int argc, char **argv)
{
	struct scoria_batchnorm_opts *o = &bn->opts;
	const struct opt opts[] = {
		{ "c|channels", OPT_SIZE, &o->c, 1, "C", "channels" },
		{ "h|height", OPT_SIZE, &o->h, 1, "H", "height (1)" },
		{ "w|width", OPT_SIZE, &o->w, 1, "W", "width (1)" },
		{ "batch|n", OPT_SIZE, &o->batch, 1, "N", "images (1)" },
		{ "layout", OPT_TEXT, &bn->layout, 0, "nchw|nhwc", "of input and output (nchw)" },
		{ "eps", OPT_NONZERO, &o->eps, 0, "E", "added to the variance (1e-5)" },
		{ "relu", OPT_FLAG, &bn->relu, 0, NULL, "with a ReLU behind it" },
		{ "relu-max", OPT_NONZERO, &o->relu_max, 0, "X", "its upper limit" },
		{ "input|x", OPT_TEXT, &bn->x.file, 0, "FILE", "raw input" },
		{ "mean", OPT_TEXT, &bn->statistics[MEAN].file, 0, "FILE", "raw fp32 means" },
		{ "var", OPT_TEXT, &bn->statistics[VAR].file, 0, "FILE", "raw fp32 variances" },
		{ "gamma", OPT_TEXT, &bn->statistics[GAMMA].file, 0, "FILE", "raw fp32 factors" },
		{ "beta", OPT_TEXT, &bn->statistics[BETA].file, 0, "FILE", "raw fp32 summands" },
		{ "output", OPT_TEXT, &bn->y.file, 0, "FILE", "write the raw output" },
		VALUES_OPTION(&bn->values),
		OP_OPTIONS(&bn->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria batchnorm --c C [OPTION]...\n\n"
		     "fp16; statistics are fp32, at random where no file is given.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_options(struct batchnorm *bn)
{
	struct scoria_batchnorm_opts *o = &bn->opts;
	int status = op_one_type(&bn->op, &o->type);

	if (status != CMD_OK)
		return status;
	if (!o->c)
		return cmd_unusable(bn->op.argv0, "--c is missing");
	o->relu = bn->relu || o->relu_max != 0;
	return op_layout(&bn->op, bn->layout, &o->layout);
}

/* They are read when the plan is created. */
static int load_statistics(struct batchnorm *bn)
{
	static const char *const names[] = { "mean", "var", "gamma", "beta" };
	struct random random = { ~bn->op.seed };
	float *var;

	for (int i = 0; i < N_STATISTICS; i++) {
		struct tensor *t = &bn->statistics[i];
		int status;

		*t = (struct tensor){ names[i], t->file, SCORIA_FP32, bn->opts.c, NULL };
		status = tensor_load(bn->op.argv0, t, &random);
		if (status != CMD_OK)
			return status;
	}
	var = bn->statistics[VAR].data;
	for (size_t i = 0; i < bn->opts.c && !bn->statistics[VAR].file; i++)
		var[i] = fabsf(var[i]);
	bn->opts.mean = bn->statistics[MEAN].data;
	bn->opts.var = var;
	bn->opts.gamma = bn->statistics[GAMMA].data;
	bn->opts.beta = bn->statistics[BETA].data;
	return CMD_OK;
}

static int create(void *ctx)
{
	struct batchnorm *bn = ctx;
	int err = scoria_batchnorm_plan_create(bn->op.dev, &bn->opts, &bn->plan);

	bn->op.info.size = sizeof(bn->op.info);
	return err ? err : scoria_batchnorm_plan_info(bn->plan, &bn->op.info);
}

static int run(void *ctx)
{
	struct batchnorm *bn = ctx;

	return scoria_batchnorm_run(bn->plan, bn->x.data, bn->y.data);
}

static int check(void *ctx)
{
	struct batchnorm *bn = ctx;

	reference_batchnorm(&bn->opts, bn->x.data, bn->y.data, &bn->op.result);
	return 0;
}

static void destroy(void *ctx)
{
	scoria_batchnorm_plan_destroy(((struct batchnorm *)ctx)->plan);
}

static int compute_batchnorm(struct batchnorm *bn)
{
	const struct scoria_batchnorm_opts *o = &bn->opts;
	const size_t n = o->batch * o->c * o->h * o->w;
	char title[128];

	bn->x = (struct tensor){ "input", bn->x.file, o->type, n, NULL };
	bn->y = (struct tensor){ "output", bn->y.file, o->type, n, NULL };
	snprintf(title, sizeof(title), "batchnorm %zux%zux%zux%zu %s, %s", o->batch, o->c, o->h,
		 o->w, bn->layout, scoria_type_name(o->type));
	return compute(&(struct compute){
		.op = &bn->op, .title = title, .values = bn->values, .inputs = &bn->x,
		.n_inputs = 1, .output = &bn->y, .create = create, .run = run, .check = check,
		.destroy = destroy, .ctx = bn,
	});
}

int cmd_batchnorm(int argc, char **argv)
{
	struct batchnorm bn = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(bn.opts), .batch = 1, .h = 1, .w = 1 },
		.layout = "nchw",
	};
	int status = parse(&bn, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_options(&bn);
	if (status == CMD_OK)
		status = load_statistics(&bn);
	if (status == CMD_OK)
		status = compute_batchnorm(&bn);
	for (int i = 0; i < N_STATISTICS; i++)
		tensor_free(&bn.statistics[i]);
	return status;
}
