/* SPDX-License-Identifier: MIT */
/*
 * Tests in TAP: each TEST(claim) becomes one "ok" or "not ok" line with its
 * name for a claim. EXPECT_* notes a failure and goes on, ASSERT_* leaves the
 * test; SKIP leaves it as skipped with a reason. TEST_MAIN() once per program;
 * arguments choose tests by part of their name.
 */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct tap_test {
	const char *name;
	void (*run)(void);
	struct tap_test *next;
};

static struct tap_test *tap_first, **tap_last = &tap_first;
static bool tap_failed;
static const char *tap_skipped;

#define TEST(claim)							\
	static void test_##claim(void);					\
	static struct tap_test tap_##claim = { #claim, test_##claim, NULL }; \
	__attribute__((constructor)) static void tap_add_##claim(void)	\
	{								\
		*tap_last = &tap_##claim;				\
		tap_last = &tap_##claim.next;				\
	}								\
	static void test_##claim(void)

#define TAP_FAIL(...)							\
	do {								\
		printf("# %s:%d: ", __FILE__, __LINE__);		\
		printf(__VA_ARGS__);					\
		printf("\n");						\
		tap_failed = true;					\
	} while (0)

#define EXPECT(condition)						\
	do {								\
		if (!(condition))					\
			TAP_FAIL("not true: %s", #condition);		\
	} while (0)

#define EXPECT_EQ(want, got)						\
	do {								\
		long long want_ = (long long)(want), got_ = (long long)(got); \
									\
		if (want_ != got_)					\
			TAP_FAIL("%s: want %lld (0x%llx), got %lld (0x%llx)", \
				 #got, want_, want_, got_, got_);	\
	} while (0)

#define EXPECT_STR(part, text)						\
	do {								\
		const char *text_ = (text);				\
									\
		if (!strstr(text_, (part)))				\
			TAP_FAIL("no \"%s\" in \"%s\"", (part), text_);	\
	} while (0)

#define ASSERT(condition)						\
	do {								\
		if (!(condition)) {					\
			TAP_FAIL("not true: %s", #condition);		\
			return;						\
		}							\
	} while (0)

#define SKIP(reason)							\
	do {								\
		tap_skipped = (reason);					\
		return;							\
	} while (0)

static inline bool tap_chosen(const struct tap_test *t, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(t->name, argv[i]))
			return true;
	return argc < 2;
}

static inline void tap_run(const struct tap_test *t, unsigned int number)
{
	tap_failed = false;
	tap_skipped = NULL;
	t->run();
	printf("%sok %u - %s", tap_failed ? "not " : "", number, t->name);
	if (tap_skipped)
		printf(" # SKIP %s", tap_skipped);
	printf("\n");
	fflush(stdout);
}

static inline int tap_main(int argc, char **argv)
{
	unsigned int n = 0, failed = 0;

	for (struct tap_test *t = tap_first; t; t = t->next)
		n += tap_chosen(t, argc, argv);
	printf("TAP version 13\n1..%u\n", n);
	n = 0;
	for (struct tap_test *t = tap_first; t; t = t->next) {
		if (!tap_chosen(t, argc, argv))
			continue;
		tap_run(t, ++n);
		failed += tap_failed;
	}
	return failed || !n;
}

#define TEST_MAIN()							\
	int main(int argc, char **argv)					\
	{								\
		return tap_main(argc, argv);				\
	}

#endif
