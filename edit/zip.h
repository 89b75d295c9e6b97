/* SPDX-License-Identifier: MIT */
/* A zip file that is written, by libarchive. */
#ifndef TRAWL_EDIT_ZIP_H
#define TRAWL_EDIT_ZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "format/trawl.h"

struct zip;

/* On fd, which stays the caller's. NULL with *err. */
struct zip *zip_new(int fd, struct trawl_error *err);
/* The bytes as an entry; stored: they are compressed already. */
int zip_add(struct zip *z, const char *name, const void *p, size_t n, bool stored,
	    struct trawl_error *err);
int zip_add_file(struct zip *z, const char *name, const char *path, bool stored,
		 struct trawl_error *err);
/* Ends and frees; 0, or -1 with *err. */
int zip_close(struct zip *z, struct trawl_error *err);

#endif
