// SPDX-License-Identifier: MIT
/* See session.h. */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../lib/scoria/error.h"

#define RK3588_VERSION	0x46495245u	/* VERSION + VERSION_NUM[15:0], A3 */
#define GOOD_TRIES	3		/* a hang takes a reset, and that may take a try */

static void not_run(struct session *session, enum npu_switch id, const char *why)
{
	struct verdict *verdict = &session->verdicts[id];

	*verdict = (struct verdict){ .kind = NOT_RUN };
	snprintf(verdict->why, sizeof(verdict->why), "%s", why);
}

/* Why an experiment cannot be run here; NULL when it can. */
static const char *obstacle(const struct session *session, const struct experiment *experiment,
			    bool board)
{
	if (experiment->risky && !session->risky)
		return "it can hang a core; --risky runs it";
	if (experiment->raw && session->facts.rewrites)
		return "this driver checks words and writes pointers and trailers itself";
	if (experiment->chains && board && !session->facts.rewrites)
		return "this driver starts every task by itself";
	return NULL;
}

static bool predicted(const struct hypothesis *hypothesis, const struct experiment *experiment,
		      const struct verdict *verdict)
{
	if (verdict->ending == HUNG)
		return hypothesis->prediction == HANGS;
	return hypothesis->prediction == GIVES &&
	       !memcmp(hypothesis->outcome, verdict->outcome,
		       experiment->n * sizeof(*verdict->outcome));
}

/* The hypothesis that predicted it; one that predicts no elements is the last resort. */
static const struct hypothesis *match(const struct experiment *experiment,
				      const struct verdict *verdict)
{
	const struct hypothesis *last_resort = NULL;

	for (unsigned int i = 0; i < HYPOTHESES_MOST && experiment->hypotheses[i].value; i++) {
		const struct hypothesis *hypothesis = &experiment->hypotheses[i];

		if (predicted(hypothesis, experiment, verdict))
			return hypothesis;
		if (hypothesis->prediction == OTHERWISE && verdict->ending == ENDED)
			last_resort = hypothesis;
	}
	return last_resort;
}

static void judge(const struct experiment *experiment, const struct trial *t,
		  struct verdict *verdict)
{
	const struct hypothesis *hypothesis;

	*verdict = (struct verdict){ .ending = t->ending, .seconds = t->seconds };
	snprintf(verdict->why, sizeof(verdict->why), "%s", t->why);
	if (t->ending == REFUSED || t->ending == BROKEN)
		return;
	if (t->ending == ENDED) {
		verdict->n = t->n_outcome;
		memcpy(verdict->outcome, t->outcome, sizeof(t->outcome));
	}
	hypothesis = match(experiment, verdict);
	verdict->kind = hypothesis ? ANSWER : NONE_OF_THEM;
	verdict->value = hypothesis ? hypothesis->value : NPU_AS_ANSWERED;
}

/* 1.0 + 1 in the flying DPU, and 3.0 through a convolution: no assumption is in them. */
static bool computes(struct trial *t)
{
	struct conv conv;

	trial_begin(t);
	store16(trial_at(t, AT_X), 0, 0x3c00);
	trial_add(t, 0, 0, 1);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
	pass_conv(&conv, T_FP16, T_FP32, 1, 8);
	*conv_at(&conv, 0, 0) = 3;
	trial_conv(t, &conv);
	trial_run(t);
	trial_note32(t, AT_Y, 0);
	return t->ending == ENDED && t->outcome[0] == 0x4000 && t->outcome[1] == 0x40400000;
}

static bool recovers(struct trial *t)
{
	for (unsigned int i = 0; i < GOOD_TRIES; i++)
		if (computes(t))
			return true;
	return false;
}

static void run_one(struct session *session, struct trial *t, enum npu_switch id, bool board)
{
	const struct experiment *experiment = experiment_for(id);
	const char *why = obstacle(session, experiment, board);

	if (session->dead)
		why = session->why;
	if (why) {
		not_run(session, id, why);
		return;
	}
	session->running = id;
	if (experiment->risky)
		session->begun(session, session->ctx);
	trial_begin(t);
	experiment->run(t);
	judge(experiment, t, &session->verdicts[id]);
	session->running = NPU_N_SWITCHES;
	if (recovers(t))
		return;
	session->dead = true;
	snprintf(session->why, sizeof(session->why),
		 "the core does not compute any more after %s%s%s", npu_switches[id].name,
		 *t->why ? ": " : "", t->why);
}

static int check_device(struct session *session, struct trial *t)
{
	const uint32_t version = session->facts.hw_version;

	if (version && version != RK3588_VERSION)
		return error_set(ENODEV, "the device is not an RK3588's NPU: version %#x, not %#x",
				 version, RK3588_VERSION);
	if (!recovers(t))
		return error_set(EIO, "the device does not compute what an RK3588's NPU would%s%s",
				 *t->why ? ": " : "", t->why);
	return 0;
}

static void run_all(struct session *session, struct trial *t, bool risky)
{
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		if (!session->wanted[id] || experiment_for(id)->risky != risky)
			continue;
		run_one(session, t, id, t->board);
		session->done(session, id, session->ctx);
	}
}

int session_run(struct session *session, struct scoria_device *dev)
{
	struct trial t;
	int err;

	session->running = NPU_N_SWITCHES;
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
		not_run(session, id, "its turn did not come");
	device_facts(dev, &session->facts);
	err = trial_init(&t, dev);
	if (err)
		return err;
	err = check_device(session, &t);
	if (!err) {
		run_all(session, &t, false);
		run_all(session, &t, true);
	}
	trial_free(&t);
	return err;
}

struct tally session_tally(const struct session *session)
{
	struct tally tally = { 0 };

	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		const struct verdict *verdict = &session->verdicts[id];

		if (!session->wanted[id])
			continue;
		tally.assumed += verdict->kind == ANSWER && verdict->value == npu_answer(id);
		tally.otherwise += verdict->kind == ANSWER && verdict->value != npu_answer(id);
		tally.none += verdict->kind == NONE_OF_THEM;
		tally.not_run += verdict->kind == NOT_RUN;
	}
	return tally;
}
