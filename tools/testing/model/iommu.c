// SPDX-License-Identifier: MIT
/*
 * Rockchip's IOMMU as the RK3588 has it: two levels of 1024 entries, physical
 * addresses of 40 bits (programming-model I4).
 *
 * With two banks, reads go through the first and writes through the second [?]:
 * which of core 0's DMA engines uses which is unknown, and this way neither may
 * be left out. The TLB holds pages, never faults; its size is unknown [?].
 *
 * Not modelled: AUTO_GATING beyond its value; a stall that takes time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iommu.h"

#define DTE_ADDR	0x00
#define STATUS		0x04
#define COMMAND		0x08
#define PAGE_FAULT_ADDR	0x0c
#define ZAP_ONE_LINE	0x10
#define INT_RAWSTAT	0x14
#define INT_CLEAR	0x18
#define INT_MASK	0x1c
#define INT_STATUS	0x20
#define AUTO_GATING	0x24

#define STATUS_PAGING		(1u << 0)
#define STATUS_FAULT		(1u << 1)
#define STATUS_STALL		(1u << 2)
#define STATUS_IDLE		(1u << 3)
#define STATUS_REPLAY_EMPTY	(1u << 4)
#define STATUS_FAULT_WRITE	(1u << 5)
#define STATUS_NO_STALL		(1u << 31)

enum command {
	COMMAND_ENABLE_PAGING,
	COMMAND_DISABLE_PAGING,
	COMMAND_ENABLE_STALL,
	COMMAND_DISABLE_STALL,
	COMMAND_ZAP_CACHE,
	COMMAND_FAULT_DONE,
	COMMAND_FORCE_RESET,
};

#define INT_PAGE_FAULT	(1u << 0)
#define INT_BUS_ERROR	(1u << 1)
#define INT_BITS	(INT_PAGE_FAULT | INT_BUS_ERROR)

#define ENTRY_VALID	(1u << 0)
#define PTE_READABLE	(1u << 1)
#define PTE_WRITABLE	(1u << 2)
#define DTE_ADDR_BITS	0xfffffff0u
#define AUTO_GATING_RESET 0x3u	/* [?]: nobody relies on it */

#define TLB_LINES	128

/**
 * struct line - a page that the TLB remembers
 * @valid: it holds something
 * @page:  IOVA >> 12
 * @pte:   page table entry
 */
struct line {
	bool valid;
	uint32_t page;
	uint32_t pte;
};

/**
 * struct bank - one register bank with its TLB
 * @stall_wanted: ENABLE_STALL was commanded; it takes effect once no access
 *                hangs in a fault
 * @faulted:      an access waits, until it is replayed or the bank is reset
 * @replay:       FAULT_DONE was commanded since
 */
struct bank {
	uint32_t dte_addr;
	uint32_t fault_addr;
	uint32_t raw;
	uint32_t mask;
	uint32_t auto_gating;
	bool paging;
	bool stall_wanted;
	bool faulted;
	bool fault_active;
	bool fault_write;
	bool replay;
	struct line tlb[TLB_LINES];
};

struct iommu {
	struct iommu_host host;
	void *ctx;
	unsigned int n_banks;
	struct bank bank[IOMMU_MAX_BANKS];
	struct iommu_counters counters;
	bool level;
};

/* The one place that decides the level of the interrupt line. */
static void irq_update(struct iommu *iommu)
{
	bool level = false;

	for (unsigned int i = 0; i < iommu->n_banks; i++)
		level |= (iommu->bank[i].raw & iommu->bank[i].mask) != 0;
	if (level == iommu->level)
		return;
	iommu->level = level;
	iommu->host.irq(iommu->ctx, level);
}

static void bank_reset(struct bank *bank)
{
	memset(bank, 0, sizeof(*bank));
	bank->auto_gating = AUTO_GATING_RESET;
}

static bool bank_stalled(const struct bank *bank)
{
	return bank->stall_wanted && !bank->faulted;
}

static uint32_t bank_status(const struct bank *bank)
{
	uint32_t status = 0;

	status |= bank->paging ? STATUS_PAGING : 0;
	status |= bank->fault_active ? STATUS_FAULT : 0;
	status |= bank->fault_active && bank->fault_write ? STATUS_FAULT_WRITE : 0;
	status |= bank_stalled(bank) ? STATUS_STALL : STATUS_NO_STALL;
	status |= bank->faulted ? 0 : STATUS_IDLE | STATUS_REPLAY_EMPTY;
	return status;
}

static void zap_all(struct iommu *iommu, struct bank *bank)
{
	memset(bank->tlb, 0, sizeof(bank->tlb));
	iommu->counters.zaps++;
}

static void zap_line(struct iommu *iommu, struct bank *bank, uint32_t iova)
{
	struct line *line = &bank->tlb[(iova / IOMMU_PAGE_BYTES) % TLB_LINES];

	if (line->page == iova / IOMMU_PAGE_BYTES)
		line->valid = false;
	iommu->counters.zaps++;
}

static void bank_command(struct iommu *iommu, struct bank *bank, uint32_t value)
{
	switch ((enum command)value) {
	case COMMAND_ENABLE_PAGING:
		bank->paging = true;
		break;
	case COMMAND_DISABLE_PAGING:
		bank->paging = false;
		break;
	case COMMAND_ENABLE_STALL:
		bank->stall_wanted = bank->paging;
		break;
	case COMMAND_DISABLE_STALL:
		bank->stall_wanted = false;
		break;
	case COMMAND_ZAP_CACHE:
		zap_all(iommu, bank);
		break;
	case COMMAND_FAULT_DONE:
		bank->fault_active = false;
		bank->replay = bank->faulted;
		break;
	case COMMAND_FORCE_RESET:
		bank_reset(bank);
		break;
	}
}

uint32_t iommu_read(struct iommu *iommu, unsigned int index, uint32_t offset)
{
	const struct bank *bank = &iommu->bank[index];

	switch (offset) {
	case DTE_ADDR:
		return bank->dte_addr;
	case STATUS:
		return bank_status(bank);
	case PAGE_FAULT_ADDR:
		return bank->fault_addr;
	case INT_RAWSTAT:
		return bank->raw;
	case INT_MASK:
		return bank->mask;
	case INT_STATUS:
		return bank->raw & bank->mask;
	case AUTO_GATING:
		return bank->auto_gating;
	}
	return 0;
}

void iommu_write(struct iommu *iommu, unsigned int index, uint32_t offset, uint32_t value)
{
	struct bank *bank = &iommu->bank[index];

	switch (offset) {
	case DTE_ADDR:
		bank->dte_addr = value & DTE_ADDR_BITS;
		break;
	case COMMAND:
		bank_command(iommu, bank, value);
		break;
	case ZAP_ONE_LINE:
		zap_line(iommu, bank, value);
		break;
	case INT_CLEAR:
		bank->raw &= ~value;
		break;
	case INT_MASK:
		bank->mask = value & INT_BITS;
		break;
	case AUTO_GATING:
		bank->auto_gating = value;
		break;
	}
	irq_update(iommu);
}

/* Directory address, DTE and PTE share one encoding of 40-bit addresses. */
static uint64_t entry_address(uint32_t entry)
{
	return (uint64_t)(entry & 0xfffff000u) | (uint64_t)(entry & 0xf00u) << 24 |
	       (uint64_t)(entry & 0xf0u) << 32;
}

static int fault(struct iommu *iommu, struct bank *bank, uint32_t iova, bool write,
		 uint32_t event)
{
	bank->faulted = true;
	bank->fault_active = true;
	bank->fault_write = write;
	bank->fault_addr = iova;
	bank->replay = false;
	bank->raw |= event;
	iommu->counters.faults++;
	irq_update(iommu);
	return -EFAULT;
}

/* The interrupt bit of what went wrong, 0 when @pte is valid. */
static uint32_t walk(struct iommu *iommu, const struct bank *bank, uint32_t iova, uint32_t *pte)
{
	uint32_t dte;

	iommu->counters.walks++;
	if (iommu->host.read_entry(iommu->ctx,
				   entry_address(bank->dte_addr) + (iova >> 22) * 4, &dte))
		return INT_BUS_ERROR;
	if (!(dte & ENTRY_VALID))
		return INT_PAGE_FAULT;
	if (iommu->host.read_entry(iommu->ctx,
				   entry_address(dte) + (iova >> 12 & 0x3ff) * 4, pte))
		return INT_BUS_ERROR;
	return *pte & ENTRY_VALID ? 0 : INT_PAGE_FAULT;
}

static uint32_t lookup(struct iommu *iommu, struct bank *bank, uint32_t iova, uint32_t *pte)
{
	const uint32_t page = iova / IOMMU_PAGE_BYTES;
	struct line *line = &bank->tlb[page % TLB_LINES];
	uint32_t event;

	if (line->valid && line->page == page) {
		*pte = line->pte;
		return 0;
	}
	event = walk(iommu, bank, iova, pte);
	if (!event)
		*line = (struct line){ .valid = true, .page = page, .pte = *pte };
	return event;
}

static struct bank *bank_of(struct iommu *iommu, bool write)
{
	return &iommu->bank[write ? iommu->n_banks - 1 : 0];
}

bool iommu_pages(const struct iommu *iommu, unsigned int bank)
{
	return iommu->bank[bank].paging;
}

int iommu_translate(struct iommu *iommu, uint32_t iova, bool write, uint64_t *pa)
{
	struct bank *bank = bank_of(iommu, write);
	uint32_t event, pte;

	if (!bank->paging) {
		*pa = iova;
		return 0;
	}
	event = lookup(iommu, bank, iova, &pte);
	if (!event && !(pte & (write ? PTE_WRITABLE : PTE_READABLE)))
		event = INT_PAGE_FAULT;
	if (event)
		return fault(iommu, bank, iova, write, event);
	*pa = entry_address(pte) + iova % IOMMU_PAGE_BYTES;
	return 0;
}

bool iommu_wants_replay(const struct iommu *iommu)
{
	for (unsigned int i = 0; i < iommu->n_banks; i++)
		if (iommu->bank[i].replay)
			return true;
	return false;
}

int iommu_replay(struct iommu *iommu)
{
	int error = 0;

	for (unsigned int i = 0; i < iommu->n_banks; i++) {
		struct bank *bank = &iommu->bank[i];
		uint64_t pa;

		if (!bank->replay)
			continue;
		bank->replay = false;
		bank->faulted = false;
		if (iommu_translate(iommu, bank->fault_addr, bank->fault_write, &pa))
			error = -EFAULT;
	}
	return error;
}

void iommu_reset(struct iommu *iommu)
{
	for (unsigned int i = 0; i < iommu->n_banks; i++)
		bank_reset(&iommu->bank[i]);
	irq_update(iommu);
}

struct iommu *iommu_create(const struct iommu_host *host, void *ctx, unsigned int n_banks)
{
	struct iommu *iommu = calloc(1, sizeof(*iommu));

	if (!iommu)
		return NULL;
	iommu->host = *host;
	iommu->ctx = ctx;
	iommu->n_banks = n_banks;
	iommu_reset(iommu);
	return iommu;
}

void iommu_destroy(struct iommu *iommu)
{
	free(iommu);
}

const struct iommu_counters *iommu_counters(const struct iommu *iommu)
{
	return &iommu->counters;
}
