/* SPDX-License-Identifier: MIT */
/*
 * The names that a program has for an argument's values, from the metadata of its probe: text shows
 * color=RED, JSON the number.
 */
#ifndef TRAWL_DECODE_KERNEL_ENUMNAMES_H
#define TRAWL_DECODE_KERNEL_ENUMNAMES_H

#include <json-c/json.h>

#include "decode/base/layout.h"

struct enum_names;

/*
 * Gives the fields of *l their texts (shown.written), for those of "args" that have "values". Names
 * point into args. NULL if there are none, or memory runs out: then numbers are shown.
 */
struct enum_names *enum_names_new(const struct json_object *args, struct layout *l);
/* At its sites the value is only so many low bytes of the field. */
void enum_names_narrow(struct enum_names *e, const struct shown *field, size_t size);

/* Tells the fields of "args" that have "when" when they have a value (shown.when). */
void alternatives_read(const struct json_object *args, struct layout *l);

void enum_names_free(struct enum_names *e);

#endif
