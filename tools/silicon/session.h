/* SPDX-License-Identifier: MIT */
/*
 * Running experiments: in order of risk, with a job that is known to be good after each, so
 * that a wedge is noticed and cannot taint the next answer.
 */
#ifndef SILICON_SESSION_H
#define SILICON_SESSION_H

#include "../lib/scoria/device.h"
#include "experiment.h"

enum verdict_kind {
	NOT_RUN,	/* why says why not */
	ANSWER,		/* a hypothesis predicted what came */
	NONE_OF_THEM,
};

/**
 * struct verdict - what came of an experiment
 * @kind:    enum verdict_kind
 * @value:   of the hypothesis, for ANSWER
 * @ending:  of its jobs
 * @outcome: elements, @n of them when the jobs ended
 * @seconds: that its jobs took
 * @why:     in words, when they did not end or did not run
 */
struct verdict {
	enum verdict_kind kind;
	enum npu_value value;
	enum ending ending;
	uint32_t outcome[OUTCOME_MOST];
	unsigned int n;
	double seconds;
	char why[300];
};

/**
 * struct session - a run of experiments
 * @wanted:   which; @risky: those that can hang too
 * @facts:    of the device
 * @verdicts: by switch; until an experiment's turn NOT_RUN
 * @running:  the one that is being run, NPU_N_SWITCHES between
 * @dead:     the core stopped computing: nothing else is run; @why tells after what
 * @begun: @done: called before an experiment of risk and after each, with the session; a
 *            report that is written then survives what comes next
 * @ctx:      for them
 */
struct session {
	bool wanted[NPU_N_SWITCHES];
	bool risky;
	struct device_facts facts;
	struct verdict verdicts[NPU_N_SWITCHES];
	enum npu_switch running;
	bool dead;
	char why[300];
	void (*begun)(const struct session *session, void *ctx);
	void (*done)(const struct session *session, enum npu_switch id, void *ctx);
	void *ctx;
};

/*
 * Run what is wanted. 0, or a negative errno with the library's message when the device
 * cannot be used at all: no memory, not this NPU, or it does not compute.
 */
int session_run(struct session *session, struct scoria_device *dev);

/**
 * struct tally - verdicts by kind
 * @assumed: answers that are the assumed ones, or those in answers.def; @otherwise: that are not
 * @none:    that no hypothesis predicted
 * @not_run: the rest of what was wanted
 */
struct tally {
	unsigned int assumed;
	unsigned int otherwise;
	unsigned int none;
	unsigned int not_run;
};

struct tally session_tally(const struct session *session);

#endif
