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

/**
 * struct scoria_runqueue - jobs that a core may start
 * @ready:  shares that have jobs and of which none runs, the next one first
 * @now:    by priority, time used by the share that was taken from last
 * @n_jobs: their number
 */
struct scoria_runqueue {
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

void scoria_runqueue_init(struct scoria_runqueue *rq);
void scoria_share_init(struct scoria_share *share, enum scoria_priority priority);

/* Append a job. A share may change runqueues only while it has none. */
void scoria_runqueue_add(struct scoria_runqueue *rq, struct scoria_share *share,
			 struct list_head *job);

/* The job whose turn it is, which stays where it is; NULL when there is none. */
struct list_head *scoria_runqueue_first(const struct scoria_runqueue *rq);

/* Take the first job of the share to run it. */
void scoria_runqueue_take(struct scoria_runqueue *rq, struct scoria_share *share);

/* The job that was taken has ended after @ns. */
void scoria_runqueue_end(struct scoria_runqueue *rq, struct scoria_share *share, u64 ns);

/* Take a job that waits away from where it is. */
void scoria_runqueue_remove(struct scoria_runqueue *rq, struct scoria_share *share,
			    struct list_head *job);

#endif
