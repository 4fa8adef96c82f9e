// SPDX-License-Identifier: MIT
#include "product.h"

#include <stdlib.h>

#include "../lib/reference/random.h"
#include "../lib/reference/reference.h"
#include "progress.h"

/* Plan and pack once, as a program would that multiplies often; time the run. */
static bool multiply(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
		     const void *a, const void *b, void *c, struct step *step)
{
	struct scoria_matmul_plan *plan = NULL;
	struct scoria_matmul_weights *weights = NULL;
	bool ok = !scoria_matmul_plan_create(dev, opts, &plan) &&
		  !scoria_matmul_weights_create(plan, b, &weights);

	if (ok) {
		step_resume(step, dev);
		ok = !scoria_matmul_run(plan, weights, a, c);
		step_pause(step, dev);
	}
	if (!ok)
		step_failed(step);
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	return ok;
}

static bool multiply_and_compare(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
				 const void *a, const void *b, void *c, struct step *step)
{
	struct compare compare;
	bool ok;

	progress_begin(step->name);
	ok = multiply(dev, opts, a, b, c, step);
	if (ok && reference_matmul(opts, NULL, a, b, c, &compare))
		ok = step_no_memory(step);
	progress_end();
	if (ok)
		step_compared(step, &compare);
	return ok;
}

bool product_run(struct scoria_device *dev, enum scoria_type type, enum scoria_type out, size_t m,
		 size_t k, size_t n, struct step *step)
{
	struct scoria_matmul_opts opts = { .size = sizeof(opts), .type = type, .out = out,
					   .m = m, .k = k, .n = n };
	struct random random = { .state = 1 };
	void *a = malloc(m * k * scoria_type_size(type));
	void *b = malloc(k * n * scoria_type_size(type));
	void *c = malloc(m * n * scoria_type_size(out));
	bool ok = a && b && c;

	step->macs = (uint64_t)m * k * n;
	if (ok) {
		random_fill(&random, type, a, m * k);
		random_fill(&random, type, b, k * n);
		ok = multiply_and_compare(dev, &opts, a, b, c, step);
	} else {
		step_no_memory(step);
	}
	free(c);
	free(b);
	free(a);
	return ok;
}
