// SPDX-License-Identifier: MIT
#include "op.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

/* The clock for which times are estimated: the board's highest (programming-model I3). */
#define CLOCK_HZ 1e9

enum scoria_type op_type(const char *text)
{
	static const enum scoria_type all[] = { SCORIA_FP16, SCORIA_FP32, SCORIA_INT8, SCORIA_UINT8,
						SCORIA_INT32, SCORIA_BF16, SCORIA_TF32,
						SCORIA_INT4, SCORIA_INT16, SCORIA_INT64 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(text, scoria_type_name(all[i])))
			return all[i];
	return 0;
}

int op_one_type(const struct op *op, enum scoria_type *type)
{
	*type = op_type(op->dtype);
	if (!*type)
		return cmd_unusable(op->argv0, "--dtype: \"%s\" is not a type", op->dtype);
	if (op->out && strcmp(op->out, op->dtype))
		return cmd_unusable(op->argv0, "--out: \"%s\": the output has the input's type",
				    op->out);
	return CMD_OK;
}

int op_layout(const struct op *op, const char *text, enum scoria_layout *layout)
{
	if (!strcmp(text, "nhwc"))
		*layout = SCORIA_NHWC;
	else if (!strcmp(text, "nchw"))
		*layout = SCORIA_NCHW;
	else
		return cmd_unusable(op->argv0, "--layout: \"%s\" is not nchw or nhwc", text);
	return CMD_OK;
}

static void print_report(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "model: %s\n", text);
}

int op_open(struct op *op)
{
	const struct scoria_device_opts opts = {
		.size = sizeof(opts),
		.report = print_report,
		.cores = op->cores < UINT_MAX ? op->cores : UINT_MAX,
		.interface = op->interface ? SCORIA_INTERFACE_ROCKET : SCORIA_INTERFACE_BEST,
	};
	int err;

	if (op->interface && strcmp(op->interface, "rocket"))
		return cmd_unusable(op->argv0, "--interface: \"%s\" is not rocket", op->interface);
	err = scoria_device_open(op->device, &opts, &op->dev);

	return err ? op_failed(op, err) : CMD_OK;
}

void op_close(struct op *op)
{
	scoria_device_close(op->dev);
}

/* Shapes and memory are the user's to change, a job that fails is not. */
int op_failed(const struct op *op, int err)
{
	bool device = err == -ETIMEDOUT || err == -EFAULT || err == -EIO;

	cmd_unusable(op->argv0, "%s", scoria_error());
	return device ? CMD_FAILED : CMD_UNUSABLE;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

int op_run(struct op *op, int (*run)(void *ctx), void *ctx)
{
	double start = now();
	int err = 0;

	op->before.size = op->after.size = sizeof(op->before);
	scoria_device_stats(op->dev, &op->before);
	for (size_t i = 0; i < op->repeat && !err; i++)
		err = run(ctx);
	scoria_device_stats(op->dev, &op->after);
	op->seconds = now() - start;
	return err ? op_failed(op, err) : CMD_OK;
}

static struct scoria_device_stats used(const struct op *op)
{
	return (struct scoria_device_stats){
		.jobs = op->after.jobs - op->before.jobs,
		.tasks = op->after.tasks - op->before.tasks,
		.bytes_read = op->after.bytes_read - op->before.bytes_read,
		.bytes_written = op->after.bytes_written - op->before.bytes_written,
		.macs_issued = op->after.macs_issued - op->before.macs_issued,
		.macs_useful = op->after.macs_useful - op->before.macs_useful,
		.cycles = op->after.cycles - op->before.cycles,
	};
}

static void print_check(const struct op *op)
{
	const struct compare *r = &op->result;
	bool exact = r->rule == COMPARE_EXACT ||
		     (r->rule != COMPARE_WITHIN && r->type != SCORIA_FP16 &&
		      r->type != SCORIA_FP32);

	if (r->bad)
		printf("  first wrong     element %zu: got %.9g, expected %.9g\n", r->first_bad,
		       r->first_got, r->first_ref);
	printf("  compared        %zu results, %zu wrong, largest error %.3g\n", r->count, r->bad,
	       r->max_error);
	if (exact && r->rule == COMPARE_MEAN)
		printf("  tolerance       1/2 + 2^-10 |ref|\n");
	else if (exact)
		printf("  tolerance       none, results are exact\n");
	else if (r->rule == COMPARE_WITHIN)
		printf("  tolerance       that of the function, %.1f %% of it used\n", 100 * r->max_used);
	else
		printf("  tolerance       2^%d |ref| + %.0f 2^-24 sum|ab|, %.1f %% of it used\n",
		       r->type == SCORIA_FP16 ? -10 : -23, r->terms, 100 * r->max_used);
	printf("check: %s\n", compare_passed(r) ? "PASS" : "FAIL");
}

static void print_text(const struct op *op, const char *title, double macs)
{
	struct scoria_device_stats s = used(op);

	printf("%s on %s\n", title, scoria_device_name(op->dev));
	printf("  plan            %" PRIu64 " tasks in %" PRIu64 " jobs, %" PRIu64
	       " runs, %" PRIu64 " parts added by the CPU%s\n", op->info.tasks, op->info.jobs,
	       op->info.runs, op->info.splits > 1 ? op->info.splits : 0,
	       op->info.lowered ? ", windows gathered by the CPU" : "");
	printf("  NPU memory      %" PRIu64 " input, %" PRIu64 " weights, %" PRIu64
	       " output bytes\n", op->info.input_bytes, op->info.weight_bytes,
	       op->info.output_bytes);
	printf("  NPU did         %" PRIu64 " tasks, %" PRIu64 " bytes read, %" PRIu64
	       " written\n", s.tasks, s.bytes_read, s.bytes_written);
	if (macs > 0)
		printf("  MACs            %.0f needed, %" PRIu64 " useful, %" PRIu64 " issued\n",
		       macs * op->repeat, s.macs_useful, s.macs_issued);
	printf("  estimate        %" PRIu64 " cycles, %.3f ms at %.0f MHz\n", s.cycles,
	       s.cycles / CLOCK_HZ * 1e3, CLOCK_HZ * 1e-6);
	printf("  this machine    %.3f s\n", op->seconds);
	if (op->check)
		print_check(op);
}

static void json_check(struct json *json, const struct compare *r)
{
	json_begin_object(json, "check");
	json_bool(json, "pass", compare_passed(r));
	json_uint(json, "count", r->count);
	json_uint(json, "wrong", r->bad);
	json_number(json, "max_error", r->max_error);
	json_number(json, "tolerance_used", r->max_used);
	if (r->bad) {
		json_uint(json, "first_wrong", r->first_bad);
		json_number(json, "got", r->first_got);
		json_number(json, "expected", r->first_ref);
	}
	json_end_object(json);
}

static int print_json(const struct op *op, const char *title, double macs)
{
	struct scoria_device_stats s = used(op);
	struct json json;

	json_init(&json, stdout);
	json_begin_object(&json, NULL);
	json_string(&json, "op", op->argv0);
	json_string(&json, "title", title);
	json_string(&json, "device", scoria_device_name(op->dev));
	json_uint(&json, "repeat", op->repeat);
	json_uint(&json, "tasks", op->info.tasks);
	json_uint(&json, "jobs", op->info.jobs);
	json_uint(&json, "runs", op->info.runs);
	json_uint(&json, "splits", op->info.splits);
	json_bool(&json, "lowered", op->info.lowered);
	json_uint(&json, "input_bytes", op->info.input_bytes);
	json_uint(&json, "weight_bytes", op->info.weight_bytes);
	json_uint(&json, "output_bytes", op->info.output_bytes);
	json_uint(&json, "bytes_read", s.bytes_read);
	json_uint(&json, "bytes_written", s.bytes_written);
	json_number(&json, "macs", macs * op->repeat);
	json_uint(&json, "macs_useful", s.macs_useful);
	json_uint(&json, "macs_issued", s.macs_issued);
	json_uint(&json, "cycles", s.cycles);
	json_number(&json, "seconds", op->seconds);
	if (op->check)
		json_check(&json, &op->result);
	json_end_object(&json);
	return json_finish(&json);
}

int op_report(const struct op *op, const char *title, double macs)
{
	if (!op->json)
		print_text(op, title, macs);
	else if (print_json(op, title, macs))
		return cmd_unusable(op->argv0, "the report could not be written");
	return op->check && !compare_passed(&op->result) ? CMD_FAILED : CMD_OK;
}
