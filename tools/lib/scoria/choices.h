/* SPDX-License-Identifier: MIT */
/*
 * What the library does where nobody has seen the hardware do otherwise, but where it
 * could be wrong: each choice is the ordinary way unless a board has answered otherwise
 * (tools/testing/model/answers.def) or the environment asks for caution.
 *
 *	SCORIA_CAUTION=one-task,low-cubes	build/scoria matmul ...
 *
 * Choices that cost little are not here but always made: the programs in which integer
 * tasks run have QD_EN set, segments begin with pointer words, and so on; see
 * Documentation/accel/scoria/silicon.rst.
 */
#ifndef SCORIA_CHOICES_H
#define SCORIA_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

enum choice {
	CHOICE_ONE_TASK,	/* a job is one task: no chains (B4) */
	CHOICE_LOW_CUBES,	/* cubes of less than four rows are read ungrouped (E2) */
	CHOICE_SMALL_PLANES,	/* operands of less than 12 pixels are not fused (F3) */
	CHOICE_WHOLE_BANKS,	/* features never nearly fill their banks (E3) */
	CHOICE_BYTE_POOLS,	/* the PPU does not see int8 (G) */
};

/* Whether the careful way is taken. The answer is the same as long as the process lives. */
bool choose(enum choice choice);

/* 0, or -EINVAL with a message for a word in SCORIA_CAUTION that is no choice. */
int choices_check(void);

/*
 * @product / 2^@shift as the output converter rounds it (C7): to nearest even unless a board
 * has answered otherwise. @shift is below 64.
 */
int64_t rounded_shift(int64_t product, uint32_t shift);

#endif
