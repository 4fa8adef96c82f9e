// SPDX-License-Identifier: MIT
/*
 * CNA: reads features and weights into CBUF, converts and pads the features
 * and hands both to CORE (programming-model C2, D1 to D3, D7, E1 to E4).
 *
 * CBUF is held as bytes, so that what is reused, or overwritten because a
 * share is too small, is what a wrong program would find on silicon.
 *
 * Not modelled, and reported when set: see unmodelled[]. FEATURE_GRAINS and
 * the burst lengths change time only; KERNEL_GROUP is 0 in working programs.
 */
#include <stdlib.h>

#include "conv.h"

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
	{ NPU_CNA_FC_CON0,	NPU_CNA_FC_CON0_FC_SKIP_DATA },
	{ NPU_CNA_FC_CON0,	NPU_CNA_FC_CON0_FC_SKIP_EN },
	{ NPU_CNA_FC_CON1,	NPU_CNA_FC_CON1_DATA_OFFSET },
	{ NPU_CNA_FC_CON2,	NPU_CNA_FC_CON2_WEIGHT_OFFSET },
	{ NPU_CNA_DCOMP_CTRL,	NPU_CNA_DCOMP_CTRL_WT_DEC_BYPASS },
	{ NPU_CNA_DCOMP_CTRL,	NPU_CNA_DCOMP_CTRL_DECOMP_CONTROL },
	{ NPU_CNA_DCOMP_REGNUM,	NPU_CNA_DCOMP_REGNUM_DCOMP_REGNUM },
};

#define N_UNMODELLED	(sizeof(unmodelled) / sizeof(unmodelled[0]))

#define ARGB_ONE	8		/* ARGB_IN of one channel; 11 is four */

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
static void decode_group(const struct npu_core *core, struct conv *conv)
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
	/* int8 64, fp16 32 [SRC]; others by analogy [?] */
	if (conv->depthwise &&
	    !(conv->proc == NPU_PRECISION_BF16 && npu_is(core, NPU_DW_GROUP_ONCE)))
		conv->group *= 2;
}

static void decode_input(struct npu_core *core, struct conv *conv)
{
	const unsigned int argb = FIELD(core, CNA_CONV_CON1, ARGB_IN);
	const unsigned int channels = FIELD(core, CNA_DATA_SIZE1, DATAIN_CHANNEL);
	unsigned int lanes;

	conv->in = FIELD(core, CNA_CONV_CON1, IN_PRECISION);
	conv->proc = FIELD(core, CNA_CONV_CON1, PROC_PRECISION);
	conv->lanes = precision_lanes(conv->in);
	conv->units = (unsigned int)div_up(channels, conv->lanes);
	/* DATAIN_CHANNEL is that of the weights (D2): in whole units of either type */
	lanes = precision_lanes(conv->proc);
	lanes = lanes < conv->lanes ? lanes : conv->lanes;
	conv->channels = (unsigned int)div_up(channels, lanes) * lanes;
	conv->row_width = FIELD(core, CNA_DATA_SIZE0, DATAIN_WIDTH);
	/* DATAIN_WIDTH may exceed what is fetched (D7, Mesa); the rest is padding */
	conv->width = conv->row_width;
	if (npu_is(core, NPU_SHORT_ROWS_PADDING))
		conv->width = min_nonzero(conv->row_width,
					  FIELD(core, CNA_FC_DATA_SIZE0, DMA_WIDTH));
	conv->height = min_nonzero(FIELD(core, CNA_DATA_SIZE0, DATAIN_HEIGHT),
				   FIELD(core, CNA_FC_DATA_SIZE0, DMA_HEIGHT));
	if (argb >= ARGB_ONE && FIELD(core, CNA_CONV_CON1, NONALIGN_DMA))
		conv->argb = argb - ARGB_ONE + 1;
}

static void decode_kernel(struct npu_core *core, struct conv *conv)
{
	size_t channels = conv->channels;

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
	decode_group(core, conv);
	if (conv->depthwise)
		conv->kernels = conv->channels;
	if (conv->depthwise)
		channels = 1;
	else if (npu_is(core, NPU_WEIGHT_TAIL_WHOLE))
		channels = div_up(channels, conv->group_channels) * conv->group_channels;
	conv->kernel_elements = (size_t)conv_taps(conv) * channels;
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
	if (FIELD(core, CNA_CONV_CON1, NONALIGN_DMA) && !conv->argb)
		npu_warn(core, "CNA.CONV_CON1.NONALIGN_DMA without ARGB_IN: units are read all the same");
	if (mode != CONV_DIRECT && mode != CONV_DEPTHWISE)
		npu_warn(core, "CNA.CONV_CON1.CONV_MODE=%u: run as direct", (unsigned int)mode);
	if ((uint64_t)conv->width * conv->height * conv->units > MAX_UNITS)
		return npu_stop(core, NPU_HUNG, "CNA: a cube of %ux%ux%u is far beyond CBUF",
				conv->width, conv->height, conv->channels);
	if (conv_weight_bytes(conv, 1) > CBUF_BYTES)	/* its share of CBUF must hold one (E3) */
		return npu_stop(core, NPU_HUNG, "CNA: a kernel of %zu bytes is far beyond CBUF",
				conv_weight_bytes(conv, 1));
	if (conv->argb > CONV_ARGB_LANES)
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
	const size_t one = conv_weight_bytes(conv, conv->depthwise ? conv->channels : 1);
	const size_t kernels = conv->depthwise ? 1 : conv->kernels;
	/* the one recorded first layer has room for four lanes a pixel (D7) */
	const size_t pitch = cna_row_pitch(core, conv) *
			     (conv->argb ? CONV_ARGB_LANES / conv->argb : 1);
	const size_t row = (size_t)conv->width * conv->units * NPU_UNIT;
	const size_t group = conv_weight_bytes(conv, conv_group_kernels(conv, 0));

	/* the count of kernels and the channels define the layout, not the sizes (D2) */
	if (all != one * kernels || kernel != one)
		npu_warn(core, "CNA: %u kernels of %zu bytes, but WEIGHT_SIZE0 is %u and WEIGHT_SIZE1 %u",
			 (unsigned int)kernels, one, (unsigned int)all, (unsigned int)kernel);
	if (!conv->argb && conv->height > 1 && pitch < row)
		npu_warn(core, "CNA: a row takes %zu bytes, DATA_ENTRIES gives %zu: rows overlap",
			 row, pitch);
	if (pitch * conv->height > conv->data_bytes && conv->argb)
		npu_warn(core, "CNA: a first layer of %zu bytes may exceed the data banks (%zu)",
			 pitch * conv->height, conv->data_bytes);
	else if (pitch * conv->height > conv->data_bytes)
		npu_warn(core, "CNA: %u rows of %zu bytes exceed the data banks (%zu bytes): "
			 "rows from %zu on collide with the weights", conv->height, pitch,
			 conv->data_bytes, conv->data_bytes / pitch);
	if (group > conv->weight_bytes)
		npu_warn(core, "CNA: a kernel group of %zu bytes exceeds the weight banks (%zu)",
			 group, conv->weight_bytes);
	if (conv->reuse_data && conv->reuse_weights)
		npu_warn(core, "CNA: DATA_REUSE and WEIGHT_REUSE together have never worked");
	if (FIELD(core, CNA_CBUF_CON0, FC_DATA_BANK))
		npu_warn(core, "CNA.CBUF_CON0.FC_DATA_BANK is not 0, which spoils a convolution");
	if (conv->in != conv->proc)
		npu_warn(core, "CNA: IN_PRECISION %u is not PROC_PRECISION %u",
			 conv->in, conv->proc);
	if (FIELD(core, CNA_DATA_SIZE3, DATAOUT_ATOMICS) !=
	    (uint64_t)conv->out_width * conv->out_height)
		npu_warn(core, "CNA: DATAOUT_ATOMICS is not %ux%u", conv->out_width,
			 conv->out_height);
}

static bool alloc(struct npu_core *core, struct conv *conv)
{
	const size_t pixels = (size_t)conv->width * conv->height;
	const size_t weights = conv->kernel_elements * conv->group;

	conv->x = malloc(pixels * conv->channels * sizeof(*conv->x));
	conv->pad = malloc(conv->channels * sizeof(*conv->pad));
	conv->x_sum = malloc(pixels * sizeof(*conv->x_sum));
	conv->w = malloc(weights * sizeof(*conv->w));
	conv->w_bytes = malloc(conv_weight_bytes(conv, conv->group));
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

static void check_unmodelled(struct npu_core *core)
{
	npu_check_unmodelled(core, unmodelled, N_UNMODELLED);
	for (uint32_t reg = NPU_CNA_DCOMP_AMOUNT0; reg <= NPU_CNA_DCOMP_AMOUNT15; reg += 4) {
		const struct npu_unmodelled amount = { reg, ~0u };

		npu_check_unmodelled(core, &amount, 1);
	}
}

bool cna_begin(struct npu_core *core, struct conv *conv)
{
	check_unmodelled(core);
	decode_input(core, conv);
	decode_kernel(core, conv);
	decode_cbuf(core, conv);
	conv->out_width = FIELD(core, CNA_DATA_SIZE2, DATAOUT_WIDTH);
	conv->out_height = FIELD(core, CORE_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
	conv->qd = FIELD(core, CORE_MISC_CFG, QD_EN) && !precision_is_float(conv->proc);
	if (!check(core, conv))
		return false;
	core_lint(core, conv);
	if (!count_cycles(core, conv))
		return false;
	warn(core, conv);
	if (!alloc(core, conv) || !cna_load_features(core, conv) ||
	    !cna_decode_features(core, conv))
		return false;
	cna_decode_padding(core, conv);
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
