// SPDX-License-Identifier: MIT
/*
 * Matrix product: a 1x1 convolution over an image one pixel wide, with the rows
 * of A as its rows, k as channels and the columns of B as kernels (H1, H2).
 */
#include <scoria/matmul.h>

#include <stdlib.h>

#include "error.h"
#include "limits.h"
#include "pack.h"
#include "program.h"
#include "rk3588_npu.h"
#include "unpack.h"

/* Largest k for which 2^7 * 2^7 * k stays below 2^31. */
#define MAX_INT8_K 131071u

struct scoria_matmul_plan {
	struct scoria_matmul_opts opts;
	struct program program;
	uint32_t rows;		/* of A in one run of the program */
};

struct scoria_matmul_weights {
	struct operands operands;
};

static int check_sizes(const struct scoria_matmul_opts *o)
{
	if (!o->m || !o->k || !o->n)
		return error_set(EINVAL, "matmul: m = %zu, k = %zu, n = %zu: none may be 0", o->m,
				 o->k, o->n);
	if (o->m > INT32_MAX || o->k > INT32_MAX || o->n > INT32_MAX)
		return error_set(ENOSPC, "matmul: m = %zu, k = %zu, n = %zu: 2^31 and more do not fit the NPU's 4 GiB",
				 o->m, o->k, o->n);
	if (o->type == SCORIA_INT8 && o->k > MAX_INT8_K)
		return error_set(EOVERFLOW, "matmul: k = %zu: above %u int8 sums could overflow int32",
				 o->k, MAX_INT8_K);
	return 0;
}

static int check_types(const struct scoria_matmul_opts *o)
{
	if (!scoria_type_size(o->type) || !scoria_type_size(o->out))
		return error_set(EINVAL, "matmul: type = %d, out = %d: not a type", o->type, o->out);
	if (o->b_layout != SCORIA_B_KN && o->b_layout != SCORIA_B_NK)
		return error_set(EINVAL, "matmul: b_layout = %d: not a layout", o->b_layout);
	if (o->type == SCORIA_FP16 && (o->out == SCORIA_FP32 || o->out == SCORIA_FP16))
		return 0;
	if (o->type == SCORIA_INT8 && o->out == SCORIA_INT32)
		return 0;
	return error_set(EOPNOTSUPP, "matmul: %s to %s: have fp16 to fp32 or fp16, and int8 to int32",
			 scoria_type_name(o->type), scoria_type_name(o->out));
}

/* Fill in a stride of 0; the whole matrix must be addressable. */
static int check_stride(const char *name, size_t *stride, size_t rows, size_t columns, size_t size)
{
	size_t bytes;

	if (!*stride)
		*stride = columns;
	if (*stride < columns)
		return error_set(EINVAL, "matmul: %s = %zu is shorter than a row of %zu", name,
				 *stride, columns);
	if (__builtin_mul_overflow(*stride, rows, &bytes) ||
	    __builtin_mul_overflow(bytes, size, &bytes) || bytes > PTRDIFF_MAX)
		return error_set(EINVAL, "matmul: %s = %zu: %zu such rows overflow the address space",
				 name, *stride, rows);
	return 0;
}

static int check_strides(struct scoria_matmul_opts *o)
{
	bool kn = o->b_layout == SCORIA_B_KN;
	size_t size = scoria_type_size(o->type);
	int err;

	err = check_stride("lda", &o->lda, o->m, o->k, size);
	if (!err)
		err = check_stride("ldb", &o->ldb, kn ? o->k : o->n, kn ? o->n : o->k, size);
	if (!err)
		err = check_stride("ldc", &o->ldc, o->m, o->n, scoria_type_size(o->out));
	return err;
}

static int check_opts(struct scoria_matmul_opts *o, const struct scoria_matmul_opts *opts)
{
	int err = opts_copy("matmul", o, sizeof(*o), sizeof(*o), opts);

	if (!err)
		err = check_types(o);
	if (!err)
		err = check_sizes(o);
	if (!err)
		err = check_strides(o);
	return err;
}

static unsigned int out_precision(enum scoria_type type)
{
	if (type == SCORIA_FP16)
		return NPU_PRECISION_FP16;
	return type == SCORIA_FP32 ? NPU_PRECISION_FP32 : NPU_PRECISION_INT32;
}

static struct layer describe(const struct scoria_matmul_opts *o, enum scoria_type out)
{
	struct layer layer = {
		.x = { 1, 1, 1, 1, 1, 0 },
		.y = { 1, 1, 1, 1, 1, 0 },
		.c = o->k,
		.oc = o->n,
		.c_align = NPU_CHANNEL_GROUP,
		.out_scale = 1,
	};

	format_init(&layer.fmt, o->type == SCORIA_FP16 ? NPU_PRECISION_FP16 : NPU_PRECISION_INT8,
		    out_precision(out), false);
	return layer;
}

static int plan_matmul(struct scoria_device *dev, struct scoria_matmul_plan *plan)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	struct layer layer = describe(o, o->out);
	struct layer partial = describe(o, o->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32);
	struct plan tasks;
	int err;

	partial.unfinished = true;
	err = plan_rows(&tasks, &layer, &partial, 1, o->m);

	if (err)
		return err;
	plan->rows = layer.y.in;
	return program_create(&plan->program, dev, &tasks, 1);
}

int scoria_matmul_plan_create(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
			      struct scoria_matmul_plan **out)
{
	struct scoria_matmul_plan *plan = calloc(1, sizeof(*plan));
	int err;

	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->opts, opts);
	if (!err)
		err = plan_matmul(dev, plan);
	if (err) {
		free(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_matmul_plan_destroy(struct scoria_matmul_plan *plan)
{
	if (!plan)
		return;
	program_destroy(&plan->program);
	free(plan);
}

int scoria_matmul_plan_info(const struct scoria_matmul_plan *plan, struct scoria_plan_info *info)
{
	return program_info(&plan->program, div_up(plan->opts.m, plan->rows), false, info);
}

int scoria_matmul_weights_create(struct scoria_matmul_plan *plan, const void *b,
				 struct scoria_matmul_weights **out)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	bool kn = o->b_layout == SCORIA_B_KN;
	const struct weights from = {
		.data = b,
		.o = kn ? 1 : o->ldb,
		.c = kn ? o->ldb : 1,
	};
	struct scoria_matmul_weights *weights = calloc(1, sizeof(*weights));
	int err;

	if (!weights)
		return error_no_memory();
	err = operands_create(&weights->operands, &plan->program);
	if (err) {
		free(weights);
		return err;
	}
	pack_weights(operands_weights(&weights->operands, 0), &plan->program.plan, &from);
	operands_sync(&weights->operands);
	*out = weights;
	return 0;
}

void scoria_matmul_weights_destroy(struct scoria_matmul_weights *weights)
{
	if (!weights)
		return;
	operands_destroy(&weights->operands);
	free(weights);
}

static int run_rows(struct scoria_matmul_plan *plan, struct operands *operands, const void *a,
		    void *c, uint32_t rows)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	const struct epilogue epilogue = { .type = o->out };
	const struct strided from = { .data = a, .c = 1, .h = o->lda, .repeat = 1 };
	const struct destination to = { .data = c, .c = 1, .h = o->ldc };
	struct program *program = &plan->program;
	int err;

	pack_features(program_input(program, 0), &program->plan.layer, &from, rows);
	err = program_run(program, operands);
	if (!err)
		unpack(&to, program_output(program, 0), &program->plan, &epilogue, rows);
	return err;
}

int scoria_matmul_run(struct scoria_matmul_plan *plan, struct scoria_matmul_weights *weights,
		      const void *a, void *c)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	size_t row;
	int err = 0;

	if (weights->operands.program != &plan->program)
		return error_set(EINVAL, "matmul: the weights belong to another plan");
	for (row = 0; row < o->m && !err; row += plan->rows)
		err = run_rows(plan, &weights->operands,
			       (const uint8_t *)a + row * o->lda * scoria_type_size(o->type),
			       (uint8_t *)c + row * o->ldc * scoria_type_size(o->out),
			       min_u32(plan->rows, o->m - row));
	return err;
}

int scoria_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *opts, const void *a,
		  const void *b, void *c)
{
	struct scoria_matmul_weights *weights = NULL;
	struct scoria_matmul_plan *plan = NULL;
	int err;

	err = scoria_matmul_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_matmul_weights_create(plan, b, &weights);
	if (!err)
		err = scoria_matmul_run(plan, weights, a, c);
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	return err;
}
