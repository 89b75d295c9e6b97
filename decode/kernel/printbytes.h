/* SPDX-License-Identifier: MIT */
/* Formats bytes of a record like the kernel's printf does for %p and its extensions. */
#ifndef TRAWL_DECODE_KERNEL_PRINTBYTES_H
#define TRAWL_DECODE_KERNEL_PRINTBYTES_H

#include "decode/base/output.h"

/* Addresses of 4 and 16 bytes in network byte order. compact: shorten a run of zeros to "::". */
void print_ipv4(struct out *o, const uint8_t *p);
void print_ipv6(struct out *o, const uint8_t *p, bool compact);
/*
 * A struct sockaddr of n bytes. `extension` is what follows %p: 'p' adds the port, 'c' selects the
 * compact form.
 */
void print_sockaddr(struct out *o, const uint8_t *p, size_t n, const char *extension);
/* 32-bit words in hex, the most significant first: "1,ffffffff". */
void print_bitmask(struct out *o, const uint8_t *p, size_t bits);
/* The set bits as ranges: "0-3,8". */
void print_bit_list(struct out *o, const uint8_t *p, size_t bits);
/* A UUID of 16 bytes; for %pUl the first three parts are little endian. */
void print_uuid(struct out *o, const uint8_t *p, const char *extension);

#endif
