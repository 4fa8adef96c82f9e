// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_recent.h"

#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/scoria_accel.h>

#include "scoria_as.h"
#include "scoria_gem.h"
#include "scoria_program.h"

/* Of all that is remembered: some 4000 tasks as working programs have them. */
#define MAX_SIZE	(8 * 1024 * 1024)

/* An index far from all others takes two nodes of its own; those above are shared. */
#define INDEX_SIZE	(2 * sizeof(struct xa_node))

/**
 * struct recent_job - a job that may come again
 * @source:  what its program was made from
 * @program: the program, with a reference
 * @size:    bytes of all that is kept for it
 */
struct recent_job {
	struct scoria_source source;
	struct scoria_program *program;
	size_t size;
};

void scoria_recent_init(struct scoria_recent *recent)
{
	mutex_init(&recent->lock);
	xa_init_flags(&recent->jobs, XA_FLAGS_ACCOUNT);
	recent->size = 0;
}

static unsigned long job_index(const struct scoria_source *source)
{
	return source->tasks[0].regcmd / sizeof(u64);
}

static void job_free(struct recent_job *job)
{
	scoria_program_put(job->program);
	kvfree(job->source.words);
	kvfree(job->source.tasks);
	kfree(job);
}

static void forget(struct scoria_recent *recent, struct recent_job *job)
{
	xa_erase(&recent->jobs, job_index(&job->source));
	recent->size -= job->size;
	job_free(job);
}

static void forget_all(struct scoria_recent *recent)
{
	struct recent_job *job;
	unsigned long index;

	xa_for_each(&recent->jobs, index, job)
		forget(recent, job);
}

void scoria_recent_fini(struct scoria_recent *recent)
{
	xa_destroy(&recent->jobs);
	mutex_destroy(&recent->lock);
}

void scoria_recent_clear(struct scoria_recent *recent)
{
	guard(mutex)(&recent->lock);
	forget_all(recent);
}

/* The words take as much again, at most. */
bool scoria_recent_takes(size_t size)
{
	return size <= MAX_SIZE / 2;
}

static bool same_tasks(const struct scoria_source *a, const struct scoria_source *b)
{
	return a->n_tasks == b->n_tasks &&
	       !memcmp(a->tasks, b->tasks, a->n_tasks * sizeof(*a->tasks));
}

/*
 * Userspace may write the words meanwhile: what runs are those that were checked,
 * which are what stood there at the time of the look. (A big-endian CPU swaps what
 * it checks, and finds nothing the same.)
 */
static bool same_words(const struct scoria_source *source, struct scoria_as *as)
{
	struct scoria_mapping *map = NULL;
	const u64 *words = source->words;
	bool same = true;

	for (u32 i = 0; i < source->n_tasks && same; i++) {
		const struct drm_scoria_rocket_task *task = &source->tasks[i];
		size_t size = task->regcmd_count * sizeof(*words);

		same = scoria_as_find_near(as, task->regcmd, size, &map) &&
		       scoria_bo_equals(map->bo, task->regcmd - map->node.start, words, size);
		words += task->regcmd_count;
		cond_resched();
	}
	scoria_mapping_put(map);
	return same;
}

struct scoria_program *scoria_recent_find(struct scoria_recent *recent, struct scoria_as *as,
					  const struct scoria_source *source)
{
	struct recent_job *job;

	guard(mutex)(&recent->lock);
	job = xa_load(&recent->jobs, job_index(source));
	if (!job || !same_tasks(&job->source, source) || !same_words(&job->source, as))
		return NULL;
	return scoria_program_get(job->program);
}

/*
 * The buffers that a program needs, counted; false when one has no handle any more: it is
 * too late then to forget the program with its buffers.
 */
static bool count_open_buffers(struct scoria_program *program, size_t *n)
{
	struct scoria_mapping *map;
	unsigned long index;

	*n = 0;
	xa_for_each(&program->check.buffers, index, map) {
		if (!scoria_mapping_is_open(map))
			return false;
		++*n;
	}
	return true;
}

/*
 * What would stay in memory, but for what allocators round up. Segments lie in chunks of
 * the address space, which stay while anything is in them: a process that takes care can
 * keep as many by this as by its programs (scoria_ring.c).
 */
static size_t size_of(const struct scoria_source *source, const struct scoria_program *program,
		      size_t n_buffers)
{
	size_t task_size = sizeof(*source->tasks) + sizeof(*program->chain);

	return sizeof(struct recent_job) + sizeof(*program) + 2 * program->size +
	       source->n_tasks * task_size + (1 + n_buffers) * INDEX_SIZE;
}

static struct recent_job *job_create(struct scoria_source *source,
				     struct scoria_program *program, size_t size)
{
	struct recent_job *job = kmalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->source = *source;
	job->program = scoria_program_get(program);
	job->size = size;
	*source = (struct scoria_source){ };
	return job;
}

/* Make room for @size bytes; false when there is never so much. */
static bool make_room(struct scoria_recent *recent, size_t size)
{
	if (size > MAX_SIZE)
		return false;
	if (recent->size + size > MAX_SIZE)
		forget_all(recent);
	return true;
}

static void forget_at(struct scoria_recent *recent, unsigned long index)
{
	struct recent_job *job = xa_load(&recent->jobs, index);

	if (job)
		forget(recent, job);
}

static void store(struct scoria_recent *recent, unsigned long index, struct recent_job *job)
{
	if (xa_err(xa_store(&recent->jobs, index, job, GFP_KERNEL_ACCOUNT)))
		job_free(job);
	else
		recent->size += job->size;
}

void scoria_recent_add(struct scoria_recent *recent, struct scoria_source *source,
		       struct scoria_program *program)
{
	unsigned long index = job_index(source);
	struct recent_job *job;
	size_t n_buffers, size;

	guard(mutex)(&recent->lock);
	if (!count_open_buffers(program, &n_buffers))
		return;
	size = size_of(source, program, n_buffers);
	forget_at(recent, index);
	if (!make_room(recent, size))
		return;
	job = job_create(source, program, size);
	if (job)
		store(recent, index, job);
}

static bool needs(const struct recent_job *job, const struct scoria_mapping *map)
{
	u32 first = job->source.tasks[0].regcmd;

	return xa_load(&job->program->check.buffers, map->node.start >> PAGE_SHIFT) == map ||
	       (first >= map->node.start && first < map->node.start + map->node.size);
}

void scoria_recent_forget(struct scoria_recent *recent, const struct scoria_mapping *map)
{
	struct recent_job *job;
	unsigned long index;

	guard(mutex)(&recent->lock);
	xa_for_each(&recent->jobs, index, job)
		if (needs(job, map))
			forget(recent, job);
}
