/* SPDX-License-Identifier: MIT */
/* Reports of a session: lines for people, JSON, and lines for answers.def. */
#ifndef SILICON_REPORT_H
#define SILICON_REPORT_H

#include <stdio.h>

#include "session.h"

/* What is asked and could be answered, a paragraph for each. */
void report_list(FILE *out);

/* The device, the kernel and the time; a line for a verdict; the sums. */
void report_head(FILE *out, const struct session *session);
void report_verdict(FILE *out, const struct session *session, enum npu_switch id);
void report_summary(FILE *out, const struct session *session);

/* All of it as JSON; @complete: nothing is still to come. 0, or a negative errno. */
int report_json(FILE *out, const struct session *session, bool complete);

/* A line of answers.def for each answer. */
void report_answers(FILE *out, const struct session *session);

#endif
