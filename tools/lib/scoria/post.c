// SPDX-License-Identifier: MIT
#include "post.h"

#include "error.h"

#define FP16_ONE 0x3c00

/* Functions without an operand may divide one by something: that is their second input. */
static int create_apart(struct vector *vector, struct scoria_device *dev, struct recipe *recipe,
			uint64_t n, bool operand)
{
	const struct vector_shape shape = {
		.n = n,
		.size = sizeof(uint16_t),
		.inputs = { [SLOT_B] = { operand ? 0 : 1, 1 } },
	};

	return vector_create(vector, dev, recipe, &shape);
}

/* The last vector writes @post->to, if there is one. */
static int create_on(struct post *post, struct vector *vector, struct scoria_device *dev,
		     struct recipe *recipe, struct scoria_buffer *operand)
{
	const bool last = post->n + 1 == post->wanted;
	struct scoria_buffer *const buffers[N_SLOTS] = { [SLOT_A] = post->result,
							 [SLOT_B] = operand,
							 [SLOT_OUT] = last ? post->to : NULL };

	return vector_create_on(vector, dev, recipe, buffers);
}

static int add_vector(struct post *post, struct scoria_device *dev, struct recipe *recipe,
		      struct scoria_buffer *operand, bool takes_operand)
{
	struct vector *vector = &post->vectors[post->n];
	int err = post->apart ?
		  create_apart(vector, dev, recipe, post->apart, takes_operand) :
		  create_on(post, vector, dev, recipe, operand);

	if (err)
		return err;
	post->n++;
	post->result = vector->slots[SLOT_OUT];
	return 0;
}

/* With the ReLU that would have been behind EW's operand in the task. */
static int add_operand(struct post *post, struct scoria_device *dev, const struct ending *e,
		       struct scoria_buffer *operand)
{
	const bool mul = e->fusion.operand == SCORIA_OPERAND_MUL;
	struct recipe recipe = { .n = 0 };
	const enum step step = mul ? STEP_MUL : STEP_ADD;
	struct pass *pass = recipe_add(&recipe, step, SLOT_A, SLOT_B, SLOT_OUT);

	if (e->relu && !e->fusion.operand_last) {
		pass->ew_relu = true;
		pass->ew_relux = e->relu_max > 0;
		pass->ew_limit = e->relu_max;
	}
	return add_vector(post, dev, &recipe, operand, true);
}

static int add_function(struct post *post, struct scoria_device *dev, const struct fusion *f)
{
	struct recipe recipe = { .n = 0 };

	if (!f->function->cook(&recipe, f->function, &f->act)) {
		recipe_destroy(&recipe);
		return error_no_memory();
	}
	return add_vector(post, dev, &recipe, NULL, false);
}

static bool leaves_operand(const struct fusion *f)
{
	return f->operand && f->operand_place == PLACE_PASS;
}

static bool leaves_function(const struct fusion *f)
{
	return f->function && f->function_place == PLACE_PASS;
}

bool post_is_needed(const struct ending *e)
{
	return leaves_operand(&e->fusion) || leaves_function(&e->fusion);
}

static int add_all(struct post *post, struct scoria_device *dev, const struct ending *e,
		   struct scoria_buffer *operand)
{
	const struct fusion *f = &e->fusion;
	int err = 0;

	post->wanted = leaves_operand(f) + leaves_function(f);
	if (leaves_operand(f) && !f->operand_last)
		err = add_operand(post, dev, e, operand);
	if (!err && leaves_function(f))
		err = add_function(post, dev, f);
	if (!err && leaves_operand(f) && f->operand_last)
		err = add_operand(post, dev, e, operand);
	if (err)
		post_destroy(post);
	return err;
}

int post_create(struct post *post, struct scoria_device *dev, const struct ending *e,
		struct scoria_buffer *from, struct scoria_buffer *operand,
		struct scoria_buffer *to)
{
	*post = (struct post){ .result = from, .to = to };
	return add_all(post, dev, e, operand);
}

int post_create_apart(struct post *post, struct scoria_device *dev, const struct ending *e,
		      uint64_t n)
{
	*post = (struct post){ .apart = n };
	return add_all(post, dev, e, NULL);
}

int post_run_apart(struct post *post, const void *operand, void *results)
{
	static const uint16_t one = FP16_ONE;
	int err = 0;
	size_t i;

	for (i = 0; i < post->n && !err; i++) {
		struct vector *vector = &post->vectors[i];
		const bool ones = vector->shape.inputs[SLOT_B].values;
		const void *const inputs[VECTOR_INPUTS] = { results, ones ? &one : operand };

		err = vector_run(vector, inputs, results);
	}
	return err;
}

void post_add_costs(const struct post *post, struct scoria_plan_info *info)
{
	size_t i;

	for (i = 0; i < post->n; i++)
		vector_add_costs(&post->vectors[i], info);
}

void post_destroy(struct post *post)
{
	while (post->n)
		vector_destroy(&post->vectors[--post->n]);
}

size_t post_chains(struct post *post, struct chain *chains[POST_MAX_CHAINS])
{
	size_t n = 0, i, j;

	for (i = 0; i < post->n; i++)
		for (j = 0; j < post->vectors[i].n_chains; j++)
			chains[n++] = &post->vectors[i].chains[j];
	return n;
}
