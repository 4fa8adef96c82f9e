/* SPDX-License-Identifier: MIT */
/* One step of the tour: what the NPU did in it, and what the comparison said. */
#ifndef DEMO_STEP_H
#define DEMO_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include <scoria/scoria.h>

#include "../lib/reference/compare.h"

/**
 * struct step - one step
 * @name:    one word
 * @macs:    multiplications that the operation is defined by, over all its runs
 * @seconds: in which the operation ran on this machine
 * @stats:   what the device did meanwhile; the differences
 * @values:  results compared, @bad of them outside the tolerance
 * @max_error: the largest distance from the reference
 * @max_used: largest share of the tolerance that was used
 */
struct step {
	const char *name;
	uint64_t macs;
	double seconds;
	struct scoria_device_stats stats;
	uint64_t values;
	uint64_t bad;
	double max_error;
	double max_used;
};

/* Around each run of the operation: it counts for the step what happens between. */
void step_resume(struct step *step, struct scoria_device *dev);
void step_pause(struct step *step, struct scoria_device *dev);

/* Take over the verdict on one run. */
void step_compared(struct step *step, const struct compare *compare);

/* Whether something was compared, and nothing was wrong. */
bool step_passed(const struct step *step);

/* What was compared, in one line without its end. */
void step_print_check(const struct step *step);

/* A table of what the NPU did. */
void step_print_figures(const struct step *steps, unsigned int n);

/* Say on stderr that the library refused and why, or that memory is out. Return false. */
bool step_failed(const struct step *step);
bool step_no_memory(const struct step *step);

#endif
