// SPDX-License-Identifier: MIT
/*
 * CNA's features: from memory into CBUF, and out of it through the input
 * converter (programming-model C2, D1, D7, E2, E3).
 *
 * A row of features takes DATA_ENTRIES entries of CBUF [FIT]; how silicon
 * orders the units of one row cannot be seen from outside.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conv.h"
#include "numeric.h"

#define LINES_A_GROUP	4		/* L of the grouped line mode */
#define STRIDE_BITS	28		/* address sums are modulo 2^28 units */

/* Bytes from row to row of the features in CBUF. */
size_t cna_row_pitch(struct npu_core *core, const struct conv *conv)
{
	/* in a first layer DATA_ENTRIES is the whole cube, not a row (D7) */
	if (conv->argb)
		return (size_t)conv->row_width * conv->argb * precision_bits(conv->in) / 8;
	if (npu_is(core, NPU_CBUF_ROWS_PACKED))
		return (size_t)conv->width * conv->units * NPU_UNIT;
	return FIELD(core, CNA_CBUF_CON1, DATA_ENTRIES) * (size_t)CBUF_ENTRY_BYTES;
}

/* Which of @len bytes at @at in CBUF stay as they are. */
static size_t good_bytes(struct npu_core *core, const struct conv *conv, size_t at, size_t len)
{
	if (npu_is(core, NPU_GRAINS_SPOIL) &&
	    FIELD(core, CNA_CONV_CON2, FEATURE_GRAINS) < conv->kernel_height)
		return 0;
	if (FIELD(core, CNA_CBUF_CON0, FC_DATA_BANK))	/* must be 0 [HW, E1] */
		return 0;
	if (conv->argb && npu_is(core, NPU_ARGB_ROOM_PACKED))
		return len;
	/* a row of a first layer is whole or not */
	if (conv->argb)
		return (at + len) * CONV_ARGB_LANES / conv->argb > conv->data_bytes ? 0 : len;
	return at >= conv->data_bytes ? 0 : conv->data_bytes - at;
}

/*
 * Features beyond the data banks collide with weights that arrive at the same
 * time: which bytes win is not known, that they are garbage is [HW, E3].
 */
static void store(struct npu_core *core, const struct conv *conv, size_t at, uint8_t *src,
		  size_t len)
{
	for (size_t i = good_bytes(core, conv, at, len); i < len; i++)
		src[i] ^= 0xa5;
	cbuf_store(core, at, src, len);
}

/*
 * addr(c1,h,w) = base + 16 ((h div L) LINE + (h mod L) W + w + c1 (W L + SURF)),
 * modulo 2^32 bytes [FIT, E2].
 */
static uint32_t row_address(struct npu_core *core, const struct conv *conv,
			    unsigned int c1, unsigned int h)
{
	const uint32_t l = FIELD(core, CNA_CONV_CON1, GROUP_LINE_OFF) ? 1 : LINES_A_GROUP;
	const uint32_t line = FIELD(core, CNA_DMA_CON1, LINE_STRIDE);
	uint32_t surf = FIELD(core, CNA_DMA_CON2, SURF_STRIDE);
	uint32_t unit;

	if (surf >> (STRIDE_BITS - 1) && npu_is(core, NPU_LOW_HEIGHT_CLAMPS))
		surf = 0;
	if (l > 1 && npu_is(core, NPU_FEATURE_ROWS_QUARTERS))
		unit = h * (line / l) + c1 * (line + surf);
	else
		unit = h / l * line + h % l * conv->row_width + c1 * (conv->row_width * l + surf);
	unit &= (1u << STRIDE_BITS) - 1;
	return FIELD(core, CNA_FEATURE_DATA_ADDR, FEATURE_BASE_ADDR) + unit * NPU_UNIT;
}

/* Place of unit @c1 in a row: silicon may leave a gap where three units make a row (E3). */
static size_t slot(const struct npu_core *core, const struct conv *conv, unsigned int c1)
{
	const bool gap = conv->units % 4 == 3 && c1 + 1 == conv->units &&
			 npu_is(core, NPU_CBUF_THREE_FOUR);

	return ((size_t)c1 + gap) * conv->width * NPU_UNIT;
}

static bool load_cube(struct npu_core *core, const struct conv *conv, uint8_t *row)
{
	const size_t pitch = cna_row_pitch(core, conv);
	const size_t len = (size_t)conv->width * NPU_UNIT;

	for (unsigned int c1 = 0; c1 < conv->units; c1++)
		for (unsigned int h = 0; h < conv->height; h++) {
			if (!bus_read(core, NPU_DMA_FEATURE,
				      row_address(core, conv, c1, h), row, len))
				return false;
			store(core, conv, h * pitch + slot(core, conv, c1), row, len);
		}
	return true;
}

/* Interleaved pixels: the row pitch is LINE_STRIDE pixels (D7). */
static bool load_argb(struct npu_core *core, const struct conv *conv, uint8_t *row)
{
	const size_t bytes = precision_bits(conv->in) / 8;
	const size_t pixel = bytes * conv->argb;
	const uint32_t base = FIELD(core, CNA_FEATURE_DATA_ADDR, FEATURE_BASE_ADDR);
	const uint32_t pitch = FIELD(core, CNA_DMA_CON1, LINE_STRIDE) *
			       (npu_is(core, NPU_ARGB_PITCH_PIXELS) ? (uint32_t)pixel : NPU_UNIT);

	for (unsigned int h = 0; h < conv->height; h++) {
		if (!bus_read(core, NPU_DMA_FEATURE, base + h * pitch, row, pixel * conv->width))
			return false;
		store(core, conv, h * cna_row_pitch(core, conv), row, pixel * conv->width);
	}
	return true;
}

bool cna_load_features(struct npu_core *core, const struct conv *conv)
{
	uint8_t *row;
	bool ok;

	if (conv->reuse_data)
		return true;
	if (conv->argb && precision_bits(conv->in) < 8)
		return npu_stop(core, NPU_HUNG, "CNA: ARGB_IN with 4-bit features");
	row = malloc((size_t)conv->width * NPU_UNIT);
	if (!row)
		return npu_stop(core, NPU_STALLED, "out of memory");
	ok = conv->argb ? load_argb(core, conv, row) : load_cube(core, conv, row);
	free(row);
	return ok;
}

/* One pixel of CBUF; lanes that a first layer does not have are zero. */
static void load_pixel(const struct npu_core *core, const struct conv *conv, size_t pitch,
		       unsigned int h, unsigned int w, uint8_t *raw)
{
	const size_t packed = precision_bits(conv->in) / 8 * conv->argb;

	if (conv->argb) {
		memset(raw, 0, (size_t)conv->units * NPU_UNIT);
		cbuf_load(core, h * pitch + w * packed, raw, packed);
		return;
	}
	for (unsigned int c1 = 0; c1 < conv->units; c1++)
		cbuf_load(core, h * pitch + slot(core, conv, c1) + (size_t)w * NPU_UNIT,
			  raw + c1 * NPU_UNIT, NPU_UNIT);
}

/**
 * struct converter - the input converter, CVT_CON0 to CVT_CON5, decoded
 * @active:     not bypassed, and something to do
 * @is_float:   the operands are fp16 patterns
 * @is_unsigned: int8 features are taken as 0 to 255
 * @add_first:  type 1: add, then multiply
 * @up:         rounding of one half
 * @enable:     channels of a unit that are converted
 * @bits:       width of the result
 * @scale, offset, shift: by channel modulo 4
 */
struct converter {
	bool active;
	bool is_float;
	bool is_unsigned;
	bool add_first;
	bool up;
	uint32_t enable;
	unsigned int bits;
	int64_t scale[4];
	int64_t offset[4];
	unsigned int shift[4];
};

static void decode_converter(struct npu_core *core, const struct conv *conv,
			     struct converter *cvt)
{
	static const uint32_t truncate[4] = {
		NPU_CNA_CVT_CON0_CVT_TRUNCATE_0, NPU_CNA_CVT_CON0_CVT_TRUNCATE_1,
		NPU_CNA_CVT_CON0_CVT_TRUNCATE_2, NPU_CNA_CVT_CON0_CVT_TRUNCATE_3,
	};
	const uint32_t con0 = npu_reg(core, NPU_CNA_CVT_CON0);

	cvt->active = !npu_get(NPU_CNA_CVT_CON0_CVT_BYPASS, con0);
	cvt->is_float = precision_is_float(conv->in);
	if (cvt->active && cvt->is_float && npu_is(core, NPU_CVT_FLOAT_PASSES)) {
		npu_warn(core, "CNA: the input converter on floats is not known; passed on");
		cvt->active = false;
	}
	cvt->is_unsigned = !npu_get(NPU_CNA_CVT_CON0_DATA_SIGN, con0);
	cvt->add_first = npu_get(NPU_CNA_CVT_CON0_CVT_TYPE, con0);
	cvt->up = npu_get(NPU_CNA_CVT_CON0_ROUND_TYPE, con0);
	cvt->enable = npu_reg(core, NPU_CNA_CVT_CON5);
	cvt->bits = precision_bits(conv->proc);
	/* four lanes repeat over the unit: channel modulo 4 [?] */
	for (unsigned int i = 0; i < 4; i++) {
		const uint32_t op = npu_reg(core, NPU_CNA_CVT_CON1 + 4 * i);

		cvt->scale[i] = (int16_t)npu_get(NPU_CNA_CVT_CON1_CVT_SCALE0, op);
		cvt->offset[i] = (int16_t)npu_get(NPU_CNA_CVT_CON1_CVT_OFFSET0, op);
		cvt->shift[i] = npu_get(truncate[i], con0);
	}
}

static double convert_float(const struct converter *cvt, unsigned int lane, double x)
{
	return x * (double)fp16_to_fp32((uint16_t)cvt->scale[lane]) +
	       (double)fp16_to_fp32((uint16_t)cvt->offset[lane]);
}

static double convert(const struct npu_core *core, const struct converter *cvt,
		      unsigned int lane, int64_t x)
{
	const int64_t scale = cvt->scale[lane];
	const int64_t offset = cvt->offset[lane];
	const unsigned int shift = cvt->shift[lane];

	if (cvt->add_first)
		x = npu_shift(core, NPU_TIES_CVT, cvt->up, (x + offset) * scale, shift);
	else
		x = npu_shift(core, NPU_TIES_CVT, cvt->up, x * scale, shift) + offset;
	return (double)npu_saturate(x, cvt->bits);
}

static void convert_pixel(const struct npu_core *core, const struct conv *conv,
			  const struct converter *cvt, double *pixel)
{
	const unsigned int mask = (1u << (cvt->is_unsigned ? precision_bits(conv->in) : 0)) - 1;

	for (unsigned int c = 0; c < conv->channels; c++) {
		const unsigned int lane = c > 3 && npu_is(core, NPU_CVT_LANES_LAST) ? 3 : c % 4;
		int64_t x = (int64_t)pixel[c];

		if (!(cvt->enable >> c % conv->lanes & 1) ||
		    (c > 3 && npu_is(core, NPU_CVT_LANES_NONE)))
			continue;
		if (mask)
			x &= mask;
		pixel[c] = cvt->is_float ? convert_float(cvt, lane, pixel[c]) :
					   convert(core, cvt, lane, x);
	}
}

static double channel_sum(const double *pixel, unsigned int n)
{
	double sum = 0;

	for (unsigned int c = 0; c < n; c++)
		sum += pixel[c];
	return sum;
}

/* Channels in the sum of features (C4): padding ones too [FIT]. */
static unsigned int conv_summed(struct npu_core *core, const struct conv *conv)
{
	const unsigned int real = FIELD(core, CNA_DATA_SIZE1, DATAIN_CHANNEL_REAL) + 1;

	return npu_is(core, NPU_QD_SUM_REAL) && real < conv->channels ? real : conv->channels;
}

#define FP16_MIN_NORMAL	0x1p-14

static void flush_subnormals(double *x, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (fabs(x[i]) < FP16_MIN_NORMAL)
			x[i] = 0;
}

static void decode_all(struct npu_core *core, struct conv *conv, uint8_t *raw)
{
	const size_t pitch = cna_row_pitch(core, conv);
	struct converter cvt;
	const unsigned int summed = conv_summed(core, conv);
	double *pixel = conv->x;

	decode_converter(core, conv, &cvt);
	for (unsigned int h = 0; h < conv->height; h++)
		for (unsigned int w = 0; w < conv->width; w++, pixel += conv->channels) {
			load_pixel(core, conv, pitch, h, w, raw);
			elements_decode(conv->in, raw, 0, conv->channels, pixel);
			if (conv->in == NPU_PRECISION_FP16 &&
			    npu_is(core, NPU_CORE_SUBNORMAL_ZERO))
				flush_subnormals(pixel, conv->channels);
			if (cvt.active)
				convert_pixel(core, conv, &cvt, pixel);
			if (conv->qd)
				conv->x_sum[(size_t)h * conv->width + w] =
					channel_sum(pixel, summed);
		}
}

bool cna_decode_features(struct npu_core *core, struct conv *conv)
{
	uint8_t *raw = malloc((size_t)conv->units * NPU_UNIT);

	if (!raw)
		return npu_stop(core, NPU_STALLED, "out of memory");
	decode_all(core, conv, raw);
	free(raw);
	return true;
}

/*
 * PAD_CON1 holds one element, or two bytes for int8: in the recorded depthwise
 * task channels 0 to 31 of 64 take byte 0 when even and byte 1 when odd, 32 to
 * 63 all take byte 0 [HW]; direct convolution by the even/odd rule [?].
 */
static bool pads_high(const struct npu_core *core, const struct conv *conv, unsigned int c)
{
	const bool halves = conv->depthwise || npu_is(core, NPU_PAD_LANES_HALVES);

	if (conv->proc != NPU_PRECISION_INT8 || c % 2 == 0)
		return false;
	if (!conv->depthwise && npu_is(core, NPU_PAD_LANES_LOW))
		return false;
	return !(halves && c % 64 >= 32);
}

void cna_decode_padding(struct npu_core *core, struct conv *conv)
{
	const uint32_t value = npu_reg(core, NPU_CNA_PAD_CON1);
	uint8_t element[4];

	for (unsigned int c = 0; c < conv->channels; c++) {
		uint32_t bits = value;

		if (pads_high(core, conv, c))
			bits >>= 8;
		for (unsigned int i = 0; i < sizeof(element); i++)
			element[i] = (uint8_t)(bits >> 8 * i);
		/* it stands for converted features, see C4 */
		elements_decode(conv->proc, element, 0, 1, &conv->pad[c]);
	}
	conv->pad_sum = channel_sum(conv->pad, conv_summed(core, conv));
}
