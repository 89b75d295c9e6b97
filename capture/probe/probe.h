/* SPDX-License-Identifier: MIT */
/*
 * A probe: what one uprobe: or usdt: spec means on this machine, ready for tracefs' uprobe_events.
 *
 * Resolution only reads: ELF files, DWARF, /proc. It never touches tracefs. Files are opened by the
 * caller, and read by a process without privileges (apart.h). The order of use:
 *
 *	spec_parse(text, &spec, &err);
 *	probe_resolve(&spec, &list, &err);              // for each -i; the list grows
 *	for each list.probes[i], for each site:
 *		probe_definition(p, site, group, line, sizeof(line), &err);
 *		write(uprobe_events opened O_WRONLY | O_APPEND, line, strlen(line));
 *	char *json = probe_meta_json(p);                // metadata "probe/SOURCE/<display_name>"
 *	probe_list_free(&list);
 *
 * All sites of a probe go into one event (the kernel appends a further site to an event of the
 * same name if argument names and types are equal, and they are). The definition names the file
 * as /proc/self/fd/N, so that deleted files, memfds and paths with blanks work: write it from the
 * process that resolved the probe, before probe_list_free().
 */
#ifndef TRAWL_CAPTURE_PROBE_PROBE_H
#define TRAWL_CAPTURE_PROBE_PROBE_H

#include <stddef.h>

#include "capture/cli/spec.h"
#include "capture/probe/definition.h"
#include "capture/probe/list.h"
#include "capture/probe/types.h"
#include "format/trawl.h"

/*
 * Adds what spec (uprobe or usdt) stands for to the list, which starts as all zero. At most limit
 * probes, 0 for PROBE_GLOB_LIMIT; more is an error that says so. On failure the list is as before.
 */
int probe_resolve(const struct spec *spec, size_t limit, struct probe_list *list,
		  struct trawl_error *err);

/* The same within this process, whatever is in the files: for harnesses. */
int probe_resolve_here(const struct spec *spec, size_t limit, struct probe_list *list,
		       struct trawl_error *err);

/* The metadata "probe/SOURCE/<display_name>" (docs/format.md); malloc'd, never NULL. */
char *probe_meta_json(const struct probe *p);

#endif
