/* SPDX-License-Identifier: MIT */
/*
 * Probes: what a uprobe: or usdt: spec means on this machine, in the form that tracefs'
 * uprobe_events takes.
 *
 * Resolving only reads: ELF files, DWARF, /proc. It never touches tracefs. The calling process
 * opens the files; a process without privileges parses them (apart.h). The order of use:
 *
 *	spec_parse(text, &spec, &err);
 *	probe_resolve(&spec, &list, &err);              // for each -i; the list grows
 *	for each list.probes[i], for each site:
 *		probe_definition(p, site, group, line, sizeof(line), &err);
 *		write(uprobe_events opened O_WRONLY | O_APPEND, line, strlen(line));
 *	char *json = probe_meta_json(p);                // metadata "probe/SOURCE/<display_name>"
 *	probe_list_free(&list);
 *
 * All sites of a probe go into one event: the kernel adds a site to an existing event of the same
 * name if the arguments' names and types are equal, as they are here. The definition names the file
 * as /proc/self/fd/N, which works for deleted files, memfds and paths with blanks; so it must be
 * written by the process that resolved the probe, before probe_list_free().
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
 * Adds the probes that spec (uprobe or usdt) means to the list. limit: the most probes it may add,
 * 0 for PROBE_GLOB_LIMIT; more is an error. Returns 0, or -1 with *err; then the list is as before.
 */
int probe_resolve(const struct spec *spec, size_t limit, struct probe_list *list,
		  struct trawl_error *err);

/*
 * Can a text with one of "*?[" be the symbol of a function, as Go's "main.(*T).Add"? Compilers
 * write these characters with brackets or parentheses around them; any other text is a pattern.
 */
bool probe_name_may_be_symbol(const char *text);

/* The same without a process of its own, whatever the files contain: for fuzzing. */
int probe_resolve_here(const struct spec *spec, size_t limit, struct probe_list *list,
		       struct trawl_error *err);

/*
 * The JSON text of the metadata "probe/SOURCE/<display_name>" (docs/format.md); malloc'd, never
 * NULL.
 */
char *probe_meta_json(const struct probe *p);

#endif
