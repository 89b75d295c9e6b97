/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a probe that are counted texts (capture/tracefs/countedtext.h): their offsets in
 * records, and their fields in the file.
 */
#ifndef TRAWL_CAPTURE_USER_COUNTED_H
#define TRAWL_CAPTURE_USER_COUNTED_H

#include "capture/probe/types.h"
#include "capture/tracefs/countedtext.h"
#include "capture/tracefs/eventformat.h"

/* Returns the *n counted texts of p, malloc'd; NULL if there are none. f: the kernel's format. */
struct counted_text *counted_places(const struct probe *p, struct eventformat *f, size_t *n);

/*
 * Changes f to the format of records in the file, and sets f->text to its text: windows become
 * texts, and fields that only the recorder needs are dropped. text: the kernel's format file.
 * Returns 0, or -1 without memory.
 */
int counted_describe(const struct probe *p, const char *text, struct eventformat *f);

#endif
