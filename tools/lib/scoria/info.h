/* SPDX-License-Identifier: MIT */
/* What an operation costs that is put together from others. */
#ifndef SCORIA_INFO_H
#define SCORIA_INFO_H

#include <scoria/types.h>

/* A part that is run @times times, with memory of its own, is added to @all: most splits count. */
static inline void info_add(struct scoria_plan_info *all, const struct scoria_plan_info *part,
			    uint64_t times)
{
	all->tasks += part->tasks * times;
	all->jobs += part->jobs * times;
	all->runs += part->runs * times;
	if (all->splits < part->splits)
		all->splits = part->splits;
	all->input_bytes += part->input_bytes;
	all->weight_bytes += part->weight_bytes;
	all->output_bytes += part->output_bytes;
}

#endif
