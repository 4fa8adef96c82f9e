/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_ROCKET_H
#define SCORIA_ROCKET_H

struct drm_device;
struct drm_file;

/**
 * scoria_rocket_create_bo() - ioctl of rocket's: make a buffer
 * @drm: the DRM device
 * @data: struct drm_scoria_rocket_create_bo, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_rocket_create_bo(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_rocket_submit() - ioctl of rocket's: submit jobs
 * @drm: the DRM device
 * @data: struct drm_scoria_rocket_submit, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_rocket_submit(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_rocket_prep_bo() - ioctl of rocket's: wait for a buffer, to access it by the
 *   CPU
 * @drm: the DRM device
 * @data: struct drm_scoria_rocket_prep_bo, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_rocket_prep_bo(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_rocket_fini_bo() - ioctl of rocket's: access by the CPU has ended
 * @drm: the DRM device
 * @data: struct drm_scoria_rocket_fini_bo, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_rocket_fini_bo(struct drm_device *drm, void *data, struct drm_file *file);

#endif
