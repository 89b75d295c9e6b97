/* SPDX-License-Identifier: MIT */
/* Tables that map the codes of a protocol to names. */
#ifndef TRAWL_DECODE_USB_CODENAME_H
#define TRAWL_DECODE_USB_CODENAME_H

#include "common/array.h"
#include "decode/base/namefn.h"
#include <stddef.h>
#include <stdint.h>

struct code_name {
	uint32_t code;
	const char *name;
};

/* Returns NULL if the code is not in the list. */
static inline const char *code_name_in(const struct code_name *list, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].code == code)
			return list[i].name;
	return NULL;
}

/* Calls fn for each name. */
static inline void code_words(const struct code_name *list, size_t n, decoder_name_fn *fn,
			      void *arg)
{
	for (size_t i = 0; i < n; i++)
		fn(arg, list[i].name);
}

/* The same for names that are listed in the order of their codes, of which some may be NULL. */
static inline void list_words(const char *const *list, size_t n, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < n; i++)
		if (list[i])
			fn(arg, list[i]);
}

#define CODE_WORDS(list, fn, arg) code_words(list, ARRAY_SIZE(list), fn, arg)
#define LIST_WORDS(list, fn, arg) list_words(list, ARRAY_SIZE(list), fn, arg)
/* Calls fn for the names that a function has for codes 0 to `last`. */
#define CODE_PROBE(name, last, fn, arg)                                                           \
	do {                                                                                      \
		for (uint32_t code_ = 0; code_ <= (last); code_++)                                \
			if (name(code_))                                                          \
				(fn)(arg, name(code_));                                           \
	} while (0)
#define CODE_NAME(list, code) code_name_in(list, ARRAY_SIZE(list), code)

#endif
