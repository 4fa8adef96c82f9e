// SPDX-License-Identifier: MIT
#include "tensor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static size_t n_bytes(const struct tensor *tensor)
{
	return tensor->n * scoria_type_size(tensor->type);
}

int tensor_create(const char *argv0, struct tensor *tensor)
{
	tensor->data = calloc(tensor->n, scoria_type_size(tensor->type));
	if (!tensor->data)
		return cmd_unusable(argv0, "no memory for %zu elements of --%s", tensor->n,
				    tensor->name);
	return CMD_OK;
}

static int wrong_size(const char *argv0, const struct tensor *tensor, const char *how)
{
	return cmd_unusable(argv0, "--%s %s: the file is %s than the %zu bytes of %zu %s elements",
			    tensor->name, tensor->file, how, n_bytes(tensor), tensor->n,
			    scoria_type_name(tensor->type));
}

static int read_file(const char *argv0, struct tensor *tensor)
{
	FILE *file = fopen(tensor->file, "rb");
	int status = CMD_OK;
	size_t got;

	if (!file)
		return cmd_unusable(argv0, "--%s %s: %s", tensor->name, tensor->file,
				    strerror(errno));
	errno = 0;
	got = fread(tensor->data, 1, n_bytes(tensor), file);
	if (ferror(file))
		status = cmd_unusable(argv0, "--%s %s: %s", tensor->name, tensor->file,
				      strerror(errno));
	else if (got < n_bytes(tensor))
		status = wrong_size(argv0, tensor, "shorter");
	else if (fgetc(file) != EOF)
		status = wrong_size(argv0, tensor, "longer");
	fclose(file);
	return status;
}

int tensor_load(const char *argv0, struct tensor *tensor, struct random *random)
{
	int status = tensor_create(argv0, tensor);

	if (status != CMD_OK)
		return status;
	if (tensor->file)
		return read_file(argv0, tensor);
	random_fill(random, tensor->type, tensor->data, tensor->n);
	return CMD_OK;
}

int tensor_save(const char *argv0, const struct tensor *tensor)
{
	size_t put;
	FILE *file;

	if (!tensor->file)
		return CMD_OK;
	file = fopen(tensor->file, "wb");
	if (!file)
		return cmd_unusable(argv0, "--%s %s: %s", tensor->name, tensor->file,
				    strerror(errno));
	put = fwrite(tensor->data, 1, n_bytes(tensor), file);
	if (fclose(file) || put < n_bytes(tensor))
		return cmd_unusable(argv0, "--%s %s: %s", tensor->name, tensor->file,
				    strerror(errno));
	return CMD_OK;
}

void tensor_free(struct tensor *tensor)
{
	free(tensor->data);
	tensor->data = NULL;
}
