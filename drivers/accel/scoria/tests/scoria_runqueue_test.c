// SPDX-License-Identifier: GPL-2.0-only
/* Whose turn it is: shares of one core, with jobs of lengths that only the test knows. */
#include <kunit/test.h>

#include "../scoria_runqueue.h"

#define MAX_SHARES	4

/* Queues that always have jobs; which one got how much. */
struct flood {
	struct scoria_runqueue rq;
	struct scoria_share shares[MAX_SHARES];
	struct list_head jobs[MAX_SHARES];
	u64 length[MAX_SHARES];
	u64 used[MAX_SHARES];
	unsigned int count[MAX_SHARES];
	bool surprised;		/* the turn was not the one foretold */
};

static void flood_init(struct flood *flood)
{
	*flood = (struct flood){ 0 };
	scoria_runqueue_init(&flood->rq);
}

static void flood_add(struct flood *flood, unsigned int i, enum scoria_priority priority,
		      u64 length)
{
	scoria_share_init(&flood->shares[i], priority);
	flood->length[i] = length;
	scoria_runqueue_add(&flood->rq, &flood->shares[i], &flood->jobs[i]);
}

/* Run one job, and give its queue another. Returns whose it was. */
static unsigned int flood_step(struct flood *flood)
{
	struct list_head *job = scoria_runqueue_first(&flood->rq);
	const struct list_head *next;
	unsigned int i = job - flood->jobs;
	u64 ns = flood->length[i];

	scoria_runqueue_take(&flood->rq, &flood->shares[i]);
	flood->used[i] += ns;
	flood->count[i]++;
	scoria_runqueue_add(&flood->rq, &flood->shares[i], job);
	if (!scoria_runqueue_is_open(&flood->rq, &flood->shares[i]))
		ns = 0;
	next = scoria_runqueue_next(&flood->rq, &flood->shares[i], ns);
	scoria_runqueue_end(&flood->rq, &flood->shares[i], flood->length[i]);
	flood->surprised |= next != scoria_runqueue_first(&flood->rq);
	return i;
}

static void jobs_of_a_share_keep_their_order(struct kunit *test)
{
	struct scoria_runqueue rq;
	struct scoria_share share;
	struct list_head jobs[3];

	scoria_runqueue_init(&rq);
	scoria_share_init(&share, SCORIA_PRIORITY_NORMAL);
	KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_first(&rq), NULL);
	for (unsigned int i = 0; i < 3; i++)
		scoria_runqueue_add(&rq, &share, &jobs[i]);
	for (unsigned int i = 0; i < 3; i++) {
		KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_first(&rq), &jobs[i]);
		scoria_runqueue_take(&rq, &share);
		KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_first(&rq), NULL);
		KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_next(&rq, &share, 1),
				    i < 2 ? &jobs[i + 1] : NULL);
		KUNIT_EXPECT_EQ(test, rq.n_jobs, 2 - i);
		scoria_runqueue_end(&rq, &share, 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_first(&rq), NULL);
}

static void shares_get_equal_time_whatever_their_jobs_take(struct kunit *test)
{
	static const u64 lengths[MAX_SHARES] = { 1000, 70, 331, 5 };
	struct flood flood;
	u64 total = 0;

	flood_init(&flood);
	for (unsigned int i = 0; i < MAX_SHARES; i++)
		flood_add(&flood, i, SCORIA_PRIORITY_NORMAL, lengths[i]);
	for (unsigned int n = 0; n < 10000; n++)
		flood_step(&flood);
	for (unsigned int i = 0; i < MAX_SHARES; i++)
		total += flood.used[i];
	/* give or take one job, the longest of which is of 1000 */
	for (unsigned int i = 0; i < MAX_SHARES; i++) {
		KUNIT_EXPECT_LE(test, flood.used[i], total / MAX_SHARES + 1000);
		KUNIT_EXPECT_GE(test, flood.used[i] + 1000, total / MAX_SHARES);
	}
	KUNIT_EXPECT_FALSE(test, flood.surprised);
}

static void newcomer_waits_for_one_job_and_gets_no_past_time(struct kunit *test)
{
	struct flood flood;

	flood_init(&flood);
	flood_add(&flood, 0, SCORIA_PRIORITY_NORMAL, 100);
	for (unsigned int n = 0; n < 1000; n++)
		flood_step(&flood);
	flood_add(&flood, 1, SCORIA_PRIORITY_NORMAL, 100);
	for (unsigned int n = 0; n < 100; n++)
		flood_step(&flood);
	KUNIT_EXPECT_GE(test, flood.count[1], 50);
	KUNIT_EXPECT_LE(test, flood.count[1], 51);
	KUNIT_EXPECT_FALSE(test, flood.surprised);
}

static void higher_priority_goes_first(struct kunit *test)
{
	struct flood flood;

	flood_init(&flood);
	flood_add(&flood, 0, SCORIA_PRIORITY_LOW, 1);
	flood_add(&flood, 1, SCORIA_PRIORITY_NORMAL, 1);
	for (unsigned int n = 0; n < 10; n++)
		KUNIT_EXPECT_EQ(test, flood_step(&flood), 1);
	flood_add(&flood, 2, SCORIA_PRIORITY_HIGH, 1000);
	for (unsigned int n = 0; n < 10; n++)
		KUNIT_EXPECT_EQ(test, flood_step(&flood), 2);
	scoria_runqueue_remove(&flood.rq, &flood.shares[2], &flood.jobs[2]);
	KUNIT_EXPECT_EQ(test, flood_step(&flood), 1);
	scoria_runqueue_remove(&flood.rq, &flood.shares[1], &flood.jobs[1]);
	KUNIT_EXPECT_EQ(test, flood_step(&flood), 0);
	KUNIT_EXPECT_FALSE(test, flood.surprised);
}

static void time_on_another_core_does_not_count(struct kunit *test)
{
	struct scoria_runqueue other;
	struct flood flood;

	/* the second share comes from a core where it ran for long */
	scoria_runqueue_init(&other);
	flood_init(&flood);
	flood_add(&flood, 0, SCORIA_PRIORITY_NORMAL, 100);
	flood_step(&flood);
	scoria_share_init(&flood.shares[1], SCORIA_PRIORITY_NORMAL);
	flood.length[1] = 100;
	scoria_runqueue_add(&other, &flood.shares[1], &flood.jobs[1]);
	scoria_runqueue_take(&other, &flood.shares[1]);
	scoria_runqueue_end(&other, &flood.shares[1], 1000000);
	scoria_runqueue_add(&flood.rq, &flood.shares[1], &flood.jobs[1]);
	for (unsigned int n = 0; n < 20; n++)
		flood_step(&flood);
	KUNIT_EXPECT_GE(test, flood.count[1], 9);
}

static void removed_job_leaves_no_trace(struct kunit *test)
{
	struct scoria_runqueue rq;
	struct scoria_share share;
	struct list_head jobs[2];

	scoria_runqueue_init(&rq);
	scoria_share_init(&share, SCORIA_PRIORITY_NORMAL);
	scoria_runqueue_add(&rq, &share, &jobs[0]);
	scoria_runqueue_add(&rq, &share, &jobs[1]);
	scoria_runqueue_take(&rq, &share);
	/* with another one running */
	scoria_runqueue_remove(&rq, &share, &jobs[1]);
	scoria_runqueue_end(&rq, &share, 1);
	KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_first(&rq), NULL);
	/* and with none */
	scoria_runqueue_add(&rq, &share, &jobs[0]);
	scoria_runqueue_remove(&rq, &share, &jobs[0]);
	KUNIT_EXPECT_PTR_EQ(test, scoria_runqueue_first(&rq), NULL);
	KUNIT_EXPECT_EQ(test, rq.n_jobs, 0);
	KUNIT_EXPECT_EQ(test, share.n_jobs, 0);
}

static struct kunit_case runqueue_cases[] = {
	KUNIT_CASE(jobs_of_a_share_keep_their_order),
	KUNIT_CASE(shares_get_equal_time_whatever_their_jobs_take),
	KUNIT_CASE(newcomer_waits_for_one_job_and_gets_no_past_time),
	KUNIT_CASE(higher_priority_goes_first),
	KUNIT_CASE(time_on_another_core_does_not_count),
	KUNIT_CASE(removed_job_leaves_no_trace),
	{}
};

static struct kunit_suite runqueue_suite = {
	.name = "scoria_runqueue",
	.test_cases = runqueue_cases,
};

kunit_test_suite(runqueue_suite);
