/* SPDX-License-Identifier: MIT */
/* The sources of a session, made from the -i texts. */
#ifndef TRAWL_CAPTURE_SESSION_INPUTS_H
#define TRAWL_CAPTURE_SESSION_INPUTS_H

#include "capture/cli/options.h"
#include "capture/source.h"

/*
 * Groups the -i texts by source; hidden sources come first, so that they see it all. What has
 * been made goes to *inputs and *n in any case, for inputs_free().
 */
int inputs_make(struct input **inputs, size_t *n, const struct options *o, struct session *s,
		struct trawl_error *err);
void inputs_free(struct input *inputs, size_t n);

/* Can this machine do all of it? 0, or -1 with *err. */
int inputs_probe(const struct input *inputs, size_t n, struct trawl_error *err);
bool inputs_use_tracefs(const struct input *inputs, size_t n);

#endif
