// SPDX-License-Identifier: MIT
/* Devices by name, and what all kinds of device share. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "choices.h"
#include "error.h"
#include "limits.h"
#include "rk3588_npu.h"

static const struct device_ops *const kinds[] = {
	&device_model_ops,
	&device_accel_ops,
};

static const struct device_ops *find_kind(const char *name)
{
	size_t i;

	if (strchr(name, '/'))
		return &device_accel_ops;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	return NULL;
}

int scoria_device_open(const char *name, const struct scoria_device_opts *opts,
		       struct scoria_device **out)
{
	struct scoria_device_opts o = { .size = sizeof(o) };
	const struct device_ops *ops;
	int err = CHECK_POINTERS("device", { "dev", out });
	struct scoria_device *dev;

	if (err)
		return err;
	if (!name)
		name = device_accel_present() ? device_accel_ops.name : device_model_ops.name;
	ops = find_kind(name);
	if (!ops)
		return error_set(ENODEV, "device: there is no device named \"%s\", only \"%s\", "
				 "\"%s\" and paths", name, kinds[0]->name, kinds[1]->name);
	err = choices_check();
	if (!err && opts)
		err = opts_copy("device", &o, sizeof(o), sizeof(o.size), opts);
	if (!err && o.cores > NPU_MAX_CORES)
		err = error_set(EINVAL, "device: cores = %u: an RK3588 has %u", o.cores,
				NPU_MAX_CORES);
	if (!err && o.interface != SCORIA_INTERFACE_BEST && o.interface != SCORIA_INTERFACE_ROCKET)
		err = error_set(EINVAL, "device: interface = %d: not an interface", o.interface);
	if (err)
		return err;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return error_no_memory();
	dev->cores = 1;
	dev->ops = ops;
	dev->asked = name;
	pthread_mutex_init(&dev->lock, NULL);
	err = ops->open(dev, &o);
	if (err) {
		pthread_mutex_destroy(&dev->lock);
		free(dev);
		return err;
	}
	*out = dev;
	return 0;
}

void scoria_device_close(struct scoria_device *dev)
{
	if (!dev)
		return;
	dev->ops->close(dev);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
}

const char *scoria_device_name(const struct scoria_device *dev)
{
	return dev->ops->name;
}

int scoria_device_stats(struct scoria_device *dev, struct scoria_device_stats *stats)
{
	int err = CHECK_POINTERS("device", POINTER(dev));
	struct scoria_device_stats all = { 0 };

	if (err)
		return err;
	pthread_mutex_lock(&dev->lock);
	dev->ops->stats(dev, &all);
	all.job_ns = dev->job_ns;
	pthread_mutex_unlock(&dev->lock);
	return info_copy("device statistics", stats, sizeof(stats->size), &all, sizeof(all));
}

void device_facts(struct scoria_device *dev, struct device_facts *facts)
{
	*facts = (struct device_facts) { 0 };
	pthread_mutex_lock(&dev->lock);
	dev->ops->facts(dev, facts);
	pthread_mutex_unlock(&dev->lock);
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

uint32_t npu_job_done(const struct npu_job *job)
{
	return job->blocks & NPU_ENABLE_PPU ? NPU_PPU_DONE : NPU_DPU_DONE;
}

static int submit_and_wait(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	int err;

	pthread_mutex_lock(&dev->lock);
	dev->job_ns -= now_ns();
	err = dev->ops->submit(dev, jobs, n);
	dev->job_ns += now_ns();
	pthread_mutex_unlock(&dev->lock);
	return err;
}

int device_start(struct scoria_device *dev, const struct npu_job *jobs, size_t n,
		 struct device_run **run)
{
	int err;

	pthread_mutex_lock(&dev->lock);
	err = dev->ops->start(dev, jobs, n, run);
	pthread_mutex_unlock(&dev->lock);
	/* what was started before the failure has to end */
	if (err && *run) {
		char message[256];

		snprintf(message, sizeof(message), "%s", scoria_error());
		device_wait(dev, *run, INT64_MAX);
		return error_set(-err, "%s", message);
	}
	return err;
}

int device_wait(struct scoria_device *dev, struct device_run *run, int64_t deadline)
{
	int err = dev->ops->wait(dev, run, deadline);

	if (err == -EBUSY)
		return err;
	pthread_mutex_lock(&dev->lock);
	dev->ops->drop(dev, run);
	pthread_mutex_unlock(&dev->lock);
	return err;
}

int device_submit(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	const uint64_t start = now_ns();
	struct device_run *run = NULL;
	int err;

	if (!dev->ops->start)
		return submit_and_wait(dev, jobs, n);
	err = device_start(dev, jobs, n, &run);
	/* the driver ends every job, by its timeout if need be (faults H10) */
	if (!err)
		err = device_wait(dev, run, INT64_MAX);
	pthread_mutex_lock(&dev->lock);
	dev->job_ns += now_ns() - start;
	pthread_mutex_unlock(&dev->lock);
	return err;
}

void device_forget(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	size_t i;

	if (!dev->ops->forget)
		return;
	pthread_mutex_lock(&dev->lock);
	for (i = 0; i < n; i++)
		dev->ops->forget(dev, &jobs[i]);
	pthread_mutex_unlock(&dev->lock);
}
