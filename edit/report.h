/* SPDX-License-Identifier: MIT */
/* A report while it is made: what the options say, and the temporary folder with its parts. */
#ifndef TRAWL_EDIT_REPORT_H
#define TRAWL_EDIT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trawl.h"

enum {
	REPORT_WORDS = 64, /* at most: arguments of one kind */
	REPORT_FILES = 10,
};

/* The files of the folder. */
enum report_file { RECORDED, CUT, CAPTURE, PAGE, SECRETS, PACKETS, SUMMARY, MANIFEST, TEXT,
		   PAGE_PART };

struct report {
	const char *file, *out, *title, *message;
	char **command;
	/* arguments for trawl, for trawl-edit redact */
	const char *sources[REPORT_WORDS], *classes[REPORT_WORDS];
	size_t nsources, nclasses;
	uint64_t max_size;
	bool yes;
	char folder[4096];
	char *files[REPORT_FILES]; /* their paths; RECORDED to PAGE_PART */
	char name[64];             /* of the zip file, if the user gives none */
	char saved[4400];          /* what was recorded, or what the flight recorder saved */
	int recorder;              /* its PID; 0: the only running one */
	uint64_t size;             /* of the zip, bytes */
	uint64_t events;           /* in cut.trawl */
	bool damaged;
};

/* The names of the files in the folder; those of its parts are also their names in the zip. */
extern const char *const report_file_names[REPORT_FILES];

/* Creates the folder; fills r->folder and r->files. Returns 0, or -1 with *err. */
int report_folder_make(struct report *r, struct trawl_error *err);
void report_folder_remove(struct report *r);
/* Frees r->files. */
void report_free(struct report *r);

#endif
