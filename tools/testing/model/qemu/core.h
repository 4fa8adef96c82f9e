/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One core on the test board: the model, its IOMMU, and the time that its jobs
 * take.
 */
#ifndef SCORIA_CORE_H
#define SCORIA_CORE_H

#include "exec/memory.h"
#include "qemu/timer.h"

#include "board_regs.h"
#include "iommu.h"
#include "npu_model.h"

struct power;

/**
 * struct core_knobs - what the guest's tests and the monitor break; the fields
 * are BOARD_DROP_IRQ to BOARD_STRAY
 */
struct core_knobs {
	uint32_t drop_irq;
	uint32_t delay_irq_us;
	uint32_t delay_start_us;
	uint32_t fail_dma;
	uint32_t stuck;
	uint32_t slow;
	uint32_t dead;
	uint32_t spurious;
	uint32_t gate;
	uint32_t linger_us;
	uint32_t stray;
};

/**
 * struct board_core - one core
 * @index:     0 to 2
 * @power:     the controller, which says whether registers answer
 * @ram:       the guest's memory, all that DMA may reach
 * @irq:       its line to the interrupt controller, shared with the IOMMU
 * @npu, iommu: the models
 * @busy:      a job was started and its completion is not due yet
 * @ended:     the model has run the job; only its completion is due
 * @waiting:   the completion is due, and stands at knobs.gate
 * @lingers:   blocks work on though the completion has come
 * @fail_now:  the job's memory accesses fail
 * @npu_level, iommu_level, spurious_level: who pulls the line
 * @irq_level: whether anybody does
 * @job:       start of the job, and then its completion
 * @linger:    when the blocks that linger are done
 * @stray:     when a job that has ended accesses what is not there
 * @replay:    when the IOMMU tries a faulted access again
 * @calm:      end of a spurious interrupt
 * @resets, reports: counters
 * @kick_ns, irq_ns: when a job was started, and when the line rose
 * @irq_to_kick_ns, irq_to_read_ns: from the line's rise to the first kick after it, and
 *             to the first read of a register that is not the IOMMU's
 * @irq_seen:  that read has happened
 */
struct board_core {
	unsigned int index;
	struct power *power;
	MemoryRegion *ram;
	qemu_irq irq;
	MemoryRegion window;
	struct npu_core *npu;
	struct iommu *iommu;
	struct core_knobs knobs;
	bool busy;
	bool ended;
	bool waiting;
	bool lingers;
	bool fail_now;
	bool npu_level;
	bool iommu_level;
	bool spurious_level;
	bool irq_level;
	QEMUTimer job;
	QEMUTimer linger;
	QEMUTimer stray;
	QEMUTimer replay;
	QEMUTimer calm;
	uint64_t resets;
	uint64_t reports;
	int64_t kick_ns;
	int64_t irq_ns;
	int64_t irq_to_kick_ns;
	int64_t irq_to_read_ns;
	bool irq_seen;
};

/* Whether blocks may still read or write memory. */
static inline bool core_works(const struct board_core *core)
{
	return core->busy || core->lingers;
}

/* Make the models and map the core's window at its real address. */
void core_realize(struct board_core *core, Object *owner);

/* The core and its IOMMU lose their state. */
void core_reset(struct board_core *core);

/* Do at once what changed knobs ask for: a spurious interrupt, a completion at the gate. */
void core_knobs_changed(struct board_core *core);

#endif
