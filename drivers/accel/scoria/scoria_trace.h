/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM scoria

#if !defined(SCORIA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SCORIA_TRACE_H

#include <linux/tracepoint.h>

#include "scoria_core.h"
#include "scoria_job.h"

TRACE_EVENT(scoria_submit,
	    TP_PROTO(const struct scoria_job *job),
	    TP_ARGS(job),
	    TP_STRUCT__entry(__field(const void *, job)
			     __field(u32, core)
			     __field(u32, tasks)),
	    TP_fast_assign(__entry->job = job;
			   __entry->core = job->core->index;
			   __entry->tasks = job->n_tasks;),
	    TP_printk("npu%u job=%p tasks=%u", __entry->core, __entry->job, __entry->tasks)
);

TRACE_EVENT(scoria_kick,
	    TP_PROTO(const struct scoria_core *core, const struct scoria_job *job),
	    TP_ARGS(core, job),
	    TP_STRUCT__entry(__field(const void *, job)
			     __field(u32, core)
			     __field(u32, tasks)
			     __field(u32, iova)),
	    TP_fast_assign(__entry->job = job;
			   __entry->core = core->index;
			   __entry->tasks = job->kick.n_tasks;
			   __entry->iova = job->kick.iova;),
	    TP_printk("npu%u job=%p tasks=%u iova=%#x",
		      __entry->core, __entry->job, __entry->tasks, __entry->iova)
);

TRACE_EVENT(scoria_irq,
	    TP_PROTO(const struct scoria_core *core, u32 status),
	    TP_ARGS(core, status),
	    TP_STRUCT__entry(__field(u32, core)
			     __field(u32, status)),
	    TP_fast_assign(__entry->core = core->index;
			   __entry->status = status;),
	    TP_printk("npu%u status=%#x", __entry->core, __entry->status)
);

DECLARE_EVENT_CLASS(scoria_job_error,
		    TP_PROTO(const struct scoria_core *core, const struct scoria_job *job,
			     int error),
		    TP_ARGS(core, job, error),
		    TP_STRUCT__entry(__field(const void *, job)
				     __field(u32, core)
				     __field(int, error)),
		    TP_fast_assign(__entry->job = job;
				   __entry->core = core->index;
				   __entry->error = error;),
		    TP_printk("npu%u job=%p error=%d",
			      __entry->core, __entry->job, __entry->error)
);

DEFINE_EVENT(scoria_job_error, scoria_done,
	     TP_PROTO(const struct scoria_core *core, const struct scoria_job *job,
		      int error),
	     TP_ARGS(core, job, error)
);

DEFINE_EVENT(scoria_job_error, scoria_reset,
	     TP_PROTO(const struct scoria_core *core, const struct scoria_job *job,
		      int error),
	     TP_ARGS(core, job, error)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE scoria_trace
#include <trace/define_trace.h>
