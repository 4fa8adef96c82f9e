/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose turn it is on a core. Pure data structures, without locks of their own,
 * so that KUnit can test them without a device.
 */
#ifndef SCORIA_RUNQUEUE_H
#define SCORIA_RUNQUEUE_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/* Of queues; the first goes first. */
enum scoria_priority {
	SCORIA_PRIORITY_HIGH,
	SCORIA_PRIORITY_NORMAL,
	SCORIA_PRIORITY_LOW,
	SCORIA_N_PRIORITIES
};

struct scoria_share;

/**
 * struct scoria_runqueue - jobs that a core may start
 * @front:  the share whose turn it is, where that is known; not in @ready, so that
 *          a share alone costs nothing to take and to put back
 * @ready:  shares that have jobs and of which none runs, the next one first
 * @now:    by priority, time used by the share that was taken from last
 * @n_jobs: their number
 */
struct scoria_runqueue {
	struct scoria_share *front;
	struct rb_root_cached ready;
	u64 now[SCORIA_N_PRIORITIES];
	unsigned int n_jobs;
};

/**
 * struct scoria_share - the part of a queue in the runqueue of its core
 * @node:     in @ready
 * @rq:       where it was last, or NULL
 * @jobs:     jobs in order
 * @n_jobs:   their number, with the one that runs
 * @used:     time that its jobs ran, ns; raised when it had nothing to run
 * @priority: of the queue
 * @running:  a job was taken and has not ended
 */
struct scoria_share {
	struct rb_node node;
	const struct scoria_runqueue *rq;
	struct list_head jobs;
	unsigned int n_jobs;
	u64 used;
	enum scoria_priority priority;
	bool running;
};

/**
 * scoria_runqueue_init() - prepare a runqueue without jobs
 * @rq: the runqueue
 */
void scoria_runqueue_init(struct scoria_runqueue *rq);

/**
 * scoria_share_init() - prepare a share without jobs
 * @share: the share
 * @priority: of its queue
 */
void scoria_share_init(struct scoria_share *share, enum scoria_priority priority);

/**
 * scoria_runqueue_add() - append a job
 * @rq: the runqueue
 * @share: the share of a queue in it
 * @job: the list entry of the job
 *
 * A share may change runqueues only while it has none.
 */
void scoria_runqueue_add(struct scoria_runqueue *rq, struct scoria_share *share,
			 struct list_head *job);

/**
 * scoria_runqueue_first() - the job whose turn it is
 * @rq: the runqueue
 *
 * Return: its list entry, which stays where it is; NULL when there is none.
 */
struct list_head *scoria_runqueue_first(const struct scoria_runqueue *rq);

/**
 * scoria_runqueue_is_open() - ask whether the next turn hangs on how long a job has run
 * @rq: the runqueue
 * @share: the share whose job runs
 *
 * Return: whether scoria_runqueue_next() looks at the time.
 */
bool scoria_runqueue_is_open(const struct scoria_runqueue *rq, const struct scoria_share *share);

/**
 * scoria_runqueue_next() - the job whose turn it is once the one that runs has ended
 * @rq: the runqueue
 * @share: the share whose job runs
 * @ns: how long it has run
 *
 * What scoria_runqueue_first() says after scoria_runqueue_end(), before that is called.
 *
 * Return: its list entry, which stays where it is; NULL when there is none.
 */
struct list_head *scoria_runqueue_next(const struct scoria_runqueue *rq,
				       const struct scoria_share *share, u64 ns);

/**
 * scoria_runqueue_take() - take the first job of a share, to run it
 * @rq: the runqueue
 * @share: the share of a queue in it
 */
void scoria_runqueue_take(struct scoria_runqueue *rq, struct scoria_share *share);

/**
 * scoria_runqueue_end() - the job that was taken has ended
 * @rq: the runqueue
 * @share: the share of a queue in it
 * @ns: how long it ran
 */
void scoria_runqueue_end(struct scoria_runqueue *rq, struct scoria_share *share, u64 ns);

/**
 * scoria_runqueue_remove() - take away a job that waits
 * @rq: the runqueue
 * @share: the share of a queue in it
 * @job: the list entry of the job
 */
void scoria_runqueue_remove(struct scoria_runqueue *rq, struct scoria_share *share,
			    struct list_head *job);

#endif
