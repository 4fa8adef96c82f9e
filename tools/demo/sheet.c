// SPDX-License-Identifier: MIT
#include "sheet.h"

#include <stdio.h>
#include <string.h>

#include "label.h"

#define GAP	10	/* between panels */
#define TITLE	(LABEL_HEIGHT + GAP)
#define COLUMNS	4
#define GREY	0x28

#define STRING_(x)	#x
#define STRING(x)	STRING_(x)

static void place(struct picture *sheet, const struct picture *panel, size_t column, size_t row,
		  const char *filter, const char *title)
{
	size_t x = GAP + column * (panel->width + GAP);
	size_t y = GAP + row * (panel->height + TITLE + GAP);
	char text[64];

	snprintf(text, sizeof(text), "%s %s", title, filter);
	/* narrow photographs have no room for words */
	if (panel->width >= 300)
		label_draw(sheet, x, y, text);
	picture_paste(sheet, panel, x, y + TITLE);
}

bool sheet_create(struct picture *sheet, const struct picture *photo,
		  const struct filtered filtered[N_FILTERS])
{
	size_t i;

	if (!picture_create(sheet, COLUMNS * (photo->width + GAP) + GAP,
			    N_FILTERS * (photo->height + TITLE + GAP) + GAP))
		return false;
	memset(sheet->rgb, GREY, sheet->width * sheet->height * 3);
	for (i = 0; i < N_FILTERS; i++) {
		place(sheet, photo, 0, i, "", "photo");
		place(sheet, &filtered[i].npu, 1, i, filters[i].name, "NPU");
		place(sheet, &filtered[i].cpu, 2, i, filters[i].name, "CPU");
		place(sheet, &filtered[i].difference, 3, i, "",
		      "difference x " STRING(DIFFERENCE_GAIN));
	}
	return true;
}
