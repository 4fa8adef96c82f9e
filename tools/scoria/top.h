/* SPDX-License-Identifier: MIT */
/* Who has the NPU open and how long it worked for them, out of /proc/PID/fdinfo. */
#ifndef SCORIA_TOP_H
#define SCORIA_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_ENGINES 8

/**
 * struct top_client - an open file of the NPU's driver
 * @id:       drm-client-id: copies of a descriptor have the same
 * @pid: @comm: the first process that was found to have it
 * @busy_ns:  time that each engine worked for it
 * @total: @resident: bytes of its buffers
 */
struct top_client {
	uint64_t id;
	int pid;
	char comm[32];
	uint64_t busy_ns[TOP_ENGINES];
	uint64_t total;
	uint64_t resident;
};

/**
 * struct top_sample - what was found at one time
 * @seconds: when, by CLOCK_MONOTONIC
 * @engines: names that the driver gives its cores, @n_engines of them; none when
 *           the driver does not tell
 * @clients: @n_clients of them, with room for @room
 * @hidden:  processes whose files this user may not see
 */
struct top_sample {
	double seconds;
	char engines[TOP_ENGINES][32];
	unsigned int n_engines;
	struct top_client *clients;
	size_t n_clients;
	size_t room;
	unsigned int hidden;
};

/*
 * Look through the processes below @root (root.h) into @sample, which is zero or has
 * been freed. 0, -ENOMEM, or the error with which /proc was not opened.
 */
int top_sample_take(struct top_sample *sample, const char *root);
void top_sample_free(struct top_sample *sample);

/*
 * Nanoseconds that engine @engine of @now worked for @client since @before, where the
 * client may not have been yet. Never negative: a count that went back counts as none.
 */
uint64_t top_worked(const struct top_sample *before, const struct top_sample *now,
		    const struct top_client *client, unsigned int engine);

#endif
