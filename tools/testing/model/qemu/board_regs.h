/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Registers of the test board that an RK3588 does not have: two pages shared
 * by the QEMU device, the guest's provider module and the guest's tests. All
 * registers are 32-bit; a 64-bit counter is two, the low half first.
 */
#ifndef BOARD_REGS_H
#define BOARD_REGS_H

#define BOARD_N_CORES		3

/*
 * Page 0: clocks, resets and power domains. One bit per line; core i has bit i
 * of the group.
 */
#define BOARD_CONTROL_BASE	0xfdae0000
#define BOARD_POWER		0x00	/* 1: on. 0 NPUTOP (core 0), 1 NPU1, 2 NPU2 */
#define BOARD_CLOCK		0x04	/* 1: running */
#define BOARD_RESET		0x08	/* 1: held in reset */
#define BOARD_RATE		0x0c	/* Hz of the NPU clock, one for all cores */

#define BOARD_CLOCK_ACLK	0	/* bits 0 to 2 */
#define BOARD_CLOCK_HCLK	3	/* bits 3 to 5 */
#define BOARD_CLOCK_PCLK	6
#define BOARD_CLOCK_NPU		7
#define BOARD_N_CLOCKS		8

#define BOARD_RESET_A		0	/* bits 0 to 2 */
#define BOARD_RESET_H		3	/* bits 3 to 5 */
#define BOARD_N_RESETS		6

#define BOARD_RATE_BOOT		200000000

/* How often each was turned on, set or asserted since the start. */
#define BOARD_CLOCK_COUNT(clock)	(0x40 + 4 * (clock))
#define BOARD_POWER_COUNT(core)		(0x60 + 4 * (core))
#define BOARD_RESET_COUNT(core)		(0x70 + 4 * (core))
#define BOARD_RATE_COUNT		0x80

/* Page 1: what tests read and break. */
#define BOARD_DEBUG_BASE	0xfdae1000
#define BOARD_DEBUG_SIZE	0x1000
#define BOARD_MAGIC		0x000
#define BOARD_MAGIC_VALUE	0x53434f52

/*
 * Things that silicon would not survive, or not always. BOARD_EXPECTED is how
 * many of them a test has caused on purpose; a run whose two numbers differ at
 * the end has failed.
 */
#define BOARD_VIOLATIONS	0x004
#define BOARD_EXPECTED		0x008
#define BOARD_LAST_KIND		0x00c	/* enum board_violation */
#define BOARD_LAST_CORE		0x010
#define BOARD_LAST_OFFSET	0x014
#define BOARD_NOW_NS		0x018	/* 64-bit: the guest's clock, see BOARD_KICK_NS */
#define BOARD_VIOLATIONS_OF(kind)	(0x020 + 4 * (kind))

#ifndef __DTS__
enum board_violation {
	BOARD_TOUCHED_OFF,	/* register access with the power domain off */
	BOARD_TOUCHED_GATED,	/* ... with a clock stopped */
	BOARD_TOUCHED_RESET,	/* ... held in reset */
	BOARD_TOUCHED_HOLE,	/* 0x2000 to 0x2fff, where a read hangs the SoC */
	BOARD_RATE_WHILE_OFF,	/* NPU clock set with NPUTOP off: hangs firmware */
	BOARD_RATE_LEFT_UP,	/* NPUTOP off with the NPU clock above its boot rate */
	BOARD_DOMAIN_ORDER,	/* NPU1 or NPU2 on without NPUTOP */
	BOARD_STOPPED_BUSY,	/* power or clock taken from a running job */
	BOARD_KICKED_BUSY,	/* a job started while one runs */
	BOARD_UNMAPPED_BUSY,	/* paging turned off under a running job, which then
				   reads and writes any memory */
	BOARD_N_VIOLATIONS
};
#endif

/* Page 0 again, for reading, so that tests need not map it. */
#define BOARD_CONTROL_MIRROR	0x800

/* One bank per core. */
#define BOARD_CORE(core)	(0x100 * (1 + (core)))

/*
 * What to break. Counts go down as they are used; 0 is off. At the gate n - 1
 * completions pass, and the next one waits until it is written again.
 */
#define BOARD_DROP_IRQ		0x00	/* completions that never raise their interrupt */
#define BOARD_DELAY_IRQ_US	0x04	/* every completion comes so much later */
#define BOARD_DELAY_START_US	0x08	/* every job touches memory so much later */
#define BOARD_FAIL_DMA		0x0c	/* jobs whose first memory access fails */
#define BOARD_STUCK		0x10	/* kicks that never do anything */
#define BOARD_SLOW		0x14	/* every job takes so many times longer */
#define BOARD_DEAD		0x18	/* 1: every register reads 0, nothing works */
#define BOARD_SPURIOUS		0x1c	/* write n: n interrupts with no cause */
#define BOARD_GATE		0x20	/* 1 is shut */
#define BOARD_LINGER_US		0x24	/* blocks work on so long after every completion; that
					   is the PPU's in a task that has one */
#define BOARD_STRAY		0x28	/* jobs that write to BOARD_STRAY_ADDRESS when they have
					   ended, where nothing is, and try again until a
					   reset */
#define BOARD_N_KNOBS		11

#define BOARD_STRAY_ADDRESS	0xeffff000

/* What has happened; 64-bit, see struct npu_counters and iommu_counters. */
#define BOARD_MMIO_READS	0x40
#define BOARD_MMIO_WRITES	0x48
#define BOARD_INTERRUPTS	0x50
#define BOARD_KICKS		0x58
#define BOARD_TASKS		0x60
#define BOARD_WORDS		0x68
#define BOARD_BYTES_READ	0x70
#define BOARD_BYTES_WRITTEN	0x78
#define BOARD_MACS_USEFUL	0x80
#define BOARD_CYCLES		0x88
#define BOARD_IOMMU_FAULTS	0x90
#define BOARD_IOMMU_WALKS	0x98
#define BOARD_IOMMU_ZAPS	0xa0
#define BOARD_RESETS		0xa8	/* of the core, by its two lines */
#define BOARD_REPORTS		0xb0	/* errors of the model: hangs, broken streams */

/*
 * When things happened last, by the guest's clock: with -icount that is the number of
 * instructions that the CPUs have executed, times a power of two, and the times
 * when all were idle. 64-bit.
 */
#define BOARD_KICK_NS		0xb8	/* a job was started */
#define BOARD_IRQ_NS		0xc0	/* the line rose */
#define BOARD_IRQ_TO_KICK_NS	0xc8	/* from the line's rise to the first kick after it */
#define BOARD_IRQ_TO_READ_NS	0xd0	/* and to the first read of an NPU register */

#endif
