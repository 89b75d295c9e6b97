/* SPDX-License-Identifier: MIT */
/*
 * What a spec means in a file, by the kinds of probes. Each adds all that it finds to the list.
 * Returns 0, also if there is nothing; -1 only for errors that end it all.
 */
#ifndef TRAWL_CAPTURE_PROBE_RESOLVE_H
#define TRAWL_CAPTURE_PROBE_RESOLVE_H

#include "capture/probe/build.h"

/* Functions and offsets: uprobe.c. */
int resolve_uprobe(struct resolve *r, struct target *t);

/* Probes of stapsdt notes: usdt_probe.c. */
int resolve_usdt(struct resolve *r, struct target *t);

/*
 * cxx_probe.c: a probe for every function of the file that the spec's symbol is a readable name of:
 * all overloads. Nothing if this was built without a demangler.
 */
int resolve_cxx(struct resolve *r, struct target *t);

/*
 * The readable name of a symbol, with what tells it from others where the file has several
 * functions of this name; malloc'd.
 */
char *cxx_unique_name(struct resolve *r, struct target *t, const char *symbol);

/* Does this name, with parameters, mean other functions of the file, too? */
bool cxx_shared_name(struct resolve *r, struct target *t, const char *symbol);
void cxx_forget_names(struct resolve *r);

#endif
