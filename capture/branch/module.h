/* SPDX-License-Identifier: MIT */
/*
 * A module: a file, or the vdso, that has code of branches, with the functions and lines that were
 * hit.
 */
#ifndef TRAWL_CAPTURE_BRANCH_MODULE_H
#define TRAWL_CAPTURE_BRANCH_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/branch/reader.h"
#include "capture/branch/findings.h"
#include "common/buildid.h"
#include "common/hashset.h"
#include "format/trawl.h"

/* An executable segment. */
struct module_segment {
	uint64_t offset, vaddr, filesz;
};

struct module {
	struct module *next;
	char key[64];      /* in the name of the metadata: DEV:INODE as in maps, or "vdso" */
	char *path;        /* as in /proc/PID/maps, without " (deleted)" */
	bool deleted;
	char build_id[BUILD_ID_ROOM];
	char why[LOOKUP_TEXT_MAX]; /* why no symbols, or no more of them, can be read; or "" */
	bool compat;               /* 32-bit code */
	int fd;                    /* -1: there is no file, or it is the vdso, which is at
				    * `image` */
	char *image;
	size_t image_size;

	/* The bytes of the file that were read last: the next instruction is often in them. */
	uint8_t window[512];
	uint64_t window_at;
	size_t window_size;

	struct reader reader;
	bool open_requested; /* the reader has been asked for segments and build ID */
	struct module_segment *segments;
	size_t nsegments;
	struct findings found;

	struct hashset seen;  /* offsets that were hit, plus 1 (0 is a free slot) */
	uint64_t *hits;       /* offsets that were hit since the last request to the reader */
	size_t nhits, hits_room;
	bool whole;           /* the next request asks for all functions */

	/* How much of `found` has been written; whether metadata of the module has been. */
	size_t written_files, written_functions, written_lines, written_insns;
	bool written;
};

/*
 * Returns the module of a line of /proc/PID/maps, owned by the list. A new module is put at the
 * head of the list and gets a reader; its file is opened as process `pid` sees it, or as the
 * recorder does if that has ended. NULL if the line is no mapping of a file.
 */
struct module *module_of(struct module **list, struct reader_starter *starter, pid_t pid,
			 const char *line);
void modules_free(struct module *list);

/*
 * Adds a hit at `offset` in the file (the vdso: in its image); module_write() looks up its symbol.
 */
void module_hit(struct module *m, uint64_t offset);

/* Returns the instruction at `offset` of the file; length is 0 if it cannot be read. */
struct branch_insn module_insn(struct module *m, uint64_t offset);

/*
 * Makes the next module_write() write all functions, also those that did not run. Called for the
 * recorded program: coverage needs them.
 */
void module_want_all(struct module *m);

/* Whether module_write() has something to write. */
bool module_has_changed(struct module *m);
/* Writes metadata: what is new, or (all) everything. Returns 0, or -1 with *err. */
int module_write(struct module *m, bool all, struct trawl_writer *w, struct trawl_error *err);

#endif
