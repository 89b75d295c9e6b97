/* SPDX-License-Identifier: MIT */
/* The constant texts of the kernel that print formats show by address. */
#ifndef TRAWL_CAPTURE_TRACEFS_PRINTKFORMATS_H
#define TRAWL_CAPTURE_TRACEFS_PRINTKFORMATS_H

#include "format/trawl.h"

/* Metadata "kernel/printk_formats": the constant strings that events point to. */
int printkformats_write(struct trawl_writer *w, struct trawl_error *err);

#endif
