/* SPDX-License-Identifier: MIT */
/*
 * What the file must know to be read without the programs: what was mapped where, and the symbols
 * and source lines of all addresses that branches had. Written as metadata, piece by piece: what
 * is new since the last piece. docs/format.md, "Modules of branches".
 */
#ifndef TRAWL_CAPTURE_BRANCH_IMAGES_H
#define TRAWL_CAPTURE_BRANCH_IMAGES_H

#include <sys/types.h>
#include "capture/branch/module.h"
#include "format/trawl.h"

struct image_map {
	uint64_t start, end, offset;
	struct module *module;
};

struct image_process {
	struct image_process *next;
	pid_t pid;
	char *text;      /* as it was told last */
	uint64_t time;
	struct image_map *maps;
	size_t nmaps;
	size_t last;     /* the one that was found last */
};

enum { IMAGE_BUCKETS = 256 };

struct images {
	struct image_process *processes[IMAGE_BUCKETS];
	struct module *modules;
	struct reader_starter starter; /* opened by the owner, before any map comes */
	struct {
		uint64_t address;
		const struct image_process *process;
		uint64_t time; /* of its maps */
		uint8_t kind;
	} kinds[4096]; /* of instructions, by address */
};

void branch_images_free(struct images *im);

/*
 * Records the mappings of a process from `time` on. maps: the text of /proc/PID/maps. The process
 * must still be there: its files are opened through /proc. 0, or -1 with *err.
 */
int branch_images_map(struct images *im, pid_t pid, const char *maps, uint64_t time,
	       struct trawl_writer *w, struct trawl_error *err);

/* Notes an address that a branch of the process came from or went to: its symbol and line are
 * written. */
void branch_images_hit(struct images *im, pid_t pid, uint64_t address);

/* Returns the enum branch_kind of the instruction at an address, read from the program's file;
 * BRANCH_UNKNOWN: no branch is there, or the file cannot be read. */
uint8_t branch_images_kind(struct images *im, pid_t pid, uint64_t address);

/* Writes as metadata what is new of all modules. whole: writes all of it again, for a flight
 * recorder, which keeps the newest metadata of each name only. 0, or -1 with *err. */
int branch_images_write(struct images *im, bool whole, struct trawl_writer *w,
			struct trawl_error *err);
/* Writes all that is known, for a file that begins. 0, or -1 with *err. */
int branch_images_write_all(struct images *im, struct trawl_writer *w, struct trawl_error *err);

#endif
