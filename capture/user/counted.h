/* SPDX-License-Identifier: MIT */
/* Arguments of a probe that are texts with a length: where they are in its records, and what the
 * file says of them (capture/tracefs/countedtext.h). */
#ifndef TRAWL_CAPTURE_USER_COUNTED_H
#define TRAWL_CAPTURE_USER_COUNTED_H

#include "capture/probe/types.h"
#include "capture/tracefs/countedtext.h"
#include "capture/tracefs/eventformat.h"

/* The texts of p, by the kernel's names for the fields of f. malloc'd; NULL if there are none. */
struct counted_text *counted_places(const struct probe *p, struct eventformat *f, size_t *n);

/*
 * Makes of f what the records are once the texts are cut: their fields texts, and none for what
 * they are cut by. f->text says the same; `text` is the kernel's. 0, or -1 without memory.
 */
int counted_describe(const struct probe *p, const char *text, struct eventformat *f);

#endif
