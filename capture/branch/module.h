/* SPDX-License-Identifier: MIT */
/* A file, or the vdso, that branches were in: the functions and lines that were hit. */
#ifndef TRAWL_CAPTURE_BRANCH_MODULE_H
#define TRAWL_CAPTURE_BRANCH_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/branch/reader.h"
#include "capture/branch/findings.h"
#include "common/hashset.h"
#include "format/trawl.h"

/* An executable one. */
struct module_segment {
	uint64_t offset, vaddr, filesz;
};

struct module {
	struct module *next;
	char key[64];      /* in the name of the metadata: DEV:INODE as in maps, or "vdso" */
	char *path;        /* as maps has it, without " (deleted)" */
	bool deleted;
	char build_id[129];
	char why[LOOKUP_TEXT_MAX]; /* no symbols are known, or no further ones: why; or "" */
	bool compat;               /* 32-bit code */
	int fd;                    /* -1: the vdso, at image; or none */
	char *image;
	size_t image_size;

	/* Bytes of the file that were read last, for the next instruction. */
	uint8_t window[512];
	uint64_t window_at;
	size_t window_size;

	struct reader reader;
	bool asked;        /* the reader was asked for segments and build id */
	struct module_segment *segments;
	size_t nsegments;
	struct findings found;

	struct hashset seen;  /* offsets that were hit, plus 1 */
	uint64_t *hits;       /* offsets that were hit since the reader was asked last */
	size_t nhits, hits_room;
	bool whole;           /* ask the reader for all functions with the next request */

	/* How much of `found` is in metadata; whether there is any metadata of the module. */
	size_t written_files, written_functions, written_lines, written_insns;
	bool written;
};

/*
 * Returns the module that this line of /proc/PID/maps maps, owned by the list; a new one is put in
 * front of the list and gets a reader. Its file is opened as process `pid` sees it, or, if that has
 * ended, as the recorder does. NULL: the line's memory is of no file.
 */
struct module *module_of(struct module **list, struct reader_starter *starter, pid_t pid,
			 const char *line);
void modules_free(struct module *list);

/* Notes a hit at `offset` in the file (of the vdso: in its image); module_write() looks it up. */
void module_hit(struct module *m, uint64_t offset);

/* Returns the instruction at `offset`, as the file has it; its length is 0 if it cannot be read. */
struct branch_insn module_insn(struct module *m, uint64_t offset);

/* Called for the recorded program: functions that do not run are written, too. */
void module_want_all(struct module *m);

/* Is there anything that was not written yet? */
bool module_has_news(struct module *m);
/* Writes what is new, or all. Returns 0, or -1 with *err. */
int module_write(struct module *m, bool all, struct trawl_writer *w, struct trawl_error *err);

#endif
