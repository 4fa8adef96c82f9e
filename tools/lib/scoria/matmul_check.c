// SPDX-License-Identifier: MIT
/* What a matrix product may ask for. */
#include <float.h>
#include <math.h>

#include "check.h"
#include "error.h"
#include "matmul.h"

/* Largest k for which 2^7 * 2^7 * k stays below 2^31. */
#define MAX_INT_K 131071u

static bool requantises(const struct scoria_matmul_opts *o)
{
	return scoria_type_size(o->out) == 1;
}

static int check_sizes(const struct scoria_matmul_opts *o)
{
	if (!o->m || !o->k || !o->n)
		return error_set(EINVAL, "matmul: m = %zu, k = %zu, n = %zu: none may be 0", o->m,
				 o->k, o->n);
	if (o->m > INT32_MAX || o->k > INT32_MAX || o->n > INT32_MAX)
		return error_set(ENOSPC, "matmul: m = %zu, k = %zu, n = %zu: 2^31 and more do not fit the NPU's 4 GiB",
				 o->m, o->k, o->n);
	if (!matmul_is_float(o->type) && o->k > MAX_INT_K)
		return error_set(EOVERFLOW, "matmul: k = %zu: above %u int8 sums could overflow int32",
				 o->k, MAX_INT_K);
	return 0;
}

static int check_pair(const struct scoria_matmul_opts *o)
{
	static const struct { enum scoria_type type, out; } pairs[] = {
		{ SCORIA_FP16, SCORIA_FP32 }, { SCORIA_FP16, SCORIA_FP16 },
		{ SCORIA_BF16, SCORIA_FP32 }, { SCORIA_TF32, SCORIA_FP32 },
		{ SCORIA_INT4, SCORIA_INT32 }, { SCORIA_INT8, SCORIA_INT32 },
		{ SCORIA_INT8, SCORIA_INT8 }, { SCORIA_UINT8, SCORIA_INT32 },
		{ SCORIA_UINT8, SCORIA_UINT8 }, { SCORIA_INT16, SCORIA_INT64 },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (o->type == pairs[i].type && o->out == pairs[i].out)
			return 0;
	return error_set(EOPNOTSUPP, "matmul: %s to %s: have fp16 to fp32 or fp16, bf16 and tf32 to fp32, int8 to int32 or int8, uint8 to int32 or uint8, int4 to int32, int16 to int64",
			 scoria_type_name(o->type), scoria_type_name(o->out));
}

static int check_types(const struct scoria_matmul_opts *o)
{
	if (!scoria_type_size(o->type) || !scoria_type_size(o->out))
		return error_set(EINVAL, "matmul: type = %d, out = %d: not a type", o->type, o->out);
	if (o->b_layout != SCORIA_B_KN && o->b_layout != SCORIA_B_NK)
		return error_set(EINVAL, "matmul: b_layout = %d: not a layout", o->b_layout);
	return check_pair(o);
}

/* From matrix to matrix: as from row to row. Results may not overlap. */
static int check_batch(const char *name, size_t *stride, size_t batch, size_t matrix, size_t size)
{
	size_t bytes;

	if (!*stride)
		*stride = matrix;
	if (*stride < matrix)
		return error_set(EINVAL, "matmul: %s = %zu is shorter than a matrix of %zu", name,
				 *stride, matrix);
	if (__builtin_mul_overflow(*stride, batch, &bytes) ||
	    __builtin_mul_overflow(bytes, size, &bytes) || bytes > PTRDIFF_MAX)
		return error_set(EINVAL, "matmul: %s = %zu: %zu such matrices overflow the address space",
				 name, *stride, batch);
	return 0;
}

static int check_strides(struct scoria_matmul_opts *o)
{
	bool kn = o->b_layout == SCORIA_B_KN;
	size_t size = scoria_type_size(o->type), b_rows = kn ? o->k : o->n;
	size_t b_columns = kn ? o->n : o->k;
	int err;

	if (!o->batch)
		o->batch = 1;
	err = check_stride("matmul", "lda", &o->lda, o->m, o->k, o->type);
	if (!err)
		err = check_stride("matmul", "ldb", &o->ldb, b_rows, b_columns, o->type);
	if (!err)
		err = check_stride("matmul", "ldc", &o->ldc, o->m, o->n, o->out);
	if (!err)
		err = check_batch("stride_a", &o->stride_a, o->batch, o->m * o->lda, size);
	if (!err && !o->b_shared)
		err = check_batch("stride_b", &o->stride_b, o->batch, b_rows * o->ldb, size);
	if (!err)
		err = check_batch("stride_c", &o->stride_c, o->batch, o->m * o->ldc,
				  scoria_type_size(o->out));
	return err;
}

static int check_alpha(struct scoria_matmul_opts *o)
{
	if (o->alpha == 0)
		o->alpha = 1;
	if (!isfinite(o->alpha) || fabs(o->alpha) > (double)FLT_MAX)
		return error_set(EINVAL, "matmul: alpha = %g: must be a finite fp32 number",
				 o->alpha);
	if (o->alpha != 1 && !matmul_is_float(o->type))
		return error_set(EINVAL, "matmul: alpha = %g: products of integers have none",
				 o->alpha);
	return 0;
}

static int check_relu(const struct scoria_matmul_opts *o)
{
	double most = matmul_is_float(o->type) ? (double)FLT_MAX : (double)INT32_MAX;

	if (!(o->relu_max >= 0 && o->relu_max <= most))
		return error_set(EINVAL, "matmul: relu_max = %g: must be in [0, %g]", o->relu_max,
				 most);
	if (o->relu_max > 0 && !o->relu)
		return error_set(EINVAL, "matmul: relu_max = %g, but relu is 0", o->relu_max);
	return 0;
}

struct requant_scales matmul_scales(const struct scoria_matmul_opts *o)
{
	return (struct requant_scales){ o->scale, o->scales, o->n, fusion_scale(o->fuse) };
}

static int check_requantisation(const struct scoria_matmul_opts *o)
{
	const struct requant_scales scales = matmul_scales(o);

	int err = check_zero_point("matmul", "a_zp", o->type, o->a_zp);

	if (!err)
		err = check_zero_point("matmul", "b_zp", o->type, o->b_zp);
	if (!err)
		err = check_zero_point("matmul", "output_zp", o->out, o->output_zp);
	if (err)
		return err;
	if (!requantises(o) && o->scales)
		return error_set(EINVAL, "matmul: scales are for int8 and uint8 output");
	return requantises(o) ? requant_check("matmul", &scales) : 0;
}

static int check_epilogue(struct scoria_matmul_opts *o)
{
	int err = check_alpha(o);

	if (!err)
		err = check_relu(o);
	if (!err)
		err = check_requantisation(o);
	if (!err && o->type == SCORIA_INT16 && (o->bias || o->relu || o->fuse))
		return error_set(EOPNOTSUPP, "matmul: int16 to int64 has no bias, no relu and nothing fused");
	return err;
}

int matmul_check(struct scoria_matmul_opts *o, const struct scoria_matmul_opts *opts)
{
	int err = opts_copy("matmul", o, sizeof(*o), offsetof(struct scoria_matmul_opts, batch),
			    opts);

	if (!err)
		err = check_types(o);
	if (!err)
		err = check_sizes(o);
	if (!err)
		err = check_strides(o);
	return err ? err : check_epilogue(o);
}

int scoria_matmul_requant(const struct scoria_matmul_opts *opts, struct scoria_requant *columns)
{
	struct requant_scales scales;
	struct scoria_matmul_opts o;
	int err = CHECK_POINTERS("matmul", POINTER(columns));

	if (!err)
		err = matmul_check(&o, opts);
	if (err)
		return err;
	if (!requantises(&o))
		return error_set(EINVAL, "matmul: out = %s: only int8 and uint8 are requantised",
				 scoria_type_name(o.out));
	scales = matmul_scales(&o);
	requant_channels(&scales, columns);
	return 0;
}
