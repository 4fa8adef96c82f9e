/* SPDX-License-Identifier: MIT */
/*
 * A line that says what is going on, for what takes longer than a second: in
 * place on a terminal, else a plain line now and then.
 */
#ifndef DEMO_PROGRESS_H
#define DEMO_PROGRESS_H

/* @what must live until progress_end(). One at a time. */
void progress_begin(const char *what);

/* @done of @all parts are finished. */
void progress_set(unsigned int done, unsigned int all);

/* Remove the line, if there is one. */
void progress_end(void);

#endif
