// SPDX-License-Identifier: MIT
/* See recipe.h. */
#include "fp16.h"
#include "recipe.h"

void recipe_dpu_neutral(struct task *t)
{
	task_append(t, DPU_BS_CFG, 0x53);
	task_append(t, DPU_BS_ALU, 0);
	task_append(t, DPU_BS_MUL, 0);
	task_append(t, DPU_BS_RELUX, 0);
	task_append(t, DPU_BN_CFG, 0x53);
	task_append(t, DPU_BN_ALU, 0);
	task_append(t, DPU_BN_MUL, 0);
	task_append(t, DPU_BN_RELUX, 0);
	task_append(t, DPU_EW_CFG, 0x383);
	task_append(t, DPU_EW_OFFSET, 0);
	task_append(t, DPU_EW_SCALE, 1);
	task_append(t, DPU_EW_RELUX, 0);
	for (unsigned int reg = DPU_EW_OP_VALUE_0; reg <= DPU_EW_OP_VALUE_7; reg += 4)
		task_append(t, reg, 0);
	for (unsigned int reg = DPU_LUT_ACCESS_CFG; reg <= DPU_LUT_LO_SLOPE_SHIFT; reg += 4)
		task_append(t, reg, 0);
	task_append(t, DPU_UNKNOWN_40C4, 0);
}

void recipe_rdma_off(struct task *t)
{
	task_append(t, RDMA_BRDMA_CFG, 0);
	task_append(t, RDMA_BS_BASE, 0);
	task_append(t, RDMA_NRDMA_CFG, 0);
	task_append(t, RDMA_BN_BASE, 0);
	task_append(t, RDMA_ERDMA_CFG, 1);
	task_append(t, RDMA_EW_BASE, 0);
	task_append(t, RDMA_EW_SURF_STRIDE, 0);
	task_append(t, RDMA_SRC_DMA_CFG, 0);
	task_append(t, RDMA_SURF_NOTCH, 0);
	task_append(t, RDMA_PAD_CFG, 0);
	task_append(t, RDMA_WEIGHT, 0x01010101);
	task_append(t, RDMA_EW_SURF_NOTCH, 0);
}

void recipe_flying(struct task *t, unsigned int units)
{
	task_begin(t, EN_FLYING);
	task_append(t, DPU_S_POINTER, 0xe);
	task_append(t, RDMA_S_POINTER, 0xe);
	task_append(t, DPU_FEATURE_MODE_CFG, 0x1e5);
	task_append(t, DPU_DATA_FORMAT, 0x48000002);
	task_append(t, DPU_OFFSET_PEND, 0);
	task_append(t, DPU_DST_BASE, AT_Y);
	task_append(t, DPU_DST_SURF_STRIDE, units << 4);
	task_append(t, DPU_WIDTH, units - 1);
	task_append(t, DPU_HEIGHT, 0);
	task_append(t, DPU_NOTCH, 0);
	task_append(t, DPU_CHANNEL, 0x70007);
	task_append(t, DPU_BS_OW_CFG, 2);
	task_append(t, DPU_OW_OP, 0);
	task_append(t, DPU_WDMA_SIZE_0, 7);
	task_append(t, DPU_WDMA_SIZE_1, units - 1);
	recipe_dpu_neutral(t);
	task_append(t, DPU_OUT_OFFSET, 0);
	task_append(t, DPU_OUT_SCALE, 0x10001);
	task_append(t, DPU_OUT_SHIFT, 0);
	task_append(t, DPU_SURFACE_ADD, units << 4);
	task_append(t, RDMA_WIDTH, units - 1);
	task_append(t, RDMA_HEIGHT, 0);
	task_append(t, RDMA_CHANNEL, 7);
	task_append(t, RDMA_SRC_BASE, AT_X);
	recipe_rdma_off(t);
	task_append(t, RDMA_FEATURE_MODE_CFG, 0x17849);
}

/* BS_CFG: add, operand from the register, MUL and RELU bypassed. */
void recipe_flying_add(struct task *t, uint32_t src, uint32_t dst, float addend)
{
	recipe_flying(t, 1);
	task_set(t, RDMA_SRC_BASE, src);
	task_set(t, DPU_DST_BASE, dst);
	task_set(t, DPU_BS_CFG, 0x20050);
	task_set(t, DPU_BS_ALU, fp32_bits(addend));
}

static void pool_source(struct task *t, const struct pool *p)
{
	task_append(t, PPU_RDMA_WIDTH, p->iw - 1);
	task_append(t, PPU_RDMA_HEIGHT, p->ih - 1);
	task_append(t, PPU_RDMA_CHANNEL, p->c - 1);
	task_append(t, PPU_RDMA_SRC_BASE, AT_X);
	task_append(t, PPU_RDMA_LINE_STRIDE, p->iw * 16);
	task_append(t, PPU_RDMA_SURF_STRIDE, p->iw * p->ih * 16);
	task_append(t, PPU_RDMA_DATA_FORMAT, 2);
}

/* 65536/k as fp16 bits, G; infinity for k = 1. */
static uint32_t reciprocal(const struct pool *p, unsigned int k)
{
	return p->method ? 0 : fp32_to_fp16(65536.0f / k);
}

void recipe_pool(struct task *t, const struct pool *p)
{
	static const uint32_t pad_value[] = { 0, 0xfc00, 0x7c00 };

	task_begin(t, EN_POOL);
	task_append(t, PPU_S_POINTER, 0xe);
	task_append(t, PPU_RDMA_S_POINTER, 0xe);
	task_append(t, PPU_IN_WIDTH, p->iw - 1);
	task_append(t, PPU_IN_HEIGHT, p->ih - 1);
	task_append(t, PPU_IN_CHANNEL, p->c - 1);
	task_append(t, PPU_OUT_WIDTH, p->ow - 1);
	task_append(t, PPU_OUT_HEIGHT, p->oh - 1);
	task_append(t, PPU_OUT_CHANNEL, p->c - 1);
	task_append(t, PPU_OPERATION_MODE, 0x10 | p->method);
	task_append(t, PPU_KERNEL, (p->kw - 1) | (p->kh - 1) << 8 | (p->sx - 1) << 16 |
				   (p->sy - 1) << 20);
	task_append(t, PPU_RECIP_W, reciprocal(p, p->kw));
	task_append(t, PPU_RECIP_H, reciprocal(p, p->kh));
	task_append(t, PPU_PAD, p->left | p->top << 4 | p->right << 8 | p->bottom << 12);
	task_append(t, PPU_PAD_VALUE_1, pad_value[p->method]);
	task_append(t, PPU_PAD_VALUE_2, 0);
	task_append(t, PPU_DST_BASE, AT_Y);
	task_append(t, PPU_DST_SURF_STRIDE, p->ow * p->oh * 16);
	task_append(t, PPU_DATA_FORMAT, p->ow * p->oh * 16 | 2);
	task_append(t, PPU_MISC, 3);
	pool_source(t, p);
}
