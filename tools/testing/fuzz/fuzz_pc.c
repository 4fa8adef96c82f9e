// SPDX-License-Identifier: MIT
/*
 * Any bytes as a command stream through the whole model. Memory answers at
 * every address but in holes of a page, and the words stand alone: one byte
 * beyond them is a hole again. The model may refuse, hang or stall; it may not
 * touch memory that is not its own, break the rules of its callbacks, leave
 * npu_core_run() half done or take for ever.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../model/npu_model.h"
#include "fuzz_pc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 4096u
#define BACKING 65536u
#define MAX_CYCLES 150	/* the larger, the fewer inputs a second */

struct bus {
	const uint8_t *words;
	uint32_t n_bytes;	/* of @words */
	uint32_t base;
	uint32_t holes;
	uint8_t *backing;	/* what all other mapped addresses share */
};

static void must(bool good)
{
	if (!good)
		abort();
}

static bool page_is_hole(const struct bus *bus, uint32_t addr)
{
	uint32_t page = addr / PAGE;

	return bus->holes && (page * 2654435761u ^ bus->holes) % 8 == 0;
}

/* Whether @addr is within a page of the words, but not one of them. */
static bool in_redzone(const struct bus *bus, uint32_t addr)
{
	uint32_t at = addr - bus->base;

	return at >= bus->n_bytes && (at < bus->n_bytes + PAGE || at >= -PAGE);
}

static bool mapped(const struct bus *bus, uint32_t addr)
{
	if (addr - bus->base < bus->n_bytes)
		return true;
	return !in_redzone(bus, addr) && !page_is_hole(bus, addr);
}

/* Only the ends of pages and of the words can change the answer. */
static bool all_mapped(const struct bus *bus, uint32_t addr, size_t len)
{
	must(len >= 1 && (uint64_t)addr + len <= 1ull << 32);
	for (uint64_t at = addr; at < (uint64_t)addr + len; at = (at / 16 + 1) * 16)
		if (!mapped(bus, at))
			return false;
	return mapped(bus, addr + len - 1);
}

static int bus_read(void *ctx, uint32_t addr, void *buf, size_t len)
{
	struct bus *bus = ctx;
	uint8_t *to = buf;

	if (!all_mapped(bus, addr, len))
		return -EFAULT;
	if (addr - bus->base < bus->n_bytes) {
		memcpy(to, bus->words + (addr - bus->base), len);
		return 0;
	}
	for (size_t i = 0; i < len; i++)
		to[i] = bus->backing[(addr + i) % BACKING];
	return 0;
}

static int bus_write(void *ctx, uint32_t addr, const void *buf, size_t len)
{
	struct bus *bus = ctx;
	const uint8_t *from = buf;

	if (!all_mapped(bus, addr, len) || addr - bus->base < bus->n_bytes)
		return -EFAULT;
	for (size_t i = 0; i < len; i++)
		bus->backing[(addr + i) % BACKING] = from[i];
	return 0;
}

static void report(void *ctx, const struct npu_report *r)
{
	(void)ctx;
	must(r->severity <= NPU_ERROR && r->text && *r->text && !strchr(r->text, '\n'));
	must(r->word >= -1);
}

static void kick(struct npu_core *core, const struct fuzz_pc_header *header)
{
	enum npu_state state;

	npu_core_write(core, 0x0010, 1);
	npu_core_write(core, 0x1004, 0xe);
	npu_core_write(core, 0x3004, 0xe);
	npu_core_write(core, 0x0010, header->base & ~15u);
	npu_core_write(core, 0x0014, header->amount);
	npu_core_write(core, 0x0020, 0x1ffff);
	npu_core_write(core, 0x0024, 0x1ffff);
	npu_core_write(core, 0x0030, 0x7000 | (header->n_tasks & 0xfff));
	npu_core_write(core, 0x0008, 1);
	npu_core_write(core, 0x0008, 0);
	state = npu_core_run(core);
	must(state != NPU_READY && state == npu_core_state(core));
	must(state == NPU_IDLE || *npu_core_reason(core));
}

/* The host's writes, at any offset of the window. */
static size_t host_writes(struct npu_core *core, const uint8_t *data, size_t size, unsigned int n)
{
	struct fuzz_pc_write w;
	size_t used = 0;

	for (; n && size - used >= sizeof(w); n--, used += sizeof(w)) {
		memcpy(&w, data + used, sizeof(w));
		npu_core_write(core, w.reg, w.value);
		npu_core_read(core, w.reg);
	}
	return used;
}

/*
 * A core with the options of @header, as after power-up. Cores are made once,
 * since that costs more than most inputs; a reset is what silicon offers too.
 */
static struct npu_core *core_for(const struct fuzz_pc_header *header, struct bus *bus)
{
	static const uint8_t ties[3] = {
		NPU_TIES_OUT_EVEN, NPU_TIES_OUT_UP, NPU_TIES_OUT_AWAY,
	};
	static struct npu_core *cores[FUZZ_PC_KICK_TWICE];
	const struct npu_host host = { .read = bus_read, .write = bus_write, .report = report };
	const struct npu_options options = {
		.choices.value = {
			[NPU_TIES_OUT] = ties[header->options / FUZZ_PC_TIES % 3],
			[NPU_INTEGER_CHAINS] = header->options & FUZZ_PC_POISON ?
					       NPU_INTEGER_CHAINS_SPOILT : NPU_AS_ANSWERED,
		},
		.lint_stale = header->options & FUZZ_PC_LINT,
		.max_task_cycles = MAX_CYCLES,
	};
	struct npu_core **core = &cores[header->options % FUZZ_PC_KICK_TWICE];

	if (*core)
		npu_core_reset(*core);
	else
		*core = npu_core_create(&host, bus, &options);
	return *core;
}

static void run(const struct fuzz_pc_header *header, const uint8_t *data, size_t size)
{
	static uint8_t pattern[BACKING], backing[BACKING];
	static struct bus bus;
	struct npu_core *core = core_for(header, &bus);
	size_t used;

	if (!core)
		return;
	for (unsigned int i = 1; !pattern[1] && i < BACKING; i++)
		pattern[i] = i * 167 >> 3 | 1;
	memcpy(backing, pattern, BACKING);
	bus = (struct bus){ .base = header->base & ~15u,
			    .holes = header->holes,
			    .backing = backing };
	used = host_writes(core, data, size, header->n_writes);
	bus.words = data + used;
	bus.n_bytes = size - used;
	if (bus.base && bus.n_bytes > -bus.base)	/* the words end where the bus does */
		bus.n_bytes = -bus.base;
	kick(core, header);
	if (header->options & FUZZ_PC_RESET_BETWEEN)
		npu_core_reset(core);
	if (header->options & FUZZ_PC_KICK_TWICE)
		kick(core, header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_pc_header header;
	uint8_t *copy;

	if (size < sizeof(header) || size > BACKING)
		return 0;
	memcpy(&header, data, sizeof(header));
	/* a block of its own, so that ASan sees a read beyond the words */
	copy = malloc(size - sizeof(header) + 1);
	if (!copy)
		return 0;
	memcpy(copy, data + sizeof(header), size - sizeof(header));
	run(&header, copy, size - sizeof(header));
	free(copy);
	return 0;
}
