// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_recent.h"

#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/scoria_accel.h>

#include "scoria_as.h"
#include "scoria_gem.h"
#include "scoria_program.h"

/* Of segments, which are some 4000 tasks; the words that they were made from take less. */
#define MAX_SIZE	(4 * 1024 * 1024)

/**
 * struct recent_job - a job that may come again
 * @source:  what its program was made from
 * @program: the program, with a reference
 */
struct recent_job {
	struct scoria_source source;
	struct scoria_program *program;
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
	recent->size -= job->program->size;
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
	forget_all(recent);
	xa_destroy(&recent->jobs);
	mutex_destroy(&recent->lock);
}

bool scoria_recent_takes(size_t size)
{
	return size <= MAX_SIZE;
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

/* Or it is too late to forget the program with its buffers. */
static bool has_open_buffers(struct scoria_program *program)
{
	struct scoria_mapping *map;
	unsigned long index;

	xa_for_each(&program->check.buffers, index, map)
		if (!scoria_mapping_is_open(map))
			return false;
	return true;
}

static struct recent_job *job_create(struct scoria_source *source,
				     struct scoria_program *program)
{
	struct recent_job *job = kmalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->source = *source;
	job->program = scoria_program_get(program);
	*source = (struct scoria_source){ };
	return job;
}

void scoria_recent_add(struct scoria_recent *recent, struct scoria_source *source,
		       struct scoria_program *program)
{
	unsigned long index = job_index(source);
	struct recent_job *job;

	guard(mutex)(&recent->lock);
	if (!has_open_buffers(program))
		return;
	job = xa_load(&recent->jobs, index);
	if (job)
		forget(recent, job);
	if (recent->size + program->size > MAX_SIZE)
		forget_all(recent);
	job = job_create(source, program);
	if (!job)
		return;
	if (xa_err(xa_store(&recent->jobs, index, job, GFP_KERNEL_ACCOUNT)))
		job_free(job);
	else
		recent->size += program->size;
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
