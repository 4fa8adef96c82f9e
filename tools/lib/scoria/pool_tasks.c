// SPDX-License-Identifier: MIT
/* The tasks of a pooling: passes, in each rows of tiles. */
#include "fp16.h"
#include "limits.h"
#include "pool.h"
#include "rk3588_npu.h"

/* Called for every task in order. */
typedef void (*task_fn)(const struct scoria_pool_plan *plan, const struct pool_cubes *cubes,
			uint32_t pass, const struct pool_span *x, const struct pool_span *y,
			uint64_t task);

uint16_t pool_pad_value(const struct scoria_pool_opts *o)
{
	if (o->method == SCORIA_POOL_AVERAGE)
		return fp32_to_fp16(o->pad_value);
	return fp32_to_fp16(o->method == SCORIA_POOL_MAX ? -1e9f : 1e9f);
}

/* The same as int8, for max and min. */
static uint8_t pad_byte(const struct scoria_pool_opts *o)
{
	return (uint8_t)(o->method == SCORIA_POOL_MAX ? INT8_MIN : INT8_MAX);
}

/* Rows of a tile: where NOTCH cannot skip the rest of a row, a task has just one. */
static uint32_t most_rows(const struct axis *x)
{
	return x->out > NPU_MAX_NOTCH ? 1 : UINT32_MAX;
}

static uint64_t each_task(const struct scoria_pool_plan *plan, const struct pool_cubes *cubes,
			  task_fn fn)
{
	uint64_t n = 0;
	uint32_t pass, ox, oy;

	for (pass = 0; pass < plan->x.n_steps; pass++)
		for (oy = 0; oy < plan->y.steps[pass].out;) {
			struct pool_span y = pool_line_span(&plan->y, pass, oy,
							    most_rows(&plan->x.steps[pass]));

			for (ox = 0; ox < plan->x.steps[pass].out; n++) {
				struct pool_span x = pool_line_span(&plan->x, pass, ox, UINT32_MAX);

				if (fn)
					fn(plan, cubes, pass, &x, &y, n);
				ox += x.n_out;
			}
			oy += y.n_out;
		}
	return n;
}

uint64_t pool_tasks(const struct scoria_pool_plan *plan)
{
	return each_task(plan, NULL, NULL);
}

/* An average over one element is that element: 65536 would not be an fp16 factor. */
static void set_method(struct pool_task *task, const struct scoria_pool_plan *plan)
{
	bool clip = !plan->shape.o.count_include_pad;
	uint32_t kw = clip ? task->x.kernel : plan->x.window.kernel;
	uint32_t kh = clip ? task->y.kernel : plan->y.window.kernel;

	task->method = plan->shape.o.method == SCORIA_POOL_MIN ? POOL_CODE_MIN : POOL_CODE_MAX;
	if (plan->shape.o.method != SCORIA_POOL_AVERAGE || kw * kh == 1)
		return;
	task->method = POOL_CODE_AVERAGE;
	task->reciprocal = pool_reciprocal(kw, kh);
}

static void emit_task(const struct scoria_pool_plan *plan, const struct pool_cubes *cubes,
		      uint32_t pass, const struct pool_span *x, const struct pool_span *y,
		      uint64_t n)
{
	const struct axis *sx = &plan->x.steps[pass], *sy = &plan->y.steps[pass];
	struct stream stream = chain_begin(cubes->chain, cubes->first_task + n);
	struct pool_task task = {
		.x = *x,
		.y = *y,
		.bytes = cubes->bytes,
		.channels = cubes->channels,
		.pad_value = cubes->bytes ? pad_byte(&plan->shape.o) :
					    pool_pad_value(&plan->shape.o),
		.src = cubes->address[pass % 2] + (y->in * sx->in + x->in) * NPU_UNIT,
		.dst = cubes->address[(pass + 1) % 2] + (y->out * sx->out + x->out) * NPU_UNIT,
		.src_line = sx->in,
		.src_plane = sx->in * sy->in,
		.dst_plane = sx->out * sy->out,
		.notch = y->n_out > 1 ? sx->out - x->n_out : 0,
	};

	set_method(&task, plan);
	emit_pool(&stream, &task);
	chain_end(cubes->chain, cubes->first_task + n, &stream);
}

uint64_t pool_emit(const struct scoria_pool_plan *plan, const struct pool_cubes *cubes)
{
	return each_task(plan, cubes, emit_task);
}
