// SPDX-License-Identifier: MIT
/*
 * CNA's weights: from memory through the weight banks, group by group
 * (programming-model D2, D3, E3). Groups pass the banks as a ring [FIT].
 */
#include <string.h>

#include "conv.h"

/*
 * Loop order in memory: channel group, tap, kernel in group, channel in group;
 * the last groups hold only what exists (D2). To [tap][channel][group].
 */
static void decode_direct(const struct npu_core *core, struct conv *conv, unsigned int kernels)
{
	const unsigned int taps = conv_taps(conv);
	double run[32];
	size_t at = 0;

	/* a full group writes every weight */
	if (kernels < conv->group)
		memset(conv->w, 0, (size_t)taps * conv->channels * conv->group * sizeof(*conv->w));
	for (unsigned int c = 0; c < conv->channels; c += conv->group_channels) {
		const unsigned int n = conv->channels - c < conv->group_channels ?
				       conv->channels - c : conv->group_channels;

		const unsigned int room = npu_is(core, NPU_WEIGHT_TAIL_COMPACT) ?
					  n : conv->group_channels;

		for (unsigned int t = 0; t < taps; t++)
			for (unsigned int k = 0; k < kernels; k++, at += room) {
				double *to = conv->w + ((size_t)t * conv->channels + c) *
					     conv->group + k;

				elements_decode(conv->proc, conv->w_bytes, at, n, run);
				for (unsigned int i = 0; i < n; i++)
					to[(size_t)i * conv->group] = run[i];
			}
	}
}

/* Tap, then channel in group (D3). */
static void decode_depthwise(struct conv *conv, unsigned int channels, unsigned int room)
{
	for (unsigned int t = 0; t < conv_taps(conv); t++)
		elements_decode(conv->proc, conv->w_bytes, (size_t)t * room, channels,
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

/* Where kernel @k starts: what WEIGHT_SIZE1 says has no effect [FIT, D2]. */
static size_t kernel_start(struct npu_core *core, const struct conv *conv, size_t k)
{
	if (!conv->depthwise && npu_is(core, NPU_WEIGHT_SIZE1_PITCH))
		return k * FIELD(core, CNA_WEIGHT_SIZE1, WEIGHT_BYTES_PER_KERNEL);
	return conv_weight_bytes(conv, k);
}

/* Fetch and unpack the weights of kernel group @g. */
bool cna_load_weights(struct npu_core *core, struct conv *conv, unsigned int g)
{
	const unsigned int kernels = conv_group_kernels(conv, g);
	const unsigned int room = conv->depthwise && npu_is(core, NPU_DW_TAIL_WHOLE) ?
				  conv->group : kernels;
	const size_t first = kernel_start(core, conv, (size_t)conv->group * g);
	const size_t len = conv_weight_bytes(conv, room);
	const uint32_t base = npu_reg(core, NPU_CNA_DCOMP_ADDR0) &
			      NPU_CNA_DCOMP_ADDR0_DECOMPRESS_ADDR0;

	if (!conv->reuse_weights &&
	    !bus_read(core, NPU_DMA_WEIGHT, base + (uint32_t)first, conv->w_bytes, len))
		return false;
	ring(core, conv, first, len, !conv->reuse_weights);
	if (npu_is(core, NPU_WEIGHT_BANKS_SPOIL))
		ring(core, conv, first, len, false);
	if (conv->depthwise)
		decode_depthwise(conv, kernels, room);
	else
		decode_direct(core, conv, kernels);
	return true;
}
