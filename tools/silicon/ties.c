// SPDX-License-Identifier: MIT
/* See ties.h. */
#include "experiment.h"
#include "ties.h"

struct task *halves_task(struct trial *t, struct conv *conv, enum type out)
{
	static const int halves[N_HALVES] = HALVES;

	pass_conv(conv, T_INT8, out, N_HALVES, 16);
	for (unsigned int i = 0; i < N_HALVES; i++)
		*conv_at(conv, 0, i) = halves[i];
	return trial_conv(t, conv);
}

void halves_note(struct trial *t, const struct conv *conv)
{
	for (unsigned int i = 0; i < N_HALVES; i++)
		trial_note_conv(t, conv, 0, i);
}
