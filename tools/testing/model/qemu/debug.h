/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug page: faults to inject and counters, per core. */
#ifndef SCORIA_DEBUG_H
#define SCORIA_DEBUG_H

#include "core.h"
#include "power.h"

/**
 * struct board_debug - the page at BOARD_DEBUG_BASE
 * @power, cores: what it shows
 * @expected: violations that tests have caused on purpose
 */
struct board_debug {
	struct power *power;
	struct board_core *cores;
	uint32_t expected;
	MemoryRegion page;
};

/*
 * Map the page, and give @owner the same as properties of the monitor:
 * npu0-drop-irq and so on, npu0-kicks and so on.
 */
void debug_realize(struct board_debug *debug, Object *owner);

/* The counters of all cores as text, for the end of the run. */
void debug_print(const struct board_debug *debug, FILE *file);

#endif
