// SPDX-License-Identifier: MIT
/* scoria bench: how fast the device at hand is. */
#include <stdio.h>
#include <string.h>

#include "../lib/scoria/device.h"
#include "bench_ops.h"
#include "cmd.h"
#include "json.h"
#include "opts.h"

/* The clock for which the model's cycles are shown: the board's highest (programming-model I3). */
#define MODEL_HZ	1e9

#define LATENCY_REPEATS	MAX_REPEATS

/**
 * struct bench - the command in work
 * @device: @repeat: @only: @as_json: options of these names
 * @cycles: the device estimates cycles, and its time means nothing: the model
 * @wrong:  operations with wrong results
 */
struct bench {
	const char *argv0;
	const char *device;
	size_t repeat;
	const char *only;
	bool as_json;
	struct scoria_device *dev;
	struct device_facts facts;
	bool cycles;
	unsigned int wrong;
	struct json json;
};

/* Seconds that the NPU takes, measured or, for the model, estimated. */
static double npu_seconds(const struct bench *bench, const struct npu_times *times)
{
	return bench->cycles ? times->cycles / MODEL_HZ : timing_min(&times->job);
}

static double moved_bytes(const struct npu_times *times)
{
	return (double)(times->info.input_bytes + times->info.weight_bytes +
			times->info.output_bytes);
}

static void print_head(const struct bench *bench)
{
	printf("scoria bench on %s: %s", scoria_device_name(bench->dev), bench->facts.driver);
	if (bench->facts.cores)
		printf(", %u cores", bench->facts.cores);
	if (bench->facts.clock_hz)
		printf(", %.0f MHz", (double)bench->facts.clock_hz / 1e6);
	putchar('\n');
	if (bench->cycles)
		printf("Figures of the NPU are estimates of the model's cost model for a clock of "
		       "%.0f MHz, not\nmeasurements; \"here\" is what the model takes on this machine.\n",
		       MODEL_HZ / 1e6);
	else
		puts("Of several runs the fastest. MB/s is input, weights and results in NPU memory "
		     "by the job's\ntime; \"call\" is the whole call, packing and unpacking on the CPU "
		     "included.");
	printf("\n%-26s %-5s %6s %10s %10s %10s %10s\n", "operation", "type", "tasks",
	       bench->cycles ? "est. ms" : "job ms", bench->cycles ? "here ms" : "call ms",
	       bench->cycles ? "est. GOP/s" : "GOP/s", bench->cycles ? "est. MB/s" : "MB/s");
}

static void print_row(const struct bench *bench, const struct bench_op *op,
		      const struct bench_result *result)
{
	const double seconds = npu_seconds(bench, &result->times);

	printf("%-26s %-5s %6zu %10.4f %10.3f %10.2f %10.1f%s\n", op->name,
	       scoria_type_name(op->type), (size_t)result->times.tasks, seconds * 1e3,
	       timing_min(&result->times.op) * 1e3, result->operations / seconds / 1e9,
	       moved_bytes(&result->times) / seconds / 1e6, result->right ? "" : "  WRONG");
	fflush(stdout);
}

static void write_row(struct bench *bench, const struct bench_op *op,
		      const struct bench_result *result)
{
	const double seconds = npu_seconds(bench, &result->times);
	struct json *json = &bench->json;

	json_begin_object(json, NULL);
	json_string(json, "operation", op->name);
	json_string(json, "type", scoria_type_name(op->type));
	json_uint(json, "tasks", result->times.tasks);
	json_number(json, "operations", result->operations);
	json_number(json, "bytes", moved_bytes(&result->times));
	json_number(json, "npu_seconds", seconds);
	json_bool(json, "estimated", bench->cycles);
	if (bench->cycles)
		json_uint(json, "cycles", result->times.cycles);
	json_number(json, "job_seconds_min", timing_min(&result->times.job));
	json_number(json, "job_seconds_median", timing_median(&result->times.job));
	json_number(json, "call_seconds_min", timing_min(&result->times.op));
	json_number(json, "call_seconds_median", timing_median(&result->times.op));
	json_number(json, "gop_per_second", result->operations / seconds / 1e9);
	json_number(json, "mb_per_second", moved_bytes(&result->times) / seconds / 1e6);
	json_bool(json, "right", result->right);
	json_end_object(json);
}

static int measure(struct bench *bench, const struct bench_op *op, unsigned int repeats,
		   struct bench_result *result)
{
	*result = (struct bench_result){ 0 };
	if (op->measure(op, bench->dev, repeats, result))
		return cmd_unusable(bench->argv0, "%s %s: %s", op->name, scoria_type_name(op->type),
				    scoria_error());
	bench->wrong += !result->right;
	return CMD_OK;
}

static bool is_wanted(const struct bench *bench, const struct bench_op *op)
{
	return !bench->only || strstr(op->name, bench->only);
}

static bool any_wanted(const struct bench *bench)
{
	for (size_t i = 0; i < n_bench_ops; i++)
		if (is_wanted(bench, &bench_ops[i]))
			return true;
	return false;
}

static int measure_ops(struct bench *bench)
{
	struct bench_result result;
	int status = CMD_OK;

	for (size_t i = 0; i < n_bench_ops && !status; i++) {
		if (!is_wanted(bench, &bench_ops[i]))
			continue;
		status = measure(bench, &bench_ops[i], (unsigned int)bench->repeat, &result);
		if (!status && bench->as_json)
			write_row(bench, &bench_ops[i], &result);
		else if (!status)
			print_row(bench, &bench_ops[i], &result);
	}
	return status;
}

static int measure_latency(struct bench *bench)
{
	struct bench_result result;
	const int status = measure(bench, &bench_latency, LATENCY_REPEATS, &result);
	const struct npu_times *times = &result.times;

	if (status)
		return status;
	if (!bench->as_json) {
		printf("\nfrom submit to result, %s: %.1f us, median %.1f; whole call %.1f us, "
		       "median %.1f%s\n", bench_latency.name, timing_min(&times->job) * 1e6,
		       timing_median(&times->job) * 1e6, timing_min(&times->op) * 1e6,
		       timing_median(&times->op) * 1e6,
		       bench->cycles ? " (the model's, on this machine)" : "");
		return CMD_OK;
	}
	json_begin_object(&bench->json, "latency");
	json_string(&bench->json, "operation", bench_latency.name);
	json_number(&bench->json, "job_seconds_min", timing_min(&times->job));
	json_number(&bench->json, "job_seconds_median", timing_median(&times->job));
	json_number(&bench->json, "call_seconds_min", timing_min(&times->op));
	json_number(&bench->json, "call_seconds_median", timing_median(&times->op));
	json_end_object(&bench->json);
	return CMD_OK;
}

static int measure_as_text(struct bench *bench)
{
	int status;

	print_head(bench);
	status = measure_ops(bench);
	return status ? status : measure_latency(bench);
}

/* Whole also when it ends early, but for what was not measured. */
static int measure_as_json(struct bench *bench)
{
	struct json *json = &bench->json;
	int status;

	json_init(json, stdout);
	json_begin_object(json, NULL);
	json_string(json, "bench", "device");
	json_string(json, "device", scoria_device_name(bench->dev));
	json_string(json, "driver", bench->facts.driver);
	json_uint(json, "cores", bench->facts.cores);
	json_uint(json, "clock_hz", bench->cycles ? (uint64_t)MODEL_HZ : bench->facts.clock_hz);
	json_begin_array(json, "results");
	status = measure_ops(bench);
	json_end_array(json);
	if (!status)
		status = measure_latency(bench);
	json_end_object(json);
	if (json_finish(json))
		return cmd_unusable(bench->argv0, "the report could not be written");
	return status;
}

static int run(struct bench *bench)
{
	const struct scoria_device_opts opts = { .size = sizeof(opts) };
	int status;

	if (scoria_device_open(bench->device, &opts, &bench->dev))
		return cmd_unusable(bench->argv0, "%s", scoria_error());
	device_facts(bench->dev, &bench->facts);
	bench->cycles = !strcmp(scoria_device_name(bench->dev), "model");
	status = bench->as_json ? measure_as_json(bench) : measure_as_text(bench);
	scoria_device_close(bench->dev);
	if (!status && bench->wrong) {
		fprintf(stderr, "scoria %s: %u operations gave wrong results\n", bench->argv0,
			bench->wrong);
		return CMD_FAILED;
	}
	return status;
}

int cmd_bench(int argc, char **argv)
{
	struct bench bench = { .argv0 = argv[0], .repeat = 5 };
	const struct opt opts[] = {
		{ "device", OPT_TEXT, &bench.device, 0, "NAME",
		  "accel, a path or model (accel where there is one)" },
		{ "repeat", OPT_SIZE, &bench.repeat, 1, "N", "runs of each operation (5)" },
		{ "only", OPT_TEXT, &bench.only, 0, "WORD", "operations with WORD in their name" },
		{ "json", OPT_FLAG, &bench.as_json, 0, NULL, "print JSON" },
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);
	int status;

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria bench [OPTION]...\n\n"
		     "Measure some operations and the way to the NPU and back; results are compared with\n"
		     "the CPU's. On the model the NPU's figures are estimates. make bench compares more.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	status = opts_parse(argc, argv, opts, n);
	if (status)
		return status;
	if (bench.repeat > MAX_REPEATS)
		return cmd_unusable(argv[0], "--repeat: %zu is more than %d", bench.repeat,
				    MAX_REPEATS);
	if (!any_wanted(&bench))
		return cmd_unusable(argv[0], "--only: no operation has \"%s\" in its name",
				    bench.only);
	return run(&bench);
}
