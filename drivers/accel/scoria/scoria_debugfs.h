/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DEBUGFS_H
#define SCORIA_DEBUGFS_H

struct scoria_device;

#ifdef CONFIG_DEBUG_FS

/**
 * scoria_debugfs_init() - show the state of the cores in debugfs
 * @sdev: the device
 */
void scoria_debugfs_init(struct scoria_device *sdev);
#else
static inline void scoria_debugfs_init(struct scoria_device *sdev)
{
}
#endif

#endif
