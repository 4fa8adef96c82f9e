// SPDX-License-Identifier: MIT
/*
 * CORE: the MAC array and the accumulator (programming-model C3, C4, E4).
 *
 * Integer sums are exact. Float sums are in double and rounded to fp32 once,
 * by the DPU's input: the order in silicon is not known [?].
 */
#include <string.h>

#include "conv.h"

static const struct npu_unmodelled unmodelled[] = {
	{ NPU_CORE_MISC_CFG,	 NPU_CORE_MISC_CFG_SOFT_GATING },
	{ NPU_CORE_UNKNOWN_3030, NPU_CORE_UNKNOWN_3030_UNKNOWN },
};

void core_lint(struct npu_core *core, const struct conv *conv)
{
	const bool depthwise = FIELD(core, CORE_MISC_CFG, DW_EN);
	const unsigned int precision = FIELD(core, CORE_MISC_CFG, PROC_PRECISION);
	const unsigned int width = FIELD(core, CORE_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;

	npu_check_unmodelled(core, unmodelled, sizeof(unmodelled) / sizeof(unmodelled[0]));
	if (depthwise != conv->depthwise)
		npu_warn(core, "CORE.MISC_CFG.DW_EN=%d, but CNA is set to %s", depthwise,
			 conv->depthwise ? "depthwise" : "direct");
	if (precision != conv->proc)
		npu_warn(core, "CORE.MISC_CFG.PROC_PRECISION=%u, but CNA has %u", precision,
			 conv->proc);
	if (width != conv->out_width)
		npu_warn(core, "CORE.DATAOUT_SIZE_0 is %u wide, CNA.DATA_SIZE2 says %u", width,
			 conv->out_width);
}

/* The pixel under each tap of output pixel @pixel, and for QD the sum over all. */
static double point_taps(const struct conv *conv, uint64_t pixel, const double **taps)
{
	const int64_t oy = (int64_t)(pixel / conv->out_width);
	const int64_t ox = (int64_t)(pixel % conv->out_width);
	double sum = 0;

	for (unsigned int ky = 0; ky < conv->kernel_height; ky++) {
		const int64_t y = oy * conv->stride_y + (int64_t)ky * conv->dilation_y -
				  conv->pad_top;

		for (unsigned int kx = 0; kx < conv->kernel_width; kx++) {
			const int64_t x = ox * conv->stride_x + (int64_t)kx * conv->dilation_x -
					  conv->pad_left;
			const bool inside = y >= 0 && y < conv->height && x >= 0 && x < conv->width;
			const size_t at = inside ? (size_t)y * conv->width + (size_t)x : 0;

			*taps++ = inside ? conv->x + at * conv->channels : conv->pad;
			if (conv->qd)
				sum += inside ? conv->x_sum[at] : conv->pad_sum;
		}
	}
	return sum;
}

/* Depthwise: every channel has a sum of its own. */
static void channel_sums(const struct conv *conv, const double *const *taps,
			 unsigned int c0, unsigned int n, double *sum)
{
	memset(sum, 0, conv->group * sizeof(*sum));
	for (unsigned int t = 0; t < conv_taps(conv); t++)
		for (unsigned int c = 0; c < n; c++)
			sum[c] += taps[t][c0 + c];
}

/* A float sum that is rounded after every addition, in the order of taps and channels. */
static void sum_in_steps(const struct conv *conv, unsigned int n, double *acc)
{
	const unsigned int taps = conv_taps(conv);

	for (size_t i = 0; i < (size_t)n * conv->group; i++) {
		const double *const *x = (const double *const *)conv->taps + i / conv->group * taps;
		float sum = 0;

		for (size_t j = 0; j < (size_t)taps * conv->channels; j++)
			sum = (float)((double)sum + x[j / conv->channels][j % conv->channels] *
				      conv->w[j * conv->group + i % conv->group]);
		acc[i] = (double)sum;
	}
}

static void accumulate_direct(const struct npu_core *core, struct conv *conv, uint64_t pixel,
			      unsigned int n, double *acc, double *sum)
{
	const unsigned int taps = conv_taps(conv);

	for (unsigned int p = 0; p < n; p++) {
		const double s = point_taps(conv, pixel + p, conv->taps + p * taps);

		for (unsigned int k = 0; k < conv->group; k++)
			sum[p * conv->group + k] = s;
	}
	if (precision_is_float(conv->proc) && npu_is(core, NPU_FLOAT_SUM_STEPS)) {
		sum_in_steps(conv, n, acc);
		return;
	}
	mac_direct((const double *const *)conv->taps, n, taps, conv->channels, conv->w,
		   conv->group, acc);
}

static void accumulate_depthwise(struct conv *conv, unsigned int g, uint64_t pixel,
				 unsigned int n, double *acc, double *sum)
{
	const unsigned int taps = conv_taps(conv);
	const unsigned int c0 = g * conv->group;
	const unsigned int channels = conv_group_kernels(conv, g);

	for (unsigned int p = 0; p < n; p++) {
		const double **pixel_taps = conv->taps + p * taps;

		point_taps(conv, pixel + p, pixel_taps);
		if (conv->qd)
			channel_sums(conv, (const double *const *)pixel_taps, c0, channels,
				     sum + p * conv->group);
		for (unsigned int t = 0; t < taps; t++)
			pixel_taps[t] += c0;
	}
	mac_depthwise((const double *const *)conv->taps, n, taps, conv->w, conv->group,
		      channels, acc);
}

/*
 * Accumulators of kernel group @g for @n output pixels from @pixel on, to
 * acc[n][group]; with QD_EN also the sums of the features, to sum[n][group].
 */
void core_accumulate(struct npu_core *core, struct conv *conv, unsigned int g,
		     uint64_t pixel, unsigned int n, double *acc, double *sum)
{
	memset(acc, 0, (size_t)n * conv->group * sizeof(*acc));
	memset(sum, 0, (size_t)n * conv->group * sizeof(*sum));
	if (!conv_group_kernels(conv, g))
		return;
	if (g && conv->proc == NPU_PRECISION_INT16 && npu_is(core, NPU_INT16_OUT_FIRST))
		return;
	for (unsigned int p = 0; p < n; p += MAC_PIXELS) {
		const unsigned int m = n - p < MAC_PIXELS ? n - p : MAC_PIXELS;
		double *const a = acc + (size_t)p * conv->group;
		double *const s = sum + (size_t)p * conv->group;

		if (conv->depthwise)
			accumulate_depthwise(conv, g, pixel + p, m, a, s);
		else
			accumulate_direct(core, conv, pixel + p, m, a, s);
	}
	/* integer chains without QD_EN (B4): a switch, since only one author saw it */
	if (npu_is(core, NPU_INTEGER_CHAINS_SPOILT) && core->task && !conv->qd &&
	    !precision_is_float(conv->proc))
		for (size_t i = 0; i < (size_t)n * conv->group; i++)
			acc[i] += 1e9;
}
