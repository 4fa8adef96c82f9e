// SPDX-License-Identifier: MIT
/* scoria silicon: ask an NPU what the model only assumes. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../silicon/report.h"
#include "cmd.h"
#include "opts.h"

/**
 * struct silicon - the command in work
 * @device: @model: @only: @json: @text: @answers: options of these names
 * @list:   print what could be asked, nothing else
 */
struct silicon {
	const char *argv0;
	const char *device;
	const char *model;
	const char *only;
	const char *json;
	const char *text;
	const char *answers;
	bool list;
	struct session session;
	FILE *text_file;
};

static void print_help(const struct opt *opts, size_t n)
{
	puts("usage: scoria silicon [OPTION]...\n\n"
	     "Ask an NPU, by small programs whose outcome tells, what the hardware notes and the\n"
	     "model only assume. Experiments that can hang a core are left out unless --risky is\n"
	     "given; each is followed by a job that is known to be good.\n");
	opts_help(opts, n);
	puts("\nExit status: 0 when all answers are the assumed ones, 1 when one is not or the core\n"
	     "died, 2 for bad use or a device that cannot be used.");
}

/* A number or a name of --only; NPU_N_SWITCHES for what is neither. */
static enum npu_switch find_experiment(const char *text, size_t length)
{
	size_t number;
	unsigned int id = 0;

	if (opts_size(text, text + length, &number))
		return number >= 1 && number <= NPU_N_SWITCHES ? number - 1 : NPU_N_SWITCHES;
	while (id < NPU_N_SWITCHES && (strlen(npu_switches[id].name) != length ||
				       strncmp(npu_switches[id].name, text, length)))
		id++;
	return id;
}

/* --only, separated by commas; all when it is not given. */
static int select_experiments(struct silicon *silicon)
{
	const char *text = silicon->only;

	memset(silicon->session.wanted, !text, sizeof(silicon->session.wanted));
	while (text) {
		const size_t length = strcspn(text, ",");
		const enum npu_switch id = find_experiment(text, length);

		if (id == NPU_N_SWITCHES)
			return cmd_unusable(silicon->argv0,
					    "--only: there is no experiment \"%.*s\"; --list lists them",
					    (int)length, text);
		silicon->session.wanted[id] = true;
		text = text[length] ? text + length + 1 : NULL;
	}
	return CMD_OK;
}

/*
 * Write the file anew and put it in the place of the old one: whatever a risky experiment
 * does to the machine, the last whole report is there.
 */
static int save_json(const struct silicon *silicon, const struct session *session, bool complete)
{
	char part[4096];
	FILE *file;
	int err;

	if (!silicon->json)
		return 0;
	if (!strcmp(silicon->json, "-"))
		return complete ? report_json(stdout, session, complete) : 0;
	snprintf(part, sizeof(part), "%s.part", silicon->json);
	file = fopen(part, "w");
	if (!file)
		return -errno;
	err = report_json(file, session, complete);
	if (!err && fsync(fileno(file)))
		err = -errno;
	if (fclose(file) && !err)
		err = -errno;
	if (!err && rename(part, silicon->json))
		err = -errno;
	return err;
}

static void begun(const struct session *session, void *ctx)
{
	save_json(ctx, session, false);
}

static void done(const struct session *session, enum npu_switch id, void *ctx)
{
	struct silicon *silicon = ctx;

	if (!silicon->json || strcmp(silicon->json, "-")) {
		report_verdict(stdout, session, id);
		fflush(stdout);
	}
	if (silicon->text_file) {
		report_verdict(silicon->text_file, session, id);
		fflush(silicon->text_file);
	}
	save_json(silicon, session, false);
}

static int save_answers(const struct silicon *silicon)
{
	FILE *file;

	if (!silicon->answers)
		return 0;
	file = fopen(silicon->answers, "w");
	if (!file)
		return -errno;
	report_answers(file, &silicon->session);
	return fclose(file) ? -errno : 0;
}

static int save_report(const struct silicon *silicon, bool complete)
{
	const int err = save_json(silicon, &silicon->session, complete);

	if (err)
		return cmd_unusable(silicon->argv0, "--json: %s: %s", silicon->json, strerror(-err));
	return CMD_OK;
}

static int save_all(const struct silicon *silicon)
{
	const int status = save_report(silicon, true);
	int err;

	if (status)
		return status;
	err = save_answers(silicon);
	if (err)
		return cmd_unusable(silicon->argv0, "--answers: %s: %s", silicon->answers,
				    strerror(-err));
	return CMD_OK;
}

static int conclude(const struct silicon *silicon)
{
	const struct tally tally = session_tally(&silicon->session);
	const int status = save_all(silicon);

	if (!silicon->json || strcmp(silicon->json, "-"))
		report_summary(stdout, &silicon->session);
	if (silicon->text_file)
		report_summary(silicon->text_file, &silicon->session);
	if (status)
		return status;
	return tally.otherwise || tally.none || silicon->session.dead ? CMD_FAILED : CMD_OK;
}

/* The head of a report needs to know the device. */
static void print_heads(struct silicon *silicon, struct scoria_device *dev)
{
	device_facts(dev, &silicon->session.facts);
	if (!silicon->json || strcmp(silicon->json, "-"))
		report_head(stdout, &silicon->session);
	if (silicon->text_file)
		report_head(silicon->text_file, &silicon->session);
}

static int ask(struct silicon *silicon)
{
	const struct scoria_device_opts opts = {
		.size = sizeof(opts), .model = silicon->model,
	};
	struct scoria_device *dev;
	int status;

	if (scoria_device_open(silicon->device, &opts, &dev))
		return cmd_unusable(silicon->argv0, "%s", scoria_error());
	print_heads(silicon, dev);
	/* a place that cannot be written to is better known before than after */
	status = save_report(silicon, false);
	if (!status && session_run(&silicon->session, dev))
		status = cmd_unusable(silicon->argv0, "%s", scoria_error());
	scoria_device_close(dev);
	return status ? status : conclude(silicon);
}

static int run(struct silicon *silicon)
{
	int status = select_experiments(silicon);

	if (status)
		return status;
	if (silicon->model && strcmp(silicon->device, "model"))
		return cmd_unusable(silicon->argv0, "--model sets switches of --device model");
	if (silicon->text && !strcmp(silicon->text, "-"))
		return cmd_unusable(silicon->argv0, "--text: - is no file; the text is on stdout unless JSON is");
	if (silicon->text) {
		silicon->text_file = fopen(silicon->text, "w");
		if (!silicon->text_file)
			return cmd_unusable(silicon->argv0, "--text: %s: %s", silicon->text,
					    strerror(errno));
	}
	status = ask(silicon);
	if (silicon->text_file && fclose(silicon->text_file))
		return cmd_unusable(silicon->argv0, "--text: %s: %s", silicon->text,
				    strerror(errno));
	return status;
}

int cmd_silicon(int argc, char **argv)
{
	struct silicon silicon = { .argv0 = argv[0], .device = "accel" };
	const struct opt opts[] = {
		{ "list", OPT_FLAG, &silicon.list, 0, NULL, "print the experiments" },
		{ "only", OPT_TEXT, &silicon.only, 0, "ID[,ID]...",
		  "run these, by number or name" },
		{ "risky", OPT_FLAG, &silicon.session.risky, 0, NULL,
		  "run those that can hang a core, too, at the end" },
		{ "device", OPT_TEXT, &silicon.device, 0, "NAME", "accel, a path or model (accel)" },
		{ "model", OPT_TEXT, &silicon.model, 0, "NAME=VALUE[,...]",
		  "what the model is to do otherwise" },
		{ "json", OPT_TEXT, &silicon.json, 0, "FILE", "write the report as JSON, - to stdout" },
		{ "text", OPT_TEXT, &silicon.text, 0, "FILE", "write it as text" },
		{ "answers", OPT_TEXT, &silicon.answers, 0, "FILE",
		  "write what answers.def would say" },
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);
	int status;

	if (cmd_wants_help(argc, argv)) {
		print_help(opts, n);
		return CMD_OK;
	}
	status = opts_parse(argc, argv, opts, n);
	if (status)
		return status;
	if (silicon.list) {
		report_list(stdout);
		return CMD_OK;
	}
	silicon.session.begun = begun;
	silicon.session.done = done;
	silicon.session.ctx = &silicon;
	return run(&silicon);
}
