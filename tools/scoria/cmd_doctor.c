// SPDX-License-Identifier: MIT
/* scoria doctor: why there is no NPU here, with the fix (faults P13). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "doctor.h"
#include "json.h"
#include "opts.h"
#include "root.h"

enum check_id {
	BOARD, KERNEL, ACCEL, NODES, IOMMUS, IOMMU_DRIVER, OTHER_DRIVERS, MODULE, BINDING, NODE,
	MEMORY, DRIVER, JOB, N_CHECKS
};

#define AFTER(id) (1u << (id))

/**
 * struct check - one thing that jobs need
 * @looked: where it looks
 * @needs:  checks that explain what it finds when they are bad, so that it need not
 * @anyway: a good result counts nevertheless
 * @opens:  it uses the device, and not the files of the machine
 */
struct check {
	const char *name;
	const char *looked;
	void (*run)(struct doctor *doctor, struct finding *finding);
	unsigned int needs;
	bool anyway;
	bool opens;
};

static const struct check checks[N_CHECKS] = {
	[BOARD] = { "board", "/proc/device-tree/compatible", check_board, .needs = 0 },
	[KERNEL] = { "kernel", "/proc/sys/kernel/osrelease", check_kernel, .needs = 0 },
	[ACCEL] = { "accel", "/sys/class/accel, /boot/config-*", check_accel,
		    .needs = AFTER(KERNEL) },
	[NODES] = { "nodes", "/proc/device-tree/npu@*", check_nodes, .needs = AFTER(BOARD) },
	[IOMMUS] = { "iommus", "/proc/device-tree/iommu@*", check_iommus,
		     .needs = AFTER(BOARD) | AFTER(NODES) },
	[IOMMU_DRIVER] = { "iommu-driver", "/sys/bus/platform/drivers/rk_iommu", check_iommu_driver,
			   .needs = AFTER(BOARD) | AFTER(KERNEL) },
	[OTHER_DRIVERS] = { "other-drivers", "/sys/bus/platform/devices/*.npu/driver",
			    check_other_drivers, .needs = AFTER(BOARD) },
	[MODULE] = { "module", "/sys/bus/platform/drivers, /lib/modules, modprobe.d", check_module,
		     .needs = AFTER(BOARD) | AFTER(KERNEL) | AFTER(ACCEL) },
	[BINDING] = { "binding", "/sys/bus/platform/devices/*.npu, devices_deferred", check_binding,
		      .needs = AFTER(BOARD) | AFTER(NODES) | AFTER(IOMMUS) | AFTER(IOMMU_DRIVER) |
		      AFTER(OTHER_DRIVERS) | AFTER(MODULE) },
	[NODE] = { "node", "/dev/accel", check_node,
		   .needs = AFTER(BOARD) | AFTER(MODULE) | AFTER(BINDING), .anyway = true },
	[MEMORY] = { "memory", "/proc/meminfo", check_memory, .needs = 0 },
	[DRIVER] = { "driver", "the device", check_driver, .needs = AFTER(NODE), .opens = true },
	[JOB] = { "job", "the device", check_job, .needs = AFTER(DRIVER), .opens = true },
};

static const char * const verdicts[] = {
	[GOOD] = "ok", [NOTED] = "note", [UNKNOWN] = "unknown", [BAD] = "BAD", [SKIPPED] = "skipped",
};

void append(char *text, size_t size, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

#define FIND(finding, kind, text, format) do { \
		va_list args; \
		(finding)->verdict = kind; \
		snprintf((finding)->fix, sizeof((finding)->fix), "%s", (text) ? (text) : ""); \
		va_start(args, format); \
		vsnprintf((finding)->found, sizeof((finding)->found), format, args); \
		va_end(args); \
	} while (0)

void find_bad(struct finding *finding, const char *fix, const char *format, ...)
{
	FIND(finding, BAD, fix, format);
}

void find_noted(struct finding *finding, const char *fix, const char *format, ...)
{
	FIND(finding, NOTED, fix, format);
}

void find_good(struct finding *finding, const char *format, ...)
{
	FIND(finding, GOOD, (const char *)NULL, format);
}

void find_unknown(struct finding *finding, const char *format, ...)
{
	FIND(finding, UNKNOWN, (const char *)NULL, format);
}

static void find_skipped(struct finding *finding, const char *format, ...)
{
	FIND(finding, SKIPPED, (const char *)NULL, format);
}

static bool stops(const struct finding *finding)
{
	return finding->verdict == BAD || finding->verdict == SKIPPED;
}

/* The first of the checks that @check needs and that are not well; N_CHECKS for none. */
static unsigned int missing(const struct finding *findings, unsigned int needs)
{
	unsigned int i = 0;

	while (i < N_CHECKS && !(needs >> i & 1 && stops(&findings[i])))
		i++;
	return i;
}

static void examine(struct doctor *doctor, struct finding *findings, enum check_id id)
{
	const struct check *check = &checks[id];
	struct finding *finding = &findings[id];
	/* the machine says nothing of the model, nor of a node with a name of its own */
	const bool elsewhere = id == DRIVER && strcmp(doctor->device, "accel");
	const unsigned int needed = elsewhere ? N_CHECKS : missing(findings, check->needs);

	if (check->opens && doctor->root[0]) {
		find_skipped(finding, "there are no devices below --root");
		return;
	}
	if (needed == N_CHECKS || check->anyway)
		check->run(doctor, finding);
	if (needed != N_CHECKS && (!check->anyway || finding->verdict != GOOD))
		find_skipped(finding, "see %s", checks[needed].name);
}

/* Jobs can run: shown by one, or by nothing that is bad where none can be tried. */
static bool is_well(const struct doctor *doctor, const struct finding *findings)
{
	if (!doctor->root[0])
		return findings[JOB].verdict == GOOD;
	for (unsigned int i = 0; i < N_CHECKS; i++)
		if (!checks[i].opens && stops(&findings[i]))
			return false;
	return true;
}

static const char *first_bad(const struct finding *findings)
{
	unsigned int i = 0;

	while (i < N_CHECKS - 1 && findings[i].verdict != BAD)
		i++;
	return checks[i].name;
}

static void print_text(const struct doctor *doctor, const struct finding *findings)
{
	for (unsigned int i = 0; i < N_CHECKS; i++) {
		printf("%-13s %-7s %s\n", checks[i].name, verdicts[findings[i].verdict],
		       findings[i].found);
		if (findings[i].verdict == BAD)
			printf("%21s looked at: %s\n", "", checks[i].looked);
		if (findings[i].fix[0])
			printf("%21s fix: %s\n", "", findings[i].fix);
	}
	if (is_well(doctor, findings))
		puts("doctor: jobs can run");
	else
		printf("doctor: jobs cannot run; begin with: %s\n", first_bad(findings));
}

static int print_json(const struct doctor *doctor, const struct finding *findings)
{
	const bool well = is_well(doctor, findings);
	struct json json;

	json_init(&json, stdout);
	json_begin_object(&json, NULL);
	json_bool(&json, "jobs_can_run", well);
	json_string(&json, "begin_with", well ? NULL : first_bad(findings));
	json_begin_array(&json, "checks");
	for (unsigned int i = 0; i < N_CHECKS; i++) {
		json_begin_object(&json, NULL);
		json_string(&json, "name", checks[i].name);
		json_string(&json, "verdict", verdicts[findings[i].verdict]);
		json_string(&json, "looked", checks[i].looked);
		json_string(&json, "found", findings[i].found);
		json_string(&json, "fix", findings[i].fix[0] ? findings[i].fix : NULL);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_end_object(&json);
	return json_finish(&json);
}

static int diagnose(const char *argv0, struct doctor *doctor, bool as_json)
{
	struct finding findings[N_CHECKS] = { 0 };

	root_read(doctor->root, doctor->release, sizeof(doctor->release),
		  "/proc/sys/kernel/osrelease");
	doctor->release[strcspn(doctor->release, "\n")] = '\0';
	doctor_read_tree(doctor);
	for (unsigned int i = 0; i < N_CHECKS; i++)
		examine(doctor, findings, i);
	if (!as_json)
		print_text(doctor, findings);
	else if (print_json(doctor, findings))
		return cmd_unusable(argv0, "the report could not be written");
	return is_well(doctor, findings) ? CMD_OK : CMD_FAILED;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor doctor = { .root = "", .device = "accel" };
	bool as_json = false;
	const struct opt opts[] = {
		{ "device", OPT_TEXT, &doctor.device, 0, "NAME",
		  "accel, a path or model, to run a job on (accel)" },
		{ "root", OPT_TEXT, &doctor.root, 0, "DIR",
		  "examine the files below DIR instead of the machine; no job is run" },
		{ "json", OPT_FLAG, &as_json, 0, NULL, "print JSON" },
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);
	int status;

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria doctor [OPTION]...\n\n"
		     "Find out why no job can run on an NPU here, and say what mends it. Checks come in\n"
		     "the order in which one thing needs another; mend the first bad one first.\n");
		opts_help(opts, n);
		puts("\nExit status: 0 when a job ran right, 1 when not, 2 for bad use.");
		return CMD_OK;
	}
	status = opts_parse(argc, argv, opts, n);
	if (status)
		return status;
	if (doctor.root[0] && !root_exists(doctor.root, "/."))
		return cmd_unusable(argv[0], "--root: there is no directory %s", doctor.root);
	if (!strchr(doctor.device, '/') && strcmp(doctor.device, "accel") &&
	    strcmp(doctor.device, "model"))
		return cmd_unusable(argv[0], "--device: \"%s\" is not accel, model or a path",
				    doctor.device);
	return diagnose(argv[0], &doctor, as_json);
}
