/* SPDX-License-Identifier: GPL-2.0-only */
/* What one ioctl or one file may ask for; userspace learns it from QUERY. */
#ifndef SCORIA_LIMITS_H
#define SCORIA_LIMITS_H

#define SCORIA_MAX_TASKS	65536	/* of a program */
#define SCORIA_MAX_JOB_BOS	65536	/* more in one list are a mistake */
#define SCORIA_MAX_PROGRAMS	65536	/* of a file */
#define SCORIA_MAX_QUEUES	64	/* of a file */
#define SCORIA_MAX_SUBMIT_JOBS	256
#define SCORIA_MAX_SUBMIT_SYNCS	256
#define SCORIA_MAX_TIMEOUT_MS	60000

#endif
