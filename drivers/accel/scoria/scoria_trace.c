// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_core.h"
#include "scoria_job.h"
#include "scoria_program.h"

#define CREATE_TRACE_POINTS
#include "scoria_trace.h"
