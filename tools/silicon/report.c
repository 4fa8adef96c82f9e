// SPDX-License-Identifier: MIT
/* See report.h. */
#include "report.h"

#include <ctype.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "../scoria/json.h"

#define FORMAT_VERSION	1

/* Words that prediction kinds get in reports. */
static const char *const predictions[] = {
	[GIVES] = "gives", [HANGS] = "hangs", [OTHERWISE] = "otherwise",
};

static const char *const kinds[] = {
	[NOT_RUN] = "not-run", [ANSWER] = "answer", [NONE_OF_THEM] = "none",
};

static const char *const endings[] = {
	[ENDED] = "ended", [HUNG] = "hung", [REFUSED] = "refused", [BROKEN] = "broken",
};

/* The board's name from its device tree, or "". */
static void read_machine(char *to, size_t size)
{
	FILE *file = fopen("/proc/device-tree/model", "r");
	size_t n = file ? fread(to, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	to[n] = '\0';
}

static void read_date(char *to, size_t size)
{
	const time_t now = time(NULL);

	strftime(to, size, "%Y-%m-%d", gmtime(&now));
}

static void list_hypothesis(FILE *out, const struct experiment *experiment,
			    const struct hypothesis *hypothesis)
{
	fprintf(out, "    %-12s ... %s (", npu_values[hypothesis->value].name,
		npu_values[hypothesis->value].text);
	if (hypothesis->prediction == HANGS)
		fputs("no completion", out);
	else if (hypothesis->prediction == OTHERWISE)
		fputs("anything else", out);
	else
		for (unsigned int i = 0; i < experiment->n; i++)
			fprintf(out, "%s%#x", i ? " " : "", hypothesis->outcome[i]);
	fputs(")\n", out);
}

void report_list(FILE *out)
{
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		const struct experiment *experiment = experiment_for(id);

		fprintf(out, "%3u %s [%s]%s%s%s\n    %s ...\n", id + 1, npu_switches[id].name,
			npu_switches[id].section, experiment->risky ? " risky" : "",
			experiment->chains ? " chains" : "", experiment->raw ? " raw" : "",
			npu_switches[id].text);
		for (unsigned int i = 0;
		     i < HYPOTHESES_MOST && experiment->hypotheses[i].value; i++)
			list_hypothesis(out, experiment, &experiment->hypotheses[i]);
		fprintf(out, "    asked by: %s\n", experiment->program);
	}
}

void report_head(FILE *out, const struct session *session)
{
	const struct device_facts *facts = &session->facts;
	struct utsname name;
	char machine[128], date[16];

	read_machine(machine, sizeof(machine));
	read_date(date, sizeof(date));
	uname(&name);
	fprintf(out, "scoria silicon, %s\ndriver %s\nNPU version %#x, %u cores, %.0f MHz (0: not known)\n"
		"kernel %s %s %s%s%s\n\n", date, facts->driver, facts->hw_version, facts->cores,
		(double)facts->clock_hz / 1e6, name.sysname, name.release, name.machine,
		*machine ? ", " : "", machine);
}

static void print_outcome(FILE *out, const struct verdict *verdict)
{
	if (verdict->ending == HUNG)
		fprintf(out, "no completion: %s", verdict->why);
	for (unsigned int i = 0; i < verdict->n; i++)
		fprintf(out, "%s%#x", i ? " " : "", verdict->outcome[i]);
}

void report_verdict(FILE *out, const struct session *session, enum npu_switch id)
{
	const struct verdict *verdict = &session->verdicts[id];

	fprintf(out, "%3u %-16s ", id + 1, npu_switches[id].name);
	if (verdict->kind == NOT_RUN) {
		fprintf(out, "not run: %s%s", verdict->ending == REFUSED ? "refused: " : "",
			verdict->why);
	} else if (verdict->kind == NONE_OF_THEM) {
		fputs("NONE OF THEM: ", out);
		print_outcome(out, verdict);
	} else {
		fprintf(out, "%-12s%s %s %s", npu_values[verdict->value].name,
			verdict->value == npu_answer(id) ? "" : "OTHERWISE THAN ASSUMED:",
			npu_switches[id].text, npu_values[verdict->value].text);
		if (verdict->value != npu_answer(id)) {
			fputs(" (", out);
			print_outcome(out, verdict);
			putc(')', out);
		}
	}
	putc('\n', out);
}

void report_summary(FILE *out, const struct session *session)
{
	const struct tally tally = session_tally(session);

	fprintf(out, "\n%u as assumed, %u otherwise, %u like no hypothesis, %u not run\n",
		tally.assumed, tally.otherwise, tally.none, tally.not_run);
	if (session->dead)
		fprintf(out, "stopped early: %s\n", session->why);
}

static void json_outcome(struct json *json, const char *key, const uint32_t *outcome,
			 unsigned int n)
{
	char text[16];

	json_begin_array(json, key);
	for (unsigned int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "0x%08x", outcome[i]);
		json_string(json, NULL, text);
	}
	json_end_array(json);
}

static void json_hypotheses(struct json *json, const struct experiment *experiment)
{
	json_begin_array(json, "hypotheses");
	for (unsigned int i = 0; i < HYPOTHESES_MOST && experiment->hypotheses[i].value; i++) {
		const struct hypothesis *hypothesis = &experiment->hypotheses[i];

		json_begin_object(json, NULL);
		json_string(json, "name", npu_values[hypothesis->value].name);
		json_string(json, "says", npu_values[hypothesis->value].text);
		json_string(json, "predicts", predictions[hypothesis->prediction]);
		if (hypothesis->prediction == GIVES)
			json_outcome(json, "outcome", hypothesis->outcome, experiment->n);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_experiment(struct json *json, const struct session *session, enum npu_switch id)
{
	const struct experiment *experiment = experiment_for(id);
	const struct verdict *verdict = &session->verdicts[id];

	json_begin_object(json, NULL);
	json_uint(json, "number", id + 1);
	json_string(json, "name", npu_switches[id].name);
	json_string(json, "section", npu_switches[id].section);
	json_string(json, "question", npu_switches[id].text);
	json_string(json, "program", experiment->program);
	json_bool(json, "risky", experiment->risky);
	json_string(json, "verdict", kinds[verdict->kind]);
	json_string(json, "answer",
		    verdict->kind == ANSWER ? npu_values[verdict->value].name : NULL);
	json_string(json, "assumed", npu_values[npu_answer(id)].name);
	json_string(json, "ended", endings[verdict->ending]);
	json_outcome(json, "outcome", verdict->outcome, verdict->n);
	json_string(json, "why", *verdict->why ? verdict->why : NULL);
	json_number(json, "seconds", verdict->seconds);
	json_hypotheses(json, experiment);
	json_end_object(json);
}

static void json_device(struct json *json, const struct device_facts *facts)
{
	struct utsname name;
	char machine[128], version[16];

	read_machine(machine, sizeof(machine));
	snprintf(version, sizeof(version), "0x%08x", facts->hw_version);
	uname(&name);
	json_begin_object(json, "device");
	json_string(json, "driver", facts->driver);
	json_string(json, "hw_version", facts->hw_version ? version : NULL);
	json_uint(json, "cores", facts->cores);
	json_uint(json, "clock_hz", facts->clock_hz);
	json_string(json, "kernel", name.release);
	json_string(json, "architecture", name.machine);
	json_string(json, "machine", *machine ? machine : NULL);
	json_end_object(json);
}

int report_json(FILE *out, const struct session *session, bool complete)
{
	const struct tally tally = session_tally(session);
	struct json json;
	char date[16];

	read_date(date, sizeof(date));
	json_init(&json, out);
	json_begin_object(&json, NULL);
	json_string(&json, "report", "scoria silicon");
	json_uint(&json, "version", FORMAT_VERSION);
	json_string(&json, "date", date);
	json_device(&json, &session->facts);
	json_bool(&json, "complete", complete && !session->dead);
	json_string(&json, "running", session->running < NPU_N_SWITCHES ?
				      npu_switches[session->running].name : NULL);
	json_string(&json, "stopped", session->dead ? session->why : NULL);
	json_begin_object(&json, "summary");
	json_uint(&json, "assumed", tally.assumed);
	json_uint(&json, "otherwise", tally.otherwise);
	json_uint(&json, "none", tally.none);
	json_uint(&json, "not_run", tally.not_run);
	json_end_object(&json);
	json_begin_array(&json, "experiments");
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
		if (session->wanted[id])
			json_experiment(&json, session, id);
	json_end_array(&json);
	json_end_object(&json);
	return json_finish(&json);
}

/* "ties-out" as C has it. */
static void put_identifier(FILE *out, const char *name)
{
	for (; *name; name++)
		putc(*name == '-' ? '_' : toupper((unsigned char)*name), out);
}

void report_answers(FILE *out, const struct session *session)
{
	struct utsname name;
	char machine[128], date[16];

	read_machine(machine, sizeof(machine));
	read_date(date, sizeof(date));
	uname(&name);
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++) {
		if (session->verdicts[id].kind != ANSWER)
			continue;
		fputs("ANSWER(", out);
		put_identifier(out, npu_switches[id].name);
		fputs(", ", out);
		put_identifier(out, npu_values[session->verdicts[id].value].name);
		fprintf(out, ", \"%s, %s %s, %s\")\n", *machine ? machine : session->facts.driver,
			name.sysname, name.release, date);
	}
}
