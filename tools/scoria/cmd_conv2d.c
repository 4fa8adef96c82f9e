// SPDX-License-Identifier: MIT
/* scoria conv2d: a convolution on random or given data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "convolution.h"
#include "fuse.h"
#include "op.h"
#include "pooled.h"
#include "tensor.h"
#include "window.h"

struct conv2d {
	struct op op;
	struct convolution conv;
	const char *layout;
	const char *kernel;
	const char *stride;
	const char *dilation;
	const char *pad;
	bool depthwise;
	bool bias_wanted;
	bool relu;
	bool relu6;
	bool per_channel;
	const char *scales_file;
	double *scales;
	size_t multiplier;
	size_t oh;
	size_t ow;
	struct tensor input;
	struct tensor weights;
	struct tensor bias;
	struct tensor output;
	struct fuse fuse;
	struct pooled pooled;
	bool one_row;
	const char *output_pad;
};

static int parse(struct conv2d *cv, int argc, char **argv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	const bool row = cv->one_row;
	const struct opt opts[] = {
		{ "batch|n", OPT_SIZE, &o->batch, 1, "N", row ? "sequences (1)" : "images (1)" },
		{ "ic|in-channels|cin|c", OPT_SIZE, &o->ic, 1, "C", "input channels" },
		{ "oc|out-channels|cout", OPT_SIZE, &o->oc, 1, "C", "output channels" },
		{ "h|height", OPT_SIZE, &o->h, 1, "H", row ? NULL : "input height" },
		{ row ? "length|l|w|width" : "w|width|length|l", OPT_SIZE, &o->w, 1,
		  row ? "L" : "W", row ? "input length" : "input width" },
		{ "kh", OPT_SIZE, &o->kh, 1, "K", row ? NULL : "kernel height" },
		{ "kw", OPT_SIZE, &o->kw, 1, "K", row ? NULL : "kernel width" },
		{ "kernel|k", OPT_TEXT, &cv->kernel, 0, row ? "K" : "K|KHxKW",
		  row ? "kernel size" : "both" },
		{ "stride|s", OPT_TEXT, &cv->stride, 0, row ? "S" : "S|SYxSX", "strides (1)" },
		{ "dilation|d", OPT_TEXT, &cv->dilation, 0, row ? "D" : "D|DYxDX",
		  "dilation (1: none)" },
		{ "pad|padding|p", OPT_TEXT, &cv->pad, 0, "PAD",
		  row ? "P, 0,0,L,R, same or valid (0)" : "P, PYxPX, T,B,L,R, same or valid (0)" },
		{ "transposed", OPT_FLAG, &cv->conv.transposed, 0, NULL,
		  "transposed convolution, weights as IOHW" },
		{ "output-pad|output-padding", OPT_TEXT, &cv->output_pad, 0, row ? "P" : "P|PYxPX",
		  "output that a transposed one has more (0)" },
		{ "groups|g", OPT_SIZE, &o->groups, 1, "G", "groups (1)" },
		{ "depthwise", OPT_FLAG, &cv->depthwise, 0, NULL, "groups = input channels" },
		{ "multiplier", OPT_SIZE, &cv->multiplier, 1, "M",
		  "output channels per input channel of a depthwise one (1)" },
		{ "bias", OPT_FLAG, &cv->bias_wanted, 0, NULL, "add a bias" },
		{ "relu", OPT_FLAG, &cv->relu, 0, NULL, "negative results become 0" },
		{ "relu-max|relux", OPT_NONZERO, &o->relu_max, 0, "R",
		  "and those above R become R; in units of integer output" },
		{ "relu6", OPT_FLAG, &cv->relu6, 0, NULL, "--relu-max 6" },
		{ "layout", OPT_TEXT, &cv->layout, 0, "nchw|nhwc", "of the files (nchw)" },
		{ "scale", OPT_NONZERO, &o->scale, 0, "R", "requantisation multiplier" },
		{ "per-channel", OPT_FLAG, &cv->per_channel, 0, NULL,
		  "one for each output channel, from R / 8 to R at random" },
		{ "scales", OPT_TEXT, &cv->scales_file, 0, "FILE",
		  "one for each output channel, raw fp32" },
		{ "input-zp", OPT_INT, &o->input_zp, 0, "Z", "input zero point (0)" },
		{ "weight-zp", OPT_INT, &o->weight_zp, 0, "Z", "weight zero point (0)" },
		{ "output-zp", OPT_INT, &o->output_zp, 0, "Z", "output zero point (0)" },
		{ "input", OPT_TEXT, &cv->input.file, 0, "FILE", "raw input" },
		{ "weights", OPT_TEXT, &cv->weights.file, 0, "FILE", "raw weights, OIHW" },
		{ "bias-file", OPT_TEXT, &cv->bias.file, 0, "FILE", "raw bias, fp32 or int32" },
		FUSE_OPTIONS(&cv->fuse),
		{ "pool", OPT_TEXT, &cv->pooled.text, 0, "max2",
		  "pooling behind it: max, min or average with a window" },
		{ "output", OPT_TEXT, &cv->output.file, 0, "FILE", "write the raw output" },
		OP_OPTIONS(&cv->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		printf("usage: scoria %s --ic C --oc C %s --kernel K [OPTION]...\n\n", argv[0],
		       cv->one_row ? "--length L" : "--h H --w W");
		puts("fp16 to fp16 (default) or fp32; int8 to int32 (default) or int8; uint8 to\n"
		     "int32 (default) or uint8. --scale alone asks for requantised output.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int missing(const struct conv2d *cv)
{
	const struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	const char *name = !o->ic ? "ic" : !o->oc ? "oc" : !o->h ? "h" :
			   !o->w ? cv->one_row ? "length" : "w" :
			   !o->kh ? "kernel or --kh" :
			   !o->kw ? cv->one_row ? "kernel" : "kernel or --kw" : NULL;

	if (name)
		return cmd_unusable(cv->op.argv0, "--%s is missing", name);
	return CMD_OK;
}

static int set_depthwise(struct conv2d *cv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	size_t oc;

	if (!cv->depthwise)
		return cv->multiplier ? cmd_unusable(cv->op.argv0, "--multiplier needs --depthwise")
				      : CMD_OK;
	if (o->groups && o->groups != o->ic)
		return cmd_unusable(cv->op.argv0, "--groups %zu: --depthwise has one group per input channel",
				    o->groups);
	o->groups = o->ic;
	if (!cv->multiplier)
		cv->multiplier = o->oc && o->ic && o->oc % o->ic == 0 ? o->oc / o->ic : 1;
	if (__builtin_mul_overflow(o->ic, cv->multiplier, &oc) || (o->oc && o->oc != oc))
		return cmd_unusable(cv->op.argv0, "--oc %zu: --depthwise makes --ic times --multiplier",
				    o->oc);
	o->oc = oc;
	return CMD_OK;
}

static int set_pad(struct conv2d *cv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	const struct window_side y = { o->h, o->kh, o->stride_y, o->dilation_y, &o->pad_top,
				       &o->pad_bottom };
	const struct window_side x = { o->w, o->kw, o->stride_x, o->dilation_x, &o->pad_left,
				       &o->pad_right };

	return window_pad(cv->op.argv0, cv->pad, &y, &x);
}

static int set_output_pad(struct conv2d *cv)
{
	struct scoria_conv2d_transposed_opts *o = &cv->conv.opts;

	if (!cv->output_pad)
		return CMD_OK;
	if (!cv->conv.transposed)
		return cmd_unusable(cv->op.argv0, "--output-pad needs --transposed");
	if (!opts_pair(cv->output_pad, &o->output_pad_y, &o->output_pad_x))
		return cmd_unusable(cv->op.argv0, "--output-pad: \"%s\" is not a number, or two as in 0x1",
				    cv->output_pad);
	return CMD_OK;
}

/* A single number counts for both sides, and there is one: two have to say the same. */
static bool is_pair(const char *text)
{
	return text && strchr(text, 'x');
}

/* What was said of rows, of which a sequence has one. */
static int take_row(struct conv2d *cv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	const char *name = o->h > 1 ? "h" : !cv->kernel && o->kh > 1 ? "kh" :
			   is_pair(cv->kernel) && o->kh > 1 ? "kernel" :
			   is_pair(cv->stride) && o->stride_y > 1 ? "stride" :
			   is_pair(cv->dilation) && o->dilation_y > 1 ? "dilation" :
			   is_pair(cv->output_pad) && cv->conv.opts.output_pad_y ? "output-pad" :
			   NULL;

	if (name)
		return cmd_unusable(cv->op.argv0, "--%s: a sequence has one row", name);
	o->h = o->kh = o->stride_y = o->dilation_y = 1;
	cv->conv.opts.output_pad_y = 0;
	return CMD_OK;
}

static int take_row_pad(struct conv2d *cv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;

	if (cv->pad && strpbrk(cv->pad, "x,") && (o->pad_top || o->pad_bottom))
		return cmd_unusable(cv->op.argv0, "--pad: a sequence has one row");
	o->pad_top = o->pad_bottom = 0;
	return CMD_OK;
}

static int set_shape(struct conv2d *cv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	int status = set_depthwise(cv);

	if (status == CMD_OK)
		status = window_pair(cv->op.argv0, "kernel", cv->kernel, &o->kh, &o->kw);
	if (status == CMD_OK)
		status = window_pair(cv->op.argv0, "stride", cv->stride, &o->stride_y,
				     &o->stride_x);
	if (status == CMD_OK)
		status = window_pair(cv->op.argv0, "dilation", cv->dilation, &o->dilation_y,
				     &o->dilation_x);
	if (status == CMD_OK)
		status = set_output_pad(cv);
	if (status == CMD_OK && cv->one_row)
		status = take_row(cv);
	if (status == CMD_OK)
		status = missing(cv);
	if (status == CMD_OK)
		status = set_pad(cv);
	if (status == CMD_OK && cv->one_row)
		status = take_row_pad(cv);
	return status;
}

static bool by_channel(const struct conv2d *cv)
{
	return cv->per_channel || cv->scales_file;
}

static const char *default_out(const struct conv2d *cv)
{
	const struct scoria_conv2d_opts *o = &cv->conv.opts.conv;

	if (o->type == SCORIA_FP16 || o->scale != 0 || by_channel(cv))
		return cv->op.dtype;
	return "int32";
}

/*
 * Random tensors have a standard deviation of 74; this scale gives their results
 * about 50, so that neither saturation nor zeros hide an error.
 */
static void default_scale(struct scoria_conv2d_opts *o)
{
	double terms = (double)o->ic / (o->groups ? o->groups : 1) * o->kh * o->kw;

	if (scoria_type_size(o->out) == 1 && o->scale == 0)
		o->scale = 50 / (74.0 * 74 * sqrt(terms));
}

static int set_types(struct conv2d *cv)
{
	struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	const char *out;

	o->type = op_type(cv->op.dtype);
	if (!o->type)
		return cmd_unusable(cv->op.argv0, "--dtype: \"%s\" is not a type", cv->op.dtype);
	out = cv->op.out ? cv->op.out : default_out(cv);
	o->out = op_type(out);
	if (!o->out)
		return cmd_unusable(cv->op.argv0, "--out: \"%s\" is not a type", out);
	if ((o->scale != 0 || by_channel(cv)) && scoria_type_size(o->out) != 1)
		return cmd_unusable(cv->op.argv0, "%s: %s output is not requantised",
				    cv->scales_file ? "--scales" : cv->per_channel ?
				    "--per-channel" : "--scale", out);
	if (cv->relu6 && o->relu_max != 0)
		return cmd_unusable(cv->op.argv0, "--relu6 and --relu-max give a limit each");
	default_scale(o);
	o->bias = cv->bias_wanted || cv->bias.file;
	if (cv->relu6)
		o->relu_max = 6;
	o->relu = cv->relu || o->relu_max != 0;
	if (!strcmp(cv->layout, "nhwc"))
		o->layout = SCORIA_NHWC;
	else if (strcmp(cv->layout, "nchw"))
		return cmd_unusable(cv->op.argv0, "--layout: \"%s\" is not nchw or nhwc", cv->layout);
	return CMD_OK;
}

static int load_pooled(struct conv2d *cv)
{
	cv->pooled.result = (struct tensor){ "output", cv->output.file, cv->output.type,
					     pooled_count(&cv->pooled), NULL };
	return tensor_create(cv->op.argv0, &cv->pooled.result);
}

static int load(struct conv2d *cv)
{
	const struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	enum scoria_type bias_type = o->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32;
	size_t icg = o->ic / (o->groups ? o->groups : 1);
	struct random random = { cv->op.seed };
	int status;

	cv->input = (struct tensor){ "input", cv->input.file, o->type,
				     o->batch * o->ic * o->h * o->w, NULL };
	cv->weights = (struct tensor){ "weights", cv->weights.file, o->type,
				       o->oc * icg * o->kh * o->kw, NULL };
	cv->bias = (struct tensor){ "bias-file", cv->bias.file, bias_type, o->oc, NULL };
	cv->output = (struct tensor){ "output", cv->output.file, o->out,
				      o->batch * o->oc * cv->oh * cv->ow, NULL };
	status = tensor_load(cv->op.argv0, &cv->input, &random);
	if (status == CMD_OK)
		status = tensor_load(cv->op.argv0, &cv->weights, &random);
	if (status == CMD_OK && o->bias)
		status = tensor_load(cv->op.argv0, &cv->bias, &random);
	if (status == CMD_OK)
		status = fuse_load_operand(&cv->fuse, cv->op.argv0, cv->output.n, o->out, &random);
	if (status == CMD_OK)
		status = tensor_create(cv->op.argv0, &cv->output);
	if (status == CMD_OK && cv->pooled.text)
		status = load_pooled(cv);
	return status;
}

/* What is written and what runs again and again. */
static struct tensor *result_of(struct conv2d *cv)
{
	return cv->pooled.text ? &cv->pooled.result : &cv->output;
}

static int run_once(void *ctx)
{
	struct conv2d *cv = ctx;

	if (cv->pooled.text)
		return pooled_run(&cv->pooled, cv->input.data, cv->fuse.operand.data);
	return convolution_run(&cv->conv, cv->input.data, cv->fuse.operand.data, cv->output.data);
}

/* The convolution by itself, which the pooling then goes on from. */
static int convolve(struct conv2d *cv)
{
	int err = convolution_run(&cv->conv, cv->input.data, cv->fuse.operand.data,
				  cv->output.data);

	return err ? op_failed(&cv->op, err) : CMD_OK;
}

static int check(struct conv2d *cv)
{
	int status = cv->pooled.text ? convolve(cv) : CMD_OK;

	if (status != CMD_OK)
		return status;
	if (convolution_check(&cv->conv, cv->input.data, cv->weights.data, cv->bias.data,
			      cv->fuse.operand.data, cv->output.data, &cv->op.result))
		return cmd_unusable(cv->op.argv0, "no memory for the reference");
	if (cv->pooled.text && pooled_check(&cv->pooled, cv->output.data, &cv->op.result))
		return cmd_unusable(cv->op.argv0, "no memory for the reference");
	return CMD_OK;
}

static int report(struct conv2d *cv)
{
	const struct scoria_conv2d_opts *o = &cv->conv.opts.conv;
	double terms = (double)o->ic / (o->groups ? o->groups : 1) * o->kh * o->kw;
	char title[320], pooled[64] = "";
	double pixels;

	if (cv->pooled.text)
		pooled_describe(&cv->pooled, pooled, sizeof(pooled));

	snprintf(title, sizeof(title),
		 "%s%s %zux%zux%zux%zu -> %zux%zux%zux%zu, kernel %zux%zu, pad %zu,%zu,%zu,%zu, groups %zu%s, %s -> %s, %s",
		 cv->conv.transposed ? "transposed " : "", cv->op.argv0, o->batch, o->ic, o->h,
		 o->w, o->batch, o->oc, cv->oh, cv->ow, o->kh, o->kw,
		 o->pad_top, o->pad_bottom, o->pad_left, o->pad_right, o->groups ? o->groups : 1,
		 pooled, scoria_type_name(o->type), scoria_type_name(o->out), cv->layout);
	/* every output has that many terms, or every input of a transposed one */
	pixels = cv->conv.transposed ? (double)o->h * o->w : (double)cv->oh * cv->ow;
	return op_report(&cv->op, title, o->batch * o->oc * pixels * terms);
}

static int compute(struct conv2d *cv)
{
	int err = convolution_pack(&cv->conv, cv->weights.data, cv->bias.data);
	int status;

	if (!err && cv->pooled.text)
		err = pooled_add(&cv->pooled, cv->conv.plan, cv->conv.weights, &cv->op.info);
	if (err)
		return op_failed(&cv->op, err);
	status = op_run(&cv->op, run_once, cv);
	if (status == CMD_OK && cv->op.check)
		status = check(cv);
	if (status == CMD_OK)
		status = tensor_save(cv->op.argv0, result_of(cv));
	return status == CMD_OK ? report(cv) : status;
}

static int set_scales(struct conv2d *cv)
{
	struct tensor file = { "scales", cv->scales_file, SCORIA_FP32, cv->conv.opts.conv.oc, NULL };
	struct random random = { cv->op.seed + 1 };
	int status = by_channel(cv) ? tensor_load(cv->op.argv0, &file, &random) : CMD_OK;

	if (!file.data || status != CMD_OK)
		return status;
	cv->scales = calloc(cv->conv.opts.conv.oc, sizeof(*cv->scales));
	if (!cv->scales)
		status = cmd_unusable(cv->op.argv0, "no memory for %zu scales", cv->conv.opts.conv.oc);
	for (size_t i = 0; i < cv->conv.opts.conv.oc && cv->scales; i++) {
		double value = ((const float *)file.data)[i];

		/* random floats are in [-1, 1) */
		if (!cv->scales_file)
			value = cv->conv.opts.conv.scale * exp2(1.5 * (value - 1));
		cv->scales[i] = value;
	}
	cv->conv.opts.conv.scales = cv->scales;
	tensor_free(&file);
	return status;
}

static int set_vectors(struct conv2d *cv)
{
	struct random random = { cv->op.seed + 2 };
	int status = set_scales(cv);

	if (status != CMD_OK)
		return status;
	return fuse_load_vectors(&cv->fuse, cv->op.argv0, cv->conv.opts.conv.oc, &random);
}

static int plan_and_compute(struct conv2d *cv)
{
	int status = set_vectors(cv), err;

	if (status != CMD_OK)
		return status;
	err = convolution_plan(&cv->conv, cv->op.dev, &cv->oh, &cv->ow);
	if (!err && cv->pooled.text)
		err = pooled_plan(&cv->pooled, cv->op.dev, &cv->conv.opts.conv, cv->oh, cv->ow);
	if (err)
		return op_failed(&cv->op, err);
	convolution_info(&cv->conv, &cv->op.info);
	status = load(cv);
	return status == CMD_OK ? compute(cv) : status;
}

static void clean_up(struct conv2d *cv)
{
	pooled_free(&cv->pooled);
	convolution_free(&cv->conv);
	op_close(&cv->op);
	free(cv->scales);
	tensor_free(&cv->input);
	tensor_free(&cv->weights);
	tensor_free(&cv->bias);
	fuse_free(&cv->fuse);
	tensor_free(&cv->output);
}

static int run(struct conv2d *cv, int argc, char **argv)
{
	int status = parse(cv, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_shape(cv);
	if (status == CMD_OK)
		status = set_types(cv);
	if (status == CMD_OK)
		status = pooled_parse(&cv->pooled, cv->op.argv0);
	if (status == CMD_OK && cv->pooled.text && cv->conv.transposed)
		status = cmd_unusable(cv->op.argv0, "--pool does not go with --transposed");
	if (status == CMD_OK)
		status = fuse_set(&cv->fuse, cv->op.argv0, &cv->conv.opts.conv.fuse);
	if (status == CMD_OK)
		status = op_open(&cv->op);
	if (status != CMD_OK)
		return status;
	status = plan_and_compute(cv);
	clean_up(cv);
	return status;
}

static void init(struct conv2d *cv, const char *argv0)
{
	*cv = (struct conv2d){
		.op = { .argv0 = argv0, .dtype = "fp16", .seed = 1, .repeat = 1 },
		.conv = { .opts = { .size = sizeof(cv->conv.opts) } },
		.layout = "nchw",
	};
	cv->conv.opts.conv.size = sizeof(cv->conv.opts.conv);
	cv->conv.opts.conv.batch = 1;
}

int cmd_conv2d(int argc, char **argv)
{
	struct conv2d cv;

	init(&cv, argv[0]);
	return run(&cv, argc, argv);
}

/* An image of one row. */
int cmd_conv1d(int argc, char **argv)
{
	struct conv2d cv;

	init(&cv, argv[0]);
	cv.one_row = true;
	return run(&cv, argc, argv);
}
