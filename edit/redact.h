/* SPDX-License-Identifier: MIT */
/*
 * A file without what its owner would not publish: on the recorded values themselves, so that every
 * decoder and export shows stand-ins.
 *
 * All of it goes twice through the same functions, which change values in place: redact_collect()
 * throws the result away and keeps what was removed (which is what `secrets` tells), redact_write()
 * writes it, and then looks through the output for each removed value.
 */
#ifndef TRAWL_EDIT_REDACT_H
#define TRAWL_EDIT_REDACT_H

#include <stdio.h>

#include "edit/needs.h"
#include "edit/removed.h"
#include "edit/standin.h"
#include "format/trawl.h"

enum { REDACT_EXAMPLES = 5, REDACT_PLACES = 6 };

struct redact_class {
	uint64_t count;
	size_t nexamples, nplaces;
	char examples[REDACT_EXAMPLES][64];
	char places[REDACT_PLACES][64];
};

struct usb_roles;
struct redact_branches;

struct redact {
	struct trawl_reader *r;
	const char *path, *name; /* of the file: to open it, for messages */
	uint32_t drop;           /* a bit for each class that is removed */
	bool counting;           /* the first time through */
	const char *place;       /* what is at hand: an event's name, a piece of metadata */
	struct standin key;
	struct removed removed;
	struct redact_class classes[SECRET_CLASSES];
	struct usb_roles *usb;
	struct redact_branches *branches;
	int64_t date;            /* added to times of day */
	char hash[65];           /* of the original */
	uint64_t events;
	bool failed;             /* memory ran out: something was not looked at */
	uint64_t damaged;        /* batches of branches that could not be read: lost */
	struct trawl_verdict verdict; /* of what was read to the end: chunks, too */
};

/* Reads the file. 0, or -1 with *err. */
int redact_collect(struct redact *x, struct trawl_error *err);
/* Writes the redacted file to fd (and reads it again). 0, or -1 with *err. */
int redact_write(struct redact *x, int fd, const char *out, struct trawl_error *err);
void redact_free(struct redact *x);

/* What was found, by class; with examples. False without memory: not all of it. */
bool redact_tell(const struct redact *x, FILE *to, bool examples);
bool redact_is_redacted(const struct trawl_reader *r);
/* The class of this name, or -1 with *err. */
int redact_class_of(const char *option, const char *text, size_t n, struct trawl_error *err);

/* ---- inside ------------------------------------------------------------------------------- */

static inline bool redact_drops(const struct redact *x, enum secret_class class)
{
	return x->drop >> class & 1;
}

/* Each changes p[0 .. n) if the class is to be removed, and counts. */
/* Why a file was written: of "COMMAND: killed by SIGSEGV" the command, of others all. */
void redact_trigger(struct redact *x, char *p, size_t n);
void redact_text(struct redact *x, enum secret_class class, char *p, size_t n);
void redact_path(struct redact *x, char *p, size_t n);
void redact_zero(struct redact *x, enum secret_class class, uint8_t *p, size_t n);
void redact_address(struct redact *x, uint8_t *p);
/* The digits of an inode's number. */
void redact_inode(struct redact *x, char *p, size_t n);
/* "NAME@MACHINE" of a merged file, up to a '/': the host's name in it. */
void redact_machine(struct redact *x, char *name);
/* Values that were removed elsewhere are replaced in a text that is kept. */
void redact_scrub(struct redact *x, char *p, size_t n);

/* A record of a source of USB. */
/* NULL without memory. */
struct usb_roles *usb_roles_new(const struct trawl_reader *r);
void usb_roles_free(struct usb_roles *u);
void redact_usb(struct redact *x, const struct trawl_event *ev, uint8_t *record);
/* A string descriptor, or the serial number of one. */
bool usb_is_product(const struct usb_roles *u, const uint8_t *utf16, size_t n);

/* A batch of branches: the event gets another record. */
int redact_branch(struct redact *x, struct trawl_event *ev, struct trawl_error *err);
void redact_branches_free(struct redact_branches *b);

/* A piece of metadata: its text without secrets, malloc'd; NULL: it has no place in the output, or
 * x->failed. */
char *redact_meta(struct redact *x, const struct trawl_meta *m, char *name, size_t room,
		  size_t *len);
/* An event type's name, into name[]. */
void redact_type_name(struct redact *x, const struct trawl_source *s, char *name);

#endif
