/* SPDX-License-Identifier: MIT */
/*
 * What a print format makes of single fields: of "prev_state=%s%s ==> next_comm=%s" that the field
 * prev_state is written as "S" or "R+", and that an arrow stands before next_comm.
 *
 * A field has a text of its own where consecutive conversions depend on it and on nothing else,
 * with no more than punctuation between them: "%d,%d" of a device's number. It has none where the
 * conversion is that of any number, or would need what only the kernel knows.
 */
#ifndef TRAWL_DECODE_KERNEL_PRINTFIELD_H
#define TRAWL_DECODE_KERNEL_PRINTFIELD_H

#include "decode/base/layout.h"
#include "decode/kernel/printfmt.h"

struct print_fields;

/*
 * Gives the fields of *l that have one their text (shown.written), shows in hex those that the
 * format does, and puts the arrow before the field that has it. *symbols may be set later. Keeps
 * all pointers. NULL when there is nothing to keep, or memory runs out: all is shown as it was.
 */
struct print_fields *print_fields_new(struct printfmt *f, const struct trawl_event_type *type,
				      struct symbols *const *symbols, struct layout *l);
void print_fields_free(struct print_fields *p);

#endif
