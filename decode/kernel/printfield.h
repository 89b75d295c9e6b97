/* SPDX-License-Identifier: MIT */
/*
 * How a print format shows single fields. From "prev_state=%s%s ==> next_comm=%s", for example,
 * follows that the field prev_state is printed as "S" or "R+", and that an arrow precedes
 * next_comm.
 *
 * A field gets a text of its own if consecutive conversions depend on this field only, with nothing
 * but punctuation between them, such as "%d,%d" for a device number. It gets none if the conversion
 * is that of a plain number, or if it requires data that only the kernel has.
 */
#ifndef TRAWL_DECODE_KERNEL_PRINTFIELD_H
#define TRAWL_DECODE_KERNEL_PRINTFIELD_H

#include "decode/base/eventlayout.h"
#include "decode/kernel/printfmt.h"

struct print_fields;

/*
 * For each field of *l that the format prints in its own way: sets shown.written, or prints it in
 * hex, or puts an arrow before it. *symbols may be set later. Keeps all pointers. Returns NULL if
 * there is nothing to keep or memory runs out; fields are then shown by their types.
 */
struct print_fields *print_fields_new(struct printfmt *f, const struct trawl_event_type *type,
				      struct symbols *const *symbols, struct event_layout *l);
void print_fields_free(struct print_fields *p);

#endif
