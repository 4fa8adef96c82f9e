// SPDX-License-Identifier: MIT
/*
 * PPU and PPU_RDMA: pooling of a cube from memory or from the DPU
 * (programming-model G).
 *
 * Not modelled, and reported when set: see unmodelled[]. A board misread a cube
 * smaller than 4x4 that an earlier PPU job had written [HW, unexplained]; here
 * it is read right. How an average is rounded on the way is not known [?]: the
 * sum is in fp32 and rounded to the output once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpu.h"
#include "fp16.h"
#include "numeric.h"

static const struct npu_unmodelled unmodelled[] = {
	{ NPU_PPU_OPERATION_MODE_CFG,	NPU_PPU_OPERATION_MODE_CFG_INDEX_EN },
	{ NPU_PPU_OPERATION_MODE_CFG,	NPU_PPU_OPERATION_MODE_CFG_USE_CNT },
	{ NPU_PPU_MISC_CTRL,		NPU_PPU_MISC_CTRL_SURF_LEN },
	{ NPU_PPU_MISC_CTRL,		NPU_PPU_MISC_CTRL_MC_SURF_OUT },
	{ NPU_PPU_MISC_CTRL,		NPU_PPU_MISC_CTRL_NONALIGN },
};

enum method { AVERAGE, MAX, MIN };

#define ROWS 16		/* of a window, at most */
#define MAX_LANES 32	/* in a unit of int4 */

/**
 * struct ppu - registers decoded, and the surface at hand
 * @cube:     what the DPU feeds, NULL when PPU_RDMA reads memory
 * @misread:  the cube is the small one that the PPU wrote last
 * @method:   enum method; 3 is reserved
 * @precision: of elements
 * @in_bits:  element size as PPU_RDMA reads it
 * @pad:      a pixel outside the cube
 * @recip_x, recip_y: factors of an average, times 2^16 each
 * @in:       the last rows of the surface(s) at hand, [row % ROWS][width][lane]
 * @loaded:   rows of them that have been read
 * @out:      output surface, units
 */
struct ppu {
	const struct dpu_cube *cube;
	bool misread;
	unsigned int method;
	unsigned int precision;
	unsigned int in_bits;
	bool is_float;
	unsigned int lanes;
	unsigned int in_width;
	unsigned int in_height;
	unsigned int channels;
	unsigned int out_width;
	unsigned int out_height;
	unsigned int kernel_x;
	unsigned int kernel_y;
	unsigned int stride_x;
	unsigned int stride_y;
	unsigned int pad_left;
	unsigned int pad_top;
	double pad[MAX_LANES];
	double recip_x;
	double recip_y;
	double *in;
	unsigned int loaded;
	uint8_t *row;
	uint8_t *out;
};

static double decode_element(const struct ppu *ppu, uint32_t e)
{
	uint8_t bytes[4] = { (uint8_t)e, (uint8_t)(e >> 8), (uint8_t)(e >> 16),
			     (uint8_t)(e >> 24) };
	double value;

	elements_decode(ppu->precision, bytes, 0, 1, &value);
	return value;
}

static void decode_average(struct npu_core *core, struct ppu *ppu)
{
	const uint32_t x = FIELD(core, PPU_RECIP_KERNEL_WIDTH, RECIP_KERNEL_WIDTH);
	const uint32_t y = FIELD(core, PPU_RECIP_KERNEL_HEIGHT, RECIP_KERNEL_HEIGHT);

	/* floats: the fp16 pattern of 65536 / k [HW]; integers: 2^16 / k [NVDLA] */
	ppu->recip_x = ppu->is_float ? (double)fp16_to_fp32((uint16_t)x) : x;
	ppu->recip_y = ppu->is_float ? (double)fp16_to_fp32((uint16_t)y) : y;
}

static void decode_window(struct npu_core *core, struct ppu *ppu)
{
	const uint32_t pad = FIELD(core, PPU_PADDING_VALUE_1_CFG, PAD_VALUE_0);

	ppu->kernel_x = FIELD(core, PPU_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1;
	ppu->kernel_y = FIELD(core, PPU_POOLING_KERNEL_CFG, KERNEL_HEIGHT) + 1;
	ppu->stride_x = FIELD(core, PPU_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1;
	ppu->stride_y = FIELD(core, PPU_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT) + 1;
	ppu->pad_left = FIELD(core, PPU_POOLING_PADDING_CFG, PAD_LEFT);
	ppu->pad_top = FIELD(core, PPU_POOLING_PADDING_CFG, PAD_TOP);
	for (unsigned int l = 0; l < ppu->lanes; l++)
		ppu->pad[l] = decode_element(ppu, pad);
}

static void decode(struct npu_core *core, const struct dpu_cube *cube, struct ppu *ppu)
{
	memset(ppu, 0, sizeof(*ppu));
	ppu->cube = cube;
	ppu->method = FIELD(core, PPU_OPERATION_MODE_CFG, POOLING_METHOD);
	ppu->precision = FIELD(core, PPU_DATA_FORMAT, PROC_PRECISION);
	ppu->is_float = precision_is_float(ppu->precision);
	ppu->lanes = precision_lanes(ppu->precision);
	ppu->in_bits = cube ? precision_bits(cube->precision) :
			      4u << FIELD(core, PPU_RDMA_DATA_FORMAT, IN_PRECISION);
	if (!cube && ppu->in_bits == 8 && npu_is(core, NPU_PPU_INT8_SHORTS))
		ppu->in_bits = 16;
	ppu->in_width = FIELD(core, PPU_DATA_CUBE_IN_WIDTH, CUBE_IN_WIDTH) + 1;
	ppu->in_height = FIELD(core, PPU_DATA_CUBE_IN_HEIGHT, CUBE_IN_HEIGHT) + 1;
	ppu->channels = FIELD(core, PPU_DATA_CUBE_IN_CHANNEL, CUBE_IN_CHANNEL) + 1;
	ppu->out_width = FIELD(core, PPU_DATA_CUBE_OUT_WIDTH, CUBE_OUT_WIDTH) + 1;
	ppu->out_height = FIELD(core, PPU_DATA_CUBE_OUT_HEIGHT, CUBE_OUT_HEIGHT) + 1;
	decode_window(core, ppu);
	decode_average(core, ppu);
}

static bool check_source(struct npu_core *core, const struct ppu *ppu)
{
	const unsigned int lanes = 8 * NPU_UNIT / ppu->in_bits;
	unsigned int width, height, channels;

	if (ppu->cube) {
		width = ppu->cube->width;
		height = ppu->cube->height;
		channels = ppu->cube->channels;
	} else {
		width = FIELD(core, PPU_RDMA_CUBE_IN_WIDTH, CUBE_IN_WIDTH) + 1;
		height = FIELD(core, PPU_RDMA_CUBE_IN_HEIGHT, CUBE_IN_HEIGHT) + 1;
		channels = FIELD(core, PPU_RDMA_CUBE_IN_CHANNEL, CUBE_IN_CHANNEL) + 1;
	}
	/* units travel: of the last one both may count other channels as real */
	if (width < ppu->in_width || height < ppu->in_height ||
	    div_up(channels, lanes) < div_up(ppu->channels, lanes))
		return npu_stop(core, NPU_HUNG, "PPU waits for a cube of %ux%ux%u, %s sends %ux%ux%u",
				ppu->in_width, ppu->in_height, ppu->channels,
				ppu->cube ? "DPU" : "PPU_RDMA", width, height, channels);
	return true;
}

static bool check(struct npu_core *core, const struct ppu *ppu)
{
	const uint64_t taps = (uint64_t)ppu->out_width * ppu->out_height * ppu->kernel_x *
			      ppu->kernel_y * div_up(ppu->channels, ppu->lanes);
	const unsigned int out_channels =
		FIELD(core, PPU_DATA_CUBE_OUT_CHANNEL, CUBE_OUT_CHANNEL) + 1;

	npu_check_unmodelled(core, unmodelled, sizeof(unmodelled) / sizeof(unmodelled[0]));
	if (ppu->method > MIN)
		npu_warn(core, "PPU.OPERATION_MODE_CFG.POOLING_METHOD=3 is reserved; run as average");
	/* seen with int8 and code 0, which reads garbage [HW] */
	if (ppu->in_bits != precision_bits(ppu->precision))
		npu_warn(core, "PPU reads %u-bit elements as %u-bit ones", ppu->in_bits,
			 precision_bits(ppu->precision));
	if (out_channels != ppu->channels)
		npu_warn(core, "PPU: %u channels in, %u out; the input's are taken", ppu->channels,
			 out_channels);
	if (taps > core->options.max_task_cycles)
		return npu_stop(core, NPU_HUNG, "PPU task of %llu cycles, the limit is %llu",
				(unsigned long long)taps,
				(unsigned long long)core->options.max_task_cycles);
	core->counters.cycles[NPU_STAGE_PPU] += taps;
	core->cost.cycles[NPU_STAGE_PPU] += taps;
	return check_source(core, ppu);
}

/* Row @h of input surface @c1, into ppu->row. */
static bool read_row(struct npu_core *core, struct ppu *ppu, unsigned int c1, unsigned int h)
{
	const size_t len = (size_t)ppu->in_width * NPU_UNIT;
	uint32_t addr;

	if (ppu->cube) {
		const size_t plane = (size_t)ppu->cube->width * ppu->cube->height;

		memcpy(ppu->row, ppu->cube->units +
		       (c1 * plane + (size_t)h * ppu->cube->width) * NPU_UNIT, len);
		return true;
	}
	addr = npu_reg(core, NPU_PPU_RDMA_SRC_BASE_ADDR) +
	       c1 * NPU_UNIT * FIELD(core, PPU_RDMA_SRC_SURF_STRIDE, SRC_SURF_STRIDE) +
	       h * NPU_UNIT * FIELD(core, PPU_RDMA_SRC_LINE_STRIDE, SRC_LINE_STRIDE);
	return bus_read(core, NPU_DMA_PPU_RDMA, addr, ppu->row, len);
}

/* Channels that are read right: of what the PPU wrote perhaps not all [HW, unexplained]. */
static unsigned int readable(const struct npu_core *core, const struct ppu *ppu)
{
	return ppu->misread && npu_is(core, NPU_PPU_SMALL_HALF) ? ppu->channels / 2 : ppu->channels;
}

/* ppu->row, which is of surface @c1, to the lanes of output surface @u in ppu->in. */
static void decode_row(const struct npu_core *core, const struct ppu *ppu, unsigned int c1,
		       unsigned int u)
{
	double *to = ppu->in + (size_t)(ppu->loaded % ROWS) * ppu->in_width * ppu->lanes;
	const unsigned int in_lanes = 8 * NPU_UNIT / ppu->in_bits;
	const unsigned int first = u * ppu->lanes;

	if (in_lanes == ppu->lanes && readable(core, ppu) == ppu->channels) {
		elements_decode(ppu->precision, ppu->row, 0, (size_t)ppu->in_width * in_lanes, to);
		return;
	}
	for (unsigned int w = 0; w < ppu->in_width; w++, to += ppu->lanes)
		for (unsigned int l = 0; l < in_lanes; l++) {
			const unsigned int c = c1 * in_lanes + l;

			if (c < first || c >= first + ppu->lanes || c >= ppu->channels)
				continue;
			to[c - first] = 0;
			if (c < readable(core, ppu))
				to[c - first] = decode_element(ppu,
					unit_get(ppu->row + w * NPU_UNIT, ppu->in_bits, l));
		}
}

/*
 * Read the rows of output surface @u before @end: as many surfaces as the
 * element sizes make. Those that no window wants are read and forgotten.
 */
static bool load(struct npu_core *core, struct ppu *ppu, unsigned int u, unsigned int end,
		 bool wanted)
{
	const unsigned int in_lanes = 8 * NPU_UNIT / ppu->in_bits;
	const unsigned int first = u * ppu->lanes;
	const unsigned int last = (first + ppu->lanes < ppu->channels ? first + ppu->lanes :
								       ppu->channels) - 1;

	for (; ppu->loaded < end; ppu->loaded++)
		for (unsigned int c1 = first / in_lanes; c1 <= last / in_lanes; c1++) {
			if (!read_row(core, ppu, c1, ppu->loaded))
				return false;
			if (wanted)
				decode_row(core, ppu, c1, u);
		}
	return true;
}

/* The row below the window of output row @oy, no further than the cube. */
static unsigned int window_end(const struct ppu *ppu, unsigned int oy)
{
	const unsigned int end = oy * ppu->stride_y + ppu->kernel_y;

	if (end <= ppu->pad_top)
		return 0;
	return end - ppu->pad_top < ppu->in_height ? end - ppu->pad_top : ppu->in_height;
}

/* NaN loses against numbers, as IEEE maxNum [?]. */
static double pool(const struct npu_core *core, unsigned int method, double a, double b)
{
	if (method != AVERAGE && (isnan(a) || isnan(b)) && npu_is(core, NPU_PPU_NAN_NAN))
		return NAN;
	switch (method) {
	case MAX:
		return npu_fmax(a, b);
	case MIN:
		return npu_fmin(a, b);
	}
	return a + b;
}

static const double *pixel_at(const struct ppu *ppu, int y, int x)
{
	if (y < 0 || x < 0 || y >= (int)ppu->in_height || x >= (int)ppu->in_width)
		return ppu->pad;
	return ppu->in + ((size_t)(y % ROWS) * ppu->in_width + (size_t)x) * ppu->lanes;
}

/* One more pixel of the window; sums of floats are rounded to fp32 each time. */
static void pool_pixel(const struct npu_core *core, const struct ppu *ppu, const double *pixel,
		       double *value)
{
	for (unsigned int l = 0; l < ppu->lanes; l++) {
		value[l] = pool(core, ppu->method, value[l], pixel[l]);
		if (ppu->is_float)
			value[l] = (float)value[l];
	}
}

/* The window whose first pixel is at (@top, @left), pooled lane by lane. */
static void window(const struct npu_core *core, const struct ppu *ppu, int top, int left,
		   double *value)
{
	memcpy(value, pixel_at(ppu, top, left), ppu->lanes * sizeof(*value));
	for (unsigned int i = 1; i < ppu->kernel_x * ppu->kernel_y; i++)
		pool_pixel(core, ppu, pixel_at(ppu, top + (int)(i / ppu->kernel_x),
					       left + (int)(i % ppu->kernel_x)), value);
}

static double through_fp16(double value)
{
	return (double)fp16_to_fp32(fp32_to_fp16((float)value));
}

/* An fp16 average that is rounded for every row of the window. */
static double average_by_rows(const struct ppu *ppu, int top, int left, unsigned int lane)
{
	double sum = 0;

	for (unsigned int y = 0; y < ppu->kernel_y; y++) {
		double row = 0;

		for (unsigned int x = 0; x < ppu->kernel_x; x++)
			row += pixel_at(ppu, top + (int)y, left + (int)x)[lane];
		sum += through_fp16(row * ppu->recip_x * 0x1p-16);
	}
	return sum * ppu->recip_y * 0x1p-16;
}

/* An average is the sum times both reciprocals; padding counts (G). */
static double scaled(const struct npu_core *core, const struct ppu *ppu, double value)
{
	if (ppu->method == MAX || ppu->method == MIN)
		return value;
	if (ppu->is_float)
		return value * ppu->recip_x * ppu->recip_y * 0x1p-32;
	/* |sum| is below 2^18 and a reciprocal at most 2^17 */
	if (npu_is(core, NPU_PPU_INT_AVERAGE_ONCE))
		return (double)npu_shift(core, NPU_TIES_MUL, false, (int64_t)value *
					 (int64_t)ppu->recip_x * (int64_t)ppu->recip_y, 32);
	value = (double)npu_shift(core, NPU_TIES_MUL, false,
				  (int64_t)value * (int64_t)ppu->recip_x, 16);
	return (double)npu_shift(core, NPU_TIES_MUL, false,
				 (int64_t)value * (int64_t)ppu->recip_y, 16);
}

static void pool_window(const struct npu_core *core, const struct ppu *ppu, unsigned int oy,
			unsigned int ox, double *value)
{
	const int top = (int)(oy * ppu->stride_y) - (int)ppu->pad_top;
	const int left = (int)(ox * ppu->stride_x) - (int)ppu->pad_left;
	const bool by_rows = ppu->method == AVERAGE && ppu->is_float &&
			     npu_is(core, NPU_PPU_AVERAGE_ROWS);

	if (!by_rows)
		window(core, ppu, top, left, value);
	for (unsigned int l = 0; l < ppu->lanes; l++)
		value[l] = by_rows ? average_by_rows(ppu, top, left, l) :
				     scaled(core, ppu, value[l]);
}

static uint32_t encode(const struct ppu *ppu, double value)
{
	switch (ppu->precision) {
	case NPU_PRECISION_FP16:
		return fp32_to_fp16(npu_canonical((float)value));
	case NPU_PRECISION_BF16:
		return fp32_to_bf16(npu_canonical((float)value));
	case NPU_PRECISION_FP32:
	case NPU_PRECISION_TF32:
		return fp32_bits(npu_canonical((float)value));
	}
	return (uint32_t)npu_saturate_double(value, precision_bits(ppu->precision));
}

static bool write_row(struct npu_core *core, const struct ppu *ppu, unsigned int u,
		      unsigned int oy)
{
	const uint32_t notch = FIELD(core, PPU_OPERATION_MODE_CFG, NOTCH_ADDR);
	uint32_t addr = npu_reg(core, NPU_PPU_DST_BASE_ADDR) & NPU_PPU_DST_BASE_ADDR_DST_BASE_ADDR;

	addr += NPU_UNIT * (u * FIELD(core, PPU_DST_SURF_STRIDE, DST_SURF_STRIDE) +
			    oy * (ppu->out_width + notch));
	return bus_write(core, NPU_DMA_PPU_WDMA, addr, ppu->out, (size_t)ppu->out_width * NPU_UNIT);
}

static bool run_surface(struct npu_core *core, struct ppu *ppu, unsigned int u)
{
	const unsigned int bits = precision_bits(ppu->precision);
	const unsigned int left = ppu->channels - u * ppu->lanes;
	const unsigned int lanes = left < ppu->lanes ? left : ppu->lanes;

	ppu->loaded = 0;
	for (unsigned int oy = 0; oy < ppu->out_height; oy++) {
		if (!load(core, ppu, u, window_end(ppu, oy), true))
			return false;
		memset(ppu->out, 0, (size_t)ppu->out_width * NPU_UNIT);
		for (unsigned int ox = 0; ox < ppu->out_width; ox++) {
			double value[MAX_LANES];

			pool_window(core, ppu, oy, ox, value);
			for (unsigned int lane = 0; lane < lanes; lane++)
				unit_put(ppu->out + (size_t)ox * NPU_UNIT, bits, lane,
					 encode(ppu, value[lane]));
		}
		if (!write_row(core, ppu, u, oy))
			return false;
	}
	return load(core, ppu, u, ppu->in_height, false);
}

static bool run(struct npu_core *core, struct ppu *ppu)
{
	bool ok;

	ppu->in = calloc((size_t)ROWS * ppu->in_width * ppu->lanes, sizeof(*ppu->in));
	ppu->row = malloc((size_t)ppu->in_width * NPU_UNIT);
	ppu->out = malloc((size_t)ppu->out_width * NPU_UNIT);
	ok = ppu->in && ppu->row && ppu->out;
	if (!ok)
		npu_stop(core, NPU_STALLED, "out of memory");
	for (unsigned int u = 0; ok && u * ppu->lanes < ppu->channels; u++)
		ok = run_surface(core, ppu, u);
	free(ppu->in);
	free(ppu->row);
	free(ppu->out);
	return ok;
}

#define SMALL_CUBE	4	/* below it a board misread what the PPU had written [HW] */

/* Remember where a small cube goes, and tell whether this is the last one that did. */
static bool follow_small(struct npu_core *core, const struct ppu *ppu)
{
	const bool from = ppu->in_width < SMALL_CUBE && ppu->in_height < SMALL_CUBE;
	const bool to = ppu->out_width < SMALL_CUBE && ppu->out_height < SMALL_CUBE;
	const bool misread = from && !ppu->cube && core->ppu_small &&
			     core->ppu_small == npu_reg(core, NPU_PPU_RDMA_SRC_BASE_ADDR);

	core->ppu_small = to ? npu_reg(core, NPU_PPU_DST_BASE_ADDR) : 0;
	return misread;
}

/* Pool @cube or, when NULL, what PPU_RDMA reads. */
bool ppu_run(struct npu_core *core, const struct dpu_cube *cube)
{
	struct ppu ppu;

	decode(core, cube, &ppu);
	ppu.misread = follow_small(core, &ppu);
	return check(core, &ppu) && run(core, &ppu);
}
