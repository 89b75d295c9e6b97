/* SPDX-License-Identifier: MIT */
#include "decode/base/jdoc.h"

#include <errno.h>
#include <string.h>

#include "decode/base/output.h"

enum { DEPTH = 64, SIZE_LIMIT = 16 << 20 };

/* Bytes that json-c allocates, at most. A member is a value with a key. */
enum { OBJECT_BYTES = 792, ARRAY_BYTES = 152, VALUE_BYTES = 104, MEMBER_BYTES = 112 };

/* The documents of this process that are not released yet. */
static struct { uint64_t most, used; } memory = {.most = 256 << 20};

void jdoc_limit(uint64_t bytes)
{
	memory.most = bytes;
}

/*
 * How much memory the values of a text take, before they are made. UINT64_MAX: the text is not
 * JSON, but json-c takes names in single quotes.
 */
static uint64_t tree_bytes(const char *text, size_t len)
{
	uint64_t bytes = VALUE_BYTES;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '"') {
			quoted = !quoted;
		} else if (c == '\'' && !quoted) {
			return UINT64_MAX;
		} else if (quoted) {
			bytes++;
			i += c == '\\';
		} else if (c == '{') {
			bytes += OBJECT_BYTES + VALUE_BYTES;
		} else if (c == '[') {
			bytes += ARRAY_BYTES + VALUE_BYTES;
		} else if (c == ',' || c == ':') {
			bytes += c == ',' ? VALUE_BYTES : MEMBER_BYTES;
		}
	}
	return bytes;
}

static void release(struct json_object *o, void *bytes)
{
	(void)o;
	memory.used -= (uintptr_t)bytes;
}

/* Counts a document until it is released; not a single value, which is no larger than its text. */
static void count(struct json_object *o, uint64_t bytes)
{
	if (!json_object_is_type(o, json_type_object) && !json_object_is_type(o, json_type_array))
		return;
	memory.used += bytes;
	json_object_set_userdata(o, (void *)(uintptr_t)bytes, release);
}

struct json_object *jdoc_parse(const void *text, size_t len)
{
	uint64_t bytes = len <= SIZE_LIMIT ? tree_bytes(text, len) : 0;
	struct json_tokener *t;
	struct json_object *o;
	bool wrong;

	errno = EINVAL;
	if (bytes == UINT64_MAX)
		return NULL;
	if (memory.used > memory.most || bytes > memory.most - memory.used) {
		out_exceed_memory();
		return NULL;
	}
	t = len <= SIZE_LIMIT ? json_tokener_new_ex(DEPTH) : NULL;
	if (!t) {
		if (len <= SIZE_LIMIT)
			out_lack_memory();
		return NULL;
	}
	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(t, text, (int)len);
	/* the parser needs a further byte to find the end of a number */
	if (json_tokener_get_error(t) == json_tokener_continue)
		o = json_tokener_parse_ex(t, "", 1);
	/* json-c does not report that memory ran out, and may have left out values */
	if (errno == ENOMEM)
		out_lack_memory();
	wrong = json_tokener_get_error(t) != json_tokener_success || errno == ENOMEM;
	if (wrong) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(t);
	count(o, bytes);
	return o;
}

struct json_object *jdoc_next_edit(const struct trawl_reader *r, size_t *i)
{
	while (*i < trawl_meta_count(r)) {
		const struct trawl_meta *m = trawl_meta_at(r, (*i)++);
		struct json_object *doc =
			strncmp(m->name, "edit/", 5) ? NULL : jdoc_parse(m->data, m->len);

		if (doc)
			return doc;
	}
	return NULL;
}

bool jdoc_edits_lack_more(const struct trawl_reader *r)
{
	bool lacks = false;
	size_t i = 0;

	for (struct json_object *doc; (doc = jdoc_next_edit(r, &i));) {
		lacks |= json_object_get_boolean(jdoc_get(doc, "more_lost"));
		json_object_put(doc);
	}
	return lacks;
}

struct json_object *jdoc_meta(const struct trawl_reader *r, const char *name)
{
	const struct trawl_meta *m = trawl_meta_find(r, name);

	return m ? jdoc_parse(m->data, m->len) : NULL;
}

struct json_object *jdoc_get(const struct json_object *object, const char *key)
{
	struct json_object *member;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &member))
		return NULL;
	return member;
}

size_t jdoc_count(const struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

const char *jdoc_string(const struct json_object *object, const char *key)
{
	struct json_object *o = jdoc_get(object, key);

	return json_object_is_type(o, json_type_string) ? json_object_get_string(o) : "";
}

uint64_t jdoc_uint(const struct json_object *object, const char *key, uint64_t otherwise)
{
	const struct json_object *o = jdoc_get(object, key);

	if (!json_object_is_type(o, json_type_int) || json_object_get_int64(o) < 0)
		return otherwise;
	return json_object_get_uint64(o);
}

int64_t jdoc_int(const struct json_object *object, const char *key, int64_t otherwise)
{
	const struct json_object *o = jdoc_get(object, key);

	if (!json_object_is_type(o, json_type_int) || json_object_get_uint64(o) > INT64_MAX)
		return otherwise;
	return json_object_get_int64(o);
}
