// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel checks of a task beside its words: the addresses. A domain
 * per file keeps processes apart whatever a task computes from its registers;
 * this is for buffers to live as long as jobs use them, and for mistakes to be
 * refused where they can be told.
 */
#include "scoria_check.h"

#include <linux/bitfield.h>
#include <linux/build_bug.h>

#include <drm/scoria_accel.h>

#include "rk3588_npu.h"
#include "scoria_as.h"
#include "scoria_gem.h"
#include "scoria_segment.h"

/* Userspace gets the reasons of scoria_stream.h, which does without this header. */
#define SAME_REASON(name, uapi) static_assert((int)SCORIA_##name == DRM_SCORIA_REASON_##uapi)
SAME_REASON(ACCEPTED, NONE);
SAME_REASON(UNKNOWN_TARGET, TARGET);
SAME_REASON(OUTSIDE_BLOCK, OUTSIDE_BLOCK);
SAME_REASON(NO_REGISTER, NO_REGISTER);
SAME_REASON(READ_ONLY, READ_ONLY);
SAME_REASON(HOST_ONLY, HOST_ONLY);
SAME_REASON(ENABLE_OFFSET, ENABLE_OFFSET);
SAME_REASON(ENABLE_MASK, ENABLE_MASK);
SAME_REASON(AFTER_TRAILER, AFTER_TRAILER);
SAME_REASON(NO_ENABLE, NO_ENABLE);
SAME_REASON(NO_END, NO_END);
SAME_REASON(NO_BUFFER, ADDRESS);
SAME_REASON(BEYOND_BUFFER, EXTENT);

/* The DMAs move units of 16 bytes. */
#define UNIT	16

/* The registers that tell how far a task writes. */
enum extent_reg {
	DPU_MODE, DPU_FORMAT, DPU_WIDTH, DPU_HEIGHT, DPU_NOTCH,
	PPU_WIDTH, PPU_HEIGHT,
	N_EXTENT_REGS
};

struct extent {
	u32 values[N_EXTENT_REGS];
	u32 written;	/* bit per enum extent_reg */
};

static enum extent_reg find_extent(u16 offset)
{
	switch (offset) {
	case NPU_DPU_FEATURE_MODE_CFG:
		return DPU_MODE;
	case NPU_DPU_DATA_FORMAT:
		return DPU_FORMAT;
	case NPU_DPU_DATA_CUBE_WIDTH:
		return DPU_WIDTH;
	case NPU_DPU_DATA_CUBE_HEIGHT:
		return DPU_HEIGHT;
	case NPU_DPU_DATA_CUBE_NOTCH_ADDR:
		return DPU_NOTCH;
	case NPU_PPU_DATA_CUBE_OUT_WIDTH:
		return PPU_WIDTH;
	case NPU_PPU_DATA_CUBE_OUT_HEIGHT:
		return PPU_HEIGHT;
	default:
		return N_EXTENT_REGS;
	}
}

/* From the words of a body that was accepted. */
static void collect_extent(struct extent *extent, const u64 *words, u32 n)
{
	extent->written = 0;
	for (u32 i = 0; i < n; i++) {
		u16 target = words[i] >> 48;
		enum extent_reg reg;

		if (target != NPU_TARGET_DPU && target != NPU_TARGET_PPU)
			continue;
		reg = find_extent(words[i]);
		if (reg == N_EXTENT_REGS)
			continue;
		extent->values[reg] = words[i] >> 16;
		extent->written |= BIT(reg);
	}
}

void scoria_check_init(struct scoria_check *check, struct scoria_as *as)
{
	check->as = as;
	xa_init(&check->buffers);
}

void scoria_check_fini(struct scoria_check *check)
{
	struct scoria_mapping *map;
	unsigned long index;

	xa_for_each(&check->buffers, index, map)
		scoria_mapping_put(map);
	xa_destroy(&check->buffers);
}

static bool holds(const struct scoria_mapping *map, u32 addr, u64 size)
{
	return map && addr >= map->node.start && addr + size <= map->node.start + map->node.size;
}

/* Keep @map, of which the caller gives its reference. */
static int keep_buffer(struct scoria_check *check, struct scoria_mapping *map)
{
	unsigned long index = map->node.start >> PAGE_SHIFT;
	int ret = xa_insert(&check->buffers, index, map, GFP_KERNEL_ACCOUNT);

	if (ret)
		scoria_mapping_put(map);
	return ret == -EBUSY ? 0 : ret;
}

static int find_buffer(struct scoria_check *check, enum scoria_address i, u32 addr)
{
	struct scoria_mapping *map;
	int ret;

	if (holds(check->recent[i], addr, UNIT))
		return 0;
	map = scoria_as_find(check->as, addr, UNIT);
	if (!map)
		return -EINVAL;
	ret = keep_buffer(check, map);
	if (!ret)
		check->recent[i] = map;
	return ret;
}

static int refuse(struct scoria_check *check, u32 word, enum scoria_reason reason, u32 value)
{
	check->refusal.verdict = (struct scoria_verdict){ word, reason };
	check->refusal.value = value;
	return -EINVAL;
}

static int refuse_address(struct scoria_check *check, const struct scoria_task *task,
			  enum scoria_address i, enum scoria_reason reason)
{
	return refuse(check, task->writers[i], reason, task->addresses[i]);
}

/* Working streams write 0 to what they do not use; no buffer is there. */
static int check_addresses(struct scoria_check *check, const struct scoria_task *task)
{
	for (unsigned int i = 0; i < SCORIA_N_ADDRESSES; i++) {
		u32 addr = task->addresses[i];
		int ret;

		if (!(task->written & BIT(i)) || !addr)
			continue;
		ret = find_buffer(check, i, addr);
		if (ret == -EINVAL)
			return refuse_address(check, task, i, SCORIA_NO_BUFFER);
		if (ret)
			return ret;
	}
	return 0;
}

static bool knows(const struct extent *extent, u32 regs)
{
	return (extent->written & regs) == regs;
}

/*
 * Bytes from the base address on that the DPU writes for sure: one surface of
 * its output. Modes that lay it out otherwise give 0: not known.
 */
static u64 dpu_extent(const struct extent *extent)
{
	u32 mode = extent->values[DPU_MODE];
	u64 width = FIELD_GET(NPU_DPU_DATA_CUBE_WIDTH_WIDTH, extent->values[DPU_WIDTH]) + 1;
	u64 height = FIELD_GET(NPU_DPU_DATA_CUBE_HEIGHT_HEIGHT, extent->values[DPU_HEIGHT]);
	u64 notch = FIELD_GET(NPU_DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0,
			      extent->values[DPU_NOTCH]);
	u32 odd = NPU_DPU_FEATURE_MODE_CFG_TP_EN | NPU_DPU_FEATURE_MODE_CFG_NONALIGN |
		  NPU_DPU_FEATURE_MODE_CFG_RGP_TYPE;

	if (!knows(extent, BIT(DPU_MODE) | BIT(DPU_FORMAT) | BIT(DPU_WIDTH) | BIT(DPU_HEIGHT) |
			   BIT(DPU_NOTCH)) ||
	    mode & odd || extent->values[DPU_FORMAT] & NPU_DPU_DATA_FORMAT_MC_SURF_OUT ||
	    !(FIELD_GET(NPU_DPU_FEATURE_MODE_CFG_OUTPUT_MODE, mode) & 2))
		return 0;
	return UNIT * (height * (width + notch) + width);
}

static u64 ppu_extent(const struct extent *extent)
{
	u64 width = FIELD_GET(NPU_PPU_DATA_CUBE_OUT_WIDTH_CUBE_OUT_WIDTH,
			      extent->values[PPU_WIDTH]) + 1;
	u64 height = FIELD_GET(NPU_PPU_DATA_CUBE_OUT_HEIGHT_CUBE_OUT_HEIGHT,
			       extent->values[PPU_HEIGHT]) + 1;

	return knows(extent, BIT(PPU_WIDTH) | BIT(PPU_HEIGHT)) ? UNIT * width * height : 0;
}

static int check_output(struct scoria_check *check, const struct scoria_task *task, u32 block,
			enum scoria_address i, u64 size)
{
	u32 addr = task->addresses[i];

	if (!(task->enable & block) || !(task->written & BIT(i)) || !addr || !size ||
	    holds(check->recent[i], addr, size))
		return 0;
	return refuse_address(check, task, i, SCORIA_BEYOND_BUFFER);
}

static int check_outputs(struct scoria_check *check, const struct scoria_task *task,
			 const u64 *words)
{
	struct extent extent;
	int ret;

	collect_extent(&extent, words, task->n_body);
	ret = check_output(check, task, NPU_ENABLE_DPU, SCORIA_ADDRESS_DPU_OUT,
			   dpu_extent(&extent));
	if (ret)
		return ret;
	return check_output(check, task, NPU_ENABLE_PPU, SCORIA_ADDRESS_PPU_OUT,
			    ppu_extent(&extent));
}

int scoria_check_task(struct scoria_check *check, const u64 *words, u32 n,
		      struct scoria_task *task)
{
	struct scoria_verdict verdict;
	int ret;

	if (!scoria_task_scan(words, n, NULL, NULL, task, &verdict))
		return refuse(check, verdict.word, verdict.reason,
			      verdict.word < n ? (u32)(words[verdict.word] >> 16) : 0);
	if (!scoria_segment_done(task->enable))
		return refuse(check, task->n_words - 1, SCORIA_NO_END, task->enable);
	ret = check_addresses(check, task);
	return ret ? ret : check_outputs(check, task, words);
}
