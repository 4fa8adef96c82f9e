// SPDX-License-Identifier: MIT
/*
 * DPU_RDMA: the DPU's four read engines. MRDMA reads the main cube, BRDMA and
 * NRDMA vectors over the channels for BS and BN, ERDMA the operand of EW
 * (programming-model C5, C6, F2 to F4).
 *
 * Not modelled, and reported when set: see unmodelled[].
 */
#include <string.h>

#include "dpu.h"
#include "fp16.h"

static const struct npu_unmodelled unmodelled[] = {
	{ NPU_DPU_RDMA_BRDMA_CFG,	8u << 1 },	/* TRT */
	{ NPU_DPU_RDMA_NRDMA_CFG,	(8u | 2u) << 1 },
	{ NPU_DPU_RDMA_ERDMA_CFG,	NPU_DPU_RDMA_ERDMA_CFG_ERDMA_SURF_MODE },
	{ NPU_DPU_RDMA_ERDMA_CFG,	NPU_DPU_RDMA_ERDMA_CFG_ERDMA_NONALIGN },
	{ NPU_DPU_RDMA_SRC_DMA_CFG,	NPU_DPU_RDMA_SRC_DMA_CFG_UNPOOLING_EN },
	{ NPU_DPU_RDMA_PAD_CFG,		NPU_DPU_RDMA_PAD_CFG_PAD_VALUE },
	{ NPU_DPU_RDMA_PAD_CFG,		NPU_DPU_RDMA_PAD_CFG_PAD_TOP },
	{ NPU_DPU_RDMA_PAD_CFG,		NPU_DPU_RDMA_PAD_CFG_PAD_LEFT },
};

/* BRDMA_DATA_USE and NRDMA_DATA_USE */
#define USE_ALU		1u
#define USE_CPEND	2u
#define USE_MUL		4u

/* COMB_USE: one read for both engines; 5 adds that its data goes to ERDMA */
#define COMB_ONE_READ	1u

#define DATA_MODE_CHANNEL 0	/* ERDMA_DATA_MODE: a vector over the channels */

static bool engine_on(struct npu_core *core, bool main)
{
	if (main)
		return !FIELD(core, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE);
	return !FIELD(core, DPU_RDMA_ERDMA_CFG, ERDMA_DISABLE);
}

static bool wants_combined(struct npu_core *core)
{
	return FIELD(core, DPU_RDMA_FEATURE_MODE_CFG, COMB_USE) & COMB_ONE_READ;
}

/* In a flying task COMB_USE is undefined; here it does nothing [?]. */
static bool combined(struct npu_core *core)
{
	return wants_combined(core) && !FIELD(core, DPU_FEATURE_MODE_CFG, FLYING_MODE);
}

static unsigned int b_needed(const struct dpu *dpu)
{
	return (dpu->bs.alu_memory ? USE_ALU : 0) | (dpu->ow_memory ? USE_CPEND : 0) |
	       (dpu->bs.mul_memory ? USE_MUL : 0);
}

static unsigned int n_needed(const struct dpu *dpu)
{
	return (dpu->bn.alu_memory ? USE_ALU : 0) | (dpu->bn.mul_memory ? USE_MUL : 0);
}

/* Whether there is an operand in memory at all. */
bool rdma_needed(const struct dpu *dpu)
{
	return dpu->flying || b_needed(dpu) || n_needed(dpu) || dpu->ew.memory;
}

/* A convolution with engines that nobody feeds or nobody empties (B8 [HW]). */
static bool check_conv(struct npu_core *core, const struct dpu *dpu)
{
	if (!combined(core)) {
		if (engine_on(core, true))
			return npu_stop(core, NPU_HUNG, "MRDMA is on in a convolution and nothing "
					"feeds it (MRDMA trap)");
		return true;
	}
	if (!engine_on(core, true) || !engine_on(core, false) || !dpu->ew.memory)
		return npu_stop(core, NPU_HUNG, "COMB_USE wants MRDMA and ERDMA on and an EW operand "
				"from memory; MRDMA is %s, ERDMA %s, the operand %s",
				engine_on(core, true) ? "on" : "off",
				engine_on(core, false) ? "on" : "off",
				dpu->ew.memory ? "from memory" : "not");
	return true;
}

static uint32_t cube_width(struct npu_core *core)
{
	return FIELD(core, DPU_RDMA_DATA_CUBE_WIDTH, WIDTH) + 1;
}

static uint32_t cube_height(struct npu_core *core)
{
	return FIELD(core, DPU_RDMA_DATA_CUBE_HEIGHT, HEIGHT) + 1;
}

/* Upsampling: TRM has it with the average among the kinds of unpooling. */
static bool upsamples(struct npu_core *core)
{
	return FIELD(core, DPU_RDMA_SRC_DMA_CFG, UNPOOLING_EN) &&
	       !FIELD(core, DPU_RDMA_SRC_DMA_CFG, POOLING_METHOD);
}

static bool check_flying(struct npu_core *core, const struct dpu *dpu)
{
	const unsigned int channels = FIELD(core, DPU_RDMA_DATA_CUBE_CHANNEL, CHANNEL) + 1;
	const unsigned int lanes = precision_lanes(dpu->in);

	if (!engine_on(core, true))
		return npu_stop(core, NPU_HUNG, "DPU is flying, but MRDMA is off");
	if (!FIELD(core, DPU_RDMA_FEATURE_MODE_CFG, FLYING_MODE))
		npu_warn(core, "DPU is flying, DPU_RDMA.FEATURE_MODE_CFG.FLYING_MODE is 0");
	if (FIELD(core, DPU_RDMA_FEATURE_MODE_CFG, IN_PRECISION) != dpu->in)
		npu_warn(core, "IN_PRECISION of DPU_RDMA and DPU differ; the DPU's is taken");
	if ((!upsamples(core) && (uint64_t)cube_width(core) * cube_height(core) < dpu->pixels) ||
	    div_up(channels, lanes) < div_up(dpu->channels, lanes))
		npu_warn(core, "DPU_RDMA reads a cube of %ux%ux%u, the DPU takes %ux%ux%u",
			 cube_width(core), cube_height(core), channels, dpu->width, dpu->height,
			 dpu->channels);
	if (wants_combined(core) && npu_is(core, NPU_COMB_FLYING_HANGS))
		return npu_stop(core, NPU_HUNG, "COMB_USE in a flying task");
	if (wants_combined(core))
		npu_warn(core, "COMB_USE in a flying task is undefined; ignored");
	return true;
}

/* Whether every operand that the DPU waits for comes, and what comes is taken. */
bool rdma_check(struct npu_core *core, const struct dpu *dpu)
{
	const bool on = regs_is_enabled(core, NPU_DPU_RDMA);
	const unsigned int b = on ? FIELD(core, DPU_RDMA_BRDMA_CFG, BRDMA_DATA_USE) : 0;
	const unsigned int n = on ? FIELD(core, DPU_RDMA_NRDMA_CFG, NRDMA_DATA_USE) : 0;

	if (dpu->flying && !on)
		return npu_stop(core, NPU_HUNG, "DPU is flying, but DPU_RDMA is not enabled");
	if (b_needed(dpu) & ~b || n_needed(dpu) & ~n)
		return npu_stop(core, NPU_HUNG, "%s waits for an operand that %s does not read",
				b_needed(dpu) & ~b ? "BS" : "BN", b_needed(dpu) & ~b ? "BRDMA" : "NRDMA");
	if (dpu->ew.memory && (!on || !engine_on(core, false)))
		return npu_stop(core, NPU_HUNG, "EW waits for an operand that ERDMA does not read");
	if (!on)
		return true;
	npu_check_unmodelled(core, unmodelled, sizeof(unmodelled) / sizeof(unmodelled[0]));
	if (dpu->ew.memory && FIELD(core, DPU_RDMA_ERDMA_CFG, ERDMA_DATA_SIZE) != dpu->ew.size)
		npu_warn(core, "ERDMA_DATA_SIZE is not DPU.EW_CFG.EDATA_SIZE");
	return dpu->flying ? check_flying(core, dpu) : check_conv(core, dpu);
}

static void fill(uint32_t *vector, unsigned int n, uint32_t value)
{
	for (unsigned int c = 0; c < n; c++)
		vector[c] = value;
}

static unsigned int use_bytes(unsigned int use)
{
	return (use & USE_ALU ? 4 : 0) + (use & USE_CPEND ? 2 : 0) + (use & USE_MUL ? 2 : 0);
}

/* Four channels of one operand, little endian. */
static const uint8_t *take_four(const uint8_t *src, unsigned int bytes, uint32_t *to)
{
	for (unsigned int i = 0; i < 4; i++, src += bytes) {
		uint32_t value = 0;

		for (unsigned int k = 0; k < bytes; k++)
			value |= (uint32_t)src[k] << 8 * k;
		if (to)
			to[i] = value;
	}
	return src;
}

/* @n elements from channel @c0 on of an array of @size-byte ones at *@base, which moves on. */
static bool load_array(struct npu_core *core, const struct dpu *dpu, enum npu_dma dma,
		       unsigned int c0, unsigned int n, unsigned int size, uint32_t *base,
		       uint32_t *to)
{
	uint8_t buf[DPU_LANES * 4] = { 0 };
	const uint8_t *p = buf;

	if (!bus_read(core, dma, *base + c0 * size, buf, (size_t)n * size))
		return false;
	for (unsigned int c = 0; c < n; c += 4)
		p = take_four(p, size, to ? to + c : NULL);
	*base += dpu->channels * size;
	return true;
}

/* The other reading of several operands: an array of each kind. */
static bool load_arrays(struct npu_core *core, const struct dpu *dpu, unsigned int c0,
			unsigned int n, enum npu_dma dma, uint32_t base, unsigned int use,
			uint32_t *alu, uint32_t *ow, uint32_t *mul)
{
	return (!(use & USE_ALU) || load_array(core, dpu, dma, c0, n, 4, &base, alu)) &&
	       (!(use & USE_CPEND) || load_array(core, dpu, dma, c0, n, 2, &base, ow)) &&
	       (!(use & USE_MUL) || load_array(core, dpu, dma, c0, n, 2, &base, mul));
}

/*
 * The vectors of one group. With one kind of operand the array is dense; with
 * several, a sibling chip interleaves them by four channels, in this order [?].
 * Only real channels are read: the others leave as OFFSET_PEND.
 */
static bool load_vectors(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b,
			 enum npu_dma dma, uint32_t base, unsigned int use,
			 uint32_t *alu, uint32_t *ow, uint32_t *mul)
{
	uint8_t buf[DPU_LANES * 8] = { 0 };
	const unsigned int end = dpu->real_channels < dpu->channels ? dpu->real_channels :
								       dpu->channels;
	const unsigned int left = end > b->c0 ? end - b->c0 : 0;
	const unsigned int n = left < b->group ? left : b->group;
	const bool dense = !(use & (use - 1));
	const size_t len = (dense ? n : div_up(n, 4) * 4) * use_bytes(use);
	const uint8_t *p = buf;

	if (!dense && npu_is(core, NPU_BRDMA_LAYOUT_PLANAR))
		return load_arrays(core, dpu, b->c0, n, dma, base, use, alu, ow, mul);
	if (!bus_read(core, dma, base + b->c0 * use_bytes(use), buf, len))
		return false;
	for (unsigned int c = 0; c < n; c += 4) {
		if (use & USE_ALU)
			p = take_four(p, 4, alu ? alu + c : NULL);
		if (use & USE_CPEND)
			p = take_four(p, 2, ow ? ow + c : NULL);
		if (use & USE_MUL)
			p = take_four(p, 2, mul ? mul + c : NULL);
	}
	return true;
}

bool rdma_load_group(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	fill(b->bs_alu, b->group, dpu->bs.alu_value);
	fill(b->bs_mul, b->group, dpu->bs.mul_value);
	fill(b->ow, b->group, (uint32_t)dpu->ow);
	fill(b->bn_alu, b->group, dpu->bn.alu_value);
	fill(b->bn_mul, b->group, dpu->bn.mul_value);
	if (b_needed(dpu) &&
	    !load_vectors(core, dpu, b, NPU_DMA_BRDMA, npu_reg(core, NPU_DPU_RDMA_BS_BASE_ADDR),
			  FIELD(core, DPU_RDMA_BRDMA_CFG, BRDMA_DATA_USE),
			  dpu->bs.alu_memory ? b->bs_alu : NULL, dpu->ow_memory ? b->ow : NULL,
			  dpu->bs.mul_memory ? b->bs_mul : NULL))
		return false;
	return !n_needed(dpu) ||
	       load_vectors(core, dpu, b, NPU_DMA_NRDMA, npu_reg(core, NPU_DPU_RDMA_BN_BASE_ADDR),
			    FIELD(core, DPU_RDMA_NRDMA_CFG, NRDMA_DATA_USE),
			    dpu->bn.alu_memory ? b->bn_alu : NULL, NULL,
			    dpu->bn.mul_memory ? b->bn_mul : NULL);
}

/**
 * struct surfaces - where an engine finds the units of a cube
 * @dma:     engine, for accounting
 * @base:    address of the first surface
 * @width:   pixels in a row, @notch more to the next row, in units
 * @pitch:   units from surface to surface
 */
struct surfaces {
	enum npu_dma dma;
	uint32_t base;
	uint32_t width;
	uint32_t notch;
	uint32_t pitch;
};

/* Read the units of @n pixels from @first on of surface @s, rows as they come. */
static bool read_units(struct npu_core *core, const struct surfaces *from, uint32_t s,
		       uint64_t first, unsigned int n, uint8_t *dst)
{
	while (n) {
		const uint32_t y = (uint32_t)(first / from->width);
		const uint32_t x = (uint32_t)(first % from->width);
		const uint32_t left = from->width - x;
		const unsigned int run = from->notch && left < n ? left : n;
		const uint32_t unit = s * from->pitch + y * (from->width + from->notch) + x;

		if (!bus_read(core, from->dma, from->base + unit * NPU_UNIT, dst, run * NPU_UNIT))
			return false;
		dst += run * NPU_UNIT;
		first += run;
		n -= run;
	}
	return true;
}

/*
 * Units from the first of a surface to the first of the next: rows, the gaps between
 * them, and the surface's own notch. A recorded vendor task reads 903 surfaces of one
 * row with LINE_NOTCH 7220 and SURF_NOTCH 0 from 7224 units [FIT].
 */
static uint32_t surface_pitch(struct npu_core *core, const struct surfaces *s, uint32_t surf_notch)
{
	const uint32_t height = cube_height(core);
	const uint32_t gaps = npu_is(core, NPU_LINE_NOTCH_ALONE) ? height - 1 : height;

	return height * s->width + gaps * s->notch + surf_notch;
}

/*
 * Every pixel of the main cube serves as many columns and rows of the DPU's as the strides
 * say. Nobody has shown it [?], but read as it stands a cube would end too early.
 */
static bool read_upsampled(struct npu_core *core, const struct dpu *dpu,
			   const struct surfaces *from, uint32_t s, uint64_t first, unsigned int n,
			   uint8_t *dst)
{
	const uint32_t step_x = FIELD(core, DPU_RDMA_SRC_DMA_CFG, KERNEL_STRIDE_WIDTH) + 1;
	const uint32_t step_y = FIELD(core, DPU_RDMA_SRC_DMA_CFG, KERNEL_STRIDE_HEIGHT) + 1;
	const uint32_t last_x = from->width - 1;
	const uint32_t last_y = cube_height(core) - 1;

	for (unsigned int i = 0; i < n; i++, dst += NPU_UNIT) {
		uint32_t y = (uint32_t)((first + i) / dpu->width) / step_y;
		uint32_t x = (uint32_t)((first + i) % dpu->width) / step_x;

		y = y < last_y ? y : last_y;
		x = x < last_x ? x : last_x;
		if (!read_units(core, from, s, (uint64_t)y * from->width + x, 1, dst))
			return false;
	}
	return true;
}

static void main_surfaces(struct npu_core *core, struct surfaces *s)
{
	s->dma = NPU_DMA_MRDMA;
	s->base = npu_reg(core, NPU_DPU_RDMA_SRC_BASE_ADDR);
	s->width = cube_width(core);
	s->notch = FIELD(core, DPU_RDMA_SRC_DMA_CFG, LINE_NOTCH_ADDR);
	s->pitch = surface_pitch(core, s, FIELD(core, DPU_RDMA_SURF_NOTCH, SURF_NOTCH_ADDR));
}

static void operand_surfaces(struct npu_core *core, struct surfaces *s)
{
	s->dma = NPU_DMA_ERDMA;
	s->base = npu_reg(core, NPU_DPU_RDMA_EW_BASE_ADDR);
	s->width = cube_width(core);
	s->notch = FIELD(core, DPU_RDMA_DATA_CUBE_HEIGHT, EW_LINE_NOTCH_ADDR);
	if (combined(core))
		s->pitch = surface_pitch(core, s,
					 FIELD(core, DPU_RDMA_EW_SURF_NOTCH, EW_SURF_NOTCH));
	else
		s->pitch = FIELD(core, DPU_RDMA_EW_SURF_STRIDE, EW_SURF_STRIDE);
}

/* An element of the main cube as a lane of the pipeline. */
static union dpu_lane main_lane(const struct dpu *dpu, uint32_t e)
{
	union dpu_lane lane = { .u = e };

	switch (dpu->in) {
	case NPU_PRECISION_INT4:
		lane.i = (int32_t)(e ^ 8) - 8;
		break;
	case NPU_PRECISION_INT8:
		lane.i = (int8_t)e;
		break;
	case NPU_PRECISION_INT16:
		lane.i = (int16_t)e;
		break;
	case NPU_PRECISION_FP16:
		if (!dpu->raw_float && dpu->is_float)
			lane.f = fp16_to_fp32((uint16_t)e);
		return lane;
	case NPU_PRECISION_BF16:
		if (!dpu->raw_float && dpu->is_float)
			lane.f = bf16_to_fp32((uint16_t)e);
		return lane;
	case NPU_PRECISION_FP32:
	case NPU_PRECISION_TF32:
		return lane;
	}
	if (dpu->is_float)	/* integers into float processing [?] */
		lane.f = (float)lane.i;
	return lane;
}

static bool load_main_surface(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b,
			      const struct surfaces *from, unsigned int c1)
{
	const unsigned int bits = precision_bits(dpu->in);
	const unsigned int lanes = precision_lanes(dpu->in);

	if (upsamples(core) ? !read_upsampled(core, dpu, from, c1, b->first, b->n, b->raw) :
			      !read_units(core, from, c1, b->first, b->n, b->raw))
		return false;
	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int lane = 0; lane < lanes; lane++) {
			const unsigned int c = c1 * lanes + lane;

			if (c >= b->c0 && c < b->c0 + b->group)
				b->lane[p * b->group + c - b->c0] = main_lane(dpu,
					unit_get(b->raw + p * NPU_UNIT, bits, lane));
		}
	return true;
}

/* Surfaces that hold channels of the group which the DPU processes. */
static unsigned int last_channel(const struct dpu *dpu, const struct dpu_block *b)
{
	const unsigned int end = b->c0 + b->group;

	return (end < dpu->channels ? end : dpu->channels) - 1;
}

bool rdma_load_main(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	const unsigned int lanes = precision_lanes(dpu->in);
	struct surfaces from;

	main_surfaces(core, &from);
	memset(b->lane, 0, (size_t)b->n * b->group * sizeof(*b->lane));
	for (unsigned int c1 = b->c0 / lanes; c1 <= last_channel(dpu, b) / lanes; c1++)
		if (!load_main_surface(core, dpu, b, &from, c1))
			return false;
	return true;
}

#define SMALL_PLANE	12	/* Mesa's least distance of operand planes [?] */

/*
 * A residual (F3): MRDMA and ERDMA fetch the operand together, MRDMA one
 * surface and ERDMA the next [FIT].
 */
static bool read_operand_units(struct npu_core *core, struct dpu_block *b, unsigned int c1)
{
	struct surfaces from;

	operand_surfaces(core, &from);
	if (combined(core) && npu_is(core, NPU_COMB_FETCH_ERDMA))
		from.pitch = cube_height(core) * from.width;
	if (!combined(core) || npu_is(core, NPU_COMB_FETCH_ERDMA))
		return read_units(core, &from, c1, b->first, b->n, b->raw);
	if (c1 % 2 == 0)
		main_surfaces(core, &from);
	if (from.pitch < 2 * SMALL_PLANE && npu_is(core, NPU_SMALL_PLANES_TWELVE))
		from.pitch = 2 * SMALL_PLANE;
	return read_units(core, &from, c1 / 2, b->first, b->n, b->raw);
}

static bool load_operand_surface(struct npu_core *core, struct dpu_block *b, unsigned int bits,
				 unsigned int c1)
{
	const unsigned int lanes = 8 * NPU_UNIT / bits;

	if (!read_operand_units(core, b, c1))
		return false;
	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int lane = 0; lane < lanes; lane++) {
			const unsigned int c = c1 * lanes + lane;

			if (c >= b->c0 && c < b->c0 + b->group)
				b->operand[p * b->group + c - b->c0] =
					unit_get(b->raw + p * NPU_UNIT, bits, lane);
		}
	return true;
}

/* One value a channel, from a dense array. */
static bool load_operand_vector(struct npu_core *core, const struct dpu *dpu,
				struct dpu_block *b, unsigned int bits)
{
	uint8_t buf[DPU_LANES * 4];
	const unsigned int n = last_channel(dpu, b) - b->c0 + 1;
	const uint32_t base = npu_reg(core, NPU_DPU_RDMA_EW_BASE_ADDR);

	if (!bus_read(core, NPU_DMA_ERDMA, base + b->c0 * bits / 8, buf, div_up(n * bits, 8)))
		return false;
	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int c = 0; c < n; c++)
			b->operand[p * b->group + c] = unit_get(buf, bits, c);
	return true;
}

bool rdma_load_operand(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	const unsigned int bits = 4u << FIELD(core, DPU_RDMA_ERDMA_CFG, ERDMA_DATA_SIZE);
	const unsigned int lanes = 8 * NPU_UNIT / bits;

	memset(b->operand, 0, (size_t)b->n * b->group * sizeof(*b->operand));
	if (FIELD(core, DPU_RDMA_ERDMA_CFG, ERDMA_DATA_MODE) == DATA_MODE_CHANNEL &&
	    npu_is(core, NPU_ERDMA_CHANNEL_VECTOR))
		return load_operand_vector(core, dpu, b, bits);
	for (unsigned int c1 = b->c0 / lanes; c1 <= last_channel(dpu, b) / lanes; c1++)
		if (!load_operand_surface(core, b, bits, c1))
			return false;
	return true;
}
