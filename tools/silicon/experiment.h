/* SPDX-License-Identifier: MIT */
/*
 * Experiments: for each switch of the model a program that tells the readings of the
 * hardware apart, and what each reading predicts.
 *
 * Predictions are computed by hand from the text of the programming model, not with the
 * model: that the two agree is tested.
 */
#ifndef SILICON_EXPERIMENT_H
#define SILICON_EXPERIMENT_H

#include "../testing/model/switches.h"
#include "trial.h"

enum prediction {
	GIVES,		/* these elements */
	HANGS,		/* no completion */
	OTHERWISE,	/* elements that nobody can name, and no other hypothesis has */
};

/**
 * struct hypothesis - a reading of the hardware
 * @value:      of the switch
 * @prediction: what it predicts
 * @outcome:    for GIVES
 */
struct hypothesis {
	enum npu_value value;
	enum prediction prediction;
	uint32_t outcome[OUTCOME_MOST];
};

#define HYPOTHESES_MOST	4
#define RESTS_MOST	2

/**
 * struct experiment - a question and how it is asked
 * @asks:      the switch, whose texts are the question and the hypotheses
 * @program:   in words: what runs, and what is looked at
 * @run:       make the program, run it, note the outcome
 * @n:         elements of the outcome
 * @risky:     can hang a core
 * @chains:    means nothing unless several tasks run in one kick
 * @raw:       means nothing where the driver writes pointers and trailers itself
 * @rests_on:  other switches that change the outcome; @n_rests of them
 * @hypotheses: the assumed one first; @value 0 ends them
 */
struct experiment {
	enum npu_switch asks;
	const char *program;
	void (*run)(struct trial *t);
	unsigned int n;
	bool risky;
	bool chains;
	bool raw;
	enum npu_switch rests_on[RESTS_MOST];
	unsigned int n_rests;
	struct hypothesis hypotheses[HYPOTHESES_MOST];
};

/* A family of experiments, one file each; @experiments has @n. */
struct family {
	const struct experiment *experiments;
	unsigned int n;
};

#define FAMILY(array) { array, sizeof(array) / sizeof((array)[0]) }

extern const struct family ask_pc;	/* words, chains, register groups */
extern const struct family ask_cna;	/* features and their converter */
extern const struct family ask_cbuf;	/* room in the convolution buffer */
extern const struct family ask_weights;
extern const struct family ask_core;	/* accumulators */
extern const struct family ask_integer;	/* the DPU's stages on integers */
extern const struct family ask_float;	/* and on floats */
extern const struct family ask_lut;
extern const struct family ask_output;	/* the write DMA */
extern const struct family ask_residual;	/* operands beside a convolution */
extern const struct family ask_ppu;

/* All of them, in the order of switches.def. NULL when there is none for the switch. */
const struct experiment *experiment_for(enum npu_switch id);

/**
 * struct unasked - a rule that no experiment can settle
 * @section: of the programming model
 * @rule:    what is not known
 * @reason:  why there is no experiment
 */
struct unasked {
	const char *section;
	const char *rule;
	const char *reason;
};

extern const struct unasked unasked[];
extern const unsigned int n_unasked;

#endif
