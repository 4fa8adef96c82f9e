// SPDX-License-Identifier: MIT
/* See trial.h. */
#include "trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/scoria/device.h"
#include "../lib/scoria/limits.h"
#include "../lib/scoria/stream.h"
#include "fp16.h"
#include "rk3588_npu.h"

#define COMMAND_BYTES	(1u << 20)

/* The in-tree driver tells of a hang by nothing but the time that it took (H6 of faults.md). */
#define HANG_SECONDS	0.4

/* Registers that hold addresses of data. */
static const uint16_t address_regs[] = {
	CNA_FEATURE_DATA_ADDR, CNA_DCOMP_ADDR0, DPU_DST_BASE, RDMA_SRC_BASE, RDMA_BS_BASE,
	RDMA_BN_BASE, RDMA_EW_BASE, PPU_DST_BASE, PPU_RDMA_SRC_BASE,
};

int trial_init(struct trial *t, struct scoria_device *dev)
{
	int err;

	*t = (struct trial){ .dev = dev, .board = strcmp(scoria_device_name(dev), "model") };
	err = scoria_buffer_create(dev, COMMAND_BYTES, &t->commands);
	for (unsigned int i = 0; i < N_AREAS && !err; i++)
		err = scoria_buffer_create(dev, AREA_BYTES, &t->areas[i]);
	if (err)
		trial_free(t);
	return err;
}

void trial_free(struct trial *t)
{
	for (unsigned int i = 0; i < N_AREAS; i++)
		scoria_buffer_destroy(t->areas[i]);
	scoria_buffer_destroy(t->commands);
	free(t->tasks);
}

void trial_begin(struct trial *t)
{
	for (unsigned int i = 0; i < N_AREAS; i++)
		memset(scoria_buffer_map(t->areas[i]), 0, AREA_BYTES);
	memset(trial_at(t, AT_Y), UNTOUCHED, AREA_BYTES);
	t->n_tasks = 0;
	t->n_body = 0;
	t->n_after = 0;
	t->n_outcome = 0;
	t->ending = ENDED;
	t->why[0] = '\0';
	t->seconds = 0;
}

uint8_t *trial_at(const struct trial *t, uint32_t at)
{
	return (uint8_t *)scoria_buffer_map(t->areas[(at >> 24) - 1]) + (at & 0xffffff);
}

static void end(struct trial *t, enum ending ending, const char *why)
{
	t->ending = ending;
	snprintf(t->why, sizeof(t->why), "%s", why);
}

struct task *trial_task(struct trial *t)
{
	if (t->n_tasks == t->room) {
		t->room = t->room ? 2 * t->room : 4;
		t->tasks = realloc(t->tasks, t->room * sizeof(*t->tasks));
		if (!t->tasks) {
			fprintf(stderr, "scoria silicon: out of memory\n");
			exit(2);
		}
	}
	return &t->tasks[t->n_tasks++];
}

/* What the device knows AT_X + n as; other values, 0 above all, stay. */
static uint32_t address(const struct trial *t, uint32_t value)
{
	const uint32_t area = value >> 24;

	if (area < 1 || area > N_AREAS)
		return value;
	return scoria_buffer_address(t->areas[area - 1]) + (value & 0xffffff);
}

static void relocate(const struct trial *t, struct task *task)
{
	for (unsigned int i = 0; i < task->n; i++)
		for (size_t k = 0; k < sizeof(address_regs) / sizeof(address_regs[0]); k++)
			if (task->writes[i].reg == address_regs[k])
				task->writes[i].value = address(t, task->writes[i].value);
}

static unsigned int longest(const struct trial *t)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->n_tasks; i++)
		if (t->tasks[i].n > n)
			n = t->tasks[i].n;
	return n + RAW_MOST + STREAM_TRAILER;
}

/* One segment of @words words, the enable word last: no operations fill it up. */
static void put_segment(struct trial *t, unsigned int i, uint64_t *at, unsigned int words,
			uint32_t next)
{
	const unsigned int trailer = words - STREAM_TRAILER;
	unsigned int n = task_words(&t->tasks[i], at);

	memmove(at + trailer, at + n - STREAM_TRAILER, STREAM_TRAILER * sizeof(*at));
	n -= STREAM_TRAILER;
	if (!i)
		for (unsigned int k = 0; k < t->n_body; k++)
			at[n++] = t->body[k];
	while (n < trailer)
		at[n++] = 0;
	if (next) {
		at[trailer] = reg_word(PC_BASE_ADDRESS, next);
		at[trailer + 1] = reg_word(PC_REGISTER_AMOUNTS, NPU_FETCH_AMOUNT(words));
	}
	for (unsigned int k = 0; k < t->n_after && !i; k++)
		at[words + k] = t->after[k];
}

static int put_job(struct trial *t, struct npu_job *job)
{
	const unsigned int words = longest(t);
	const uint32_t pitch = align_up((words + RAW_MOST) * sizeof(uint64_t), NPU_SEGMENT_ALIGN);
	uint8_t *map = scoria_buffer_map(t->commands);

	*job = (struct npu_job){
		.address = scoria_buffer_address(t->commands),
		.words = words,
		.pitch = pitch,
		.tasks = t->n_tasks,
	};
	if ((uint64_t)pitch * t->n_tasks > COMMAND_BYTES)
		return -ENOSPC;
	for (unsigned int i = 0; i < t->n_tasks; i++) {
		relocate(t, &t->tasks[i]);
		job->blocks |= t->tasks[i].mask;
		put_segment(t, i, (uint64_t *)(map + i * (size_t)pitch), words,
			    i + 1 < t->n_tasks ? job->address + (i + 1) * pitch : 0);
	}
	/* fetched in front of what the first segment has behind it */
	job->words += t->n_after;
	return scoria_buffer_sync(t->commands, 0, COMMAND_BYTES, SCORIA_SYNC_TO_DEVICE);
}

static int sync_areas(struct trial *t, enum scoria_sync direction)
{
	int err = 0;

	for (unsigned int i = 0; i < N_AREAS && !err; i++)
		err = scoria_buffer_sync(t->areas[i], 0, AREA_BYTES, direction);
	return err;
}

static bool untouched(const struct trial *t)
{
	const uint8_t *y = trial_at(t, AT_Y);

	for (size_t i = 0; i < AREA_BYTES; i++)
		if (y[i] != UNTOUCHED)
			return false;
	return true;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void judge(struct trial *t, int err, double seconds)
{
	switch (err) {
	case 0:
		if (seconds > HANG_SECONDS && t->board && untouched(t))
			end(t, HUNG, "nothing was written, and it took long");
		break;
	case -EINVAL:
		end(t, t->board ? REFUSED : HUNG, scoria_error());
		break;
	case -ETIMEDOUT:
	case -EFAULT:
	case -EIO:
		end(t, HUNG, scoria_error());
		break;
	default:
		end(t, BROKEN, scoria_error());
	}
}

void trial_run(struct trial *t)
{
	struct npu_job job;
	double start;
	int err;

	if (t->ending != ENDED)
		return;
	err = put_job(t, &job);
	if (!err)
		err = sync_areas(t, SCORIA_SYNC_TO_DEVICE);
	start = now();
	if (!err)
		err = device_submit(t->dev, &job, 1);
	if (!err)
		err = sync_areas(t, SCORIA_SYNC_FROM_DEVICE);
	judge(t, err, now() - start);
	t->seconds += now() - start;
	t->n_tasks = 0;
	t->n_body = 0;
	t->n_after = 0;
}

void trial_note(struct trial *t, uint32_t value)
{
	if (t->n_outcome < OUTCOME_MOST)
		t->outcome[t->n_outcome++] = value;
}

void trial_note8(struct trial *t, uint32_t at, unsigned int index)
{
	trial_note(t, (uint32_t)(int8_t)trial_at(t, at)[index]);
}

void trial_note16(struct trial *t, uint32_t at, unsigned int index)
{
	trial_note(t, load16(trial_at(t, at), index));
}

void trial_note32(struct trial *t, uint32_t at, unsigned int index)
{
	trial_note(t, load32(trial_at(t, at), index));
}

void trial_note_lanes(struct trial *t, unsigned int n)
{
	trial_run(t);
	for (unsigned int i = 0; i < n; i++)
		trial_note16(t, AT_Y, i);
}

struct task *trial_flying(struct trial *t, const uint16_t *x, unsigned int n)
{
	struct task *task = trial_task(t);

	for (unsigned int i = 0; i < n; i++)
		store16(trial_at(t, AT_X), i, x[i]);
	recipe_flying(task, (n + 7) / 8);
	return task;
}

struct task *trial_add(struct trial *t, uint32_t src, uint32_t dst, float addend)
{
	struct task *task = trial_task(t);

	recipe_flying_add(task, AT_X + src, AT_Y + dst, addend);
	return task;
}

void zero_conv(struct conv *conv)
{
	const unsigned int taps = conv->kw * conv->kh * conv->c;

	memset(conv->x, 0, (size_t)conv->c * conv->h * conv->w * sizeof(*conv->x));
	memset(conv->k, 0, (size_t)taps * (conv->depthwise ? 1 : conv->oc) * sizeof(*conv->k));
}

void pass_conv(struct conv *conv, enum type in, enum type out, unsigned int n, unsigned int c)
{
	const unsigned int group = type_info[in].kernels;

	*conv = (struct conv){ .in = in, .out = out, .w = n, .h = 4, .c = c < 32 ? 32 : c,
			       .oc = (c + group - 1) / group * group };
	conv_init(conv);
	zero_conv(conv);
	for (unsigned int i = 0; i < c; i++)
		conv->k[(size_t)i * conv->c + i] = 1;
}

double *conv_at(const struct conv *conv, unsigned int c, unsigned int p)
{
	return conv->x + (size_t)c * conv->h * conv->w + p;
}

struct task *trial_conv(struct trial *t, struct conv *conv)
{
	struct task *task = trial_task(t);

	conv_store_x(conv, trial_at(t, AT_X));
	conv_store_k(conv, trial_at(t, AT_W));
	conv_task(conv, task);
	conv_free(conv);
	conv->y = trial_at(t, AT_Y);
	return task;
}

void trial_note_conv(struct trial *t, const struct conv *conv, unsigned int oc, unsigned int p)
{
	const double value = conv_output(conv, oc, p / conv->ow, p % conv->ow);

	if (!type_info[conv->out].is_float)
		trial_note(t, (uint32_t)(int32_t)value);
	else if (conv->out == T_FP16)
		trial_note(t, fp32_to_fp16((float)value));
	else
		trial_note(t, fp32_bits((float)value));
}
