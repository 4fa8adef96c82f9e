// SPDX-License-Identifier: MIT
/*
 * Vectors are flat for the NPU, eight or sixteen elements a unit, whatever their
 * shape (programming-model F4). The CPU copies them to and from NPU memory, and
 * repeats broadcast ones: ERDMA's own broadcast was never run on a board.
 */
#include "vector.h"

#include <string.h>

#include "error.h"
#include "rk3588_npu.h"

/* Units of a piece, 8 MiB of every vector, so that buffers stay modest. */
#define PIECE (1u << 19)

#define FP16_ONE 0x3c00

static uint64_t lanes(const struct vector *vector)
{
	return NPU_UNIT / vector->shape.size;
}

static bool is_input(enum slot slot)
{
	return slot < VECTOR_INPUTS;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Units of a whole number of rounds over the values, 0 when no task holds as many. */
static uint32_t find_period(const struct vector *vector, const struct vector_input *input)
{
	uint64_t elements;

	if (__builtin_mul_overflow(input->values, input->inner, &elements) ||
	    elements > NPU_MAX_VECTOR * lanes(vector))
		return 0;
	if (elements)
		elements /= gcd(elements, lanes(vector));
	return elements <= NPU_MAX_VECTOR ? elements : 0;
}

/* A tile holds whole periods of all inputs that still repeat then. */
static uint32_t find_periods(struct vector *vector)
{
	uint64_t step = 1, common;
	uint32_t period;
	size_t i;

	for (i = 0; i < VECTOR_INPUTS; i++) {
		period = find_period(vector, &vector->shape.inputs[i]);
		common = period ? step / gcd(step, period) * period : step;
		if (common > NPU_MAX_VECTOR)
			continue;
		vector->periods[i] = period;
		step = common;
	}
	return step;
}

static void cut(struct vector *vector)
{
	const uint64_t units = div_up(vector->shape.n, lanes(vector));
	const uint32_t step = find_periods(vector);

	vector->tile = NPU_MAX_VECTOR / step * step;
	vector->runs = div_up(units, PIECE);
	vector->piece = align_up(div_up(units, vector->runs), step);
}

/* A repeated input is the same for every task. */
static bool is_pattern(const struct vector *vector, enum slot slot)
{
	return is_input(slot) && vector->periods[slot];
}

static uint64_t slot_units(const struct vector *vector, enum slot slot)
{
	if (is_pattern(vector, slot) && vector->tile < vector->piece)
		return vector->tile;
	return vector->piece;
}

static int add_slot(struct vector *vector, enum slot slot)
{
	if (slot == SLOT_NONE || vector->slots[slot])
		return 0;
	return scoria_buffer_create(vector->dev, slot_units(vector, slot) * NPU_UNIT,
				    &vector->slots[slot]);
}

static int create_slots(struct vector *vector)
{
	int err = 0;
	size_t i;

	for (i = 0; i < vector->recipe.n && !err; i++) {
		const struct pass *pass = &vector->recipe.passes[i];

		err = add_slot(vector, pass->main);
		if (!err)
			err = add_slot(vector, pass->operand);
		if (!err)
			err = add_slot(vector, pass->to);
	}
	return err;
}

static uint32_t address(const struct vector *vector, enum slot slot, uint64_t unit)
{
	if (slot == SLOT_NONE)
		return 0;
	return scoria_buffer_address(vector->slots[slot]) +
	       (is_pattern(vector, slot) ? 0 : unit * NPU_UNIT);
}

/* @table: what the chain's passes look up, or NULL */
static void emit_task(struct chain *chain, const struct vector *vector, const struct pass *pass,
		      const struct lut *table, uint64_t task, uint64_t unit)
{
	const uint64_t left = vector->piece - unit;
	const struct pass_task t = {
		.pass = pass,
		.units = left < vector->tile ? left : vector->tile,
		.upload = chain_starts_job(chain, task) ? table : NULL,
		.main = address(vector, pass->main, unit),
		.operand = address(vector, pass->operand, unit),
		.to = address(vector, pass->to, unit),
	};
	struct stream stream = chain_begin(chain, task);

	emit_pass(&stream, &t);
	chain_end(chain, task, &stream);
}

/* Passes from @first on that run with one table, or without. */
static size_t count_passes(const struct recipe *recipe, size_t first)
{
	size_t n = 1;

	while (first + n < recipe->n && !recipe->passes[first + n].lut)
		n++;
	return n;
}

/*
 * Every tile goes through all passes before the next one, so that tiles can go to all cores.
 * The first task of a job stores the table, whether it is the one that looks up or not.
 */
static int create_chain(struct vector *vector, size_t first, size_t n)
{
	const struct lut *table = vector->recipe.passes[first].lut;
	const uint64_t tiles = div_up(vector->piece, vector->tile);
	const struct chain_shape shape = {
		.tasks = n * tiles,
		.words = pass_words(),
		.head = table ? lut_upload_words() : 0,
		.blocks = NPU_ENABLE_DPU | NPU_ENABLE_DPU_RDMA,
		.independent = true,
		.group = n,
	};
	struct chain *chain = &vector->chains[vector->n_chains];
	uint64_t task = 0, tile;
	size_t i;
	int err;

	err = chain_create(chain, vector->dev, &shape);
	if (err)
		return err;
	vector->n_chains++;
	for (tile = 0; tile < tiles; tile++)
		for (i = first; i < first + n; i++)
			emit_task(chain, vector, &vector->recipe.passes[i], table, task++,
				  tile * vector->tile);
	return chain_sync(chain);
}

static int create_chains(struct vector *vector)
{
	size_t first, n;
	int err = 0;

	for (first = 0; first < vector->recipe.n && !err; first += n) {
		n = count_passes(&vector->recipe, first);
		err = create_chain(vector, first, n);
	}
	return err;
}

int vector_create(struct vector *vector, struct scoria_device *dev, struct recipe *recipe,
		  const struct vector_shape *shape)
{
	int err;

	*vector = (struct vector){ .dev = dev, .recipe = *recipe, .shape = *shape };
	cut(vector);
	err = create_slots(vector);
	if (!err)
		err = create_chains(vector);
	if (err)
		vector_destroy(vector);
	return err;
}

void vector_destroy(struct vector *vector)
{
	size_t i;

	while (vector->n_chains)
		chain_destroy(&vector->chains[--vector->n_chains]);
	for (i = 0; i < N_SLOTS; i++) {
		if (!vector->lent[i])
			scoria_buffer_destroy(vector->slots[i]);
		vector->slots[i] = NULL;
	}
	recipe_destroy(&vector->recipe);
}

/* Elements @first to @first + @n of the vector that the values @from stand for. */
static void repeat(uint8_t *to, const uint8_t *from, const struct vector_input *input,
		   uint32_t size, uint64_t first, uint64_t n)
{
	uint64_t value = first / input->inner % input->values;
	uint64_t left = input->inner - first % input->inner, i;

	for (i = 0; i < n; i++) {
		memcpy(to + i * size, from + value * size, size);
		if (--left)
			continue;
		left = input->inner;
		if (++value == input->values)
			value = 0;
	}
}

/* Between the caller's type and the NPU's. */
static void flip(uint8_t *bytes, uint64_t n, uint8_t mask)
{
	uint64_t i;

	for (i = 0; mask && i < n; i++)
		bytes[i] ^= mask;
}

static int fill(const struct vector *vector, enum slot slot, const uint8_t *from, uint64_t first,
		uint64_t n)
{
	const struct vector_shape *s = &vector->shape;
	struct scoria_buffer *buffer = vector->slots[slot];

	if (is_pattern(vector, slot) && first)
		return 0;
	if (is_pattern(vector, slot))
		n = slot_units(vector, slot) * lanes(vector);
	if (s->inputs[slot].values)
		repeat(scoria_buffer_map(buffer), from, &s->inputs[slot], s->size, first, n);
	else
		memcpy(scoria_buffer_map(buffer), from + first * s->size, n * s->size);
	flip(scoria_buffer_map(buffer), n * s->size, s->flip);
	return scoria_buffer_sync(buffer, 0, n * s->size, SCORIA_SYNC_TO_DEVICE);
}

int vector_create_on(struct vector *vector, struct scoria_device *dev, struct recipe *recipe,
		     struct scoria_buffer *const buffers[N_SLOTS])
{
	static const uint16_t one = FP16_ONE;
	const uint64_t units = scoria_buffer_size(buffers[SLOT_A]) / NPU_UNIT;
	int err;
	size_t i;

	*vector = (struct vector){
		.dev = dev,
		.recipe = *recipe,
		.shape = { .n = units * NPU_UNIT / sizeof(one), .size = sizeof(one) },
		.tile = NPU_MAX_VECTOR,
		.piece = units,
		.runs = 1,
	};
	for (i = 0; i < N_SLOTS; i++) {
		vector->slots[i] = buffers[i];
		vector->lent[i] = buffers[i];
	}
	if (!buffers[SLOT_B]) {
		vector->shape.inputs[SLOT_B] = (struct vector_input){ 1, 1 };
		vector->periods[SLOT_B] = 1;
	}
	err = create_slots(vector);
	if (!err && !buffers[SLOT_B] && vector->slots[SLOT_B])
		err = fill(vector, SLOT_B, (const uint8_t *)&one, 0, vector->shape.n);
	if (!err)
		err = create_chains(vector);
	if (err)
		vector_destroy(vector);
	return err;
}

int vector_compute(struct vector *vector)
{
	struct chain *chains[RECIPE_MAX_LUTS + 1];
	size_t i;

	for (i = 0; i < vector->n_chains; i++)
		chains[i] = &vector->chains[i];
	return chains_run(chains, vector->n_chains);
}

static int run_piece(struct vector *vector, const void *const inputs[], uint8_t *output,
		     uint64_t first, uint64_t n)
{
	const uint32_t size = vector->shape.size;
	int err = 0;
	size_t i;

	for (i = 0; i < VECTOR_INPUTS && !err; i++)
		if (vector->slots[i])
			err = fill(vector, i, inputs[i], first, n);
	if (!err)
		err = vector_compute(vector);
	if (!err)
		err = scoria_buffer_sync(vector->slots[SLOT_OUT], 0, n * size,
					 SCORIA_SYNC_FROM_DEVICE);
	if (err)
		return err;
	memcpy(output + first * size, scoria_buffer_map(vector->slots[SLOT_OUT]), n * size);
	flip(output + first * size, n * size, vector->shape.flip);
	return 0;
}

int vector_run(struct vector *vector, const void *const inputs[VECTOR_INPUTS], void *output)
{
	const uint64_t piece = vector->piece * lanes(vector), n = vector->shape.n;
	uint64_t first;
	int err = 0;

	for (first = 0; first < n && !err; first += piece)
		err = run_piece(vector, inputs, output, first,
				n - first < piece ? n - first : piece);
	return err;
}

static uint64_t slot_bytes(const struct vector *vector, enum slot first, enum slot last)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = first; i <= last; i++)
		if (vector->slots[i] && !vector->lent[i])
			bytes += scoria_buffer_size(vector->slots[i]);
	return bytes;
}

void vector_add_costs(const struct vector *vector, struct scoria_plan_info *info)
{
	size_t i;

	info->input_bytes += slot_bytes(vector, SLOT_A, SLOT_E);
	info->output_bytes += slot_bytes(vector, SLOT_OUT, SLOT_T3);
	for (i = 0; i < vector->n_chains; i++) {
		info->tasks += vector->chains[i].tasks * vector->runs;
		info->jobs += vector->chains[i].n_jobs * vector->runs;
	}
}

int vector_info(const struct vector *vector, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { .runs = vector->runs, .splits = 1 };

	vector_add_costs(vector, &all);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}
