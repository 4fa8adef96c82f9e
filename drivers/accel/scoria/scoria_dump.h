/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DUMP_H
#define SCORIA_DUMP_H

struct scoria_core;
struct scoria_dump;
struct scoria_job;

/*
 * Write down what is known of a job that failed, before the reset; NULL when
 * there is no memory.
 */
struct scoria_dump *scoria_dump_take(struct scoria_core *core, const struct scoria_job *job);

/* Have it appear in /sys/class/devcoredump, some time after the reset. */
void scoria_dump_publish(struct scoria_dump *dump, struct scoria_core *core);

#endif
