// SPDX-License-Identifier: MIT
/*
 * Every m = k = n from 1 to 424, as the op table asks, once per type, each in a
 * thread with a device of its own (faults R2, R10).
 */
#include <pthread.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

#define LARGEST 424

struct walk {
	enum scoria_type type;
	enum scoria_type out;
	struct shape_verdict verdict;
	size_t done;
};

static void *walk_sizes(void *ctx)
{
	struct scoria_device *dev = shape_device();
	struct random random = { 424 };
	struct walk *walk = ctx;
	size_t n;

	walk->verdict.right = true;
	for (n = 1; n <= LARGEST && walk->verdict.right; n++) {
		const struct scoria_matmul_opts o = {
			.size = sizeof(o), .type = walk->type, .out = walk->out,
			.b_layout = n % 2 ? SCORIA_B_KN : SCORIA_B_NK, .m = n, .k = n, .n = n,
		};

		walk->verdict = shape_matmul(dev, &o, &random);
		walk->done += walk->verdict.right;
	}
	scoria_device_close(dev);
	return NULL;
}

TEST(square_products_of_all_sizes_up_to_424_are_right)
{
	struct walk walks[] = {
		{ .type = SCORIA_INT8, .out = SCORIA_INT32 },
		{ .type = SCORIA_FP16, .out = SCORIA_FP32 },
	};
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		ASSERT(!pthread_create(&threads[i], NULL, walk_sizes, &walks[i]));
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_RIGHT(walks[i].verdict);
		EXPECT_EQ(LARGEST, walks[i].done);
	}
	EXPECT_EQ(0, shape_reports());
}

TEST_MAIN()
