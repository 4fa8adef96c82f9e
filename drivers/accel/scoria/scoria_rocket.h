/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_ROCKET_H
#define SCORIA_ROCKET_H

struct drm_device;
struct drm_file;

int scoria_rocket_create_bo(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_rocket_submit(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_rocket_prep_bo(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_rocket_fini_bo(struct drm_device *drm, void *data, struct drm_file *file);

#endif
