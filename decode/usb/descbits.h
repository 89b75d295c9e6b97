/* SPDX-License-Identifier: MIT */
/* Names for the bits of descriptor fields. */
#ifndef TRAWL_DECODE_USB_DESCBITS_H
#define TRAWL_DECODE_USB_DESCBITS_H

#include "decode/base/valuetree.h"
#include "decode/usb/desctable.h"

/*
 * Appends a list "FIELD_set" with the names of the set bits of v; appends nothing if none of them
 * has a name.
 */
void desc_bits_tree(const struct desc_layout *l, const char *field, uint64_t v, struct tree *t);

/*
 * For an audio feature unit: appends the controls of each channel and the string index of its name.
 */
void desc_feature_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t);

/*
 * Appends the formats of an Audio 2.0 stream, and the parts of a field that has several: of a clock
 * source, of the multicast filters of a CDC ethernet function, of the LCD of a card reader.
 */
void desc_parts_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t);

/* For the output jack of a MIDI function: appends what feeds each pin, and its name. */
void desc_midi_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t);

/* Appends the focal lengths and controls of a camera terminal. */
void desc_camera_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t);

/* Whether one of the functions above can append a member of this name. */
bool desc_bits_have(const char *name, size_t n);

#endif
