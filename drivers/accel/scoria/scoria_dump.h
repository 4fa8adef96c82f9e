/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DUMP_H
#define SCORIA_DUMP_H

struct scoria_core;
struct scoria_dump;
struct scoria_job;

/**
 * scoria_dump_take() - write down what is known of a job that failed, before the reset
 * @core: the core
 * @job: the job
 *
 * Return: the dump, NULL when there is no memory.
 */
struct scoria_dump *scoria_dump_take(struct scoria_core *core, const struct scoria_job *job);

/**
 * scoria_dump_publish() - have a dump appear in /sys/class/devcoredump
 * @dump: the dump, which is the function's from here on
 * @core: the core that it is of
 *
 * It does so some time after the reset.
 */
void scoria_dump_publish(struct scoria_dump *dump, struct scoria_core *core);

#endif
