// SPDX-License-Identifier: MIT
/*
 * CNA: reads features and weights into CBUF, converts and pads the features
 * and hands both to CORE (programming-model C2, D1 to D3, D7, E1 to E4).
 *
 * CBUF is held as bytes, so that what is reused, or overwritten because a
 * share is too small, is what a wrong program would find on silicon. Within
 * it, a row of features takes DATA_ENTRIES entries and the weights fill their
 * banks as a ring [FIT]; how silicon orders the units of one row cannot be
 * seen from outside.
 *
 * Not modelled, and reported when set: see unmodelled[]. FEATURE_GRAINS and
 * the burst lengths change time only; KERNEL_GROUP is 0 in working programs.
 */
#include <stdlib.h>
#include <string.h>

#include "conv.h"
#include "numeric.h"

static const struct npu_unmodelled unmodelled[] = {
	{ NPU_CNA_CONV_CON1,	NPU_CNA_CONV_CON1_DECONV },
	{ NPU_CNA_CONV_CON2,	NPU_CNA_CONV_CON2_COWORK_MODE },
	{ NPU_CNA_CONV_CON2,	NPU_CNA_CONV_CON2_CSC_WO_EN },
	{ NPU_CNA_CONV_CON2,	NPU_CNA_CONV_CON2_CSC_DO_EN },
	{ NPU_CNA_CONV_CON2,	NPU_CNA_CONV_CON2_CMD_FIFO_SRST },
	{ NPU_CNA_CONV_CON3,	NPU_CNA_CONV_CON3_NN_MODE },
	{ NPU_CNA_CONV_CON3,	NPU_CNA_CONV_CON3_DECONV_Y_STRIDE },
	{ NPU_CNA_CONV_CON3,	NPU_CNA_CONV_CON3_DECONV_X_STRIDE },
	{ NPU_CNA_DATA_SIZE3,	NPU_CNA_DATA_SIZE3_SURF_MODE },
	{ NPU_CNA_CBUF_CON0,	NPU_CNA_CBUF_CON0_FC_DATA_BANK },
	{ NPU_CNA_FC_CON0,	NPU_CNA_FC_CON0_FC_SKIP_DATA },
	{ NPU_CNA_FC_CON0,	NPU_CNA_FC_CON0_FC_SKIP_EN },
	{ NPU_CNA_FC_CON1,	NPU_CNA_FC_CON1_DATA_OFFSET },
	{ NPU_CNA_FC_CON2,	NPU_CNA_FC_CON2_WEIGHT_OFFSET },
	{ NPU_CNA_DCOMP_CTRL,	NPU_CNA_DCOMP_CTRL_WT_DEC_BYPASS },
	{ NPU_CNA_DCOMP_CTRL,	NPU_CNA_DCOMP_CTRL_DECOMP_CONTROL },
	{ NPU_CNA_DCOMP_REGNUM,	NPU_CNA_DCOMP_REGNUM_DCOMP_REGNUM },
};

#define N_UNMODELLED	(sizeof(unmodelled) / sizeof(unmodelled[0]))

#define CONV_DIRECT	0
#define CONV_DEPTHWISE	3
#define ARGB_ONE	8		/* ARGB_IN of one channel; 11 is four */
#define ARGB_LANES	4		/* lanes that CBUF holds of such a pixel */
#define LINES_A_GROUP	4		/* L of the grouped line mode */
#define STRIDE_BITS	28		/* address sums are modulo 2^28 units */

/*
 * A cube of this many units is refused: four times CBUF is room for a first
 * layer, whose pixels CBUF holds in a quarter of a unit.
 */
#define MAX_UNITS	(4u * CBUF_BYTES / NPU_UNIT)

static unsigned int min_nonzero(unsigned int size, unsigned int fetched)
{
	return fetched && fetched < size ? fetched : size;
}

/* Kernels x channels of one weight group is the shape of the array (A2). */
static void decode_group(struct conv *conv)
{
	conv->group_channels = conv->proc == NPU_PRECISION_TF32 ? 16 : 32;
	switch (conv->proc) {
	case NPU_PRECISION_INT4:
		conv->group = 64;
		break;
	case NPU_PRECISION_INT8:
		conv->group = 32;
		break;
	default:
		conv->group = 16;
	}
	if (conv->depthwise)
		conv->group *= 2;	/* int8 64, fp16 32 [SRC]; others by analogy [?] */
}

static void decode_input(struct npu_core *core, struct conv *conv)
{
	const unsigned int argb = FIELD(core, CNA_CONV_CON1, ARGB_IN);
	unsigned int channels = FIELD(core, CNA_DATA_SIZE1, DATAIN_CHANNEL);

	conv->in = FIELD(core, CNA_CONV_CON1, IN_PRECISION);
	conv->proc = FIELD(core, CNA_CONV_CON1, PROC_PRECISION);
	conv->lanes = precision_lanes(conv->in);
	conv->units = (unsigned int)div_up(channels, conv->lanes);
	conv->channels = conv->units * conv->lanes;
	conv->row_width = FIELD(core, CNA_DATA_SIZE0, DATAIN_WIDTH);
	/* DATAIN_WIDTH may exceed what is fetched (D7, Mesa); the rest is padding */
	conv->width = min_nonzero(conv->row_width, FIELD(core, CNA_FC_DATA_SIZE0, DMA_WIDTH));
	conv->height = min_nonzero(FIELD(core, CNA_DATA_SIZE0, DATAIN_HEIGHT),
				   FIELD(core, CNA_FC_DATA_SIZE0, DMA_HEIGHT));
	if (argb >= ARGB_ONE && FIELD(core, CNA_CONV_CON1, NONALIGN_DMA))
		conv->argb = argb - ARGB_ONE + 1;
}

static void decode_kernel(struct npu_core *core, struct conv *conv)
{
	conv->depthwise = FIELD(core, CNA_CONV_CON1, CONV_MODE) == CONV_DEPTHWISE;
	conv->kernel_width = FIELD(core, CNA_WEIGHT_SIZE2, WEIGHT_WIDTH);
	conv->kernel_height = FIELD(core, CNA_WEIGHT_SIZE2, WEIGHT_HEIGHT);
	conv->kernels = FIELD(core, CNA_WEIGHT_SIZE2, WEIGHT_KERNELS);
	conv->stride_x = FIELD(core, CNA_CONV_CON3, CONV_X_STRIDE);
	conv->stride_y = FIELD(core, CNA_CONV_CON3, CONV_Y_STRIDE);
	conv->dilation_x = FIELD(core, CNA_CONV_CON3, ATROUS_X_DILATION) + 1;
	conv->dilation_y = FIELD(core, CNA_CONV_CON3, ATROUS_Y_DILATION) + 1;
	conv->pad_left = FIELD(core, CNA_PAD_CON0, PAD_LEFT);
	conv->pad_top = FIELD(core, CNA_PAD_CON0, PAD_TOP);
	decode_group(conv);
	if (conv->depthwise)
		conv->kernels = conv->channels;
	conv->kernel_bytes = (size_t)conv_taps(conv) * (conv->depthwise ? 1 : conv->channels) *
			     precision_bits(conv->proc) / 8;
}

static void decode_cbuf(struct npu_core *core, struct conv *conv)
{
	conv->reuse_data = FIELD(core, CNA_CBUF_CON0, DATA_REUSE);
	conv->reuse_weights = FIELD(core, CNA_CBUF_CON0, WEIGHT_REUSE);
	/* the two fields are counts (E3) */
	conv->data_bytes = FIELD(core, CNA_CBUF_CON0, DATA_BANK) * (size_t)CBUF_BANK_BYTES;
	conv->weight_bytes = FIELD(core, CNA_CBUF_CON0, WEIGHT_BANK) * (size_t)CBUF_BANK_BYTES;
	if (conv->data_bytes >= CBUF_BYTES)
		conv->data_bytes = CBUF_BYTES - CBUF_BANK_BYTES;
	if (conv->data_bytes + conv->weight_bytes > CBUF_BYTES)
		conv->weight_bytes = CBUF_BYTES - conv->data_bytes;
}

/* Bytes from row to row of the features in CBUF. */
static size_t cbuf_pitch(struct npu_core *core, const struct conv *conv)
{
	/*
	 * In a first layer DATA_ENTRIES is the whole cube, not a row, and the
	 * one recorded task has room for 8 bytes a pixel of fp16 (D7).
	 */
	if (conv->argb)
		return (size_t)conv->row_width * ARGB_LANES * precision_bits(conv->in) / 8;
	return FIELD(core, CNA_CBUF_CON1, DATA_ENTRIES) * (size_t)CBUF_ENTRY_BYTES;
}

/* What a recorded working program never has, and silicon would not end. */
static bool check(struct npu_core *core, const struct conv *conv)
{
	const uint64_t mode = FIELD(core, CNA_CONV_CON1, CONV_MODE);

	if (!conv->channels || !conv->width || !conv->height)
		return npu_stop(core, NPU_HUNG, "CNA: empty input cube %ux%ux%u",
				conv->width, conv->height, conv->channels);
	if (!conv_taps(conv) || !conv->kernels)
		return npu_stop(core, NPU_HUNG, "CNA: empty kernel %ux%u, %u kernels",
				conv->kernel_width, conv->kernel_height, conv->kernels);
	if (!conv->out_width || !conv->stride_x || !conv->stride_y)
		return npu_stop(core, NPU_HUNG, "CNA: output width %u, stride %ux%u",
				conv->out_width, conv->stride_x, conv->stride_y);
	if (conv->in == NPU_PRECISION_INT32 || conv->in == NPU_PRECISION_FP32 ||
	    conv->proc == NPU_PRECISION_INT32 || conv->proc == NPU_PRECISION_FP32)
		return npu_stop(core, NPU_HUNG, "CNA: precision %u/%u is reserved",
				conv->in, conv->proc);
	if (FIELD(core, CNA_CONV_CON1, ARGB_IN) && !conv->argb)
		npu_warn(core, "CNA.CONV_CON1.ARGB_IN=%u without NONALIGN_DMA, or no known code: ignored",
			 (unsigned int)FIELD(core, CNA_CONV_CON1, ARGB_IN));
	if (mode != CONV_DIRECT && mode != CONV_DEPTHWISE)
		npu_warn(core, "CNA.CONV_CON1.CONV_MODE=%u: run as direct", (unsigned int)mode);
	if ((uint64_t)conv->width * conv->height * conv->units > MAX_UNITS)
		return npu_stop(core, NPU_HUNG, "CNA: a cube of %ux%ux%u is far beyond CBUF",
				conv->width, conv->height, conv->channels);
	if (conv->argb > ARGB_LANES)
		return npu_stop(core, NPU_HUNG, "CNA: ARGB_IN codes %u channels", conv->argb);
	if (!conv->data_bytes || !conv->weight_bytes)
		return npu_stop(core, NPU_HUNG, "CNA: no CBUF bank for %s",
				conv->data_bytes ? "weights" : "features");
	return true;
}

static void warn(struct npu_core *core, const struct conv *conv)
{
	const uint64_t kernel = FIELD(core, CNA_WEIGHT_SIZE1, WEIGHT_BYTES_PER_KERNEL);
	const uint64_t all = FIELD(core, CNA_WEIGHT_SIZE0, WEIGHT_BYTES);
	const size_t one = conv->depthwise ? conv->kernel_bytes * conv->channels : conv->kernel_bytes;
	const size_t kernels = conv->depthwise ? 1 : conv->kernels;
	const size_t pitch = cbuf_pitch(core, conv);
	const size_t row = (size_t)conv->width * conv->units * NPU_UNIT;
	const size_t group = conv->kernel_bytes * conv_group_kernels(conv, 0);

	/* the count of kernels and the channels define the layout, not the sizes (D2) */
	if (all != one * kernels || kernel != one)
		npu_warn(core, "CNA: %u kernels of %zu bytes, but WEIGHT_SIZE0 is %u and WEIGHT_SIZE1 %u",
			 (unsigned int)kernels, one, (unsigned int)all, (unsigned int)kernel);
	if (!conv->argb && conv->height > 1 && pitch < row)
		npu_warn(core, "CNA: a row takes %zu bytes, DATA_ENTRIES gives %zu: rows overlap",
			 row, pitch);
	if (pitch * conv->height > conv->data_bytes)
		npu_warn(core, "CNA: %u rows of %zu bytes exceed the data banks (%zu bytes): "
			 "rows from %zu on collide with the weights", conv->height, pitch,
			 conv->data_bytes, conv->data_bytes / pitch);
	if (group > conv->weight_bytes)
		npu_warn(core, "CNA: a kernel group of %zu bytes exceeds the weight banks (%zu)",
			 group, conv->weight_bytes);
	if (conv->in != conv->proc)
		npu_warn(core, "CNA: IN_PRECISION %u is not PROC_PRECISION %u",
			 conv->in, conv->proc);
	if (FIELD(core, CNA_DATA_SIZE3, DATAOUT_ATOMICS) !=
	    (uint64_t)conv->out_width * conv->out_height)
		npu_warn(core, "CNA: DATAOUT_ATOMICS is not %ux%u", conv->out_width,
			 conv->out_height);
}

static void cbuf_store(struct npu_core *core, size_t at, const uint8_t *src, size_t len)
{
	while (len) {
		const size_t to = at % CBUF_BYTES;
		const size_t n = len < CBUF_BYTES - to ? len : CBUF_BYTES - to;

		memcpy(core->cbuf + to, src, n);
		src += n;
		at += n;
		len -= n;
	}
}

/*
 * Features beyond the data banks collide with weights that arrive at the same
 * time: which bytes win is not known, that they are garbage is [HW, E3].
 */
static void cbuf_store_features(struct npu_core *core, const struct conv *conv, size_t at,
				uint8_t *src, size_t len)
{
	const size_t good = at >= conv->data_bytes ? 0 : conv->data_bytes - at;

	for (size_t i = good; i < len; i++)
		src[i] ^= 0xa5;
	cbuf_store(core, at, src, len);
}

static void cbuf_load(const struct npu_core *core, size_t at, uint8_t *dst, size_t len)
{
	while (len) {
		const size_t from = at % CBUF_BYTES;
		const size_t n = len < CBUF_BYTES - from ? len : CBUF_BYTES - from;

		memcpy(dst, core->cbuf + from, n);
		dst += n;
		at += n;
		len -= n;
	}
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
	const size_t pitch = cbuf_pitch(core, conv);
	const size_t len = (size_t)conv->width * NPU_UNIT;

	for (unsigned int c1 = 0; c1 < conv->units; c1++)
		for (unsigned int h = 0; h < conv->height; h++) {
			if (!bus_read(core, NPU_DMA_FEATURE,
				      row_address(core, conv, c1, h), row, len))
				return false;
			cbuf_store_features(core, conv, h * pitch + c1 * len, row, len);
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
	const size_t to_pitch = cbuf_pitch(core, conv);
	uint8_t packed[ARGB_LANES * sizeof(uint32_t)];

	for (unsigned int h = 0; h < conv->height; h++) {
		if (!bus_read(core, NPU_DMA_FEATURE, base + h * pitch, row, pixel * conv->width))
			return false;
		for (unsigned int w = 0; w < conv->width; w++) {
			memset(packed, 0, sizeof(packed));
			memcpy(packed, row + w * pixel, pixel);
			cbuf_store_features(core, conv, h * to_pitch + w * bytes * ARGB_LANES,
					    packed, bytes * ARGB_LANES);
		}
	}
	return true;
}

static bool load_features(struct npu_core *core, const struct conv *conv)
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
	const size_t packed = precision_bits(conv->in) / 8 * ARGB_LANES;

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

static void decode_features(struct npu_core *core, struct conv *conv, uint8_t *raw)
{
	const size_t pitch = cbuf_pitch(core, conv);
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

/*
 * PAD_CON1 holds one element, or two bytes for int8: in the recorded depthwise
 * task channels 0 to 31 of 64 take byte 0 when even and byte 1 when odd, 32 to
 * 63 all take byte 0 [HW]; direct convolution by the even/odd rule [?].
 */
static void decode_padding(struct npu_core *core, struct conv *conv)
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

static bool alloc(struct npu_core *core, struct conv *conv)
{
	const size_t pixels = (size_t)conv->width * conv->height;
	const size_t weights = conv->kernel_bytes * conv->group * 8 /
			       precision_bits(conv->proc);

	conv->x = malloc(pixels * conv->channels * sizeof(*conv->x));
	conv->pad = malloc(conv->channels * sizeof(*conv->pad));
	conv->x_sum = malloc(pixels * sizeof(*conv->x_sum));
	conv->w = malloc(weights * sizeof(*conv->w));
	conv->w_bytes = malloc(conv->kernel_bytes * conv->group);
	conv->taps = malloc(MAC_PIXELS * conv_taps(conv) * sizeof(*conv->taps));
	if (conv->x && conv->pad && conv->x_sum && conv->w && conv->w_bytes && conv->taps)
		return true;
	return npu_stop(core, NPU_STALLED, "out of memory");
}

/* MAC cycles of the task [TRM]: one group of kernels by one of channels a cycle. */
static bool count_cycles(struct npu_core *core, const struct conv *conv)
{
	const uint64_t pixels = (uint64_t)conv->out_width * conv->out_height;
	const uint64_t steps = conv->depthwise ? 1 : div_up(conv->channels, conv->group_channels);
	const uint64_t groups = div_up(conv->kernels, conv->group);
	const uint64_t row = (uint64_t)conv_taps(conv) * steps * groups;
	const uint64_t array = (uint64_t)conv->group *
			       (conv->depthwise ? 1 : conv->group_channels);
	const unsigned int real = conv->depthwise ? 1 :
		FIELD(core, CNA_DATA_SIZE1, DATAIN_CHANNEL_REAL) + 1;

	/* at most 2^27 pixels, 2^10 taps, 2^12 steps and 2^11 groups: no overflow */
	if (pixels * row > core->options.max_task_cycles)
		return npu_stop(core, NPU_HUNG, "task of %llu MAC cycles, the limit is %llu",
				(unsigned long long)(pixels * row),
				(unsigned long long)core->options.max_task_cycles);
	core->counters.cycles[NPU_STAGE_MAC] += pixels * row;
	core->cost.cycles[NPU_STAGE_MAC] += pixels * row;
	core->counters.macs_issued += pixels * row * array;
	core->counters.macs_useful += pixels * conv_taps(conv) * conv->kernels * real;
	return true;
}

bool cna_begin(struct npu_core *core, struct conv *conv)
{
	uint8_t *raw;

	npu_check_unmodelled(core, unmodelled, N_UNMODELLED);
	decode_input(core, conv);
	decode_kernel(core, conv);
	decode_cbuf(core, conv);
	conv->out_width = FIELD(core, CNA_DATA_SIZE2, DATAOUT_WIDTH);
	conv->out_height = FIELD(core, CORE_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
	conv->qd = FIELD(core, CORE_MISC_CFG, QD_EN) && !precision_is_float(conv->proc);
	if (!check(core, conv) || !core_check(core, conv) || !count_cycles(core, conv))
		return false;
	warn(core, conv);
	if (!alloc(core, conv) || !load_features(core, conv))
		return false;
	raw = malloc((size_t)conv->units * NPU_UNIT);
	if (!raw)
		return npu_stop(core, NPU_STALLED, "out of memory");
	decode_features(core, conv, raw);
	free(raw);
	decode_padding(core, conv);
	return true;
}

void cna_end(struct conv *conv)
{
	free(conv->x);
	free(conv->pad);
	free(conv->x_sum);
	free(conv->w);
	free(conv->w_bytes);
	free(conv->taps);
}

/*
 * Loop order in memory: channel group, tap, kernel in group, channel in group;
 * the last groups hold only what exists (D2). To [tap][channel][group].
 */
static void decode_direct(struct conv *conv, unsigned int kernels)
{
	const unsigned int taps = conv_taps(conv);
	double run[32];
	size_t at = 0;

	memset(conv->w, 0, (size_t)taps * conv->channels * conv->group * sizeof(*conv->w));
	for (unsigned int c = 0; c < conv->channels; c += conv->group_channels) {
		const unsigned int n = conv->channels - c < conv->group_channels ?
				       conv->channels - c : conv->group_channels;

		for (unsigned int t = 0; t < taps; t++)
			for (unsigned int k = 0; k < kernels; k++, at += n) {
				double *to = conv->w + ((size_t)t * conv->channels + c) *
					     conv->group + k;

				elements_decode(conv->proc, conv->w_bytes, at, n, run);
				for (unsigned int i = 0; i < n; i++)
					to[(size_t)i * conv->group] = run[i];
			}
	}
}

/* Tap, then channel in group (D3). */
static void decode_depthwise(struct conv *conv, unsigned int channels)
{
	for (unsigned int t = 0; t < conv_taps(conv); t++)
		elements_decode(conv->proc, conv->w_bytes, (size_t)t * channels, channels,
				conv->w + (size_t)t * conv->group);
}

/* Store to or load from the weight banks, which the groups pass through as a ring. */
static void ring(struct npu_core *core, const struct conv *conv, size_t first, size_t len,
		 bool store)
{
	for (size_t done = 0; done < len;) {
		const size_t at = (first + done) % conv->weight_bytes;
		const size_t left = conv->weight_bytes - at;
		const size_t n = len - done < left ? len - done : left;

		if (store)
			cbuf_store(core, conv->data_bytes + at, conv->w_bytes + done, n);
		else
			cbuf_load(core, conv->data_bytes + at, conv->w_bytes + done, n);
		done += n;
	}
}

/* Fetch and unpack the weights of kernel group @g. */
bool cna_load_weights(struct npu_core *core, struct conv *conv, unsigned int g)
{
	const unsigned int kernels = conv_group_kernels(conv, g);
	const size_t first = conv->kernel_bytes * conv->group * g;
	const size_t len = conv->kernel_bytes * kernels;
	const uint32_t base = npu_reg(core, NPU_CNA_DCOMP_ADDR0) &
			      NPU_CNA_DCOMP_ADDR0_DECOMPRESS_ADDR0;

	if (!conv->reuse_weights &&
	    !bus_read(core, NPU_DMA_WEIGHT, base + (uint32_t)first, conv->w_bytes, len))
		return false;
	ring(core, conv, first, len, !conv->reuse_weights);
	if (conv->depthwise)
		decode_depthwise(conv, kernels);
	else
		decode_direct(conv, kernels);
	return true;
}
