/* SPDX-License-Identifier: MIT */
/*
 * The JSON that is in a file's metadata, read by json-c. The text is foreign: its size and depth
 * are bounded, and anything wrong gives NULL. Release what is returned with json_object_put().
 */
#ifndef TRAWL_DECODE_BASE_JDOC_H
#define TRAWL_DECODE_BASE_JDOC_H

#include <json-c/json.h>

#include "format/trawl.h"

/* The whole text is one value; NULL if it is not (or is null), with errno ENOMEM without memory. */
struct json_object *jdoc_parse(const void *text, size_t len);
/* The metadata of that name; NULL if the file has none, or it is no JSON. */
struct json_object *jdoc_meta(const struct trawl_reader *r, const char *name);

/* All take NULL and the wrong type, and then give NULL, 0, "", or the default. What they point to
 * belongs to the object. */
struct json_object *jdoc_get(const struct json_object *object, const char *key);
size_t jdoc_count(const struct json_object *array);
const char *jdoc_string(const struct json_object *object, const char *key);
int64_t jdoc_int(const struct json_object *object, const char *key, int64_t otherwise);
uint64_t jdoc_uint(const struct json_object *object, const char *key, uint64_t otherwise);

#endif
