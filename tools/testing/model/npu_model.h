/* SPDX-License-Identifier: MIT */
/*
 * libscoria-model: a software model of one core of the RK3588 NPU.
 *
 * The model sees what the silicon sees: its registers, memory and time. The
 * host (the op library's model device, the QEMU device, a test) reads and
 * writes registers with npu_core_read() and npu_core_write(), gives memory and
 * the interrupt line as callbacks, and calls npu_core_run() when work is
 * pending. What it implements, from which observation, and what it assumes is
 * in Documentation/accel/scoria/model.rst.
 *
 * A kick as the drivers do it, for a core at power-up:
 *
 *	npu_core_write(core, 0x0010, 1);		slave mode
 *	npu_core_write(core, 0x1004, 0xe);		CNA S_POINTER
 *	npu_core_write(core, 0x3004, 0xe);		CORE S_POINTER
 *	npu_core_write(core, 0x0010, address);		BASE_ADDRESS
 *	npu_core_write(core, 0x0014, (words + 1) / 2 - 1);  REGISTER_AMOUNTS
 *	npu_core_write(core, 0x0020, 0x300);		INTERRUPT_MASK
 *	npu_core_write(core, 0x0024, 0x1ffff);		INTERRUPT_CLEAR
 *	npu_core_write(core, 0x0030, 0x7000 | tasks);	TASK_CON
 *	npu_core_write(core, 0x0008, 1);		OPERATION_ENABLE: the
 *	npu_core_write(core, 0x0008, 0);		rising edge starts
 *	npu_core_run(core);
 *
 * Threads: a core is used by one thread at a time; cores are independent.
 */
#ifndef NPU_MODEL_H
#define NPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "switches.h"

struct npu_core;

/* What a core is doing. All but NPU_IDLE and NPU_READY last until a reset. */
enum npu_state {
	NPU_IDLE,	/* nothing to do */
	NPU_READY,	/* kicked: npu_core_run() has work */
	NPU_HUNG,	/* the stream hangs silicon: no completion will come */
	NPU_STALLED,	/* a bus access failed (IOMMU fault, unmapped memory) */
	NPU_BROKEN,	/* the stream is not one: unknown target, register
			 * outside its block, nothing to fetch; stopped there
			 */
};

enum npu_severity {
	NPU_NOTE,	/* a field that nobody understands yet; once per field */
	NPU_WARNING,	/* works, but not as the author meant or not for sure */
	NPU_ERROR,	/* came with a change to a state other than NPU_IDLE, or is a
			 * word that no program may have
			 */
};

/**
 * struct npu_report - something a user of silicon would never be told
 * @severity: how bad
 * @core:     index of the core
 * @task:     task of the kick, from 0
 * @word:     index of the command word in its segment that was being carried
 *            out, -1 when it came from a register access by the host
 * @address:  bus address concerned: of the word, or of the failed access
 * @text:     one line, without newline; valid during the callback
 */
struct npu_report {
	enum npu_severity severity;
	unsigned int core;
	unsigned int task;
	int word;
	uint32_t address;
	const char *text;
};

/**
 * struct npu_host - what surrounds the core; every member but @read and @write
 * may be NULL
 * @read:   bus read; 0, or a negative errno when the address does not answer.
 *          @addr + @len never exceeds 2^32 and @len is at least 1.
 * @write:  bus write, likewise
 * @irq:    the interrupt line changed to @level
 * @report: see struct npu_report
 *
 * The callbacks may not call into the same core.
 */
struct npu_host {
	int (*read)(void *ctx, uint32_t addr, void *buf, size_t len);
	int (*write)(void *ctx, uint32_t addr, const void *buf, size_t len);
	void (*irq)(void *ctx, bool level);
	void (*report)(void *ctx, const struct npu_report *report);
};

/**
 * struct npu_options - what a core is like
 * @core_index:      0 to 2, for reports
 * @choices:         assumptions about silicon where the facts leave room
 * @lint_stale:      warn when a block reads a register that the task did not
 *                   write (programming-model B6)
 * @hold_completion: the completion interrupt waits for npu_core_deliver(), for
 *                   a host that has a clock
 * @max_task_cycles: a task that would take longer hangs; 0 stands for 2^40
 *                   (18 minutes at 1 GHz)
 *
 * All zero is the default.
 */
struct npu_options {
	unsigned int core_index;
	struct npu_choices choices;
	bool lint_stale;
	bool hold_completion;
	uint64_t max_task_cycles;
};

enum npu_dma {
	NPU_DMA_PC,		/* command words */
	NPU_DMA_FEATURE,	/* CNA features */
	NPU_DMA_WEIGHT,		/* CNA weights */
	NPU_DMA_MRDMA,
	NPU_DMA_BRDMA,
	NPU_DMA_NRDMA,
	NPU_DMA_ERDMA,
	NPU_DMA_DPU_WDMA,
	NPU_DMA_PPU_RDMA,
	NPU_DMA_PPU_WDMA,
	NPU_N_DMA
};

enum npu_stage {
	NPU_STAGE_FETCH,	/* PC: two words a cycle */
	NPU_STAGE_LOAD,		/* feature and weight DMA */
	NPU_STAGE_MAC,
	NPU_STAGE_DPU,		/* DPU with its DMA engines */
	NPU_STAGE_PPU,
	NPU_N_STAGES
};

/**
 * struct npu_counters - what the core has done since npu_core_create()
 * @mmio_reads:  register reads by the host
 * @mmio_writes: register writes by the host
 * @interrupts:  rising edges of the interrupt line
 * @kicks:       times that the PC was started
 * @tasks:       tasks completed
 * @words:       command words carried out
 * @bytes:       bytes moved, by DMA engine
 * @macs_issued: multiplications that the array's cycles had room for
 * @macs_useful: those with a real kernel and channel
 * @cycles:      cycles that each stage was busy
 * @cycles_all:  estimated duration of all tasks; the stages overlap
 */
struct npu_counters {
	uint64_t mmio_reads;
	uint64_t mmio_writes;
	uint64_t interrupts;
	uint64_t kicks;
	uint64_t tasks;
	uint64_t words;
	uint64_t bytes[NPU_N_DMA];
	uint64_t macs_issued;
	uint64_t macs_useful;
	uint64_t cycles[NPU_N_STAGES];
	uint64_t cycles_all;
};

/*
 * A core as after power-up. @host is copied, @options may be NULL.
 * NULL with errno ENOMEM or EINVAL.
 */
struct npu_core *npu_core_create(const struct npu_host *host, void *ctx,
				 const struct npu_options *options);
void npu_core_destroy(struct npu_core *core);

/* Both reset lines of the core: every register, CBUF and the LUT. */
void npu_core_reset(struct npu_core *core);

/*
 * A 32-bit access by the host; @offset is below 0x10000. What no register
 * answers reads as 0; 0x2000 to 0x2fff, where silicon hangs the whole SoC,
 * is reported as an error and reads as all ones.
 */
uint32_t npu_core_read(struct npu_core *core, uint32_t offset);
void npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value);

/*
 * Do all pending work. Completion interrupts are raised before it returns,
 * unless they are held. Returns the state, which is never NPU_READY.
 */
enum npu_state npu_core_run(struct npu_core *core);

/*
 * With @hold_completion: the interrupt bits that the last run has held back. Raise those
 * of them that are in @events, or forget them all. A reset forgets them too.
 */
uint32_t npu_core_held(const struct npu_core *core);
void npu_core_deliver(struct npu_core *core, uint32_t events);
void npu_core_forget(struct npu_core *core);

enum npu_state npu_core_state(const struct npu_core *core);

/* Why the state is what it is: a static "" or a string valid until reset. */
const char *npu_core_reason(const struct npu_core *core);

const struct npu_counters *npu_core_counters(const struct npu_core *core);

#endif
