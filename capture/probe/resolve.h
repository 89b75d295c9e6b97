/* SPDX-License-Identifier: MIT */
/*
 * Resolves a spec in one file, per kind of probe. Each function adds all probes that it finds to
 * r->list. They return 0, also if they find nothing, and -1 with r->err for errors that end the
 * whole resolution.
 */
#ifndef TRAWL_CAPTURE_PROBE_RESOLVE_H
#define TRAWL_CAPTURE_PROBE_RESOLVE_H

#include "capture/probe/build.h"

/* Functions and file offsets: uprobe.c. */
int resolve_uprobe(struct resolve *r, struct target *t);

/* USDT probes, from stapsdt notes: usdt_probe.c. */
int resolve_usdt(struct resolve *r, struct target *t);

/*
 * Functions by demangled name: cxx_probe.c. Adds a probe for every function whose demangled name
 * the spec's symbol is, overloads included. Finds nothing if trawl was built without a demangler.
 */
int resolve_cxx(struct resolve *r, struct target *t);

/*
 * A symbol's demangled name, extended by what distinguishes it if several functions of the file
 * have the name; malloc'd.
 */
char *cxx_unique_name(struct resolve *r, struct target *t, const char *symbol);

/* True if other functions of the file have the same demangled name, parameters included. */
bool cxx_shared_name(struct resolve *r, struct target *t, const char *symbol);
/* Frees the cache of names in *r. */
void cxx_forget_names(struct resolve *r);

#endif
