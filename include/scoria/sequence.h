/* SPDX-License-Identifier: MIT */
/*
 * Operations one after the other on tensors (tensor.h), submitted together: the output of
 * one is the input of another as it lies, and nothing is packed in between.
 *
 *	scoria_sequence_create(dev, &seq);
 *	scoria_sequence_add_conv2d(seq, plan1, weights1, image, NULL, t1);
 *	scoria_sequence_add_conv2d(seq, plan2, weights2, t1, image2, t2);
 *	scoria_sequence_add_pool(seq, pool, t2, t3);
 *	scoria_tensor_pack(image, SCORIA_NCHW, picture);
 *	scoria_sequence_run(seq);
 *	scoria_tensor_unpack(t3, SCORIA_NCHW, result);
 *
 * Adding an operation says whether the layouts agree. -EINVAL: a tensor has another type
 * or size than the plan. -EOPNOTSUPP, with the reason: the plan does something on the CPU
 * between memory and NPU, so that it has no layout to agree on; run it with its own
 * function, and pack and unpack around it. Such are convolutions whose windows the CPU
 * gathers, depthwise ones with a multiplier, groups of channels that do not fill whole
 * units, sums that the CPU finishes (fusion.h), int4 and int16 products, products with so
 * many rows that they run in pieces, pooling in passes or gathered, averages of int8 in
 * which windows have different divisors, and element-wise operations with a broadcast or of
 * more than one pass. Results are those of the plan's own run, bit for bit.
 *
 * An operation reads what those before it have written. Its output must be none of its
 * inputs. Two operations may not write the same tensor from two sequences at a time.
 *
 * Ownership: a sequence uses the plans, weights and tensors that were added and must be
 * destroyed before them.
 *
 * Threads: one thread at a time may use a sequence. Sequences of one device may run
 * in several threads at once, as long as none writes what another uses; their plans
 * must not be shared.
 */
#ifndef SCORIA_SEQUENCE_H
#define SCORIA_SEQUENCE_H

#include <scoria/conv2d.h>
#include <scoria/eltwise.h>
#include <scoria/matmul.h>
#include <scoria/pool.h>
#include <scoria/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scoria_sequence;
struct scoria_fence;

SCORIA_API int scoria_sequence_create(struct scoria_device *dev, struct scoria_sequence **seq);

/* Nothing of it may be running. NULL is accepted. */
SCORIA_API void scoria_sequence_destroy(struct scoria_sequence *seq);

/* @operand: that of fusion.h, NULL exactly when the plan has none. */
SCORIA_API int scoria_sequence_add_conv2d(struct scoria_sequence *seq,
					  struct scoria_conv2d_plan *plan,
					  struct scoria_conv2d_weights *weights,
					  const struct scoria_tensor *input,
					  const struct scoria_tensor *operand,
					  struct scoria_tensor *output);

/* Matrices are tensors as tensor.h says, the products of a batch its images. */
SCORIA_API int scoria_sequence_add_matmul(struct scoria_sequence *seq,
					  struct scoria_matmul_plan *plan,
					  struct scoria_matmul_weights *weights,
					  const struct scoria_tensor *a,
					  const struct scoria_tensor *operand,
					  struct scoria_tensor *c);

/* add, sub, mul, max and min, with or without a ReLU. */
SCORIA_API int scoria_sequence_add_eltwise(struct scoria_sequence *seq,
					   struct scoria_eltwise_plan *plan,
					   const struct scoria_tensor *a,
					   const struct scoria_tensor *b,
					   struct scoria_tensor *out);

SCORIA_API int scoria_sequence_add_pool(struct scoria_sequence *seq, struct scoria_pool_plan *plan,
					const struct scoria_tensor *input,
					struct scoria_tensor *output);

/* What a run costs. The caller sets @info->size. */
SCORIA_API int scoria_sequence_info(const struct scoria_sequence *seq,
				    struct scoria_plan_info *info);

/* Run all of it and wait. When the device fails, outputs may be half written. */
SCORIA_API int scoria_sequence_run(struct scoria_sequence *seq);

/*
 * Start it and return; *@fence tells when it is done. Until then the sequence and all
 * that it uses must stay, its tensors must be left alone, and what it has started does not
 * wait for it: another sequence that reads its outputs is started after
 * scoria_fence_wait(). Several may be under way at once, on one device they share its cores.
 */
SCORIA_API int scoria_sequence_run_async(struct scoria_sequence *seq, struct scoria_fence **fence);

/*
 * Wait up to @timeout_ns nanoseconds; negative for as long as it takes, 0 to ask only.
 * 0 when the run has ended well, -EBUSY when it has not ended, else its error, as
 * scoria_sequence_run() would have returned it. Once it has ended every further call gives
 * the same. One thread at a time may wait for a fence.
 */
SCORIA_API int scoria_fence_wait(struct scoria_fence *fence, int64_t timeout_ns);

/* Waits for the end first. NULL is accepted. */
SCORIA_API void scoria_fence_destroy(struct scoria_fence *fence);

#ifdef __cplusplus
}
#endif

#endif
