/* SPDX-License-Identifier: MIT */
/* Writes a zip file, by libarchive. */
#ifndef TRAWL_EDIT_ZIP_H
#define TRAWL_EDIT_ZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "format/trawl.h"

struct zip;

/*
 * Begins a zip file on fd, which remains the caller's. To be ended with zip_close(). Returns NULL
 * with *err on failure.
 */
struct zip *zip_new(int fd, struct trawl_error *err);
/*
 * Adds an entry of n bytes. stored: do not compress, because the data is compressed already.
 * Returns 0, or -1 with *err.
 */
int zip_add(struct zip *z, const char *name, const void *p, size_t n, bool stored,
	    struct trawl_error *err);
/* Adds the file at path as an entry. */
int zip_add_file(struct zip *z, const char *name, const char *path, bool stored,
		 struct trawl_error *err);
/* Ends the file and frees z in any case. Returns 0, or -1 with *err. */
int zip_close(struct zip *z, struct trawl_error *err);

#endif
