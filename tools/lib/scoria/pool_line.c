// SPDX-License-Identifier: MIT
/*
 * Windows of any size as passes that the PPU has.
 *
 * A pass with kernel k and stride s leaves, of a window of K elements and stride
 * S, a window of (K - k) / s + 1 results and stride S / s, if s divides both and
 * k >= s leaves no gap. Results may count twice: passes are for max and min only.
 * Windows that are packed one by one may be as long as a product of kernels.
 */
#include "pool_line.h"

#include <stdlib.h>

#include "axis.h"
#include "error.h"
#include "limits.h"

static int add_step(struct pool_line *line, uint32_t kernel, uint32_t stride)
{
	struct axis *steps = realloc(line->steps, (line->n_steps + 1) * sizeof(*steps));

	if (!steps)
		return error_no_memory();
	line->steps = steps;
	steps[line->n_steps++] = (struct axis){ .kernel = kernel, .stride = stride,
						.dilation = 1 };
	return 0;
}

/* The largest kernel that a pass of stride @s can have on a window of @kernel. */
static uint32_t largest_kernel(uint32_t kernel, uint32_t s)
{
	return NPU_MAX_POOL_KERNEL - (NPU_MAX_POOL_KERNEL - kernel % s) % s;
}

/* The stride of the pass that leaves least of a window. */
static uint32_t best_stride(uint32_t kernel, uint32_t stride)
{
	uint32_t best = 1, least = kernel, s;

	for (s = 1; s <= stride; s++) {
		uint32_t k = largest_kernel(kernel, s), left;

		if (stride % s || k < s)
			continue;
		left = (kernel - k) / s + 1;
		if (left <= least) {
			least = left;
			best = s;
		}
	}
	return best;
}

static int add_overlapping(struct pool_line *line, uint32_t kernel, uint32_t stride)
{
	int err = 0;

	while (kernel > NPU_MAX_POOL_KERNEL && !err) {
		uint32_t s = best_stride(kernel, stride), k = largest_kernel(kernel, s);

		err = add_step(line, k, s);
		kernel = (kernel - k) / s + 1;
		stride /= s;
	}
	return err ? err : add_step(line, kernel, stride);
}

/* Kernels whose product is at least @kernel, the smallest first (G). */
static int add_factors(struct pool_line *line, uint32_t kernel)
{
	uint64_t rest = 1;
	int err = 0;

	while (rest * NPU_MAX_POOL_KERNEL < kernel)
		rest *= NPU_MAX_POOL_KERNEL;
	for (; rest && !err; rest /= NPU_MAX_POOL_KERNEL) {
		uint32_t factor = div_up(kernel, rest);

		err = add_step(line, factor, factor);
		kernel = div_up(kernel, factor);
	}
	return err;
}

static int add_steps(struct pool_line *line)
{
	const struct axis *window = &line->window;

	line->gathered = window->stride > NPU_MAX_POOL_STRIDE ||
			 (window->out == 1 && window->kernel > NPU_MAX_POOL_KERNEL);
	if (line->gathered)
		return add_factors(line, window->kernel);
	return add_overlapping(line, window->kernel, window->stride);
}

/* Positions from a gathered window to the next. */
static uint32_t packed_window(const struct pool_line *line)
{
	uint32_t product = 1, i;

	for (i = 0; i < line->n_steps; i++)
		product *= line->steps[i].kernel;
	return product;
}

/*
 * From the results back to the packed positions. What lies between two passes
 * has at least the size that the PPU reads right (G).
 */
static int set_sizes(struct pool_line *line, bool pad_here)
{
	uint64_t size = line->window.out;
	uint32_t i;

	for (i = line->n_steps; i--;) {
		struct axis *step = &line->steps[i];

		step->out = size;
		size = (size - 1) * step->stride + step->kernel;
		if (i && size < NPU_MIN_POOL_CUBE)
			size = NPU_MIN_POOL_CUBE;
		if (size > NPU_WINDOW / NPU_UNIT)
			return error_set(ENOSPC, "pool: windows that take %llu positions do not fit the NPU's 4 GiB",
					 (unsigned long long)size);
		step->in = size;
	}
	if (pad_here) {
		line->steps[0].pad = line->window.pad;
		line->steps[0].in = line->window.in;
	}
	return 0;
}

static int64_t first_element(const struct pool_line *line, uint32_t out)
{
	return (int64_t)out * line->window.stride - line->window.pad;
}

static int64_t gathered_from(const struct pool_line *line, uint32_t position, uint32_t window)
{
	/* what rounds a window up repeats its last element, which wins nothing */
	uint32_t k = min_u32(position % window, line->window.kernel - 1);
	uint32_t out = position / window;
	int64_t first = first_element(line, out);

	if (out >= line->window.out)
		return -1;
	if (!line->clip)
		return first + k;
	return k < pool_line_taps(line, out) ? (first > 0 ? first : 0) + k : -1;
}

static int set_sources(struct pool_line *line)
{
	uint32_t n = line->steps[0].in, pad = line->steps[0].pad, i;
	uint32_t window = packed_window(line);

	line->from = malloc(n * sizeof(*line->from));
	if (!line->from)
		return error_no_memory();
	for (i = 0; i < n; i++) {
		int64_t from = line->gathered ? gathered_from(line, i, window) :
			       (int64_t)i - line->window.pad + pad;

		line->from[i] = from < 0 || from >= line->window.in ? -1 : from;
	}
	return 0;
}

static uint32_t pad_after(const struct axis *window)
{
	int64_t end = (int64_t)(window->out - 1) * window->stride + window->kernel - window->pad;

	return end > window->in ? end - window->in : 0;
}

static int finish(struct pool_line *line, uint32_t n_steps)
{
	bool fits = line->window.pad <= NPU_MAX_POOL_PAD &&
		    pad_after(&line->window) <= NPU_MAX_POOL_PAD;
	int err = 0;

	while (line->n_steps < n_steps && !err)
		err = add_step(line, 1, 1);
	if (err)
		return err;
	err = set_sizes(line, n_steps == 1 && !line->gathered && (fits || line->clip));
	return err ? err : set_sources(line);
}

int pool_lines_create(struct pool_line *x, struct pool_line *y)
{
	int err = add_steps(x);
	uint32_t n;

	if (!err)
		err = add_steps(y);
	n = x->n_steps > y->n_steps ? x->n_steps : y->n_steps;
	if (!err)
		err = finish(x, n);
	if (!err)
		err = finish(y, n);
	return err;
}

void pool_line_destroy(struct pool_line *line)
{
	free(line->steps);
	free(line->from);
	line->steps = NULL;
	line->from = NULL;
}

uint32_t pool_line_taps(const struct pool_line *line, uint32_t out)
{
	int64_t first = first_element(line, out), end = first + line->window.kernel;

	return (end < line->window.in ? end : line->window.in) - (first > 0 ? first : 0);
}

/* Outputs from @out whose windows have as many elements as the first one's. */
static struct pool_span clipped_span(const struct pool_line *line, uint32_t out, uint32_t most)
{
	const struct axis *step = &line->steps[0];
	uint32_t taps = pool_line_taps(line, out), n = 1;
	int64_t first = first_element(line, out);

	while (taps == line->window.kernel && n < most && out + n < step->out &&
	       pool_line_taps(line, out + n) == taps)
		n++;
	if (line->gathered)
		first = (int64_t)out * step->stride;
	return (struct pool_span){
		.in = first > 0 ? first : 0,
		.n_in = (n - 1) * step->stride + taps,
		.out = out,
		.n_out = n,
		.kernel = taps,
		.stride = step->stride,
	};
}

struct pool_span pool_line_span(const struct pool_line *line, uint32_t i, uint32_t out,
				uint32_t most)
{
	const struct axis *step = &line->steps[i];
	struct span span;
	int64_t after;

	/* tiles of about one size: a narrow one would be a small cube (G) */
	most = min_u32(most, axis_outputs(step, NPU_MAX_POOL_SIZE));
	most = div_up(step->out, div_up(step->out, most));
	if (line->clip)
		return clipped_span(line, out, most);
	span = axis_span(step, out, most);
	after = (int64_t)(span.n_out - 1) * step->stride + step->kernel - span.pad - span.n_in;
	return (struct pool_span){
		.in = span.in,
		.n_in = span.n_in,
		.out = span.out,
		.n_out = span.n_out,
		.kernel = step->kernel,
		.stride = step->stride,
		.before = span.pad,
		.after = after > 0 ? after : 0,
	};
}
