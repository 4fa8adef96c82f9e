// SPDX-License-Identifier: MIT
/* Memory, commands and jobs of a planned layer. */
#include "program.h"

#include "error.h"
#include "rk3588_npu.h"

/* Areas begin on cache lines; the hardware needs units (section 0). */
#define AREA_ALIGN 64u

/* Above this a product is run in pieces, so that buffers stay modest. */
#define ROWS_BUDGET (256ull << 20)
#define ROWS_MAX (1u << 20)

static uint64_t n_tasks(const struct program *program)
{
	return (uint64_t)program->groups * program->plan.n_tiles;
}

#define CONV_BLOCKS (NPU_ENABLE_CNA | NPU_ENABLE_CORE | NPU_ENABLE_DPU | NPU_ENABLE_DPU_RDMA)

static int create_buffers(struct program *program, const struct ending *ending)
{
	const uint64_t out_bytes = program->out_pitch * program->groups;
	int err;

	err = scoria_buffer_create(program->dev, program->in_pitch * program->groups, &program->in);
	if (!err)
		err = scoria_buffer_create(program->dev, out_bytes, &program->out);
	if (!err && ending && ending->fusion.operand)
		err = scoria_buffer_create(program->dev, out_bytes, &program->operand);
	return err;
}

struct chain_shape program_shape(const struct program *program)
{
	return (struct chain_shape){
		.tasks = n_tasks(program),
		.words = conv_words(),
		.head = program->plan.layer.ew.lut ? lut_upload_words() : 0,
		.blocks = CONV_BLOCKS,
		.independent = true,
	};
}

static int create_chain(struct program *program)
{
	const struct chain_shape shape = program_shape(program);

	return chain_create(&program->chain, program->dev, &shape);
}

static int create_post(struct program *program, const struct ending *ending)
{
	if (ending)
		return post_create(&program->post, program->dev, ending, program->out,
				   program->operand, NULL);
	program->post.result = program->out;
	return 0;
}

int program_create(struct program *program, struct scoria_device *dev, struct plan *plan,
		   uint32_t groups, const struct ending *ending)
{
	int err;

	*program = (struct program){
		.dev = dev,
		.plan = *plan,
		.groups = groups,
		.in_pitch = align_up(plan->in_bytes, AREA_ALIGN),
		.weight_pitch = align_up(plan->weight_bytes, AREA_ALIGN),
		.bias_pitch = align_up(layer_oc_pad(&plan->layer) * sizeof(uint32_t), AREA_ALIGN),
		.scales_pitch = align_up(layer_oc_pad(&plan->layer) * sizeof(uint16_t), AREA_ALIGN),
		.out_pitch = align_up(plan->out_bytes, AREA_ALIGN),
	};
	err = create_buffers(program, ending);
	if (!err)
		err = create_chain(program);
	if (!err)
		err = create_post(program, ending);
	if (err)
		program_destroy(program);
	return err;
}

void program_destroy(struct program *program)
{
	post_destroy(&program->post);
	chain_destroy(&program->chain);
	scoria_buffer_destroy(program->operand);
	scoria_buffer_destroy(program->out);
	scoria_buffer_destroy(program->in);
	plan_destroy(&program->plan);
}

static uint64_t largest(const struct plan *plan)
{
	return plan->in_bytes > plan->out_bytes ? plan->in_bytes : plan->out_bytes;
}

int plan_rows(struct plan *plan, struct layer *layer, struct layer *partial, uint32_t groups,
	      uint64_t rows)
{
	uint32_t piece = rows < ROWS_MAX ? rows : ROWS_MAX;
	int err;

	for (;; piece = div_up(piece, 2)) {
		/* pieces of about the same size waste least */
		piece = div_up(rows, div_up(rows, piece));
		layer->y.in = layer->y.out = piece;
		if (partial)
			partial->y = layer->y;
		err = plan_create(plan, layer, partial);
		if (piece == 1 || (err && err != -ENOSPC))
			return err;
		if (!err && largest(plan) <= ROWS_BUDGET / groups)
			return 0;
		if (!err)
			plan_destroy(plan);
	}
}

void *program_input(const struct program *program, uint32_t group)
{
	return (uint8_t *)scoria_buffer_map(program->in) + group * program->in_pitch;
}

void *program_operand(const struct program *program, uint32_t group)
{
	return (uint8_t *)scoria_buffer_map(program->operand) + group * program->out_pitch;
}

const void *program_output(const struct program *program, uint32_t group)
{
	return (const uint8_t *)scoria_buffer_map(program->post.result) +
	       group * program->out_pitch;
}

static uint64_t operand_bytes(const struct program *program)
{
	return program->groups *
	       (program->weight_pitch + program->bias_pitch + program->scales_pitch);
}

int operands_create(struct operands *operands, struct program *program)
{
	operands->program = program;
	return scoria_buffer_create(program->dev, operand_bytes(program), &operands->buffer);
}

void operands_destroy(struct operands *operands)
{
	if (operands->program->bound == operands)
		operands->program->bound = NULL;
	scoria_buffer_destroy(operands->buffer);
}

static uint64_t bias_offset(const struct program *program, uint32_t group)
{
	return program->groups * program->weight_pitch + group * program->bias_pitch;
}

static uint64_t scales_offset(const struct program *program, uint32_t group)
{
	return program->groups * (program->weight_pitch + program->bias_pitch) +
	       group * program->scales_pitch;
}

void *operands_weights(const struct operands *operands, uint32_t group)
{
	return (uint8_t *)scoria_buffer_map(operands->buffer) +
	       group * operands->program->weight_pitch;
}

void *operands_bias(const struct operands *operands, uint32_t group)
{
	return (uint8_t *)scoria_buffer_map(operands->buffer) +
	       bias_offset(operands->program, group);
}

void *operands_scales(const struct operands *operands, uint32_t group)
{
	return (uint8_t *)scoria_buffer_map(operands->buffer) +
	       scales_offset(operands->program, group);
}

int operands_sync(struct operands *operands)
{
	return scoria_buffer_sync(operands->buffer, 0, scoria_buffer_size(operands->buffer),
				  SCORIA_SYNC_TO_DEVICE);
}

struct areas program_operands(const struct program *program, const struct operands *operands,
			      uint32_t group)
{
	uint32_t operand = scoria_buffer_address(operands->buffer);

	return (struct areas){
		.weights = operand + group * program->weight_pitch,
		.bias = operand + bias_offset(program, group),
		.scales = operand + scales_offset(program, group),
	};
}

static struct areas areas_of(const struct program *program, const struct operands *operands,
			     uint32_t group)
{
	struct areas areas = program_operands(program, operands, group);

	areas.in = scoria_buffer_address(program->in) + group * program->in_pitch;
	areas.out = scoria_buffer_address(program->out) + group * program->out_pitch;
	if (program->operand)
		areas.operand = scoria_buffer_address(program->operand) +
				group * program->out_pitch;
	return areas;
}

static void emit_task(const struct program *program, const struct chain *chain,
		      const struct areas *areas, struct tile tile, uint64_t task)
{
	struct stream stream = chain_begin(chain, task);

	/* another job may have used the core in between */
	if (chain_starts_job(chain, task)) {
		tile.keep_weights = false;
		if (chain->head)
			emit_lut_upload(&stream, program->plan.layer.ew.lut);
	}
	emit_conv(&stream, &program->plan.layer, &tile, areas);
	chain_end(chain, task, &stream);
}

void program_emit(const struct program *program, const struct chain *chain,
		  const struct areas *areas, uint64_t *task)
{
	size_t i;

	for (i = 0; i < program->plan.n_tiles; i++)
		emit_task(program, chain, areas, program->plan.tiles[i], (*task)++);
}

int program_bind(struct program *program, struct operands *operands)
{
	uint64_t task = 0;
	uint32_t group;

	if (program->bound == operands)
		return 0;
	for (group = 0; group < program->groups; group++) {
		struct areas areas = areas_of(program, operands, group);

		program_emit(program, &program->chain, &areas, &task);
	}
	program->bound = operands;
	return chain_sync(&program->chain);
}

static int sync_all(struct scoria_buffer *buffer, enum scoria_sync direction)
{
	return scoria_buffer_sync(buffer, 0, scoria_buffer_size(buffer), direction);
}

static int compute(struct program *program)
{
	struct chain *chains[1 + POST_MAX_CHAINS] = { &program->chain };

	return chains_run(chains, 1 + post_chains(&program->post, chains + 1));
}

int program_run(struct program *program, struct operands *operands)
{
	int err = program_bind(program, operands);

	if (!err)
		err = sync_all(program->in, SCORIA_SYNC_TO_DEVICE);
	if (!err && program->operand)
		err = sync_all(program->operand, SCORIA_SYNC_TO_DEVICE);
	if (!err)
		err = compute(program);
	return err ? err : sync_all(program->post.result, SCORIA_SYNC_FROM_DEVICE);
}

struct scoria_plan_info program_costs(const struct program *program, uint64_t runs)
{
	struct scoria_plan_info all = {
		.tasks = n_tasks(program),
		.jobs = program->chain.n_jobs,
		.runs = runs,
		.splits = program->plan.splits,
		.input_bytes = scoria_buffer_size(program->in) +
			       (program->operand ? scoria_buffer_size(program->operand) : 0),
		.weight_bytes = operand_bytes(program),
		.output_bytes = scoria_buffer_size(program->out),
	};

	post_add_costs(&program->post, &all);
	all.tasks *= runs;
	all.jobs *= runs;
	return all;
}
