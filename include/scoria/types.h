/* SPDX-License-Identifier: MIT */
/* Element types and the error convention of libscoria. */
#ifndef SCORIA_TYPES_H
#define SCORIA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCORIA_API __attribute__((visibility("default")))

/*
 * Elements are in the byte order of the host; fp16 is IEEE binary16, bf16 the upper
 * half of an fp32. A tf32 is an fp32 whose 13 lowest bits do not count: the hardware
 * cuts them off (programming-model C3). An int4 takes a byte, of which the lower
 * four bits count, as a signed number.
 */
enum scoria_type {
	SCORIA_FP16 = 1,
	SCORIA_FP32 = 2,
	SCORIA_INT8 = 3,
	SCORIA_UINT8 = 4,
	SCORIA_INT32 = 5,
	SCORIA_BF16 = 6,
	SCORIA_TF32 = 7,
	SCORIA_INT4 = 8,
	SCORIA_INT16 = 9,
	SCORIA_INT64 = 10,
};

/* Bytes of an element, 0 for what is not a type. */
SCORIA_API size_t scoria_type_size(enum scoria_type type);

/* "fp16" and so on, "?" for what is not a type. The string is static. */
SCORIA_API const char *scoria_type_name(enum scoria_type type);

/*
 * The reason of the last failure in this thread, one line without newline.
 * Valid until the next call into the library from this thread. Never NULL.
 */
SCORIA_API const char *scoria_error(void);

/**
 * struct scoria_plan_info - what a plan will do, for one run
 * @size:         sizeof(struct scoria_plan_info)
 * @tasks:        NPU tasks
 * @jobs:         kicks of the NPU, each a chain of up to 4095 tasks
 * @runs:         times that buffers are packed, run and unpacked
 * @splits:       partial results that the CPU adds, 1 when there is nothing to add
 * @input_bytes:  NPU memory for packed input
 * @weight_bytes: NPU memory for packed weights
 * @output_bytes: NPU memory for results
 * @lowered:      not 0 when the convolution runs as a matrix product over
 *                gathered input, because the hardware has no such window
 */
struct scoria_plan_info {
	size_t size;
	uint64_t tasks;
	uint64_t jobs;
	uint64_t runs;
	uint64_t splits;
	uint64_t input_bytes;
	uint64_t weight_bytes;
	uint64_t output_bytes;
	uint64_t lowered;
};

#ifdef __cplusplus
}
#endif

#endif
