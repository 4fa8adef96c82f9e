// SPDX-License-Identifier: MIT
/*
 * Clocks, resets and power domains of the test board (programming-model I2,
 * I3; faults P1 to P6).
 *
 * Not modelled: voltages, the time that a domain takes to come up, and the
 * minimum time in reset.
 */
#include <string.h>

#include "power.h"

#define ALL(n)		((1u << (n)) - 1)
#define TOP_DOMAIN	0	/* NPUTOP: holds core 0, and feeds NPU1 and NPU2 */

void power_violation(struct power *power, enum board_violation kind, unsigned int core,
		     uint32_t offset)
{
	power->violations[kind]++;
	power->last_kind = kind;
	power->last_core = core;
	power->last_offset = offset;
}

uint32_t power_violations(const struct power *power)
{
	uint32_t sum = 0;

	for (unsigned int kind = 0; kind < BOARD_N_VIOLATIONS; kind++)
		sum += power->violations[kind];
	return sum;
}

/* Clocks that the core's registers need; the work of a job needs them all. */
static uint32_t register_clocks(unsigned int core, bool iommu)
{
	const uint32_t bus = 1u << (BOARD_CLOCK_ACLK + core) | 1u << (BOARD_CLOCK_HCLK + core);

	return iommu ? bus : bus | 1u << BOARD_CLOCK_PCLK;
}

static uint32_t job_clocks(unsigned int core)
{
	return register_clocks(core, false) | 1u << BOARD_CLOCK_NPU;
}

static uint32_t reset_lines(unsigned int core)
{
	return 1u << (BOARD_RESET_A + core) | 1u << (BOARD_RESET_H + core);
}

bool power_touch(struct power *power, unsigned int core, uint32_t offset, bool iommu)
{
	const uint32_t clocks = register_clocks(core, iommu);

	if (!(power->domains & 1u << core))
		power_violation(power, BOARD_TOUCHED_OFF, core, offset);
	else if ((power->clocks & clocks) != clocks)
		power_violation(power, BOARD_TOUCHED_GATED, core, offset);
	else if (power->resets & reset_lines(core))
		power_violation(power, BOARD_TOUCHED_RESET, core, offset);
	else
		return true;
	return false;
}

static void count_rising(uint32_t *counts, unsigned int n, uint32_t rising)
{
	for (unsigned int i = 0; i < n; i++)
		counts[i] += rising >> i & 1;
}

static void write_domains(struct power *power, uint32_t value)
{
	const uint32_t off = power->domains & ~value;

	count_rising(power->power_count, BOARD_N_CORES, value & ~power->domains);
	if (value & ~(1u << TOP_DOMAIN) && !(value & 1u << TOP_DOMAIN))
		power_violation(power, BOARD_DOMAIN_ORDER, TOP_DOMAIN, BOARD_POWER);
	if (off & 1u << TOP_DOMAIN && power->rate > BOARD_RATE_BOOT)
		power_violation(power, BOARD_RATE_LEFT_UP, TOP_DOMAIN, BOARD_POWER);
	power->domains = value;
	for (unsigned int core = 0; core < BOARD_N_CORES; core++) {
		if (!(off & 1u << core))
			continue;
		if (power->host.busy(power->ctx, core))
			power_violation(power, BOARD_STOPPED_BUSY, core, BOARD_POWER);
		power->host.reset(power->ctx, core);
	}
}

static void write_clocks(struct power *power, uint32_t value)
{
	const uint32_t off = power->clocks & ~value;

	count_rising(power->clock_count, BOARD_N_CLOCKS, value & ~power->clocks);
	power->clocks = value;
	for (unsigned int core = 0; core < BOARD_N_CORES; core++)
		if (off & job_clocks(core) && power->host.busy(power->ctx, core))
			power_violation(power, BOARD_STOPPED_BUSY, core, BOARD_CLOCK);
}

static void write_resets(struct power *power, uint32_t value)
{
	const uint32_t before = power->resets;

	power->resets = value;
	for (unsigned int core = 0; core < BOARD_N_CORES; core++) {
		const uint32_t lines = reset_lines(core);

		if ((value & lines) != lines || (before & lines) == lines)
			continue;
		power->reset_count[core]++;
		power->host.reset(power->ctx, core);
	}
}

static void write_rate(struct power *power, uint32_t value)
{
	if (!(power->domains & 1u << TOP_DOMAIN))
		power_violation(power, BOARD_RATE_WHILE_OFF, TOP_DOMAIN, BOARD_RATE);
	power->rate_count++;
	power->rate = value ? value : 1;
}

uint32_t power_read(const struct power *power, uint32_t offset)
{
	switch (offset) {
	case BOARD_POWER:
		return power->domains;
	case BOARD_CLOCK:
		return power->clocks;
	case BOARD_RESET:
		return power->resets;
	case BOARD_RATE:
		return power->rate;
	case BOARD_RATE_COUNT:
		return power->rate_count;
	}
	if (offset >= BOARD_CLOCK_COUNT(0) && offset < BOARD_CLOCK_COUNT(BOARD_N_CLOCKS))
		return power->clock_count[(offset - BOARD_CLOCK_COUNT(0)) / 4];
	if (offset >= BOARD_POWER_COUNT(0) && offset < BOARD_POWER_COUNT(BOARD_N_CORES))
		return power->power_count[(offset - BOARD_POWER_COUNT(0)) / 4];
	if (offset >= BOARD_RESET_COUNT(0) && offset < BOARD_RESET_COUNT(BOARD_N_CORES))
		return power->reset_count[(offset - BOARD_RESET_COUNT(0)) / 4];
	return 0;
}

void power_write(struct power *power, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case BOARD_POWER:
		write_domains(power, value & ALL(BOARD_N_CORES));
		break;
	case BOARD_CLOCK:
		write_clocks(power, value & ALL(BOARD_N_CLOCKS));
		break;
	case BOARD_RESET:
		write_resets(power, value & ALL(BOARD_N_RESETS));
		break;
	case BOARD_RATE:
		write_rate(power, value);
		break;
	}
}

void power_init(struct power *power, const struct power_host *host, void *ctx)
{
	memset(power, 0, sizeof(*power));
	power->host = *host;
	power->ctx = ctx;
	power->rate = BOARD_RATE_BOOT;
}
