/* SPDX-License-Identifier: MIT */
/*
 * Endpoints of which a capture has submissions only. Some captures of Windows record outgoing data
 * on its way down alone; who reads such a file need not wait for completions
 * (decode/usb/transfer.h).
 */
#ifndef TRAWL_DECODE_IMPORT_HALVES_H
#define TRAWL_DECODE_IMPORT_HALVES_H

#include "format/trawl.h"

struct halves;

struct halves *halves_new(void); /* NULL: out of memory */
void halves_free(struct halves *h);

/* Counts a half of a transfer: a record of at least a header. 0, or -1: out of memory. */
int halves_count(struct halves *h, const uint8_t *record);

/* Writes the metadata import/halves, if there is anything to say. */
int halves_write(const struct halves *h, struct trawl_writer *w, struct trawl_error *err);

#endif
