// SPDX-License-Identifier: MIT
/* A thread tells the time, because an operation returns only when it is done. */
#include "progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PLAIN_LINE_SECONDS 10

/* One progress line, as there is one terminal. @lock covers all but @thread. */
static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *what;
	unsigned int done;
	unsigned int all;
	unsigned int seconds;
	bool running;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void show(bool terminal)
{
	if (!terminal && progress.seconds % PLAIN_LINE_SECONDS != 1)
		return;
	printf("%s%s", terminal ? "\r\033[K" : "", progress.what);
	if (progress.all)
		printf(": %u of %u", progress.done, progress.all);
	printf(", %u s%s", progress.seconds, terminal ? "" : "\n");
	fflush(stdout);
}

static void *tick(void *arg)
{
	bool terminal = isatty(STDOUT_FILENO);
	struct timespec next;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &next);
	pthread_mutex_lock(&progress.lock);
	while (progress.running) {
		next.tv_sec++;
		while (progress.running &&
		       !pthread_cond_timedwait(&progress.changed, &progress.lock, &next))
			;
		if (!progress.running)
			break;
		progress.seconds++;
		show(terminal);
	}
	if (terminal && progress.seconds) {
		fputs("\r\033[K", stdout);
		fflush(stdout);
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_begin(const char *what)
{
	progress.what = what;
	progress.done = 0;
	progress.all = 0;
	progress.seconds = 0;
	progress.running = true;
	/* without a thread there is no line, and nothing else is lost */
	if (pthread_create(&progress.thread, NULL, tick, NULL))
		progress.running = false;
}

void progress_set(unsigned int done, unsigned int all)
{
	pthread_mutex_lock(&progress.lock);
	progress.done = done;
	progress.all = all;
	pthread_mutex_unlock(&progress.lock);
}

void progress_end(void)
{
	if (!progress.running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.running = false;
	pthread_cond_signal(&progress.changed);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
}
