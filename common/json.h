/* SPDX-License-Identifier: MIT */
/*
 * Builds a JSON text for metadata. Strings may have any bytes: invalid UTF-8 becomes U+FFFD. These
 * texts are small; if memory runs out the program exits with status 3.
 *
 *	struct json j = { 0 };
 *	json_object(&j, NULL);
 *	json_string(&j, "release", "6.18");
 *	json_end(&j);
 *	... j.text, j.len ...
 *	json_free(&j);
 */
#ifndef TRAWL_COMMON_JSON_H
#define TRAWL_COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *text; /* NUL-terminated once anything was added */
	size_t len, size;
	unsigned int depth;
	char closers[32];
	bool comma; /* the next value needs a comma before it */
};

/* Append a value. name: of the member in an object; NULL in an array and at the top level. */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_end(struct json *j); /* ends the innermost object or array */
void json_string(struct json *j, const char *name, const char *value);
void json_bytes(struct json *j, const char *name, const char *value, size_t len);
void json_uint(struct json *j, const char *name, uint64_t value);
void json_int(struct json *j, const char *name, int64_t value);
void json_bool(struct json *j, const char *name, bool value);
/* Appends members that were built in another struct json, outside of an object. */
void json_members(struct json *j, const struct json *members);
void json_free(struct json *j);

#endif
