// SPDX-License-Identifier: MIT
#include "opts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static bool name_matches(const char *names, const char *name, size_t length)
{
	while (names) {
		if (!strncmp(names, name, length) && (!names[length] || names[length] == '|'))
			return true;
		names = strchr(names, '|');
		if (names)
			names++;
	}
	return false;
}

static const struct opt *find_opt(const struct opt *opts, size_t n, const char *name,
				  size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (length && name_matches(opts[i].names, name, length))
			return &opts[i];
	return NULL;
}

bool opts_size(const char *text, const char *end, size_t *value)
{
	size_t number = 0;

	if (!end)
		end = text + strlen(text);
	if (text == end)
		return false;
	for (; text < end; text++) {
		if (!isdigit((unsigned char)*text) ||
		    __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (size_t)(*text - '0'), &number))
			return false;
	}
	*value = number;
	return true;
}

bool opts_pair(const char *text, size_t *first, size_t *second)
{
	const char *cross = strchr(text, 'x');
	size_t one, two;

	if (!opts_size(text, cross, &one))
		return false;
	two = one;
	if (cross && !opts_size(cross + 1, NULL, &two))
		return false;
	*first = one;
	*second = two;
	return true;
}

static bool set_int(const struct opt *opt, const char *text)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || isspace((unsigned char)*text) ||
	    number < INT32_MIN || number > INT32_MAX)
		return false;
	*(int32_t *)opt->value = number;
	return true;
}

static bool set_real(const struct opt *opt, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || isspace((unsigned char)*text) || !isfinite(number))
		return false;
	if (opt->kind == OPT_NONZERO && number == 0)
		return false;
	*(double *)opt->value = number;
	return true;
}

static bool set_size(const struct opt *opt, const char *text)
{
	size_t number;

	if (!opts_size(text, NULL, &number) || number < opt->least)
		return false;
	*(size_t *)opt->value = number;
	return true;
}

static bool set_seed(const struct opt *opt, const char *text)
{
	size_t number;

	if (!opts_size(text, NULL, &number))
		return false;
	*(uint64_t *)opt->value = number;
	return true;
}

static bool set_value(const struct opt *opt, const char *text)
{
	switch (opt->kind) {
	case OPT_SIZE:
		return set_size(opt, text);
	case OPT_INT:
		return set_int(opt, text);
	case OPT_SEED:
		return set_seed(opt, text);
	case OPT_REAL:
	case OPT_NONZERO:
		return set_real(opt, text);
	default:
		*(const char **)opt->value = text;
		return true;
	}
}

static const char *expected(const struct opt *opt)
{
	switch (opt->kind) {
	case OPT_SIZE:
		return opt->least ? "a whole number above 0 and below 2^64"
				  : "a whole number from 0 and below 2^64";
	case OPT_INT:
		return "a whole number of 32 bits";
	case OPT_SEED:
		return "a whole number from 0 and below 2^64";
	case OPT_NONZERO:
		return "a finite number other than 0";
	default:
		return "a finite number";
	}
}

/* One option; *@i is left at its last argument. */
static int parse_one(int argc, char **argv, int *i, const struct opt *opts, size_t n)
{
	const char *arg = argv[*i], *name = arg + 2, *equals = strchr(arg, '=');
	const struct opt *opt = NULL;
	const char *value;

	if (!strncmp(arg, "--", 2))
		opt = find_opt(opts, n, name, equals ? (size_t)(equals - name) : strlen(name));
	if (!opt)
		return cmd_unusable(argv[0], "no option %s; --help lists them", arg);
	if (opt->kind == OPT_FLAG) {
		if (equals)
			return cmd_unusable(argv[0], "%s: the option takes no value", arg);
		*(bool *)opt->value = true;
		return CMD_OK;
	}
	if (!equals && *i + 1 == argc)
		return cmd_unusable(argv[0], "%s: the value is missing", arg);
	value = equals ? equals + 1 : argv[++*i];
	if (!set_value(opt, value))
		return cmd_unusable(argv[0], "--%.*s: \"%s\" is not %s",
				    (int)strcspn(opt->names, "|"), opt->names, value,
				    expected(opt));
	return CMD_OK;
}

int opts_parse(int argc, char **argv, const struct opt *opts, size_t n)
{
	int status = CMD_OK;

	for (int i = 1; i < argc && status == CMD_OK; i++)
		status = parse_one(argc, argv, &i, opts, n);
	return status;
}

void opts_help(const struct opt *opts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char left[64];

		if (!opts[i].help)
			continue;
		snprintf(left, sizeof(left), "--%.*s%s%s", (int)strcspn(opts[i].names, "|"),
			 opts[i].names, opts[i].value_name ? " " : "",
			 opts[i].value_name ? opts[i].value_name : "");
		printf("  %-24s %s\n", left, opts[i].help);
	}
}
