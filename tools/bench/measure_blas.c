// SPDX-License-Identifier: MIT
/* Who the model is compared with: OpenBLAS. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* From cblas.h, which every BLAS has the same; the library is loaded only where it is. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

struct blas {
	void *handle;
	void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		      const float *a, int lda, const float *b, int ldb, float beta, float *c,
		      int ldc);
	char *(*config)(void);
};

/* ISO C has no cast from an object pointer to one to a function; POSIX keeps them alike. */
static bool find(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

struct blas *blas_open(const char **reason)
{
	struct blas *blas = calloc(1, sizeof(*blas));

	*reason = "out of memory";
	if (!blas)
		return NULL;
	/* read when the library is loaded */
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
	blas->handle = dlopen("libopenblas.so.0", RTLD_NOW);
	*reason = "libopenblas.so.0 is not installed";
	if (blas->handle) {
		*reason = "libopenblas.so.0 lacks cblas_sgemm or openblas_get_config";
		if (find(blas->handle, "cblas_sgemm", &blas->sgemm) &&
		    find(blas->handle, "openblas_get_config", &blas->config))
			return blas;
		dlclose(blas->handle);
	}
	free(blas);
	return NULL;
}

const char *blas_config(const struct blas *blas)
{
	return blas->config();
}

void blas_close(struct blas *blas)
{
	if (blas)
		dlclose(blas->handle);
	free(blas);
}

void blas_measure(const struct blas *blas, const struct work *work, unsigned int repeats,
		  struct timing *timing)
{
	size_t m = work->m, n = work->n, k = work->k, group;

	for (; repeats; repeats--) {
		double start = timing_now();

		for (group = 0; group < work->groups; group++)
			blas->sgemm(ROW_MAJOR, NO_TRANS, TRANS, m, n, k, 1,
				    work->a + group * m * k, k, work->b + group * n * k, k, 0,
				    (float *)work->c + group * m * n, n);
		timing_add(timing, timing_now() - start);
	}
}
