// SPDX-License-Identifier: MIT
/*
 * CNA's features: from memory into CBUF, and out of it through the input
 * converter (programming-model C2, D1, D7, E2, E3).
 *
 * A row of features takes DATA_ENTRIES entries of CBUF [FIT]; how silicon
 * orders the units of one row cannot be seen from outside.
 */
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
	return FIELD(core, CNA_CBUF_CON1, DATA_ENTRIES) * (size_t)CBUF_ENTRY_BYTES;
}

/*
 * Features beyond the data banks collide with weights that arrive at the same
 * time: which bytes win is not known, that they are garbage is [HW, E3].
 */
static void store(struct npu_core *core, const struct conv *conv, size_t at, uint8_t *src,
		  size_t len)
{
	const size_t good = at >= conv->data_bytes ? 0 : conv->data_bytes - at;

	/* how much room a first layer's pixel takes is not known well enough */
	for (size_t i = good; i < len && !conv->argb; i++)
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
	const uint32_t surf = FIELD(core, CNA_DMA_CON2, SURF_STRIDE);
	uint32_t unit = h / l * line + h % l * conv->row_width +
			c1 * (conv->row_width * l + surf);

	unit &= (1u << STRIDE_BITS) - 1;
	return FIELD(core, CNA_FEATURE_DATA_ADDR, FEATURE_BASE_ADDR) + unit * NPU_UNIT;
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
			store(core, conv, h * pitch + c1 * len, row, len);
		}
	return true;
}

/* Interleaved pixels: the row pitch is LINE_STRIDE pixels (D7). */
static bool load_argb(struct npu_core *core, const struct conv *conv, uint8_t *row)
{
	const size_t bytes = precision_bits(conv->in) / 8;
	const size_t pixel = bytes * conv->argb;
	const uint32_t base = FIELD(core, CNA_FEATURE_DATA_ADDR, FEATURE_BASE_ADDR);
	const uint32_t pitch = FIELD(core, CNA_DMA_CON1, LINE_STRIDE) * (uint32_t)pixel;

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
		cbuf_load(core, h * pitch + ((size_t)c1 * conv->width + w) * NPU_UNIT,
			  raw + c1 * NPU_UNIT, NPU_UNIT);
}

/**
 * struct converter - the input converter, CVT_CON0 to CVT_CON5, decoded
 * @active:     integers, and not bypassed
 * @is_unsigned: int8 features are taken as 0 to 255
 * @add_first:  type 1: add, then multiply
 * @up:         rounding of one half
 * @enable:     channels of a unit that are converted
 * @bits:       width of the result
 * @scale, offset, shift: by channel modulo 4
 */
struct converter {
	bool active;
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
	if (cvt->active && precision_is_float(conv->in)) {
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

static double convert(const struct npu_core *core, const struct converter *cvt,
		      unsigned int lane, int64_t x)
{
	const int64_t scale = cvt->scale[lane % 4];
	const int64_t offset = cvt->offset[lane % 4];
	const unsigned int shift = cvt->shift[lane % 4];

	if (cvt->add_first)
		x = npu_shift(core, cvt->up, (x + offset) * scale, shift);
	else
		x = npu_shift(core, cvt->up, x * scale, shift) + offset;
	return (double)npu_saturate(x, cvt->bits);
}

static void convert_pixel(const struct npu_core *core, const struct conv *conv,
			  const struct converter *cvt, double *pixel)
{
	const unsigned int mask = (1u << (cvt->is_unsigned ? precision_bits(conv->in) : 0)) - 1;

	for (unsigned int c = 0; c < conv->channels; c++) {
		int64_t x = (int64_t)pixel[c];

		if (!(cvt->enable >> c % conv->lanes & 1))
			continue;
		if (mask)
			x &= mask;
		pixel[c] = convert(core, cvt, c, x);
	}
}

static double channel_sum(const double *pixel, unsigned int n)
{
	double sum = 0;

	for (unsigned int c = 0; c < n; c++)
		sum += pixel[c];
	return sum;
}

static void decode_all(struct npu_core *core, struct conv *conv, uint8_t *raw)
{
	const size_t pitch = cna_row_pitch(core, conv);
	struct converter cvt;
	double *pixel = conv->x;

	decode_converter(core, conv, &cvt);
	for (unsigned int h = 0; h < conv->height; h++)
		for (unsigned int w = 0; w < conv->width; w++, pixel += conv->channels) {
			load_pixel(core, conv, pitch, h, w, raw);
			elements_decode(conv->in, raw, 0, conv->channels, pixel);
			if (cvt.active)
				convert_pixel(core, conv, &cvt, pixel);
			if (conv->qd)
				conv->x_sum[(size_t)h * conv->width + w] =
					channel_sum(pixel, conv->channels);
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
void cna_decode_padding(struct npu_core *core, struct conv *conv)
{
	const uint32_t value = npu_reg(core, NPU_CNA_PAD_CON1);
	uint8_t element[4];

	for (unsigned int c = 0; c < conv->channels; c++) {
		uint32_t bits = value;

		if (conv->in == NPU_PRECISION_INT8 && c % 2 &&
		    !(conv->depthwise && c % 64 >= 32))
			bits >>= 8;
		for (unsigned int i = 0; i < sizeof(element); i++)
			element[i] = (uint8_t)(bits >> 8 * i);
		elements_decode(conv->in, element, 0, 1, &conv->pad[c]);
	}
	conv->pad_sum = channel_sum(conv->pad, conv->channels);
}
