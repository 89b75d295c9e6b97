/* SPDX-License-Identifier: MIT */
/* A probe as uprobe_events takes it. */
#ifndef TRAWL_CAPTURE_PROBE_DEFINITION_H
#define TRAWL_CAPTURE_PROBE_DEFINITION_H

#include <stddef.h>

#include "capture/probe/types.h"
#include "format/trawl.h"

/*
 * The line for uprobe_events, with its newline: "p:GROUP/EVENT /proc/self/fd/5:0x11a0(0x301c) ...".
 * size should be PROBE_DEFINITION_MAX + 1.
 */
int probe_definition(const struct probe *p, size_t site, const char *group, char *buf, size_t size,
		     struct trawl_error *err);

#endif
