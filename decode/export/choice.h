/* SPDX-License-Identifier: MIT */
/*
 * Selects whole transfers when single events are exported. A packet is half of a transfer, but
 * --where and --name refer to properties of the whole transfer: its end, its latency, its decoded
 * contents. Therefore the file is read twice. The first pass joins and decodes transfers as
 * trawl-decode does, and remembers both events of each transfer that matches.
 */
#ifndef TRAWL_DECODE_EXPORT_CHOICE_H
#define TRAWL_DECODE_EXPORT_CHOICE_H

#include "decode/query/selection.h"

struct choice;

/*
 * Makes the first pass. If the file contains USB sources that are selected, *choice holds the USB
 * events to export, selection->chooser refers to *choice, and selection->count becomes a number of
 * events instead of transfers. Otherwise *choice is NULL. The caller frees *choice after the last
 * use of the selection. Memory: two bits per transfer. Returns 0, or -1 with *err.
 */
int choice_find(const char *path, const struct decode_options *options,
		struct selection *selection, struct choice **choice, struct trawl_error *err);
void choice_free(struct choice *c);

#endif
