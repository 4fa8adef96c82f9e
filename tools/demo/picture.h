/* SPDX-License-Identifier: MIT */
/* Pictures: RGB, 8 bits a channel, read from and written to PNG files. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @rgb: rows from the top, 3 bytes a pixel */
struct picture {
	size_t width;
	size_t height;
	uint8_t *rgb;
};

/* All black. False when out of memory. */
bool picture_create(struct picture *picture, size_t width, size_t height);
void picture_free(struct picture *picture);

/* These say on stderr what is wrong when they return false. */
bool picture_read(struct picture *picture, const char *path);
bool picture_write(const struct picture *picture, const char *path);

/* Copy @from into @to, its left upper corner at (@x, @y). It must fit. */
void picture_paste(struct picture *to, const struct picture *from, size_t x, size_t y);

static inline uint8_t *picture_at(const struct picture *picture, size_t x, size_t y)
{
	return picture->rgb + (y * picture->width + x) * 3;
}

#endif
