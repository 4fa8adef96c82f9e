/* SPDX-License-Identifier: MIT */
/*
 * What the blocks of the model share: the core, its register file, bus access
 * and reports.
 */
#ifndef NPU_H
#define NPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "npu_field.h"
#include "npu_model.h"
#include "npu_table.h"
#include "rk3588_npu.h"

#define NPU_UNIT		16		/* bytes: the atom of every DMA */
#define NPU_BLOCK_WORDS		(0x1000 / 4)
#define NPU_N_GROUPS		2		/* register groups of a block */

#define CBUF_BANKS		12
#define CBUF_BANK_BYTES		32768
#define CBUF_BYTES		(CBUF_BANKS * CBUF_BANK_BYTES)
#define CBUF_ENTRY_BYTES	64		/* unit of DATA_ENTRIES */

#define LUT_ENTRIES		513


/* Bits of the NPU_PRECISION_* codes' elements */
unsigned int precision_bits(unsigned int precision);
bool precision_is_float(unsigned int precision);

/* Elements of a type in one 16-byte unit: the C2 of NC1HWC2 */
static inline unsigned int precision_lanes(unsigned int precision)
{
	return 8 * NPU_UNIT / precision_bits(precision);
}

static inline uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/**
 * struct npu_unit - one block with its two register groups
 * @reg:       register values, by group and (offset & 0xfff) / 4
 * @written:   registers that the current task has written, for the stale lint
 * @enabled:   groups that wait for the executer
 * @pointer:   group that register writes go to
 * @executer:  group that runs next
 * @s_pointer: S_POINTER as written, without the self-clearing bits
 * @armed:     the current task has written S_POINTER
 * @has_run:   the block has run in this kick
 * @ran:       registers of the group that ran last
 */
struct npu_unit {
	uint32_t reg[NPU_N_GROUPS][NPU_BLOCK_WORDS];
	bool written[NPU_N_GROUPS][NPU_BLOCK_WORDS];
	bool enabled[NPU_N_GROUPS];
	unsigned int pointer;
	unsigned int executer;
	uint32_t s_pointer;
	bool armed;
	bool has_run;
	uint32_t ran[NPU_BLOCK_WORDS];
};

/* The two tables and their access port; one copy for both register groups. */
struct npu_lut {
	int16_t table[2][LUT_ENTRIES];		/* 0 LE, 1 LO */
	unsigned int address;
};

struct dpu_block;

/**
 * struct npu_core - one core
 * @host, ctx, options: as given to npu_core_create(), every choice made
 * @state, reason: see npu_core_state() and npu_core_reason()
 * @unit:     blocks with register groups; the others use group 0 alone
 * @lut:      lookup tables of the DPU
 * @cbuf:     convolution buffer, all zero unless @cbuf_used
 * @block:    scratch of the DPU, or NULL
 * @counters: see struct npu_counters
 * @cost:     bytes, those of features and weights, and cycles of the task
 * @kicked:   the PC was started and has not run yet
 * @task:     task of the kick
 * @link_set: the running segment has written the BASE_ADDRESS of the next
 * @word, word_addr: command word being carried out; -1 outside a stream
 * @events:   raw interrupt bits of the task that ran last
 * @held:     completion bits that wait for npu_core_deliver()
 * @irq_level: level of the interrupt line
 * @tasks_done: task counter of TASK_STATUS
 * @fp32_flying: flying tasks with fp32 output since the reset
 * @ppu_small:  destination of the last cube below 4x4 that the PPU wrote, or 0
 * @noted:    registers, by bit and position in npu_regs[], whose unmodelled
 *            fields have been reported
 * @noted_hole: the same for offsets that no register is known at
 */
struct npu_core {
	struct npu_host host;
	void *ctx;
	struct npu_options options;
	enum npu_state state;
	char reason[192];

	struct npu_unit unit[NPU_N_BLOCKS];
	struct npu_lut lut;
	uint8_t cbuf[CBUF_BYTES];
	bool cbuf_used;
	struct dpu_block *block;

	struct npu_counters counters;
	struct {
		uint64_t bytes;
		uint64_t loaded;
		uint64_t cycles[NPU_N_STAGES];
	} cost;

	bool kicked;
	unsigned int task;
	bool link_set;
	int word;
	uint32_t word_addr;
	uint32_t events;
	uint32_t held;
	bool irq_level;
	unsigned int tasks_done;
	unsigned int fp32_flying;
	uint32_t ppu_small;

	uint32_t *noted;
	uint8_t noted_hole[0x10000 / 4 / 8];
};

/* Whether the switch that @value belongs to stands at it. */
static inline bool npu_is(const struct npu_core *core, enum npu_value value)
{
	return core->options.choices.value[npu_switch_of(value)] == value;
}

/* regs.c: register file, groups, pointers */
void regs_reset(struct npu_core *core);
void regs_write(struct npu_core *core, uint32_t offset, uint32_t value);
uint32_t regs_read(struct npu_core *core, uint32_t offset);
void regs_enable(struct npu_core *core, uint32_t mask);
bool regs_is_enabled(const struct npu_core *core, enum npu_block_id id);
void regs_complete(struct npu_core *core, enum npu_block_id id);
void regs_kick_begin(struct npu_core *core);
void regs_task_begin(struct npu_core *core);

/* The register at @offset as the block that runs sees it. */
uint32_t npu_reg(struct npu_core *core, uint32_t offset);

/* FIELD(core, CNA_CONV_CON1, CONV_MODE) of the group that runs */
#define FIELD(core, reg, field) \
	npu_get(NPU_##reg##_##field, npu_reg(core, NPU_##reg))

/**
 * struct npu_unmodelled - fields that the model does not implement
 * @offset: register
 * @mask:   bits; any of them set is reported, once per register and bits
 */
struct npu_unmodelled {
	uint32_t offset;
	uint32_t mask;
};

void npu_check_unmodelled(struct npu_core *core,
			  const struct npu_unmodelled *table, size_t n);

/* pc.c */
void pc_write(struct npu_core *core, uint32_t offset, uint32_t value);
uint32_t pc_read(struct npu_core *core, uint32_t offset);
void pc_run(struct npu_core *core);
void pc_raise(struct npu_core *core, uint32_t events);
void pc_deliver(struct npu_core *core, uint32_t events);

/* task.c: one task through the enabled blocks; false when it does not end */
bool task_run(struct npu_core *core);
/* The enabled blocks wait for others. */
bool task_waits(struct npu_core *core);

/* bus.c: bus access with accounting; false when the core has stalled */
bool bus_read(struct npu_core *core, enum npu_dma dma, uint32_t addr,
	      void *buf, size_t len);
bool bus_write(struct npu_core *core, enum npu_dma dma, uint32_t addr,
	       const void *buf, size_t len);

/* report.c */
void npu_note(struct npu_core *core, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void npu_warn(struct npu_core *core, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* An error that the core survives. */
void npu_error(struct npu_core *core, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Enter @state, which lasts until reset. Returns false, for `return npu_stop()`. */
bool npu_stop(struct npu_core *core, enum npu_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* cost.c */
void cost_begin(struct npu_core *core);
void cost_end(struct npu_core *core);

#endif
