// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: binds cores, registers the DRM device with the first and takes it
 * away with the last, and has the table of ioctls.
 */
#include "scoria_drv.h"

#include <linux/compat.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/uaccess.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_print.h>
#include <drm/scoria_accel.h>

#include "scoria_as.h"
#include "scoria_compat.h"
#include "scoria_debugfs.h"
#include "scoria_device.h"
#include "scoria_gem.h"
#include "scoria_limits.h"
#include "scoria_native.h"
#include "scoria_queue.h"
#include "scoria_reset.h"
#include "scoria_rocket.h"

#define CORE_COMPATIBLE		"rockchip,rk3588-rknn-core"

/**
 * struct scoria_driver - the driver of the cores, and what they come together in
 */
struct scoria_driver {
	/** @base: the platform driver. */
	struct platform_driver base;
	/** @parent: under the DRM device; there while the module is. */
	struct platform_device *parent;
	/** @lock: covers all below; held while a core comes or goes. */
	struct mutex lock;
	/** @sdev: the device, NULL while there is no core. */
	struct scoria_device *sdev;
	/** @n_cores: cores that are bound. */
	unsigned int n_cores;
};

static struct scoria_driver *driver_of(struct platform_device *pdev)
{
	return container_of(to_platform_driver(pdev->dev.driver), struct scoria_driver, base);
}

/* Jobs that exist, of any device: their code must not go before they do. */
static atomic_t job_count = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(no_jobs);
static struct workqueue_struct *cleanup_wq;

struct workqueue_struct *scoria_cleanup_wq(void)
{
	return cleanup_wq;
}

void scoria_job_count_inc(void)
{
	atomic_inc(&job_count);
}

void scoria_job_count_dec(void)
{
	if (atomic_dec_and_test(&job_count))
		wake_up_all(&no_jobs);
}

static int open_file(struct scoria_device *sdev, struct scoria_file *sfile)
{
	/* never banned: users of rocket's ioctls have no other queue to go to */
	static const struct scoria_queue_args args = {
		.priority = SCORIA_PRIORITY_NORMAL,
		.core_mask = SCORIA_ALL_CORES,
	};

	sfile->sdev = sdev;
	sfile->as = scoria_as_create(sdev);
	if (IS_ERR(sfile->as))
		return PTR_ERR(sfile->as);
	sfile->queue = scoria_queue_create(sdev, &args);
	if (IS_ERR(sfile->queue)) {
		scoria_as_put(sfile->as);
		return PTR_ERR(sfile->queue);
	}
	scoria_ids_init(&sfile->programs, SCORIA_MAX_PROGRAMS);
	scoria_ids_init(&sfile->queues, SCORIA_MAX_QUEUES);
	scoria_recent_init(&sfile->recent);
	return 0;
}

static int scoria_open(struct drm_device *drm, struct drm_file *file)
{
	struct scoria_file *sfile = kzalloc(sizeof(*sfile), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!sfile)
		return -ENOMEM;
	ret = open_file(to_scoria_device(drm), sfile);
	if (ret) {
		kfree(sfile);
		return ret;
	}
	file->driver_priv = sfile;
	return 0;
}

static void scoria_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct scoria_file *sfile = file->driver_priv;

	scoria_native_close(sfile);
	scoria_recent_fini(&sfile->recent);
	scoria_as_close(sfile->as);
	kfree(sfile);
}

static void scoria_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct scoria_file *sfile = file->driver_priv;

	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		if (READ_ONCE(sfile->sdev->cores[i].present))
			drm_printf(p, "drm-engine-npu%u:\t%lld ns\n", i,
				   atomic64_read(&sfile->as->busy_ns[i]));
	drm_show_memory_stats(p, file);
}

static const struct drm_ioctl_desc scoria_ioctls[] = {
	DRM_IOCTL_DEF_DRV(SCORIA_ROCKET_CREATE_BO, scoria_rocket_create_bo, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_ROCKET_SUBMIT, scoria_rocket_submit, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_ROCKET_PREP_BO, scoria_rocket_prep_bo, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_ROCKET_FINI_BO, scoria_rocket_fini_bo, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_QUERY, scoria_native_query, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_BO_CREATE, scoria_native_bo_create, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_BO_SYNC, scoria_native_bo_sync, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_BO_WAIT, scoria_native_bo_wait, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_PROGRAM_CREATE, scoria_native_program_create, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_PROGRAM_DESTROY, scoria_native_program_destroy, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_QUEUE_CREATE, scoria_native_queue_create, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_QUEUE_DESTROY, scoria_native_queue_destroy, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_SUBMIT, scoria_native_submit, 0),
	DRM_IOCTL_DEF_DRV(SCORIA_BO_INFO, scoria_native_bo_info, 0),
};

/* Bytes of the argument that the driver knows; 0 for ioctls that are not ours. */
static size_t known_size(unsigned int cmd)
{
	unsigned int nr = DRM_IOCTL_NR(cmd) - DRM_COMMAND_BASE;

	if (nr >= ARRAY_SIZE(scoria_ioctls))
		return 0;
	return _IOC_SIZE(scoria_ioctls[array_index_nospec(nr, ARRAY_SIZE(scoria_ioctls))].cmd);
}

/*
 * DRM takes a longer argument than ours and drops the rest. A caller that sets
 * something there wants what we do not have, and is told.
 */
static int check_tail(unsigned int cmd, const void __user *arg)
{
	size_t size = _IOC_SIZE(cmd);
	size_t known = known_size(cmd);
	int ret;

	if (!known || size <= known || !(cmd & IOC_IN))
		return 0;
	ret = check_zeroed_user(arg + known, size - known);
	if (ret < 0)
		return ret;
	return ret ? 0 : -E2BIG;
}

/*
 * Of DRM's own ioctls accel nodes need what render nodes may do. DRM does not keep
 * the others from them, and GET_MAGIC and GET_UNIQUE follow a pointer to the master
 * that files of accel nodes have not.
 */
static bool is_permitted(unsigned int nr)
{
	switch (nr) {
	case DRM_IOCTL_NR(DRM_IOCTL_VERSION):
	case DRM_IOCTL_NR(DRM_IOCTL_GET_CAP):
	case DRM_IOCTL_NR(DRM_IOCTL_GEM_CLOSE):
	case DRM_IOCTL_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
	case DRM_IOCTL_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_CREATE):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_WAIT):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_QUERY):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
	case DRM_IOCTL_NR(DRM_IOCTL_SYNCOBJ_EVENTFD):
#ifdef DRM_IOCTL_SET_CLIENT_NAME
	case DRM_IOCTL_NR(DRM_IOCTL_SET_CLIENT_NAME):
#endif
		return true;
	default:
		return nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END;
	}
}

static int check_ioctl(unsigned int cmd, const void __user *arg)
{
	return is_permitted(DRM_IOCTL_NR(cmd)) ? check_tail(cmd, arg) : -EACCES;
}

static long scoria_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	int ret = check_ioctl(cmd, (const void __user *)arg);

	return ret ? ret : drm_ioctl(filp, cmd, arg);
}

#ifdef CONFIG_COMPAT
static long scoria_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	int ret = check_ioctl(cmd, compat_ptr(arg));

	return ret ? ret : drm_compat_ioctl(filp, cmd, arg);
}
#endif

/*
 * DRM closes the buffers one by one, and for each what is remembered would be looked
 * through: with tens of thousands of both that takes longer than a CPU may be held.
 */
static int scoria_release(struct inode *inode, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct scoria_file *sfile = file->driver_priv;

	scoria_recent_clear(&sfile->recent);
	return drm_release(inode, filp);
}

static const struct file_operations scoria_fops = {
	.owner = THIS_MODULE,
	.open = accel_open,
	.release = scoria_release,
	.unlocked_ioctl = scoria_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = scoria_compat_ioctl,
#endif
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = drm_gem_mmap,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/*
 * The name is that of the UAPI that the first ioctls are (include/uapi/drm/
 * scoria_accel.h); the version is that of this UAPI too:
 * 1.0 - structs may grow
 * 1.1 - flags of jobs
 */
const struct drm_driver scoria_drm_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_GEM | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = scoria_open,
	.postclose = scoria_postclose,
	.show_fdinfo = scoria_show_fdinfo,
	.gem_create_object = scoria_gem_create_object,
	.gem_prime_import_sg_table = drm_gem_shmem_prime_import_sg_table,
	.ioctls = scoria_ioctls,
	.num_ioctls = ARRAY_SIZE(scoria_ioctls),
	.fops = &scoria_fops,
	.name = "rocket",
	.desc = "scoria: NPU of the Rockchip RK3588",
	SCORIA_DRIVER_DATE
	.major = 1,
	.minor = 1,
};

static u64 core_address(struct device_node *node)
{
	struct resource res;

	return of_address_to_resource(node, 0, &res) ? 0 : res.start;
}

/* Nodes can be in any order, those of disabled cores included; addresses tell. */
static int core_number(struct device_node *node)
{
	struct device_node *other;
	int number = 0;

	for_each_compatible_node(other, NULL, CORE_COMPATIBLE)
		number += core_address(other) < core_address(node);
	return number < SCORIA_MAX_CORES ? number : -EINVAL;
}

static struct scoria_device *get_device_locked(struct scoria_driver *driver)
{
	struct scoria_device *sdev;

	if (!driver->sdev) {
		sdev = scoria_device_create(&driver->parent->dev);
		if (IS_ERR(sdev))
			return sdev;
		driver->sdev = sdev;
	}
	return driver->sdev;
}

static void put_device_locked(struct scoria_driver *driver)
{
	if (driver->n_cores || !driver->sdev)
		return;
	scoria_device_destroy(driver->sdev);
	driver->sdev = NULL;
}

static int register_locked(struct scoria_driver *driver, struct scoria_device *sdev)
{
	int ret;

	if (driver->n_cores)
		return 0;
	scoria_debugfs_init(sdev);
	ret = drm_dev_register(&sdev->drm, 0);
	if (ret)
		drm_err(&sdev->drm, "failed to register: %d\n", ret);
	return ret;
}

static int add_core(struct scoria_driver *driver, struct platform_device *pdev, int number)
{
	struct scoria_device *sdev = get_device_locked(driver);
	int ret;

	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	ret = scoria_core_probe(&sdev->cores[number], pdev);
	if (ret)
		return ret;
	ret = register_locked(driver, sdev);
	if (ret) {
		scoria_core_remove(&sdev->cores[number]);
		return ret;
	}
	driver->n_cores++;
	dev_info(&pdev->dev, "NPU core %d is ready\n", number);
	return 0;
}

static int scoria_probe(struct platform_device *pdev)
{
	struct scoria_driver *driver = driver_of(pdev);
	int number = core_number(pdev->dev.of_node);
	int ret;

	if (number < 0)
		return number;
	guard(mutex)(&driver->lock);
	ret = add_core(driver, pdev, number);
	if (ret)
		put_device_locked(driver);
	return ret;
}

static void scoria_remove(struct platform_device *pdev)
{
	struct scoria_driver *driver = driver_of(pdev);
	struct scoria_core *core = platform_get_drvdata(pdev);

	guard(mutex)(&driver->lock);
	if (!--driver->n_cores)
		drm_dev_unplug(&core->sdev->drm);
	scoria_core_remove(core);
	put_device_locked(driver);
}

/*
 * The IOMMU is shut down next. What the core did without it would go to any memory, of
 * the kernel that comes after a kexec as well.
 */
static void scoria_shutdown(struct platform_device *pdev)
{
	guard(mutex)(&driver_of(pdev)->lock);
	scoria_reset_retire(platform_get_drvdata(pdev));
}

static const struct dev_pm_ops scoria_pm_ops = {
	RUNTIME_PM_OPS(scoria_core_runtime_suspend, scoria_core_runtime_resume, NULL)
	SYSTEM_SLEEP_PM_OPS(scoria_core_suspend, scoria_core_resume)
};

static const struct of_device_id scoria_of_match[] = {
	{ .compatible = CORE_COMPATIBLE },
	{}
};
MODULE_DEVICE_TABLE(of, scoria_of_match);

static struct scoria_driver scoria_driver = {
	.base = {
		.probe = scoria_probe,
		.remove = scoria_remove,
		.shutdown = scoria_shutdown,
		.driver = {
			.name = "scoria",
			.pm = pm_ptr(&scoria_pm_ops),
			.of_match_table = scoria_of_match,
		},
	},
};

/* A core that rocket has is not offered to us, and nobody would know why. */
static void report_other_drivers(void)
{
	struct device_node *node;

	for_each_compatible_node(node, NULL, CORE_COMPATIBLE) {
		struct platform_device *pdev = of_find_device_by_node(node);

		if (!pdev)
			continue;
		device_lock(&pdev->dev);
		if (pdev->dev.driver && pdev->dev.driver != &scoria_driver.base.driver)
			dev_warn(&pdev->dev,
				 "bound to %s: unbind it there (echo %s > /sys/bus/platform/drivers/%s/unbind), then bind it to scoria\n",
				 pdev->dev.driver->name, dev_name(&pdev->dev),
				 pdev->dev.driver->name);
		device_unlock(&pdev->dev);
		put_device(&pdev->dev);
	}
}

static struct platform_device *create_parent(void)
{
	/* not the driver's name, which would match */
	const struct platform_device_info info = {
		.name = "scoria-accel",
		.id = PLATFORM_DEVID_NONE,
		.dma_mask = DMA_BIT_MASK(40),
	};
	struct platform_device *parent = platform_device_register_full(&info);

	if (!IS_ERR(parent))
		dma_set_max_seg_size(&parent->dev, UINT_MAX);
	return parent;
}

static int __init scoria_init(void)
{
	int ret;

	mutex_init(&scoria_driver.lock);
	/* no buffer may be unmapped while the IOMMU's driver sleeps: it says whether to zap */
	cleanup_wq = alloc_workqueue("scoria-cleanup", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!cleanup_wq)
		return -ENOMEM;
	scoria_driver.parent = create_parent();
	if (IS_ERR(scoria_driver.parent)) {
		ret = PTR_ERR(scoria_driver.parent);
		goto err_wq;
	}
	ret = platform_driver_register(&scoria_driver.base);
	if (ret)
		goto err_parent;
	report_other_drivers();
	return 0;

err_parent:
	platform_device_unregister(scoria_driver.parent);
err_wq:
	destroy_workqueue(cleanup_wq);
	return ret;
}

static void __exit scoria_exit(void)
{
	platform_driver_unregister(&scoria_driver.base);
	wait_event(no_jobs, !atomic_read(&job_count));
	destroy_workqueue(cleanup_wq);
	platform_device_unregister(scoria_driver.parent);
}

module_init(scoria_init);
module_exit(scoria_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("NPU of the Rockchip RK3588");
MODULE_AUTHOR("The scoria project");
