/* SPDX-License-Identifier: MIT */
/* One picture of all: a row per filter, the photograph and what came of it. */
#ifndef DEMO_SHEET_H
#define DEMO_SHEET_H

#include "filter.h"

/* False when out of memory. */
bool sheet_create(struct picture *sheet, const struct picture *photo,
		  const struct filtered filtered[N_FILTERS]);

#endif
