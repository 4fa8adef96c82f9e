// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NPU of an RK3588 on QEMU's virt machine: -device scoria-board.
 *
 * QEMU interface:
 * + three cores with their IOMMUs at 0xfdab0000, 0xfdac0000 and 0xfdad0000,
 *   SPIs 110 to 112 (programming-model A3)
 * + clocks, resets and power domains at BOARD_CONTROL_BASE, for the provider
 *   driver of the guest; injected faults and counters at BOARD_DEBUG_BASE
 * + properties npu0-... of the same faults and counters, for the monitor, and
 *   "dead", a mask of cores that read as 0 from the start
 * + two kinds of line on standard error at the end: counters, and violations
 *
 * The machine needs less than 3 GiB of memory, or these addresses are RAM.
 */
#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/boards.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "sysemu/sysemu.h"

#include "debug.h"
#include "power.h"

#define TYPE_SCORIA_BOARD "scoria-board"
OBJECT_DECLARE_SIMPLE_TYPE(ScoriaBoard, SCORIA_BOARD)

#define FIRST_SPI	110

struct ScoriaBoard {
	DeviceState parent;
	struct board_core cores[BOARD_N_CORES];
	struct power power;
	struct board_debug debug;
	MemoryRegion control;
	uint32_t dead;
	Notifier exit;
};

static uint64_t control_read(void *opaque, hwaddr offset, unsigned int size)
{
	return power_read(opaque, offset);
}

static void control_write(void *opaque, hwaddr offset, uint64_t value, unsigned int size)
{
	power_write(opaque, offset, value);
}

static const MemoryRegionOps control_ops = {
	.read = control_read,
	.write = control_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid.min_access_size = 4,
	.valid.max_access_size = 4,
	.impl.min_access_size = 4,
	.impl.max_access_size = 4,
};

static bool core_is_busy(void *ctx, unsigned int core)
{
	ScoriaBoard *board = ctx;

	return core_works(&board->cores[core]);
}

static void reset_core(void *ctx, unsigned int core)
{
	ScoriaBoard *board = ctx;

	core_reset(&board->cores[core]);
}

static void print_result(Notifier *notifier, void *unused)
{
	ScoriaBoard *board = container_of(notifier, ScoriaBoard, exit);
	const struct power *power = &board->power;

	debug_print(&board->debug, stderr);
	fprintf(stderr, "scoria-board: violations=%u expected=%u last-kind=%u last-core=%u last-offset=%#x\n",
		power_violations(power), board->debug.expected, power->last_kind,
		power->last_core, power->last_offset);
}

static DeviceState *find_gic(void)
{
	return DEVICE(object_resolve_path_type("", "arm-gicv3", NULL));
}

static void board_realize(DeviceState *dev, Error **errp)
{
	static const struct power_host power_host = {
		.busy = core_is_busy,
		.reset = reset_core,
	};
	ScoriaBoard *board = SCORIA_BOARD(dev);
	DeviceState *gic = find_gic();

	if (!gic) {
		error_setg(errp, "scoria-board needs -machine virt,gic-version=3");
		return;
	}
	power_init(&board->power, &power_host, board);
	for (unsigned int i = 0; i < BOARD_N_CORES; i++) {
		struct board_core *core = &board->cores[i];

		core->index = i;
		core->power = &board->power;
		core->ram = MACHINE(qdev_get_machine())->ram;
		core->irq = qdev_get_gpio_in(gic, FIRST_SPI + i);
		core->knobs.dead = board->dead >> i & 1;
		core_realize(core, OBJECT(dev));
	}
	memory_region_init_io(&board->control, OBJECT(dev), &control_ops, &board->power,
			      "scoria-control", 0x1000);
	memory_region_add_subregion(get_system_memory(), BOARD_CONTROL_BASE, &board->control);
	board->debug.power = &board->power;
	board->debug.cores = board->cores;
	debug_realize(&board->debug, OBJECT(dev));
	board->exit.notify = print_result;
	qemu_add_exit_notifier(&board->exit);
}

static Property board_properties[] = {
	DEFINE_PROP_UINT32("dead", ScoriaBoard, dead, 0),
	DEFINE_PROP_END_OF_LIST(),
};

static void board_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(class);

	dc->realize = board_realize;
	dc->desc = "NPU of the RK3588, for the tests of scoria";
	dc->user_creatable = true;
	dc->hotpluggable = false;
	device_class_set_props(dc, board_properties);
}

static const TypeInfo board_type = {
	.name = TYPE_SCORIA_BOARD,
	.parent = TYPE_DEVICE,
	.instance_size = sizeof(ScoriaBoard),
	.class_init = board_class_init,
};

static void board_register(void)
{
	type_register_static(&board_type);
}

type_init(board_register)
