// SPDX-License-Identifier: MIT
#include "compute.h"

#include "cmd.h"
#include "values.h"

static int load(const struct compute *c)
{
	struct random random = { c->op->seed };
	int status = CMD_OK;

	for (size_t i = 0; i < c->n_inputs && status == CMD_OK; i++)
		if (c->inputs[i].n)
			status = values_load(c->op->argv0, c->values, &c->inputs[i], &random);
	return status == CMD_OK ? tensor_create(c->op->argv0, c->output) : status;
}

static int run(const struct compute *c)
{
	int err = c->create(c->ctx), status;

	if (err)
		return op_failed(c->op, err);
	status = load(c);
	if (status == CMD_OK)
		status = op_run(c->op, c->run, c->ctx);
	if (status == CMD_OK && c->op->check && c->check(c->ctx))
		status = cmd_unusable(c->op->argv0, "no memory to check with");
	if (status == CMD_OK)
		status = tensor_save(c->op->argv0, c->output);
	return status == CMD_OK ? op_report(c->op, c->title, c->macs) : status;
}

int compute(const struct compute *c)
{
	int status = op_open(c->op);

	if (status != CMD_OK)
		return status;
	status = run(c);
	c->destroy(c->ctx);
	op_close(c->op);
	for (size_t i = 0; i < c->n_inputs; i++)
		tensor_free(&c->inputs[i]);
	tensor_free(c->output);
	return status;
}
