/* SPDX-License-Identifier: MIT */
/* What addresses of the kernel mean. */
#ifndef TRAWL_DECODE_KERNEL_SYMBOLS_H
#define TRAWL_DECODE_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

/* From texts as /proc/kallsyms and printk_formats have them; NULL for what is not there. */
struct symbols *symbols_parse(const char *kallsyms, size_t klen, const char *printk, size_t plen);
void symbols_free(struct symbols *s);
/* The symbol at or before addr, how far, and its module ("" for none); NULL if not known. s may be
 * NULL. */
const char *symbols_find(const struct symbols *s, uint64_t addr, uint64_t *offset,
			 const char **module);
/* The constant text at addr; NULL if not known. */
const char *symbols_text(const struct symbols *s, uint64_t addr);

#endif
