// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

void json_init(struct json *json, FILE *file)
{
	*json = (struct json){ .file = file, .first = true };
}

/*
 * Length of the UTF-8 sequence at @s, 0 when there is no valid one. Longer
 * forms than needed, surrogates and values above U+10FFFF are not valid.
 */
static size_t utf8_length(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 :
			s[0] >> 3 == 30 ? 4 : 0;
	uint32_t code;

	if (length < 2)
		return length;
	code = s[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return length;
}

static void put_ascii(FILE *file, unsigned char c)
{
	static const char escaped[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *found = c ? strchr(escaped, c) : NULL;

	if (found)
		fprintf(file, "\\%c", letters[found - escaped]);
	else if (c < 0x20 || c == 0x7f)
		fprintf(file, "\\u%04x", c);
	else
		putc(c, file);
}

static void put_string(FILE *file, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	putc('"', file);
	while (*s) {
		size_t length = utf8_length(s);

		if (length == 1)
			put_ascii(file, *s);
		else if (length)
			fwrite(s, 1, length, file);
		else
			fputs("\\ufffd", file);
		s += length ? length : 1;
	}
	putc('"', file);
}

static void put_line(struct json *json)
{
	putc('\n', json->file);
	for (unsigned int i = 0; i < json->depth; i++)
		fputs("  ", json->file);
}

/* What stands before a value: comma, line, key. */
static void put_prefix(struct json *json, const char *key)
{
	if (!json->first)
		putc(',', json->file);
	if (json->depth)
		put_line(json);
	json->first = false;
	if (key) {
		put_string(json->file, key);
		fputs(": ", json->file);
	}
}

static void begin(struct json *json, const char *key, char bracket)
{
	put_prefix(json, key);
	putc(bracket, json->file);
	json->depth++;
	json->first = true;
}

static void end(struct json *json, char bracket)
{
	json->depth--;
	if (!json->first)
		put_line(json);
	putc(bracket, json->file);
	json->first = false;
}

void json_begin_object(struct json *json, const char *key)
{
	begin(json, key, '{');
}

void json_end_object(struct json *json)
{
	end(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
	begin(json, key, '[');
}

void json_end_array(struct json *json)
{
	end(json, ']');
}

void json_string(struct json *json, const char *key, const char *value)
{
	put_prefix(json, key);
	if (value)
		put_string(json->file, value);
	else
		fputs("null", json->file);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	put_prefix(json, key);
	fprintf(json->file, "%" PRId64, value);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
	put_prefix(json, key);
	fprintf(json->file, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	put_prefix(json, key);
	fputs(value ? "true" : "false", json->file);
}

void json_number(struct json *json, const char *key, double value)
{
	char text[32];

	put_prefix(json, key);
	if (!isfinite(value)) {
		fputs("null", json->file);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, json->file);
}

int json_finish(struct json *json)
{
	putc('\n', json->file);
	return fflush(json->file) || ferror(json->file) ? -EIO : 0;
}
