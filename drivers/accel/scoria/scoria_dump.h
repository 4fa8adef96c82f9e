/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DUMP_H
#define SCORIA_DUMP_H

struct scoria_core;
struct scoria_job;

/*
 * Leave what is known of a job that failed in /sys/class/devcoredump. Before the
 * reset; does nothing when there is no memory.
 */
void scoria_dump_job(struct scoria_core *core, struct scoria_job *job);

#endif
