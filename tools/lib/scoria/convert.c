// SPDX-License-Identifier: MIT
/* Conversions of rows: loops that compilers vectorise, see module.mk. */
#include <scoria/convert.h>

#include "check.h"
#include "error.h"
#include "fp16.h"

static void fp16_row(const void *from, void *to, size_t n)
{
	const float *restrict in = from;
	uint16_t *restrict out = to;

	for (size_t i = 0; i < n; i++)
		out[i] = fp32_to_fp16(in[i]);
}

static void bf16_row(const void *from, void *to, size_t n)
{
	const float *restrict in = from;
	uint16_t *restrict out = to;

	for (size_t i = 0; i < n; i++)
		out[i] = fp32_to_bf16(in[i]);
}

static void row_of_fp16(const void *from, void *to, size_t n)
{
	const uint16_t *restrict in = from;
	float *restrict out = to;

	for (size_t i = 0; i < n; i++)
		out[i] = fp16_to_fp32(in[i]);
}

static void row_of_bf16(const void *from, void *to, size_t n)
{
	const uint16_t *restrict in = from;
	float *restrict out = to;

	for (size_t i = 0; i < n; i++)
		out[i] = bf16_to_fp32(in[i]);
}

typedef void (*convert_fn)(const void *from, void *to, size_t n);

static convert_fn find(enum scoria_type from, enum scoria_type to)
{
	static const struct { enum scoria_type from, to; convert_fn convert; } pairs[] = {
		{ SCORIA_FP32, SCORIA_FP16, fp16_row },
		{ SCORIA_FP32, SCORIA_BF16, bf16_row },
		{ SCORIA_FP16, SCORIA_FP32, row_of_fp16 },
		{ SCORIA_BF16, SCORIA_FP32, row_of_bf16 },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].from == from && pairs[i].to == to)
			return pairs[i].convert;
	return NULL;
}

static int check_opts(struct scoria_convert_opts *o, const struct scoria_convert_opts *opts)
{
	int err = opts_copy("convert", o, sizeof(*o), sizeof(*o), opts);

	if (err)
		return err;
	if (!scoria_type_size(o->from) || !scoria_type_size(o->to))
		return error_set(EINVAL, "convert: from = %d, to = %d: not a type", o->from, o->to);
	if (!find(o->from, o->to))
		return error_set(EOPNOTSUPP, "convert: %s to %s: have fp32 to fp16 and bf16, and back",
				 scoria_type_name(o->from), scoria_type_name(o->to));
	if (!o->rows || !o->columns)
		return error_set(EINVAL, "convert: rows = %zu, columns = %zu: none may be 0", o->rows,
				 o->columns);
	err = check_stride("convert", "ld_from", &o->ld_from, o->rows, o->columns, o->from);
	return err ? err : check_stride("convert", "ld_to", &o->ld_to, o->rows, o->columns, o->to);
}

int scoria_convert(const struct scoria_convert_opts *opts, const void *from, void *to)
{
	struct scoria_convert_opts o;
	int err = check_opts(&o, opts);
	size_t i;

	if (err)
		return err;
	if (!from || !to)
		return error_set(EINVAL, "convert: %s is NULL", from ? "to" : "from");
	for (i = 0; i < o.rows; i++)
		find(o.from, o.to)((const uint8_t *)from + i * o.ld_from * scoria_type_size(o.from),
				   (uint8_t *)to + i * o.ld_to * scoria_type_size(o.to), o.columns);
	return 0;
}
