/* SPDX-License-Identifier: MIT */
/* Symbols of the traced kernel. */
#ifndef TRAWL_DECODE_KERNEL_SYMBOLS_H
#define TRAWL_DECODE_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

/*
 * Parses texts in the formats of /proc/kallsyms and printk_formats; NULL for missing ones. Returns
 * NULL if memory runs out.
 */
struct symbols *symbols_parse(const char *kallsyms, size_t klen, const char *printk, size_t plen);
void symbols_free(struct symbols *s);
/*
 * Returns the name of the symbol at or before addr, its distance, and its module ("" for none);
 * NULL if it is unknown. s may be NULL.
 */
const char *symbols_find(const struct symbols *s, uint64_t addr, uint64_t *offset,
			 const char **module);
/* Returns the constant string at addr; NULL if it is unknown. s may be NULL. */
const char *symbols_text(const struct symbols *s, uint64_t addr);

#endif
