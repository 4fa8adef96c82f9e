// SPDX-License-Identifier: MIT
#include "fuse.h"

#include <string.h>

#include "cmd.h"

static int set_activation(struct fuse *fuse, const char *argv0)
{
	int function = 1;

	if (!fuse->activation)
		return fuse->alpha != 0 ? cmd_unusable(argv0, "--act-alpha needs --act") : CMD_OK;
	while (scoria_activation_name(function) &&
	       strcmp(scoria_activation_name(function), fuse->activation))
		function++;
	if (!scoria_activation_name(function))
		return cmd_unusable(argv0, "--act: \"%s\" is not a function", fuse->activation);
	fuse->opts.activation = function;
	fuse->opts.alpha = fuse->alpha;
	return CMD_OK;
}

static int set_residual(struct fuse *fuse, const char *argv0)
{
	if (!fuse->residual) {
		if (fuse->operand.file || fuse->last || fuse->scale != 0 || fuse->zero_point)
			return cmd_unusable(argv0, "--residual add or --residual mul is missing");
		return CMD_OK;
	}
	if (!strcmp(fuse->residual, "add"))
		fuse->opts.operand = SCORIA_OPERAND_ADD;
	else if (!strcmp(fuse->residual, "mul"))
		fuse->opts.operand = SCORIA_OPERAND_MUL;
	else
		return cmd_unusable(argv0, "--residual: \"%s\" is not add or mul", fuse->residual);
	fuse->opts.operand_last = fuse->last;
	fuse->opts.operand_scale = fuse->scale;
	fuse->opts.operand_zp = fuse->zero_point;
	return CMD_OK;
}

int fuse_set(struct fuse *fuse, const char *argv0, const struct scoria_fusion **opts)
{
	int status;

	fuse->opts = (struct scoria_fusion){ .size = sizeof(fuse->opts) };
	status = set_activation(fuse, argv0);
	if (status == CMD_OK)
		status = set_residual(fuse, argv0);
	*opts = fuse->activation || fuse->residual || fuse->by_channel ? &fuse->opts : NULL;
	return status;
}

int fuse_load_vectors(struct fuse *fuse, const char *argv0, size_t channels,
		      struct random *random)
{
	int status = CMD_OK;

	fuse->factors = (struct tensor){ "factors", NULL, SCORIA_FP32, channels, NULL };
	fuse->slopes = (struct tensor){ "act", NULL, SCORIA_FP32, channels, NULL };
	if (fuse->by_channel)
		status = tensor_load(argv0, &fuse->factors, random);
	if (status == CMD_OK && fuse->opts.activation == SCORIA_PRELU)
		status = tensor_load(argv0, &fuse->slopes, random);
	fuse->opts.factors = fuse->factors.data;
	fuse->opts.slopes = fuse->slopes.data;
	return status;
}

int fuse_load_operand(struct fuse *fuse, const char *argv0, size_t n, enum scoria_type out,
		      struct random *random)
{
	fuse->operand = (struct tensor){ "residual-file", fuse->operand.file, out, n, NULL };
	return fuse->opts.operand ? tensor_load(argv0, &fuse->operand, random) : CMD_OK;
}

void fuse_free(struct fuse *fuse)
{
	tensor_free(&fuse->factors);
	tensor_free(&fuse->slopes);
	tensor_free(&fuse->operand);
}
