// SPDX-License-Identifier: MIT
#include "window.h"

#include <string.h>

#include "cmd.h"
#include "opts.h"

int window_pair(const char *argv0, const char *name, const char *text, size_t *y, size_t *x)
{
	if (!text)
		return CMD_OK;
	if (opts_pair(text, y, x) && *y && *x)
		return CMD_OK;
	return cmd_unusable(argv0, "--%s: \"%s\" is not a number above 0, or two as in 3x5", name,
			    text);
}

/* "same" as TensorFlow has it: output = ceil(input / stride), the odd one after. */
static void pad_same(const struct window_side *side)
{
	size_t stride = side->stride ? side->stride : 1, last, reach;

	if (!side->in || __builtin_mul_overflow(side->kernel - 1,
						side->dilation ? side->dilation : 1, &reach))
		return;
	last = (side->in - 1) / stride * stride;
	if (last + reach + 1 <= side->in)
		return;
	*side->before = (last + reach + 1 - side->in) / 2;
	*side->after = last + reach + 1 - side->in - *side->before;
}

static bool pad_four(const char *text, const struct window_side *y, const struct window_side *x)
{
	size_t *const sides[] = { y->before, y->after, x->before, x->after };

	for (int i = 0; i < 3; i++) {
		const char *comma = strchr(text, ',');

		if (!comma || !opts_size(text, comma, sides[i]))
			return false;
		text = comma + 1;
	}
	return opts_size(text, NULL, sides[3]);
}

int window_pad(const char *argv0, const char *text, const struct window_side *y,
	       const struct window_side *x)
{
	if (!text || !strcmp(text, "valid"))
		return CMD_OK;
	if (!strcmp(text, "same")) {
		pad_same(y);
		pad_same(x);
		return CMD_OK;
	}
	if (strchr(text, ',') ? pad_four(text, y, x) : opts_pair(text, y->before, x->before)) {
		if (!strchr(text, ',')) {
			*y->after = *y->before;
			*x->after = *x->before;
		}
		return CMD_OK;
	}
	return cmd_unusable(argv0, "--pad: \"%s\" is not P, PYxPX, T,B,L,R, same or valid", text);
}
