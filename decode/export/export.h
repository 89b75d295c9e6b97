/* SPDX-License-Identifier: MIT */
/*
 * A format of trawl-export. A new one consists of a function that writes a stream to an output, and
 * a line in the table of trawl-export.c.
 */
#ifndef TRAWL_DECODE_EXPORT_EXPORT_H
#define TRAWL_DECODE_EXPORT_EXPORT_H

#include "decode/query/stream.h"

struct export_options {
	const char *columns; /* --fields of csv, or NULL */
	/* write all numbers in decimal, including those that most readers round */
	bool decimal;
	bool no_formulas;    /* prevent text from being interpreted as a spreadsheet formula */
	const char *output;  /* name of the output, for messages */
	int spool;           /* descriptor of a temporary file, for formats with `spool` */
	bool with_machine;   /* --with-machine: include command lines and the host's name */
	uint64_t memory;     /* --memory; 0: the default */
};

struct export_format {
	const char *name; /* as --to takes it */
	const char *what; /* for --help */
	bool packets;     /* items are packets: decoders are opened with options->export */
	bool binary;      /* refuse to write to a terminal */
	/* requires options->spool, because the sandbox forbids creating a file later */
	bool spool;
	/* Returns 0, or -1 with *err. Write errors are left in out->error for the caller. */
	int (*run)(const struct export_options *o, struct stream *s, struct out *out,
		   struct trawl_error *err);
	bool batches;     /* items are batches of branches: decoders are opened with options->raw */
};

#endif
