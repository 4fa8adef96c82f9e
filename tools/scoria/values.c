// SPDX-License-Identifier: MIT
#include "values.h"

#include <string.h>

#include "cmd.h"

int values_load(const char *argv0, const char *values, struct tensor *tensor,
		struct random *random)
{
	const bool bits = values && !strcmp(values, "bits");
	int status;

	if (values && !bits && strcmp(values, "uniform"))
		return cmd_unusable(argv0, "--values: \"%s\" is not uniform or bits", values);
	status = tensor_load(argv0, tensor, random);
	if (status == CMD_OK && bits && !tensor->file)
		random_fill(random, SCORIA_UINT8, tensor->data,
			    tensor->n * scoria_type_size(tensor->type));
	return status;
}
