// SPDX-License-Identifier: MIT
/* The DPU's write DMA: where the units of a group go (programming-model D5, D6). */
#include <string.h>

#include "dpu.h"

#define WRITE_BYTES	4096	/* adjacent units leave in one bus write */

/**
 * struct writer - joins adjacent units
 * @addr: of the first byte that waits, @len of them in @buf
 */
struct writer {
	struct npu_core *core;
	uint32_t addr;
	size_t len;
	uint8_t buf[WRITE_BYTES];
};

static bool flush(struct writer *w)
{
	const size_t len = w->len;

	w->len = 0;
	return bus_write(w->core, NPU_DMA_DPU_WDMA, w->addr, w->buf, len);
}

static bool put(struct writer *w, uint32_t addr, const uint8_t *src, size_t len)
{
	if (w->len && (w->addr + w->len != addr || w->len + len > WRITE_BYTES) && !flush(w))
		return false;
	if (!w->len)
		w->addr = addr;
	memcpy(w->buf + w->len, src, len);
	w->len += len;
	return true;
}

/**
 * struct plane - geometry of the output
 * @base:     DST_BASE, moved to the group
 * @surface:  DST_SURF_STRIDE in units
 * @width, height: rows as written; a row is followed by @notch units
 * @surfaces: surfaces of the group that are written
 */
struct plane {
	uint32_t base;
	uint32_t surface;
	uint32_t width;
	uint32_t height;
	uint32_t notch;
	unsigned int surfaces;
};

/*
 * addr(g,s,y,x) = DST_BASE + 16 (g SURF_ADD + s DST_SURF_STRIDE + y (W + NOTCH) + x)
 * [FIT]. A SIZE_E that is too small leaves the rest of the group unwritten.
 */
static void decode(struct npu_core *core, const struct dpu *dpu, const struct dpu_block *b,
		   struct plane *plane)
{
	const unsigned int lanes = precision_lanes(dpu->out);
	const unsigned int wanted = FIELD(core, DPU_WDMA_SIZE_0, CHANNEL_WDMA) + 1;
	const unsigned int channels = wanted < dpu->channels ? wanted : dpu->channels;
	const unsigned int left = channels > b->c0 ? channels - b->c0 : 0;
	const unsigned int units = (unsigned int)div_up(left < b->group ? left : b->group, lanes);

	plane->base = npu_reg(core, NPU_DPU_DST_BASE_ADDR) & NPU_DPU_DST_BASE_ADDR_DST_BASE_ADDR;
	plane->surface = FIELD(core, DPU_DST_SURF_STRIDE, DST_SURF_STRIDE);
	plane->base += b->c0 / b->group * NPU_UNIT *
		       (npu_is(core, NPU_OUT_GROUPS_SURF_ADD) ?
			FIELD(core, DPU_SURFACE_ADD, SURF_ADD) : plane->surface * dpu->surfaces);
	plane->width = FIELD(core, DPU_WDMA_SIZE_1, WIDTH_WDMA) + 1;
	plane->height = FIELD(core, DPU_WDMA_SIZE_1, HEIGHT_WDMA) + 1;
	plane->notch = FIELD(core, DPU_DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_0);
	plane->surfaces = units < dpu->surfaces || npu_is(core, NPU_SIZE_E_WRITTEN) ?
			  units : dpu->surfaces;
	if (b->first == 0 && b->c0 == 0 && !FIELD(core, DPU_FEATURE_MODE_CFG, TP_EN) &&
	    ((uint64_t)plane->width * plane->height != dpu->pixels || wanted != dpu->channels))
		npu_warn(core, "DPU: WDMA_SIZE is %ux%ux%u, the cube %ux%ux%u", plane->width,
			 plane->height, wanted, dpu->width, dpu->height, dpu->channels);
}

static uint32_t unit_address(const struct plane *plane, unsigned int s, uint64_t pixel)
{
	const uint32_t y = (uint32_t)(pixel / plane->width);
	const uint32_t x = (uint32_t)(pixel % plane->width);

	return plane->base +
	       NPU_UNIT * (s * plane->surface + y * (plane->width + plane->notch) + x);
}

/* The surfaces leave together, pixel by pixel: a later pixel stays [FIT]. */
static bool write_pixels(struct writer *w, const struct plane *plane, const struct dpu_block *b,
			 unsigned int n)
{
	for (unsigned int p = 0; p < n; p++)
		for (unsigned int s = 0; s < plane->surfaces; s++)
			if (!put(w, unit_address(plane, s, b->first + p),
				 b->units[s] + p * NPU_UNIT, NPU_UNIT))
				return false;
	return true;
}

/* The same units where no two surfaces meet, in the order that joins them. */
static bool write_surfaces(struct writer *w, const struct plane *plane,
			   const struct dpu_block *b, unsigned int n)
{
	for (unsigned int s = 0; s < plane->surfaces; s++)
		for (unsigned int p = 0; p < n; p++)
			if (!put(w, unit_address(plane, s, b->first + p),
				 b->units[s] + p * NPU_UNIT, NPU_UNIT))
				return false;
	return true;
}

static bool surfaces_apart(const struct plane *plane)
{
	const uint64_t span = (uint64_t)plane->height * (plane->width + plane->notch);

	return plane->surface >= span && plane->surface < UINT32_MAX / NPU_UNIT / DPU_SURFACES;
}

/*
 * TP_ORG_EN: element n of pixel m goes to slot 4m + (n/4)%4 + (n/16) 4M +
 * (n%4) 16M, explored for int16 and up to 32 channels [HW].
 */
static bool write_transposed(struct npu_core *core, const struct dpu *dpu,
			     const struct dpu_block *b)
{
	const unsigned int lanes = precision_lanes(dpu->out);
	const unsigned int bytes = NPU_UNIT / lanes;
	const uint32_t base = npu_reg(core, NPU_DPU_DST_BASE_ADDR) &
			      NPU_DPU_DST_BASE_ADDR_DST_BASE_ADDR;
	const uint32_t pixels = (uint32_t)dpu->pixels;

	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int c = 0; c < b->group && b->c0 + c < dpu->channels; c++) {
			const uint32_t m = (uint32_t)b->first + p;
			const uint32_t n = b->c0 + c;
			const uint32_t slot = 4 * m + n / 4 % 4 + n / 16 * 4 * pixels +
					      n % 4 * 16 * pixels;

			if (!bus_write(core, NPU_DMA_DPU_WDMA, base + slot * bytes,
				       b->units[c / lanes] + p * NPU_UNIT + c % lanes * bytes,
				       bytes))
				return false;
		}
	return true;
}

/*
 * TP_EN: a unit's surface and its column change places. One recorded program has it: 903
 * surfaces of eight columns, one row, leave with HEIGHT_WDMA 902, WIDTH_WDMA 0, NOTCH 7,
 * SIZE_E 7 and DST_SURF_STRIDE 1, and the 7225th column in a task of its own, eight units
 * times 903 behind. All of that, and what its next task reads, fits surfaces as rows of the
 * output, columns as its surfaces and rows as its columns, elements staying in their
 * units, which RGP_TYPE 0 says too [FIT].
 */
static bool write_turned(struct writer *w, const struct dpu *dpu, const struct plane *plane,
			 const struct dpu_block *b)
{
	const unsigned int lanes = precision_lanes(dpu->out);

	for (unsigned int c = 0; c < b->group && b->c0 + c < dpu->channels; c += lanes)
		for (unsigned int p = 0; p < b->n; p++) {
			const uint32_t from_y = (uint32_t)((b->first + p) / dpu->width);
			const uint32_t from_x = (uint32_t)((b->first + p) % dpu->width);
			const uint32_t to_y = (b->c0 + c) / lanes;

			if (from_x >= dpu->surfaces || from_y >= plane->width ||
			    to_y >= plane->height)
				continue;
			if (!put(w, unit_address(plane, from_x,
						 (uint64_t)to_y * plane->width + from_y),
				 b->units[c / lanes] + p * NPU_UNIT, NPU_UNIT))
				return false;
		}
	return true;
}

/*
 * NONALIGN: the units of a pixel one behind the other, "output and input have the same
 * order" [TRM], to the length of SURF_LEN times eight bytes a surface. The recorded program
 * turns 7225 units of fp16 into twice as many of fp32 with SURF_LEN 14450 [FIT].
 */
static bool write_flat(struct writer *w, const struct plane *plane, const struct dpu_block *b,
		       uint32_t surf_len)
{
	const uint64_t end = surf_len ? (uint64_t)surf_len * 8 * plane->surfaces : UINT64_MAX;

	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int s = 0; s < plane->surfaces; s++) {
			const uint64_t at = NPU_UNIT * ((b->first + p) * plane->surfaces + s);
			const uint64_t left = at < end ? end - at : 0;

			if (left && !put(w, plane->base + (uint32_t)at, b->units[s] + p * NPU_UNIT,
					 left < NPU_UNIT ? left : NPU_UNIT))
				return false;
		}
	return true;
}

#define MOST_PIXELS	8192	/* of a row; a report lost 54 elements, 7 units of fp16 [HW] */
#define LOST_UNITS	7
#define NOTCH_CHANNELS	416	/* allbilly's most of a row-major output [?] */

bool wdma_write(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	struct writer w = { .core = core };
	struct plane plane;
	uint64_t written;
	unsigned int n;

	if (dpu->out == NPU_PRECISION_TF32)	/* output code 7 writes nothing [HW] */
		return true;
	if (FIELD(core, DPU_BS_OW_CFG, TP_ORG_EN) && precision_bits(dpu->out) >= 8)
		return write_transposed(core, dpu, b);
	decode(core, dpu, b, &plane);
	if (FIELD(core, DPU_FEATURE_MODE_CFG, TP_EN)) {
		plane.base = npu_reg(core, NPU_DPU_DST_BASE_ADDR) &
			     NPU_DPU_DST_BASE_ADDR_DST_BASE_ADDR;
		return write_turned(&w, dpu, &plane, b) && flush(&w);
	}
	if (FIELD(core, DPU_FEATURE_MODE_CFG, NONALIGN))
		return write_flat(&w, &plane, b, FIELD(core, DPU_FEATURE_MODE_CFG, SURF_LEN)) &&
		       flush(&w);
	written = (uint64_t)plane.width * plane.height;
	if (plane.width == MOST_PIXELS && npu_is(core, NPU_MAX_WIDTH_LOSES))
		written -= LOST_UNITS;
	if (b->first >= written ||
	    (plane.notch && b->c0 >= NOTCH_CHANNELS && npu_is(core, NPU_NOTCH_GROUPS_THIRTEEN)))
		return true;
	n = written - b->first < b->n ? (unsigned int)(written - b->first) : b->n;
	if (surfaces_apart(&plane) || npu_is(core, NPU_WRITE_ORDER_SURFACES))
		return write_surfaces(&w, &plane, b, n) && flush(&w);
	return write_pixels(&w, &plane, b, n) && flush(&w);
}
