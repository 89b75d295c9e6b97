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

/* A process has these executable mappings from now on: /proc/PID/maps. It is there to be asked. */
int branch_images_map(struct images *im, pid_t pid, const char *maps, uint64_t time,
	       struct trawl_writer *w, struct trawl_error *err);

/* A branch of this process came from or went to this address. */
void branch_images_hit(struct images *im, pid_t pid, uint64_t address);

/* What kind of branch the instruction there is, by the file; BRANCH_UNKNOWN if there is none. */
uint8_t branch_images_kind(struct images *im, pid_t pid, uint64_t address);

/* Writes what is new of all modules. whole: and with it all that was before, for a ring, which keeps the
 * newest piece only. */
int branch_images_write(struct images *im, bool whole, struct trawl_writer *w,
			struct trawl_error *err);
/* Everything, for a file that begins. */
int branch_images_write_all(struct images *im, struct trawl_writer *w, struct trawl_error *err);

#endif
