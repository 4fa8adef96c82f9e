// SPDX-License-Identifier: MIT
/* The machine: its chip, its kernel, its memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "root.h"

/* The oldest kernel that the module builds for. */
#define LEAST_MAJOR	6
#define LEAST_MINOR	12

/* Below this, buffers of real networks do not fit. */
#define LEAST_MEMORY_KB	(64 * 1024)

#define USE_MODEL	"compute on the software model: --device model"
#define NEWER_KERNEL	"install a kernel with accel drivers; Debian 13: apt install -t " \
			"trixie-backports linux-image-arm64"

/* A list of strings, each with its 0, in a line; true when one names the chip. */
static bool read_compatible(const char *list, ssize_t length, char *line, size_t size)
{
	bool found = false;

	line[0] = '\0';
	for (ssize_t i = 0; i < length; i += (ssize_t)strlen(list + i) + 1) {
		append(line, size, "%s%s", i ? ", " : "", list + i);
		found |= !strcmp(list + i, "rockchip,rk3588") || !strcmp(list + i, "rockchip,rk3588s");
	}
	return found;
}

static void find_no_tree(const struct doctor *doctor, struct finding *finding)
{
	if (root_exists(doctor->root, "/dev/accel"))
		find_unknown(finding, "no device tree can be seen: a container?");
	else
		find_bad(finding, USE_MODEL, "this machine has no device tree: it is no RK3588");
}

void check_board(struct doctor *doctor, struct finding *finding)
{
	char list[256], line[256];
	const ssize_t length = root_read(doctor->root, list, sizeof(list),
					 "/proc/device-tree/compatible");

	if (length < 0)
		find_no_tree(doctor, finding);
	else if (read_compatible(list, length, line, sizeof(line)))
		find_good(finding, "%s", line);
	else if (doctor->tree.n_cores)
		find_noted(finding, NULL, "%s: no RK3588, but its tree has the NPU", line);
	else
		find_bad(finding, USE_MODEL, "%s: no RK3588", line);
}

void check_kernel(struct doctor *doctor, struct finding *finding)
{
	int major, minor;

	if (sscanf(doctor->release, "%d.%d", &major, &minor) != 2)
		find_unknown(finding, "the kernel's release cannot be read");
	else if (major > LEAST_MAJOR || (major == LEAST_MAJOR && minor >= LEAST_MINOR))
		find_good(finding, "Linux %s", doctor->release);
	else
		find_bad(finding, NEWER_KERNEL, "Linux %s: the module needs %d.%d", doctor->release,
			 LEAST_MAJOR, LEAST_MINOR);
}

/* 1 when the kernel's configuration has @line, 0 when it has not, -1 when there is none. */
static int config_has(const struct doctor *doctor, const char *line)
{
	char path[ROOT_PATH_MAX], text[256];
	const size_t length = strlen(line);
	int has = 0;
	FILE *file;

	root_path(doctor->root, path, "/boot/config-%s", doctor->release);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (!has && fgets(text, sizeof(text), file))
		has = !strncmp(text, line, length) && text[length] == '\n';
	fclose(file);
	return has;
}

void check_accel(struct doctor *doctor, struct finding *finding)
{
	const int configured = config_has(doctor, "CONFIG_DRM_ACCEL=y");

	if (root_exists(doctor->root, "/sys/class/accel"))
		find_good(finding, "the kernel has the class accel");
	else if (configured > 0)
		find_good(finding, "CONFIG_DRM_ACCEL=y");
	else if (!configured)
		find_bad(finding, NEWER_KERNEL, "CONFIG_DRM_ACCEL is off in /boot/config-%s",
			 doctor->release);
	else
		find_unknown(finding, "no class accel yet, and no /boot/config-%s", doctor->release);
}

void check_memory(struct doctor *doctor, struct finding *finding)
{
	char text[4096];
	const char *line;
	unsigned long kb;

	root_read(doctor->root, text, sizeof(text), "/proc/meminfo");
	line = strstr(text, "MemAvailable:");
	if (!line || sscanf(line, "MemAvailable: %lu kB", &kb) != 1)
		find_unknown(finding, "/proc/meminfo does not tell");
	else if (kb < LEAST_MEMORY_KB)
		find_bad(finding, "end other programs, or add swap: buffers of the NPU are ordinary "
			 "memory", "only %lu MiB are available", kb / 1024);
	else
		find_good(finding, "%lu MiB are available", kb / 1024);
}
