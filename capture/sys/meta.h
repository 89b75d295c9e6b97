/* SPDX-License-Identifier: MIT */
/*
 * Metadata that a capture puts into the file. time: when it was true, ns of CLOCK_MONOTONIC. All
 * return what trawl_writer_meta() returns.
 */
#ifndef TRAWL_CAPTURE_SYS_META_H
#define TRAWL_CAPTURE_SYS_META_H

#include "common/json.h"
#include "format/trawl.h"

int meta_write_text(struct trawl_writer *w, const char *name, uint64_t time, const char *text,
		    size_t len, struct trawl_error *err);

/* Frees *j in any case. */
int meta_write_json(struct trawl_writer *w, const char *name, uint64_t time, struct json *j,
		    struct trawl_error *err);
/* Likewise, for the present file of a row only: the next file does not begin with it. */
int meta_write_last(struct trawl_writer *w, const char *name, uint64_t time, struct json *j,
		    struct trawl_error *err);

#endif
