// SPDX-License-Identifier: MIT
/* See conv.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv.h"
#include "fp16.h"
#include "recipe.h"

const struct type_info type_info[N_TYPES] = {
	[T_INT4] = { 4, 32, 64, 32, 128, T_INT4, false },
	[T_INT8] = { 8, 16, 32, 32, 64, T_INT8, false },
	[T_INT16] = { 16, 8, 16, 32, 32, T_INT16, false },
	[T_FP16] = { 16, 8, 16, 32, 32, T_FP16, true },
	[T_BF16] = { 16, 8, 16, 32, 0, T_BF16, true },
	[T_TF32] = { 32, 4, 16, 16, 0, T_FP32, true },
	[T_INT32] = { 32, 4, 0, 0, 0, T_INT32, false },
	[T_FP32] = { 32, 4, 0, 0, 0, T_FP32, true },
};

void type_store(enum type type, uint8_t *base, size_t index, double value)
{
	unsigned int shift = index % 2 * 4;

	switch (type) {
	case T_INT4:
		base[index / 2] &= ~(15u << shift);
		base[index / 2] |= ((int)value & 15) << shift;
		return;
	case T_INT8:
		base[index] = (int)value;
		return;
	case T_INT16:
		store16(base, index, (int)value);
		return;
	case T_FP16:
		store16(base, index, fp32_to_fp16(value));
		return;
	case T_BF16:
		store16(base, index, fp32_to_bf16(value));
		return;
	case T_INT32:
		store32(base, index, (int32_t)value);
		return;
	default:
		store32(base, index, fp32_bits(value));
	}
}

double type_load(enum type type, const uint8_t *base, size_t index)
{
	switch (type) {
	case T_INT4:
		return ((base[index / 2] >> index % 2 * 4 & 15) ^ 8) - 8;
	case T_INT8:
		return (int8_t)base[index];
	case T_INT16:
		return (int16_t)load16(base, index);
	case T_FP16:
		return fp16_to_fp32(load16(base, index));
	case T_BF16:
		return bf16_to_fp32(load16(base, index));
	case T_INT32:
		return (int32_t)load32(base, index);
	default:
		return fp32_from_bits(load32(base, index));
	}
}

double type_random(enum type type)
{
	switch (type) {
	case T_INT4:
		return (int)(test_random() % 16) - 8;
	case T_INT8:
		return (int)(test_random() % 256) - 128;
	case T_INT16:
		return (int)(test_random() % 4096) - 2048;
	default:	/* multiples of 1/4 within 8: products and sums stay exact */
		return ((int)(test_random() % 65) - 32) / 4.0;
	}
}

static unsigned int round_up(unsigned int n, unsigned int unit)
{
	return (n + unit - 1) / unit * unit;
}

static unsigned int group(const struct conv *conv)
{
	const struct type_info *in = &type_info[conv->in];

	return conv->depthwise ? in->depthwise : in->kernels;
}

unsigned int conv_surfaces(const struct conv *conv)
{
	return group(conv) * type_info[conv->out].bits / 8 / 16;
}

static size_t n_kernel_values(const struct conv *conv)
{
	size_t taps = (size_t)conv->kh * conv->kw * conv->c;

	return conv->depthwise ? taps : taps * conv->oc;
}

static void measure(struct conv *conv)
{
	const struct type_info *in = &type_info[conv->in];
	unsigned int kernels = conv->depthwise ? 1 : conv->oc;
	unsigned int groups = conv->oc_pad / group(conv);

	conv->x_bytes = (size_t)conv->c_pad / in->c2 * conv->h * conv->w * 16;
	conv->k_bytes = (size_t)kernels * conv->kh * conv->kw * conv->c_pad * in->bits / 8;
	conv->y_bytes = groups * conv_surfaces(conv) * conv->oh * conv->ow * 16;
}

static void default_to_one(unsigned int *value)
{
	if (!*value)
		*value = 1;
}

void conv_init(struct conv *conv)
{
	const struct type_info *in = &type_info[conv->in];
	size_t n_x = (size_t)conv->c * conv->h * conv->w, n_k;
	unsigned int *ones[] = { &conv->kw, &conv->kh, &conv->sx, &conv->sy, &conv->dx, &conv->dy };

	for (unsigned int i = 0; i < 6; i++)
		default_to_one(ones[i]);
	if (conv->depthwise)
		conv->oc = conv->c;
	conv->c_pad = round_up(conv->c, in->c2);
	conv->oc_pad = round_up(conv->oc, group(conv));
	if (!conv->ow)
		conv->ow = (conv->w - (conv->kw - 1) * conv->dx - 1) / conv->sx + 1;
	if (!conv->oh)
		conv->oh = (conv->h - (conv->kh - 1) * conv->dy - 1) / conv->sy + 1;
	n_k = n_kernel_values(conv);
	conv->x = calloc(n_x, sizeof(double));
	conv->k = calloc(n_k, sizeof(double));
	if (!conv->x || !conv->k) {
		perror("conv_init");
		exit(1);
	}
	for (size_t i = 0; i < n_x; i++)
		conv->x[i] = type_random(conv->in);
	for (size_t i = 0; i < n_k; i++)
		conv->k[i] = type_random(conv->in);
	measure(conv);
}

void conv_free(struct conv *conv)
{
	free(conv->x);
	free(conv->k);
}

/* D1: unit c1 (H W) + h W + w, lane c mod C2. */
void conv_store_x(const struct conv *conv, uint8_t *bytes)
{
	unsigned int c2 = type_info[conv->in].c2, plane = conv->h * conv->w;

	for (unsigned int c = 0; c < conv->c; c++)
		for (unsigned int p = 0; p < plane; p++)
			type_store(conv->in, bytes, (size_t)(c / c2 * plane + p) * c2 + c % c2,
				   conv->x[c * plane + p]);
}

/* The weight of kernel @k, channel @c at tap (@ky, @kx); zero where there is none. */
static double weight(const struct conv *conv, unsigned int k, unsigned int c, unsigned int ky,
		     unsigned int kx)
{
	size_t row = conv->depthwise ? c : (size_t)k * conv->c + c;

	if (c >= conv->c)
		return 0;
	return conv->k[(row * conv->kh + ky) * conv->kw + kx];
}

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* One kernel group: channel groups, ky, kx, kernels, channels; returns the next index. */
static size_t store_group(const struct conv *conv, uint8_t *bytes, size_t at, unsigned int k0,
			  unsigned int kernels, unsigned int g_c)
{
	for (unsigned int c0 = 0; c0 < conv->c_pad; c0 += g_c)
		for (unsigned int tap = 0; tap < conv->kh * conv->kw; tap++)
			for (unsigned int k = k0; k < k0 + kernels; k++)
				for (unsigned int c = c0; c < smaller(c0 + g_c, conv->c_pad); c++)
					type_store(
						conv->in, bytes, at++,
						weight(conv, k, c, tap / conv->kw, tap % conv->kw));
	return at;
}

/* D2 and D3. */
void conv_store_k(const struct conv *conv, uint8_t *bytes)
{
	const struct type_info *in = &type_info[conv->in];
	size_t at = 0;

	if (conv->depthwise) {
		store_group(conv, bytes, 0, 0, 1, in->depthwise);
		return;
	}
	for (unsigned int k = 0; k < conv->oc; k += in->kernels)
		at = store_group(conv, bytes, at, k, smaller(in->kernels, conv->oc - k),
				 in->channels);
}

void conv_place(struct conv *conv, struct rig *rig)
{
	conv_store_x(conv, rig_map(rig, AT_X, conv->x_bytes, 0));
	conv_store_k(conv, rig_map(rig, AT_W, round_up(conv->k_bytes, 16), 0));
	conv->y = rig_map(rig, AT_Y, conv->y_bytes, 0xee);
}

/* E3: 64-byte entries of a row. */
static unsigned int data_entries(const struct conv *conv)
{
	unsigned int atoms = conv->c_pad / type_info[conv->in].c2, rest = atoms % 4;
	unsigned int last = rest == 3 ? conv->w : (rest * conv->w + 3) / 4;

	return atoms / 4 * conv->w + last;
}

static void cna_task(const struct conv *conv, struct task *t)
{
	unsigned int kernels = conv->depthwise ? 1 : conv->oc;
	unsigned int entries = data_entries(conv);
	unsigned int banks = (conv->h * entries * 64 + 32767) / 32768;

	task_append(t, CNA_CONV_CON1, (conv->depthwise ? 3 : 0) | conv->in << 4 | conv->in << 7);
	task_append(t, CNA_CONV_CON2, (conv->h + 1) << 4);
	task_append(t, CNA_CONV_CON3, conv->sx | conv->sy << 3 | (conv->dx - 1) << 16 |
				      (conv->dy - 1) << 21);
	task_append(t, CNA_DATA_SIZE0, conv->w << 16 | conv->h);
	task_append(t, CNA_DATA_SIZE1, (conv->c - 1) << 16 | conv->c_pad);
	task_append(t, CNA_DATA_SIZE2, conv->ow);
	task_append(t, CNA_DATA_SIZE3, conv->ow * conv->oh);
	task_append(t, CNA_WEIGHT_SIZE0, conv->k_bytes);
	task_append(t, CNA_WEIGHT_SIZE1, conv->k_bytes / kernels);
	task_append(t, CNA_WEIGHT_SIZE2, conv->kw << 24 | conv->kh << 16 | kernels);
	task_append(t, CNA_CBUF_CON0, (12 - banks) << 4 | banks);
	task_append(t, CNA_CBUF_CON1, entries);
	task_append(t, CNA_CVT_CON0, 0x0b);
	for (unsigned int reg = CNA_CVT_CON1; reg <= CNA_CVT_CON4; reg += 4)
		task_append(t, reg, 0x00010000);
	task_append(t, CNA_CVT_CON5, 0);
	task_append(t, CNA_FC_CON0, 0);
	task_append(t, CNA_FC_CON1, 0);
	task_append(t, CNA_FC_CON2, 0);
	task_append(t, CNA_PAD_CON0, conv->left << 4 | conv->top);
	task_append(t, CNA_FEATURE_DATA_ADDR, AT_X);
	task_append(t, CNA_DMA_CON0, 0x000f000f);
	task_append(t, CNA_DMA_CON1, 4 * conv->w);
	task_append(t, CNA_DMA_CON2, (conv->w * (conv->h - 4)) & 0x0fffffff);
	task_append(t, CNA_FC_DATA_SIZE0, conv->w << 16 | conv->h);
	task_append(t, CNA_FC_DATA_SIZE1, conv->c_pad);
	task_append(t, CNA_DCOMP_CTRL, 0);
	task_append(t, CNA_DCOMP_REGNUM, 0);
	for (unsigned int reg = CNA_DCOMP_AMOUNT0; reg <= CNA_DCOMP_AMOUNT15; reg += 4)
		task_append(t, reg, 0);
	task_append(t, CNA_DCOMP_ADDR0, AT_W);
}

/* The pad value: a byte in both halves, or an fp16 pattern (E4). */
static uint32_t pad_bits(const struct conv *conv)
{
	uint8_t bits[4] = { 0 };

	type_store(conv->in, bits, 0, conv->pad);
	if (conv->in == T_INT8)
		return bits[0] * 0x0101u;
	return load32(bits, 0);
}

static void core_task(const struct conv *conv, struct task *t)
{
	task_append(t, CORE_MISC_CFG, conv->in << 8 | conv->depthwise << 1 | !conv->qd_off);
	task_append(t, CORE_DATAOUT_SIZE_0, (conv->oh - 1) << 16 | (conv->ow - 1));
	task_append(t, CORE_DATAOUT_SIZE_1, conv->oc_pad - 1);
	task_append(t, CORE_CLIP_TRUNCATE, 0);
	task_append(t, CORE_UNKNOWN_3030, 0);
}

static void dpu_task(const struct conv *conv, struct task *t)
{
	enum type in = type_info[conv->in].dpu;
	unsigned int size_e = conv_surfaces(conv) - 1, plane = conv->ow * conv->oh;

	task_append(t, DPU_FEATURE_MODE_CFG, conv->depthwise ? 0x1fc : 0x1e4);
	task_append(t, DPU_DATA_FORMAT, (uint32_t)conv->out << 29 | in << 26 | in);
	task_append(t, DPU_OFFSET_PEND, 0);
	task_append(t, DPU_DST_BASE, AT_Y);
	task_append(t, DPU_DST_SURF_STRIDE, plane << 4);
	task_append(t, DPU_WIDTH, conv->ow - 1);
	task_append(t, DPU_HEIGHT, conv->oh - 1);
	task_append(t, DPU_NOTCH, 0);
	task_append(t, DPU_CHANNEL, (conv->oc - 1) << 16 | (conv->oc_pad - 1));
	task_append(t, DPU_BS_OW_CFG, size_e << 8 | size_e << 5 | size_e << 2 | 2);
	task_append(t, DPU_OW_OP, 0);
	task_append(t, DPU_WDMA_SIZE_0, conv->oc_pad - 1);
	task_append(t, DPU_WDMA_SIZE_1, (conv->oh - 1) << 16 | (conv->ow - 1));
	recipe_dpu_neutral(t);
	task_append(t, DPU_OUT_OFFSET, 0);
	task_append(t, DPU_OUT_SCALE, conv->out == T_FP16 ? 0x10001 : 1);
	task_append(t, DPU_OUT_SHIFT, 0);
	task_append(t, DPU_SURFACE_ADD, (size_e + 1) * plane << 4);
}

void conv_task(const struct conv *conv, struct task *t)
{
	task_begin(t, EN_CONV_RDMA);
	task_append(t, DPU_S_POINTER, 0xe);
	task_append(t, RDMA_S_POINTER, 0xe);
	cna_task(conv, t);
	task_append(t, CNA_PAD_CON1, pad_bits(conv));
	core_task(conv, t);
	dpu_task(conv, t);
	task_append(t, RDMA_WIDTH, conv->ow - 1);
	task_append(t, RDMA_HEIGHT, conv->oh - 1);
	task_append(t, RDMA_CHANNEL, conv->oc_pad - 1);
	task_append(t, RDMA_SRC_BASE, 0);
	recipe_rdma_off(t);
	task_append(t, RDMA_FEATURE_MODE_CFG, 0x7810 | (conv->out == T_FP16) << 3 |
					      (conv->depthwise ? 6 : 0));
}

double conv_feature(const struct conv *conv, unsigned int c, unsigned int oy, unsigned int ox,
		    unsigned int ky, unsigned int kx)
{
	int y = (int)(oy * conv->sy + ky * conv->dy) - (int)conv->top;
	int x = (int)(ox * conv->sx + kx * conv->dx) - (int)conv->left;

	if (y < 0 || x < 0 || y >= (int)conv->h || x >= (int)conv->w)
		return conv->pad;
	return conv->x[((size_t)c * conv->h + y) * conv->w + x];
}

double conv_sum(const struct conv *conv, unsigned int oc, unsigned int oy, unsigned int ox)
{
	unsigned int c = conv->depthwise ? oc : 0, end = conv->depthwise ? oc + 1 : conv->c;
	double sum = 0;

	for (; c < end; c++)
		for (unsigned int ky = 0; ky < conv->kh; ky++)
			for (unsigned int kx = 0; kx < conv->kw; kx++)
				sum += conv_feature(conv, c, oy, ox, ky, kx) *
				       weight(conv, oc, c, ky, kx);
	return sum;
}

/* D5 with every surface a full plane. */
double conv_output(const struct conv *conv, unsigned int oc, unsigned int oy, unsigned int ox)
{
	unsigned int lanes = 128 / type_info[conv->out].bits;
	size_t unit = (size_t)oc / lanes * conv->oh * conv->ow + oy * conv->ow + ox;

	return type_load(conv->out, conv->y, unit * lanes + oc % lanes);
}

/* The largest and smallest number of an integer output. */
static double saturate(enum type type, double v)
{
	double high;

	if (type_info[type].is_float)
		return v;
	high = ldexp(1, type_info[type].bits - 1);
	return v >= high ? high - 1 : v < -high ? -high : v;
}

static bool compare_outputs(const struct conv *conv, const char *what)
{
	for (unsigned int oc = 0; oc < conv->oc_pad; oc++) {
		for (unsigned int p = 0; p < conv->oh * conv->ow; p++) {
			unsigned int oy = p / conv->ow, ox = p % conv->ow;
			double want = oc < conv->oc ? conv_sum(conv, oc, oy, ox) : 0;
			double got = conv_output(conv, oc, oy, ox);

			if (conv->out == T_FP16)
				want = fp16_to_fp32(fp32_to_fp16(want));
			want = saturate(conv->out, want);
			if (want == got)
				continue;
			printf("# %s: channel %u at %u,%u: want %g, got %g\n", what, oc, oy, ox, want,
			       got);
			return false;
		}
	}
	return true;
}

bool conv_run(struct conv *conv, struct rig *rig, const struct task *t, const char *what)
{
	enum npu_state state = rig_run(rig, t, 1);

	if (state != NPU_IDLE) {
		printf("# %s: state %d: %s\n", what, state, npu_core_reason(rig->core));
		return false;
	}
	return compare_outputs(conv, what);
}

bool conv_check(struct conv *conv, const char *what)
{
	struct rig rig;
	struct task t;
	bool good;

	rig_init(&rig, NULL);
	conv_init(conv);
	conv_place(conv, &rig);
	conv_task(conv, &t);
	good = conv_run(conv, &rig, &t, what);
	conv_free(conv);
	rig_free(&rig);
	return good;
}
