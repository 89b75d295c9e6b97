/* SPDX-License-Identifier: MIT */
/* trawl-decode --diff for recordings of branches. */
#ifndef TRAWL_DECODE_BRANCHDIFF_H
#define TRAWL_DECODE_BRANCHDIFF_H

#include "decode/query/reading.h"

/* Like usbdiff_print() in decode/usbdiff.h. */
int branchdiff_print(struct reading *r, const int fds[2], const char *const names[2], bool json,
		     struct out *out);

#endif
