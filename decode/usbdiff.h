/* SPDX-License-Identifier: MIT */
/* trawl-decode --diff for USB captures. */
#ifndef TRAWL_DECODE_USBDIFF_H
#define TRAWL_DECODE_USBDIFF_H

#include "decode/query/reading.h"

/*
 * Like diff_print() in decode/diff.h, with captures that are already open (decode_options.fd).
 * `names` is what messages call them.
 */
int usbdiff_print(struct reading *r, const int fds[2], const char *const names[2], bool json,
		  struct out *out);

#endif
