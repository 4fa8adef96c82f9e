/* SPDX-License-Identifier: MIT */
/* Words in a picture, in capitals. */
#ifndef DEMO_LABEL_H
#define DEMO_LABEL_H

#include "picture.h"

#define LABEL_HEIGHT 14

/* Write @text in white, its left upper corner at (@x, @y). It must fit. */
void label_draw(struct picture *picture, size_t x, size_t y, const char *text);

#endif
