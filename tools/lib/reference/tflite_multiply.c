// SPDX-License-Identifier: MIT
/* TensorFlow Lite's multiplication by a real number. */
#include <math.h>

#include "tflite.h"

struct tflite_multiplier tflite_quantize_multiplier(double scale)
{
	struct tflite_multiplier m = { 0 };
	int64_t q = llround(ldexp(frexp(scale, &m.shift), 31));

	if (q == 1ll << 31) {
		q /= 2;
		m.shift++;
	}
	if (m.shift < -31)
		return (struct tflite_multiplier){ 0 };
	m.multiplier = (int32_t)q;
	return m;
}

int32_t tflite_high_product(int32_t a, int32_t b)
{
	const int64_t product = (int64_t)a * b;

	if (a == INT32_MIN && b == INT32_MIN)
		return INT32_MAX;
	return (int32_t)((product + (product >= 0 ? 1 << 30 : 1 - (1 << 30))) / (1ll << 31));
}

int32_t tflite_shift(int32_t x, int exponent)
{
	const int32_t mask = (int32_t)((1ll << exponent) - 1), rest = x & mask;

	return (x >> exponent) + (rest > (mask >> 1) + (x < 0));
}

int32_t tflite_multiply(int32_t x, struct tflite_multiplier m)
{
	const int left = m.shift > 0 ? m.shift : 0, right = m.shift > 0 ? 0 : -m.shift;

	return tflite_shift(tflite_high_product((int32_t)((uint32_t)x << left), m.multiplier),
			    right);
}
