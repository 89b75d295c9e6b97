/* SPDX-License-Identifier: MIT */
/*
 * System exclusive messages of DigiTech's guitar processors (manufacturer 00 00 10), from F0 to F7:
 * device, family, product and procedure, then data in groups of up to seven bytes, each behind a
 * byte with their high bits, and a checksum: the exclusive or of all bytes between F0 and it.
 */
#ifndef TRAWL_DECODE_USB_DIGITECH_H
#define TRAWL_DECODE_USB_DIGITECH_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

enum { DIGITECH_HEADER = 8 }; /* bytes up to the procedure */

bool is_digitech(const uint8_t *p, size_t n);

/* Appends the members of a whole message. */
void digitech_tree(const uint8_t *p, size_t n, struct tree *t);

/* Returns the procedure's name; p has DIGITECH_HEADER bytes. NULL: unknown */
const char *digitech_procedure(const uint8_t *p);

/* Names of the members, ended by NULL. */
extern const char *const digitech_names[];
/* As words() of a class. */
void digitech_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
