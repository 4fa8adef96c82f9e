// SPDX-License-Identifier: MIT
#include "filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/reference/reference.h"
#include "fp16.h"
#include "progress.h"

/* Outermost pixels are repeated by this much, so that the picture keeps its size. */
#define BORDER 1

/**
 * struct lane - one of the two ways to compute
 * @padded: input of a pass, with its border
 * @result: of a pass
 */
struct lane {
	void *padded;
	void *result;
};

/**
 * struct run - a filter at work
 * @opts:   its convolution, complete
 * @pixels: of the photograph
 * @values: the CPU's results before they are rounded
 */
struct run {
	const struct filter *filter;
	struct scoria_conv2d_opts opts;
	struct scoria_requant *requant;
	size_t width;
	size_t height;
	size_t pixels;
	struct lane npu;
	struct lane cpu;
	double *values;
	struct scoria_conv2d_plan *plan;
	struct scoria_conv2d_weights *weights;
};

static void store(enum scoria_type type, void *data, size_t i, double value)
{
	switch (type) {
	case SCORIA_FP16:
		((uint16_t *)data)[i] = fp32_to_fp16(value);
		break;
	case SCORIA_FP32:
		((float *)data)[i] = value;
		break;
	default:
		((uint8_t *)data)[i] = value;
	}
}

/* @from with its outermost pixels repeated all around. */
static void pad(const struct run *run, void *padded, const void *from)
{
	size_t pixel = run->opts.ic * scoria_type_size(run->opts.type);
	size_t line = run->opts.w * pixel, inner = run->width * pixel, y;
	uint8_t *to = padded;

	for (y = 0; y < run->opts.h; y++, to += line) {
		size_t source = y < BORDER ? 0 : y - BORDER;
		const uint8_t *row;

		if (source >= run->height)
			source = run->height - 1;
		row = (const uint8_t *)from + source * inner;
		memcpy(to, row, pixel);
		memcpy(to + pixel, row, inner);
		memcpy(to + pixel + inner, row + inner - pixel, pixel);
	}
}

static bool open_run(struct run *run, struct scoria_device *dev, const struct picture *photo)
{
	struct scoria_conv2d_opts *opts = &run->opts;

	run->width = photo->width;
	run->height = photo->height;
	run->pixels = photo->width * photo->height;
	*opts = run->filter->opts;
	opts->size = sizeof(*opts);
	opts->layout = SCORIA_NHWC;
	opts->batch = 1;
	opts->ic = 3;
	opts->w = photo->width + 2 * BORDER;
	opts->h = photo->height + 2 * BORDER;
	opts->kh = 3;
	opts->kw = 3;
	if (opts->scale) {
		run->requant = calloc(opts->oc, sizeof(*run->requant));
		if (!run->requant || scoria_conv2d_requant(opts, run->requant))
			return false;
	}
	return !scoria_conv2d_plan_create(dev, opts, &run->plan) &&
	       !scoria_conv2d_weights_create(run->plan, run->filter->weights, NULL, &run->weights);
}

static bool open_lane(const struct run *run, struct lane *lane)
{
	size_t padded = run->opts.h * run->opts.w * run->opts.ic;

	lane->padded = calloc(padded, scoria_type_size(run->opts.type));
	lane->result = calloc(run->pixels * run->opts.oc, scoria_type_size(run->opts.out));
	return lane->padded && lane->result;
}

static void close_run(struct run *run)
{
	scoria_conv2d_weights_destroy(run->weights);
	scoria_conv2d_plan_destroy(run->plan);
	free(run->requant);
	free(run->values);
	free(run->npu.padded);
	free(run->npu.result);
	free(run->cpu.padded);
	free(run->cpu.result);
}

/* The first pass reads the photograph, the others the result before. */
static bool load_photo(const struct run *run, const struct picture *photo, struct lane *lane)
{
	size_t n = run->pixels * 3, i;
	void *tensor = calloc(n, scoria_type_size(run->opts.type));

	if (!tensor)
		return false;
	for (i = 0; i < n; i++)
		store(run->opts.type, tensor, i, photo->rgb[i]);
	pad(run, lane->padded, tensor);
	free(tensor);
	return true;
}

static bool pass_on_npu(struct run *run, struct scoria_device *dev, struct step *step)
{
	struct compare compare;
	int err;

	step_resume(step, dev);
	err = scoria_conv2d_run(run->plan, run->weights, run->npu.padded, run->npu.result);
	step_pause(step, dev);
	if (err)
		return step_failed(step);
	if (reference_conv2d(&run->opts, run->requant, run->npu.padded,
			     run->filter->weights, NULL, run->npu.result, &compare))
		return step_no_memory(step);
	step_compared(step, &compare);
	return true;
}

static bool pass_on_cpu(struct run *run, struct step *step)
{
	size_t i;

	if (reference_conv2d_values(&run->opts, run->requant, run->cpu.padded,
				    run->filter->weights, NULL, run->values))
		return step_no_memory(step);
	for (i = 0; i < run->pixels * run->opts.oc; i++)
		store(run->opts.out, run->cpu.result, i, run->values[i]);
	return true;
}

static bool run_passes(struct run *run, struct scoria_device *dev, struct step *step)
{
	unsigned int pass;

	for (pass = 0; pass < run->filter->passes; pass++) {
		progress_set(pass, run->filter->passes);
		if (pass) {
			pad(run, run->npu.padded, run->npu.result);
			pad(run, run->cpu.padded, run->cpu.result);
		}
		if (!pass_on_npu(run, dev, step) || !pass_on_cpu(run, step))
			return false;
	}
	return true;
}

static uint8_t to_byte(double value)
{
	return fmin(fmax(rint(value), 0), 255);
}

/* Three channels are colours, two the parts of a gradient, whose length is shown. */
static void draw(const struct run *run, const void *result, struct picture *picture)
{
	enum scoria_type type = run->opts.out;
	size_t i;

	if (run->opts.oc == 3) {
		for (i = 0; i < run->pixels * 3; i++)
			picture->rgb[i] = to_byte(compare_value(type, result, i));
		return;
	}
	for (i = 0; i < run->pixels; i++)
		memset(picture->rgb + i * 3, to_byte(hypot(compare_value(type, result, 2 * i),
							   compare_value(type, result, 2 * i + 1))),
		       3);
}

static void draw_difference(struct filtered *filtered)
{
	size_t n = filtered->npu.width * filtered->npu.height * 3, i;

	for (i = 0; i < n; i++)
		filtered->difference.rgb[i] =
			to_byte(abs(filtered->npu.rgb[i] - filtered->cpu.rgb[i]) * DIFFERENCE_GAIN);
}

static void count_same(const struct run *run, struct filtered *filtered)
{
	size_t size = scoria_type_size(run->opts.out), i;
	const uint8_t *npu = run->npu.result, *cpu = run->cpu.result;

	filtered->values = run->pixels * run->opts.oc;
	for (i = 0; i < filtered->values; i++)
		filtered->same += !memcmp(npu + i * size, cpu + i * size, size);
}

static bool create_pictures(const struct run *run, struct filtered *filtered)
{
	return picture_create(&filtered->npu, run->width, run->height) &&
	       picture_create(&filtered->cpu, run->width, run->height) &&
	       picture_create(&filtered->difference, run->width, run->height);
}

static bool run_opened(struct run *run, struct scoria_device *dev, const struct picture *photo,
		       struct filtered *filtered, struct step *step)
{
	bool ok;

	run->values = calloc(run->pixels * run->opts.oc, sizeof(*run->values));
	if (!run->values || !open_lane(run, &run->npu) || !open_lane(run, &run->cpu) ||
	    !load_photo(run, photo, &run->npu) || !load_photo(run, photo, &run->cpu) ||
	    !create_pictures(run, filtered))
		return step_no_memory(step);
	progress_begin(step->name);
	ok = run_passes(run, dev, step);
	progress_end();
	if (!ok)
		return false;
	count_same(run, filtered);
	draw(run, run->npu.result, &filtered->npu);
	draw(run, run->cpu.result, &filtered->cpu);
	draw_difference(filtered);
	return true;
}

bool filter_run(const struct filter *filter, struct scoria_device *dev,
		const struct picture *photo, struct filtered *filtered, struct step *step)
{
	struct run run = { .filter = filter };
	size_t groups = filter->opts.groups ? filter->opts.groups : 1;
	bool ok = open_run(&run, dev, photo);

	step->macs = (uint64_t)run.pixels * filter->opts.oc * (3 / groups) * 9 * filter->passes;
	if (ok)
		ok = run_opened(&run, dev, photo, filtered, step);
	else
		step_failed(step);
	close_run(&run);
	return ok;
}

void filtered_free(struct filtered *filtered)
{
	picture_free(&filtered->npu);
	picture_free(&filtered->cpu);
	picture_free(&filtered->difference);
}
