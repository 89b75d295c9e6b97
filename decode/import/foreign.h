/* SPDX-License-Identifier: MIT */
/* Files of other programs, where a .trawl file is wanted. */
#ifndef TRAWL_DECODE_IMPORT_FOREIGN_H
#define TRAWL_DECODE_IMPORT_FOREIGN_H

#include "decode/import/usbimport.h"

enum foreign_kind { FOREIGN_NONE, FOREIGN_PCAP, FOREIGN_PCAPNG, FOREIGN_USBMON };

/* What the file at the stream's beginning is; NONE for .trawl files and all else. Rewinds. */
enum foreign_kind foreign_kind(FILE *in);

/* Of trawl_writer_options.level: for a file that is kept, and for one that is read once. */
enum { FOREIGN_BEST = 19, FOREIGN_FAST = 1 };

/*
 * Imports the file to fd, which it takes over and which errors call `out`. im tells what came of
 * it, also after failure. 0, or -1.
 */
int foreign_import(FILE *in, enum foreign_kind kind, const char *name, int fd, const char *out,
		   int level, struct usb_import *im, struct trawl_error *err);

/* What was left out or is missing, as one line in *err, and -1; 0: nothing. */
int foreign_verdict(const struct usb_import *im, const char *name, struct trawl_error *err);

/*
 * A file that may be a foreign one or compressed, and is read as if it were a .trawl file. All that
 * is needed is opened first, the rest can be done in a sandbox.
 */
struct foreign {
	const char *name;       /* as the user gave it */
	bool regular, twice;    /* is it a regular file? will it be read twice? */
	int in;                 /* the file; -1: standard input */
	int copy, plain, made;  /* temporary files: of a pipe, unpacked, imported; -1: none */
	struct trawl_error full; /* status != 0: why there are none */
	int fd;                 /* what foreign_resolve() found: to be read; 0: standard input */
	char path[32];          /* to open fd by: trawl_open() */
	struct trawl_error verdict; /* status != 0: what was left out or is missing */
};
#define FOREIGN_NOTHING {.in = -1, .copy = -1, .plain = -1, .made = -1}

/*
 * Opens the file, or "-" for standard input, and temporary files without a name. twice: a pipe will
 * be copied, so that it can be read again. 0, or -1 with *err; foreign_close() in either case.
 */
int foreign_open(struct foreign *f, const char *path, bool twice, struct trawl_error *err);

/*
 * Finds what to read, f->fd: the file itself; or its copy, unpacked, imported. It lives until
 * foreign_close(). 0, or -1 with *err: it could not be imported.
 */
int foreign_resolve(struct foreign *f, struct trawl_error *err);
/* An error that calls the file by f->path: calls it by its name. */
void foreign_call(const struct foreign *f, struct trawl_error *err);

void foreign_close(struct foreign *f);

#endif
