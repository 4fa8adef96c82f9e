/* SPDX-License-Identifier: MIT */
/* Constants more precise than one multiplier holds. */
#ifndef SCORIA_SPLIT_H
#define SCORIA_SPLIT_H

/*
 * Two fp16 numbers whose product is @factor, positive, to about 2^-21 of it: the
 * multipliers of BS and BN, between which the DPU keeps fp32.
 */
void split_factor(double factor, double *first, double *second);

#endif
