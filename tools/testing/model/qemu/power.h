/* SPDX-License-Identifier: MIT */
/*
 * Clocks, resets and power domains of the NPU as far as a driver can get them
 * wrong, and the list of what it got wrong. Knows no QEMU.
 */
#ifndef POWER_H
#define POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "board_regs.h"

/**
 * struct power_host - what a change of power does to the cores; @ctx as given
 * to power_init()
 * @busy:  a job runs on the core
 * @reset: the core and its IOMMU lose their state: both lines asserted, or the
 *         domain went off
 */
struct power_host {
	bool (*busy)(void *ctx, unsigned int core);
	void (*reset)(void *ctx, unsigned int core);
};

/**
 * struct power - state of the controller
 * @domains, clocks, resets, rate: BOARD_POWER to BOARD_RATE
 * @clock_count, power_count, reset_count, rate_count: BOARD_*_COUNT
 * @violations:    by enum board_violation
 * @last_kind, last_core, last_offset: the newest violation
 */
struct power {
	struct power_host host;
	void *ctx;
	uint32_t domains;
	uint32_t clocks;
	uint32_t resets;
	uint32_t rate;
	uint32_t clock_count[BOARD_N_CLOCKS];
	uint32_t power_count[BOARD_N_CORES];
	uint32_t reset_count[BOARD_N_CORES];
	uint32_t rate_count;
	uint32_t violations[BOARD_N_VIOLATIONS];
	uint32_t last_kind;
	uint32_t last_core;
	uint32_t last_offset;
};

void power_init(struct power *power, const struct power_host *host, void *ctx);
uint32_t power_read(const struct power *power, uint32_t offset);
void power_write(struct power *power, uint32_t offset, uint32_t value);

/*
 * A register of @core is about to be touched: true when it answers, false
 * after counting the violation. An IOMMU needs no PCLK.
 */
bool power_touch(struct power *power, unsigned int core, uint32_t offset, bool iommu);

void power_violation(struct power *power, enum board_violation kind, unsigned int core,
		     uint32_t offset);
uint32_t power_violations(const struct power *power);

#endif
