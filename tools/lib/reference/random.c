// SPDX-License-Identifier: MIT
/* SplitMix64 (Steele, Lea, Flood 2014), and tensors from it. */
#include "random.h"

#include "fp16.h"

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

int64_t random_range(struct random *random, int64_t low, int64_t high)
{
	return low + (int64_t)(random_next(random) % ((uint64_t)(high - low) + 1));
}

/* In [-1, 1), with all bits that a float of this size can have. */
static float uniform(struct random *random)
{
	return (int32_t)(random_next(random) >> 32) * 0x1p-31f;
}

static void fill_fp16(struct random *random, uint16_t *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		data[i] = fp32_to_fp16(uniform(random));
}

static void fill_fp32(struct random *random, float *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		data[i] = uniform(random);
}

static void fill_bf16(struct random *random, uint16_t *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		data[i] = fp32_to_bf16(uniform(random));
}

static void fill_int16(struct random *random, int16_t *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		data[i] = random_next(random) >> 48;
}

static void fill_int32(struct random *random, int32_t *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		data[i] = random_range(random, -1000, 1000);
}

static void fill_bytes(struct random *random, uint8_t *data, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		data[i] = random_next(random) >> 56;
}

void random_fill(struct random *random, enum scoria_type type, void *data, size_t n)
{
	switch (type) {
	case SCORIA_FP16:
		fill_fp16(random, data, n);
		break;
	case SCORIA_BF16:
		fill_bf16(random, data, n);
		break;
	case SCORIA_INT16:
		fill_int16(random, data, n);
		break;
	case SCORIA_FP32:
	case SCORIA_TF32:
		fill_fp32(random, data, n);
		break;
	case SCORIA_INT32:
		fill_int32(random, data, n);
		break;
	default:
		fill_bytes(random, data, n);
	}
}
