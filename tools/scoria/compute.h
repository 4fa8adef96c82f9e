/* SPDX-License-Identifier: MIT */
/* The course that a command takes which computes one result from some inputs. */
#ifndef SCORIA_COMPUTE_H
#define SCORIA_COMPUTE_H

#include "op.h"
#include "tensor.h"

/**
 * struct compute - a command with its options read
 * @op:      what all such commands have
 * @title:   of the report
 * @macs:    products that the operation has
 * @values:  see values.h
 * @inputs: @n_inputs: arrays to fill, those without elements left out
 * @output:  the result
 * @create:  plan on op->dev and fill op->info; 0 or a negative errno
 * @run:     compute once; 0 or a negative errno
 * @check:   fill op->result; 0 or -ENOMEM
 * @destroy: the plan, if there is one
 * @ctx:     argument of these
 */
struct compute {
	struct op *op;
	const char *title;
	double macs;
	const char *values;
	struct tensor *inputs;
	size_t n_inputs;
	struct tensor *output;
	int (*create)(void *ctx);
	int (*run)(void *ctx);
	int (*check)(void *ctx);
	void (*destroy)(void *ctx);
	void *ctx;
};

/* Open the device, plan, load, run, check, save, report, and clean up. */
int compute(const struct compute *compute);

#endif
