/* SPDX-License-Identifier: MIT */
/*
 * A writer of JSON for the --json of every command. It puts commas and
 * indentation; the caller keeps begin and end in pairs.
 *
 *	struct json json;
 *
 *	json_init(&json, stdout);
 *	json_begin_object(&json, NULL);
 *	json_int(&json, "tasks", 3);
 *	json_begin_array(&json, "errors");
 *	json_number(&json, NULL, 0.25);
 *	json_end_array(&json);
 *	json_end_object(&json);
 *	return json_finish(&json);
 *
 * The key is NULL inside an array and at the top.
 */
#ifndef SCORIA_JSON_H
#define SCORIA_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *file;
	unsigned int depth;
	bool first;		/* nothing was written at this depth yet */
};

void json_init(struct json *json, FILE *file);

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/* A string is UTF-8, or NULL for null; bytes that are not become U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);
void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);

/* The shortest form that reads back as the same double; nan and inf are null. */
void json_number(struct json *json, const char *key, double value);

/* End the text with a newline; 0, or -EIO when something was not written. */
int json_finish(struct json *json);

#endif
