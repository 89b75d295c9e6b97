/* SPDX-License-Identifier: MIT */
/*
 * Parses the JSON in a file's metadata, by json-c. The text is untrusted: its size, its depth and
 * the memory for its values are limited, and any error gives NULL. The caller releases the result
 * with json_object_put().
 */
#ifndef TRAWL_DECODE_BASE_JDOC_H
#define TRAWL_DECODE_BASE_JDOC_H

#include <json-c/json.h>

#include "format/trawl.h"

/* The limit on the memory of all documents that are not released; initially 256 MiB. */
void jdoc_limit(uint64_t bytes);
/*
 * Parses a text that is one value. Returns NULL for an error or null; errno is ENOMEM if memory ran
 * out. A document that exceeds the limit is an error, which out_lacked_memory() notes.
 */
struct json_object *jdoc_parse(const void *text, size_t len);
/* Parses the metadata with this name. Returns NULL if there is none, or it is not JSON. */
struct json_object *jdoc_meta(const struct trawl_reader *r, const char *name);
/*
 * Returns the next description of what trawl-edit did to the file, from metadata *i on; NULL: there
 * is none.
 */
struct json_object *jdoc_next_edit(const struct trawl_reader *r, size_t *i);
/* Whether the file was damaged, and trawl-edit could not find out all that is missing. */
bool jdoc_edits_lack_more(const struct trawl_reader *r);

/*
 * Accessors. For NULL or a wrong type they return NULL, 0, "", or the default. What they return is
 * owned by the object.
 */
struct json_object *jdoc_get(const struct json_object *object, const char *key);
size_t jdoc_count(const struct json_object *array);
const char *jdoc_string(const struct json_object *object, const char *key);
int64_t jdoc_int(const struct json_object *object, const char *key, int64_t otherwise);
uint64_t jdoc_uint(const struct json_object *object, const char *key, uint64_t otherwise);

#endif
