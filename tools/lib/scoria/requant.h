/* SPDX-License-Identifier: MIT */
/* Multipliers of requantised results. */
#ifndef SCORIA_REQUANT_H
#define SCORIA_REQUANT_H

#include <stdbool.h>

#include <scoria/conv2d.h>

/**
 * struct requant_scales - the real multipliers of @n channels
 * @scale:   of all, unless there are @scales
 * @factor:  they count times this
 */
struct requant_scales {
	double scale;
	const double *scales;
	size_t n;
	double factor;
};

/* -EINVAL, with @what in the message, for scales that no multiplier stands for. */
int requant_check(const char *what, const struct requant_scales *scales);

/*
 * The multipliers as the hardware has them. False when its one shift would move results
 * by more than 1/2, and the channels have shifts of their own.
 */
bool requant_channels(const struct requant_scales *scales, struct scoria_requant *channels);

/* The same in new memory, NULL when there is none. */
struct scoria_requant *requant_create(const struct requant_scales *scales, bool *one_shift);

/* The upper limit of a ReLU as the hardware compares with it: fp32 or an integer. */
uint32_t relu_pattern(bool is_float, double relu_max);

/* The same for the CPU: infinity where there is none. */
double relu_limit(bool is_float, double relu_max);

#endif
