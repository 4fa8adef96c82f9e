// SPDX-License-Identifier: MIT
/* Bus access of the DMA engines. */
#include "npu.h"

/*
 * Addresses in commands are 32-bit IOVAs. TASK_DMA_BASE is added to those of
 * features, weights, DPU and PPU [TRM], not to the command fetch.
 */
static bool translate(struct npu_core *core, enum npu_dma dma, uint32_t *addr,
		      size_t len)
{
	if (dma != NPU_DMA_PC)
		*addr += core->unit[NPU_PC].reg[0][NPU_PC_TASK_DMA_BASE_ADDR / 4] &
			 NPU_PC_TASK_DMA_BASE_ADDR_DMA_BASE_ADDR;
	return len <= 0x100000000ull - *addr;
}

static bool fault(struct npu_core *core, const char *what, uint32_t event,
		  uint32_t addr, size_t len)
{
	core->word_addr = addr;
	npu_stop(core, NPU_STALLED, "%s of %zu bytes at %#x: nothing answers there",
		 what, len, addr);
	pc_raise(core, event);
	return false;
}

static const char *const engine[NPU_N_DMA] = {
	[NPU_DMA_PC]		= "command fetch",
	[NPU_DMA_FEATURE]	= "CNA feature read",
	[NPU_DMA_WEIGHT]	= "CNA weight read",
	[NPU_DMA_MRDMA]		= "MRDMA read",
	[NPU_DMA_BRDMA]		= "BRDMA read",
	[NPU_DMA_NRDMA]		= "NRDMA read",
	[NPU_DMA_ERDMA]		= "ERDMA read",
	[NPU_DMA_DPU_WDMA]	= "DPU write",
	[NPU_DMA_PPU_RDMA]	= "PPU_RDMA read",
	[NPU_DMA_PPU_WDMA]	= "PPU write",
};

static void account(struct npu_core *core, enum npu_dma dma, size_t len)
{
	core->counters.bytes[dma] += len;
	core->cost.bytes += len;
	if (dma == NPU_DMA_FEATURE || dma == NPU_DMA_WEIGHT)
		core->cost.loaded += len;
}

bool bus_read(struct npu_core *core, enum npu_dma dma, uint32_t addr,
	      void *buf, size_t len)
{
	if (!len)
		return true;
	if (!translate(core, dma, &addr, len) ||
	    core->host.read(core->ctx, addr, buf, len))
		return fault(core, engine[dma], NPU_INT_DMA_READ_ERROR, addr, len);
	account(core, dma, len);
	return true;
}

bool bus_write(struct npu_core *core, enum npu_dma dma, uint32_t addr,
	       const void *buf, size_t len)
{
	if (!len)
		return true;
	if (!translate(core, dma, &addr, len) ||
	    core->host.write(core->ctx, addr, buf, len))
		return fault(core, engine[dma], NPU_INT_DMA_WRITE_ERROR, addr, len);
	account(core, dma, len);
	return true;
}
