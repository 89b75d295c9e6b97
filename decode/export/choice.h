/* SPDX-License-Identifier: MIT */
/*
 * Transfers that are chosen where events are written: a packet is half of a transfer, but what
 * --where and --name speak of (its end, its latency, what was said) is known of the whole only. So
 * the file is read through once before, joined and decoded as trawl-decode does, and of each
 * transfer that matches both events are kept in mind.
 */
#ifndef TRAWL_DECODE_EXPORT_CHOICE_H
#define TRAWL_DECODE_EXPORT_CHOICE_H

#include "decode/query/selection.h"

struct choice;

/*
 * Reads the file. *choice, to be freed after the selection's last use, holds the USB events that
 * the selection means, and selection->chooser refers to it; selection->count becomes a number of
 * events. *choice is NULL if the file has no USB that is wanted. Each transfer takes two bits.
 * Returns 0, or -1 with *err.
 */
int choice_find(const char *path, const struct decode_options *options,
		struct selection *selection, struct choice **choice, struct trawl_error *err);
void choice_free(struct choice *c);

#endif
