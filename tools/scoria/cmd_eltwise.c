// SPDX-License-Identifier: MIT
/* scoria eltwise: an element-wise operation on random or given data. */
#include <math.h>
#include <string.h>

#include "../lib/reference/vectors.h"
#include "cmd.h"
#include "op.h"
#include "tensor.h"
#include "values.h"

#define INPUTS 3

struct eltwise {
	struct op op;
	struct scoria_eltwise_opts opts;
	const char *name;
	const char *values;
	const char *broadcast;
	const char *broadcasts[INPUTS];
	bool relu;
	struct tensor inputs[INPUTS];
	struct tensor output;
	struct scoria_eltwise_plan *plan;
};

static void help(const struct opt *opts, size_t n)
{
	const char *name;

	printf("usage: scoria eltwise --op NAME --n N [OPTION]...\n\nfp16, and int8 or uint8 for some:");
	for (int op = SCORIA_ADD; (name = scoria_eltwise_name(op)); op++)
		printf("%s %s", op % 10 ? "" : "\n ", name);
	puts(".\n");
	opts_help(opts, n);
}

static int parse(struct eltwise *ew, int argc, char **argv)
{
	struct scoria_eltwise_opts *o = &ew->opts;
	const struct opt opts[] = {
		{ "op|operation", OPT_TEXT, &ew->name, 0, "NAME", "what to compute" },
		{ "n|elements", OPT_SIZE, &o->n, 1, "N", "elements of the output" },
		{ "broadcast", OPT_TEXT, &ew->broadcast, 0, "FORM",
		  "none, scalar or channel: of the last input (none)" },
		{ "broadcast-a", OPT_TEXT, &ew->broadcasts[0], 0, "FORM", "of the first input" },
		{ "broadcast-b", OPT_TEXT, &ew->broadcasts[1], 0, "FORM", "of the second" },
		{ "broadcast-c", OPT_TEXT, &ew->broadcasts[2], 0, "FORM", "of the third" },
		{ "channels", OPT_SIZE, &o->channels, 1, "C", "values of a channel vector" },
		{ "inner", OPT_SIZE, &o->inner, 1, "N", "neighbours of one channel (1)" },
		{ "lo|min", OPT_REAL, &o->lo, 0, "X", "of clip (-1)" },
		{ "hi|max", OPT_REAL, &o->hi, 0, "X", "of clip (1)" },
		{ "relu", OPT_FLAG, &ew->relu, 0, NULL, "ReLU behind add, sub, mul, max, min" },
		{ "relu-max", OPT_NONZERO, &o->relu_max, 0, "X", "its upper limit" },
		{ "a-scale", OPT_NONZERO, &o->a_scale, 0, "S", "of int8 and uint8 (1)" },
		{ "b-scale", OPT_NONZERO, &o->b_scale, 0, "S", "of int8 and uint8 (1)" },
		{ "out-scale", OPT_NONZERO, &o->out_scale, 0, "S", "of int8 and uint8 (1)" },
		{ "a-zp", OPT_INT, &o->a_zp, 0, "Z", "zero point (0)" },
		{ "b-zp", OPT_INT, &o->b_zp, 0, "Z", "zero point (0)" },
		{ "out-zp", OPT_INT, &o->out_zp, 0, "Z", "zero point (0)" },
		{ "a|input", OPT_TEXT, &ew->inputs[0].file, 0, "FILE", "raw first input" },
		{ "b", OPT_TEXT, &ew->inputs[1].file, 0, "FILE", "raw second input" },
		{ "c", OPT_TEXT, &ew->inputs[2].file, 0, "FILE", "raw third input" },
		{ "output", OPT_TEXT, &ew->output.file, 0, "FILE", "write the raw output" },
		VALUES_OPTION(&ew->values),
		OP_OPTIONS(&ew->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static bool is_named(const char *text, const char *name)
{
	return !strcmp(text, name) || (!strncmp(name, "cmp", 3) && !strcmp(text, name + 3)) ||
	       (!strcmp(text, "ne") && !strcmp(name, "cmpneq"));
}

static int set_op(struct eltwise *ew)
{
	const char *name;

	if (!ew->name)
		return cmd_unusable(ew->op.argv0, "--op is missing");
	for (int op = SCORIA_ADD; (name = scoria_eltwise_name(op)); op++)
		if (is_named(ew->name, name)) {
			ew->opts.op = op;
			return CMD_OK;
		}
	return cmd_unusable(ew->op.argv0, "--op: no operation \"%s\"; --help lists them", ew->name);
}

/* The library takes no notice of them with fp16, which is not what was meant. */
static int check_quantisation(const struct eltwise *ew)
{
	const struct scoria_eltwise_opts *o = &ew->opts;
	const char *name = o->a_scale != 0 ? "a-scale" : o->b_scale != 0 ? "b-scale" :
			   o->out_scale != 0 ? "out-scale" : o->a_zp ? "a-zp" :
			   o->b_zp ? "b-zp" : o->out_zp ? "out-zp" : NULL;

	if (o->type == SCORIA_FP16 && name)
		return cmd_unusable(ew->op.argv0, "--%s: fp16 has none", name);
	return CMD_OK;
}

static int set_types(struct eltwise *ew)
{
	int status = op_one_type(&ew->op, &ew->opts.type);

	if (status == CMD_OK)
		status = check_quantisation(ew);
	if (status != CMD_OK)
		return status;
	if (!ew->opts.n)
		return cmd_unusable(ew->op.argv0, "--n is missing");
	ew->opts.relu = ew->relu || ew->opts.relu_max != 0;
	return CMD_OK;
}

/* The limits that were not given are NaN, which no option can be. */
static int set_limits(struct eltwise *ew)
{
	struct scoria_eltwise_opts *o = &ew->opts;

	if (o->op != SCORIA_CLIP && !(isnan(o->lo) && isnan(o->hi)))
		return cmd_unusable(ew->op.argv0, "--%s: %s has none", isnan(o->lo) ? "hi" : "lo",
				    ew->name);
	if (isnan(o->lo))
		o->lo = -1;
	if (isnan(o->hi))
		o->hi = 1;
	return CMD_OK;
}

static int set_broadcast(struct eltwise *ew, const char *option, const char *text,
			 enum scoria_broadcast *broadcast)
{
	if (!text || !strcmp(text, "none"))
		*broadcast = SCORIA_BROADCAST_NONE;
	else if (!strcmp(text, "scalar"))
		*broadcast = SCORIA_BROADCAST_SCALAR;
	else if (!strcmp(text, "channel"))
		*broadcast = SCORIA_BROADCAST_CHANNEL;
	else
		return cmd_unusable(ew->op.argv0, "--%s: \"%s\" is not none, scalar or channel",
				    option, text);
	if (*broadcast == SCORIA_BROADCAST_CHANNEL && !ew->opts.channels)
		return cmd_unusable(ew->op.argv0, "--channels is missing");
	return CMD_OK;
}

static int set_broadcasts(struct eltwise *ew)
{
	struct scoria_eltwise_opts *o = &ew->opts;
	const enum scoria_broadcast by_channel = SCORIA_BROADCAST_CHANNEL;
	const unsigned int last = scoria_eltwise_inputs(o->op) - 1;
	int status;

	if (ew->broadcast && ew->broadcasts[last])
		return cmd_unusable(ew->op.argv0, "--broadcast and --broadcast-%c say the same",
				    "abc"[last]);
	if (ew->broadcast)
		ew->broadcasts[last] = ew->broadcast;
	status = set_broadcast(ew, "broadcast-a", ew->broadcasts[0], &o->broadcast_a);
	if (status == CMD_OK)
		status = set_broadcast(ew, "broadcast-b", ew->broadcasts[1], &o->broadcast_b);
	if (status == CMD_OK)
		status = set_broadcast(ew, "broadcast-c", ew->broadcasts[2], &o->broadcast_c);
	if (status == CMD_OK && (o->channels || o->inner) && o->broadcast_a != by_channel &&
	    o->broadcast_b != by_channel && o->broadcast_c != by_channel)
		status = cmd_unusable(ew->op.argv0, "--%s: no input is broadcast by channel",
				      o->channels ? "channels" : "inner");
	return status;
}

static size_t elements(const struct eltwise *ew, enum scoria_broadcast broadcast)
{
	if (broadcast == SCORIA_BROADCAST_SCALAR)
		return 1;
	return broadcast == SCORIA_BROADCAST_CHANNEL ? ew->opts.channels : ew->opts.n;
}

static int load(struct eltwise *ew)
{
	const struct scoria_eltwise_opts *o = &ew->opts;
	const enum scoria_broadcast broadcasts[] = { o->broadcast_a, o->broadcast_b,
						     o->broadcast_c };
	static const char *const names[] = { "a", "b", "c" };
	struct random random = { ew->op.seed };
	int status;

	for (unsigned int i = 0; i < INPUTS; i++) {
		struct tensor *input = &ew->inputs[i];

		if (i >= scoria_eltwise_inputs(o->op)) {
			if (input->file)
				return cmd_unusable(ew->op.argv0, "--%s: %s has no such input",
						    names[i], ew->name);
			continue;
		}
		*input = (struct tensor){ names[i], input->file, o->type,
					  elements(ew, broadcasts[i]), NULL };
		status = values_load(ew->op.argv0, ew->values, input, &random);
		if (status != CMD_OK)
			return status;
	}
	ew->output = (struct tensor){ "output", ew->output.file, o->type, o->n, NULL };
	return tensor_create(ew->op.argv0, &ew->output);
}

static int run_once(void *ctx)
{
	struct eltwise *ew = ctx;

	return scoria_eltwise_run(ew->plan, ew->inputs[0].data, ew->inputs[1].data,
				  ew->inputs[2].data, ew->output.data);
}

static int compute(struct eltwise *ew)
{
	char title[128];
	int status = op_run(&ew->op, run_once, ew);

	if (status != CMD_OK)
		return status;
	if (ew->op.check)
		reference_eltwise(&ew->opts, ew->inputs[0].data, ew->inputs[1].data,
				  ew->inputs[2].data, ew->output.data, &ew->op.result);
	status = tensor_save(ew->op.argv0, &ew->output);
	if (status != CMD_OK)
		return status;
	snprintf(title, sizeof(title), "%s n=%zu %s", scoria_eltwise_name(ew->opts.op), ew->opts.n,
		 scoria_type_name(ew->opts.type));
	return op_report(&ew->op, title, 0);
}

static int plan_and_compute(struct eltwise *ew)
{
	int err = scoria_eltwise_plan_create(ew->op.dev, &ew->opts, &ew->plan);
	int status;

	if (err)
		return op_failed(&ew->op, err);
	ew->op.info.size = sizeof(ew->op.info);
	scoria_eltwise_plan_info(ew->plan, &ew->op.info);
	status = load(ew);
	return status == CMD_OK ? compute(ew) : status;
}

static void clean_up(struct eltwise *ew)
{
	scoria_eltwise_plan_destroy(ew->plan);
	op_close(&ew->op);
	for (unsigned int i = 0; i < INPUTS; i++)
		tensor_free(&ew->inputs[i]);
	tensor_free(&ew->output);
}

int cmd_eltwise(int argc, char **argv)
{
	struct eltwise ew = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(ew.opts), .lo = NAN, .hi = NAN },
	};
	int status = parse(&ew, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_op(&ew);
	if (status == CMD_OK)
		status = set_types(&ew);
	if (status == CMD_OK)
		status = set_limits(&ew);
	if (status == CMD_OK)
		status = set_broadcasts(&ew);
	if (status == CMD_OK)
		status = op_open(&ew.op);
	if (status != CMD_OK)
		return status;
	status = plan_and_compute(&ew);
	clean_up(&ew);
	return status;
}
