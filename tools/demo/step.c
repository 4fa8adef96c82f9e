// SPDX-License-Identifier: MIT
#include "step.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* The clock that the model's cycles are meant for; the highest of the board. */
#define NPU_HZ 1e9

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

/* @step->stats := @sign * @step->stats + what the device has counted up to now. */
static void count(struct step *step, struct scoria_device *dev, bool negate)
{
	struct scoria_device_stats total = { .size = sizeof(total) };
	struct scoria_device_stats *stats = &step->stats;
	uint64_t sign = negate ? -1 : 1;

	scoria_device_stats(dev, &total);
	stats->tasks += sign * total.tasks;
	stats->words += sign * total.words;
	stats->cycles += sign * total.cycles;
	stats->bytes_written += sign * total.bytes_written;
	stats->bytes_commands += sign * total.bytes_commands;
	stats->bytes_features += sign * total.bytes_features;
	stats->bytes_weights += sign * total.bytes_weights;
	stats->bytes_operands += sign * total.bytes_operands;
}

/* Unsigned sums may wrap in between: what was before is taken off, what is after added. */
void step_resume(struct step *step, struct scoria_device *dev)
{
	count(step, dev, true);
	step->seconds -= now();
}

void step_pause(struct step *step, struct scoria_device *dev)
{
	step->seconds += now();
	count(step, dev, false);
}

void step_compared(struct step *step, const struct compare *compare)
{
	step->values += compare->count;
	step->bad += compare->bad;
	step->max_error = fmax(step->max_error, compare->max_error);
	step->max_used = fmax(step->max_used, compare->max_used);
}

bool step_passed(const struct step *step)
{
	return step->values && !step->bad;
}

void step_print_check(const struct step *step)
{
	printf("%" PRIu64 " values, %" PRIu64 " outside the tolerance, largest error %.3g",
	       step->values, step->bad, step->max_error);
	if (step->max_used > 0)
		printf(", %.0f %% of the tolerance", step->max_used * 100);
}

static void print_row(const struct step *step)
{
	const struct scoria_device_stats *s = &step->stats;

	printf("%-10s %5" PRIu64 " %6" PRIu64, step->name, s->tasks, s->words);
	printf(" %8.1f %8.1f %8.1f %8.1f %8.1f", s->bytes_commands / 1e3, s->bytes_features / 1e3,
	       s->bytes_weights / 1e3, s->bytes_operands / 1e3, s->bytes_written / 1e3);
	printf(" %7.1f %7.2f %8.0f %7.2f\n", step->macs / 1e6, s->cycles / NPU_HZ * 1e3,
	       step->seconds * 1e3, step->macs / step->seconds / 1e9);
}

void step_print_figures(const struct step *steps, unsigned int n)
{
	unsigned int i;

	printf("%-10s %5s %6s %44s %7s %7s %8s %7s\n", "", "", "", "kB moved by the NPU          ",
	       "", "NPU ms", "ms on", "GMAC/s");
	printf("%-10s %5s %6s %8s %8s %8s %8s %8s %7s %7s %8s %7s\n", "step", "tasks", "words",
	       "commands", "features", "weights", "operands", "results", "MMAC", "(est.)", "model",
	       "on model");
	for (i = 0; i < n; i++)
		print_row(&steps[i]);
}

bool step_failed(const struct step *step)
{
	fprintf(stderr, "demo: %s: %s\n", step->name, scoria_error());
	return false;
}

bool step_no_memory(const struct step *step)
{
	fprintf(stderr, "demo: %s: out of memory\n", step->name);
	return false;
}
