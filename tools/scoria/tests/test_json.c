// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "../json.h"
#include "../../testing/model/tests/tap.h"

/* A writer into memory, and the text once finished. */
struct capture {
	struct json json;
	char *text;
	size_t size;
	FILE *file;
};

static void start(struct capture *c)
{
	c->file = open_memstream(&c->text, &c->size);
	json_init(&c->json, c->file);
}

static void expect_text(struct capture *c, const char *want)
{
	EXPECT_EQ(0, json_finish(&c->json));
	if (strcmp(want, c->text))
		TAP_FAIL("want %s, got %s", want, c->text);
	fclose(c->file);
	free(c->text);
}

static void expect_string(const char *value, const char *want)
{
	struct capture c;

	start(&c);
	json_string(&c.json, NULL, value);
	expect_text(&c, want);
}

static void expect_number(double value, const char *want)
{
	struct capture c;

	start(&c);
	json_number(&c.json, NULL, value);
	expect_text(&c, want);
}

TEST(strings_are_escaped)
{
	expect_string("a\"b\\c", "\"a\\\"b\\\\c\"\n");
	expect_string("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"\n");
	expect_string("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"\n");
	expect_string("", "\"\"\n");
	expect_string(NULL, "null\n");
}

TEST(utf8_passes_and_what_is_none_is_replaced)
{
	expect_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		      "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n");
	expect_string("\xff", "\"\\ufffd\"\n");
	expect_string("\xc3", "\"\\ufffd\"\n");		/* cut short */
	expect_string("\xc0\x80", "\"\\ufffd\\ufffd\"\n");	/* longer than needed */
	expect_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n");	/* surrogate */
	expect_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

TEST(numbers_are_short_exact_and_null_when_not_finite)
{
	expect_number(0.1, "0.1\n");
	expect_number(1.0 / 3, "0.3333333333333333\n");
	expect_number(-2, "-2\n");
	expect_number(5e-324, "5e-324\n");
	expect_number(NAN, "null\n");
	expect_number(INFINITY, "null\n");
	expect_number(-INFINITY, "null\n");
}

TEST(integers_reach_their_limits)
{
	struct capture c;

	start(&c);
	json_begin_array(&c.json, NULL);
	json_int(&c.json, NULL, INT64_MIN);
	json_uint(&c.json, NULL, UINT64_MAX);
	json_end_array(&c.json);
	expect_text(&c, "[\n  -9223372036854775808,\n  18446744073709551615\n]\n");
}

TEST(nesting_places_commas_and_keys)
{
	struct capture c;

	start(&c);
	json_begin_object(&c.json, NULL);
	json_bool(&c.json, "a", true);
	json_begin_array(&c.json, "b");
	json_end_array(&c.json);
	json_begin_object(&c.json, "c");
	json_bool(&c.json, "d\n", false);
	json_end_object(&c.json);
	json_end_object(&c.json);
	expect_text(&c,
		    "{\n  \"a\": true,\n  \"b\": [],\n  \"c\": {\n    \"d\\n\": false\n  }\n}\n");
}

TEST(a_full_disk_is_reported)
{
	FILE *full = fopen("/dev/full", "w");
	struct json json;

	if (!full)
		SKIP("no /dev/full");
	json_init(&json, full);
	json_bool(&json, NULL, true);
	EXPECT(json_finish(&json) < 0);
	fclose(full);
}

TEST_MAIN()
