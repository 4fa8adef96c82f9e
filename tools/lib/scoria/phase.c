// SPDX-License-Identifier: MIT
/*
 * Input i meets tap k at q = i * stride + k * dilation, where q counts outputs
 * from before the crop. For one residue of q modulo the stride the taps are an
 * arithmetic progression, and so are the inputs that they meet.
 */
#include "phase.h"

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Taps k with k * dilation = residue modulo the stride. */
static void find_taps(const struct transposed *t, uint32_t residue, struct phase *phase)
{
	uint32_t common = gcd(t->stride, t->dilation), period = t->stride / common;
	uint64_t k = 0;

	while (k < period && k * t->dilation % t->stride != residue)
		k++;
	phase->empty = k == period || k >= t->kernel;
	phase->tap = phase->empty ? 0 : k;
	phase->tap_step = period;
	phase->taps = phase->empty ? 1 : (t->kernel - 1 - phase->tap) / period + 1;
	phase->dilation = phase->empty ? 1 : t->dilation / common;
}

static void find_outputs(const struct transposed *t, uint32_t residue, struct phase *phase)
{
	uint64_t skipped = t->crop > residue ?
			   (t->crop - residue + (uint64_t)t->stride - 1) / t->stride : 0;
	uint64_t first = residue + skipped * t->stride - t->crop;

	phase->first = first;
	phase->count = first < t->out ? (t->out - 1 - first) / t->stride + 1 : 0;
}

/*
 * Output number j of the phase sees input j + skipped - (k * dilation - residue) /
 * stride through its first tap, and the inputs of the others before that.
 */
static int64_t leading(const struct transposed *t, uint32_t residue, const struct phase *phase)
{
	int64_t skipped = ((int64_t)phase->first + t->crop - residue) / t->stride;
	int64_t lag = ((int64_t)phase->tap * t->dilation - residue) / t->stride;

	if (phase->empty)
		return 0;
	return (int64_t)(phase->taps - 1) * phase->dilation + lag - skipped;
}

struct phase phase_of(const struct transposed *t, uint32_t residue)
{
	struct phase phase = { 0 };
	int64_t before, after;

	find_taps(t, residue, &phase);
	find_outputs(t, residue, &phase);
	before = leading(t, residue, &phase);
	phase.before = before > 0 ? before : 0;
	phase.skip = before < 0 ? -before : 0;
	after = (int64_t)phase.skip + phase.count + (int64_t)(phase.taps - 1) * phase.dilation -
		t->in - phase.before;
	phase.after = after > 0 ? after : 0;
	return phase;
}
