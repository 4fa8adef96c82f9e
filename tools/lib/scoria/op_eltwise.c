// SPDX-License-Identifier: MIT
/* Element-wise operations: what is computed, step by step. */
#include <scoria/conv2d.h>
#include <scoria/eltwise.h>
#include <scoria/sequence.h>

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "error.h"
#include "limits.h"
#include "sequence.h"
#include "tensor.h"
#include "vector.h"

#define MAX_STEPS 6
#define MAX_INPUTS 3

/* Steps of struct operation besides those of enum step. */
#define ROUND		(-1)
#define ROUND_ABS	(-2)

/* As many bits as the factors of int8 operands have. */
#define FACTOR_ONE	16384

struct scoria_eltwise_plan {
	struct scoria_eltwise_opts opts;
	struct vector vector;
};

/**
 * struct operation - a row of the table
 * @inputs: a, b, c
 * @fused:  has an int8 form, and a ReLU may follow it
 * @steps:  see recipe.h; ended by a step that writes SLOT_OUT
 */
struct operation {
	const char *name;
	unsigned int inputs;
	bool fused;
	struct {
		int step;
		enum slot main;
		enum slot operand;
		enum slot to;
	} steps[MAX_STEPS];
};

#define A	SLOT_A
#define B	SLOT_B
#define C	SLOT_C
#define T0	SLOT_T0
#define T1	SLOT_T1
#define T2	SLOT_T2
#define T3	SLOT_T3
#define OUT	SLOT_OUT
#define NONE	SLOT_NONE

/* T2 := 1 when a or b is NaN, by way of T1 */
#define UNORDERED	{ STEP_NEG_ABS, B, NONE, T1 }, { STEP_UNORDERED, A, T1, T2 }

static const struct operation operations[] = {
	[SCORIA_ADD] = { "add", 2, true, { { STEP_ADD, A, B, OUT } } },
	[SCORIA_SUB] = { "sub", 2, true, { { STEP_SUB, A, B, OUT } } },
	[SCORIA_MUL] = { "mul", 2, true, { { STEP_MUL, A, B, OUT } } },
	[SCORIA_MAX] = { "max", 2, true, { { STEP_MAX, A, B, OUT } } },
	[SCORIA_MIN] = { "min", 2, true, { { STEP_MIN, A, B, OUT } } },
	[SCORIA_DIV] = { "div", 2, false, { { STEP_DIV, A, B, OUT } } },
	[SCORIA_NEG] = { "neg", 1, false, { { STEP_NEG, A, NONE, OUT } } },
	[SCORIA_ABS] = { "abs", 1, false, { { STEP_ABS, A, NONE, OUT } } },
	[SCORIA_ROUND] = { "round", 1, false, { { ROUND, A, NONE, T0 },
						{ STEP_MERGE_NAN, A, T0, OUT } } },
	/* rounded, then 1 less where that was up */
	[SCORIA_FLOOR] = { "floor", 1, false, { { ROUND, A, NONE, T0 },
						{ STEP_SUB, T0, A, T1 },
						{ STEP_FLOOR, T1, T0, T2 },
						{ STEP_MERGE_NAN, A, T2, OUT } } },
	[SCORIA_CEIL] = { "ceil", 1, false, { { ROUND, A, NONE, T0 },
					      { STEP_SUB, A, T0, T1 },
					      { STEP_CEIL, T1, T0, T2 },
					      { STEP_MERGE_NAN, A, T2, OUT } } },
	/* floor of |a / b|, then the sign */
	[SCORIA_IDIV] = { "idiv", 2, false, { { STEP_DIV, A, B, T0 },
					      { ROUND_ABS, T0, NONE, T1 },
					      { STEP_ABS_SUB, T0, T1, T2 },
					      { STEP_TRUNC, T2, T1, T3 },
					      { STEP_SIGN, T0, T3, T1 },
					      { STEP_MERGE_NAN, T0, T1, OUT } } },
	[SCORIA_CMPLT] = { "cmplt", 2, false, { { STEP_SUB, B, A, T0 },
						{ STEP_ABOVE, T0, NONE, OUT } } },
	[SCORIA_CMPGT] = { "cmpgt", 2, false, { { STEP_SUB, A, B, T0 },
						{ STEP_ABOVE, T0, NONE, OUT } } },
	[SCORIA_CMPLE] = { "cmple", 2, false, { { STEP_SUB, B, A, T0 }, UNORDERED,
						{ STEP_ORDER, T0, T2, OUT } } },
	[SCORIA_CMPGE] = { "cmpge", 2, false, { { STEP_SUB, A, B, T0 }, UNORDERED,
						{ STEP_ORDER, T0, T2, OUT } } },
	[SCORIA_CMPEQ] = { "cmpeq", 2, false, { { STEP_SUB, A, B, T0 }, UNORDERED,
						{ STEP_EQUAL, T0, T2, OUT } } },
	[SCORIA_CMPNEQ] = { "cmpneq", 2, false, { { STEP_SUB, A, B, T0 }, UNORDERED,
						  { STEP_EQUAL, T0, T2, T3 },
						  { STEP_NOT, T3, NONE, OUT } } },
	[SCORIA_WHERE] = { "where", 3, false, { { STEP_MASK, A, NONE, T0 },
						{ STEP_MASK_BYTES, B, T0, T1 },
						{ STEP_UNMASK, T0, NONE, T2 },
						{ STEP_MASK_BYTES, C, T2, T3 },
						{ STEP_ADD_BYTES, T1, T3, OUT } } },
	[SCORIA_CLIP] = { "clip", 1, false, { { STEP_CLAMP, A, NONE, T0 },
					      { STEP_MERGE_NAN, A, T0, OUT } } },
};

static const struct operation *find(enum scoria_eltwise_op op)
{
	if ((size_t)op >= sizeof(operations) / sizeof(operations[0]) || !operations[op].name)
		return NULL;
	return &operations[op];
}

const char *scoria_eltwise_name(enum scoria_eltwise_op op)
{
	const struct operation *operation = find(op);

	return operation ? operation->name : NULL;
}

unsigned int scoria_eltwise_inputs(enum scoria_eltwise_op op)
{
	const struct operation *operation = find(op);

	return operation ? operation->inputs : 0;
}

static bool is_quantised(const struct scoria_eltwise_opts *o)
{
	return o->type == SCORIA_INT8 || o->type == SCORIA_UINT8;
}

static int check_op(const struct scoria_eltwise_opts *o)
{
	const struct operation *operation = find(o->op);

	if (!operation)
		return error_set(EINVAL, "eltwise: op = %d: not an operation", o->op);
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "eltwise: type = %d: not a type", o->type);
	if (o->type != SCORIA_FP16 && !(is_quantised(o) && operation->fused))
		return error_set(EOPNOTSUPP, "eltwise: %s of %s: have fp16, and int8 and uint8 for add, sub, mul, max, min",
				 operation->name, scoria_type_name(o->type));
	return 0;
}

static int check_broadcast(const struct scoria_eltwise_opts *o, unsigned int input,
			   enum scoria_broadcast broadcast)
{
	const char name = "abc"[input];

	if (broadcast != SCORIA_BROADCAST_NONE && broadcast != SCORIA_BROADCAST_SCALAR &&
	    broadcast != SCORIA_BROADCAST_CHANNEL)
		return error_set(EINVAL, "eltwise: broadcast_%c = %d: not a broadcast", name,
				 broadcast);
	if (broadcast && input >= scoria_eltwise_inputs(o->op))
		return error_set(EINVAL, "eltwise: broadcast_%c: %s has %u inputs", name,
				 scoria_eltwise_name(o->op), scoria_eltwise_inputs(o->op));
	if (broadcast == SCORIA_BROADCAST_CHANNEL && !o->channels)
		return error_set(EINVAL, "eltwise: broadcast_%c by channel, but channels is 0", name);
	return 0;
}

static int check_sizes(struct scoria_eltwise_opts *o)
{
	int err;

	if (!o->n || o->n > PTRDIFF_MAX / sizeof(uint16_t))
		return error_set(EINVAL, "eltwise: n = %zu: must be above 0 and addressable", o->n);
	err = check_broadcast(o, 0, o->broadcast_a);
	if (!err)
		err = check_broadcast(o, 1, o->broadcast_b);
	if (!err)
		err = check_broadcast(o, 2, o->broadcast_c);
	if (!o->inner)
		o->inner = 1;
	return err;
}

static int check_clip(const struct scoria_eltwise_opts *o)
{
	if (o->op == SCORIA_CLIP && !(o->lo <= o->hi))
		return error_set(EINVAL, "eltwise: clip: lo = %g is not at most hi = %g", o->lo,
				 o->hi);
	return 0;
}

static int check_scale(const char *name, double *scale)
{
	if (*scale == 0)
		*scale = 1;
	if (!(*scale > 0) || isinf(*scale))
		return error_set(EINVAL, "eltwise: %s = %g: must be positive and finite", name,
				 *scale);
	return 0;
}

/* Also makes it that of int8, which is what the NPU sees. */
static int take_zero_point(const struct scoria_eltwise_opts *o, const char *name,
			   int32_t *zero_point)
{
	int err = check_zero_point("eltwise", name, o->type, *zero_point);

	if (!err && o->type == SCORIA_UINT8)
		*zero_point += INT8_MIN;
	return err;
}

static int check_quantisation(struct scoria_eltwise_opts *o)
{
	int err;

	if (!is_quantised(o))
		return 0;
	err = check_scale("a_scale", &o->a_scale);
	if (!err)
		err = check_scale("b_scale", &o->b_scale);
	if (!err)
		err = check_scale("out_scale", &o->out_scale);
	if (!err)
		err = take_zero_point(o, "a_zp", &o->a_zp);
	if (!err)
		err = take_zero_point(o, "b_zp", &o->b_zp);
	if (!err)
		err = take_zero_point(o, "out_zp", &o->out_zp);
	return err;
}

static int check_relu(const struct scoria_eltwise_opts *o)
{
	if (o->relu && !find(o->op)->fused)
		return error_set(EINVAL, "eltwise: relu: none can follow %s",
				 scoria_eltwise_name(o->op));
	if (!(o->relu_max >= 0) || isinf(o->relu_max) || (o->relu_max > 0 && !o->relu))
		return error_set(EINVAL, "eltwise: relu_max = %g: must be 0, or finite and positive with relu",
				 o->relu_max);
	return 0;
}

static int check_opts(struct scoria_eltwise_opts *o, const struct scoria_eltwise_opts *opts)
{
	int err = opts_copy("eltwise", o, sizeof(*o), sizeof(*o), opts);

	if (!err)
		err = check_op(o);
	if (!err)
		err = check_sizes(o);
	if (!err)
		err = check_clip(o);
	if (!err)
		err = check_relu(o);
	if (!err)
		err = check_quantisation(o);
	return err;
}

/* Real values of 1 as EW counts: x of eltwise.h. */
static double x_per_one(const struct scoria_eltwise_opts *o)
{
	if (!is_quantised(o))
		return 1;
	if (o->op == SCORIA_MUL)
		return 1 / (o->a_scale * o->b_scale);
	return FACTOR_ONE / fmax(o->a_scale, o->b_scale);
}

static void add_relu(struct pass *pass, const struct scoria_eltwise_opts *o)
{
	const double limit = o->relu_max * x_per_one(o);

	pass->ew_relu = true;
	pass->ew_relux = o->relu_max > 0;
	pass->ew_limit = is_quantised(o) ? fmin(rint(limit), INT32_MAX) : limit;
}

/* The formula of eltwise.h. */
static int quantise(struct pass *pass, const struct scoria_eltwise_opts *o)
{
	const double larger = fmax(o->a_scale, o->b_scale);
	const bool mul = o->op == SCORIA_MUL;
	double scale = mul ? o->a_scale * o->b_scale / o->out_scale :
			     larger / FACTOR_ONE / o->out_scale;
	uint32_t multiplier = 0, shift = 0;

	if (scoria_quantize_scale(scale, &multiplier, &shift))
		return error_set(EINVAL, "eltwise: a_scale = %g, b_scale = %g, out_scale = %g: a multiplier of %g is not in [2^-49, %u]",
				 o->a_scale, o->b_scale, o->out_scale, scale, NPU_MAX_CVT_SCALE);
	pass->type = PASS_INT8;
	pass->bs = (struct pass_stage){
		.alu = PASS_SUB,
		.addend = o->a_zp,
		.mul = true,
		.factor = mul ? 1 : rint(o->a_scale / larger * FACTOR_ONE),
	};
	pass->operand_offset = -o->b_zp;
	pass->operand_factor = mul ? 1 : (int16_t)rint(o->b_scale / larger * FACTOR_ONE);
	pass->out_factor = multiplier;
	pass->out_shift = shift;
	pass->out_offset = o->out_zp;
	return 0;
}

static void set_limits(struct pass *pass, const struct scoria_eltwise_opts *o)
{
	pass->bs.addend = o->lo;
	pass->bn.addend = o->hi;
}

/* False without memory. */
static bool cook(struct recipe *recipe, const struct operation *operation)
{
	size_t i = 0;
	bool last;

	do {
		const int step = operation->steps[i].step;
		const enum slot main = operation->steps[i].main, to = operation->steps[i].to;

		if (step < 0 && !recipe_add_round(recipe, main, to, step == ROUND_ABS))
			return false;
		if (step >= 0)
			recipe_add(recipe, step, main, operation->steps[i].operand, to);
		last = to == SLOT_OUT;
		i++;
	} while (!last);
	return true;
}

static int make_recipe(struct recipe *recipe, const struct scoria_eltwise_opts *o)
{
	int err = 0;

	if (!cook(recipe, find(o->op)))
		err = error_no_memory();
	if (!err && o->op == SCORIA_CLIP)
		set_limits(&recipe->passes[0], o);
	if (!err && o->relu)
		add_relu(&recipe->passes[0], o);
	if (!err && is_quantised(o))
		err = quantise(&recipe->passes[0], o);
	if (err)
		recipe_destroy(recipe);
	return err;
}

static struct vector_input vector_input(const struct scoria_eltwise_opts *o,
					enum scoria_broadcast broadcast)
{
	if (broadcast == SCORIA_BROADCAST_CHANNEL)
		return (struct vector_input){ o->channels, o->inner };
	return (struct vector_input){ broadcast == SCORIA_BROADCAST_SCALAR, 1 };
}

static int plan_eltwise(struct scoria_device *dev, struct scoria_eltwise_plan *plan)
{
	const struct scoria_eltwise_opts *o = &plan->opts;
	const struct vector_shape shape = {
		.n = o->n,
		.size = scoria_type_size(o->type),
		.inputs = { vector_input(o, o->broadcast_a), vector_input(o, o->broadcast_b),
			    vector_input(o, o->broadcast_c) },
		.flip = o->type == SCORIA_UINT8 ? 0x80 : 0,
	};
	struct recipe recipe = { .n = 0 };
	int err = make_recipe(&recipe, o);

	return err ? err : vector_create(&plan->vector, dev, &recipe, &shape);
}

int scoria_eltwise_plan_create(struct scoria_device *dev, const struct scoria_eltwise_opts *opts,
			       struct scoria_eltwise_plan **out)
{
	int err = CHECK_POINTERS("eltwise", { "dev", dev }, { "plan", out });
	struct scoria_eltwise_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->opts, opts);
	if (!err)
		err = plan_eltwise(dev, plan);
	if (err) {
		free(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_eltwise_plan_destroy(struct scoria_eltwise_plan *plan)
{
	if (!plan)
		return;
	vector_destroy(&plan->vector);
	free(plan);
}

int scoria_eltwise_plan_info(const struct scoria_eltwise_plan *plan, struct scoria_plan_info *info)
{
	int err = CHECK_POINTERS("eltwise", POINTER(plan));

	return err ? err : vector_info(&plan->vector, info);
}

int scoria_eltwise_run(struct scoria_eltwise_plan *plan, const void *a, const void *b,
		       const void *c, void *out)
{
	const void *const inputs[VECTOR_INPUTS] = { a, b, c };
	int err = CHECK_POINTERS("eltwise", POINTER(plan), POINTER(out));
	unsigned int i, n;

	if (err)
		return err;
	n = scoria_eltwise_inputs(plan->opts.op);
	for (i = 0; i < MAX_INPUTS; i++)
		if (!inputs[i] != (i >= n))
			return error_set(EINVAL, "eltwise: %s has %u inputs, %c is %s",
					 scoria_eltwise_name(plan->opts.op), n, "abc"[i],
					 inputs[i] ? "given" : "NULL");
	return vector_run(&plan->vector, inputs, out);
}

int scoria_eltwise(struct scoria_device *dev, const struct scoria_eltwise_opts *opts,
		   const void *a, const void *b, const void *c, void *out)
{
	struct scoria_eltwise_plan *plan = NULL;
	int err = scoria_eltwise_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_eltwise_run(plan, a, b, c, out);
	scoria_eltwise_plan_destroy(plan);
	return err;
}

static int check_way(const struct scoria_eltwise_plan *plan)
{
	const struct scoria_eltwise_opts *o = &plan->opts;

	if (!find(o->op)->fused)
		return error_set(EOPNOTSUPP, "eltwise: tensors: %s is not one pass, or not 0 for 0; have add, sub, mul, max, min",
				 scoria_eltwise_name(o->op));
	if (o->broadcast_a || o->broadcast_b)
		return error_set(EOPNOTSUPP, "eltwise: tensors: the CPU repeats broadcast inputs");
	return 0;
}

static int check_tensors(const struct scoria_eltwise_plan *plan, const struct scoria_tensor *a,
			 const struct scoria_tensor *b, const struct scoria_tensor *out)
{
	struct scoria_tensor_opts all;
	int err;

	if (!out)
		return error_set(EINVAL, "eltwise: tensor out is NULL");
	all = out->o;
	all.type = plan->opts.type;
	if (all.batch * all.c * all.h * all.w != plan->opts.n)
		return error_set(EINVAL, "eltwise: tensor out has %zu elements, the plan %zu",
				 all.batch * all.c * all.h * all.w, plan->opts.n);
	err = tensor_check(out, "eltwise", "out", &all);
	if (!err)
		err = tensor_check(a, "eltwise", "a", &all);
	if (!err)
		err = tensor_check(b, "eltwise", "b", &all);
	if (!err && (out == a || out == b))
		err = error_set(EINVAL, "eltwise: the output is one of the inputs");
	return err;
}

int scoria_sequence_add_eltwise(struct scoria_sequence *seq, struct scoria_eltwise_plan *plan,
				const struct scoria_tensor *a, const struct scoria_tensor *b,
				struct scoria_tensor *out)
{
	int err = CHECK_POINTERS("eltwise", POINTER(seq), POINTER(plan), POINTER(a), POINTER(out));

	if (!err)
		err = check_way(plan);
	if (!err)
		err = check_tensors(plan, a, b, out);
	if (err)
		return err;
	/* position does not matter: all units of all images are one vector (F4) */
	return sequence_add_pass(seq, &plan->vector.recipe.passes[0],
				 scoria_buffer_size(out->buffer) / NPU_UNIT,
				 scoria_buffer_address(a->buffer), scoria_buffer_address(b->buffer),
				 scoria_buffer_address(out->buffer));
}
