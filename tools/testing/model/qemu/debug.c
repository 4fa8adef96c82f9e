// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The debug page. One table names what can be broken, one what is counted;
 * both make a register of the page and a property of the monitor.
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "qapi/visitor.h"
#include "qemu/log.h"

#include "debug.h"

#define BANK_BYTES	(BOARD_CORE(1) - BOARD_CORE(0))

static const struct {
	uint32_t offset;
	const char *name;
	size_t field;
} knobs[] = {
	{ BOARD_DROP_IRQ, "drop-irq", offsetof(struct core_knobs, drop_irq) },
	{ BOARD_DELAY_IRQ_US, "delay-irq-us", offsetof(struct core_knobs, delay_irq_us) },
	{ BOARD_DELAY_START_US, "delay-start-us", offsetof(struct core_knobs, delay_start_us) },
	{ BOARD_FAIL_DMA, "fail-dma", offsetof(struct core_knobs, fail_dma) },
	{ BOARD_STUCK, "stuck", offsetof(struct core_knobs, stuck) },
	{ BOARD_SLOW, "slow", offsetof(struct core_knobs, slow) },
	{ BOARD_DEAD, "dead", offsetof(struct core_knobs, dead) },
	{ BOARD_SPURIOUS, "spurious", offsetof(struct core_knobs, spurious) },
	{ BOARD_GATE, "gate", offsetof(struct core_knobs, gate) },
	{ BOARD_LINGER_US, "linger-us", offsetof(struct core_knobs, linger_us) },
	{ BOARD_STRAY, "stray", offsetof(struct core_knobs, stray) },
};

static const struct {
	uint32_t offset;
	const char *name;
} counters[] = {
	{ BOARD_MMIO_READS, "mmio-reads" },
	{ BOARD_MMIO_WRITES, "mmio-writes" },
	{ BOARD_INTERRUPTS, "interrupts" },
	{ BOARD_KICKS, "kicks" },
	{ BOARD_TASKS, "tasks" },
	{ BOARD_WORDS, "words" },
	{ BOARD_BYTES_READ, "bytes-read" },
	{ BOARD_BYTES_WRITTEN, "bytes-written" },
	{ BOARD_MACS_USEFUL, "macs-useful" },
	{ BOARD_CYCLES, "cycles" },
	{ BOARD_IOMMU_FAULTS, "iommu-faults" },
	{ BOARD_IOMMU_WALKS, "iommu-walks" },
	{ BOARD_IOMMU_ZAPS, "iommu-zaps" },
	{ BOARD_RESETS, "resets" },
	{ BOARD_REPORTS, "reports" },
	{ BOARD_KICK_NS, "kick-ns" },
	{ BOARD_IRQ_NS, "irq-ns" },
	{ BOARD_IRQ_TO_KICK_NS, "irq-to-kick-ns" },
	{ BOARD_IRQ_TO_READ_NS, "irq-to-read-ns" },
};

static uint64_t bytes_written(const struct npu_counters *npu)
{
	return npu->bytes[NPU_DMA_DPU_WDMA] + npu->bytes[NPU_DMA_PPU_WDMA];
}

static uint64_t bytes_read(const struct npu_counters *npu)
{
	uint64_t sum = 0;

	for (unsigned int dma = 0; dma < NPU_N_DMA; dma++)
		sum += npu->bytes[dma];
	return sum - bytes_written(npu);
}

static uint64_t counter_value(const struct board_core *core, uint32_t offset)
{
	const struct npu_counters *npu = npu_core_counters(core->npu);
	const struct iommu_counters *iommu = iommu_counters(core->iommu);

	switch (offset) {
	case BOARD_MMIO_READS:
		return npu->mmio_reads;
	case BOARD_MMIO_WRITES:
		return npu->mmio_writes;
	case BOARD_INTERRUPTS:
		return npu->interrupts;
	case BOARD_KICKS:
		return npu->kicks;
	case BOARD_TASKS:
		return npu->tasks;
	case BOARD_WORDS:
		return npu->words;
	case BOARD_BYTES_READ:
		return bytes_read(npu);
	case BOARD_BYTES_WRITTEN:
		return bytes_written(npu);
	case BOARD_MACS_USEFUL:
		return npu->macs_useful;
	case BOARD_CYCLES:
		return npu->cycles_all;
	case BOARD_IOMMU_FAULTS:
		return iommu->faults;
	case BOARD_IOMMU_WALKS:
		return iommu->walks;
	case BOARD_IOMMU_ZAPS:
		return iommu->zaps;
	case BOARD_RESETS:
		return core->resets;
	case BOARD_REPORTS:
		return core->reports;
	case BOARD_KICK_NS:
		return core->kick_ns;
	case BOARD_IRQ_NS:
		return core->irq_ns;
	case BOARD_IRQ_TO_KICK_NS:
		return core->irq_to_kick_ns;
	case BOARD_IRQ_TO_READ_NS:
		return core->irq_to_read_ns;
	}
	return 0;
}

static uint32_t *knob_at(struct board_core *core, uint32_t offset)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(knobs); i++)
		if (knobs[i].offset == offset)
			return (uint32_t *)((char *)&core->knobs + knobs[i].field);
	return NULL;
}

static struct board_core *core_at(struct board_debug *debug, hwaddr *offset)
{
	const hwaddr core = *offset / BANK_BYTES - 1;

	if (*offset < BOARD_CORE(0) || core >= BOARD_N_CORES)
		return NULL;
	*offset %= BANK_BYTES;
	return &debug->cores[core];
}

static uint32_t common_read(const struct board_debug *debug, hwaddr offset)
{
	const struct power *power = debug->power;

	switch (offset) {
	case BOARD_MAGIC:
		return BOARD_MAGIC_VALUE;
	case BOARD_VIOLATIONS:
		return power_violations(power);
	case BOARD_EXPECTED:
		return debug->expected;
	case BOARD_LAST_KIND:
		return power->last_kind;
	case BOARD_LAST_CORE:
		return power->last_core;
	case BOARD_LAST_OFFSET:
		return power->last_offset;
	case BOARD_NOW_NS:
		return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	case BOARD_NOW_NS + 4:
		return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) >> 32;
	}
	if (offset >= BOARD_VIOLATIONS_OF(0) && offset < BOARD_VIOLATIONS_OF(BOARD_N_VIOLATIONS))
		return power->violations[(offset - BOARD_VIOLATIONS_OF(0)) / 4];
	if (offset >= BOARD_CONTROL_MIRROR)
		return power_read(power, offset - BOARD_CONTROL_MIRROR);
	return 0;
}

static uint64_t debug_read(void *opaque, hwaddr offset, unsigned int size)
{
	struct board_debug *debug = opaque;
	struct board_core *core = core_at(debug, &offset);
	const uint32_t *knob;
	uint64_t value;

	if (!core)
		return common_read(debug, offset);
	knob = knob_at(core, offset);
	if (knob)
		return *knob;
	value = counter_value(core, offset & ~4ull);
	return offset & 4 ? value >> 32 : (uint32_t)value;
}

static void debug_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	struct board_debug *debug = opaque;
	struct board_core *core = core_at(debug, &offset);
	uint32_t *knob = core ? knob_at(core, offset) : NULL;

	if (!core && offset == BOARD_EXPECTED)
		debug->expected = value;
	if (!knob)
		return;
	*knob = value;
	core_knobs_changed(core);
}

static const MemoryRegionOps debug_ops = {
	.read = debug_read,
	.write = debug_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid.min_access_size = 4,
	.valid.max_access_size = 4,
	.impl.min_access_size = 4,
	.impl.max_access_size = 4,
};

static void counter_get(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
	const struct board_core *core = opaque;
	uint64_t value = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(counters); i++)
		if (!strcmp(strchr(name, '-') + 1, counters[i].name))
			value = counter_value(core, counters[i].offset);
	visit_type_uint64(v, name, &value, errp);
}

static void add_properties(struct board_core *core, Object *owner)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(knobs); i++) {
		g_autofree char *name = g_strdup_printf("npu%u-%s", core->index, knobs[i].name);

		object_property_add_uint32_ptr(owner, name, knob_at(core, knobs[i].offset),
					       OBJ_PROP_FLAG_READWRITE);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(counters); i++) {
		g_autofree char *name = g_strdup_printf("npu%u-%s", core->index, counters[i].name);

		object_property_add(owner, name, "uint64", counter_get, NULL, NULL, core);
	}
}

void debug_print(const struct board_debug *debug, FILE *file)
{
	for (unsigned int core = 0; core < BOARD_N_CORES; core++) {
		fprintf(file, "scoria-board: npu%u", core);
		for (unsigned int i = 0; i < ARRAY_SIZE(counters); i++)
			fprintf(file, " %s=%" PRIu64, counters[i].name,
				counter_value(&debug->cores[core], counters[i].offset));
		fprintf(file, "\n");
	}
}

void debug_realize(struct board_debug *debug, Object *owner)
{
	for (unsigned int core = 0; core < BOARD_N_CORES; core++)
		add_properties(&debug->cores[core], owner);
	memory_region_init_io(&debug->page, owner, &debug_ops, debug, "scoria-debug",
			      BOARD_DEBUG_SIZE);
	memory_region_add_subregion(get_system_memory(), BOARD_DEBUG_BASE, &debug->page);
}
