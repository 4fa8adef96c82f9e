/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_SCHED_H
#define SCORIA_SCHED_H

struct scoria_core;

/**
 * scoria_sched_init() - set up the DRM schedulers of a core
 * @core: the core
 *
 * Return: 0 or a negative errno.
 */
int scoria_sched_init(struct scoria_core *core);

/**
 * scoria_sched_fini() - take down the DRM schedulers of a core
 * @core: the core
 */
void scoria_sched_fini(struct scoria_core *core);

/**
 * scoria_sched_stop() - give no more jobs to a core
 * @core: the core
 */
void scoria_sched_stop(struct scoria_core *core);

/**
 * scoria_sched_start() - the end of scoria_sched_stop()
 * @core: the core
 */
void scoria_sched_start(struct scoria_core *core);

#endif
