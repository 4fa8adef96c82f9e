// SPDX-License-Identifier: MIT
/* Through libpng's simplified interface, which turns every kind of PNG into RGB. */
#include "picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A photograph of 64 megapixels takes the model minutes; more is a mistake. */
#define MAX_PIXELS (64u << 20)

bool picture_create(struct picture *picture, size_t width, size_t height)
{
	picture->width = width;
	picture->height = height;
	picture->rgb = calloc(width * height, 3);
	return picture->rgb;
}

void picture_free(struct picture *picture)
{
	free(picture->rgb);
	picture->rgb = NULL;
}

static bool cannot(const char *verb, const char *path, const char *why)
{
	fprintf(stderr, "demo: cannot %s %s: %s\n", verb, path, why);
	return false;
}

static bool read_pixels(png_image *png, struct picture *picture, const char *path)
{
	static const png_color white = { 255, 255, 255 };	/* behind transparent pixels */

	if ((uint64_t)png->width * png->height > MAX_PIXELS)
		return cannot("use", path, "it has more than 64 megapixels");
	if (!picture_create(picture, png->width, png->height))
		return cannot("read", path, "out of memory");
	png->format = PNG_FORMAT_RGB;
	if (png_image_finish_read(png, &white, picture->rgb, 0, NULL))
		return true;
	picture_free(picture);
	return cannot("read", path, png->message);
}

bool picture_read(struct picture *picture, const char *path)
{
	png_image png = { .version = PNG_IMAGE_VERSION };
	bool ok;

	if (!png_image_begin_read_from_file(&png, path))
		return cannot("read", path, png.message);
	ok = read_pixels(&png, picture, path);
	png_image_free(&png);
	return ok;
}

bool picture_write(const struct picture *picture, const char *path)
{
	png_image png = { .version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB,
			  .width = picture->width, .height = picture->height };

	if (png_image_write_to_file(&png, path, 0, picture->rgb, 0, NULL))
		return true;
	return cannot("write", path, png.message);
}

void picture_paste(struct picture *to, const struct picture *from, size_t x, size_t y)
{
	size_t row;

	for (row = 0; row < from->height; row++)
		memcpy(picture_at(to, x, y + row), picture_at(from, 0, row), from->width * 3);
}
