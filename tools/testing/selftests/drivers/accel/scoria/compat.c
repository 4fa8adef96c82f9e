// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the in-tree rocket driver's users see of a driver: results, errors and fields of its
 * four ioctls, of DRM's own, of mappings, dma-bufs and fences. Runs on either driver. A case
 * is to give what it says here, on both, or what the table of differences in
 * Documentation/accel/scoria/userspace.rst says of the one that is loaded.
 *
 * Each case has a process and files of its own. After the table come random combinations
 * of its bad fields of a submit: the error is that of one of them.
 */
#include <sys/wait.h>

#include "compat.h"
#include "compat_bo.h"
#include "compat_file.h"
#include "compat_map.h"
#include "compat_share.h"
#include "compat_submit.h"
#include "compat_differences.h"

#define NODE		"/dev/accel/accel0"
#define NOT_RUN		"not run"
#define COMBINATIONS	150
#define MOST_FIELDS	4
#define SEED		20260801ull

static const struct {
	const struct compat_case *cases;
	size_t n;
} subjects[] = {
	{ bo_cases, ARRAY_SIZE(bo_cases) },
	{ submit_cases, ARRAY_SIZE(submit_cases) },
	{ map_cases, ARRAY_SIZE(map_cases) },
	{ file_cases, ARRAY_SIZE(file_cases) },
	{ share_cases, ARRAY_SIZE(share_cases) },
};

static bool is_ours;

/* What the case gives on this driver; NULL when nobody has said so. */
static const char *wanted(const struct compat_case *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (!strcmp(differences[i].name, c->name))
			return is_ours ? differences[i].scoria : differences[i].rocket;
	return c->want;
}

static void run_alone(const struct compat_case *c, char *text)
{
	struct world *w = calloc(1, sizeof(*w));

	w->text = text;
	w->fd = open(NODE, O_RDWR | O_CLOEXEC);
	w->other = open(NODE, O_RDWR | O_CLOEXEC);
	w->board = board_open();
	board_mend(w->board);
	world_init(w);
	c->run(w, c);
	_exit(0);
}

/* In a process of its own, into @text. */
static void run_case(const struct compat_case *c, char *text)
{
	int status = 0;
	pid_t child;

	*text = '\0';
	child = fork();
	if (!child)
		run_alone(c, text);
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		snprintf(text, TEXT_BYTES, "killed by signal %d", WTERMSIG(status));
}

static void claim(const struct compat_case *c, char *text)
{
	const char *want = wanted(c);

	if (want && !strcmp(want, NOT_RUN)) {
		ksft_test_result_skip("%s: not run on this driver\n", c->name);
		return;
	}
	run_case(c, text);
	if (!want || strcmp(want, text))
		ksft_print_msg("wanted \"%s\", got \"%s\"\n", want ? want : "nothing said", text);
	ksft_test_result(want && !strcmp(want, text), "%s\n", c->name);
}

/* --- several bad fields at once --- */

static uint64_t state = SEED;

static uint32_t below(uint32_t n)	/* xorshift64* */
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 2685821657736338717ull >> 32) * n >> 32);
}

static const struct compat_case *any_field(void)
{
	for (;;) {
		const struct compat_case *c = &submit_cases[below(ARRAY_SIZE(submit_cases))];

		if (c->run == submit_field && !c->alone && strcmp(wanted(c), NOT_RUN))
			return c;
	}
}

struct combination {
	const struct compat_case *fields[MOST_FIELDS];
	uint32_t n;
};

static bool has_field(const struct combination *all, const struct compat_case *c)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->fields[i]->at == c->at)
			return true;
	return false;
}

static void choose(struct combination *all)
{
	const uint32_t n = 2 + below(MOST_FIELDS - 1);

	all->n = 0;
	while (all->n < n) {
		const struct compat_case *c = any_field();

		if (!has_field(all, c))
			all->fields[all->n++] = c;
	}
}

/* The result is that of one of the fields, and of none that is good if one is bad. */
static bool is_of_one(const struct combination *all, const char *text)
{
	bool is_good = !strncmp(text, "0 0", 3), some_bad = false;

	for (uint32_t i = 0; i < all->n; i++) {
		const char *want = wanted(all->fields[i]);

		if (!strcmp(want, text) && !is_good)
			return true;
		some_bad |= strcmp(want, GOOD);
	}
	return is_good && (!some_bad || !is_ours);
}

static void combine(struct world *w, const struct compat_case *c)
{
	const struct combination *all = (void *)c->value;

	for (uint32_t i = 0; i < all->n; i++)
		apply(w, all->fields[i]);
	say_submit(w);
}

static bool combinations_are_right(char *text)
{
	bool right = true;

	for (int i = 0; i < COMBINATIONS; i++) {
		struct combination all;
		const struct compat_case c = { .run = combine, .value = (uintptr_t)&all };

		choose(&all);
		run_case(&c, text);
		if (is_of_one(&all, text))
			continue;
		right = false;
		for (uint32_t j = 0; j < all.n; j++)
			ksft_print_msg("combination %d: %s\n", i, all.fields[j]->name);
		ksft_print_msg("combination %d gives \"%s\"\n", i, text);
	}
	return right;
}

int main(void)
{
	char *text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = open(NODE, O_RDWR | O_CLOEXEC);
	unsigned int plan = 1;

	ksft_print_header();
	if (fd < 0 || !board_open())
		ksft_exit_skip("no %s, or not on the test board\n", NODE);
	is_ours = !check_driver(fd);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		plan += subjects[i].n;
	ksft_set_plan(plan);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
		for (size_t j = 0; j < subjects[i].n; j++)
			claim(&subjects[i].cases[j], text);
	ksft_test_result(combinations_are_right(text), "submit: several fields at once\n");
	ksft_finished();
}
