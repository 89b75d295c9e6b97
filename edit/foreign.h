/* SPDX-License-Identifier: MIT */
/* Files of other programs, where a .trawl file is wanted. */
#ifndef TRAWL_EDIT_FOREIGN_H
#define TRAWL_EDIT_FOREIGN_H

#include "edit/usbimport.h"

enum foreign_kind { FOREIGN_NONE, FOREIGN_PCAP, FOREIGN_PCAPNG, FOREIGN_USBMON };

/* What the file at the stream's beginning is; NONE for .trawl files and all else. Rewinds. */
enum foreign_kind foreign_kind(FILE *in);

/*
 * Imports the file to fd, which it takes over. im tells what came of it, also after failure.
 * 0, or -1.
 */
int foreign_import(FILE *in, enum foreign_kind kind, const char *name, int fd,
		   struct usb_import *im, struct trawl_error *err);

/* What was left out or is missing, as one line in *err, and -1; 0: nothing. */
int foreign_verdict(const struct usb_import *im, const char *name, struct trawl_error *err);

/*
 * If the file is a foreign one, imports it to a nameless temporary file and gives its descriptor,
 * which reads from the beginning; -1: it is not foreign, -2: it could not be imported.
 * A verdict that is not good is in *err with status TRAWL_BAD_DATA and the descriptor is given.
 */
int foreign_open(const char *path, struct trawl_error *err);

#endif
