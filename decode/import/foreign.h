/* SPDX-License-Identifier: MIT */
/* Files of other programs, accepted wherever a .trawl file is expected. */
#ifndef TRAWL_DECODE_IMPORT_FOREIGN_H
#define TRAWL_DECODE_IMPORT_FOREIGN_H

#include "decode/import/usbimport.h"

enum foreign_kind { FOREIGN_NONE, FOREIGN_PCAP, FOREIGN_PCAPNG, FOREIGN_USBMON };

/*
 * Returns the format of a file; FOREIGN_NONE for .trawl files and unknown formats. `in` must be
 * positioned at its start, and is rewound.
 */
enum foreign_kind foreign_kind(FILE *in);

/* Whether the first MiB of an input may be that of a capture (unpack.h). Parses it. */
int foreign_front(int fd, const char *name, struct trawl_error *err);

/*
 * Values for trawl_writer_options.level: for a file that is kept, and for one that is only read
 * once.
 */
enum { FOREIGN_BEST = 19, FOREIGN_FAST = 1 };

/* What a file is imported into. */
struct foreign_output {
	int fd;           /* foreign_import() takes ownership */
	const char *name; /* for errors */
	int level;
	/* link type of the source "usb" of the files before in the same output; NULL or 0: none */
	uint32_t *usb;
};

/*
 * Imports the file; errors call it `name`. *im describes the result, also after a failure. Returns
 * 0, or -1 with *err.
 */
int foreign_import(FILE *in, enum foreign_kind kind, const char *name,
		   const struct foreign_output *out, struct usb_import *im,
		   struct trawl_error *err);

/*
 * Checks the result of an import. Returns 0 if it is complete; otherwise -1 with one line in *err
 * that says what was left out or is missing.
 */
int foreign_verdict(const struct usb_import *im, const char *name, struct trawl_error *err);

/*
 * An input file that may be foreign or compressed and is read like a .trawl file. All descriptors
 * are opened first, so that the rest can run in a sandbox.
 */
struct foreign {
	const char *name;       /* the name that the user gave */
	bool regular, twice;    /* a regular file; the input must be readable twice */
	uint64_t bytes;         /* of a regular file */
	int in;                 /* descriptor of the file; -1: standard input */
	/*
	 * temporary files with the copy of a pipe, the decompressed contents, and the imported
	 * capture; -1: none
	 */
	int copy, plain, made;
	struct trawl_error full; /* status != 0: why the temporary files could not be created */
	/* descriptor to read from, set by foreign_resolve(); 0: standard input */
	int fd;
	char path[32];          /* path for trawl_open() that refers to fd */
	struct trawl_error verdict; /* status != 0: what the import left out or found missing */
	bool usb_whole;         /* nothing of the USB is missing, though other packets may be */
};
#define FOREIGN_NOTHING {.in = -1, .copy = -1, .plain = -1, .made = -1}

/*
 * Opens the file, or standard input for "-", and unnamed temporary files. twice: copy a pipe, so
 * that it can be read twice. Returns 0, or -1 with *err; call foreign_close() in either case.
 */
int foreign_open(struct foreign *f, const char *path, bool twice, struct trawl_error *err);

/*
 * Determines f->fd: the file itself, or its decompressed or imported copy, which is valid until
 * foreign_close(). Returns 0, or -1 with *err if the import failed.
 */
int foreign_resolve(struct foreign *f, struct trawl_error *err);
/* Replaces f->path in an error message with the name that the user gave. */
void foreign_call(const struct foreign *f, struct trawl_error *err);

void foreign_close(struct foreign *f);

#endif
