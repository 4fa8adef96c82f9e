/* SPDX-License-Identifier: MIT */
/* Options of the form --name value or --name=value. */
#ifndef SCORIA_OPTS_H
#define SCORIA_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
	OPT_FLAG,	/* bool, takes no value */
	OPT_SIZE,	/* size_t */
	OPT_INT,	/* int32_t, may be negative */
	OPT_SEED,	/* uint64_t */
	OPT_REAL,	/* double, finite */
	OPT_NONZERO,	/* the same where 0 in the library's options means "not given" */
	OPT_TEXT,	/* const char *, not copied */
};

/**
 * struct opt - an option
 * @names: without the dashes, alternatives separated by |, the first in the help
 * @kind:  what it takes
 * @value: where it goes; what is not given is left alone
 * @least: smallest OPT_SIZE
 * @value_name: for the help; NULL for flags
 * @help:  one line; NULL for what the help leaves out
 */
struct opt {
	const char *names;
	enum opt_kind kind;
	void *value;
	size_t least;
	const char *value_name;
	const char *help;
};

/* CMD_OK, or CMD_UNUSABLE after naming on stderr what is wrong. */
int opts_parse(int argc, char **argv, const struct opt *opts, size_t n);

void opts_help(const struct opt *opts, size_t n);

/*
 * A decimal number that is the whole of @text up to @end, which NULL means to be
 * its end. False for anything else and for what does not fit.
 */
bool opts_size(const char *text, const char *end, size_t *value);

/* "3" for both or "3x5". */
bool opts_pair(const char *text, size_t *first, size_t *second);

#endif
