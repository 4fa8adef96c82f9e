/* SPDX-License-Identifier: MIT */
/*
 * What one half becomes, where several stages are asked: numbers that are shifted right by
 * one, and the results of each way to round.
 */
#ifndef SILICON_TIES_H
#define SILICON_TIES_H

#define HALVES		{ 1, 3, -1, -3, 5, -5, 2, -2 }
#define HALVES_EVEN	{ 0, 2, 0, -2, 2, -2, 1, -1 }
#define HALVES_UP	{ 1, 2, 0, -1, 3, -2, 1, -1 }
#define HALVES_AWAY	{ 1, 2, -1, -2, 3, -3, 1, -1 }
#define HALVES_CUT	{ 0, 1, -1, -2, 2, -3, 1, -1 }
#define N_HALVES	8

#define TIES_HYPOTHESES(id) { \
	{ NPU_##id##_EVEN, GIVES, HALVES_EVEN }, \
	{ NPU_##id##_UP, GIVES, HALVES_UP }, \
	{ NPU_##id##_AWAY, GIVES, HALVES_AWAY }, \
	{ NPU_##id##_CUT, GIVES, HALVES_CUT }, \
}

/* An int8 convolution that passes HALVES in channel 0 of a row; @out as in pass_conv(). */
struct task *halves_task(struct trial *t, struct conv *conv, enum type out);

/* Add what came of them to the outcome. */
void halves_note(struct trial *t, const struct conv *conv);

#endif
