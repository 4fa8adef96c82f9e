// SPDX-License-Identifier: MIT
/*
 * The tour of scoria: a photograph through three filters on the NPU, and two
 * matrix products, all checked against the CPU. Here the NPU is the model.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "filter.h"
#include "product.h"
#include "sheet.h"
#include "std_files.h"
#include "step.h"

#define N_STEPS (N_FILTERS + 2)

/**
 * struct tour - what the program works on
 * @photo_path: @out: from the command line
 * @failed:  something was wrong or could not be done
 */
struct tour {
	const char *photo_path;
	const char *out;
	struct scoria_device *dev;
	struct picture photo;
	struct filtered filtered[N_FILTERS];
	struct step steps[N_STEPS];
	unsigned int n_steps;
	bool failed;
};

static bool write_picture(const struct tour *tour, const struct picture *picture,
			  const char *filter, const char *name)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s%s.png", tour->out, filter, name) >=
	    (int)sizeof(path)) {
		fprintf(stderr, "demo: the name of the output directory is too long\n");
		return false;
	}
	return picture_write(picture, path);
}

static struct step *next_step(struct tour *tour, const char *name)
{
	struct step *step = &tour->steps[tour->n_steps++];

	step->name = name;
	return step;
}

static void finish_step(struct tour *tour, const struct step *step)
{
	bool passed = step_passed(step);

	printf(": %s\n", passed ? "ok" : "WRONG");
	tour->failed |= !passed;
}

static bool show_filter(struct tour *tour, unsigned int i)
{
	struct filtered *filtered = &tour->filtered[i];
	struct step *step = next_step(tour, filters[i].name);

	printf("%-10s %s\n", step->name, filters[i].what);
	if (!filter_run(&filters[i], tour->dev, &tour->photo, filtered, step))
		return false;
	printf("%-10s ", "");
	step_print_check(step);
	finish_step(tour, step);
	printf("%-10s end to end: %" PRIu64 " of %" PRIu64 " values equal the CPU's in every bit\n",
	       "", filtered->same, filtered->values);
	return write_picture(tour, &filtered->npu, filters[i].name, "-npu") &&
	       write_picture(tour, &filtered->cpu, filters[i].name, "-cpu");
}

static bool show_product(struct tour *tour, const char *name, enum scoria_type type,
			 enum scoria_type out, size_t m, size_t k, size_t n)
{
	struct step *step = next_step(tour, name);

	printf("%-10s %zux%zu times %zux%zu, %s -> %s\n", name, m, k, k, n, scoria_type_name(type),
	       scoria_type_name(out));
	if (!product_run(tour->dev, type, out, m, k, n, step))
		return false;
	printf("%-10s ", "");
	step_print_check(step);
	finish_step(tour, step);
	return true;
}

static bool show_all(struct tour *tour)
{
	struct picture sheet;
	unsigned int i;
	bool ok;

	for (i = 0; i < N_FILTERS; i++)
		if (!show_filter(tour, i))
			return false;
	if (!sheet_create(&sheet, &tour->photo, tour->filtered)) {
		fprintf(stderr, "demo: out of memory\n");
		return false;
	}
	ok = write_picture(tour, &sheet, "", "sheet");
	picture_free(&sheet);
	return ok && show_product(tour, "matmul-f16", SCORIA_FP16, SCORIA_FP32, 2048, 1024, 2048) &&
	       show_product(tour, "matmul-i8", SCORIA_INT8, SCORIA_INT32, 2048, 1024, 2048);
}

static void print_report(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "demo: model: %s\n", text);
}

/* Everything that can go wrong before there is work to do. */
static bool start(struct tour *tour)
{
	const struct scoria_device_opts opts = { .size = sizeof(opts), .report = print_report,
						 .cores = 1 };

	if (!picture_read(&tour->photo, tour->photo_path))
		return false;
	if (mkdir(tour->out, 0777) && errno != EEXIST) {
		fprintf(stderr, "demo: cannot create %s: %s\n", tour->out, strerror(errno));
		return false;
	}
	/* so that an unwritable directory is noticed before the work, not after it */
	if (!write_picture(tour, &tour->photo, "", "photo"))
		return false;
	if (scoria_device_open("model", &opts, &tour->dev)) {
		fprintf(stderr, "demo: %s\n", scoria_error());
		return false;
	}
	return true;
}

static void finish(struct tour *tour)
{
	unsigned int i;

	for (i = 0; i < N_FILTERS; i++)
		filtered_free(&tour->filtered[i]);
	picture_free(&tour->photo);
	scoria_device_close(tour->dev);
}

static void print_summary(const struct tour *tour)
{
	putchar('\n');
	step_print_figures(tour->steps, tour->n_steps);
	printf("\nThe pictures are in %s; sheet.png has them side by side.\n", tour->out);
}

static bool parse(struct tour *tour, int argc, char **argv)
{
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--photo"))
			tour->photo_path = argv[i + 1];
		else if (!strcmp(argv[i], "--out"))
			tour->out = argv[i + 1];
		else
			break;
	}
	if (i == argc && tour->photo_path && tour->out)
		return true;
	fprintf(stderr, "usage: demo --photo FILE.png --out DIRECTORY\n");
	return false;
}

int main(int argc, char **argv)
{
	struct tour tour = { 0 };
	bool ok;

	std_files_hold();
	if (!parse(&tour, argc, argv))
		return 2;
	ok = start(&tour);
	if (ok) {
		printf("Photograph %s, %zux%zu. The NPU is a model of it on this machine.\n\n",
		       tour.photo_path, tour.photo.width, tour.photo.height);
		ok = show_all(&tour);
	}
	if (ok)
		print_summary(&tour);
	ok = ok && !tour.failed;
	finish(&tour);
	fflush(stdout);
	printf("demo: %s\n", ok ? "PASS" : "FAIL");
	ok &= std_files_written("demo", false);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
