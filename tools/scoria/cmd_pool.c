// SPDX-License-Identifier: MIT
/* scoria pool: pooling of random or given data. */
#include <string.h>

#include "../lib/reference/reference.h"
#include "cmd.h"
#include "op.h"
#include "tensor.h"
#include "window.h"

struct pool {
	struct op op;
	struct scoria_pool_opts opts;
	const char *method;
	const char *layout;
	const char *kernel;
	const char *stride;
	const char *pad;
	bool global;
	bool count_pad;
	size_t oh;
	size_t ow;
	struct tensor input;
	struct tensor output;
	struct scoria_pool_plan *plan;
};

static int parse(struct pool *pl, int argc, char **argv)
{
	struct scoria_pool_opts *o = &pl->opts;
	const struct opt opts[] = {
		{ "method|op|m", OPT_TEXT, &pl->method, 0, "NAME", "max, min or average (max)" },
		{ "batch|n", OPT_SIZE, &o->batch, 1, "N", "images (1)" },
		{ "c|channels|ic", OPT_SIZE, &o->c, 1, "C", "channels" },
		{ "h|height", OPT_SIZE, &o->h, 1, "H", "input height" },
		{ "w|width", OPT_SIZE, &o->w, 1, "W", "input width" },
		{ "kh", OPT_SIZE, &o->kh, 1, "K", "window height" },
		{ "kw", OPT_SIZE, &o->kw, 1, "K", "window width" },
		{ "kernel|k", OPT_TEXT, &pl->kernel, 0, "K|KHxKW", "both" },
		{ "global", OPT_FLAG, &pl->global, 0, NULL, "one window over everything" },
		{ "stride|s", OPT_TEXT, &pl->stride, 0, "S|SYxSX", "strides (the kernel)" },
		{ "pad|padding|p", OPT_TEXT, &pl->pad, 0, "PAD",
		  "P, PYxPX, T,B,L,R, same or valid (0)" },
		{ "count-include-pad|include-pad", OPT_FLAG, &pl->count_pad, 0, NULL,
		  "averages divide by the whole window" },
		{ "pad-value", OPT_INT, &o->pad_value, 0, "Z", "padding counts as Z then (0)" },
		{ "layout", OPT_TEXT, &pl->layout, 0, "nchw|nhwc", "of the files (nchw)" },
		{ "input", OPT_TEXT, &pl->input.file, 0, "FILE", "raw input" },
		{ "output", OPT_TEXT, &pl->output.file, 0, "FILE", "write the raw output" },
		OP_OPTIONS(&pl->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria pool --c C --h H --w W --kernel K|--global [OPTION]...\n\n"
		     "fp16 (default), int8 or uint8; the output has the input's type.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_method(struct pool *pl)
{
	static const struct { const char *name; enum scoria_pool_method method; } methods[] = {
		{ "max", SCORIA_POOL_MAX }, { "min", SCORIA_POOL_MIN },
		{ "average", SCORIA_POOL_AVERAGE }, { "avg", SCORIA_POOL_AVERAGE },
		{ "mean", SCORIA_POOL_AVERAGE },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(pl->method, methods[i].name)) {
			pl->opts.method = methods[i].method;
			return CMD_OK;
		}
	return cmd_unusable(pl->op.argv0, "--method: \"%s\" is not max, min or average",
			    pl->method);
}

static int set_types(struct pool *pl)
{
	struct scoria_pool_opts *o = &pl->opts;
	int status = op_one_type(&pl->op, &o->type);

	if (status != CMD_OK)
		return status;
	status = op_layout(&pl->op, pl->layout, &o->layout);
	if (status != CMD_OK)
		return status;
	o->count_include_pad = pl->count_pad;
	status = set_method(pl);
	if (status == CMD_OK && pl->count_pad && o->method != SCORIA_POOL_AVERAGE)
		status = cmd_unusable(pl->op.argv0, "--count-include-pad: --method %s has no divisor",
				      pl->method);
	return status;
}

static int missing(const struct pool *pl)
{
	const struct scoria_pool_opts *o = &pl->opts;
	const char *name = !o->c ? "c" : !o->h ? "h" : !o->w ? "w" :
			   pl->global ? NULL : !o->kh ? "kernel or --kh" :
			   !o->kw ? "kernel or --kw" : NULL;

	if (name)
		return cmd_unusable(pl->op.argv0, "--%s is missing", name);
	if (pl->global && (o->kh || o->kw || pl->stride || pl->pad))
		return cmd_unusable(pl->op.argv0, "--global has no kernel, stride or padding");
	return CMD_OK;
}

static int set_shape(struct pool *pl)
{
	struct scoria_pool_opts *o = &pl->opts;
	int status = window_pair(pl->op.argv0, "kernel", pl->kernel, &o->kh, &o->kw);

	if (status == CMD_OK)
		status = window_pair(pl->op.argv0, "stride", pl->stride, &o->stride_y,
				     &o->stride_x);
	if (status == CMD_OK)
		status = missing(pl);
	if (status == CMD_OK) {
		const struct window_side y = { o->h, o->kh, o->stride_y ? o->stride_y : o->kh, 1,
					       &o->pad_top, &o->pad_bottom };
		const struct window_side x = { o->w, o->kw, o->stride_x ? o->stride_x : o->kw, 1,
					       &o->pad_left, &o->pad_right };

		status = window_pad(pl->op.argv0, pl->pad, &y, &x);
	}
	return status;
}

static int load(struct pool *pl)
{
	const struct scoria_pool_opts *o = &pl->opts;
	struct random random = { pl->op.seed };
	int status;

	pl->input = (struct tensor){ "input", pl->input.file, o->type,
				     o->batch * o->c * o->h * o->w, NULL };
	pl->output = (struct tensor){ "output", pl->output.file, o->type,
				      o->batch * o->c * pl->oh * pl->ow, NULL };
	status = tensor_load(pl->op.argv0, &pl->input, &random);
	if (status == CMD_OK)
		status = tensor_create(pl->op.argv0, &pl->output);
	return status;
}

static int run_once(void *ctx)
{
	struct pool *pl = ctx;

	return scoria_pool_run(pl->plan, pl->input.data, pl->output.data);
}

static int report(struct pool *pl)
{
	const struct scoria_pool_opts *o = &pl->opts;
	size_t kh = o->kh ? o->kh : o->h, kw = o->kw ? o->kw : o->w;
	char title[256];

	snprintf(title, sizeof(title),
		 "pool %s %zux%zux%zux%zu -> %zux%zu, kernel %zux%zu, stride %zux%zu, pad %zu,%zu,%zu,%zu, %s, %s",
		 pl->method, o->batch, o->c, o->h, o->w, pl->oh, pl->ow, kh, kw,
		 o->stride_y ? o->stride_y : kh, o->stride_x ? o->stride_x : kw, o->pad_top,
		 o->pad_bottom, o->pad_left, o->pad_right, scoria_type_name(o->type), pl->layout);
	return op_report(&pl->op, title, 0);
}

static int compute(struct pool *pl)
{
	int status = op_run(&pl->op, run_once, pl);

	if (status == CMD_OK && pl->op.check &&
	    reference_pool(&pl->opts, pl->input.data, pl->output.data, &pl->op.result))
		status = cmd_unusable(pl->op.argv0, "no memory for the reference");
	if (status == CMD_OK)
		status = tensor_save(pl->op.argv0, &pl->output);
	return status == CMD_OK ? report(pl) : status;
}

static int plan_and_compute(struct pool *pl)
{
	int err = scoria_pool_plan_create(pl->op.dev, &pl->opts, &pl->plan);
	int status;

	if (!err)
		err = scoria_pool_output(&pl->opts, &pl->oh, &pl->ow);
	if (err)
		return op_failed(&pl->op, err);
	pl->op.info.size = sizeof(pl->op.info);
	scoria_pool_plan_info(pl->plan, &pl->op.info);
	status = load(pl);
	return status == CMD_OK ? compute(pl) : status;
}

int cmd_pool(int argc, char **argv)
{
	struct pool pl = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(pl.opts), .batch = 1 },
		.method = "max",
		.layout = "nchw",
	};
	int status = parse(&pl, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_shape(&pl);
	if (status == CMD_OK)
		status = set_types(&pl);
	if (status == CMD_OK)
		status = op_open(&pl.op);
	if (status != CMD_OK)
		return status;
	status = plan_and_compute(&pl);
	scoria_pool_plan_destroy(pl.plan);
	op_close(&pl.op);
	tensor_free(&pl.input);
	tensor_free(&pl.output);
	return status;
}
