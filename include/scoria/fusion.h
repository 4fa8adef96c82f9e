/* SPDX-License-Identifier: MIT */
/*
 * What the DPU does behind the sums of a contraction, besides bias, ReLU and
 * requantisation, which are options of the contraction itself.
 *
 *	x = factor sum + bias			a factor for every output channel
 *	x = x + e, or x e			e: an operand as large as the output
 *	result = f(x)				an activation
 *
 * or, with operand_last, the activation before the operand. The operand has the
 * layout and the type of the output.
 *
 * fp16 output: x stays fp32 and is rounded once where all of it runs in the task of
 * the contraction. Where it cannot it follows in passes over the result, in NPU memory
 * and in the same job, and x is rounded to fp16 before each. These run in the task:
 *
 *	- factors, rounded to fp16
 *	- relu, relu6, relux, leaky_relu, prelu and sigmoid without factors and without
 *	  another alpha than 1; relu, relu6 and relux always. A sigmoid in the task gives
 *	  some value of [0, 1] for NaN, relux and relu6 give their limit
 *	- the operand of direct convolutions and products; then relu, relu6 or relux; and
 *	  before it any of the above but sigmoid
 *
 * fp32 output: the same but for functions with a table, whose results have 16 bits:
 * -EOPNOTSUPP.
 *
 * int8 and uint8 output: the same but for factors, which are what the scales by channel
 * are, sigmoid and all other functions of activation.h: -EOPNOTSUPP. With a sum that
 * includes its bias and a multiplier m / 2^s as in conv2d.h, of scale for ADD and of scale
 * operand_scale for MUL,
 *
 *	leaky_relu	acc = acc < 0 ? round(acc a / 2^t) : acc	alpha = a / 2^t
 *	prelu		acc = acc < 0 ? round(acc a / 2^14) : acc	slope = a / 2^14
 *	ADD	x = round(acc m / 2^(s - k)) + round((e - operand_zp) f / 2^t)
 *	MUL	x = round(acc m / 2^(s - k)) (e - operand_zp)
 *		result = saturate(round(relu(x) / 2^k) + output_zp)
 *
 * where a / 2^t and f / 2^t are those of scoria_quantize_scale() for alpha and
 * operand_scale 2^k, k is the largest of 0 to 12 with k <= s and, for ADD,
 * operand_scale 2^k <= 32767, and every x saturates to int32. relu_max is in units
 * of the output scale; relu() is before the operand with operand_last. An activation
 * behind an operand takes its x in place of acc, and stands where relu() does. In a
 * conventional network operand_scale is the operand's scale / the output's for ADD, and
 * the operand's scale for MUL.
 *
 * int32 and int64 output: nothing but bias and ReLU, -EOPNOTSUPP.
 *
 * What the DPU's stages have no room for is done by the CPU, which then takes sums of fp32
 * or int32 from the NPU and finishes them while it unpacks, floats in double:
 *
 *	- all that follows sums of which the CPU has to add parts (see matmul.h), those with
 *	  an alpha that is no fp16 number, and those whose scales have no shift in common
 *	- an operand behind fp32: the DPU fetches operands for groups of two surfaces, and
 *	  fp32 has four (programming-model F3)
 *	- prelu with factors or another alpha than 1 or behind an operand, for fp32 leaky_relu
 *	  likewise: both of BS and BN are taken
 *	- for integers prelu with an operand or scales by channel, which have the multiplier
 *	  that it would need, and leaky_relu and prelu behind an operand
 *
 * Functions with a table then follow in passes of the NPU over the finished array. Sums are
 * kept together for what follows them in the task where one task can hold them. Such a plan
 * has no layout to agree on in a sequence (sequence.h).
 */
#ifndef SCORIA_FUSION_H
#define SCORIA_FUSION_H

#include <scoria/activation.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_operand {
	SCORIA_OPERAND_NONE = 0,
	SCORIA_OPERAND_ADD = 1,
	SCORIA_OPERAND_MUL = 2,
};

/**
 * struct scoria_fusion - what follows, read when the plan is created
 * @size:       sizeof(struct scoria_fusion)
 * @factors:    one for each output channel, such as those of a batch normalisation;
 *              NULL for none
 * @activation: 0 for none. The ReLU of the contraction's own options is the same
 *              as relu and relux here; both at once are -EINVAL
 * @alpha:      of the activation, as in struct scoria_activation_opts
 * @slopes:     of prelu, one for each output channel, in [-2, 2) for integers
 * @operand:    what is done with the operand, which the run is given
 * @operand_last: not 0 for the operand behind the activation
 * @operand_scale: @operand_zp: of int8 and uint8, in [2^-49, 32767] and of their type; 0
 *              stands for a scale of 1
 */
struct scoria_fusion {
	size_t size;
	const float *factors;
	enum scoria_activation activation;
	double alpha;
	const float *slopes;
	enum scoria_operand operand;
	int operand_last;
	double operand_scale;
	int32_t operand_zp;
};

#ifdef __cplusplus
}
#endif

#endif
