/* SPDX-License-Identifier: MIT */
/* Tables that map the codes of a protocol to names. */
#ifndef TRAWL_DECODE_USB_CODENAME_H
#define TRAWL_DECODE_USB_CODENAME_H

#include "common/array.h"
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

#define CODE_NAME(list, code) code_name_in(list, ARRAY_SIZE(list), code)

#endif
