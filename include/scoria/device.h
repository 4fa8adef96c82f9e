/* SPDX-License-Identifier: MIT */
/* Devices of libscoria. */
#ifndef SCORIA_DEVICE_H
#define SCORIA_DEVICE_H

#include <scoria/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scoria_device;

/* How to speak to a driver. */
enum scoria_interface {
	SCORIA_INTERFACE_BEST = 0,	/* scoria's own where the driver has it */
	SCORIA_INTERFACE_ROCKET = 1,	/* what the in-tree driver has too: one core a file */
};

/**
 * struct scoria_device_opts - how to open a device
 * @size:   sizeof(struct scoria_device_opts)
 * @memory: bytes of NPU memory that buffers may take together, 0 for all of
 *          the 4 GiB window (register commands carry 32-bit addresses)
 * @report: called with what the model has to say (a field that nobody
 *          understands, why a stream hangs), one line without newline, from
 *          a thread that runs jobs, one at a time; NULL to drop it. It may not
 *          call into the library.
 * @report_ctx: first argument of @report
 * @model:  how the model is to behave where nobody knows what silicon does:
 *          "NAME=VALUE", several separated by commas, with the names that
 *          `scoria silicon --list` prints; NULL for what is assumed. -EINVAL for a
 *          name or value that does not exist
 * @cores:  to use at most, 1 to 3; 0 for all that there are. The model has three.
 *          Results do not depend on it
 * @interface: to the driver; 0 for the best that it has
 */
struct scoria_device_opts {
	size_t size;
	uint64_t memory;
	void (*report)(void *ctx, const char *text);
	void *report_ctx;
	const char *model;
	unsigned int cores;
	enum scoria_interface interface;
};

/*
 * Open a device by name. "accel" is the first /dev/accel node of a driver that
 * speaks rocket's interface, scoria's or the in-tree one; a path names one node.
 * "model" is the software model of the NPU and needs no hardware. NULL stands for
 * "accel" where there is one, else for "model". @opts may be NULL. @cores concerns both
 * kinds, @interface "accel" alone, all else the model alone.
 *
 * -ENODEV: no device of this name, or no driver that is known behind the node;
 * -ENOENT, -EACCES: what opening the node gives; -EINVAL, -ENOMEM.
 */
SCORIA_API int scoria_device_open(const char *name, const struct scoria_device_opts *opts,
				  struct scoria_device **dev);

/* Close it. Its plans, weights and buffers must be gone. NULL is accepted. */
SCORIA_API void scoria_device_close(struct scoria_device *dev);

/* "accel" or "model", also when it was opened by a path or NULL. The string is static. */
SCORIA_API const char *scoria_device_name(const struct scoria_device *dev);

/**
 * struct scoria_device_stats - what a device has done since it was opened
 * @size:          sizeof(struct scoria_device_stats)
 * @jobs:          kicks
 * @tasks:         tasks completed
 * @bytes_read:    bytes that the NPU's DMA engines read, commands included
 * @bytes_written: bytes that they wrote
 * @macs_issued:   multiplications that the array's cycles had room for
 * @macs_useful:   those with a real kernel and channel
 * @cycles:        estimated NPU cycles, from the model's cost model; of cores that work
 *                 at the same time those of the longest
 * @words:         register commands carried out
 * @bytes_commands: @bytes_features: @bytes_weights: @bytes_operands: @bytes_read
 *                 by what was read: commands; input of the MAC array; its
 *                 weights; and what DPU and PPU read, such as the bias
 * @job_ns:        nanoseconds in which jobs ran, from the first kick to the last
 *                 completion of each call; on the model the time it takes here
 */
struct scoria_device_stats {
	size_t size;
	uint64_t jobs;
	uint64_t tasks;
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t macs_issued;
	uint64_t macs_useful;
	uint64_t cycles;
	uint64_t words;
	uint64_t bytes_commands;
	uint64_t bytes_features;
	uint64_t bytes_weights;
	uint64_t bytes_operands;
	uint64_t job_ns;
};

/* Fill @stats, whose @size the caller sets. -EINVAL for a bad size. */
SCORIA_API int scoria_device_stats(struct scoria_device *dev, struct scoria_device_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
