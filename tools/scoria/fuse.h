/* SPDX-License-Identifier: MIT */
/* Options of the contractions' commands for what follows the sums. */
#ifndef SCORIA_FUSE_H
#define SCORIA_FUSE_H

#include <stdbool.h>

#include <scoria/fusion.h>

#include "opts.h"
#include "tensor.h"

/**
 * struct fuse - see above
 * @activation: @residual: names, NULL for none
 * @alpha: @scale: @zero_point: @last: @by_channel: options of the names below
 * @opts:    what they come to
 * @operand: the residual
 * @factors: @slopes: of @opts, to be freed
 */
struct fuse {
	const char *activation;
	const char *residual;
	double alpha;
	double scale;
	int32_t zero_point;
	bool last;
	bool by_channel;
	struct scoria_fusion opts;
	struct tensor operand;
	struct tensor factors;
	struct tensor slopes;
};

#define FUSE_OPTIONS(fuse) \
	{ "act|activation", OPT_TEXT, &(fuse)->activation, 0, "NAME", \
	  "a function of scoria activation behind it" }, \
	{ "act-alpha", OPT_NONZERO, &(fuse)->alpha, 0, "R", "its parameter" }, \
	{ "factors|batchnorm", OPT_FLAG, &(fuse)->by_channel, 0, NULL, \
	  "multiply every channel by a random factor" }, \
	{ "residual", OPT_TEXT, &(fuse)->residual, 0, "add|mul", \
	  "with a second tensor as large as the output" }, \
	{ "residual-scale", OPT_NONZERO, &(fuse)->scale, 0, "R", "of an integer one (1)" }, \
	{ "residual-zp", OPT_INT, &(fuse)->zero_point, 0, "Z", "its zero point (0)" }, \
	{ "residual-last", OPT_FLAG, &(fuse)->last, 0, NULL, "behind the activation" }, \
	{ "residual-file", OPT_TEXT, &(fuse)->operand.file, 0, "FILE", "raw, as the output" }

/*
 * Read the names. *@opts is what goes into the operation's options: NULL when nothing
 * was asked for. CMD_OK, or CMD_UNUSABLE after a message.
 */
int fuse_set(struct fuse *fuse, const char *argv0, const struct scoria_fusion **opts);

/* Make the vectors over @channels channels, before the plan. */
int fuse_load_vectors(struct fuse *fuse, const char *argv0, size_t channels,
		      struct random *random);

/* Make the operand of @n elements; its data is NULL where there is none. */
int fuse_load_operand(struct fuse *fuse, const char *argv0, size_t n, enum scoria_type out,
		      struct random *random);

void fuse_free(struct fuse *fuse);

#endif
