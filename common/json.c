/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/array.h"
#include "common/utf8.h"

static void put(struct json *j, const char *bytes, size_t len)
{
	if (!array_reserve(j->text, j->size, j->len + len + 1)) {
		fputs("trawl: out of memory; end other programs\n", stderr);
		exit(3);
	}
	memcpy(j->text + j->len, bytes, len);
	j->len += len;
	j->text[j->len] = '\0';
}

static void put_str(struct json *j, const char *s)
{
	put(j, s, strlen(s));
}

static void put_quoted(struct json *j, const char *s, size_t len)
{
	put(j, "\"", 1);
	while (len) {
		size_t bad, n = utf8_length((const unsigned char *)s, len, &bad);
		char esc[8];

		if (!n) {
			put_str(j, "\xef\xbf\xbd");
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			esc[0] = '\\';
			esc[1] = *s;
			put(j, esc, 2);
		} else if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			snprintf(esc, sizeof(esc), "\\u%04x", *s);
			put_str(j, esc);
		} else {
			put(j, s, n);
		}
		s += n;
		len -= n;
	}
	put(j, "\"", 1);
}

static void begin(struct json *j, const char *name)
{
	if (j->comma)
		put(j, ",", 1);
	if (name) {
		put_quoted(j, name, strlen(name));
		put(j, ":", 1);
	}
	j->comma = true;
}

static void open_level(struct json *j, const char *name, const char *opener, char closer)
{
	begin(j, name);
	assert(j->depth < sizeof(j->closers));
	put(j, opener, 1);
	j->closers[j->depth++] = closer;
	j->comma = false;
}

void json_object(struct json *j, const char *name)
{
	open_level(j, name, "{", '}');
}

void json_array(struct json *j, const char *name)
{
	open_level(j, name, "[", ']');
}

void json_end(struct json *j)
{
	assert(j->depth);
	put(j, &j->closers[--j->depth], 1);
	j->comma = true;
}

void json_bytes(struct json *j, const char *name, const char *value, size_t len)
{
	begin(j, name);
	put_quoted(j, value, len);
}

void json_string(struct json *j, const char *name, const char *value)
{
	json_bytes(j, name, value, strlen(value));
}

static void put_number(struct json *j, const char *name, const char *digits)
{
	begin(j, name);
	put_str(j, digits);
}

void json_uint(struct json *j, const char *name, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	put_number(j, name, digits);
}

void json_int(struct json *j, const char *name, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	put_number(j, name, digits);
}

void json_bool(struct json *j, const char *name, bool value)
{
	put_number(j, name, value ? "true" : "false");
}

void json_members(struct json *j, const struct json *members)
{
	if (!members->len)
		return;
	begin(j, NULL);
	put(j, members->text, members->len);
}

void json_free(struct json *j)
{
	free(j->text);
	*j = (struct json){ 0 };
}
