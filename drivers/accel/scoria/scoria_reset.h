/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_RESET_H
#define SCORIA_RESET_H

struct scoria_core;
struct work_struct;

void scoria_reset_work(struct work_struct *work);

/* Stop the core, whose hardware goes away: every job of it ends with -ENODEV. */
void scoria_reset_retire(struct scoria_core *core);

#endif
