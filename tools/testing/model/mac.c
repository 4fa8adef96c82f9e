// SPDX-License-Identifier: MIT
/*
 * The multiplications, as fast as the host allows. Every variant adds the same
 * products in the same order, so all hosts compute the same bits: products of
 * two 16-bit floats are exact in double, fused or not.
 */
#include <string.h>

#include "conv.h"

/* Eight doubles; compilers split it where registers are narrower. */
typedef double vec __attribute__((vector_size(64), aligned(8), may_alias));
#define VEC 8

#define INLINE static inline __attribute__((always_inline))

/* @px pixels by @nv vectors of kernels, all in registers. */
INLINE void tile(const double *const *x, size_t taps, size_t channels,
		 const double *w, size_t kernels, double *acc, const int px, const int nv)
{
	vec sum[MAC_PIXELS][2];

#pragma GCC unroll 8
	for (int p = 0; p < px; p++)
#pragma GCC unroll 2
		for (int v = 0; v < nv; v++)
			sum[p][v] = *(const vec *)(acc + p * kernels + v * VEC);
	for (size_t t = 0; t < taps; t++) {
		const double *const wt = w + t * channels * kernels;

		for (size_t c = 0; c < channels; c++) {
#pragma GCC unroll 8
			for (int p = 0; p < px; p++)
#pragma GCC unroll 2
				for (int v = 0; v < nv; v++)
					sum[p][v] += x[p * taps + t][c] *
						*(const vec *)(wt + c * kernels + v * VEC);
		}
	}
#pragma GCC unroll 8
	for (int p = 0; p < px; p++)
#pragma GCC unroll 2
		for (int v = 0; v < nv; v++)
			*(vec *)(acc + p * kernels + v * VEC) = sum[p][v];
}

INLINE void direct(const double *const *x, unsigned int n, size_t taps, size_t channels,
		   const double *w, size_t kernels, double *acc, const int px, const int nv)
{
	unsigned int p = 0;

	for (size_t k = 0; k < kernels; k += (size_t)nv * VEC) {
		for (p = 0; p + (unsigned int)px <= n; p += (unsigned int)px)
			tile(x + p * taps, taps, channels, w + k, kernels,
			     acc + p * kernels + k, px, nv);
		for (; p < n; p++)
			tile(x + p * taps, taps, channels, w + k, kernels,
			     acc + p * kernels + k, 1, nv);
	}
}

#define DIRECT_ARGS const double *const *x, unsigned int n, size_t taps, size_t channels, \
	const double *w, size_t kernels, double *acc

#ifdef __x86_64__
__attribute__((target("avx512f")))
static void direct_avx512(DIRECT_ARGS)
{
	direct(x, n, taps, channels, w, kernels, acc, 8, 2);
}

__attribute__((target("avx2,fma")))
static void direct_avx2(DIRECT_ARGS)
{
	direct(x, n, taps, channels, w, kernels, acc, 4, 1);
}
#endif

void mac_direct(DIRECT_ARGS)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f")) {
		direct_avx512(x, n, taps, channels, w, kernels, acc);
		return;
	}
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
		direct_avx2(x, n, taps, channels, w, kernels, acc);
		return;
	}
#endif
	direct(x, n, taps, channels, w, kernels, acc, 4, 1);
}

/* Each of @channels channels by its own kernel; rows of @acc and @w are @group wide. */
void mac_depthwise(const double *const *x, unsigned int n, size_t taps,
		   const double *w, size_t group, size_t channels, double *acc)
{
	for (unsigned int p = 0; p < n; p++)
		for (size_t t = 0; t < taps; t++) {
			const double *const pixel = x[p * taps + t];
			const double *const wt = w + t * group;

			for (size_t c = 0; c < channels; c++)
				acc[p * group + c] += pixel[c] * wt[c];
		}
}
