/* SPDX-License-Identifier: MIT */
/*
 * Subcommands of the `scoria` command. Each is a function that gets its own
 * name as argv[0] and returns the exit status.
 */
#ifndef SCORIA_CMD_H
#define SCORIA_CMD_H

#include <stdbool.h>

enum cmd_status {
	CMD_OK = 0,
	CMD_FAILED = 1,		/* a check failed */
	CMD_UNUSABLE = 2,	/* bad use, or input that cannot be used */
};

int cmd_decode(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_matmul(int argc, char **argv);
int cmd_conv1d(int argc, char **argv);
int cmd_conv2d(int argc, char **argv);
int cmd_activation(int argc, char **argv);
int cmd_eltwise(int argc, char **argv);
int cmd_pool(int argc, char **argv);
int cmd_reduce(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_silicon(int argc, char **argv);
int cmd_softmax(int argc, char **argv);
int cmd_norm(int argc, char **argv);
int cmd_batchnorm(int argc, char **argv);
int cmd_attention(int argc, char **argv);

/*
 * Say on stderr "scoria NAME: message" in one line, where @argv0 is the
 * subcommand's argv[0]; returns CMD_UNUSABLE, so that a caller can
 * `return cmd_unusable(argv[0], ...)`.
 */
__attribute__((format(printf, 2, 3)))
int cmd_unusable(const char *argv0, const char *format, ...);

/* Whether one of the arguments is --help or -h; a lone "--" ends the search. */
bool cmd_wants_help(int argc, char **argv);

#endif
