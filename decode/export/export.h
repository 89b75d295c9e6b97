/* SPDX-License-Identifier: MIT */
/*
 * A format of trawl-export. To add one: a function that runs a stream into an output, and a line
 * in the table of trawl-export.c.
 */
#ifndef TRAWL_DECODE_EXPORT_EXPORT_H
#define TRAWL_DECODE_EXPORT_EXPORT_H

#include "decode/query/stream.h"

struct export_options {
	const char *columns; /* --fields of csv, or NULL */
	bool decimal;        /* csv: every number, also those that most readers round */
	bool no_formulas;    /* csv: no text begins as formulas of spreadsheets do */
	const char *output;  /* the name of the output, for messages */
	int spool;           /* a temporary file, for a format that has one */
	bool with_machine;   /* --with-machine: command lines and the host's name, too */
};

struct export_format {
	const char *name; /* as --to takes it */
	const char *what; /* for --help */
	bool packets;     /* decoders are opened with options->export */
	bool binary;      /* not for a terminal */
	bool spool;       /* options->spool is needed: no file can be made while a capture is
			   * read */
	/* 0, or -1 with *err. Write errors stay in out->error and are no business of this. */
	int (*run)(const struct export_options *o, struct stream *s, struct out *out,
		   struct trawl_error *err);
	bool batches;     /* of branches: decoders are opened with options->raw */
};

#endif
