// SPDX-License-Identifier: MIT
/* Arrays with gaps and in any order of axes, to tensors and back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

/* Bytes around and between elements that must stay. */
#define GAP 0xa5

static struct scoria_device *dev;
static struct random numbers = { 41 };

static const enum scoria_type types[] = { SCORIA_FP16, SCORIA_INT8, SCORIA_UINT8, SCORIA_FP32 };

static size_t between(size_t low, size_t high)
{
	return (size_t)random_range(&numbers, (int64_t)low, (int64_t)high);
}

/* Axes in random order, each with a random gap behind it; @span: elements from first to last. */
static struct scoria_strides random_strides(const struct scoria_tensor_opts *o, size_t *span)
{
	struct scoria_strides s = { .size = sizeof(s) };
	size_t *const strides[] = { &s.batch, &s.c, &s.h, &s.w };
	const size_t sizes[] = { o->batch, o->c, o->h, o->w };
	size_t step = between(1, 3), left = 4, i = between(0, 3);

	for (*span = 1; left; i = (i + 1) % 4) {
		if (*strides[i] || !between(0, 2))
			continue;
		*strides[i] = step;
		*span += (sizes[i] - 1) * step;
		step = step * sizes[i] + between(0, 5);
		left--;
	}
	return s;
}

static size_t place(const struct scoria_tensor_opts *o, const struct scoria_strides *s, size_t i)
{
	const size_t w = i % o->w, h = i / o->w % o->h, c = i / o->w / o->h % o->c;

	return i / o->w / o->h / o->c * s->batch + c * s->c + h * s->h + w * s->w;
}

static void check(const struct scoria_tensor_opts *o)
{
	const size_t size = scoria_type_size(o->type), n = o->batch * o->c * o->h * o->w;
	struct scoria_tensor *t = NULL;
	size_t span, i;
	const struct scoria_strides s = random_strides(o, &span);
	uint8_t *plain = malloc(n * size), *array = malloc(span * size);
	uint8_t *want = malloc(span * size);

	random_fill(&numbers, o->type, plain, n);
	memset(want, GAP, span * size);
	for (i = 0; i < n; i++)
		memcpy(want + place(o, &s, i) * size, plain + i * size, size);
	EXPECT_EQ(0, scoria_tensor_create(dev, o, &t));
	EXPECT_EQ(0, scoria_tensor_pack(t, SCORIA_NCHW, plain));
	memset(array, GAP, span * size);
	EXPECT_EQ(0, scoria_tensor_unpack_strided(t, &s, array));
	EXPECT(!memcmp(array, want, span * size));
	scoria_tensor_destroy(t);

	EXPECT_EQ(0, scoria_tensor_create(dev, o, &t));
	EXPECT_EQ(0, scoria_tensor_pack_strided(t, &s, array));
	memset(array, 0, n * size);
	EXPECT_EQ(0, scoria_tensor_unpack(t, SCORIA_NCHW, array));
	EXPECT(!memcmp(array, plain, n * size));
	scoria_tensor_destroy(t);
	free(want);
	free(array);
	free(plain);
}

TEST(every_element_goes_where_it_belongs_and_gaps_stay)
{
	dev = shape_device();
	for (unsigned int i = 0; i < 200; i++) {
		const struct scoria_tensor_opts o = {
			.size = sizeof(o), .type = types[i % 4], .batch = between(1, 3),
			.c = between(1, 40), .h = between(1, 9), .w = between(1, 90),
		};

		check(&o);
	}
}

/* Rows of 1920 pixels with a pitch, four bytes a pixel, of which three are channels. */
TEST(a_part_of_a_cameras_frame_needs_no_copy)
{
	const struct scoria_tensor_opts o = { .size = sizeof(o), .type = SCORIA_UINT8, .c = 3,
					      .h = 5, .w = 7 };
	const struct scoria_strides s = { .size = sizeof(s), .c = 1, .h = 7936, .w = 4 };
	static uint8_t frame[8 * 7936], got[5 * 7 * 3];
	struct scoria_tensor *t = NULL;

	random_fill(&numbers, SCORIA_UINT8, frame, sizeof(frame));
	EXPECT_EQ(0, scoria_tensor_create(dev, &o, &t));
	EXPECT_EQ(0, scoria_tensor_pack_strided(t, &s, frame + 2 * 7936 + 100 * 4));
	EXPECT_EQ(0, scoria_tensor_unpack(t, SCORIA_NHWC, got));
	for (size_t i = 0; i < sizeof(got); i++)
		EXPECT_EQ(frame[(2 + i / 21) * 7936 + (100 + i / 3 % 7) * 4 + i % 3], got[i]);
	scoria_tensor_destroy(t);
}

TEST(a_stride_of_0_repeats)
{
	const struct scoria_tensor_opts o = { .size = sizeof(o), .type = SCORIA_INT8, .c = 20,
					      .h = 3, .w = 2 };
	const struct scoria_strides s = { .size = sizeof(s), .c = 1 };
	int8_t channels[20], got[3 * 2 * 20];
	struct scoria_tensor *t = NULL;

	random_fill(&numbers, SCORIA_INT8, channels, 20);
	EXPECT_EQ(0, scoria_tensor_create(dev, &o, &t));
	EXPECT_EQ(0, scoria_tensor_pack_strided(t, &s, channels));
	EXPECT_EQ(0, scoria_tensor_unpack(t, SCORIA_NHWC, got));
	for (size_t i = 0; i < sizeof(got); i++)
		EXPECT_EQ(channels[i % 20], got[i]);
	EXPECT_EQ(-EINVAL, scoria_tensor_unpack_strided(t, &s, got));
	EXPECT_STR("on each other", scoria_error());
	scoria_tensor_destroy(t);
}

TEST(strides_that_cannot_be_are_refused_by_name)
{
	const struct scoria_tensor_opts o = { .size = sizeof(o), .type = SCORIA_FP16, .c = 4,
					      .h = 3, .w = 2 };
	const struct scoria_strides good = { .size = sizeof(good), .c = 6, .h = 2, .w = 1 };
	struct scoria_strides s = good;
	struct scoria_tensor *t = NULL;
	uint16_t array[24];

	EXPECT_EQ(0, scoria_tensor_create(dev, &o, &t));
	EXPECT_EQ(-EINVAL, scoria_tensor_pack_strided(t, NULL, array));
	EXPECT_STR("tensor strides: options are NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_tensor_pack_strided(t, &good, NULL));
	EXPECT_STR("data is NULL", scoria_error());
	s.h = 1;
	EXPECT_EQ(-EINVAL, scoria_tensor_unpack_strided(t, &s, array));
	EXPECT_STR("on each other", scoria_error());
	s.h = SIZE_MAX / 2;
	EXPECT_EQ(-EINVAL, scoria_tensor_pack_strided(t, &s, array));
	EXPECT_STR("overflow", scoria_error());
	s = good;
	s.batch = SIZE_MAX;
	EXPECT_EQ(0, scoria_tensor_unpack_strided(t, &s, array));
	EXPECT_EQ(0, scoria_tensor_pack_strided(t, &s, array));
	scoria_tensor_destroy(t);
	scoria_device_close(dev);
}

TEST_MAIN()
