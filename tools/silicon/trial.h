/* SPDX-License-Identifier: MIT */
/*
 * One experiment on a device: memory in areas, tasks as lists of register writes, jobs
 * made of them, and the elements that came out.
 */
#ifndef SILICON_TRIAL_H
#define SILICON_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include <scoria/scoria.h>

#include "../testing/model/tests/conv.h"
#include "../testing/model/tests/recipe.h"

#define OUTCOME_MOST	8		/* elements that an experiment looks at */
#define AREA_BYTES	(1u << 18)	/* of each of AT_X, AT_W, AT_Y, AT_B, AT_E */
#define N_AREAS		5
#define UNTOUCHED	0xeeu		/* every byte of AT_Y before; the others are zero */
#define RAW_MOST	4		/* words beside those of tasks */

/* How the jobs of a trial ended; the first that is not ENDED counts. */
enum ending {
	ENDED,
	HUNG,		/* no completion: the driver gave up and reset the core */
	REFUSED,	/* the driver did not take the job */
	BROKEN,		/* no memory, or the device is gone */
};

/**
 * struct trial - see above
 * @dev:      where
 * @board:    a driver is between, whose -EINVAL is a refusal
 * @areas:    memory, by the number in bits 31 to 24 of AT_X and so on, less one
 * @commands: memory of the segments
 * @tasks:    of the job that is being made, @n_tasks of them in room for @room
 * @body:     raw words at the end of the first task's body, @n_body of them
 * @after:    raw words behind its enable word, within what is fetched, @n_after of them
 * @outcome:  elements, @n_outcome of them
 * @ending: @why: how the jobs ended, and in words
 * @seconds:  that all jobs took
 */
struct trial {
	struct scoria_device *dev;
	bool board;
	struct scoria_buffer *areas[N_AREAS];
	struct scoria_buffer *commands;
	struct task *tasks;
	unsigned int n_tasks;
	unsigned int room;
	uint64_t body[RAW_MOST];
	unsigned int n_body;
	uint64_t after[RAW_MOST];
	unsigned int n_after;
	uint32_t outcome[OUTCOME_MOST];
	unsigned int n_outcome;
	enum ending ending;
	char why[200];
	double seconds;
};

/* 0, or a negative errno with the library's message. */
int trial_init(struct trial *t, struct scoria_device *dev);
void trial_free(struct trial *t);

/* Forget the experiment before: areas, tasks, outcome. */
void trial_begin(struct trial *t);

/* The byte at AT_X + n and so on. */
uint8_t *trial_at(const struct trial *t, uint32_t at);

/* The next task of the job; for the caller to fill. */
struct task *trial_task(struct trial *t);

/*
 * Run the tasks as one job and start over with none. Does nothing when a job
 * of the trial has not ended well.
 */
void trial_run(struct trial *t);

/* Add to the outcome: a number, or element @index of the array at @at. */
void trial_note(struct trial *t, uint32_t value);
void trial_note8(struct trial *t, uint32_t at, unsigned int index);
void trial_note16(struct trial *t, uint32_t at, unsigned int index);
void trial_note32(struct trial *t, uint32_t at, unsigned int index);

/* Run, and add the first @n 16-bit elements at AT_Y. */
void trial_note_lanes(struct trial *t, unsigned int n);

/*
 * Tasks that experiments start from.
 *
 * trial_flying(): fp16 values at AT_X through the flying DPU to AT_Y, eight to a unit.
 * trial_add(): the same of one unit at AT_X + @src to AT_Y + @dst, with @addend.
 * trial_conv(): a convolution of @conv's numbers; those are freed.
 */
struct task *trial_flying(struct trial *t, const uint16_t *x, unsigned int n);
struct task *trial_add(struct trial *t, uint32_t src, uint32_t dst, float addend);
struct task *trial_conv(struct trial *t, struct conv *conv);

/* Sizes of @conv, all numbers zero. */
void zero_conv(struct conv *conv);

/*
 * A 1x1 convolution whose kernels pass what channels 0 to @c - 1 hold. There are four rows of
 * @n pixels and at least 32 channels, so that neither a negative stride nor an incomplete
 * group of weights takes part. All features are zero.
 */
void pass_conv(struct conv *conv, enum type in, enum type out, unsigned int n, unsigned int c);

/* The feature of channel @c, pixel @p. */
double *conv_at(const struct conv *conv, unsigned int c, unsigned int p);

/* Add output (@oc, pixel @p) of @conv to the outcome: an integer, or fp32 or fp16 bits. */
void trial_note_conv(struct trial *t, const struct conv *conv, unsigned int oc, unsigned int p);

#endif
