// SPDX-License-Identifier: MIT
/* scoria activation: a function of every element of random or given data. */
#include <math.h>
#include <string.h>

#include "../lib/reference/vectors.h"
#include "cmd.h"
#include "fp16.h"
#include "op.h"
#include "tensor.h"
#include "values.h"

/* Random arguments without --lo and --hi. */
#define REACH 6.0

struct activation {
	struct op op;
	struct scoria_activation_opts opts;
	const char *name;
	const char *values;
	double from;
	double to;
	struct tensor input;
	struct tensor slopes;
	struct tensor output;
	struct scoria_activation_plan *plan;
};

static void help(const struct opt *opts, size_t n)
{
	const char *name;

	printf("usage: scoria activation --op NAME --n N [OPTION]...\n\nfp16:");
	for (int f = SCORIA_RELU; (name = scoria_activation_name(f)); f++)
		printf("%s %s", f % 10 ? "" : "\n ", name);
	puts(".\n");
	opts_help(opts, n);
}

static int parse(struct activation *ac, int argc, char **argv)
{
	struct scoria_activation_opts *o = &ac->opts;
	const struct opt opts[] = {
		{ "op|function", OPT_TEXT, &ac->name, 0, "NAME", "what to compute" },
		{ "n|elements", OPT_SIZE, &o->n, 1, "N", "elements" },
		{ "alpha|limit|slope", OPT_NONZERO, &o->alpha, 0, "X",
		  "of relux, leaky_relu, elu, celu" },
		{ "min", OPT_REAL, &o->lo, 0, "X", "of hardtanh (-1)" },
		{ "max", OPT_REAL, &o->hi, 0, "X", "of hardtanh (1)" },
		{ "channels", OPT_SIZE, &o->channels, 1, "C", "slopes of prelu" },
		{ "inner", OPT_SIZE, &o->inner, 1, "N", "neighbours of one channel (1)" },
		{ "lo|from", OPT_REAL, &ac->from, 0, "X", "random arguments from here (-6)" },
		{ "hi|to", OPT_REAL, &ac->to, 0, "X", "to here (6)" },
		{ "input|in|a", OPT_TEXT, &ac->input.file, 0, "FILE", "raw arguments" },
		{ "slopes", OPT_TEXT, &ac->slopes.file, 0, "FILE", "raw slopes of prelu" },
		{ "output", OPT_TEXT, &ac->output.file, 0, "FILE", "write the raw results" },
		VALUES_OPTION(&ac->values),
		OP_OPTIONS(&ac->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_function(struct activation *ac)
{
	const char *name;

	if (!ac->name)
		return cmd_unusable(ac->op.argv0, "--op is missing");
	if (!strcmp(ac->name, "swish"))
		ac->name = "silu";
	for (int f = SCORIA_RELU; (name = scoria_activation_name(f)); f++)
		if (!strcmp(ac->name, name)) {
			ac->opts.function = f;
			return CMD_OK;
		}
	return cmd_unusable(ac->op.argv0, "--op: no function \"%s\"; --help lists them", ac->name);
}

/* What was not given is NaN, which no option can be; the library has defaults for both. */
static int set_limits(struct activation *ac)
{
	struct scoria_activation_opts *o = &ac->opts;
	const bool has = o->function == SCORIA_HARDTANH;

	if (o->lo == 0 && o->hi == 0)
		return cmd_unusable(ac->op.argv0, "--min 0 and --max 0 leave nothing of %s", ac->name);
	if (isnan(o->lo))
		o->lo = has ? -1 : 0;
	if (isnan(o->hi))
		o->hi = has ? 1 : 0;
	return CMD_OK;
}

static int check(const struct activation *ac)
{
	if (op_type(ac->op.dtype) != SCORIA_FP16)
		return cmd_unusable(ac->op.argv0, "--dtype: \"%s\" is not fp16", ac->op.dtype);
	if (ac->op.out && op_type(ac->op.out) != SCORIA_FP16)
		return cmd_unusable(ac->op.argv0, "--out: \"%s\" is not fp16", ac->op.out);
	if (!ac->opts.n)
		return cmd_unusable(ac->op.argv0, "--n is missing");
	if (ac->opts.function == SCORIA_PRELU && !ac->opts.channels)
		return cmd_unusable(ac->op.argv0, "--channels is missing");
	if (ac->opts.function != SCORIA_PRELU && ac->slopes.file)
		return cmd_unusable(ac->op.argv0, "--slopes: %s has none", ac->name);
	if (!(ac->from <= ac->to))
		return cmd_unusable(ac->op.argv0, "--lo %g is above --hi %g", ac->from, ac->to);
	return CMD_OK;
}

/* From [-1, 1) to the range that was asked for. */
static void stretch(const struct activation *ac)
{
	uint16_t *data = ac->input.data;

	for (size_t i = 0; i < ac->opts.n; i++)
		data[i] = fp32_to_fp16((float)(ac->from + (ac->to - ac->from) *
						((double)fp16_to_fp32(data[i]) + 1) / 2));
}

static int load(struct activation *ac)
{
	struct random random = { ac->op.seed };
	int status;

	ac->input = (struct tensor){ "input", ac->input.file, SCORIA_FP16, ac->opts.n, NULL };
	ac->output = (struct tensor){ "output", ac->output.file, SCORIA_FP16, ac->opts.n, NULL };
	ac->slopes = (struct tensor){ "slopes", ac->slopes.file, SCORIA_FP16, ac->opts.channels,
				      NULL };
	status = values_load(ac->op.argv0, ac->values, &ac->input, &random);
	if (status == CMD_OK && !ac->input.file && (!ac->values || strcmp(ac->values, "bits")))
		stretch(ac);
	if (status == CMD_OK && ac->opts.function == SCORIA_PRELU)
		status = tensor_load(ac->op.argv0, &ac->slopes, &random);
	if (status == CMD_OK)
		status = tensor_create(ac->op.argv0, &ac->output);
	return status;
}

static int run_once(void *ctx)
{
	struct activation *ac = ctx;

	return scoria_activation_run(ac->plan, ac->input.data, ac->slopes.data, ac->output.data);
}

static void check_results(struct activation *ac)
{
	struct scoria_activation_info info = { .size = sizeof(info) };

	scoria_activation_describe(&ac->opts, &info);
	reference_activation(&ac->opts, &info, ac->input.data, ac->slopes.data, ac->output.data,
			     &ac->op.result);
}

static int compute(struct activation *ac)
{
	char title[128];
	int status = op_run(&ac->op, run_once, ac);

	if (status != CMD_OK)
		return status;
	if (ac->op.check)
		check_results(ac);
	status = tensor_save(ac->op.argv0, &ac->output);
	if (status != CMD_OK)
		return status;
	snprintf(title, sizeof(title), "%s n=%zu fp16", scoria_activation_name(ac->opts.function),
		 ac->opts.n);
	return op_report(&ac->op, title, 0);
}

static int plan_and_compute(struct activation *ac)
{
	int err = scoria_activation_plan_create(ac->op.dev, &ac->opts, &ac->plan);
	int status;

	if (err)
		return op_failed(&ac->op, err);
	ac->op.info.size = sizeof(ac->op.info);
	scoria_activation_plan_info(ac->plan, &ac->op.info);
	status = load(ac);
	return status == CMD_OK ? compute(ac) : status;
}

static void clean_up(struct activation *ac)
{
	scoria_activation_plan_destroy(ac->plan);
	op_close(&ac->op);
	tensor_free(&ac->input);
	tensor_free(&ac->slopes);
	tensor_free(&ac->output);
}

int cmd_activation(int argc, char **argv)
{
	struct activation ac = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(ac.opts), .lo = NAN, .hi = NAN },
		.from = -REACH,
		.to = REACH,
	};
	int status = parse(&ac, argc, argv);

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_function(&ac);
	if (status == CMD_OK)
		status = check(&ac);
	if (status == CMD_OK)
		status = set_limits(&ac);
	if (status == CMD_OK)
		status = op_open(&ac.op);
	if (status != CMD_OK)
		return status;
	status = plan_and_compute(&ac);
	clean_up(&ac);
	return status;
}
