/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases of compat.c: SUBMIT. */
#ifndef SCORIA_COMPAT_SUBMIT_H
#define SCORIA_COMPAT_SUBMIT_H

#include "compat.h"

#define MANY	65536

static void submit_field(struct world *w, const struct compat_case *c)
{
	apply(w, c);
	say_submit(w);
}

/* With something behind the part of the struct that is known. */
static void submit_tail(struct world *w, const struct compat_case *c)
{
	const uint32_t stride = (uint32_t)c->value;

	if (c->at) {
		w->s.submit.job_struct_size = stride;
		w->jobs[stride - 1] = 1;
	} else {
		w->s.job.task_struct_size = stride;
		w->tasks[stride - 1] = 1;
	}
	say_submit(w);
}

static void submit_argument_tail(struct world *w, const struct compat_case *c)
{
	struct {
		struct drm_scoria_rocket_submit args;
		uint64_t more;
	} longer;

	world_submit(w);
	longer.args = w->s.submit;
	longer.more = c->value;
	say_result(w, drm_call(w->fd, _IOC(_IOC_WRITE, DRM_IOCTL_BASE, DRM_COMMAND_BASE + 1,
					   sizeof(longer)), &longer));
}

static void job_at_page_end(struct world *w, const struct compat_case *c)
{
	w->s.submit.job_struct_size = DRM_SCORIA_ROCKET_JOB_SIZE_1_0;
	world_submit(w);
	bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]);
	matmul_fill(&w->matmul);
	matmul_flush(w->fd, &w->matmul);
	w->s.submit.jobs = (uintptr_t)at_page_end(w->jobs, c->value);
	say_result(w, submit(w->fd, &w->s));
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

static void second_job_unreadable(struct world *w, const struct compat_case *c)
{
	w->s.submit.job_count = (uint32_t)c->value;
	w->s.submit.jobs = (uintptr_t)at_page_end(&w->s.job, sizeof(w->s.job));
	memcpy(w->tasks, &w->s.task, sizeof(w->s.task));
	say_result(w, submit(w->fd, &w->s));
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

static void task_at_page_end(struct world *w, const struct compat_case *c)
{
	w->s.job.tasks = (uintptr_t)at_page_end(&w->s.task, c->value);
	say_submit(w);
}

static void handles_at_page_end(struct world *w, const struct compat_case *c)
{
	w->s.job.in_bo_handles = (uintptr_t)at_page_end(w->s.in, c->value);
	say_submit(w);
}

/* The first of the inputs is one that the file has not. */
static void input_handle(struct world *w, const struct compat_case *c)
{
	struct bo bo;

	(void)c;
	bo_create_unmapped(w->fd, PAGE, &bo);
	bo_close(w->fd, &bo);
	w->s.in[0] = bo.handle;
	say_submit(w);
}

static void handles_of_other_file(struct world *w, const struct compat_case *c)
{
	const int fd = w->fd;

	(void)c;
	w->fd = w->other;
	say_result(w, world_submit(w));
	w->fd = fd;
	say_output(w);
}

static void commands_of_other_file(struct world *w, const struct compat_case *c)
{
	struct matmul mine;

	(void)c;
	/* in no buffer of this file, which has one */
	w->s.job.in_bo_handle_count = 0;
	w->s.job.out_bo_handle_count = 0;
	matmul_create(w->other, &mine);
	w->s.task.regcmd = (uint32_t)mine.commands.address + 16 * PAGE;
	say_result(w, world_submit(w));
	say_output(w);
}

static void same_input_twice(struct world *w, const struct compat_case *c)
{
	w->s.in[0] = w->s.in[1];
	(void)c;
	say_submit(w);
}

static void output_twice(struct world *w, const struct compat_case *c)
{
	const uint32_t twice[] = { w->s.out[0], w->s.out[0] };

	(void)c;
	w->s.job.out_bo_handles = (uintptr_t)twice;
	w->s.job.out_bo_handle_count = 2;
	say_submit(w);
}

static void input_and_output(struct world *w, const struct compat_case *c)
{
	(void)c;
	w->s.in[0] = w->s.out[0];
	say_submit(w);
}

static void no_handles(struct world *w, const struct compat_case *c)
{
	w->s.job.in_bo_handle_count = 0;
	w->s.job.in_bo_handles = c->value;
	w->s.job.out_bo_handle_count = 0;
	w->s.job.out_bo_handles = c->value;
	say_result(w, world_submit(w));
	sleep_ms(SHORT_MS);
	say_output(w);
}

static void many_handles(struct world *w, const struct compat_case *c)
{
	static uint32_t handles[MANY + 1];

	for (size_t i = 0; i < ARRAY_SIZE(handles); i++)
		handles[i] = w->s.in[0];
	w->s.job.in_bo_handles = (uintptr_t)handles;
	w->s.job.in_bo_handle_count = (uint32_t)c->value;
	say_submit(w);
}

static void many_jobs(struct world *w, const struct compat_case *c)
{
	struct drm_scoria_rocket_job *jobs = calloc(c->value, sizeof(*jobs));

	for (uint64_t i = 0; i < c->value; i++)
		jobs[i] = w->s.job;
	memcpy(w->tasks, &w->s.task, sizeof(w->s.task));
	w->s.submit.jobs = (uintptr_t)jobs;
	w->s.submit.job_count = (uint32_t)c->value;
	say_result(w, submit(w->fd, &w->s));
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

static void many_tasks(struct world *w, const struct compat_case *c)
{
	struct drm_scoria_rocket_task *tasks = calloc(c->value, sizeof(*tasks));

	for (uint64_t i = 0; i < c->value; i++)
		tasks[i] = w->s.task;
	w->s.job.tasks = (uintptr_t)tasks;
	w->s.job.task_count = (uint32_t)c->value;
	say_submit(w);
}

/* The second of three cannot be run. */
static void bad_job_between(struct world *w, const struct compat_case *c)
{
	struct drm_scoria_rocket_job jobs[3] = { w->s.job, w->s.job, w->s.job };

	(void)c;
	jobs[0].task_count = 0;
	jobs[1].tasks = PAGE;
	memcpy(w->tasks, &w->s.task, sizeof(w->s.task));
	w->s.submit.jobs = (uintptr_t)jobs;
	w->s.submit.job_count = 3;
	say_result(w, submit(w->fd, &w->s));
	say_result(w, bo_prep(w->fd, &w->matmul.region[JOB_OUTPUT]));
	say_output(w);
}

static void none_with(struct world *w, const struct compat_case *c)
{
	w->s.submit.job_count = 0;
	submit_field(w, c);
}

#define GOOD		"0 0 right"
#define INVALID		"EINVAL 0 untouched"
#define UNREADABLE	"EFAULT 0 untouched"

#define CASE(name, want, number, member) \
	{ name, submit_field, want, .value = (number), FIELD(member) }
#define ALONE(name, want, number, member) \
	{ name, submit_field, want, .value = (number), FIELD(member), .alone = true }

static const struct compat_case submit_cases[] = {
	CASE("submit: reserved 1", INVALID, 1, s.submit.reserved),
	CASE("submit: reserved 2^63", INVALID, 1ull << 63, s.submit.reserved),
	ALONE("submit: no jobs", "0 0 untouched", 0, s.submit.job_count),
	{ "submit: no jobs, reserved 1", none_with, NULL, .value = 1, FIELD(s.submit.reserved) },
	{ "submit: no jobs, job_struct_size 0", none_with, "0 0 untouched", .value = 0,
	  FIELD(s.submit.job_struct_size) },
	{ "submit: no jobs, jobs unmapped", none_with, "0 0 untouched", .value = PAGE,
	  FIELD(s.submit.jobs) },
	CASE("submit: job_struct_size 0", INVALID, 0, s.submit.job_struct_size),
	CASE("submit: job_struct_size 39", INVALID, 39, s.submit.job_struct_size),
	ALONE("submit: job_struct_size 40", GOOD, 40, s.submit.job_struct_size),
	CASE("submit: job_struct_size 47", GOOD, 47, s.submit.job_struct_size),
	CASE("submit: job_struct_size 48", GOOD, 48, s.submit.job_struct_size),
	CASE("submit: job_struct_size 4096", GOOD, 4096, s.submit.job_struct_size),
	CASE("submit: job_struct_size 4097", NULL, 4097, s.submit.job_struct_size),
	CASE("submit: job_struct_size 2^32 - 1", NULL, 0xffffffff, s.submit.job_struct_size),
	{ "submit: tail of a job", submit_tail, NULL, .value = 56, .at = 1 },
	{ "submit: tail of the argument", submit_argument_tail, NULL, .value = 1 },
	{ "submit: zero tail of the argument", submit_argument_tail, "0", .value = 0 },
	CASE("submit: jobs NULL", UNREADABLE, 0, s.submit.jobs),
	CASE("submit: jobs unmapped", UNREADABLE, PAGE, s.submit.jobs),
	CASE("submit: jobs in the kernel", UNREADABLE, 0xffff800000000000, s.submit.jobs),
	{ "submit: job up to a page's end", job_at_page_end, GOOD, .value = 40 },
	{ "submit: job across a page's end", job_at_page_end, UNREADABLE, .value = 39 },
	{ "submit: second job unreadable", second_job_unreadable, NULL, .value = 2 },
	{ "submit: 2^16 jobs, unreadable", second_job_unreadable, NULL, .value = MANY },
	{ "submit: 100 jobs", many_jobs, GOOD, .value = 100 },
	{ "submit: bad jobs before a good one", bad_job_between, NULL, .value = 0 },
	CASE("job: unknown flag", NULL, 2, s.job.flags),
	CASE("job: flag of 1.1", GOOD, 1, s.job.flags),
	CASE("job: reserved", NULL, 1, s.job.reserved),
	ALONE("job: no tasks", NULL, 0, s.job.task_count),
	ALONE("job: 65537 tasks", NULL, MANY + 1, s.job.task_count),
	ALONE("job: 2^32 - 1 tasks", NULL, 0xffffffff, s.job.task_count),
	{ "job: 2 tasks", many_tasks, GOOD, .value = 2 },
	{ "job: 4096 tasks", many_tasks, GOOD, .value = 4096 },
	CASE("job: task_struct_size 0", NULL, 0, s.job.task_struct_size),
	CASE("job: task_struct_size 7", NULL, 7, s.job.task_struct_size),
	CASE("job: task_struct_size 8", GOOD, 8, s.job.task_struct_size),
	CASE("job: task_struct_size 9", GOOD, 9, s.job.task_struct_size),
	CASE("job: task_struct_size 4096", GOOD, 4096, s.job.task_struct_size),
	CASE("job: task_struct_size 4097", NULL, 4097, s.job.task_struct_size),
	{ "job: tail of a task", submit_tail, NULL, .value = 16 },
	CASE("job: tasks NULL", NULL, 0, s.job.tasks),
	CASE("job: tasks in the kernel", NULL, 0xffff800000000000, s.job.tasks),
	{ "job: task up to a page's end", task_at_page_end, GOOD, .value = 8 },
	{ "job: task across a page's end", task_at_page_end, NULL, .value = 7 },
	CASE("job: inputs NULL", NULL, 0, s.job.in_bo_handles),
	CASE("job: outputs NULL", NULL, 0, s.job.out_bo_handles),
	{ "job: inputs up to a page's end", handles_at_page_end, GOOD, .value = 12 },
	{ "job: inputs across a page's end", handles_at_page_end, NULL, .value = 11 },
	{ "job: no buffers, NULL", no_handles, "0 right", .value = 0 },
	{ "job: no buffers, unmapped", no_handles, "0 right", .value = PAGE },
	CASE("job: input 0", NULL, 0, s.in[0]),
	CASE("job: input unknown", NULL, 0x7fffffff, s.in[1]),
	CASE("job: output unknown", NULL, 0x7fffffff, s.out[0]),
	{ "job: input closed", input_handle, NULL, .value = 0 },
	{ "job: buffers of another file", handles_of_other_file, NULL, .value = 0 },
	{ "job: input twice", same_input_twice, NULL, .value = 0 },
	{ "job: output twice", output_twice, NULL, .value = 0 },
	{ "job: input that is output", input_and_output, NULL, .value = 0 },
	{ "job: input 65536 times", many_handles, NULL, .value = MANY },
	{ "job: input 65537 times", many_handles, NULL, .value = MANY + 1 },
	ALONE("job: 2^32 - 1 inputs", NULL, 0xffffffff, s.job.in_bo_handle_count),
	ALONE("job: 2^32 - 1 outputs", NULL, 0xffffffff, s.job.out_bo_handle_count),
	CASE("task: no commands", NULL, 0, s.task.regcmd_count),
	CASE("task: one command", NULL, 1, s.task.regcmd_count),
	CASE("task: commands beyond the buffer", NULL, PAGE / 8 + 1, s.task.regcmd_count),
	CASE("task: 131061 commands", NULL, 131061, s.task.regcmd_count),
	CASE("task: 2^32 - 1 commands", NULL, 0xffffffff, s.task.regcmd_count),
	CASE("task: commands in no buffer", NULL, 0xe0000000, s.task.regcmd),
	CASE("task: commands at an odd address", NULL, 0xe0000001, s.task.regcmd),
	{ "task: commands of another file", commands_of_other_file, NULL, .value = 0 },
};

#endif
