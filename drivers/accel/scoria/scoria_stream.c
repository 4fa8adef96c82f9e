// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "scoria_stream.h"

#include "rk3588_npu_stream.h"

/* Set in the TRM's example mask 0x7f although no block has it. */
#define ENABLE_BIT_WITHOUT_BLOCK 0x02u

/*
 * Offset of enable words: that of PC.OPERATION_ENABLE. One hand-written stream
 * gives the offset of the register that mirrors the mask.
 */
#define ENABLE_OFFSET NPU_PC_OPERATION_ENABLE
#define ENABLE_OFFSET_MIRROR NPU_GLOBAL_OPERATION_ENABLE

static const char *const reason_texts[SCORIA_N_REASONS] = {
	[SCORIA_ACCEPTED] = "accepted",
	[SCORIA_UNKNOWN_TARGET] = "unknown target",
	[SCORIA_OUTSIDE_BLOCK] = "register outside the target's block",
	[SCORIA_NO_REGISTER] = "no such register",
	[SCORIA_READ_ONLY] = "read-only register",
	[SCORIA_HOST_ONLY] = "register that only the host may write",
	[SCORIA_ENABLE_OFFSET] = "enable word with an unknown offset",
	[SCORIA_ENABLE_MASK] = "enable mask starts no block or an unknown one",
	[SCORIA_AFTER_TRAILER] = "register write behind the link to the next segment",
	[SCORIA_NO_ENABLE] = "the segment ends without an enable word",
	[SCORIA_NO_END] = "enable mask starts no block that ends a task",
	[SCORIA_NO_BUFFER] = "address in no buffer",
	[SCORIA_BEYOND_BUFFER] = "output runs over the end of its buffer",
};

const char *scoria_reason_text(enum scoria_reason reason)
{
	return reason < SCORIA_N_REASONS ? reason_texts[reason] : "unknown reason";
}

static bool is_target(u16 target)
{
	for (size_t i = 0; i < ARRAY_SIZE(npu_stream_blocks); i++)
		if (target && npu_stream_blocks[i].target == target)
			return true;
	return false;
}

static void parse_enable(struct scoria_word *word)
{
	u32 known = NPU_STREAM_ENABLE_BITS | ENABLE_BIT_WITHOUT_BLOCK;

	word->kind = SCORIA_WORD_ENABLE;
	if (word->offset != ENABLE_OFFSET && word->offset != ENABLE_OFFSET_MIRROR)
		word->reason = SCORIA_ENABLE_OFFSET;
	else if (!(word->value & NPU_STREAM_ENABLE_BITS) || word->value & ~known)
		word->reason = SCORIA_ENABLE_MASK;
}

static void parse_reg(struct scoria_word *word, const struct npu_stream_reg *reg)
{
	word->noted = reg->noted;
	switch (reg->class) {
	case NPU_CLASS_WRITE:
		word->kind = SCORIA_WORD_WRITE;
		break;
	case NPU_CLASS_POINTER:
		word->kind = SCORIA_WORD_POINTER;
		break;
	case NPU_CLASS_LINK:
		word->kind = word->offset == NPU_PC_BASE_ADDRESS ?
			     SCORIA_WORD_LINK : SCORIA_WORD_LENGTH;
		break;
	case NPU_CLASS_HOST_ONLY:
		word->reason = SCORIA_HOST_ONLY;
		break;
	case NPU_CLASS_READ_ONLY:
		word->reason = SCORIA_READ_ONLY;
		break;
	default:
		word->reason = SCORIA_NO_REGISTER;
		break;
	}
}

static const struct npu_stream_block *find_block(u16 offset)
{
	return &npu_stream_blocks[offset >> 12];
}

static const struct npu_stream_reg *find_reg(const struct npu_stream_block *block, u16 offset)
{
	static const struct npu_stream_reg none = { NPU_CLASS_NONE, NPU_N_NOTED };
	u32 index = (offset & 0xfff) / 4;

	return offset % 4 || index >= block->n_regs ? &none : &block->regs[index];
}

/* Streams without a successor may carry PC.VERSION := 0 for the link word. */
static bool is_empty_pc_write(const struct scoria_word *word)
{
	return word->target == NPU_TARGET_PC && !word->offset && !word->value;
}

void scoria_word_parse(u64 raw, struct scoria_word *word)
{
	const struct npu_stream_block *block = find_block((u16)raw);

	*word = (struct scoria_word){
		.value = (u32)(raw >> 16),
		.target = (u16)(raw >> 48),
		.offset = (u16)raw,
		.kind = SCORIA_WORD_UNKNOWN,
		.reason = SCORIA_ACCEPTED,
		.noted = NPU_N_NOTED,
	};
	if (word->target == NPU_TARGET_NOP || word->target == NPU_TARGET_NOP1 ||
	    is_empty_pc_write(word))
		word->kind = SCORIA_WORD_NOP;
	else if (word->target == block->target)
		parse_reg(word, find_reg(block, word->offset));
	else if (word->target == NPU_TARGET_SYNC)
		word->kind = SCORIA_WORD_SYNC;
	else if (word->target == NPU_TARGET_OP_ENABLE)
		parse_enable(word);
	else
		word->reason = is_target(word->target) ? SCORIA_OUTSIDE_BLOCK :
							 SCORIA_UNKNOWN_TARGET;
}

static void note_write(struct scoria_task *task, u32 index, u32 noted)
{
	task->writers[noted] = index;
	task->written |= 1u << noted;
}

/* Enter @word, which is the task's word @index, and judge its place. */
static void note_word(struct scoria_task *task, u32 index, struct scoria_word *word)
{
	bool in_trailer = task->linked || task->sized;

	switch (word->kind) {
	case SCORIA_WORD_WRITE:
		note_write(task, index, word->noted);
		task->n_body = index + 1;
		break;
	case SCORIA_WORD_POINTER:
	case SCORIA_WORD_UNKNOWN:
		task->n_body = index + 1;
		break;
	case SCORIA_WORD_LINK:
		task->linked = true;
		task->next = word->value;
		return;
	case SCORIA_WORD_LENGTH:
		task->sized = true;
		task->length = word->value;
		return;
	case SCORIA_WORD_SYNC:
		task->barrier = true;
		return;
	case SCORIA_WORD_ENABLE:
		task->enable = word->value;
		return;
	default:
		return;
	}
	if (in_trailer && word->reason == SCORIA_ACCEPTED)
		word->reason = SCORIA_AFTER_TRAILER;
}

static void refuse(struct scoria_verdict *verdict, u32 index, enum scoria_reason reason)
{
	if (verdict->reason == SCORIA_ACCEPTED)
		*verdict = (struct scoria_verdict){ index, reason };
}

/*
 * Most words are writes, and all that has to be known of these is which registers
 * they write. Enter those that come next.
 */
static void note_writes(struct scoria_task *task, const u64 *words, u32 n)
{
	u32 i = task->n_words;

	if (task->linked || task->sized)
		return;
	for (; i < n; i++) {
		const struct npu_stream_block *block = find_block((u16)words[i]);
		const struct npu_stream_reg *reg = find_reg(block, (u16)words[i]);

		if (block->target != words[i] >> 48 || reg->class != NPU_CLASS_WRITE)
			break;
		note_write(task, i, reg->noted);
	}
	if (i > task->n_words)
		task->n_body = i;
	task->n_words = i;
}

bool scoria_task_scan(const u64 *words, u32 n, scoria_visit_fn visit, void *ctx,
		      struct scoria_task *task, struct scoria_verdict *verdict)
{
	struct scoria_word word = { .kind = SCORIA_WORD_NOP };
	bool go_on = true;

	*task = (struct scoria_task){ 0 };
	*verdict = (struct scoria_verdict){ 0, SCORIA_ACCEPTED };
	while (go_on && word.kind != SCORIA_WORD_ENABLE) {
		u32 index;

		if (!visit)
			note_writes(task, words, n);
		if (task->n_words == n)
			break;
		index = task->n_words++;
		scoria_word_parse(words[index], &word);
		note_word(task, index, &word);
		if (word.reason != SCORIA_ACCEPTED)
			refuse(verdict, index, word.reason);
		go_on = visit ? visit(ctx, index, &word) : word.reason == SCORIA_ACCEPTED;
	}
	if (go_on && word.kind != SCORIA_WORD_ENABLE)
		refuse(verdict, task->n_words, SCORIA_NO_ENABLE);
	return verdict->reason == SCORIA_ACCEPTED;
}
