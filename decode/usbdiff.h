/* SPDX-License-Identifier: MIT */
/* --diff of two USB captures. */
#ifndef TRAWL_DECODE_USBDIFF_H
#define TRAWL_DECODE_USBDIFF_H

#include "decode/query/reading.h"

/* As diff_print() in decode/diff.h; `paths` can be opened again and again, `names` is what messages call them. */
int usbdiff_print(struct reading *r, const char *const paths[2], const char *const names[2], bool json,
		  struct out *out);

#endif
