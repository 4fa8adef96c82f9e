// SPDX-License-Identifier: MIT
/*
 * Experiments on the model: each gives the assumed answer, each switch turns the answer of
 * its experiment and of no other, and a device that dies leaves a report.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/scoria/error.h"
#include "../../lib/scoria/tests/page.h"
#include "../../testing/model/tests/tap.h"
#include "../session.h"

static void ignore_begun(const struct session *session, void *ctx)
{
	(void)session;
	(void)ctx;
}

static void ignore_done(const struct session *session, enum npu_switch id, void *ctx)
{
	(void)session;
	(void)id;
	(void)ctx;
}

static void session_init(struct session *session)
{
	memset(session, 0, sizeof(*session));
	memset(session->wanted, true, sizeof(session->wanted));
	session->risky = true;
	session->begun = ignore_begun;
	session->done = ignore_done;
}

/* Everything on a model whose switches are set as @model says. */
static bool run_on(struct session *session, const char *model)
{
	const struct scoria_device_opts opts = { .size = sizeof(opts), .model = model };
	struct scoria_device *dev;
	int err;

	session_init(session);
	if (scoria_device_open("model", &opts, &dev)) {
		printf("# %s: %s\n", model, scoria_error());
		return false;
	}
	err = session_run(session, dev);
	if (err)
		printf("# %s: %s\n", model ? model : "default", scoria_error());
	scoria_device_close(dev);
	return !err && !session->dead;
}

static bool answers(const struct session *session, enum npu_switch id, enum npu_value value,
		    const char *model)
{
	const struct verdict *verdict = &session->verdicts[id];

	if (verdict->kind == ANSWER && verdict->value == value)
		return true;
	printf("# with %s: %s is %s, want %s\n", model, npu_switches[id].name,
	       verdict->kind == ANSWER ? npu_values[verdict->value].name : verdict->why,
	       npu_values[value].name);
	return false;
}

static bool rests_on(const struct experiment *experiment, enum npu_switch id)
{
	for (unsigned int i = 0; i < experiment->n_rests; i++)
		if (experiment->rests_on[i] == id)
			return true;
	return false;
}

TEST(every_value_of_every_switch_is_a_hypothesis)
{
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		const struct experiment *experiment = experiment_for(id);
		unsigned int hypotheses = 0, values = 0;

		ASSERT(experiment);
		EXPECT_EQ(npu_assumed(id), experiment->hypotheses[0].value);
		for (unsigned int i = 0; i < HYPOTHESES_MOST; i++) {
			const enum npu_value value = experiment->hypotheses[i].value;

			hypotheses += value && npu_values[value].of == id;
		}
		for (unsigned int value = 1; value < NPU_N_VALUES; value++)
			values += npu_values[value].of == id;
		EXPECT_EQ(values, hypotheses);
	}
}

TEST(the_model_answers_what_is_assumed)
{
	struct session session;

	ASSERT(run_on(&session, NULL));
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		EXPECT(answers(&session, id, npu_answer(id), "no switch"));
		EXPECT(session.verdicts[id].ending == HUNG ||
		       session.verdicts[id].n == experiment_for(id)->n);
	}
}

TEST(a_switch_turns_its_experiment_and_no_other)
{
	for (unsigned int value = 1; value < NPU_N_VALUES; value++) {
		const enum npu_switch turned = npu_values[value].of;
		struct session session;
		char model[64];

		if (value == npu_answer(turned))
			continue;
		snprintf(model, sizeof(model), "%s=%s", npu_switches[turned].name,
			 npu_values[value].name);
		EXPECT(run_on(&session, model));
		for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
			if (!rests_on(experiment_for(id), turned))
				EXPECT(answers(&session, id,
					       id == turned ? value : npu_answer(id), model));
	}
}

/* A value of @id, of which switch @value is one too. */
static enum npu_value pick(enum npu_switch id)
{
	enum npu_value value = npu_assumed(id), last = value;

	while (last + 1 < NPU_N_VALUES && npu_values[last + 1].of == id)
		last++;
	return value + (unsigned int)rand() % (last - value + 1);
}

/* Every third switch somewhere at random; what rests on one that moved is not compared. */
TEST(switches_at_random_give_their_own_answers)
{
	srand(1);
	for (unsigned int round = 0; round < 20; round++) {
		enum npu_value values[NPU_N_SWITCHES];
		bool moved[NPU_N_SWITCHES] = { false };
		char model[4096] = "", name[16];
		struct session session;

		for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
			values[id] = rand() % 3 ? npu_answer(id) : pick(id);
			moved[id] = values[id] != npu_answer(id);
			snprintf(model + strlen(model), sizeof(model) - strlen(model), "%s%s=%s",
				 *model ? "," : "", npu_switches[id].name,
				 npu_values[values[id]].name);
		}
		EXPECT(run_on(&session, model));
		snprintf(name, sizeof(name), "round %u", round);
		for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
			const struct experiment *experiment = experiment_for(id);
			bool comparable = true;

			for (unsigned int i = 0; i < experiment->n_rests; i++)
				comparable &= !moved[experiment->rests_on[i]];
			if (comparable)
				EXPECT(answers(&session, id, values[id], name));
		}
	}
}

/* A device that is the model until its @fuse jobs have run. */
static struct device_ops mortal_ops;
static unsigned int fuse;

static int mortal_submit(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	if (!fuse)
		return error_set(ETIMEDOUT, "the core does not answer");
	fuse--;
	return device_model_ops.submit(dev, jobs, n);
}

static bool run_on_mortal(struct session *session, unsigned int jobs, int *err)
{
	struct scoria_device *dev;

	if (scoria_device_open("model", NULL, &dev))
		return false;
	mortal_ops = device_model_ops;
	mortal_ops.submit = mortal_submit;
	dev->ops = &mortal_ops;
	fuse = jobs;
	session_init(session);
	*err = session_run(session, dev);
	dev->ops = &device_model_ops;
	scoria_device_close(dev);
	return true;
}

TEST(a_core_that_dies_half_way_keeps_what_was_learned)
{
	struct session session;
	unsigned int answered = 0, unasked_for = 0;
	int err;

	ASSERT(run_on_mortal(&session, 100, &err));
	EXPECT_EQ(0, err);
	EXPECT(session.dead);
	EXPECT(strstr(session.why, "does not compute"));
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		const struct verdict *verdict = &session.verdicts[id];

		answered += verdict->kind == ANSWER;
		unasked_for += verdict->kind == NOT_RUN && !strcmp(verdict->why, session.why);
	}
	EXPECT(answered > 20);
	EXPECT(unasked_for > 20);
}

TEST(a_device_that_does_not_compute_is_refused)
{
	struct session session;
	int err;

	ASSERT(run_on_mortal(&session, 0, &err));
	EXPECT_EQ(-EIO, err);
	EXPECT(strstr(scoria_error(), "does not compute"));
}

/* Everything on a model that @facts describes. */
static bool run_as(struct session *session,
		   void (*facts)(struct scoria_device *dev, struct device_facts *facts), int *err)
{
	struct scoria_device *dev;

	if (scoria_device_open("model", NULL, &dev))
		return false;
	mortal_ops = device_model_ops;
	mortal_ops.facts = facts;
	dev->ops = &mortal_ops;
	session_init(session);
	*err = session_run(session, dev);
	dev->ops = &device_model_ops;
	scoria_device_close(dev);
	return true;
}

static void another_npu(struct scoria_device *dev, struct device_facts *facts)
{
	(void)dev;
	facts->hw_version = 0x12345678;
}

TEST(a_device_that_is_another_npu_is_refused)
{
	struct session session;
	int err;

	ASSERT(run_as(&session, another_npu, &err));
	EXPECT_EQ(-ENODEV, err);
	EXPECT(strstr(scoria_error(), "0x12345678"));
}

/* What our driver would make of a stream is not what was asked. */
static void rewrites(struct scoria_device *dev, struct device_facts *facts)
{
	(void)dev;
	facts->rewrites = true;
}

TEST(a_driver_that_rewrites_streams_is_not_asked_about_them)
{
	struct session session;
	int err;

	ASSERT(run_as(&session, rewrites, &err));
	EXPECT_EQ(0, err);
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
		EXPECT_EQ(experiment_for(id)->raw, session.verdicts[id].kind == NOT_RUN);
}

TEST(risky_experiments_wait_for_their_option)
{
	struct session session;
	struct scoria_device *dev;

	ASSERT(!scoria_device_open("model", NULL, &dev));
	session_init(&session);
	session.risky = false;
	EXPECT_EQ(0, session_run(&session, dev));
	scoria_device_close(dev);
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
		EXPECT_EQ(experiment_for(id)->risky, session.verdicts[id].kind == NOT_RUN);
}

#define PAGE "Documentation/accel/scoria/silicon-experiments.rst"

static void put_prediction(const struct experiment *experiment,
			   const struct hypothesis *hypothesis)
{
	if (hypothesis->prediction == HANGS)
		page_put("no completion");
	else if (hypothesis->prediction == OTHERWISE)
		page_put("anything else");
	else
		for (unsigned int i = 0; i < experiment->n; i++)
			page_put("%s%#x", i ? " " : "", hypothesis->outcome[i]);
}

static void put_status(enum npu_switch id)
{
	if (npu_answer_source(id))
		page_put("%s, says %s", npu_values[npu_answer(id)].name, npu_answer_source(id));
	else
		page_put("unverified on a board");
}

static void put_experiment(enum npu_switch id)
{
	const struct experiment *experiment = experiment_for(id);

	page_put("\n**%u. %s** (%s%s%s%s): ", id + 1, npu_switches[id].name,
		 npu_switches[id].section, experiment->risky ? "; risky" : "",
		 experiment->chains ? "; chains" : "", experiment->raw ? "; raw" : "");
	put_status(id);
	page_put(".\n%c%s ...\n\n", toupper((unsigned char)npu_switches[id].text[0]),
		 npu_switches[id].text + 1);
	for (unsigned int i = 0; i < HYPOTHESES_MOST && experiment->hypotheses[i].value; i++) {
		const struct hypothesis *hypothesis = &experiment->hypotheses[i];

		page_put("* *%s*: ... %s. ``", npu_values[hypothesis->value].name,
			 npu_values[hypothesis->value].text);
		put_prediction(experiment, hypothesis);
		page_put("``\n");
	}
	page_put("\nAsked by: %s.\n", experiment->program);
	for (unsigned int i = 0; i < experiment->n_rests; i++)
		page_put("Means something only if *%s* is answered as assumed.\n",
			 npu_switches[experiment->rests_on[i]].name);
}

/* UPDATE=1 writes the page. */
TEST(the_page_has_every_experiment)
{
	page_put(".. SPDX-License-Identifier: MIT\n"
		 ".. Written by tools/silicon/tests/test_silicon.c, with UPDATE=1\n\n"
		 "=====================\nQuestions for silicon\n=====================\n\n"
		 "What ``build/scoria silicon`` asks, see silicon.rst: number and name, sections of\n"
		 "programming-model.md, status, question, the hypotheses with the outcome that each\n"
		 "predicts, the first being what the model assumes, and the program.\n");
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
		put_experiment(id);
	page_put("\nWhat is not asked\n=================\n\n.. list-table::\n   :header-rows: 1\n\n"
		 "   * - section\n     - not known\n     - why there is no experiment\n");
	for (unsigned int i = 0; i < n_unasked; i++)
		page_put("   * - %s\n     - %s\n     - %s\n", unasked[i].section, unasked[i].rule,
			 unasked[i].reason);
	EXPECT(page_is_stored(PAGE));
}

TEST_MAIN()
