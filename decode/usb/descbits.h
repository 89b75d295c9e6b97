/* SPDX-License-Identifier: MIT */
/* What the bits of descriptors' fields mean. */
#ifndef TRAWL_DECODE_USB_DESCBITS_H
#define TRAWL_DECODE_USB_DESCBITS_H

#include "decode/base/valuetree.h"
#include "decode/usb/desctable.h"

/* Appends "FIELD_set", a list of the names of the bits that are set; nothing where none has a
 * name. */
void desc_bits_tree(const struct desc_layout *l, const char *field, uint64_t v, struct tree *t);

/* Of an audio feature unit: what can be controlled of each channel, and its name's string. */
void desc_feature_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t);

/* Of the terminal of a camera: its lens and what can be controlled. */
void desc_camera_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t);

/* Whether some member that these functions append has this name. */
bool desc_bits_have(const char *name, size_t n);

#endif
