/* SPDX-License-Identifier: MIT */
/*
 * libscoria: operations on the NPU of the Rockchip RK3588.
 *
 * Shapes in, results out: the library tiles, pads and packs, and the caller
 * never meets a limit of the hardware. What cannot be done is refused with a
 * message, never computed wrong.
 *
 *	struct scoria_device *dev;
 *
 *	if (scoria_device_open("model", NULL, &dev))
 *		errx(1, "%s", scoria_error());
 *	scoria_matmul(dev, &opts, a, b, c);
 *	scoria_device_close(dev);
 *
 * Rules that hold in every header
 *
 * Errors: functions return 0 or a negative errno; scoria_error() then has the
 * reason, which names the field, its value and the limit. On failure no output
 * argument is changed, unless the function says otherwise.
 *
 *	-EINVAL		nonsense: a size of zero, an unknown enumerator, NULL for
 *			what is needed, a struct that is too short or sets what is
 *			not known here
 *	-EOPNOTSUPP	the hardware has no such type or combination
 *	-EOVERFLOW	int32 results could overflow
 *	-ENOSPC		does not fit the NPU's address window of 4 GiB
 *	-ENOMEM		out of memory
 *	-ETIMEDOUT, -EFAULT, -EIO	the device failed; the job did not finish
 *
 * and, where a function names them, -ENODEV, -ENOENT and -EACCES of devices and -EBUSY of
 * fences.
 *
 * Options: structs whose first member is their size. Set it to sizeof() and
 * what you do not use to zero. A library that is newer than the caller takes
 * the shorter struct, one that is older refuses bytes it does not know unless
 * they are zero.
 *
 * Threads: a device and its buffers may be used by several threads at once. A
 * plan or a set of weights that one thread runs may not be used by another
 * thread at that time; make one per thread. The same holds for tensors and
 * sequences. scoria_error() is per thread.
 *
 * Ownership: what a *_create() returned goes back with its *_destroy(), which
 * accepts NULL, plans and buffers before their device. Arrays belong to the
 * caller and are used during the call only. Those of one call may not overlap, unless the
 * function says so.
 *
 * References such as (programming-model C3) and (faults H6) are to sections of the pages of
 * that name in Documentation/accel/scoria.
 */
#ifndef SCORIA_SCORIA_H
#define SCORIA_SCORIA_H

#include <scoria/activation.h>
#include <scoria/attention.h>
#include <scoria/batchnorm.h>
#include <scoria/buffer.h>
#include <scoria/conv1d.h>
#include <scoria/conv2d.h>
#include <scoria/conv2d_transposed.h>
#include <scoria/convert.h>
#include <scoria/device.h>
#include <scoria/eltwise.h>
#include <scoria/fusion.h>
#include <scoria/matmul.h>
#include <scoria/norm.h>
#include <scoria/pool.h>
#include <scoria/reduce.h>
#include <scoria/sequence.h>
#include <scoria/softmax.h>
#include <scoria/tensor.h>
#include <scoria/types.h>

#endif
