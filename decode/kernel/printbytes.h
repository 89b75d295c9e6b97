/* SPDX-License-Identifier: MIT */
/* Bytes of a record as the kernel's printf shows them under %p and its extensions. */
#ifndef TRAWL_DECODE_KERNEL_PRINTBYTES_H
#define TRAWL_DECODE_KERNEL_PRINTBYTES_H

#include "decode/base/output.h"

/* Addresses of 4 and 16 bytes, in network order. */
void print_ipv4(struct out *o, const uint8_t *p);
void print_ipv6(struct out *o, const uint8_t *p, bool compact);
/* A struct sockaddr of n bytes; `extension` as after %p: with 'p' the port, with 'c' compact. */
void print_sockaddr(struct out *o, const uint8_t *p, size_t n, const char *extension);
/* Words of 32 bits, the highest first: "1,ffffffff". */
void print_bitmask(struct out *o, const uint8_t *p, size_t n);
/* "0-3,8" */
void print_bit_list(struct out *o, const uint8_t *p, size_t bits);
/* 16 bytes; %pUl has the first three parts the other way round. */
void print_uuid(struct out *o, const uint8_t *p, const char *extension);

#endif
