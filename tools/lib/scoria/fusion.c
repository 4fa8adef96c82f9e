// SPDX-License-Identifier: MIT
/* Options of what follows the sums. */
#include "fusion.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "fp16.h"
#include "limits.h"
#include "requant.h"

#define FP16_LARGEST 65504.0

static bool is_quantised(const struct ending *e)
{
	return scoria_type_size(e->out) == 1;
}

static bool is_float(const struct ending *e)
{
	return e->out == SCORIA_FP16 || e->out == SCORIA_FP32;
}

static uint16_t slope_bits(float slope)
{
	return (uint16_t)(int16_t)rint(ldexp((double)slope, ENDING_SLOPE_BITS));
}

static uint16_t *copy_numbers(const float *from, size_t n, bool integers)
{
	uint16_t *to = calloc(n, sizeof(*to));
	size_t i;

	for (i = 0; i < n && to; i++)
		to[i] = integers ? slope_bits(from[i]) : fp32_to_fp16(from[i]);
	return to;
}

static int check_numbers(const struct ending *e, const char *name, const float *numbers,
			 double low, double high)
{
	size_t i;

	for (i = 0; i < e->channels; i++)
		if (!((double)numbers[i] >= low && (double)numbers[i] <= high))
			return error_set(EINVAL, "%s: %s[%zu] = %g: must be in [%g, %g]", e->what,
					 name, i, (double)numbers[i], low, high);
	return 0;
}

static int take_factors(struct ending *e, const struct scoria_fusion *o)
{
	int err;

	if (!o->factors)
		return 0;
	if (!is_float(e))
		return error_set(EOPNOTSUPP, "%s: factors are for floats; the scales by channel are those of integers",
				 e->what);
	err = check_numbers(e, "factors", o->factors, -FP16_LARGEST, FP16_LARGEST);
	if (err)
		return err;
	e->fusion.factors = copy_numbers(o->factors, e->channels, false);
	return e->fusion.factors ? 0 : error_no_memory();
}

/* relu, relu6 and relux are what the contractions have as relu and relu_max. */
static int take_relu(struct ending *e, const struct scoria_fusion *o)
{
	if (e->relu)
		return error_set(EINVAL, "%s: relu is set and fuse->activation is %s as well",
				 e->what, scoria_activation_name(o->activation));
	if (o->activation != SCORIA_RELUX && o->alpha != 0)
		return error_set(EINVAL, "%s: alpha = %g: %s has none", e->what, o->alpha,
				 scoria_activation_name(o->activation));
	e->relu = true;
	e->relu_max = o->activation == SCORIA_RELU6 ? 6 : o->activation == SCORIA_RELUX ?
		      o->alpha : 0;
	if (o->activation == SCORIA_RELUX && !(o->alpha > 0 && o->alpha <= (double)FLT_MAX))
		return error_set(EINVAL, "%s: alpha = %g: relux takes positive finite numbers",
				 e->what, o->alpha);
	return 0;
}

static int take_slopes(struct ending *e, const struct scoria_fusion *o)
{
	const double most = is_float(e) ? FP16_LARGEST : 2 - ldexp(1, -ENDING_SLOPE_BITS);
	int err;

	if (!o->slopes != (o->activation != SCORIA_PRELU))
		return error_set(EINVAL, "%s: slopes are %s", e->what,
				 o->slopes ? "given, but the activation is not prelu" :
				 "NULL, but the activation is prelu");
	if (!o->slopes)
		return 0;
	err = check_numbers(e, "slopes", o->slopes, is_float(e) ? -FP16_LARGEST : -2, most);
	if (err)
		return err;
	e->fusion.slopes = copy_numbers(o->slopes, e->channels, !is_float(e));
	return e->fusion.slopes ? 0 : error_no_memory();
}

/* Integers multiply by a converter's multiplier, which has less of a range than fp16. */
static int check_function(struct ending *e)
{
	struct fusion *f = &e->fusion;
	int err = activation_check(&f->act);

	if (!err && !is_float(e) && f->act.alpha > NPU_MAX_CVT_SCALE)
		return error_set(EINVAL, "%s: alpha = %g: %s of integers takes up to %u", e->what,
				 f->act.alpha, f->function->name, NPU_MAX_CVT_SCALE);
	return err;
}

static int take_function(struct ending *e, const struct scoria_fusion *o)
{
	struct fusion *f = &e->fusion;
	const bool leaks = o->activation == SCORIA_LEAKY_RELU || o->activation == SCORIA_PRELU;

	f->act = (struct scoria_activation_opts){
		.size = sizeof(f->act), .function = o->activation, .alpha = o->alpha, .n = 1,
		.channels = o->activation == SCORIA_PRELU,
	};
	f->function = activation_find(o->activation);
	if (!f->function)
		return error_set(EINVAL, "%s: fuse->activation = %d: not a function", e->what,
				 o->activation);
	if (e->relu)
		return error_set(EINVAL, "%s: relu is set and fuse->activation is %s as well",
				 e->what, f->function->name);
	if (!leaks && e->out != SCORIA_FP16)
		return error_set(EOPNOTSUPP, "%s: %s behind results of %s: only behind fp16 (the tables are)",
				 e->what, f->function->name, scoria_type_name(e->out));
	return check_function(e);
}

static int take_activation(struct ending *e, const struct scoria_fusion *o)
{
	int err = take_slopes(e, o);

	if (err || !o->activation)
		return err;
	if (o->activation == SCORIA_RELU || o->activation == SCORIA_RELU6 ||
	    o->activation == SCORIA_RELUX)
		return take_relu(e, o);
	return take_function(e, o);
}

static int take_operand(struct ending *e, const struct scoria_fusion *o)
{
	const int32_t least = e->out == SCORIA_UINT8 ? 0 : INT8_MIN;
	const bool has_zp = is_quantised(e);
	struct fusion *f = &e->fusion;

	if (o->operand > SCORIA_OPERAND_MUL)
		return error_set(EINVAL, "%s: fuse->operand = %d: not an operation", e->what,
				 o->operand);
	f->operand = o->operand;
	f->operand_last = o->operand_last;
	f->operand_scale = o->operand_scale != 0 ? o->operand_scale : 1;
	f->operand_zp = o->operand_zp - (e->out == SCORIA_UINT8 ? 128 : 0);
	if (!f->operand)
		return 0;
	if (has_zp && (o->operand_zp < least || o->operand_zp > least + UINT8_MAX))
		return error_set(EINVAL, "%s: operand_zp = %d: must be in [%d, %d]", e->what,
				 o->operand_zp, least, least + UINT8_MAX);
	if (has_zp && !(f->operand_scale >= 0x1p-49 && f->operand_scale <= NPU_MAX_CVT_SCALE))
		return error_set(EINVAL, "%s: operand_scale = %g: must be in [2^-49, %u]", e->what,
				 f->operand_scale, NPU_MAX_CVT_SCALE);
	if (!has_zp && (o->operand_zp || f->operand_scale != 1))
		return error_set(EINVAL, "%s: operand_zp = %d, operand_scale = %g: those are for int8 and uint8",
				 e->what, o->operand_zp, f->operand_scale);
	return 0;
}

static int take_all(struct ending *e, const struct scoria_fusion *o)
{
	int err;

	if (!is_float(e) && !is_quantised(e))
		return error_set(EOPNOTSUPP, "%s: nothing can be fused behind results of %s", e->what,
				 scoria_type_name(e->out));
	err = take_factors(e, o);
	if (!err)
		err = take_activation(e, o);
	return err ? err : take_operand(e, o);
}

int fusion_create(struct ending *ending, const struct scoria_fusion *opts)
{
	struct scoria_fusion o;
	int err;

	ending->fusion = (struct fusion){ .operand_scale = 1 };
	if (!opts)
		return 0;
	err = opts_copy("fusion", &o, sizeof(o), sizeof(o), opts);
	if (!err)
		err = take_all(ending, &o);
	if (err)
		fusion_destroy(&ending->fusion);
	return err;
}

void fusion_destroy(struct fusion *fusion)
{
	free(fusion->factors);
	free(fusion->slopes);
	free(fusion->lut);
	*fusion = (struct fusion){ 0 };
}

int fusion_check_operand(const struct ending *e, const void *operand)
{
	if (!operand == !e->fusion.operand)
		return 0;
	return error_set(EINVAL, "%s: the operand is %s, but the plan has %s", e->what,
			 operand ? "given" : "NULL", e->fusion.operand ? "one" : "none");
}

double fusion_scale(const struct scoria_fusion *opts)
{
	if (!opts || opts->operand != SCORIA_OPERAND_MUL || opts->operand_scale == 0)
		return 1;
	return opts->operand_scale;
}
