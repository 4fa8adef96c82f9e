/* SPDX-License-Identifier: MIT */
/* What the commands that compute share: device, types, repetitions, the report. */
#ifndef SCORIA_OP_H
#define SCORIA_OP_H

#include <stdbool.h>

#include <scoria/scoria.h>

#include "../lib/reference/compare.h"
#include "json.h"
#include "opts.h"

/**
 * struct op - a command in work
 * @argv0:   its name
 * @device:  --device
 * @cores: @interface: options of these names
 * @dtype:   --dtype
 * @out:     --out
 * @seed: @repeat: @check: @json: options of these names
 * @dev:     open device
 * @before: @after: its counters around the runs
 * @info:    of the plan
 * @seconds: of the runs on this machine
 * @result:  of the check
 */
struct op {
	const char *argv0;
	const char *device;
	size_t cores;
	const char *interface;
	const char *dtype;
	const char *out;
	uint64_t seed;
	size_t repeat;
	bool check;
	bool json;
	struct scoria_device *dev;
	struct scoria_device_stats before;
	struct scoria_device_stats after;
	struct scoria_plan_info info;
	double seconds;
	struct compare result;
};

/* The options that every such command has, as initialisers of a struct opt array. */
#define OP_OPTIONS(op) \
	{ "dtype|type", OPT_TEXT, &(op)->dtype, 0, "TYPE", "input type" }, \
	{ "out|out-dtype|out-type", OPT_TEXT, &(op)->out, 0, "TYPE", "output type" }, \
	{ "seed", OPT_SEED, &(op)->seed, 0, "N", "of random data (1)" }, \
	{ "repeat", OPT_SIZE, &(op)->repeat, 1, "N", "run N times (1)" }, \
	{ "device", OPT_TEXT, &(op)->device, 0, "NAME", "device (model)" }, \
	{ "interface", OPT_TEXT, &(op)->interface, 0, "rocket", \
	  "to the driver; scoria's own where it has that" }, \
	{ "cores", OPT_SIZE, &(op)->cores, 1, "N", "to use at most, 1 to 3 (all)" }, \
	{ "check", OPT_FLAG, &(op)->check, 0, NULL, "compare with the CPU reference" }, \
	{ "json", OPT_FLAG, &(op)->json, 0, NULL, "print JSON" }

/* The type named @text, 0 when there is none. */
enum scoria_type op_type(const char *text);

/* The type of --dtype, when results have no other. CMD_OK, or CMD_UNUSABLE after a message. */
int op_one_type(const struct op *op, enum scoria_type *type);

/* The layout of --layout, likewise. */
int op_layout(const struct op *op, const char *text, enum scoria_layout *layout);

int op_open(struct op *op);
void op_close(struct op *op);

/* Say what the library said; the exit status follows from @err. */
int op_failed(const struct op *op, int err);

/* Call @run @op->repeat times and measure. A negative errno from it ends that. */
int op_run(struct op *op, int (*run)(void *ctx), void *ctx);

/* Print the report, @title first. @macs: products that the operation has. */
int op_report(const struct op *op, const char *title, double macs);

#endif
