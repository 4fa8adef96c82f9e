// SPDX-License-Identifier: MIT
/*
 * The register file: two groups per block, the pointer that writes follow and
 * the executer pointer that runs (programming-model B6).
 *
 * Silicon loses writes to a group that is pending or running [NVDLA]; so does the model
 * when the host writes while blocks wait. Not modelled: that the PC stalls. Tasks run one
 * after the other here, so only a block that a stream enables and never feeds could tell.
 */
#include <string.h>

#include "npu.h"

#define S_STATUS	0x000		/* offsets of every block */
#define S_POINTER	0x004
#define OPERATION_ENABLE 0x008

/* S_POINTER has one layout in every block. */
#define POINTER		NPU_DPU_S_POINTER_POINTER
#define POINTER_PP_EN	NPU_DPU_S_POINTER_POINTER_PP_EN
#define EXECUTER_PP_EN	NPU_DPU_S_POINTER_EXECUTER_PP_EN
#define POINTER_PP_MODE	NPU_DPU_S_POINTER_POINTER_PP_MODE
#define POINTER_CLEAR	NPU_DPU_S_POINTER_POINTER_PP_CLEAR
#define EXECUTER_CLEAR	NPU_DPU_S_POINTER_EXECUTER_PP_CLEAR
#define EXECUTER	NPU_DPU_S_POINTER_EXECUTER

static bool has_groups(unsigned int id)
{
	return id >= NPU_CNA && id <= NPU_PPU_RDMA;
}

/* The block whose window holds @offset, NPU_N_BLOCKS when none has it. */
static unsigned int block_at(uint32_t offset)
{
	for (unsigned int id = 0; id < NPU_N_BLOCKS; id++)
		if ((offset & 0xf000) == npu_blocks[id].base)
			return id;
	return NPU_N_BLOCKS;
}

void regs_reset(struct npu_core *core)
{
	memset(core->unit, 0, sizeof(core->unit));
	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];
		const unsigned int word = (reg->offset & 0xfff) / 4;

		for (unsigned int g = 0; g < NPU_N_GROUPS; g++)
			core->unit[reg->block].reg[g][word] = reg->reset;
	}
}

/* Silicon ignores an offset that no register has; so does the model, aloud. */
static void note_hole(struct npu_core *core, uint32_t offset, uint32_t value)
{
	const uint32_t bit = offset / 4;

	if (core->noted_hole[bit / 8] & 1u << bit % 8)
		return;
	core->noted_hole[bit / 8] |= 1u << bit % 8;
	npu_note(core, "model: no register is known at %#06x (written %#x)", offset, value);
}

/* Once for every bit of every register. */
static void note_spare_bits(struct npu_core *core, const struct npu_reg *reg, uint32_t value)
{
	uint32_t *noted = &core->noted[reg - npu_regs];
	const uint32_t bits = value & ~reg->mask;

	if (!(bits & ~*noted))
		return;
	*noted |= bits;
	npu_warn(core, "%s.%s: %#x sets bits that no field has (%#x)", npu_blocks[reg->block].name,
		 reg->name, value, bits);
}

static void s_pointer_write(struct npu_unit *unit, uint32_t value)
{
	unit->armed = true;
	unit->s_pointer = value & ~(EXECUTER | POINTER_CLEAR | EXECUTER_CLEAR | POINTER);
	/* with ping-pong on, bit 0 is ignored: chains write 0xe every task [FIT] */
	if (!(value & POINTER_PP_EN))
		unit->pointer = npu_get(POINTER, value);
	/*
	 * without any ping-pong all stays in group 0 (B6), whatever an earlier job has left:
	 * else a single task hangs behind an odd number of others [?]
	 */
	if (!(value & (POINTER_PP_EN | EXECUTER_PP_EN)) && !unit->enabled[unit->executer])
		unit->executer = 0;
	if (value & POINTER_CLEAR)
		unit->pointer = 0;
	if (value & EXECUTER_CLEAR)
		unit->executer = 0;
}

static uint32_t s_pointer_read(const struct npu_unit *unit)
{
	return unit->s_pointer | npu_set(POINTER, unit->pointer) |
	       npu_set(EXECUTER, unit->executer);
}

/* 0 idle, 1 running, 2 pending, per group */
static uint32_t s_status_read(const struct npu_unit *unit)
{
	uint32_t status = 0;

	for (unsigned int g = 0; g < NPU_N_GROUPS; g++)
		if (unit->enabled[g])
			status |= (g == unit->executer ? 1u : 2u) << 16 * g;
	return status;
}

static void lut_write(struct npu_core *core, const struct npu_unit *dpu, uint32_t value)
{
	const uint32_t cfg = dpu->reg[dpu->pointer][(NPU_DPU_LUT_ACCESS_CFG & 0xfff) / 4];

	/* a data write with the port set to read changes nothing */
	if (cfg & NPU_DPU_LUT_ACCESS_CFG_LUT_ACCESS_TYPE) {
		const unsigned int table = npu_get(NPU_DPU_LUT_ACCESS_CFG_LUT_TABLE_ID, cfg);

		if (core->lut.address < LUT_ENTRIES)
			core->lut.table[table][core->lut.address] = (int16_t)value;
		else
			npu_warn(core, "LUT entry %u written: a table has %d",
				 core->lut.address, LUT_ENTRIES);
	}
	core->lut.address++;
}

static uint32_t lut_read(struct npu_core *core, const struct npu_unit *dpu)
{
	const uint32_t cfg = dpu->reg[dpu->pointer][(NPU_DPU_LUT_ACCESS_CFG & 0xfff) / 4];
	const unsigned int table = npu_get(NPU_DPU_LUT_ACCESS_CFG_LUT_TABLE_ID, cfg);
	const unsigned int address = core->lut.address++;

	return address < LUT_ENTRIES ? (uint16_t)core->lut.table[table][address] : 0;
}

static void group_write(struct npu_core *core, unsigned int id, uint32_t offset,
			uint32_t value)
{
	struct npu_unit *unit = &core->unit[id];
	const uint32_t local = offset & 0xfff;
	const struct npu_reg *reg = npu_reg_find(offset);

	if (local == S_STATUS)
		return;
	if (local == S_POINTER) {
		s_pointer_write(unit, value);
		return;
	}
	if (local == OPERATION_ENABLE) {
		if (value & 1)
			regs_enable(core, 1u << npu_blocks[id].enable_bit);
		return;
	}
	if (core->word < 0 && unit->enabled[unit->pointer]) {
		npu_warn(core, "%s waits with register group %u: the write of %#06x is lost",
			 npu_blocks[id].name, unit->pointer, offset);
		return;
	}
	if (!reg)
		note_hole(core, offset, value);
	else
		note_spare_bits(core, reg, value);
	unit->reg[unit->pointer][local / 4] = value;
	unit->written[unit->pointer][local / 4] = true;
	if (offset == NPU_DPU_LUT_ACCESS_CFG)
		core->lut.address = npu_get(NPU_DPU_LUT_ACCESS_CFG_LUT_ADDR, value);
	if (offset == NPU_DPU_LUT_ACCESS_DATA)
		lut_write(core, unit, value);
}

void regs_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	const unsigned int id = block_at(offset);
	const struct npu_reg *reg = npu_reg_find(offset);

	if (id == NPU_PC) {
		pc_write(core, offset, value);
	} else if (id == NPU_GLOBAL) {
		if (offset == NPU_GLOBAL_OPERATION_ENABLE)
			regs_enable(core, value);
	} else if (id == NPU_N_BLOCKS) {
		npu_warn(core, "no block at %#06x: the write of %#x is lost", offset, value);
	} else if (has_groups(id)) {
		group_write(core, id, offset, value);
	} else if (!reg || reg->access != NPU_RO) {
		core->unit[id].reg[0][(offset & 0xfff) / 4] = value;
	}
}

static uint32_t enabled_mask(const struct npu_core *core)
{
	uint32_t mask = 0;

	for (unsigned int id = NPU_CNA; id <= NPU_PPU_RDMA; id++)
		if (core->unit[id].enabled[0] || core->unit[id].enabled[1])
			mask |= 1u << npu_blocks[id].enable_bit;
	return mask;
}

uint32_t regs_read(struct npu_core *core, uint32_t offset)
{
	const unsigned int id = block_at(offset);
	const uint32_t local = offset & 0xfff;
	const struct npu_unit *unit = &core->unit[id];

	if (id == NPU_PC)
		return pc_read(core, offset);
	if (id == NPU_GLOBAL)
		return offset == NPU_GLOBAL_OPERATION_ENABLE ? enabled_mask(core) : 0;
	if (id == NPU_N_BLOCKS)
		return 0;
	if (!has_groups(id))
		return unit->reg[0][local / 4];
	switch (local) {
	case S_STATUS:
		return s_status_read(unit);
	case S_POINTER:
		return s_pointer_read(unit);
	case OPERATION_ENABLE:
		return unit->enabled[unit->pointer];
	}
	if (offset == NPU_DPU_LUT_ACCESS_DATA)
		return lut_read(core, unit);
	return unit->reg[unit->pointer][local / 4];
}

/*
 * In a chain whose later segments do not write S_POINTER, the later tasks
 * wrote to their own destinations what the first task's sources give: the read
 * DMA repeats the registers that it ran with [HW, B4].
 */
static void repeat_read_dma(struct npu_core *core, unsigned int id)
{
	struct npu_unit *unit = &core->unit[id];

	if ((id != NPU_DPU_RDMA && id != NPU_PPU_RDMA) || npu_is(core, NPU_REARMING_ONCE))
		return;
	if (core->word < 0 || !unit->has_run || unit->armed)
		return;
	npu_warn(core, "%s: task %u does not write S_POINTER and repeats the reads of the last one",
		 npu_blocks[id].name, core->task);
	memcpy(unit->reg[unit->pointer], unit->ran, sizeof(unit->ran));
}

static void enable(const struct npu_core *core, struct npu_unit *unit)
{
	unit->enabled[unit->pointer] = true;
	if (!(unit->s_pointer & POINTER_PP_EN) || npu_is(core, NPU_GROUPS_ONE))
		return;
	if (unit->s_pointer & POINTER_PP_MODE)
		unit->pointer = !unit->pointer;
	else
		unit->pointer = !unit->executer;
}

/* The 0x0081 word, GLOBAL.OPERATION_ENABLE, or one block's own bit. */
void regs_enable(struct npu_core *core, uint32_t mask)
{
	for (unsigned int id = NPU_CNA; id <= NPU_PPU_RDMA; id++)
		if (mask & 1u << npu_blocks[id].enable_bit) {
			repeat_read_dma(core, id);
			enable(core, &core->unit[id]);
		}
	/* by the host, without the PC */
	if (core->word < 0 && mask && core->state == NPU_IDLE)
		core->state = NPU_READY;
}

bool regs_is_enabled(const struct npu_core *core, enum npu_block_id id)
{
	return core->unit[id].enabled[core->unit[id].executer];
}

/* The block has finished: its group is free and the executer moves on. */
void regs_complete(struct npu_core *core, enum npu_block_id id)
{
	struct npu_unit *unit = &core->unit[id];

	unit->enabled[unit->executer] = false;
	unit->has_run = true;
	memcpy(unit->ran, unit->reg[unit->executer], sizeof(unit->ran));
	if (unit->s_pointer & EXECUTER_PP_EN && !npu_is(core, NPU_GROUPS_ONE))
		unit->executer = !unit->executer;
}

/* Pointers persist across kicks, as a vendor capture shows [FIT]. */
void regs_kick_begin(struct npu_core *core)
{
	if (npu_is(core, NPU_KICK_GROUPS_GO_ON))
		return;
	for (unsigned int id = NPU_CNA; id <= NPU_PPU_RDMA; id++)
		core->unit[id].pointer = core->unit[id].executer = 0;
}

void regs_task_begin(struct npu_core *core)
{
	for (unsigned int id = NPU_CNA; id <= NPU_PPU_RDMA; id++) {
		memset(core->unit[id].written, 0, sizeof(core->unit[id].written));
		core->unit[id].armed = false;
		if (!core->task)
			core->unit[id].has_run = false;
	}
}

uint32_t npu_reg(struct npu_core *core, uint32_t offset)
{
	struct npu_unit *unit = &core->unit[block_at(offset)];
	const uint32_t word = (offset & 0xfff) / 4;

	if (core->options.lint_stale && !unit->written[unit->executer][word]) {
		const struct npu_reg *reg = npu_reg_find(offset);

		unit->written[unit->executer][word] = true;	/* once a task */
		npu_warn(core, "%s.%s is used as an earlier task left it (%#x)",
			 npu_blocks[reg->block].name, reg->name,
			 unit->reg[unit->executer][word]);
	}
	return unit->reg[unit->executer][word];
}
