// SPDX-License-Identifier: MIT
#include "row_sums.h"

#include <scoria/matmul.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "info.h"

#define FP16_ONE 0x3c00

/* Columns of one product: below the limit from which int8 sums may leave int32. */
#define MAX_INT8_PART 65536u

/* A product over some of the columns. */
struct part {
	size_t k;
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_weights *ones;
};

/**
 * struct row_sums - see row_sums.h
 * @parts:  the first is run as often as whole parts fit the columns, the second
 *          takes the rest, if there is one
 * @result: of a part, float or int32_t
 */
struct row_sums {
	enum scoria_type type;
	size_t m;
	size_t k;
	struct part parts[2];
	void *result;
};

static int create_ones(struct part *part, enum scoria_type type)
{
	size_t size = scoria_type_size(type), i;
	uint8_t *ones = malloc(part->k * size);
	int err;

	if (!ones)
		return error_no_memory();
	for (i = 0; i < part->k; i++)
		if (type == SCORIA_FP16)
			((uint16_t *)ones)[i] = FP16_ONE;
		else
			ones[i] = 1;
	err = scoria_matmul_weights_create(part->plan, ones, &part->ones);
	free(ones);
	return err;
}

static int create_part(struct scoria_device *dev, struct row_sums *sums, struct part *part,
		       size_t k, size_t lda)
{
	const struct scoria_matmul_opts opts = {
		.size = sizeof(opts),
		.type = sums->type,
		.out = sums->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
		.m = sums->m,
		.k = k,
		.n = 1,
		.lda = lda,
	};
	int err;

	part->k = k;
	if (!k)
		return 0;
	err = scoria_matmul_plan_create(dev, &opts, &part->plan);
	return err ? err : create_ones(part, sums->type);
}

int row_sums_create(struct scoria_device *dev, enum scoria_type type, size_t m, size_t k,
		    size_t lda, struct row_sums **out)
{
	struct row_sums *sums = calloc(1, sizeof(*sums));
	size_t part = type == SCORIA_INT8 && k > MAX_INT8_PART ? MAX_INT8_PART : k;
	int err;

	if (!sums)
		return error_no_memory();
	*sums = (struct row_sums){ .type = type, .m = m, .k = k };
	sums->result = calloc(m, sizeof(float));
	err = sums->result ? 0 : error_no_memory();
	if (!err)
		err = create_part(dev, sums, &sums->parts[0], part, lda);
	if (!err)
		err = create_part(dev, sums, &sums->parts[1], k % part, lda);
	if (err) {
		row_sums_destroy(sums);
		return err;
	}
	*out = sums;
	return 0;
}

void row_sums_destroy(struct row_sums *sums)
{
	if (!sums)
		return;
	for (int i = 0; i < 2; i++) {
		scoria_matmul_weights_destroy(sums->parts[i].ones);
		scoria_matmul_plan_destroy(sums->parts[i].plan);
	}
	free(sums->result);
	free(sums);
}

static void add_result(const struct row_sums *sums, double *out)
{
	size_t i;

	if (sums->type == SCORIA_FP16)
		for (i = 0; i < sums->m; i++)
			out[i] += ((const float *)sums->result)[i];
	else
		for (i = 0; i < sums->m; i++)
			out[i] += ((const int32_t *)sums->result)[i];
}

int row_sums_run(struct row_sums *sums, const void *a, double *out)
{
	size_t done = 0;
	int err = 0;

	memset(out, 0, sums->m * sizeof(*out));
	while (done < sums->k && !err) {
		bool whole = sums->k - done >= sums->parts[0].k;
		const struct part *part = &sums->parts[whole ? 0 : 1];

		err = scoria_matmul_run(part->plan, part->ones, (const uint8_t *)a +
					done * scoria_type_size(sums->type), sums->result);
		if (!err)
			add_result(sums, out);
		done += part->k;
	}
	return err;
}

static void add_info(struct scoria_plan_info *all, const struct part *part, uint64_t times)
{
	struct scoria_plan_info one = { .size = sizeof(one) };
	const uint64_t splits = all->splits;

	if (!part->plan)
		return;
	scoria_matmul_plan_info(part->plan, &one);
	info_add(all, &one, times);
	all->splits = splits + one.splits * times;
}

int row_sums_info(const struct row_sums *sums, uint64_t runs,
		  struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { 0 };

	add_info(&all, &sums->parts[0], sums->k / sums->parts[0].k);
	add_info(&all, &sums->parts[1], 1);
	all.tasks *= runs;
	all.jobs *= runs;
	all.runs *= runs;
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}
