/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_SCHED_H
#define SCORIA_SCHED_H

struct scoria_core;

int scoria_sched_init(struct scoria_core *core);
void scoria_sched_fini(struct scoria_core *core);

#endif
