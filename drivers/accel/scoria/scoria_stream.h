/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a command stream means. The kernel's checker, the library, the decoder
 * and the fuzzers compile this one reading of it; no locks, no allocation.
 *
 * A stream is 64-bit words, target << 48 | value << 16 | offset, here in the
 * byte order of the CPU. A task is one segment of it: register writes, then a
 * trailer (link to the next segment, its length, barrier) that ends with the
 * op-enable word. Sources: RK3588 TRM chapter 36; what streams of Mesa, of the
 * vendor's runtime and of others contain (programming-model B1 to B4, E4).
 */
#ifndef SCORIA_STREAM_H
#define SCORIA_STREAM_H

#ifdef __KERNEL__
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>

/* The types behind uint8_t and its kin, so that pointers to either agree. */
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif

#include "rk3588_npu.h"

enum scoria_word_kind {
	SCORIA_WORD_NOP,
	SCORIA_WORD_WRITE,	/* of a register, other than the two below */
	SCORIA_WORD_POINTER,	/* of an S_POINTER, which belongs to the kernel */
	SCORIA_WORD_LINK,	/* PC.BASE_ADDRESS: the next segment */
	SCORIA_WORD_LENGTH,	/* PC.REGISTER_AMOUNTS: the next segment's length */
	SCORIA_WORD_SYNC,	/* barrier before the enable word */
	SCORIA_WORD_ENABLE,	/* starts blocks; the last word of a task */
	SCORIA_WORD_UNKNOWN,	/* none of these */
};

/*
 * Why a word or a task is refused: the numbers of enum drm_scoria_reason. The
 * last ones need to know more than the words.
 */
enum scoria_reason {
	SCORIA_ACCEPTED,
	SCORIA_UNKNOWN_TARGET,
	SCORIA_OUTSIDE_BLOCK,	/* could reach the IOMMU if routed by offset */
	SCORIA_NO_REGISTER,
	SCORIA_READ_ONLY,
	SCORIA_HOST_ONLY,
	SCORIA_ENABLE_OFFSET,
	SCORIA_ENABLE_MASK,	/* starts no block, or one that does not exist */
	SCORIA_AFTER_TRAILER,	/* register write behind a link or length word */
	SCORIA_NO_ENABLE,	/* the segment ends without an enable word */
	SCORIA_NO_END,		/* starts no block that ends a task */
	SCORIA_NO_BUFFER,	/* an address that is in no buffer */
	SCORIA_BEYOND_BUFFER,	/* written to behind the end of the buffer */
	SCORIA_N_REASONS
};

/**
 * struct scoria_word - a word taken apart
 * @value:  bits 47:16
 * @target: bits 63:48
 * @offset: bits 15:0, the register's offset in the core's window
 * @kind:   enum scoria_word_kind; also given for a refused word where it is clear
 * @reason: enum scoria_reason
 * @noted:  NPU_NOTED_* of a register whose value is of interest, else NPU_N_NOTED
 */
struct scoria_word {
	u32 value;
	u16 target;
	u16 offset;
	u8 kind;
	u8 reason;
	u8 noted;
};

/**
 * struct scoria_task - what one segment does
 * @n_words:   words up to and with the enable word, or all when there is none
 * @n_body:    words before the trailer
 * @enable:    op-enable mask, 0 when there is no enable word
 * @next:      value of the link word
 * @length:    value of the length word
 * @written:   bit per NPU_NOTED_*: set when a word writes the register. What is not set
 *             keeps what an earlier task left in hardware. The bit NPU_N_NOTED stands
 *             for all other registers.
 * @writers:   for each of these, index of the last word that writes it
 * @linked:    there is a link word
 * @sized:     there is a length word
 * @barrier:   there is a barrier; two published programs run without one
 */
struct scoria_task {
	u32 n_words;
	u32 n_body;
	u32 enable;
	u32 next;
	u32 length;
	u32 written;
	u32 writers[NPU_N_NOTED + 1];
	bool linked;
	bool sized;
	bool barrier;
};

/**
 * scoria_task_value() - what a task writes to a register
 * @task: the task
 * @words: its words
 * @noted: NPU_NOTED_* of the register
 *
 * Return: the last value; that of the task's first word when none writes it.
 */
static inline u32 scoria_task_value(const struct scoria_task *task, const u64 *words, u32 noted)
{
	return (u32)(words[task->writers[noted]] >> 16);
}

/**
 * struct scoria_verdict - the first thing refused
 * @word:   index of the word; the number of words for SCORIA_NO_ENABLE
 * @reason: SCORIA_ACCEPTED when nothing was
 */
struct scoria_verdict {
	u32 word;
	enum scoria_reason reason;
};

/*
 * Called for each word of a task, refused ones included, with its index.
 * Returns whether to go on.
 */
typedef bool (*scoria_visit_fn)(void *ctx, u32 index, const struct scoria_word *word);

/**
 * scoria_word_parse() - take a word apart and judge it by itself
 * @raw: the word
 * @word: filled with what it is
 */
void scoria_word_parse(u64 raw, struct scoria_word *word);

/**
 * scoria_task_scan() - read the task at the start of some words
 * @words: the words
 * @n: number of words
 * @visit: called for each word of the task, or NULL
 * @ctx: for @visit
 * @task: filled with what was found
 * @verdict: filled with the first refusal
 *
 * Without @visit it stops at the first word that is refused: the checker. With @visit,
 * that decides: the decoder goes on to the end, and who knows buffers can judge
 * addresses. Whatever @visit says, @verdict names the first refusal.
 *
 * Return: whether everything was accepted.
 */
bool scoria_task_scan(const u64 *words, u32 n, scoria_visit_fn visit, void *ctx,
		      struct scoria_task *task, struct scoria_verdict *verdict);

/**
 * scoria_reason_text() - one line of text for a reason
 * @reason: the reason
 *
 * Return: the text, without full stop.
 */
const char *scoria_reason_text(enum scoria_reason reason);

#endif
