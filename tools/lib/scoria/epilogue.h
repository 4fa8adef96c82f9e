/* SPDX-License-Identifier: MIT */
/* Partial sums on the CPU, and what follows them. */
#ifndef SCORIA_EPILOGUE_H
#define SCORIA_EPILOGUE_H

#include "rk3588_npu.h"
#include "unpack.h"

#define SUMS_MAX 64

/**
 * struct sums - sums of one output channel
 * @n:      pixels, at most SUMS_MAX
 * @type:   NPU_PRECISION_ of what is added: FP32 sums are in @f, INT32 and INT16 in @i
 */
struct sums {
	uint32_t n;
	uint8_t type;
	double f[SUMS_MAX];
	int64_t i[SUMS_MAX];
};

void sums_clear(struct sums *sums);

/* Add one value from each of @n units. */
void sums_add(struct sums *sums, const uint8_t *from);

/* Channel @c to @data[@at], @data[@at + @stride] ... */
void sums_store(const struct sums *sums, const struct epilogue *epilogue, uint32_t c, void *data,
		size_t at, size_t stride);

#endif
