/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_NATIVE_H
#define SCORIA_NATIVE_H

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct scoria_file;
struct scoria_program;
struct scoria_queue;

/**
 * scoria_native_query() - ioctl: tell facts about the device
 * @drm: the DRM device
 * @data: struct drm_scoria_query, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_query(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_bo_create() - ioctl: make a buffer
 * @drm: the DRM device
 * @data: struct drm_scoria_bo_create, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_bo_create(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_bo_info() - ioctl: ask where a buffer is
 * @drm: the DRM device
 * @data: struct drm_scoria_bo_info, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_bo_info(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_bo_sync() - ioctl: maintain caches
 * @drm: the DRM device
 * @data: struct drm_scoria_bo_sync, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_bo_sync(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_bo_wait() - ioctl: wait for a buffer
 * @drm: the DRM device
 * @data: struct drm_scoria_bo_wait, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_bo_wait(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_program_create() - ioctl: check tasks and keep them
 * @drm: the DRM device
 * @data: struct drm_scoria_program_create, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_program_create(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_program_destroy() - ioctl: give up a program
 * @drm: the DRM device
 * @data: struct drm_scoria_program_destroy, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_program_destroy(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_queue_create() - ioctl: make a queue
 * @drm: the DRM device
 * @data: struct drm_scoria_queue_create, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_queue_create(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_queue_destroy() - ioctl: give up a queue
 * @drm: the DRM device
 * @data: struct drm_scoria_queue_destroy, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_submit() - ioctl: submit jobs to a queue
 * @drm: the DRM device
 * @data: struct drm_scoria_submit, in and out
 * @file: the open file
 *
 * Return: 0 or a negative errno, see the UAPI header.
 */
int scoria_native_submit(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * scoria_native_program_find() - find a program of a file
 * @sfile: the open file
 * @id: its number
 *
 * Return: the program with a reference, NULL if there is none.
 */
struct scoria_program *scoria_native_program_find(struct scoria_file *sfile, u32 id);

/**
 * scoria_native_queue_find() - find a queue of a file
 * @sfile: the open file
 * @id: its number
 *
 * Return: the queue with a reference, NULL if there is none.
 */
struct scoria_queue *scoria_native_queue_find(struct scoria_file *sfile, u32 id);

/**
 * scoria_native_close() - a file closes
 * @sfile: the open file
 *
 * Lets go of all its programs and queues, queue 0 among them.
 */
void scoria_native_close(struct scoria_file *sfile);

#endif
