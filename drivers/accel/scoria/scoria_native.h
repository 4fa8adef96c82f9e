/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_NATIVE_H
#define SCORIA_NATIVE_H

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct scoria_file;
struct scoria_program;
struct scoria_queue;

int scoria_native_query(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_bo_sync(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_bo_wait(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_program_create(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_program_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int scoria_native_submit(struct drm_device *drm, void *data, struct drm_file *file);

/* By number, with a reference; NULL if there is none. */
struct scoria_program *scoria_native_program_find(struct scoria_file *sfile, u32 id);
struct scoria_queue *scoria_native_queue_find(struct scoria_file *sfile, u32 id);

/* Let go of all programs and queues of a file that closes, queue 0 among them. */
void scoria_native_close(struct scoria_file *sfile);

#endif
