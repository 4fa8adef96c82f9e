// SPDX-License-Identifier: MIT
/* Batch normalisation: sizes, layouts, statistics of all magnitudes, nonsense. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/composites.h"
#include "fp16.h"
#include "shape.h"

#define MAX_C 300

static struct scoria_device *dev;
static struct random numbers = { 23 };
static float mean[MAX_C], var[MAX_C], gamma_of[MAX_C], beta[MAX_C];

static double uniform(double low, double high)
{
	return low + (high - low) * ((random_next(&numbers) >> 11) * 0x1p-53);
}

static struct scoria_batchnorm_opts opts_of(size_t c, size_t h, size_t w)
{
	return (struct scoria_batchnorm_opts){ .size = sizeof(struct scoria_batchnorm_opts),
					       .type = SCORIA_FP16, .batch = 1, .c = c, .h = h,
					       .w = w, .mean = mean, .var = var,
					       .gamma = gamma_of, .beta = beta };
}

static void set_statistics(double centre, double deviation)
{
	for (int i = 0; i < MAX_C; i++) {
		mean[i] = (float)(centre + uniform(-1, 1) * deviation);
		var[i] = (float)(deviation * deviation * uniform(0.5, 2));
		gamma_of[i] = (float)uniform(-2, 2);
		beta[i] = (float)uniform(-3, 3);
	}
}

static void check(const struct scoria_batchnorm_opts *o, double centre, double reach)
{
	size_t n = o->batch * o->c * o->h * o->w;
	uint16_t *x = malloc(n * sizeof(*x)), *y = malloc((n + 1) * sizeof(*y));
	struct compare result = { 0 };

	random_fill(&numbers, SCORIA_FP16, x, n);
	for (size_t i = 0; i < n; i++)
		x[i] = fp32_to_fp16((float)(fp16_to_fp32(x[i]) * reach + centre));
	y[n] = 0xa5a5;
	if (scoria_batchnorm(dev, o, x, y))
		TAP_FAIL("failed: %s", scoria_error());
	else
		reference_batchnorm(o, x, y, &result);
	if (!compare_passed(&result) || y[n] != 0xa5a5)
		TAP_FAIL("layout %d batch %zu c %zu h %zu w %zu centre %g reach %g: %zu of %zu wrong, first at %zu: %g instead of %g",
			 o->layout, o->batch, o->c, o->h, o->w, centre, reach, result.bad,
			 result.count, result.first_bad, result.first_got, result.first_ref);
	free(y);
	free(x);
}

TEST(images_of_any_size_are_right)
{
	static const size_t sizes[][3] = { { 1, 1, 1 }, { 3, 5, 7 }, { 8, 4, 4 }, { 33, 9, 1 },
					   { 64, 7, 7 }, { 300, 3, 2 }, { 2, 200, 301 } };

	dev = shape_device();
	set_statistics(1, 2);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct scoria_batchnorm_opts o = opts_of(sizes[i][0], sizes[i][1], sizes[i][2]);

		check(&o, 1, 4);
		o.layout = SCORIA_NHWC;
		o.batch = 2;
		o.relu = 1;
		check(&o, 1, 4);
		o.relu_max = 1.5;
		check(&o, 1, 4);
	}
	EXPECT_EQ(0, shape_reports());
}

TEST(large_means_and_deviations_of_all_magnitudes_are_right)
{
	static const double centres[] = { 0, 10, -3000, 60000 };

	for (size_t i = 0; i < 4; i++)
		for (double deviation = 1e-3; deviation < 1e5; deviation *= 10) {
			struct scoria_batchnorm_opts o = opts_of(40, 3, 4);

			set_statistics(centres[i], deviation);
			check(&o, centres[i], fmin(3 * deviation, 5000));
		}
}

TEST(statistics_may_be_left_out)
{
	for (int which = 0; which < 16; which++) {
		struct scoria_batchnorm_opts o = opts_of(5, 3, 4);

		set_statistics(1, 2);
		o.mean = which & 1 ? mean : NULL;
		o.var = which & 2 ? var : NULL;
		o.gamma = which & 4 ? gamma_of : NULL;
		o.beta = which & 8 ? beta : NULL;
		check(&o, 1, 4);
	}
}

static void expect_error(int err, const char *words, struct scoria_batchnorm_opts o)
{
	struct scoria_batchnorm_plan *plan = NULL;

	EXPECT_EQ(err, scoria_batchnorm_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
	set_statistics(1, 2);
}

#define NORM(...) ({ struct scoria_batchnorm_opts o = opts_of(4, 2, 3); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	const struct scoria_batchnorm_opts good = NORM();
	uint16_t x[24] = { 0 };

	expect_error(-EINVAL, "type = 0", NORM(o.type = 0));
	expect_error(-EOPNOTSUPP, "type = int8", NORM(o.type = SCORIA_INT8));
	expect_error(-EINVAL, "batch is 0", NORM(o.batch = 0));
	expect_error(-EINVAL, "c is 0", NORM(o.c = 0));
	expect_error(-EINVAL, "h is 0", NORM(o.h = 0));
	expect_error(-EINVAL, "w is 0", NORM(o.w = 0));
	expect_error(-EINVAL, "layout = 7", NORM(o.layout = 7));
	expect_error(-EINVAL, "eps = -1", NORM(o.eps = -1));
	expect_error(-EINVAL, "relu_max", NORM(o.relu = 1, o.relu_max = NAN));
	expect_error(-EINVAL, "mean[3] = nan", NORM(mean[3] = NAN));
	expect_error(-EINVAL, "var[2] = -1", NORM(var[2] = -1));
	expect_error(-EINVAL, "gamma[0] = inf", NORM(gamma_of[0] = INFINITY));
	expect_error(-EINVAL, "beta[1] = -inf", NORM(beta[1] = -INFINITY));
	expect_error(-EOVERFLOW, "gamma[1]", NORM(gamma_of[1] = 1e6f, var[1] = 0));
	EXPECT_EQ(-EINVAL, scoria_batchnorm(dev, &good, NULL, x));
	EXPECT_STR("x is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_batchnorm(dev, &good, x, NULL));
	EXPECT_STR("y is NULL", scoria_error());
	scoria_device_close(dev);
}

TEST_MAIN()
