// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rate of the clock that the cores share follows their load, where the device
 * tree has operating points.
 *
 * There is one clock and so one devfreq device, under the device of a core that
 * leads; another takes over when that one is unbound.
 *
 * The firmware hangs when the clock is set while the power domain is off, but limits
 * in sysfs can change at any time: between suspend and resume a rate is only
 * noted. Locks, in this order: that of the device's clock, which orders suspend
 * and resume and cannot be taken here; devfreq's own; and @lock.
 */
#include "scoria_devfreq.h"

#include <linux/clk.h>
#include <linux/devfreq.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/pm_opp.h>
#include <linux/property.h>
#include <linux/regulator/consumer.h>
#include <linux/suspend.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_job.h"

/* The first job after a pause runs no longer than this at the lowest rate. */
#define POLL_MS			20

/*
 * Who uses an NPU waits for it: one that is busy half of the time makes its user
 * wait half of the time. These are what drivers of GPUs have for the same reason.
 */
#define UP_THRESHOLD		45
#define DOWN_DIFFERENTIAL	5

/**
 * struct scoria_devfreq - scaling of the shared clock
 */
struct scoria_devfreq {
	/** @sdev: the device. */
	struct scoria_device *sdev;
	/** @lead: core whose device the clock is set through; NULL for none. */
	struct scoria_core *lead;
	/** @group: devres of @lead that goes with it. */
	void *group;
	/** @devfreq: valid with @lead. */
	struct devfreq *devfreq;
	/** @profile: of @devfreq. */
	struct devfreq_dev_profile profile;
	/** @ondemand: of its governor. */
	struct devfreq_simple_ondemand_data ondemand;
	/** @polled: when load was asked for last; under devfreq's lock, as @busy_ns. */
	ktime_t polled;
	/** @busy_ns: what each core had worked by then. */
	u64 busy_ns[SCORIA_MAX_CORES];
	/** @sleep: called before the system goes to sleep, and afterwards. */
	struct notifier_block sleep;
	/** @asleep: in between; under the lock of the device's clock. */
	bool asleep;

	/** @lock: covers all below and setting the clock. */
	struct mutex lock;
	/** @powered: the clock may be set. */
	bool powered;
	/** @rate: what the governor wants. */
	unsigned long rate;
};

/* Failing is no reason to stop: the NPU runs at whatever clock it has. */
static int set_rate_locked(struct scoria_devfreq *df, struct device *dev, unsigned long rate)
{
	int ret = dev_pm_opp_set_rate(dev, rate);

	if (ret)
		drm_warn_once(&df->sdev->drm, "failed to set the clock to %lu Hz: %d\n", rate, ret);
	return ret;
}

/* What comes of it need not be @rate: firmware has rates of its own. */
static int run_at_locked(struct scoria_devfreq *df, struct device *dev, unsigned long rate)
{
	struct scoria_core *core = dev_get_drvdata(dev);
	int ret = set_rate_locked(df, dev, rate);

	if (!ret)
		WRITE_ONCE(df->sdev->clock.rate,
			   clk_get_rate(core->clks[SCORIA_CLOCK_NPU].clk));
	return ret;
}

static struct scoria_devfreq *devfreq_of(struct device *dev)
{
	struct scoria_core *core = dev_get_drvdata(dev);

	return core->sdev->devfreq;
}

static int set_target(struct device *dev, unsigned long *rate, u32 flags)
{
	struct scoria_devfreq *df = devfreq_of(dev);
	struct dev_pm_opp *opp = devfreq_recommended_opp(dev, rate, flags);

	if (IS_ERR(opp))
		return PTR_ERR(opp);
	dev_pm_opp_put(opp);
	guard(mutex)(&df->lock);
	df->rate = *rate;
	return df->powered ? run_at_locked(df, dev, *rate) : 0;
}

/* Up to @now, the job that runs included: one job can be longer than many polls. */
static u64 busy_ns(struct scoria_core *core, ktime_t now)
{
	s64 running = 0;

	guard(spinlock_irqsave)(&core->lock);
	if (core->running)
		running = ktime_to_ns(ktime_sub(now, core->running->start));
	return core->stats.busy_ns + max(running, 0ll);
}

/* The load is that of the busiest core: the clock of the others cannot be another. */
static int get_status(struct device *dev, struct devfreq_dev_status *status)
{
	struct scoria_devfreq *df = devfreq_of(dev);
	ktime_t now = ktime_get();

	status->current_frequency = READ_ONCE(df->sdev->clock.rate);
	status->total_time = ktime_to_ns(ktime_sub(now, df->polled));
	status->busy_time = 0;
	df->polled = now;
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++) {
		u64 before = df->busy_ns[i];

		df->busy_ns[i] = busy_ns(&df->sdev->cores[i], now);
		status->busy_time = max_t(unsigned long, status->busy_time,
					  df->busy_ns[i] - before);
	}
	return 0;
}

static int get_rate(struct device *dev, unsigned long *rate)
{
	*rate = READ_ONCE(devfreq_of(dev)->sdev->clock.rate);
	return 0;
}

/* The board may have no regulator to set. */
static int add_points(struct device *dev)
{
	static const char * const regulators[] = { "npu", NULL };
	int ret = devm_pm_opp_set_clkname(dev, "npu");

	if (ret)
		return ret;
	ret = devm_pm_opp_set_regulators(dev, regulators);
	if (ret && ret != -ENODEV)
		return ret;
	return devm_pm_opp_of_add_table(dev);
}

/* Begin with the rate that the clock has, as far as there is a point for it. */
static int set_first_rate(struct scoria_devfreq *df, struct device *dev)
{
	unsigned long rate = READ_ONCE(df->sdev->clock.rate);
	struct dev_pm_opp *opp;

	opp = devfreq_recommended_opp(dev, &rate, DEVFREQ_FLAG_LEAST_UPPER_BOUND);
	if (IS_ERR(opp))
		return PTR_ERR(opp);
	dev_pm_opp_put(opp);
	guard(mutex)(&df->lock);
	df->rate = rate;
	df->powered = df->sdev->clock.users;
	return df->powered ? run_at_locked(df, dev, rate) : 0;
}

static int add_devfreq(struct scoria_devfreq *df, struct device *dev)
{
	int ret = set_first_rate(df, dev);

	if (ret)
		return ret;
	df->profile = (struct devfreq_dev_profile){
		.initial_freq = df->rate,
		.polling_ms = POLL_MS,
		/* the CPU may well sleep while the NPU works */
		.timer = DEVFREQ_TIMER_DELAYED,
		.target = set_target,
		.get_dev_status = get_status,
		.get_cur_freq = get_rate,
	};
	df->ondemand = (struct devfreq_simple_ondemand_data){
		.upthreshold = UP_THRESHOLD,
		.downdifferential = DOWN_DIFFERENTIAL,
	};
	df->polled = ktime_get();
	df->devfreq = devm_devfreq_add_device(dev, &df->profile, DEVFREQ_GOV_SIMPLE_ONDEMAND,
					      &df->ondemand);
	if (IS_ERR(df->devfreq))
		return PTR_ERR(df->devfreq);
	if (!df->powered)
		devfreq_suspend_device(df->devfreq);
	if (df->asleep)
		devfreq_suspend_device(df->devfreq);
	return 0;
}

static int lead(struct scoria_devfreq *df, struct scoria_core *core)
{
	void *group = devres_open_group(core->dev, NULL, GFP_KERNEL);
	int ret;

	if (!group)
		return -ENOMEM;
	ret = add_points(core->dev);
	if (!ret)
		ret = add_devfreq(df, core->dev);
	if (ret) {
		devres_release_group(core->dev, group);
		return ret;
	}
	devres_close_group(core->dev, group);
	df->group = group;
	df->lead = core;
	return 0;
}

/* Each core keeps the supply on, so that it stays so when another one leads. */
static int hold_supply(struct device *dev)
{
	int ret = devm_regulator_get_enable_optional(dev, "npu");

	return ret == -ENODEV ? 0 : ret;
}

int scoria_devfreq_add(struct scoria_core *core)
{
	struct scoria_devfreq *df = core->sdev->devfreq;
	int ret;

	if (!device_property_present(core->dev, "operating-points-v2"))
		return 0;
	ret = hold_supply(core->dev);
	guard(mutex)(&core->sdev->clock.lock);
	if (!ret && !df->lead)
		ret = lead(df, core);
	if (ret && ret != -EPROBE_DEFER) {
		dev_warn(core->dev, "the clock is not scaled, operating points give %d\n", ret);
		return 0;
	}
	return ret;
}

static void step_down(struct scoria_devfreq *df)
{
	guard(mutex)(&df->sdev->clock.lock);
	devres_release_group(df->lead->dev, df->group);
	df->lead = NULL;
	df->powered = false;
}

void scoria_devfreq_remove(struct scoria_core *core)
{
	struct scoria_device *sdev = core->sdev;
	struct scoria_devfreq *df = sdev->devfreq;

	if (df->lead != core)
		return;
	step_down(df);
	for (unsigned int i = 0; i < SCORIA_MAX_CORES && !df->lead; i++) {
		struct scoria_core *other = &sdev->cores[i];

		if (other != core && other->present &&
		    device_property_present(other->dev, "operating-points-v2")) {
			guard(mutex)(&sdev->clock.lock);
			if (lead(df, other))
				dev_warn(other->dev, "the clock is no longer scaled\n");
		}
	}
}

bool scoria_devfreq_resume(struct scoria_device *sdev)
{
	struct scoria_devfreq *df = sdev->devfreq;

	lockdep_assert_held(&sdev->clock.lock);
	if (!df->lead)
		return false;
	scoped_guard(mutex, &df->lock) {
		df->powered = true;
		run_at_locked(df, df->lead->dev, df->rate);
	}
	devfreq_resume_device(df->devfreq);
	return true;
}

/* The OPP layer believes that the clock has the rate that it set last, and would not set it. */
bool scoria_devfreq_restore(struct scoria_device *sdev, struct clk *clk)
{
	struct scoria_devfreq *df = sdev->devfreq;
	unsigned long rate;

	lockdep_assert_held(&sdev->clock.lock);
	if (!df->lead)
		return false;
	guard(mutex)(&df->lock);
	rate = clk_get_rate(clk);
	if (rate != sdev->clock.rate) {
		set_rate_locked(df, df->lead->dev, rate);
		run_at_locked(df, df->lead->dev, df->rate);
	}
	return true;
}

bool scoria_devfreq_suspend(struct scoria_device *sdev, unsigned long rate)
{
	struct scoria_devfreq *df = sdev->devfreq;

	lockdep_assert_held(&sdev->clock.lock);
	if (!df->lead)
		return false;
	devfreq_suspend_device(df->devfreq);
	guard(mutex)(&df->lock);
	if (rate)
		set_rate_locked(df, df->lead->dev, rate);
	df->powered = false;
	return true;
}

static void set_asleep(struct scoria_devfreq *df, bool asleep)
{
	guard(mutex)(&df->sdev->clock.lock);
	df->asleep = asleep;
	if (!df->lead)
		return;
	if (asleep)
		devfreq_suspend_device(df->devfreq);
	else
		devfreq_resume_device(df->devfreq);
}

/*
 * Devfreq stops polling by itself when the system goes to sleep, but late, when its
 * workqueue is frozen already. A poll that came due in between waits in there; to
 * cancel it leaves the workqueue waiting for a turn that nobody gives it, and no
 * devfreq device polls again (pwq_tryinc_nr_active(), 6.9 to 7.3 at least). So nothing
 * is polled from before the freeze until all is thawed.
 */
static int sleep_notify(struct notifier_block *block, unsigned long action, void *data)
{
	struct scoria_devfreq *df = container_of(block, struct scoria_devfreq, sleep);

	switch (action) {
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
	case PM_SUSPEND_PREPARE:
		set_asleep(df, true);
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
	case PM_POST_SUSPEND:
		set_asleep(df, false);
		break;
	}
	return NOTIFY_OK;
}

static void forget_sleep(struct drm_device *drm, void *df)
{
	unregister_pm_notifier(&((struct scoria_devfreq *)df)->sleep);
}

int scoria_devfreq_init(struct scoria_device *sdev)
{
	struct scoria_devfreq *df = drmm_kzalloc(&sdev->drm, sizeof(*df), GFP_KERNEL);
	int ret;

	if (!df)
		return -ENOMEM;
	df->sdev = sdev;
	sdev->devfreq = df;
	ret = drmm_mutex_init(&sdev->drm, &df->lock);
	if (ret)
		return ret;
	df->sleep.notifier_call = sleep_notify;
	ret = register_pm_notifier(&df->sleep);
	return ret ? ret : drmm_add_action_or_reset(&sdev->drm, forget_sleep, df);
}
