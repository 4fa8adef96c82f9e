// SPDX-License-Identifier: MIT
/*
 * PC: fetches segments of command words, carries them out, counts tasks and
 * holds the interrupt registers (programming-model B1 to B5, B7).
 *
 * Not modelled: fetching the next task while one runs (TASK_PP_EN), which
 * changes time but no result; TASK_CON bit 14 and S_POINTER bits 29:28, whose
 * effect nobody knows.
 */
#include <stdlib.h>

#include "npu.h"

#define WORD_BYTES	8
#define BEAT_BYTES	16		/* REGISTER_AMOUNTS counts 128-bit beats */

static uint32_t *pc_reg(struct npu_core *core, uint32_t offset)
{
	return &core->unit[NPU_PC].reg[0][offset / 4];
}

/* The one place that decides the level of the interrupt line. */
static void irq_update(struct npu_core *core)
{
	const bool level = *pc_reg(core, NPU_PC_INTERRUPT_RAW_STATUS) &
			   *pc_reg(core, NPU_PC_INTERRUPT_MASK);

	if (level == core->irq_level)
		return;
	core->irq_level = level;
	core->counters.interrupts += level;
	if (core->host.irq)
		core->host.irq(core->ctx, level);
}

void pc_raise(struct npu_core *core, uint32_t events)
{
	*pc_reg(core, NPU_PC_INTERRUPT_RAW_STATUS) |= events;
	irq_update(core);
}

void pc_deliver(struct npu_core *core, uint32_t events)
{
	events &= core->held;
	core->held &= ~events;
	pc_raise(core, events);
}

/* The last task's blocks are done: raise their bits, or keep them for the host. */
static void complete(struct npu_core *core)
{
	core->held |= core->events;
	if (!core->options.hold_completion)
		pc_deliver(core, ~0u);
}

static void start(struct npu_core *core)
{
	core->counters.kicks++;
	if (core->state != NPU_IDLE) {
		npu_warn(core, "kicked in a state that only a reset ends: %s",
			 core->reason);
		return;
	}
	core->kicked = true;
	core->state = NPU_READY;
}

void pc_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	uint32_t *reg = pc_reg(core, offset);

	switch (offset) {
	case NPU_PC_VERSION:
	case NPU_PC_VERSION_NUM:
	case NPU_PC_TASK_STATUS:
		return;
	case NPU_PC_OPERATION_ENABLE:
		/* starts on the rising edge; vendor writes 0 at once, rocket at the end */
		if (value & ~*reg & NPU_PC_OPERATION_ENABLE_OP_EN)
			start(core);
		*reg = value;
		return;
	case NPU_PC_BASE_ADDRESS:
		core->link_set = true;
		*reg = value;
		return;
	case NPU_PC_INTERRUPT_MASK:
		*reg = value & NPU_PC_INTERRUPT_MASK_INT_MASK;
		irq_update(core);
		return;
	case NPU_PC_INTERRUPT_CLEAR:
	case NPU_PC_INTERRUPT_STATUS:		/* W1C too [TRM] */
	case NPU_PC_INTERRUPT_RAW_STATUS:
		*pc_reg(core, NPU_PC_INTERRUPT_RAW_STATUS) &= ~value;
		irq_update(core);
		return;
	case NPU_PC_TASK_CON:
		if (value & NPU_PC_TASK_CON_TASK_COUNT_CLEAR)
			core->tasks_done = 0;
		*reg = value & ~NPU_PC_TASK_CON_TASK_COUNT_CLEAR;
		return;
	}
	*reg = value;
}

uint32_t pc_read(struct npu_core *core, uint32_t offset)
{
	switch (offset) {
	case NPU_PC_INTERRUPT_CLEAR:
		return 0;
	case NPU_PC_INTERRUPT_STATUS:
		return *pc_reg(core, NPU_PC_INTERRUPT_RAW_STATUS) &
		       *pc_reg(core, NPU_PC_INTERRUPT_MASK);
	case NPU_PC_TASK_STATUS:
		/* seen as 0xf000 with unreliable counts at interrupt time [HW] */
		return 0xf000 | (core->tasks_done & 0xfff);
	}
	return *pc_reg(core, offset);
}

static unsigned int task_number(struct npu_core *core)
{
	return npu_get(NPU_PC_TASK_CON_TASK_NUMBER, *pc_reg(core, NPU_PC_TASK_CON));
}

/* The block that a target writes, NPU_N_BLOCKS for what is no target. */
static unsigned int target_block(uint32_t target)
{
	for (unsigned int id = 0; id < NPU_N_BLOCKS; id++)
		if (npu_blocks[id].target && npu_blocks[id].target == target)
			return id;
	return NPU_N_BLOCKS;
}

/*
 * A target and an offset that disagree: nobody knows which of them counts, the
 * target in this model [?].
 */
static bool misrouted_word(struct npu_core *core, unsigned int id, uint32_t offset,
			   uint32_t value)
{
	uint32_t to = offset;

	if (offset & 3 || npu_is(core, NPU_ROUTING_STOP))
		return npu_stop(core, NPU_BROKEN, "word %d: offset %#06x is no register of %s",
				core->word, offset, npu_blocks[id].name);
	if (npu_is(core, NPU_ROUTING_TARGET))
		to = npu_blocks[id].base | (offset & 0xfff);
	npu_error(core, "word %d: offset %#06x is no register of %s; taken as %#06x", core->word,
		  offset, npu_blocks[id].name, to);
	regs_write(core, to, value);
	return true;
}

static bool write_word(struct npu_core *core, uint32_t target, uint32_t offset,
		       uint32_t value)
{
	const unsigned int id = target_block(target);

	if (id == NPU_N_BLOCKS)
		return npu_stop(core, NPU_BROKEN, "word %d: unknown target %#06x",
				core->word, target);
	if ((offset & 0xf000) != npu_blocks[id].base || offset & 3)
		return misrouted_word(core, id, offset, value);
	if (id == NPU_PC && offset == NPU_PC_OPERATION_ENABLE) {
		npu_warn(core, "a stream starts the PC that runs it: ignored");
		return true;
	}
	regs_write(core, offset, value);
	return true;
}

/*
 * The word that starts the blocks. TRM gives it offset 0x0008; a published
 * hand-written stream uses that of GLOBAL.OPERATION_ENABLE.
 */
static bool enable_word(struct npu_core *core, uint32_t offset, uint32_t mask)
{
	if (offset != NPU_PC_OPERATION_ENABLE && offset != NPU_GLOBAL_OPERATION_ENABLE)
		npu_warn(core, "enable word with offset %#06x, not 0x0008", offset);
	if (!mask)
		return npu_stop(core, NPU_HUNG, "word %d enables no block", core->word);
	regs_enable(core, mask);
	return task_run(core);
}

/*
 * Bit 48 and those that TRM decodes, one for each target. A published list has
 * 0x1003 for 0x1001.
 */
#define TARGET_BITS 0xffc1u

static uint32_t canonical_target(struct npu_core *core, uint32_t target)
{
	const uint32_t canonical = target & TARGET_BITS;

	if (canonical == target ||
	    (canonical != NPU_TARGET_SYNC && canonical != NPU_TARGET_OP_ENABLE &&
	     target_block(canonical) == NPU_N_BLOCKS))
		return target;
	npu_warn(core, "word %d: target %#06x taken as %#06x", core->word, target, canonical);
	return canonical;
}

enum word_result { WORD_NEXT, WORD_ENABLE, WORD_STOP };

static enum word_result run_word(struct npu_core *core, uint64_t word)
{
	const uint32_t target = canonical_target(core, (uint32_t)(word >> 48));
	const uint32_t value = (uint32_t)(word >> 16);
	const uint32_t offset = word & 0xffff;

	core->counters.words++;
	switch (target) {
	case NPU_TARGET_NOP:
	case NPU_TARGET_NOP1:
	case NPU_TARGET_SYNC:	/* emitted by most, needed by none seen [HW allbilly] */
		return WORD_NEXT;
	case NPU_TARGET_OP_ENABLE:
		return enable_word(core, offset, value) ? WORD_ENABLE : WORD_STOP;
	}
	return write_word(core, target, offset, value) ? WORD_NEXT : WORD_STOP;
}

static uint64_t load_word(const uint8_t *p)
{
	uint64_t word = 0;

	for (int i = WORD_BYTES - 1; i >= 0; i--)
		word = word << 8 | p[i];
	return word;
}

/*
 * Carry out the words of a segment. What follows the enable word has been
 * fetched, and so could fault, but is ignored [?]. A segment may write the
 * OPERATION_ENABLE of every block instead: no stream is known to, and none is
 * known not to work [?].
 */
static bool run_words(struct npu_core *core, const uint8_t *buf, unsigned int n, uint32_t addr)
{
	bool enabled = false;

	for (core->word = 0; core->word < (int)n; core->word++) {
		const uint32_t at = (unsigned int)core->word * WORD_BYTES;
		enum word_result result;

		core->word_addr = addr + at;
		result = run_word(core, load_word(buf + at));
		enabled |= result == WORD_ENABLE;
		if (result == WORD_STOP || (enabled && npu_is(core, NPU_AFTER_ENABLE_IGNORED)))
			return enabled;
	}
	if (enabled)
		return true;
	if (!task_waits(core)) {
		npu_warn(core, "no enable word: the blocks run that the segment enabled one by one");
		return task_run(core);
	}
	return npu_stop(core, NPU_HUNG, "no enable word in the %u words fetched from %#x: "
			"cut short, or REGISTER_AMOUNTS is too small", n, addr);
}

/* Fetch and carry out the segment that BASE_ADDRESS and AMOUNTS give. */
static bool run_segment(struct npu_core *core)
{
	const uint32_t base_reg = *pc_reg(core, NPU_PC_BASE_ADDRESS);
	const uint32_t base = base_reg & NPU_PC_BASE_ADDRESS_PC_SOURCE_ADDR;
	const size_t beats = 1 + npu_get(NPU_PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT,
					 *pc_reg(core, NPU_PC_REGISTER_AMOUNTS));
	uint8_t *buf;
	bool ok;

	core->word = 0;
	core->word_addr = base;
	core->link_set = false;
	core->counters.cycles[NPU_STAGE_FETCH] += beats;
	core->cost.cycles[NPU_STAGE_FETCH] += beats;
	if (base_reg & ~NPU_PC_BASE_ADDRESS_PC_SOURCE_ADDR)
		return npu_stop(core, NPU_HUNG, "segment at %#x is not 16-byte aligned",
				base_reg);
	buf = malloc(beats * BEAT_BYTES);
	if (!buf)
		return npu_stop(core, NPU_STALLED, "out of memory");
	ok = bus_read(core, NPU_DMA_PC, base, buf, beats * BEAT_BYTES) &&
	     run_words(core, buf, (unsigned int)(beats * BEAT_BYTES / WORD_BYTES), base);
	free(buf);
	return ok;
}

static void run_tasks(struct npu_core *core)
{
	const unsigned int n = task_number(core);

	for (core->task = 0; core->task < n; core->task++) {
		if (core->task && !core->link_set) {
			/* only the first task runs without the rewrite [HW] */
			npu_stop(core, NPU_HUNG, "task %u of %u has no link to the next",
				 core->task - 1, n);
			return;
		}
		regs_task_begin(core);
		cost_begin(core);
		if (!run_segment(core))
			return;
		cost_end(core);
		core->tasks_done++;
		core->counters.tasks++;
	}
	/* with the fetcher active the mask is that of the last task [TRM] */
	core->task = n - 1;
	complete(core);
}

/*
 * Blocks that the host has set up and enabled itself (slave mode), all at once or
 * one by one: those that are on wait for the others.
 */
static void run_host_task(struct npu_core *core)
{
	if (task_waits(core))
		return;
	cost_begin(core);
	if (!task_run(core))
		return;
	cost_end(core);
	core->counters.tasks++;
	complete(core);
}

void pc_run(struct npu_core *core)
{
	const bool kicked = core->kicked;

	core->kicked = false;
	core->task = 0;
	if (!kicked)
		run_host_task(core);
	else if (*pc_reg(core, NPU_PC_BASE_ADDRESS) & NPU_PC_BASE_ADDRESS_PC_SEL)
		npu_warn(core, "started in slave mode: nothing to fetch");
	else if (!task_number(core))
		npu_stop(core, NPU_BROKEN, "TASK_NUMBER is 0: there is no task to run");
	else {
		regs_kick_begin(core);
		run_tasks(core);
	}
	core->word = -1;
	if (core->state == NPU_READY)
		core->state = NPU_IDLE;
}
