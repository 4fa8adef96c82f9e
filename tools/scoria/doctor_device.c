// SPDX-License-Identifier: MIT
/* The node that userspace opens, the driver behind it, and a job. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <scoria/scoria.h>

#include "../bench/timing.h"
#include "../lib/reference/random.h"
#include "../lib/scoria/device.h"
#include "doctor.h"
#include "root.h"

#define RELOAD	"rebuild the module from this tree: make modules; rmmod scoria; insmod " \
		"build/modules/drivers/accel/scoria/scoria.ko"

static void find_no_node(const struct doctor *doctor, struct finding *finding)
{
	if (root_exists(doctor->root, "/sys/class/accel/accel0"))
		find_bad(finding, "in a container, pass the node into it: --device /dev/accel/accel0; "
			 "elsewhere mount -t devtmpfs dev /dev",
			 "the kernel has accel0, but there is no /dev/accel/accel0");
	else
		find_bad(finding, "mend what stands above; dmesg | grep scoria",
			 "there is no /dev/accel");
}

/* The group that may use it, for a node that others may not. */
static void find_forbidden(struct finding *finding, const char *name, const struct stat *status)
{
	if (status->st_gid && (status->st_mode & 060) == 060)
		find_bad(finding, "usermod -a -G render $USER (or the group that ls -l shows), and log "
			 "in again",
			 "/dev/accel/%s may be opened by group %u only, of which you are none", name,
			 (unsigned int)status->st_gid);
	else
		find_bad(finding, "echo 'SUBSYSTEM==\"accel\", GROUP=\"render\", MODE=\"0660\"' > "
			 "/etc/udev/rules.d/70-accel.rules; udevadm trigger; and be in that group",
			 "/dev/accel/%s may be opened by root only", name);
}

static void look_at_node(const struct doctor *doctor, struct finding *finding, const char *name)
{
	char path[ROOT_PATH_MAX];
	struct stat status;

	root_path(doctor->root, path, "/dev/accel/%s", name);
	if (!access(path, R_OK | W_OK))
		find_good(finding, "/dev/accel/%s may be opened", name);
	else if (finding->verdict != GOOD && !stat(path, &status))
		find_forbidden(finding, name, &status);
}

void check_node(struct doctor *doctor, struct finding *finding)
{
	DIR *dir = root_opendir(doctor->root, "/dev/accel");
	const char *name;

	finding->verdict = SKIPPED;
	for (name = dir ? root_readdir(dir) : NULL; name; name = root_readdir(dir))
		if (!strncmp(name, "accel", 5))
			look_at_node(doctor, finding, name);
	if (dir)
		closedir(dir);
	if (finding->verdict == SKIPPED)
		find_no_node(doctor, finding);
}

static int open_device(const struct doctor *doctor, struct finding *finding,
		       struct scoria_device **dev)
{
	const struct scoria_device_opts opts = { .size = sizeof(opts) };
	const int err = scoria_device_open(doctor->device, &opts, dev);

	if (err)
		find_bad(finding, "mend what stands above", "%s", scoria_error());
	return err;
}

void check_driver(struct doctor *doctor, struct finding *finding)
{
	struct device_facts facts;
	struct scoria_device *dev;

	if (open_device(doctor, finding, &dev))
		return;
	device_facts(dev, &facts);
	scoria_device_close(dev);
	if (facts.rewrites && !facts.native)
		find_noted(finding, RELOAD, "%s: older than this command", facts.driver);
	else if (facts.node[0] && !facts.native)
		find_noted(finding, NULL, "%s: jobs run, the native interface is scoria's",
			   facts.driver);
	else
		find_good(finding, "%s", facts.driver);
}

enum { M = 24, K = 96, N = 40 };

static bool is_right(const int8_t *a, const int8_t *b, const int32_t *c)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			int32_t sum = 0;

			for (int k = 0; k < K; k++)
				sum += a[i * K + k] * b[k * N + j];
			if (sum != c[i * N + j])
				return false;
		}
	return true;
}

static void multiply(struct scoria_device *dev, struct finding *finding)
{
	const struct scoria_matmul_opts opts = { .size = sizeof(opts), .type = SCORIA_INT8,
						 .out = SCORIA_INT32, .m = M, .k = K, .n = N };
	struct random random = { .state = 1 };
	int8_t a[M * K], b[K * N];
	int32_t c[M * N] = { 0 };
	const double start = timing_now();

	random_fill(&random, SCORIA_INT8, a, sizeof(a));
	random_fill(&random, SCORIA_INT8, b, sizeof(b));
	if (scoria_matmul(dev, &opts, a, b, c))
		find_bad(finding, "dmesg | grep -e npu -e scoria says what the hardware did", "%s",
			 scoria_error());
	else if (!is_right(a, b, c))
		find_bad(finding, "scoria silicon tells how this NPU differs from what is assumed",
			 "a product of %dx%d and %dx%d is wrong", M, K, K, N);
	else
		find_good(finding, "a product of %dx%d and %dx%d is right, after %.3f ms", M, K, K, N,
			  1e3 * (timing_now() - start));
}

void check_job(struct doctor *doctor, struct finding *finding)
{
	struct scoria_device *dev;

	if (open_device(doctor, finding, &dev))
		return;
	multiply(dev, finding);
	scoria_device_close(dev);
}
