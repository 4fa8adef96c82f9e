// SPDX-License-Identifier: MIT
/* scoria info: what device is here, and what it and its driver say of themselves. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <scoria/scoria.h>

#include "../lib/scoria/device.h"
#include "cmd.h"
#include "json.h"
#include "opts.h"

static const char *interface_text(const struct scoria_device *dev, const struct device_facts *facts)
{
	if (!strcmp(scoria_device_name(dev), "model"))
		return "none: the library calls the model";
	if (facts->native)
		return "native ioctls, and rocket's";
	return facts->rewrites ? "rocket's ioctls only: the module is older than its native ones"
			       : "rocket's ioctls only";
}

/* "0 1 2" */
static const char *core_list(uint32_t mask, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; mask >> i && used < size; i++)
		if (mask >> i & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%u", used ? " " : "", i);
	return text;
}

static void print_hardware(const struct device_facts *facts)
{
	char cores[32];

	if (facts->hw_version)
		printf("  hardware        version %#010x\n", facts->hw_version);
	if (facts->cores)
		printf("  cores           %u: %s\n", facts->cores,
		       core_list(facts->core_mask, cores, sizeof(cores)));
	if (facts->clock_hz)
		printf("  clock           %.0f MHz, or was when a core was last powered\n",
		       (double)facts->clock_hz / 1e6);
	if (facts->address_end)
		printf("  NPU addresses   %#" PRIx64 " to %#" PRIx64 "\n", facts->address_start,
		       facts->address_end - 1);
	if (facts->native)
		printf("  features        %#" PRIx64 "\n", facts->features);
	if (!facts->cores)
		puts("  hardware        the driver does not tell version, cores and clock");
}

static void print_text(const struct scoria_device *dev, const struct device_facts *facts)
{
	struct utsname name;

	uname(&name);
	printf("device %s\n", scoria_device_name(dev));
	if (facts->node[0])
		printf("  node            %s\n", facts->node);
	if (facts->node[0])
		printf("  driver          %s %d.%d, %s\n", facts->name, facts->major, facts->minor,
		       facts->description);
	else
		printf("  driver          %s, %s\n", facts->name, facts->description);
	printf("  interface       %s\n", interface_text(dev, facts));
	print_hardware(facts);
	for (unsigned int i = 0; i < facts->n_limits; i++)
		printf("%s%s %" PRId64, i % 4 ? ", " : i ? ",\n                  " :
		       "  limits          ", facts->limits[i].name, facts->limits[i].value);
	printf("%s  kernel          %s %s %s\n", facts->n_limits ? "\n" : "", name.sysname,
	       name.release, name.machine);
}

static void json_hardware(struct json *json, const struct device_facts *facts)
{
	char version[16];

	snprintf(version, sizeof(version), "0x%08x", facts->hw_version);
	json_string(json, "hw_version", facts->hw_version ? version : NULL);
	json_uint(json, "cores", facts->cores);
	json_uint(json, "core_mask", facts->core_mask);
	json_uint(json, "clock_hz", facts->clock_hz);
	json_uint(json, "address_start", facts->address_start);
	json_uint(json, "address_end", facts->address_end);
	json_uint(json, "features", facts->features);
	json_begin_object(json, "limits");
	for (unsigned int i = 0; i < facts->n_limits; i++)
		json_int(json, facts->limits[i].name, facts->limits[i].value);
	json_end_object(json);
}

static int print_json(const struct scoria_device *dev, const struct device_facts *facts)
{
	struct utsname name;
	struct json json;

	uname(&name);
	json_init(&json, stdout);
	json_begin_object(&json, NULL);
	json_string(&json, "device", scoria_device_name(dev));
	json_string(&json, "node", facts->node[0] ? facts->node : NULL);
	json_begin_object(&json, "driver");
	json_string(&json, "name", facts->name);
	json_int(&json, "major", facts->major);
	json_int(&json, "minor", facts->minor);
	json_string(&json, "description", facts->description);
	json_bool(&json, "native", facts->native);
	json_end_object(&json);
	json_hardware(&json, facts);
	json_string(&json, "kernel", name.release);
	json_string(&json, "architecture", name.machine);
	json_end_object(&json);
	return json_finish(&json);
}

static int report(const char *argv0, const char *device, bool as_json)
{
	const struct scoria_device_opts opts = { .size = sizeof(opts) };
	struct device_facts facts;
	struct scoria_device *dev;
	int err = 0;

	if (scoria_device_open(device, &opts, &dev))
		return cmd_unusable(argv0, "%s (scoria doctor says why; --device model is always there)",
				    scoria_error());
	device_facts(dev, &facts);
	if (as_json)
		err = print_json(dev, &facts);
	else
		print_text(dev, &facts);
	scoria_device_close(dev);
	return err ? cmd_unusable(argv0, "the report could not be written") : CMD_OK;
}

int cmd_info(int argc, char **argv)
{
	const char *device = "accel";
	bool as_json = false;
	const struct opt opts[] = {
		{ "device", OPT_TEXT, &device, 0, "NAME", "accel, a path or model (accel)" },
		{ "json", OPT_FLAG, &as_json, 0, NULL, "print JSON" },
	};
	const size_t n = sizeof(opts) / sizeof(opts[0]);
	int status;

	if (cmd_wants_help(argc, argv)) {
		puts("usage: scoria info [OPTION]...\n\n"
		     "Print what device is here: driver, interface, cores, clock, limits.\n");
		opts_help(opts, n);
		return CMD_OK;
	}
	status = opts_parse(argc, argv, opts, n);
	return status ? status : report(argv[0], device, as_json);
}
