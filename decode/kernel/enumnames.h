/* SPDX-License-Identifier: MIT */
/*
 * Enumeration names of probe arguments, from the probe's metadata: text output shows color=RED,
 * JSON the number.
 */
#ifndef TRAWL_DECODE_KERNEL_ENUMNAMES_H
#define TRAWL_DECODE_KERNEL_ENUMNAMES_H

#include <json-c/json.h>

#include "decode/base/eventlayout.h"

struct enum_names;

/*
 * Sets shown.written of the fields in *l whose argument in "args" has "values". The names point
 * into args, which must outlive the result. Returns NULL if there are none or memory runs out; the
 * numbers are then shown.
 */
struct enum_names *enum_names_new(const struct json_object *args, struct event_layout *l);
/*
 * At some sites the value occupies only the `size` low bytes of the field; names are then looked up
 * by these.
 */
void enum_names_narrow(struct enum_names *e, const struct shown *field, size_t size);

/*
 * Sets shown.when of the fields whose argument in "args" has "when": the condition under which the
 * argument has a value.
 */
void alternatives_read(const struct json_object *args, struct event_layout *l);

void enum_names_free(struct enum_names *e);

#endif
