// SPDX-License-Identifier: MIT
/*
 * Run TFLite networks with a delegate and without, and compare what comes out.
 * Prints TAP; on the test board, counters show whether the NPU took part.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "board_regs.h"
#include "infer.h"

#define DELEGATE	"/usr/lib/teflon/libteflon.so"

struct options {
	const char *delegate;
	int tolerance;
	int runs;
};

/* What two runs of a network differ by. */
struct difference {
	size_t values;
	size_t differ;
	int largest;
};

static volatile const uint32_t *board;	/* NULL without the test board */

static void open_board(void)
{
	int fd = open("/dev/scoria-board", O_RDWR | O_CLOEXEC);
	void *map;

	if (fd < 0)
		return;
	map = mmap(NULL, BOARD_DEBUG_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map != MAP_FAILED)
		board = map;
}

/* Sum over the cores of the low half of counter @offset. */
static uint32_t counter(int offset)
{
	uint32_t sum = 0;

	for (int core = 0; board && core < BOARD_N_CORES; core++)
		sum += board[(BOARD_CORE(core) + offset) / 4];
	return sum;
}

static int n_claims;

static int claim(int passed, const char *network, const char *text)
{
	printf("%sok %d - %s: %s\n", passed ? "" : "not ", ++n_claims, network, text);
	fflush(stdout);
	return !passed;
}

static int value(const void *data, size_t i, int is_signed)
{
	return is_signed ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
}

static void compare_output(struct infer *npu, struct infer *cpu, int output,
			   struct difference *difference)
{
	size_t size, same;
	const void *a = infer_output(npu, output, &size);
	const void *b = infer_output(cpu, output, &same);
	int is_signed = infer_is_signed(cpu, output);

	for (size_t i = 0; i < size; i++) {
		int off = abs(value(a, i, is_signed) - value(b, i, is_signed));

		difference->differ += off != 0;
		if (off > difference->largest)
			difference->largest = off;
	}
	difference->values += size;
}

static int compare(struct infer *npu, struct infer *cpu, int runs, struct difference *difference)
{
	for (int run = 0; run < runs; run++) {
		infer_fill(npu, (uint64_t)run);
		infer_fill(cpu, (uint64_t)run);
		if (infer_run(npu) || infer_run(cpu))
			return -1;
		for (int i = 0; i < infer_n_outputs(cpu); i++)
			compare_output(npu, cpu, i, difference);
	}
	return 0;
}

static int check_both(const struct options *options, const char *name, struct infer *npu,
		      struct infer *cpu)
{
	struct difference difference = { 0 };
	uint32_t tasks = counter(BOARD_TASKS);
	uint32_t kicks = counter(BOARD_KICKS);
	int failed = compare(npu, cpu, options->runs, &difference);
	char text[160];

	failed = claim(!failed, name, "runs");
	if (board) {
		snprintf(text, sizeof(text), "the NPU takes part # %u tasks, %u kicks",
			 counter(BOARD_TASKS) - tasks, counter(BOARD_KICKS) - kicks);
		failed |= claim(counter(BOARD_TASKS) != tasks, name, text);
	}
	snprintf(text, sizeof(text), "within %d of TFLite # largest %d, %zu of %zu differ",
		 options->tolerance, difference.largest, difference.differ, difference.values);
	return failed | claim(difference.values && difference.largest <= options->tolerance, name,
			      text);
}

static int check(const struct options *options, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct infer *npu = infer_open(path, options->delegate);
	struct infer *cpu = infer_open(path, NULL);
	int failed;

	if (npu && cpu)
		failed = check_both(options, name, npu, cpu);
	else
		failed = claim(0, name, "is a network that TFLite reads");
	if (npu)
		infer_close(npu);
	if (cpu)
		infer_close(cpu);
	return failed;
}

int main(int argc, char **argv)
{
	struct options options = { .delegate = DELEGATE, .tolerance = 1, .runs = 1 };
	int failed = 0;
	int option;

	while ((option = getopt(argc, argv, "d:t:r:")) != -1) {
		switch (option) {
		case 'd':
			options.delegate = optarg;
			break;
		case 't':
			options.tolerance = atoi(optarg);
			break;
		case 'r':
			options.runs = atoi(optarg);
			break;
		default:
			fprintf(stderr, "usage: %s [-d DELEGATE] [-t TOLERANCE] [-r RUNS] NETWORK...\n",
				argv[0]);
			return 2;
		}
	}
	open_board();
	for (int i = optind; i < argc; i++)
		failed |= check(&options, argv[i]);
	printf("1..%d\n", n_claims);
	return failed;
}
