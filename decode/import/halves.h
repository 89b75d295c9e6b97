/* SPDX-License-Identifier: MIT */
/*
 * Detects endpoints for which a capture contains only submissions. Some Windows captures record
 * outgoing data only when it is submitted. The result is stored in the file, so that a reader does
 * not wait for completions (decode/usb/transfer.h).
 */
#ifndef TRAWL_DECODE_IMPORT_HALVES_H
#define TRAWL_DECODE_IMPORT_HALVES_H

#include "format/trawl.h"

struct halves;

struct halves *halves_new(void); /* Returns NULL if memory runs out. */
void halves_free(struct halves *h);

/* Counts one record, which has at least a header. Returns false if memory runs out. */
bool halves_count(struct halves *h, const uint8_t *record);

/* Writes the metadata "import/halves" if there are such endpoints. Returns 0, or -1 with *err. */
int halves_write(const struct halves *h, struct trawl_writer *w, struct trawl_error *err);

#endif
