/* SPDX-License-Identifier: MIT */
/*
 * The metadata that a redacted file may have, its members, and what is done to each. Metadata that
 * docs/format.md does not describe, or that has another form, is not in the list and is omitted.
 */
#ifndef TRAWL_EDIT_REDACTMEMBERS_H
#define TRAWL_EDIT_REDACTMEMBERS_H

#include "edit/classes.h"

enum member_rule {
	/* Values that are kept, if they have this form. */
	KEEP,    /* a number, a boolean or a short text in one line */
	LIST,    /* one of these, or an array of them */
	NUMBERS, /* an array of numbers, or of arrays of numbers */
	NAMED,   /* an object whose values are numbers */
	HEX,     /* a text of hex digits */
	DROP,    /* as KEEP, if its class is kept */
	/* Texts that get a stand-in if their class is dropped. */
	TEXT, PATH, TRIGGER, SOURCE, MACHINE, EVENT,
	WORDS, PATHS, /* arrays of them; WORDS: of a command line */
	ARGUMENT,     /* one of WORDS that is not the first */
	COMMAND_LINE, /* of trawl: an array of words */
	SPECS,        /* an array of texts of -i */
	FILTER,       /* of a trace event */
	NOTE,         /* a sentence: its texts in quotes and its paths */
	EXPRESSION,   /* of a probe's argument: its texts in quotes */
	/* Others. */
	EACH, /* an object, or an array of objects */
	ROWS, /* an array of [number, number, text] */
	TIME, /* of the wall clock, in ns */
	BOS,  /* a BOS descriptor in hex */
};

struct member {
	const char *name; /* several rows of one name are applied in their order */
	enum member_rule rule;
	enum secret_class class;
	const struct member *inside; /* of EACH; ends with a row without a name */
};

/* How a piece of metadata is written. */
enum document_form {
	DOCUMENT_JSON,
	DOCUMENT_MAPS,      /* lines of /proc/PID/maps */
	DOCUMENT_SYMBOLS,   /* lines that begin with an address */
	DOCUMENT_ARITHMETIC /* hex digits, signs and spaces: of a timeline */
};

struct document {
	const char *name; /* ends with '/' or '@': stands for all that begin so */
	const char *rest; /* the characters that may follow; NULL: any */
	enum document_form form;
	const struct member *members; /* of JSON; ends with a row without a name */
};

/* What the metadata with this name is; NULL: unknown, or the name is not of the known form. */
const struct document *redact_document(const char *name);

/* Calls `name` with the name of every member of a document; some several times. */
void redact_member_names(void (*name)(void *arg, const char *name), void *arg);

#endif
