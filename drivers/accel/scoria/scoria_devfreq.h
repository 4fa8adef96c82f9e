/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DEVFREQ_H
#define SCORIA_DEVFREQ_H

#include <linux/kconfig.h>
#include <linux/types.h>

struct clk;
struct scoria_core;
struct scoria_device;

#if IS_ENABLED(CONFIG_PM_DEVFREQ)

/**
 * scoria_devfreq_init() - set up what needs no hardware
 * @sdev: the device
 *
 * Return: 0 or a negative errno.
 */
int scoria_devfreq_init(struct scoria_device *sdev);

/**
 * scoria_devfreq_add() - a core has been bound
 * @core: the core
 *
 * The first whose node has operating points leads: the shared clock and its voltage
 * are set through its device. Called with the lock that keeps cores from coming
 * and going.
 *
 * Return: 0, also when the clock cannot be scaled; -EPROBE_DEFER when that will be
 * known later.
 */
int scoria_devfreq_add(struct scoria_core *core);

/**
 * scoria_devfreq_remove() - a core is about to be unbound
 * @core: the core
 *
 * Another one leads when it did. Called with the lock that keeps cores from coming
 * and going.
 */
void scoria_devfreq_remove(struct scoria_core *core);

/**
 * scoria_devfreq_resume() - the first core has been powered
 * @sdev: the device, its clock's lock held
 *
 * Return: whether the clock has been set.
 */
bool scoria_devfreq_resume(struct scoria_device *sdev);

/**
 * scoria_devfreq_restore() - set the clock again where another has set it
 * @sdev: the device, its clock's lock held and a core powered
 * @clk: the clock
 *
 * Return: whether that has been seen to.
 */
bool scoria_devfreq_restore(struct scoria_device *sdev, struct clk *clk);

/**
 * scoria_devfreq_suspend() - the last core is about to lose its power
 * @sdev: the device, its clock's lock held
 * @rate: where to park the clock
 *
 * Return: whether the clock has been parked.
 */
bool scoria_devfreq_suspend(struct scoria_device *sdev, unsigned long rate);

#else

static inline int scoria_devfreq_init(struct scoria_device *sdev)
{
	return 0;
}

static inline int scoria_devfreq_add(struct scoria_core *core)
{
	return 0;
}

static inline void scoria_devfreq_remove(struct scoria_core *core) { }

static inline bool scoria_devfreq_resume(struct scoria_device *sdev)
{
	return false;
}

static inline bool scoria_devfreq_restore(struct scoria_device *sdev, struct clk *clk)
{
	return false;
}

static inline bool scoria_devfreq_suspend(struct scoria_device *sdev, unsigned long rate)
{
	return false;
}

#endif

#endif
