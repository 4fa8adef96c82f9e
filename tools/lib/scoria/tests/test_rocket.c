// SPDX-License-Identifier: MIT
/* The library on drivers that speak rocket's interface, which an ioctl() of this file plays. */
#include <drm/scoria_accel.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

#define IN_TREE	"rockchip rocket NPU"
#define SCORIA	"scoria: NPU of the Rockchip RK3588"

/* All that a node of the driver has: a file for its memory. */
static char node[] = "/tmp/scoria-rocket-XXXXXX";
static const char *description;
static uint64_t memory;
static uint32_t handles;
static unsigned int jobs, tasks;

static int tell_version(struct drm_version *version)
{
	snprintf(version->name, version->name_len + 1, "rocket");
	if (version->desc)
		snprintf(version->desc, version->desc_len + 1, "%s", description);
	version->version_major = 1;
	return 0;
}

static int create(struct drm_scoria_rocket_create_bo *args)
{
	args->handle = ++handles;
	args->dma_address = memory;
	args->offset = memory;
	memory += (args->size + 0xfffu) & ~0xfffull;
	return truncate(node, (off_t)memory);
}

static int submit(const struct drm_scoria_rocket_submit *args)
{
	const struct drm_scoria_rocket_job *list = (void *)(uintptr_t)args->jobs;

	jobs += args->job_count;
	tasks += list->task_count;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	(void)fd;
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case DRM_IOCTL_VERSION:
		return tell_version(arg);
	case DRM_IOCTL_SCORIA_ROCKET_CREATE_BO:
		return create(arg);
	case DRM_IOCTL_SCORIA_ROCKET_SUBMIT:
		return submit(arg);
	case DRM_IOCTL_SCORIA_ROCKET_PREP_BO:
	case DRM_IOCTL_SCORIA_ROCKET_FINI_BO:
	case DRM_IOCTL_GEM_CLOSE:
		return 0;
	default:
		errno = ENOTTY;
		return -1;
	}
}

static struct scoria_device *open_driver(const char *of)
{
	struct scoria_device *dev = NULL;
	int fd;

	snprintf(node, sizeof(node), "/tmp/scoria-rocket-XXXXXX");
	fd = mkstemp(node);
	description = of;
	/* as the in-tree driver: addresses from 0 on */
	memory = 0;
	handles = 0;
	jobs = 0;
	tasks = 0;
	EXPECT_EQ(0, scoria_device_open(node, NULL, &dev));
	close(fd);
	return dev;
}

static void close_driver(struct scoria_device *dev)
{
	scoria_device_close(dev);
	unlink(node);
}

static const struct scoria_pool_opts pool = {
	.size = sizeof(pool), .type = SCORIA_FP16, .method = SCORIA_POOL_MAX, .batch = 1, .c = 8,
	.h = 8, .w = 8, .kh = 2, .kw = 2,
};

/* Fault H6: its wait would be one for the timeout, and return 0. */
TEST(pooling_is_refused_where_the_driver_does_not_wait_for_the_ppu)
{
	struct scoria_device *dev = open_driver(IN_TREE);
	struct scoria_pool_plan *plan = NULL;

	EXPECT_EQ(-EOPNOTSUPP, scoria_pool_plan_create(dev, &pool, &plan));
	EXPECT_STR("in-tree driver", scoria_error());
	EXPECT(!plan);
	EXPECT_EQ(0, handles);
	EXPECT_EQ(0, jobs);
	close_driver(dev);
}

TEST(scorias_driver_pools_through_the_same_interface)
{
	static uint16_t image[8 * 8 * 8];
	struct scoria_device *dev = open_driver(SCORIA);

	EXPECT_EQ(0, scoria_pool(dev, &pool, image, image));
	EXPECT_EQ(1, jobs);
	EXPECT_EQ(1, tasks);
	close_driver(dev);
}

/* Averages of large windows are contractions. */
TEST(all_that_does_without_the_ppu_runs_on_the_in_tree_driver)
{
	static uint16_t image[8 * 40 * 40];
	const struct scoria_softmax_opts softmax = { .size = sizeof(softmax), .type = SCORIA_FP16,
						     .rows = 3, .columns = 40 };
	const struct scoria_attention_opts attention = { .size = sizeof(attention), .queries = 4,
							 .keys = 5, .type = SCORIA_FP16,
							 .dim = 6, .causal = 1 };
	struct scoria_device *dev = open_driver(IN_TREE);
	struct scoria_pool_opts average = pool;

	average.method = SCORIA_POOL_AVERAGE;
	average.h = average.w = average.kh = average.kw = 40;
	EXPECT_EQ(0, scoria_pool(dev, &average, image, image));
	EXPECT_EQ(0, scoria_softmax(dev, &softmax, image, image));
	EXPECT_EQ(0, scoria_attention(dev, &attention, image, image, image, NULL, image));
	EXPECT(jobs);
	close_driver(dev);
}

TEST_MAIN()
