/* SPDX-License-Identifier: MIT */
/*
 * Removes data from a file that its owner would not publish. The recorded values themselves are
 * replaced, so that all decoders and exporters show stand-ins.
 *
 * The whole file is processed twice by the same functions, which change values in place.
 * redact_collect() discards the result and remembers the removed values, which `secrets` lists.
 * redact_write() writes the result and then searches the output for each removed value.
 */
#ifndef TRAWL_EDIT_REDACT_H
#define TRAWL_EDIT_REDACT_H

#include <stdio.h>

#include "decode/base/output.h"
#include "edit/branchbatch.h"
#include "edit/needs.h"
#include "edit/removed.h"
#include "edit/standin.h"
#include "edit/systemfiles.h"
#include "format/trawl.h"

enum { REDACT_EXAMPLES = 5, REDACT_PLACES = 6 };

struct redact_class {
	uint64_t count;
	size_t nexamples, nplaces;
	size_t nhex; /* how many of the examples, from the first on, are bytes in hex */
	char examples[REDACT_EXAMPLES][64];
	char places[REDACT_PLACES][64];
};

struct usb_roles;
struct redact_bus;

struct redact {
	struct trawl_reader *r;
	const char *path, *name; /* the file's path to open; its name in messages */
	int level;               /* zstd level of the copy; 0: the smallest file */
	struct trawl_memory memory; /* of all readers of it */
	uint32_t drop;           /* bit N: class N is removed */
	bool counting;           /* during redact_collect() */
	/* where the current value is: an event's name, a metadata's name */
	const char *place;
	struct standin key;
	struct removed removed;
	struct numbers addresses; /* original addresses that were moved */
	struct numbers text_fields; /* fields of numbers that hold texts (redactnumbers.c) */
	bool *texts;             /* of the current event, by field */
	size_t texts_room;
	struct redact_class classes[SECRET_CLASSES];
	struct system_files system_files;
	struct out kernel_tasks; /* names of the kernel's threads; each ends with a NUL */
	struct usb_roles *usb;
	struct branch_replacer branches;
	struct redact_bus *bus; /* state for packets; allocated at the first one */
	int64_t date;            /* ns added to wall-clock times */
	char hash[65];           /* SHA-256 of the original file */
	uint64_t events;
	bool failed;             /* memory ran out, so something was not examined */
	/* batches of branches that could not be decoded: their branches are lost */
	uint64_t damaged;
	struct trawl_verdict verdict; /* the reader's verdict on the file */
};

/* Reads the file and collects what is to be removed. Returns 0, or -1 with *err. */
int redact_collect(struct redact *x, struct trawl_error *err);
/*
 * Writes the redacted file to fd and checks it. redact_collect() must have been called. Returns 0,
 * or -1 with *err.
 */
int redact_write(struct redact *x, int fd, const char *out, struct trawl_error *err);
void redact_free(struct redact *x);

/* ---- internal -------------------------------------------------------------------------------- */

static inline bool redact_drops(const struct redact *x, enum secret_class class)
{
	return x->drop >> class & 1;
}

/*
 * Counts a value during redact_collect(), and keeps an example of it (redactcount.c); hex: it was
 * made of bytes. Bytes of SECRET_KEYSTROKES are described and not shown.
 */
void redact_count(struct redact *x, enum secret_class class, const char *example, size_t n,
		  bool hex);
void redact_count_bytes(struct redact *x, enum secret_class class, const uint8_t *p, size_t n);

/*
 * The following functions count a value p[0 .. n) and, if its class is to be removed, replace it.
 */
/*
 * The reason why a flight recorder saved a file: in "COMMAND: killed by SIGSEGV" only the command,
 * in other texts the whole.
 */
void redact_trigger(struct redact *x, char *p, size_t n);
void redact_text(struct redact *x, enum secret_class class, char *p, size_t n);
/*
 * A word of a command line behind the program's name. That it is a known program's says nothing
 * there: it may be a password.
 */
void redact_argument(struct redact *x, char *p, size_t n);
void redact_path(struct redact *x, char *p, size_t n);
/*
 * trawl's own command line, whose words are changed in place, and the text of one of its -i
 * (redactargv.c).
 */
void redact_command_line(struct redact *x, int argc, char **argv);
void redact_source_text(struct redact *x, char *p);
/* Returns the length up to the closing quote, which has no backslash before it, or the end. */
size_t redact_quoted_length(const char *p, char quote);
void redact_zero(struct redact *x, enum secret_class class, uint8_t *p, size_t n);
void redact_address(struct redact *x, uint8_t *p);
/* The digits of an inode number. */
void redact_inode(struct redact *x, char *p, size_t n);
/* Redacts the host name in a source's name of a merged file, NAME@MACHINE. */
void redact_machine(struct redact *x, char *name);
/*
 * Numbers that hold a text. One of eight bytes gets a stand-in, so that equal ones stay equal; what
 * is shorter could be told by how often it occurs, and is zeroed like arrays.
 */
void redact_number(struct redact *x, uint8_t *p, size_t n);
/*
 * Which of n fields (an event type's, or those that all records begin with) are numbers that hold
 * a text (redactnumbers.c). Valid until the next call; NULL: x->failed is set.
 */
const bool *redact_texts(struct redact *x, const struct trawl_event *ev,
			 const struct trawl_field *f, uint32_t n);
/* Whether a text is a statement of SQL. */
bool redact_is_sql(const char *p, size_t n);
/* Calls `piece` for each part of such a statement that is not a word of the language. */
typedef void redact_piece_fn(struct redact *x, enum secret_class class, char *p, size_t n);
void redact_sql(struct redact *x, char *p, size_t n, redact_piece_fn *piece);
/* Calls `piece` for each text and large number that a filter of a trace event compares with. */
void redact_filter(struct redact *x, char *p, redact_piece_fn *piece);
/* Replaces values that were removed elsewhere, in a text that is otherwise kept. */
void redact_scrub(struct redact *x, char *p, size_t n);
/*
 * Text that is kept may contain a value that is removed elsewhere, such as a task's name in
 * /usr/bin/NAME.
 */
void redact_kept(struct redact *x, char *p, size_t n);

/*
 * Reads the output again and searches it for removed values. Returns 0, or -1 with *err if one is
 * found. name: the output's name for messages.
 */
int redact_check(struct redact *x, int fd, const char *name, struct trawl_error *err);

/*
 * To be called after the pass of redact_collect(): removed values that also occur in kept
 * descriptors are public.
 */
void usb_roles_public(struct redact *x);
/* Redacts a record of a USB source in place. */
void redact_usb(struct redact *x, const struct trawl_event *ev, uint8_t *record);

/* Zeros the container id, which is unique to a device, in the n bytes of a BOS descriptor. */
void redact_bos(struct redact *x, uint8_t *p, size_t n);

/*
 * Redacts a batch of branches: ev->record is replaced by a record valid until the next call.
 * Returns 0, or -1 with *err.
 */
int redact_branch(struct redact *x, struct trawl_event *ev, struct trawl_error *err);

/*
 * Redacts a piece of metadata: m becomes what is to be written, with its new name in name[room].
 * Returns its data, malloc'd; NULL: it must not be written, or x->failed is set.
 */
char *redact_meta(struct redact *x, struct trawl_meta *m, char *name, size_t room);
/* Removed values that are words of kept symbols are public. */
void redact_keep_symbols(struct redact *x);
/* Collects the names of tasks that the recorder identified as kernel threads. */
void redact_read_tasks(struct redact *x);
/* Redacts an event type's name in place. */
void redact_type_name(struct redact *x, const struct trawl_source *s, char *name);

#endif
