/* SPDX-License-Identifier: MIT */
/* Constant strings of the kernel, which print formats refer to by address. */
#ifndef TRAWL_CAPTURE_TRACEFS_PRINTKFORMATS_H
#define TRAWL_CAPTURE_TRACEFS_PRINTKFORMATS_H

#include "format/trawl.h"

/* Writes them as metadata "kernel/printk_formats". Returns 0, or -1 with *err. */
int printkformats_write(struct trawl_writer *w, struct trawl_error *err);

#endif
