// SPDX-License-Identifier: MIT
/* Element types. */
#include <scoria/types.h>

static const struct {
	const char *name;
	size_t size;
} types[] = {
	[SCORIA_FP16] = { "fp16", 2 },
	[SCORIA_FP32] = { "fp32", 4 },
	[SCORIA_INT8] = { "int8", 1 },
	[SCORIA_UINT8] = { "uint8", 1 },
	[SCORIA_INT32] = { "int32", 4 },
	[SCORIA_BF16] = { "bf16", 2 },
	[SCORIA_TF32] = { "tf32", 4 },
	[SCORIA_INT4] = { "int4", 1 },
	[SCORIA_INT16] = { "int16", 2 },
	[SCORIA_INT64] = { "int64", 8 },
};

static int known(enum scoria_type type)
{
	return (size_t)type < sizeof(types) / sizeof(types[0]) && types[type].name;
}

size_t scoria_type_size(enum scoria_type type)
{
	return known(type) ? types[type].size : 0;
}

const char *scoria_type_name(enum scoria_type type)
{
	return known(type) ? types[type].name : "?";
}
