// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel checks of a task beside its words: the addresses. A domain
 * per file keeps processes apart whatever a task computes from its registers;
 * this is for buffers to live as long as jobs use them, and for mistakes to be
 * refused where they can be told.
 */
#include "scoria_check.h"

#include <linux/bitfield.h>
#include <linux/bitmap.h>
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
#define DPU_EXTENT	(BIT(NPU_NOTED_DPU_FEATURE_MODE_CFG) | BIT(NPU_NOTED_DPU_DATA_FORMAT) | \
			 BIT(NPU_NOTED_DPU_DATA_CUBE_WIDTH) | \
			 BIT(NPU_NOTED_DPU_DATA_CUBE_HEIGHT) | \
			 BIT(NPU_NOTED_DPU_DATA_CUBE_NOTCH_ADDR))
#define PPU_EXTENT	(BIT(NPU_NOTED_PPU_DATA_CUBE_OUT_WIDTH) | \
			 BIT(NPU_NOTED_PPU_DATA_CUBE_OUT_HEIGHT))

void scoria_check_init(struct scoria_check *check, struct scoria_as *as)
{
	check->as = as;
	/* the flag counts, since gfp flags are not those of the first attempt */
	xa_init_flags(&check->buffers, XA_FLAGS_ACCOUNT);
}

void scoria_check_fini(struct scoria_check *check)
{
	struct scoria_mapping *map;
	unsigned long index;

	xa_for_each(&check->buffers, index, map)
		scoria_mapping_put(map);
	xa_destroy(&check->buffers);
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

static int find_buffer(struct scoria_check *check, u32 reg, u32 addr)
{
	struct scoria_mapping *map;
	int ret;

	if (scoria_mapping_holds(check->recent[reg], addr, UNIT))
		return 0;
	map = scoria_as_find(check->as, addr, UNIT);
	if (!map)
		return -EINVAL;
	ret = keep_buffer(check, map);
	if (!ret)
		check->recent[reg] = map;
	return ret;
}

static int refuse(struct scoria_check *check, u32 word, enum scoria_reason reason, u32 value)
{
	check->refusal.verdict = (struct scoria_verdict){ word, reason };
	check->refusal.value = value;
	return -EINVAL;
}

static int refuse_address(struct scoria_check *check, const struct scoria_task *task,
			  const u64 *words, u32 reg, enum scoria_reason reason)
{
	return refuse(check, task->writers[reg], reason, scoria_task_value(task, words, reg));
}

/* Working streams write 0 to what they do not use; no buffer is there. */
static int check_addresses(struct scoria_check *check, const struct scoria_task *task,
			   const u64 *words)
{
	unsigned long regs = task->written & NPU_NOTED_ADDRESSES;
	u32 reg;

	for_each_set_bit(reg, &regs, NPU_N_NOTED) {
		u32 addr = scoria_task_value(task, words, reg);
		int ret = addr ? find_buffer(check, reg, addr) : 0;

		if (ret == -EINVAL)
			return refuse_address(check, task, words, reg, SCORIA_NO_BUFFER);
		if (ret)
			return ret;
	}
	return 0;
}

static bool writes(const struct scoria_task *task, u32 regs)
{
	return (task->written & regs) == regs;
}

/*
 * Bytes from the base address on that the DPU writes for sure: one surface of
 * its output. Modes that lay it out otherwise give 0: not known.
 */
static u64 dpu_extent(const struct scoria_task *task, const u64 *words)
{
	u32 mode = scoria_task_value(task, words, NPU_NOTED_DPU_FEATURE_MODE_CFG);
	u32 format = scoria_task_value(task, words, NPU_NOTED_DPU_DATA_FORMAT);
	u32 width = scoria_task_value(task, words, NPU_NOTED_DPU_DATA_CUBE_WIDTH);
	u32 height = scoria_task_value(task, words, NPU_NOTED_DPU_DATA_CUBE_HEIGHT);
	u32 notch = scoria_task_value(task, words, NPU_NOTED_DPU_DATA_CUBE_NOTCH_ADDR);
	u32 odd = NPU_DPU_FEATURE_MODE_CFG_TP_EN | NPU_DPU_FEATURE_MODE_CFG_NONALIGN |
		  NPU_DPU_FEATURE_MODE_CFG_RGP_TYPE;

	if (!writes(task, DPU_EXTENT) || mode & odd || format & NPU_DPU_DATA_FORMAT_MC_SURF_OUT ||
	    !(FIELD_GET(NPU_DPU_FEATURE_MODE_CFG_OUTPUT_MODE, mode) & 2))
		return 0;
	width = FIELD_GET(NPU_DPU_DATA_CUBE_WIDTH_WIDTH, width) + 1;
	height = FIELD_GET(NPU_DPU_DATA_CUBE_HEIGHT_HEIGHT, height);
	notch = FIELD_GET(NPU_DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0, notch);
	return UNIT * ((u64)height * (width + notch) + width);
}

static u64 ppu_extent(const struct scoria_task *task, const u64 *words)
{
	u32 width = scoria_task_value(task, words, NPU_NOTED_PPU_DATA_CUBE_OUT_WIDTH);
	u32 height = scoria_task_value(task, words, NPU_NOTED_PPU_DATA_CUBE_OUT_HEIGHT);

	if (!writes(task, PPU_EXTENT))
		return 0;
	width = FIELD_GET(NPU_PPU_DATA_CUBE_OUT_WIDTH_CUBE_OUT_WIDTH, width) + 1;
	height = FIELD_GET(NPU_PPU_DATA_CUBE_OUT_HEIGHT_CUBE_OUT_HEIGHT, height) + 1;
	return (u64)UNIT * width * height;
}

static int check_output(struct scoria_check *check, const struct scoria_task *task,
			const u64 *words, u32 reg, u64 size)
{
	u32 addr = scoria_task_value(task, words, reg);

	if (!writes(task, BIT(reg)) || !addr || !size ||
	    scoria_mapping_holds(check->recent[reg], addr, size))
		return 0;
	return refuse_address(check, task, words, reg, SCORIA_BEYOND_BUFFER);
}

static int check_outputs(struct scoria_check *check, const struct scoria_task *task,
			 const u64 *words)
{
	int ret = 0;

	if (task->enable & NPU_ENABLE_DPU)
		ret = check_output(check, task, words, NPU_NOTED_DPU_DST_BASE_ADDR,
				   dpu_extent(task, words));
	if (!ret && task->enable & NPU_ENABLE_PPU)
		ret = check_output(check, task, words, NPU_NOTED_PPU_DST_BASE_ADDR,
				   ppu_extent(task, words));
	return ret;
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
	ret = check_addresses(check, task, words);
	return ret ? ret : check_outputs(check, task, words);
}
