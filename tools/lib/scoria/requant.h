/* SPDX-License-Identifier: MIT */
/* Multipliers of requantised results. */
#ifndef SCORIA_REQUANT_H
#define SCORIA_REQUANT_H

#include <stdbool.h>

#include <scoria/conv2d.h>

/* -EINVAL, with @what in the message, for scales that no multiplier stands for. */
int requant_check(const char *what, double scale, const double *scales, size_t n);

/*
 * The multipliers of @n channels, from @scales or, if that is NULL, from @scale. False
 * when the hardware's one shift would move results by more than 1/2, and the channels
 * have shifts of their own.
 */
bool requant_channels(double scale, const double *scales, size_t n,
		      struct scoria_requant *channels);

/* The same in new memory, NULL when there is none. */
struct scoria_requant *requant_create(double scale, const double *scales, size_t n,
				      bool *one_shift);

/* The upper limit of a ReLU as the hardware compares with it: fp32 or an integer. */
uint32_t relu_pattern(bool is_float, double relu_max);

/* The same for the CPU: infinity where there is none. */
double relu_limit(bool is_float, double relu_max);

#endif
