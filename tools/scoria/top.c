// SPDX-License-Identifier: MIT
/* The keys are those of the kernel's Documentation/gpu/drm-usage-stats.rst. */
#include "top.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/timing.h"
#include "root.h"

#define DRIVER		"rocket"	/* the name of the interface: scoria's and the in-tree driver */
#define ENGINE_KEY	"drm-engine-"
#define CAPACITY_KEY	"drm-engine-capacity-"

static unsigned int engine_index(struct top_sample *sample, const char *name)
{
	unsigned int i = 0;

	while (i < sample->n_engines && strcmp(sample->engines[i], name))
		i++;
	if (i == sample->n_engines && i < TOP_ENGINES)
		snprintf(sample->engines[sample->n_engines++], sizeof(sample->engines[0]), "%s", name);
	return i;
}

static uint64_t read_bytes(const char *value)
{
	char unit[8] = "";
	uint64_t number = 0;

	sscanf(value, "%" SCNu64 " %7s", &number, unit);
	if (!strcmp(unit, "KiB"))
		return number << 10;
	return strcmp(unit, "MiB") ? number : number << 20;
}

/* Regions are added up; a driver of an NPU has one. */
static void take_key(struct top_sample *sample, struct top_client *client, const char *key,
		     const char *value)
{
	if (!strcmp(key, "drm-client-id")) {
		client->id = strtoull(value, NULL, 10);
	} else if (!strncmp(key, "drm-total-", 10) && strncmp(key, "drm-total-cycles-", 17)) {
		client->total += read_bytes(value);
	} else if (!strncmp(key, "drm-resident-", 13)) {
		client->resident += read_bytes(value);
	} else if (!strncmp(key, ENGINE_KEY, strlen(ENGINE_KEY)) &&
		   strncmp(key, CAPACITY_KEY, strlen(CAPACITY_KEY))) {
		const unsigned int i = engine_index(sample, key + strlen(ENGINE_KEY));

		if (i < TOP_ENGINES)
			client->busy_ns[i] = strtoull(value, NULL, 10);
	}
}

/* Value of a line "key: value", whose key it ends; NULL for another line. */
static char *split(char *line)
{
	char *value = strchr(line, ':');

	if (!value)
		return NULL;
	*value++ = '\0';
	while (isspace((unsigned char)*value))
		value++;
	return value;
}

/* False for the file of another driver. */
static bool parse(struct top_sample *sample, char *text, struct top_client *client)
{
	bool ours = false;
	char *save, *line;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *value = split(line);

		if (value && !strcmp(line, "drm-driver"))
			ours = !strcmp(value, DRIVER);
		else if (value && ours)
			take_key(sample, client, line, value);
	}
	return ours;
}

static const struct top_client *find_client(const struct top_sample *sample, uint64_t id)
{
	for (size_t i = 0; i < sample->n_clients; i++)
		if (sample->clients[i].id == id)
			return &sample->clients[i];
	return NULL;
}

static int add_client(struct top_sample *sample, const struct top_client *client)
{
	if (sample->n_clients == sample->room) {
		const size_t room = sample->room ? 2 * sample->room : 16;
		struct top_client *clients = realloc(sample->clients, room * sizeof(*clients));

		if (!clients)
			return -ENOMEM;
		sample->clients = clients;
		sample->room = room;
	}
	sample->clients[sample->n_clients++] = *client;
	return 0;
}

static int take_file(struct top_sample *sample, const char *root, const char *pid, const char *fd)
{
	struct top_client client = { .pid = atoi(pid) };
	char text[4096];

	/* most files of most processes are something else */
	if (!root_link(root, text, sizeof(text), "/proc/%s/fd/%s", pid, fd) ||
	    strncmp(text, "accel", 5))
		return 0;
	if (root_read(root, text, sizeof(text), "/proc/%s/fdinfo/%s", pid, fd) <= 0 ||
	    !parse(sample, text, &client) || find_client(sample, client.id))
		return 0;
	root_read(root, client.comm, sizeof(client.comm), "/proc/%s/comm", pid);
	client.comm[strcspn(client.comm, "\n")] = '\0';
	return add_client(sample, &client);
}

static int take_process(struct top_sample *sample, const char *root, const char *pid)
{
	DIR *dir = root_opendir(root, "/proc/%s/fd", pid);
	const char *fd;
	int err = 0;

	if (!dir) {
		sample->hidden += errno == EACCES || errno == EPERM;
		return 0;
	}
	for (fd = root_readdir(dir); fd && !err; fd = root_readdir(dir))
		err = take_file(sample, root, pid, fd);
	closedir(dir);
	return err;
}

int top_sample_take(struct top_sample *sample, const char *root)
{
	DIR *dir = root_opendir(root, "/proc");
	const char *name;
	int err = 0;

	*sample = (struct top_sample){ .seconds = timing_now() };
	if (!dir)
		return -errno;
	for (name = root_readdir(dir); name && !err; name = root_readdir(dir))
		if (isdigit((unsigned char)name[0]))
			err = take_process(sample, root, name);
	closedir(dir);
	return err;
}

void top_sample_free(struct top_sample *sample)
{
	free(sample->clients);
	*sample = (struct top_sample){ 0 };
}

uint64_t top_worked(const struct top_sample *before, const struct top_sample *now,
		    const struct top_client *client, unsigned int engine)
{
	const struct top_client *old = find_client(before, client->id);
	uint64_t then = 0;

	for (unsigned int i = 0; old && i < before->n_engines; i++)
		if (!strcmp(before->engines[i], now->engines[engine]))
			then = old->busy_ns[i];
	return client->busy_ns[engine] > then ? client->busy_ns[engine] - then : 0;
}
