/* SPDX-License-Identifier: MIT */
/*
 * Writes a small initial file system for Linux, a cpio archive in the format "newc" (the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst), to a temporary file without a name.
 */
#ifndef TRAWL_REPLAY_INITRAMFS_H
#define TRAWL_REPLAY_INITRAMFS_H

#include <stdio.h>

#include "replay/pathlist.h"

struct initramfs {
	FILE *out;
	struct pathlist paths; /* in the archive */
};

/* Begins the archive. Returns 0, or -1 with *err; initramfs_close() is to be called in any case. */
int initramfs_open(struct initramfs *r, struct trawl_error *err);
void initramfs_close(struct initramfs *r);

/*
 * Each of the following functions adds one entry at `path` and the folders above it; an entry that
 * exists already is kept. They return 0, or -1 with *err.
 */
int initramfs_folder(struct initramfs *r, const char *path, struct trawl_error *err);
int initramfs_bytes(struct initramfs *r, const char *path, const void *p, size_t n,
		    struct trawl_error *err);
int initramfs_device(struct initramfs *r, const char *path, unsigned int major, unsigned int minor,
		     struct trawl_error *err);
/* Add the contents of an open file with the given mode; or of the file `from` with its own mode. */
int initramfs_stream(struct initramfs *r, const char *path, FILE *in, unsigned int mode,
		     struct trawl_error *err);
int initramfs_file(struct initramfs *r, const char *path, const char *from,
		   struct trawl_error *err);
/* Adds this program as /init, and its shared libraries in /lib. */
int initramfs_self(struct initramfs *r, struct trawl_error *err);
/* Adds another program at its own path and, if it is a dynamic ELF file, its shared libraries. */
int initramfs_program(struct initramfs *r, const char *path, struct trawl_error *err);

/* Ends the archive. Returns 0, or -1 with *err if any write failed. */
int initramfs_end(struct initramfs *r, struct trawl_error *err);

#endif
