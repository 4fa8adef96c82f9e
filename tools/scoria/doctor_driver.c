// SPDX-License-Identifier: MIT
/* Drivers: the IOMMU's, others that have the NPU, the module, and what is bound to it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "root.h"

#define DEVICES	"/sys/bus/platform/devices"
#define DRIVERS	"/sys/bus/platform/drivers"

static bool sysfs_is_missing(const struct doctor *doctor, struct finding *finding)
{
	if (root_exists(doctor->root, DRIVERS))
		return false;
	find_unknown(finding, "/sys cannot be seen: a container?");
	return true;
}

void check_iommu_driver(struct doctor *doctor, struct finding *finding)
{
	if (sysfs_is_missing(doctor, finding))
		return;
	if (root_exists(doctor->root, DRIVERS "/rk_iommu"))
		find_good(finding, "rk_iommu is there");
	else
		find_bad(finding, "install a kernel with CONFIG_ROCKCHIP_IOMMU=y, as Debian's have",
			 "the kernel has no driver rk_iommu");
}

/* The driver that a core's device is bound to; empty for none. */
static void read_driver(const struct doctor *doctor, const char *device, char *driver, size_t size)
{
	if (!root_link(doctor->root, driver, size, DEVICES "/%s/driver", device))
		driver[0] = '\0';
}

static void unbind_fix(struct finding *finding, const char *device, const char *driver)
{
	append(finding->fix, sizeof(finding->fix),
	       "%secho %s > " DRIVERS "/%s/unbind", finding->fix[0] ? "; " : "", device, driver);
}

/* A driver of the vendor's, or a stranger's, keeps the others away; rocket does jobs itself. */
static void note_driver(struct finding *finding, const char *device, const char *driver)
{
	const bool rocket = !strcmp(driver, "rocket");

	append(finding->found, sizeof(finding->found), "%s%s is bound to %s",
	       finding->found[0] ? ", " : "", device, driver);
	if (!rocket || finding->verdict != BAD)
		finding->verdict = rocket ? NOTED : BAD;
	unbind_fix(finding, device, driver);
}

static void find_vendor_driver(const struct doctor *doctor, struct finding *finding)
{
	DIR *dir = root_opendir(doctor->root, DRIVERS "/RKNPU");
	const char *name;

	if (!dir)
		return;
	for (name = root_readdir(dir); name; name = root_readdir(dir))
		if (strstr(name, ".npu"))
			note_driver(finding, name, "RKNPU");
	closedir(dir);
}

void check_other_drivers(struct doctor *doctor, struct finding *finding)
{
	const struct tree *tree = &doctor->tree;
	char driver[64];

	if (sysfs_is_missing(doctor, finding))
		return;
	find_good(finding, "none");
	finding->found[0] = '\0';
	for (unsigned int i = 0; i < tree->n_cores; i++) {
		read_driver(doctor, tree->cores[i].device, driver, sizeof(driver));
		if (driver[0] && strcmp(driver, "scoria") && strcmp(driver, "RKNPU"))
			note_driver(finding, tree->cores[i].device, driver);
	}
	find_vendor_driver(doctor, finding);
	if (finding->verdict == GOOD)
		append(finding->found, sizeof(finding->found), "none has the NPU");
	else if (finding->verdict == BAD)
		append(finding->fix, sizeof(finding->fix),
		       "; and keep it from loading: echo 'blacklist rknpu' > "
		       "/etc/modprobe.d/no-rknpu.conf");
	else
		append(finding->fix, sizeof(finding->fix),
		       "; then modprobe scoria, for its native interface; jobs run on rocket too");
}

/* Whether a file that lists things has @name as a path's last part, "/scoria.ko". */
static bool lists_module(const struct doctor *doctor, const char *release, const char *name)
{
	char path[ROOT_PATH_MAX], line[4096];
	bool found = false;
	FILE *file;

	root_path(doctor->root, path, "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, ":\n")] = '\0';
		found = strstr(line, name);
	}
	fclose(file);
	return found;
}

/* Another kernel that has the module; false for none. */
static bool other_release(const struct doctor *doctor, char *release, size_t size)
{
	DIR *dir = root_opendir(doctor->root, "/lib/modules");
	bool found = false;
	const char *name;

	for (name = dir ? root_readdir(dir) : NULL; name && !found; name = root_readdir(dir)) {
		found = lists_module(doctor, name, "/scoria.ko");
		if (found)
			snprintf(release, size, "%s", name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Whether a line of a modprobe configuration keeps @module away. */
static bool keeps_away(const char *line, const char *module)
{
	char verb[16], name[64], what[64];
	const int n = sscanf(line, "%15s %63s %63s", verb, name, what);

	if (n < 2 || strcmp(name, module))
		return false;
	return !strcmp(verb, "blacklist") ||
	       (!strcmp(verb, "install") && n == 3 && (strstr(what, "/false") || strstr(what, "/true")));
}

static bool file_blacklists(const struct doctor *doctor, const char *path, const char *module)
{
	char full[ROOT_PATH_MAX], line[512];
	bool found = false;
	FILE *file;

	root_path(doctor->root, full, "%s", path);
	file = fopen(full, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = keeps_away(line, module);
	fclose(file);
	return found;
}

/* What keeps @module from being loaded by itself: a file, or the command line. */
static bool find_blacklist(const struct doctor *doctor, const char *module, char *where,
			   size_t size)
{
	static const char * const places[] = { "/etc/modprobe.d", "/run/modprobe.d",
					       "/usr/lib/modprobe.d", "/lib/modprobe.d" };
	char cmdline[4096], path[384];
	const char *list;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		DIR *dir = root_opendir(doctor->root, "%s", places[i]);
		const char *name;

		for (name = dir ? root_readdir(dir) : NULL; name; name = root_readdir(dir)) {
			snprintf(path, sizeof(path), "%s/%s", places[i], name);
			if (!file_blacklists(doctor, path, module))
				continue;
			snprintf(where, size, "%s", path);
			closedir(dir);
			return true;
		}
		if (dir)
			closedir(dir);
	}
	root_read(doctor->root, cmdline, sizeof(cmdline), "/proc/cmdline");
	list = strstr(cmdline, "blacklist=");
	snprintf(where, size, "the kernel's command line");
	return list && strstr(list, module);
}

/* A kernel that takes signed modules only refuses one that was built here. */
static bool wants_signatures(const struct doctor *doctor)
{
	char text[128];

	root_read(doctor->root, text, sizeof(text), "/sys/module/module/parameters/sig_enforce");
	if (text[0] == 'Y')
		return true;
	root_read(doctor->root, text, sizeof(text), "/sys/kernel/security/lockdown");
	return strstr(text, "[integrity]") || strstr(text, "[confidentiality]");
}

static void find_not_loaded(struct doctor *doctor, struct finding *finding)
{
	char where[384], release[96];

	if (lists_module(doctor, doctor->release, "/scoria.ko")) {
		find_bad(finding, "modprobe scoria", "scoria is installed, but not loaded");
	} else if (other_release(doctor, release, sizeof(release))) {
		find_bad(finding, "apt install linux-headers-$(uname -r); dkms autoinstall; modprobe "
			 "scoria", "scoria was built for %s, not for %s, which runs", release,
			 doctor->release);
	} else {
		find_bad(finding, "make modules, then modprobe -a drm_shmem_helper gpu-sched; insmod "
			 "build/modules/drivers/accel/scoria/scoria.ko",
			 "neither scoria nor rocket is loaded, and no scoria.ko is installed");
		if (lists_module(doctor, doctor->release, "/rocket.ko"))
			append(finding->fix, sizeof(finding->fix),
			       "; or, with less to offer, modprobe rocket");
	}
	if (find_blacklist(doctor, "scoria", where, sizeof(where)))
		append(finding->found, sizeof(finding->found), "; %s keeps it away", where);
	else if (find_blacklist(doctor, "rocket", where, sizeof(where)))
		append(finding->found, sizeof(finding->found), "; %s keeps rocket away", where);
	if (wants_signatures(doctor))
		append(finding->fix, sizeof(finding->fix),
		       "; this kernel loads signed modules only: sign it with a key that mokutil "
		       "--import has enrolled, or turn Secure Boot off");
}

void check_module(struct doctor *doctor, struct finding *finding)
{
	if (sysfs_is_missing(doctor, finding))
		return;
	if (root_exists(doctor->root, DRIVERS "/scoria"))
		find_good(finding, "scoria is loaded");
	else if (root_exists(doctor->root, DRIVERS "/rocket"))
		find_noted(finding, NULL, "the in-tree rocket is loaded, scoria is not");
	else
		find_not_loaded(doctor, finding);
}

/* Why a device has no driver, as far as the kernel tells; the line of its name. */
static bool deferral(const struct doctor *doctor, const char *device, char *reason, size_t size)
{
	char text[8192], *line;
	const ssize_t length = root_read(doctor->root, text, sizeof(text),
					 "/sys/kernel/debug/devices_deferred");

	line = length > 0 ? strstr(text, device) : NULL;
	if (!line)
		return false;
	line += strlen(device);
	while (isspace((unsigned char)*line) && *line != '\n')
		line++;
	line[strcspn(line, "\n")] = '\0';
	snprintf(reason, size, "%s", *line ? line : "waits for something that it needs");
	return true;
}

static void find_unbound(const struct doctor *doctor, struct finding *finding, const char *device)
{
	char reason[256], waits[8];

	append(finding->found, sizeof(finding->found), "%s%s: ", finding->found[0] ? "; " : "",
	       device);
	if (!root_exists(doctor->root, DEVICES "/%s", device)) {
		append(finding->found, sizeof(finding->found), "the kernel made no device of it");
	} else if (deferral(doctor, device, reason, sizeof(reason))) {
		append(finding->found, sizeof(finding->found), "deferred, %s", reason);
	} else {
		root_read(doctor->root, waits, sizeof(waits), DEVICES "/%s/waiting_for_supplier",
			  device);
		append(finding->found, sizeof(finding->found), "%s", waits[0] == '1' ?
		       "waits for a device of the tree that it needs" : "no driver took it");
	}
}

static const char *binding_fix(const struct finding *finding)
{
	if (strstr(finding->found, "deferred") || strstr(finding->found, "waits"))
		return "load the driver of what is waited for: regulator, power domain, clock, IOMMU "
		       "(as root, /sys/kernel/debug/devices_deferred names it)";
	return "dmesg | grep -e npu -e scoria says why; then echo DEVICE > " DRIVERS "/scoria/bind";
}

void check_binding(struct doctor *doctor, struct finding *finding)
{
	const struct tree *tree = &doctor->tree;
	unsigned int bound = 0, enabled = 0;
	char driver[64];

	if (sysfs_is_missing(doctor, finding))
		return;
	for (unsigned int i = 0; i < tree->n_cores; i++) {
		if (!tree->cores[i].enabled)
			continue;
		enabled++;
		read_driver(doctor, tree->cores[i].device, driver, sizeof(driver));
		if (driver[0])
			bound++;
		else
			find_unbound(doctor, finding, tree->cores[i].device);
	}
	if (bound == enabled) {
		find_good(finding, "all %u cores have their driver", bound);
		return;
	}
	finding->verdict = bound ? NOTED : BAD;
	append(finding->fix, sizeof(finding->fix), "%s", binding_fix(finding));
}
