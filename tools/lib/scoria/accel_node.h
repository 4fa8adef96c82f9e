/* SPDX-License-Identifier: MIT */
/* Nodes of drivers that speak rocket's interface, scoria's or the in-tree one. */
#ifndef SCORIA_ACCEL_NODE_H
#define SCORIA_ACCEL_NODE_H

#include <drm/scoria_accel.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"

/* ioctl() that goes on after signals; 0 or a negative errno. */
int accel_call(int fd, unsigned long request, void *arg);

/* A descriptor of the node at @path or, NULL, of the first there is; else -errno. */
int accel_node_open(const char *path);

void accel_close_handle(int fd, uint32_t handle);

/* False when the driver does not know the question: only scoria's does. */
bool accel_query(int fd, struct drm_scoria_query_device *device);

/* Fill @facts, which is zero, with what the driver and the kernel say. */
void accel_facts(int fd, struct device_facts *facts);

/* CPU address of @buffer, whose size is set, by the offset that the driver gave. */
int accel_map(int fd, struct scoria_buffer *buffer, uint64_t offset);

#endif
