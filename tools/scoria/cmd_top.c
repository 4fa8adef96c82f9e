// SPDX-License-Identifier: MIT
/* scoria top: how busy the NPU's cores are, and for whom. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "json.h"
#include "opts.h"
#include "root.h"
#include "top.h"

#define MIN_SECONDS	0.01
#define MAX_SECONDS	86400.0

/**
 * struct top - the command in work
 * @root: @interval: @once: @json: options of these names
 * @before: @now: the two samples whose difference is shown
 */
struct top {
	const char *argv0;
	const char *root;
	double interval;
	bool once;
	bool json;
	struct top_sample before;
	struct top_sample now;
};

static double load(const struct top *top, const struct top_client *client, unsigned int engine)
{
	return top_worked(&top->before, &top->now, client, engine) * 1e-9 /
	       (top->now.seconds - top->before.seconds);
}

static double load_of_core(const struct top *top, unsigned int engine)
{
	double sum = 0;

	for (size_t i = 0; i < top->now.n_clients; i++)
		sum += load(top, &top->now.clients[i], engine);
	return sum;
}

static double busy_seconds(const struct top *top, const struct top_client *client)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < top->now.n_engines; i++)
		sum += client->busy_ns[i];
	return sum * 1e-9;
}

static void print_client(const struct top *top, const struct top_client *client)
{
	printf("%7d %-15s", client->pid, client->comm);
	for (unsigned int i = 0; i < top->now.n_engines; i++)
		printf(" %7.1f", 100 * load(top, client, i));
	if (top->now.n_engines)
		printf(" %9.3f", busy_seconds(top, client));
	printf(" %10.0f %10.0f\n", client->total / 1024.0, client->resident / 1024.0);
}

static void print_heads(const struct top *top)
{
	const struct top_sample *now = &top->now;

	printf("%zu open, over %.2f s\n", now->n_clients, now->seconds - top->before.seconds);
	if (now->hidden)
		printf("%u processes may hide more: only root sees the files of all\n", now->hidden);
	if (!now->n_clients)
		puts("No process that can be seen has the NPU open.");
	else if (!now->n_engines)
		puts("The driver does not tell how long cores work for whom; the in-tree rocket "
		     "does not, scoria does.");
	if (!now->n_clients)
		return;
	printf("\n%7s %-15s", "PID", "process");
	for (unsigned int i = 0; i < now->n_engines; i++)
		printf(" %5.5s %%", now->engines[i]);
	if (now->n_engines)
		printf(" %9s", "busy s");
	printf(" %10s %10s\n", "memory KiB", "resident");
}

static void print_text(const struct top *top)
{
	const struct top_sample *now = &top->now;

	if (!top->once && isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout);
	print_heads(top);
	for (size_t i = 0; i < now->n_clients; i++)
		print_client(top, &now->clients[i]);
	if (!now->n_engines)
		return;
	printf("%7s %-15s", "", "all");
	for (unsigned int i = 0; i < now->n_engines; i++)
		printf(" %7.1f", 100 * load_of_core(top, i));
	putchar('\n');
}

static void json_client(struct json *json, const struct top *top, const struct top_client *client)
{
	json_begin_object(json, NULL);
	json_int(json, "pid", client->pid);
	json_string(json, "process", client->comm);
	json_uint(json, "client", client->id);
	json_begin_array(json, "cores");
	for (unsigned int i = 0; i < top->now.n_engines; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", top->now.engines[i]);
		json_number(json, "load", load(top, client, i));
		json_uint(json, "busy_ns", client->busy_ns[i]);
		json_end_object(json);
	}
	json_end_array(json);
	json_uint(json, "memory_bytes", client->total);
	json_uint(json, "resident_bytes", client->resident);
	json_end_object(json);
}

static int print_json(const struct top *top)
{
	const struct top_sample *now = &top->now;
	struct json json;

	json_init(&json, stdout);
	json_begin_object(&json, NULL);
	json_number(&json, "seconds", now->seconds - top->before.seconds);
	json_uint(&json, "hidden_processes", now->hidden);
	json_begin_array(&json, "cores");
	for (unsigned int i = 0; i < now->n_engines; i++) {
		json_begin_object(&json, NULL);
		json_string(&json, "name", now->engines[i]);
		json_number(&json, "load", load_of_core(top, i));
		json_end_object(&json);
	}
	json_end_array(&json);
	json_begin_array(&json, "clients");
	for (size_t i = 0; i < now->n_clients; i++)
		json_client(&json, top, &now->clients[i]);
	json_end_array(&json);
	json_end_object(&json);
	return json_finish(&json);
}

static void pause_for(double seconds)
{
	struct timespec left = {
		.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (time_t)seconds) * 1e9),
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int take(const struct top *top, struct top_sample *sample)
{
	const int err = top_sample_take(sample, top->root);

	return err ? cmd_unusable(top->argv0, "%s/proc: %s", top->root, strerror(-err)) : CMD_OK;
}

/* Show one interval, whose end begins the next. */
static int show_next(struct top *top)
{
	int status;

	pause_for(top->interval);
	status = take(top, &top->now);
	if (status)
		return status;
	if (top->json)
		print_json(top);
	else
		print_text(top);
	if (fflush(stdout))
		return cmd_unusable(top->argv0, "the report could not be written");
	top_sample_free(&top->before);
	top->before = top->now;
	top->now = (struct top_sample){ 0 };
	return CMD_OK;
}

static int watch(struct top *top)
{
	int status = take(top, &top->before);

	do {
		if (!status)
			status = show_next(top);
	} while (!status && !top->once);
	top_sample_free(&top->before);
	top_sample_free(&top->now);
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct top top = { .argv0 = argv[0], .root = "", .interval = 1 };
	const struct opt opts[] = {
		{ "once", OPT_FLAG, &top.once, 0, NULL, "show one interval and end" },
		{ "interval", OPT_REAL, &top.interval, 0, "S", "seconds over which load is taken (1)" },
		{ "json", OPT_FLAG, &top.json, 0, NULL, "print JSON, a text for each interval" },
		{ "root", OPT_TEXT, &top.root, 0, "DIR", "look at DIR/proc instead of /proc" },
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);
	int status;

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria top [OPTION]...\n\n"
		     "Show how busy the NPU's cores are, in all and for each process that has the NPU\n"
		     "open, from what its driver tells in /proc/PID/fdinfo. The time of a job is told\n"
		     "when the job has ended.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	status = opts_parse(argc, argv, opts, n);
	if (status)
		return status;
	if (top.interval < MIN_SECONDS || top.interval > MAX_SECONDS)
		return cmd_unusable(argv[0], "--interval: %g is not from %g to %g seconds", top.interval,
				    MIN_SECONDS, MAX_SECONDS);
	if (top.root[0] && !root_exists(top.root, "/."))
		return cmd_unusable(argv[0], "--root: there is no directory %s", top.root);
	return watch(&top);
}
