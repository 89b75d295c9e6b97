/* SPDX-License-Identifier: MIT */
/* The sources of a session, made from the -i texts. */
#ifndef TRAWL_CAPTURE_SESSION_INPUTS_H
#define TRAWL_CAPTURE_SESSION_INPUTS_H

#include "capture/cli/options.h"
#include "capture/source.h"

/*
 * Groups the -i texts by source. Hidden sources come first: they start before the others. Returns
 * 0, or -1 with *err; *inputs and *n are valid for inputs_free() in any case.
 */
int inputs_make(struct input **inputs, size_t *n, const struct options *o, struct session *s,
		struct trawl_error *err);
void inputs_free(struct input *inputs, size_t n);

/* Checks the texts' syntax and that this machine can record them. 0, or -1 with *err. */
int inputs_probe(const struct input *inputs, size_t n, struct trawl_error *err);
bool inputs_use_tracefs(const struct input *inputs, size_t n);

#endif
