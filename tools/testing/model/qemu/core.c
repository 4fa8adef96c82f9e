// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A core of the NPU on the test board. QEMU's side of the model: MMIO, memory,
 * the interrupt line and virtual time.
 *
 * A job runs when it is kicked, in no virtual time; its completion interrupt
 * comes after the cycles that the model estimates at the clock of that moment.
 * So the guest never waits for a big convolution longer than silicon would let
 * it, and with -icount every run is the same.
 *
 * Not modelled: memory that changes bit by bit while a job runs (a job's
 * writes are there at once; delay_start_us moves them), and an access that goes
 * on after its IOMMU fault has been repaired: the core stays stalled until its
 * reset.
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "qemu/log.h"

#include "core.h"
#include "power.h"

#define WINDOW_BASE(index)	(0xfdab0000 + 0x10000 * (index))
#define WINDOW_SIZE		0x10000
#define IOMMU_BANK0		0x9000		/* core 0 alone */
#define IOMMU_BANK1		0xa000
#define IOMMU_SIZE		0x100

#define PC_OPERATION_ENABLE	0x0008
#define INT_PPU			0x0c00
#define HOLE_FIRST		0x2000
#define HOLE_LAST		0x2fff

/* How soon the IOMMU tries a faulted access again, and a spurious interrupt ends [?] */
#define REPLAY_NS		(100 * SCALE_US)
#define SPURIOUS_NS		(20 * SCALE_US)
/* How long after its completion a job strays: the guest has seen the job end by then. */
#define STRAY_NS		(1000 * SCALE_US)

static int64_t now_ns(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void irq_update(struct board_core *core)
{
	const bool level = core->npu_level || core->iommu_level || core->spurious_level;

	if (level && !core->irq_level) {
		core->irq_ns = now_ns();
		core->irq_seen = false;
	}
	core->irq_level = level;
	qemu_set_irq(core->irq, level);
}

static void npu_irq(void *ctx, bool level)
{
	struct board_core *core = ctx;

	core->npu_level = level;
	irq_update(core);
}

static void iommu_irq(void *ctx, bool level)
{
	struct board_core *core = ctx;

	core->iommu_level = level;
	irq_update(core);
}

/*
 * The address in the guest's RAM; false for devices, which DMA of this board
 * never means: an address that was not translated, most often.
 */
static bool ram_holds(const struct board_core *core, uint64_t pa, size_t len)
{
	const uint64_t size = memory_region_size(core->ram);
	const uint64_t base = core->ram->addr;

	return pa >= base && pa - base < size && len <= size - (pa - base);
}

static int read_entry(void *ctx, uint64_t pa, uint32_t *entry)
{
	struct board_core *core = ctx;

	if (!ram_holds(core, pa, sizeof(*entry)))
		return -EFAULT;
	*entry = address_space_ldl_le(&address_space_memory, pa, MEMTXATTRS_UNSPECIFIED, NULL);
	return 0;
}

static int dma(struct board_core *core, uint32_t addr, void *buf, size_t len, bool write)
{
	if (core->fail_now)
		return -EIO;
	while (len) {
		const size_t n = MIN(len, IOMMU_PAGE_BYTES - addr % IOMMU_PAGE_BYTES);
		uint64_t pa;

		if (iommu_translate(core->iommu, addr, write, &pa) || !ram_holds(core, pa, n))
			return -EFAULT;
		address_space_rw(&address_space_memory, pa, MEMTXATTRS_UNSPECIFIED, buf, n, write);
		buf = (uint8_t *)buf + n;
		addr += n;
		len -= n;
	}
	return 0;
}

static int dma_read(void *ctx, uint32_t addr, void *buf, size_t len)
{
	return dma(ctx, addr, buf, len, false);
}

static int dma_write(void *ctx, uint32_t addr, const void *buf, size_t len)
{
	return dma(ctx, addr, (void *)buf, len, true);
}

static void report(void *ctx, const struct npu_report *report)
{
	struct board_core *core = ctx;

	core->reports += report->severity == NPU_ERROR;
	qemu_log_mask(report->severity == NPU_NOTE ? LOG_UNIMP : LOG_GUEST_ERROR,
		      "npu%u: task %u, word %d, at %#x: %s\n", core->index, report->task,
		      report->word, report->address, report->text);
}

static void timer_after(QEMUTimer *timer, int64_t ns)
{
	timer_mod(timer, now_ns() + ns);
}

static bool use_up(uint32_t *knob)
{
	if (!*knob)
		return false;
	--*knob;
	return true;
}

/* Whether a completion may pass. What passes is counted. */
static bool passes_gate(struct board_core *core)
{
	if (core->knobs.gate == 1)
		return false;
	use_up(&core->knobs.gate);
	return true;
}

/* Where no buffer is: the IOMMU faults, and again each time that the guest has it go on. */
static void stray_due(void *opaque)
{
	struct board_core *core = opaque;
	uint64_t pa;

	iommu_translate(core->iommu, BOARD_STRAY_ADDRESS, true, &pa);
}

static void linger_due(void *opaque)
{
	struct board_core *core = opaque;

	core->lingers = false;
	npu_core_deliver(core->npu, ~0u);
}

static void complete(struct board_core *core)
{
	const uint32_t held = npu_core_held(core->npu);

	core->waiting = !passes_gate(core);
	if (core->waiting)
		return;
	core->busy = false;
	core->lingers = core->knobs.linger_us;
	if (core->lingers)
		timer_after(&core->linger, (int64_t)core->knobs.linger_us * SCALE_US);
	if (use_up(&core->knobs.stray))
		timer_after(&core->stray, STRAY_NS);
	if (use_up(&core->knobs.drop_irq))
		npu_core_forget(core->npu);
	else
		npu_core_deliver(core->npu, core->lingers && held & INT_PPU ? INT_PPU : ~0u);
}

/* Let the model do the job, and say when its completion is due. */
static void run_job(struct board_core *core)
{
	const uint64_t before = npu_core_counters(core->npu)->cycles_all;
	uint64_t cycles;
	enum npu_state state;

	core->fail_now = use_up(&core->knobs.fail_dma);
	state = npu_core_run(core->npu);
	core->fail_now = false;
	cycles = npu_core_counters(core->npu)->cycles_all - before;
	core->busy = state == NPU_IDLE && cycles;	/* none: blocks wait for others */
	if (!core->busy)
		return;
	core->ended = true;
	cycles *= MAX(core->knobs.slow, 1);
	timer_after(&core->job, muldiv64(cycles, NANOSECONDS_PER_SECOND, core->power->rate) +
		    (int64_t)core->knobs.delay_irq_us * SCALE_US);
}

static void job_due(void *opaque)
{
	struct board_core *core = opaque;

	if (core->ended)
		complete(core);
	else
		run_job(core);
}

static void note_kick(struct board_core *core)
{
	const int64_t now = now_ns();

	if (core->irq_ns > core->kick_ns)
		core->irq_to_kick_ns = now - core->irq_ns;
	core->kick_ns = now;
}

static void kick(struct board_core *core)
{
	note_kick(core);
	if (core_works(core))
		power_violation(core->power, BOARD_KICKED_BUSY, core->index,
				PC_OPERATION_ENABLE);
	if (!(core->power->clocks & 1u << BOARD_CLOCK_NPU)) {
		power_violation(core->power, BOARD_TOUCHED_GATED, core->index,
				PC_OPERATION_ENABLE);
		return;
	}
	if (use_up(&core->knobs.stuck))
		return;
	core->busy = true;
	core->ended = false;
	timer_after(&core->job, (int64_t)core->knobs.delay_start_us * SCALE_US);
}

static void replay_due(void *opaque)
{
	struct board_core *core = opaque;

	if (!iommu_wants_replay(core->iommu) || iommu_replay(core->iommu))
		return;
	qemu_log_mask(LOG_UNIMP, "npu%u: a repaired fault; the core stays stalled\n", core->index);
}

/* The bank whose registers are at @offset of the window, -1 for none. */
static int iommu_bank(const struct board_core *core, hwaddr offset)
{
	if (offset >= IOMMU_BANK1 && offset < IOMMU_BANK1 + IOMMU_SIZE)
		return core->index == 0;
	if (core->index == 0 && offset >= IOMMU_BANK0 && offset < IOMMU_BANK0 + IOMMU_SIZE)
		return 0;
	return -1;
}

static bool answers(struct board_core *core, hwaddr offset, int bank)
{
	if (!power_touch(core->power, core->index, offset, bank >= 0))
		return false;
	if (offset >= HOLE_FIRST && offset <= HOLE_LAST)
		power_violation(core->power, BOARD_TOUCHED_HOLE, core->index, offset);
	return true;
}

static void note_read(struct board_core *core)
{
	if (core->irq_level && !core->irq_seen)
		core->irq_to_read_ns = now_ns() - core->irq_ns;
	core->irq_seen = true;
}

static uint64_t window_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct board_core *core = opaque;
	const int bank = iommu_bank(core, offset);

	if (!answers(core, offset, bank))
		return 0xffffffff;
	if (core->knobs.dead)
		return 0;
	if (bank >= 0)
		return iommu_read(core->iommu, bank, offset % IOMMU_SIZE);
	note_read(core);
	return npu_core_read(core->npu, offset);
}

static void write_iommu(struct board_core *core, int bank, uint32_t offset, uint32_t value)
{
	const bool paged = iommu_pages(core->iommu, bank);

	iommu_write(core->iommu, bank, offset, value);
	if (core_works(core) && paged && !iommu_pages(core->iommu, bank))
		power_violation(core->power, BOARD_UNMAPPED_BUSY, core->index, offset);
	if (iommu_wants_replay(core->iommu))
		timer_after(&core->replay, REPLAY_NS);
}

static void window_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct board_core *core = opaque;
	const int bank = iommu_bank(core, offset);
	const enum npu_state before = npu_core_state(core->npu);

	if (!answers(core, offset, bank) || core->knobs.dead)
		return;
	if (bank >= 0) {
		write_iommu(core, bank, offset % IOMMU_SIZE, value);
		return;
	}
	npu_core_write(core->npu, offset, value);
	if (before != NPU_READY && npu_core_state(core->npu) == NPU_READY)
		kick(core);
}

static const MemoryRegionOps window_ops = {
	.read = window_read,
	.write = window_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid.min_access_size = 4,
	.valid.max_access_size = 4,
	.impl.min_access_size = 4,
	.impl.max_access_size = 4,
};

void core_reset(struct board_core *core)
{
	core->resets++;
	core->busy = false;
	core->waiting = false;
	core->lingers = false;
	timer_del(&core->job);
	timer_del(&core->linger);
	timer_del(&core->stray);
	timer_del(&core->replay);
	npu_core_reset(core->npu);
	iommu_reset(core->iommu);
}

/* Raise the line for a moment with no cause in any register. */
static void spurious(struct board_core *core)
{
	if (core->spurious_level || !use_up(&core->knobs.spurious))
		return;
	core->spurious_level = true;
	irq_update(core);
	timer_after(&core->calm, SPURIOUS_NS);
}

static void calm(void *opaque)
{
	struct board_core *core = opaque;

	if (!core->spurious_level) {
		spurious(core);
		return;
	}
	core->spurious_level = false;
	irq_update(core);
	if (core->knobs.spurious)
		timer_after(&core->calm, SPURIOUS_NS);
}

void core_knobs_changed(struct board_core *core)
{
	spurious(core);
	if (core->waiting)
		complete(core);
}

void core_realize(struct board_core *core, Object *owner)
{
	static const struct npu_host npu_host = {
		.read = dma_read,
		.write = dma_write,
		.irq = npu_irq,
		.report = report,
	};
	static const struct iommu_host iommu_host = {
		.read_entry = read_entry,
		.irq = iommu_irq,
	};
	const struct npu_options options = {
		.core_index = core->index,
		.hold_completion = true,
		/*
		 * At 1 GHz longer than the 500 ms that the driver waits for a task. Such
		 * a task is lost either way, and the guest need not wait for its result.
		 */
		.max_task_cycles = 1ull << 29,
	};
	g_autofree char *name = g_strdup_printf("npu%u", core->index);

	core->npu = npu_core_create(&npu_host, core, &options);
	core->iommu = iommu_create(&iommu_host, core, core->index == 0 ? 2 : 1);
	if (!core->npu || !core->iommu)
		abort();
	timer_init_ns(&core->job, QEMU_CLOCK_VIRTUAL, job_due, core);
	timer_init_ns(&core->linger, QEMU_CLOCK_VIRTUAL, linger_due, core);
	timer_init_ns(&core->stray, QEMU_CLOCK_VIRTUAL, stray_due, core);
	timer_init_ns(&core->replay, QEMU_CLOCK_VIRTUAL, replay_due, core);
	timer_init_ns(&core->calm, QEMU_CLOCK_VIRTUAL, calm, core);
	memory_region_init_io(&core->window, owner, &window_ops, core, name, WINDOW_SIZE);
	memory_region_add_subregion(get_system_memory(), WINDOW_BASE(core->index), &core->window);
}
