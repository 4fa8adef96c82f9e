// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "std_files.h"

#define SCORIA_VERSION "0.1.0"

static const struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "decode", "print a stream of register commands in words", cmd_decode },
	{ "matmul", "multiply matrices on the NPU", cmd_matmul },
	{ "conv1d", "convolve sequences on the NPU", cmd_conv1d },
	{ "conv2d", "convolve images on the NPU, ordinarily or transposed", cmd_conv2d },
	{ "activation", "compute a function of every element on the NPU", cmd_activation },
	{ "eltwise", "compute element by element on the NPU", cmd_eltwise },
	{ "pool", "pool images on the NPU", cmd_pool },
	{ "reduce", "add up the rows of a matrix on the NPU", cmd_reduce },
	{ "softmax", "compute shares of rows on the NPU", cmd_softmax },
	{ "log_softmax", "compute logarithms of shares on the NPU", cmd_softmax },
	{ "layernorm", "normalise rows on the NPU", cmd_norm },
	{ "rmsnorm", "normalise rows by their mean square on the NPU", cmd_norm },
	{ "batchnorm", "normalise channels of images on the NPU", cmd_batchnorm },
	{ "attention", "compute scaled dot-product attention on the NPU", cmd_attention },
	{ "info", "say what device is here", cmd_info },
	{ "top", "show how busy the NPU is, and for whom", cmd_top },
	{ "doctor", "find out why there is no NPU here", cmd_doctor },
	{ "bench", "measure how fast the device at hand is", cmd_bench },
	{ "silicon", "ask an NPU what the model only assumes", cmd_silicon },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

int cmd_unusable(const char *argv0, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "scoria %s: ", argv0);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
	return CMD_UNUSABLE;
}

bool cmd_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static void print_usage(FILE *out)
{
	fputs("usage: scoria COMMAND [OPTION]...\n\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].help);
	fputs("\nscoria COMMAND --help tells more; scoria --version prints the version.\n"
	      "Exit status: 0, 1 when a check failed, 2 for bad use or unusable input.\n", out);
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return CMD_UNUSABLE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("scoria " SCORIA_VERSION);
		return CMD_OK;
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "scoria: no command %s; scoria --help lists them\n", argv[1]);
	return CMD_UNUSABLE;
}

int main(int argc, char **argv)
{
	int status;

	std_files_hold();
	status = run(argc, argv);
	/* a command that noticed has said so */
	return std_files_written("scoria", status == CMD_UNUSABLE) ? status : CMD_UNUSABLE;
}
