/* SPDX-License-Identifier: MIT */
/*
 * A small initial file system of Linux, as a cpio archive of the form "newc" (the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst), in a file without a name.
 */
#ifndef TRAWL_REPLAY_INITRAMFS_H
#define TRAWL_REPLAY_INITRAMFS_H

#include <stdio.h>

#include "format/trawl.h"

struct initramfs {
	FILE *out;
	char **names; /* what it has */
	size_t n;
};

/* 0, or -1 with *err; initramfs_close() in any case. */
int initramfs_open(struct initramfs *r, struct trawl_error *err);
void initramfs_close(struct initramfs *r);

/*
 * Each adds one thing under this path, with the folders above it; what is there already stays. 0,
 * or -1 with *err.
 */
int initramfs_folder(struct initramfs *r, const char *path, struct trawl_error *err);
int initramfs_bytes(struct initramfs *r, const char *path, const void *p, size_t n,
		    struct trawl_error *err);
int initramfs_device(struct initramfs *r, const char *path, unsigned int major, unsigned int minor,
		     struct trawl_error *err);
/* The rest of an open file, or the file `from`, with its mode. */
int initramfs_stream(struct initramfs *r, const char *path, FILE *in, unsigned int mode,
		     struct trawl_error *err);
int initramfs_file(struct initramfs *r, const char *path, const char *from,
		   struct trawl_error *err);
/* This program as /init, with its libraries in /lib. */
int initramfs_self(struct initramfs *r, struct trawl_error *err);
/* Another program under its own path: with its libraries, if it is a dynamic ELF file. */
int initramfs_program(struct initramfs *r, const char *path, struct trawl_error *err);

/* Writes the end. 0, or -1 with *err. */
int initramfs_end(struct initramfs *r, struct trawl_error *err);

#endif
