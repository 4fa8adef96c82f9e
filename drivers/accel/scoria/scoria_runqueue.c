// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Fairness
 *
 * The DRM scheduler takes jobs in the order in which they were submitted, so
 * that whoever submits many at once is served first for long. It is used for
 * what jobs wait for; whose turn it is on a core is decided here. Each queue that has
 * jobs for a core has a share of it. Shares are sorted by priority, then by the
 * time that their jobs have run; a share whose job runs is not in the tree,
 * because the time that it will take is not known before it ends. So queues of
 * equal priority get equal time, however long their jobs are and however many
 * they have, give or take one job.
 *
 * A share that had nothing to run for a while does not get that time afterwards: it
 * starts anew where the share is that was last served.
 *
 * A queue never has more than a few jobs here (SCORIA_QUEUE_DEPTH), for the
 * rest wait in the DRM scheduler. That bounds what has to be dropped at once when a
 * process is killed or a queue is banned.
 */
#include "scoria_runqueue.h"

#include <linux/minmax.h>

void scoria_runqueue_init(struct scoria_runqueue *rq)
{
	*rq = (struct scoria_runqueue){ .ready = RB_ROOT_CACHED };
}

void scoria_share_init(struct scoria_share *share, enum scoria_priority priority)
{
	*share = (struct scoria_share){ .priority = priority };
	INIT_LIST_HEAD(&share->jobs);
}

/* With @ns more that @a has used. */
static bool is_before(const struct scoria_share *a, u64 ns, const struct scoria_share *b)
{
	if (a->priority != b->priority)
		return a->priority < b->priority;
	return a->used + ns < b->used;
}

static bool node_is_before(struct rb_node *a, const struct rb_node *b)
{
	return is_before(rb_entry(a, struct scoria_share, node), 0,
			 rb_entry(b, struct scoria_share, node));
}

static struct scoria_share *first_share(const struct scoria_runqueue *rq)
{
	return rq->front ? : rb_entry_safe(rb_first_cached(&rq->ready), struct scoria_share, node);
}

static void insert(struct scoria_runqueue *rq, struct scoria_share *share)
{
	const struct scoria_share *first = first_share(rq);

	if (first && !is_before(share, 0, first)) {
		rb_add_cached(&share->node, &rq->ready, node_is_before);
		return;
	}
	if (rq->front)
		rb_add_cached(&rq->front->node, &rq->ready, node_is_before);
	rq->front = share;
}

static void erase(struct scoria_runqueue *rq, struct scoria_share *share)
{
	if (rq->front == share)
		rq->front = NULL;
	else
		rb_erase_cached(&share->node, &rq->ready);
}

void scoria_runqueue_add(struct scoria_runqueue *rq, struct scoria_share *share,
			 struct list_head *job)
{
	u64 now = rq->now[share->priority];

	list_add_tail(job, &share->jobs);
	rq->n_jobs++;
	if (share->n_jobs++)
		return;
	/* time used on another core says nothing here */
	share->used = share->rq == rq ? max(share->used, now) : now;
	share->rq = rq;
	insert(rq, share);
}

struct list_head *scoria_runqueue_first(const struct scoria_runqueue *rq)
{
	const struct scoria_share *first = first_share(rq);

	return first ? first->jobs.next : NULL;
}

bool scoria_runqueue_is_open(const struct scoria_runqueue *rq, const struct scoria_share *share)
{
	const struct scoria_share *first = first_share(rq);

	return share->n_jobs > 1 && first && first->priority == share->priority;
}

struct list_head *scoria_runqueue_next(const struct scoria_runqueue *rq,
				       const struct scoria_share *share, u64 ns)
{
	const struct scoria_share *first = first_share(rq);

	if (share->n_jobs > 1 && (!first || is_before(share, ns, first)))
		first = share;
	return first ? first->jobs.next : NULL;
}

void scoria_runqueue_take(struct scoria_runqueue *rq, struct scoria_share *share)
{
	rq->now[share->priority] = share->used;
	erase(rq, share);
	list_del_init(share->jobs.next);
	rq->n_jobs--;
	share->running = true;
}

void scoria_runqueue_end(struct scoria_runqueue *rq, struct scoria_share *share, u64 ns)
{
	share->used += ns;
	share->running = false;
	if (--share->n_jobs)
		insert(rq, share);
}

void scoria_runqueue_remove(struct scoria_runqueue *rq, struct scoria_share *share,
			    struct list_head *job)
{
	list_del_init(job);
	rq->n_jobs--;
	share->n_jobs--;
	if (list_empty(&share->jobs) && !share->running)
		erase(rq, share);
}
