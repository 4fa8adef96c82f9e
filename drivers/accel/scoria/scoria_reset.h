/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_RESET_H
#define SCORIA_RESET_H

struct scoria_core;
struct work_struct;

/**
 * scoria_reset_work() - recover a core, as a work item
 * @work: reset_work of the core
 */
void scoria_reset_work(struct work_struct *work);

/**
 * scoria_reset_retire() - stop a core whose hardware goes away
 * @core: the core
 *
 * Every job that it has ends with -ENODEV.
 */
void scoria_reset_retire(struct scoria_core *core);

#endif
