// SPDX-License-Identifier: MIT
/* vec-run: run test vectors on the NPU model; see usage() and README.md. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/npu_model.h"
#include "fp16.h"
#include "std_files.h"
#include "vec_file.h"

/* PC registers, programming-model B5, and the two pointers the driver arms */
enum {
	PC_OPERATION_ENABLE = 0x08,
	PC_BASE_ADDRESS = 0x10,
	PC_REGISTER_AMOUNTS = 0x14,
	PC_INTERRUPT_MASK = 0x20,
	PC_INTERRUPT_CLEAR = 0x24,
	PC_INTERRUPT_RAW_STATUS = 0x2c,
	PC_TASK_CON = 0x30,
	PC_TASK_DMA_BASE = 0x34,
	CNA_S_POINTER = 0x1004,
	CORE_S_POINTER = 0x3004,
};

static struct {
	struct npu_options model;
	bool tap;
	bool trace;
	bool counters;
	bool one_by_one;
	unsigned int shown;	/* mismatches printed per expect */
} opt = { .shown = 16 };

static void usage(FILE *to)
{
	fprintf(to,
		"usage: vec-run [options] FILE...\n"
		"Run test vectors (the format is in tools/testing/vectors/README.md) on the model\n"
		"of one NPU core, started as the vendor's kernel driver does, and compare memory\n"
		"with what they expect. \"-\" reads one from standard input.\n\n"
		"  --trace                  print register writes of the host and bus accesses\n"
		"  --dump-counters          print what the core counted\n"
		"  --one-by-one             start every task alone, as the mainline driver does\n"
		"  --mismatches N           print at most N mismatches per expect line (16)\n"
		"  --model NAME=VALUE       a switch of the model, as scoria silicon lists them\n"
		"  --ties even|up|away|cut  rounding of ties where round bits are 0 (even)\n"
		"  --poison-integer-chains  spoil later integer tasks with QD_EN = 0\n"
		"  --lint-stale             warn of registers that a task reads but did not write\n"
		"  --max-cycles N           a task that takes longer hangs\n"
		"  --tap                    one TAP line a file\n\n"
		"Exit status: 0 all as expected, 1 a mismatch or no completion, 2 bad use, a\n"
		"file that is no vector (the message names the line), or output that is lost.\n");
}

/* A vector and the core that runs it. */
struct run {
	struct vec_file vec;
	struct npu_core *core;
};

static void say_report(void *ctx, const struct npu_report *r)
{
	static const char *const severity[] = { "note", "warning", "error" };

	(void)ctx;
	printf("# %s: task %u word %d address %08x: %s\n", severity[r->severity], r->task, r->word,
	       r->address, r->text);
}

static void trace_access(const char *what, uint32_t addr, size_t len, int err)
{
	if (opt.trace)
		printf("# %s %08x %zx%s\n", what, addr, len, err ? " not mapped" : "");
}

static int bus_read(void *ctx, uint32_t addr, void *buf, size_t len)
{
	struct run *run = ctx;
	int err = sparse_mem_read(&run->vec.mem, addr, buf, len);

	trace_access("read ", addr, len, err);
	return err;
}

static int bus_write(void *ctx, uint32_t addr, const void *buf, size_t len)
{
	struct run *run = ctx;
	int err = sparse_mem_write(&run->vec.mem, addr, buf, len);

	trace_access("write", addr, len, err);
	return err;
}

static void reg_write(struct run *run, uint32_t reg, uint32_t value)
{
	if (opt.trace)
		printf("# host  %04x = %08x\n", reg, value);
	npu_core_write(run->core, reg, value);
}

#define WORD_BYTES	8
#define TRAILER		4

/*
 * Words to fetch of @task. The driver adds the trailer to a count that is meant to leave it
 * out; where a source counts it, what lies behind the words is in their page on a board, but
 * need not be in the vector.
 */
static uint32_t words_of(struct run *run, const struct vec_task *task)
{
	uint8_t bytes[(TRAILER + 2) * WORD_BYTES];
	uint32_t words = task->count + TRAILER;

	for (; words > task->count; words--) {
		const uint32_t more = (words + 1) / 2 * 2 - task->count;

		if (!sparse_mem_read(&run->vec.mem, task->regcmd + task->count * WORD_BYTES, bytes,
				     more * WORD_BYTES))
			break;
	}
	return words;
}

/* README.md, "What that driver writes to start a job" of the tasks from @first on. */
static void kick(struct run *run, const struct vec_task *first, size_t n)
{
	const struct vec_task *last = first + n - 1;

	reg_write(run, PC_BASE_ADDRESS, 1);
	for (size_t i = 0; i < run->vec.n_assumes && first == run->vec.tasks; i++)
		reg_write(run, run->vec.assumes[i].reg, run->vec.assumes[i].value);
	reg_write(run, CNA_S_POINTER, 0xe);
	reg_write(run, CORE_S_POINTER, 0xe);
	reg_write(run, PC_BASE_ADDRESS, first->regcmd);
	reg_write(run, PC_REGISTER_AMOUNTS, (words_of(run, first) + 1) / 2 - 1);
	reg_write(run, PC_INTERRUPT_MASK, last->int_mask);
	reg_write(run, PC_INTERRUPT_CLEAR, first->int_mask);
	reg_write(run, PC_TASK_CON, 7u << 12 | (uint32_t)n);
	reg_write(run, PC_TASK_DMA_BASE, 0);
	reg_write(run, PC_OPERATION_ENABLE, 1);
	reg_write(run, PC_OPERATION_ENABLE, 0);
}

static const char *state_name(enum npu_state state)
{
	static const char *const names[] = {
		[NPU_IDLE] = "idle", [NPU_READY] = "ready", [NPU_HUNG] = "hung",
		[NPU_STALLED] = "stalled", [NPU_BROKEN] = "broken",
	};

	return names[state];
}

/* Whether the job ended and raised what its @last task was to raise. */
static bool completed(struct run *run, const struct vec_task *last)
{
	uint32_t want = last->int_mask;
	uint32_t raw = npu_core_read(run->core, PC_INTERRUPT_RAW_STATUS);
	enum npu_state state = npu_core_state(run->core);

	if (state != NPU_IDLE) {
		printf("# core is %s: %s\n", state_name(state), npu_core_reason(run->core));
		return false;
	}
	if (want && !(raw & want)) {
		printf("# no completion: raw status %05x, interrupt mask %05x\n", raw, want);
		return false;
	}
	return true;
}

static uint32_t load_le(const uint8_t *bytes, unsigned int size)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < size; i++)
		v |= (uint32_t)bytes[i] << 8 * i;
	return v;
}

static float element(enum vec_kind kind, uint32_t bits)
{
	return kind == VEC_FP16 ? fp16_to_fp32(bits) : fp32_from_bits(bits);
}

static bool within(const struct vec_expect *e, uint32_t want, uint32_t got)
{
	double w, g;

	if (want == got)
		return true;
	if (e->kind == VEC_EXACT)
		return false;
	w = element(e->kind, want);
	g = element(e->kind, got);
	if (isnan(w) || isnan(g))
		return isnan(w) && isnan(g);
	return fabs(w - g) <= e->tolerance;
}

static void say_mismatch(const struct vec_expect *e, uint32_t offset, uint32_t want, uint32_t got)
{
	static const unsigned int digits[] = { 2, 4, 8 }, size[] = { 1, 2, 4 };

	printf("#   %08x [%u]: want %0*x, got %0*x", e->addr + offset, offset / size[e->kind],
	       digits[e->kind], want, digits[e->kind], got);
	if (e->kind != VEC_EXACT)
		printf(" (%.9g, %.9g)", (double)element(e->kind, want), (double)element(e->kind, got));
	printf("\n");
}

static bool compare_bytes(const struct vec_expect *e, const uint8_t *now)
{
	unsigned int size = e->kind == VEC_EXACT ? 1 : e->kind == VEC_FP16 ? 2 : 4;
	uint32_t bad = 0;

	for (uint32_t i = 0; i < e->len; i += size) {
		uint32_t want = load_le(e->bytes + i, size), got = load_le(now + i, size);

		if (!within(e, want, got) && bad++ < opt.shown)
			say_mismatch(e, i, want, got);
	}
	if (bad)
		printf("# line %u: %u of %u elements at %08x differ\n", e->line, bad, e->len / size,
		       e->addr);
	return !bad;
}

static bool compare(struct run *run, const struct vec_expect *e)
{
	uint8_t *now = malloc(e->len);
	bool same = now && !sparse_mem_read(&run->vec.mem, e->addr, now, e->len) &&
		    compare_bytes(e, now);

	if (!now)
		fprintf(stderr, "vec-run: out of memory\n");
	free(now);
	return same;
}

static void dump_counters(const struct npu_counters *c)
{
	static const char *const dma[] = {
		"pc", "feature", "weight", "mrdma", "brdma", "nrdma", "erdma", "dpu_wdma",
		"ppu_rdma", "ppu_wdma",
	};
	static const char *const stage[] = { "fetch", "load", "mac", "dpu", "ppu" };

	printf("# mmio reads %" PRIu64 " writes %" PRIu64 "; interrupts %" PRIu64 " kicks %" PRIu64
	       " tasks %" PRIu64 " words %" PRIu64 "\n", c->mmio_reads, c->mmio_writes,
	       c->interrupts, c->kicks, c->tasks, c->words);
	printf("# bytes:");
	for (unsigned int i = 0; i < NPU_N_DMA; i++)
		printf(" %s %" PRIu64, dma[i], c->bytes[i]);
	printf("\n# macs: issued %" PRIu64 " useful %" PRIu64 "\n# cycles: all %" PRIu64,
	       c->macs_issued, c->macs_useful, c->cycles_all);
	for (unsigned int i = 0; i < NPU_N_STAGES; i++)
		printf(" %s %" PRIu64, stage[i], c->cycles[i]);
	printf("\n");
}

/* All tasks in one kick, or a kick each. */
static bool run_tasks(struct run *run)
{
	const size_t step = opt.one_by_one ? 1 : run->vec.n_tasks;

	for (size_t i = 0; i < run->vec.n_tasks; i += step) {
		kick(run, run->vec.tasks + i, step);
		npu_core_run(run->core);
		if (!completed(run, run->vec.tasks + i + step - 1))
			return false;
	}
	return true;
}

static bool run_core(struct run *run)
{
	bool good = run_tasks(run);

	for (size_t i = 0; i < run->vec.n_expects; i++)
		good &= compare(run, &run->vec.expects[i]);
	if (opt.counters)
		dump_counters(npu_core_counters(run->core));
	return good;
}

/* Exit status for one file. */
static int run_file(const char *path)
{
	const struct npu_host host = {
		.read = bus_read, .write = bus_write, .report = say_report,
	};
	struct run run;
	bool good;

	if (vec_file_load(&run.vec, path))
		return 2;
	run.core = npu_core_create(&host, &run, &opt.model);
	if (!run.core) {
		perror("vec-run: npu_core_create");
		vec_file_free(&run.vec);
		return 2;
	}
	good = run_core(&run);
	npu_core_destroy(run.core);
	vec_file_free(&run.vec);
	return good ? 0 : 1;
}

static bool choose(const char *text)
{
	char why[160];

	if (npu_choose(&opt.model.choices, text, why, sizeof(why)))
		return true;
	fprintf(stderr, "vec-run: %s\n", why);
	return false;
}

/* All four places that round. */
static bool choose_ties(const char *value)
{
	char text[160];

	snprintf(text, sizeof(text), "ties-out=%s,ties-mul=%s,ties-cvt=%s,ties-clip=%s", value,
		 value, value, value);
	return choose(text);
}

static bool parse_count(const char *name, const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end)
		return true;
	fprintf(stderr, "vec-run: --%s is not a number: %s\n", name, text);
	return false;
}

static bool apply_option(int which)
{
	uint64_t n;

	switch (which) {
	case 't':
		opt.trace = true;
		return true;
	case 'c':
		opt.counters = true;
		return true;
	case 'o':
		opt.one_by_one = true;
		return true;
	case 'm':
		if (!parse_count("mismatches", optarg, &n))
			return false;
		opt.shown = n > UINT32_MAX ? UINT32_MAX : n;
		return true;
	case 'M':
		return choose(optarg);
	case 'r':
		return choose_ties(optarg);
	case 'p':
		return choose("integer-chains=spoilt");
	case 'l':
		opt.model.lint_stale = true;
		return true;
	case 'x':
		return parse_count("max-cycles", optarg, &opt.model.max_task_cycles);
	case 'T':
		opt.tap = true;
		return true;
	}
	return false;
}

static bool parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "trace", no_argument, NULL, 't' },
		{ "dump-counters", no_argument, NULL, 'c' },
		{ "one-by-one", no_argument, NULL, 'o' },
		{ "mismatches", required_argument, NULL, 'm' },
		{ "model", required_argument, NULL, 'M' },
		{ "ties", required_argument, NULL, 'r' },
		{ "poison-integer-chains", no_argument, NULL, 'p' },
		{ "lint-stale", no_argument, NULL, 'l' },
		{ "max-cycles", required_argument, NULL, 'x' },
		{ "tap", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int which;

	while ((which = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (which == 'h') {
			usage(stdout);
			exit(std_files_written("vec-run", false) ? 0 : 2);
		}
		if (!apply_option(which))
			return false;
	}
	if (optind == argc)
		fprintf(stderr, "vec-run: no file given; see --help\n");
	return optind < argc;
}

int main(int argc, char **argv)
{
	int worst = 0;

	std_files_hold();
	if (!parse_options(argc, argv))
		return 2;
	if (opt.tap)
		printf("TAP version 13\n1..%d\n", argc - optind);
	for (int i = optind; i < argc; i++) {
		int status = run_file(argv[i]);

		if (opt.tap)
			printf("%sok %d - %s\n", status ? "not " : "", i - optind + 1, argv[i]);
		else
			printf("%s %s\n", status == 2 ? "UNUSABLE" : status ? "FAIL" : "PASS", argv[i]);
		if (status > worst)
			worst = status;
	}
	return std_files_written("vec-run", false) ? worst : 2;
}
