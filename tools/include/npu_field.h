/* SPDX-License-Identifier: MIT */
/*
 * Fields of registers by the masks of rk3588_npu.h, as FIELD_GET() and
 * FIELD_PREP() of the kernel's bitfield.h.
 */
#ifndef NPU_FIELD_H
#define NPU_FIELD_H

#include <stdint.h>

/* npu_get(NPU_CNA_CONV_CON1_CONV_MODE, reg) */
static inline uint32_t npu_get(uint32_t mask, uint32_t reg)
{
	return (reg & mask) / (mask & -mask);
}

/* npu_set(NPU_CNA_CONV_CON1_CONV_MODE, 3): what does not fit is cut off. */
static inline uint32_t npu_set(uint32_t mask, uint32_t value)
{
	return (value * (mask & -mask)) & mask;
}

/* The largest value that fits the field. */
static inline uint32_t npu_max(uint32_t mask)
{
	return mask / (mask & -mask);
}

#endif
