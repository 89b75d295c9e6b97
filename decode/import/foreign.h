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

/* A foreign file that is read as if it were a .trawl file. */
struct foreign {
	char path[32];
	int fd;
	struct trawl_error verdict; /* status != 0: what was left out or is missing */
};

/*
 * The path to open for this file: the path itself; or, if the file is a foreign one, that of a
 * unnamed temporary file to which it was imported, and which lives until foreign_close().
 * NULL: it could not be imported.
 */
const char *foreign_resolve(struct foreign *f, const char *path, struct trawl_error *err);

/*
 * The path to open for a file that is read twice: the path itself, if it is a regular file; else
 * ("-" is standard input) that of a unnamed temporary copy, which lives until foreign_close().
 */
const char *foreign_copy(struct foreign *f, const char *path, struct trawl_error *err);
/* An error of a file that has no name of its own: is one of `name`. */
void foreign_call(const struct foreign *f, const char *name, struct trawl_error *err);

void foreign_close(struct foreign *f);

#endif
