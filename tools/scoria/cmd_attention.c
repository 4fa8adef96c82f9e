// SPDX-License-Identifier: MIT
/* scoria attention: of random or given data. */
#include <string.h>

#include "../lib/reference/composites.h"
#include "cmd.h"
#include "compute.h"
#include "values.h"

enum input { Q, K, V, MASK, N_INPUTS };

struct attention {
	struct op op;
	struct scoria_attention_opts opts;
	const char *mask;
	const char *values;
	bool causal;
	struct tensor inputs[N_INPUTS];
	struct tensor out;
	struct scoria_attention_plan *plan;
};

static int parse(struct attention *at, int argc, char **argv)
{
	struct scoria_attention_opts *o = &at->opts;
	const struct opt opts[] = {
		{ "batch", OPT_SIZE, &o->batch, 1, "N", "sequences (1)" },
		{ "heads", OPT_SIZE, &o->heads, 1, "N", "heads (1)" },
		{ "kv-heads", OPT_SIZE, &o->kv_heads, 1, "N", "heads of k and v (as many)" },
		{ "queries|m", OPT_SIZE, &o->queries, 1, "N", "rows of q" },
		{ "keys|n", OPT_SIZE, &o->keys, 1, "N", "rows of k and v (those of q)" },
		{ "dim|k", OPT_SIZE, &o->dim, 1, "N", "columns of q and k" },
		{ "value-dim", OPT_SIZE, &o->value_dim, 1, "N", "columns of v (those of k)" },
		{ "scale", OPT_NONZERO, &o->scale, 0, "S", "of scores (1 / sqrt(dim))" },
		{ "causal", OPT_FLAG, &at->causal, 0, NULL, "queries see no later keys" },
		{ "mask", OPT_TEXT, &at->mask, 0, "none|shared|full", "added to scores (none)" },
		{ "q", OPT_TEXT, &at->inputs[Q].file, 0, "FILE", "raw q" },
		{ "k-file", OPT_TEXT, &at->inputs[K].file, 0, "FILE", "raw k" },
		{ "v", OPT_TEXT, &at->inputs[V].file, 0, "FILE", "raw v" },
		{ "mask-file", OPT_TEXT, &at->inputs[MASK].file, 0, "FILE", "raw mask" },
		{ "output", OPT_TEXT, &at->out.file, 0, "FILE", "write the raw output" },
		VALUES_OPTION(&at->values),
		OP_OPTIONS(&at->op),
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria attention --queries M --dim K [OPTION]...\n\nfp16.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	return opts_parse(argc, argv, opts, n);
}

static int set_mask(struct attention *at)
{
	static const char *const names[] = { "none", "shared", "full" };

	for (size_t i = 0; i < 3; i++)
		if (!strcmp(at->mask, names[i])) {
			at->opts.mask = SCORIA_MASK_NONE + i;
			if (!i && at->inputs[MASK].file)
				return cmd_unusable(at->op.argv0, "--mask-file: --mask shared or --mask full is missing");
			return CMD_OK;
		}
	return cmd_unusable(at->op.argv0, "--mask: \"%s\" is not none, shared or full", at->mask);
}

static int set_options(struct attention *at)
{
	struct scoria_attention_opts *o = &at->opts;
	int status = op_one_type(&at->op, &o->type);

	if (status != CMD_OK)
		return status;
	if (!o->queries || !o->dim)
		return cmd_unusable(at->op.argv0, "--%s is missing", o->dim ? "queries" : "dim");
	o->keys = o->keys ? o->keys : o->queries;
	o->kv_heads = o->kv_heads ? o->kv_heads : o->heads;
	o->value_dim = o->value_dim ? o->value_dim : o->dim;
	o->causal = at->causal;
	return set_mask(at);
}

static int create(void *ctx)
{
	struct attention *at = ctx;
	int err = scoria_attention_plan_create(at->op.dev, &at->opts, &at->plan);

	at->op.info.size = sizeof(at->op.info);
	return err ? err : scoria_attention_plan_info(at->plan, &at->op.info);
}

static int run(void *ctx)
{
	struct attention *at = ctx;
	const struct tensor *in = at->inputs;

	return scoria_attention_run(at->plan, in[Q].data, in[K].data, in[V].data, in[MASK].data,
				    at->out.data);
}

static int check(void *ctx)
{
	struct attention *at = ctx;
	const struct tensor *in = at->inputs;

	return reference_attention(&at->opts, in[Q].data, in[K].data, in[V].data, in[MASK].data,
				   at->out.data, &at->op.result);
}

static void destroy(void *ctx)
{
	scoria_attention_plan_destroy(((struct attention *)ctx)->plan);
}

static size_t mask_elements(const struct scoria_attention_opts *o)
{
	if (o->mask == SCORIA_MASK_FULL)
		return o->batch * o->heads * o->queries * o->keys;
	return o->mask == SCORIA_MASK_SHARED ? o->queries * o->keys : 0;
}

static void set_tensors(struct attention *at)
{
	static const char *const names[] = { "q", "k-file", "v", "mask-file" };
	const struct scoria_attention_opts *o = &at->opts;
	const size_t rows = o->batch * o->heads * o->queries;
	const size_t kv = o->batch * o->kv_heads * o->keys;
	const size_t sizes[] = { rows * o->dim, kv * o->dim, kv * o->value_dim, mask_elements(o) };

	for (size_t i = 0; i < N_INPUTS; i++)
		at->inputs[i] = (struct tensor){ names[i], at->inputs[i].file, o->type, sizes[i],
						 NULL };
	at->out = (struct tensor){ "output", at->out.file, o->type, rows * o->value_dim, NULL };
}

int cmd_attention(int argc, char **argv)
{
	struct attention at = {
		.op = { .argv0 = argv[0], .dtype = "fp16", .seed = 1, .repeat = 1 },
		.opts = { .size = sizeof(at.opts), .batch = 1, .heads = 1 },
		.mask = "none",
	};
	const struct scoria_attention_opts *o = &at.opts;
	int status = parse(&at, argc, argv);
	char title[192];

	if (status != CMD_OK || cmd_wants_help(argc, argv))
		return status;
	status = set_options(&at);
	if (status != CMD_OK)
		return status;
	set_tensors(&at);
	snprintf(title, sizeof(title), "attention of %zu x %zu (%zu) heads, %zu queries, %zu keys, dim %zu, %zu%s",
		 o->batch, o->heads, o->kv_heads, o->queries, o->keys, o->dim, o->value_dim,
		 o->causal ? ", causal" : "");
	return compute(&(struct compute){
		.op = &at.op, .title = title, .values = at.values, .inputs = at.inputs,
		.macs = (double)o->batch * o->heads * o->queries * o->keys *
			(o->dim + o->value_dim),
		.n_inputs = N_INPUTS, .output = &at.out, .create = create, .run = run,
		.check = check, .destroy = destroy, .ctx = &at,
	});
}
