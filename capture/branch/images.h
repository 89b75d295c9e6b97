/* SPDX-License-Identifier: MIT */
/*
 * Metadata for reading a file without the programs: what was mapped where, and the symbols and
 * source lines of all addresses that branches had. Each piece has what is new since the last one.
 * docs/format.md, "Modules of branches".
 */
#ifndef TRAWL_CAPTURE_BRANCH_IMAGES_H
#define TRAWL_CAPTURE_BRANCH_IMAGES_H

#include <sys/types.h>
#include "capture/branch/module.h"
#include "capture/session.h"
#include "format/trawl.h"

struct image_map {
	uint64_t start, end, offset;
	struct module *module;
	bool uprobes; /* [uprobes]: where the kernel has instructions run that it put uprobes on */
};

struct image_process {
	struct image_process *next;
	pid_t pid;
	char *text;      /* the lines of its last BRANCH_EVENT_MAPS */
	uint64_t time;
	uint32_t mapping; /* number of these maps: every text of every process has another */
	struct image_map *maps;
	size_t nmaps;
	size_t last;     /* the one that was found last */
};

/* From where a branch went to where the next one came from. */
struct image_way {
	uint64_t from, to;
	uint32_t mapping; /* 0: empty */
	bool gap;
};

enum { IMAGE_BUCKETS = 256, IMAGE_WAYS_BITS = 16 };

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
	struct image_way *ways; /* 1 << IMAGE_WAYS_BITS, by from and to; NULL: none was asked for */
	uint32_t mappings;      /* the number of the newest maps */
	struct session_site *sites; /* that have uprobes, by offset */
	size_t nsites;
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

/*
 * Takes note of the uprobes in the text of tracefs's uprobe_events. A conditional jump under one
 * may have branched without a record. A path below /proc/self is another process's and is left out.
 */
void branch_images_probes(struct images *im, const char *definitions);
/* Likewise of these places. */
void branch_images_sites(struct images *im, const struct session_site *sites, size_t n);

/*
 * Returns whether branches are, or may be, missing between two records of a task, of which one went
 * to `from` and the next comes from `to`, because the kernel carried them out for a uprobe: no
 * processor has a record of that. True if the code leads there by direct jumps or calls only, if it
 * leads there over a conditional jump that has a uprobe, or if one of the two is in [uprobes]. The
 * code is that of the programs' files.
 */
bool branch_images_gap(struct images *im, pid_t pid, uint64_t from, uint64_t to);

/* Writes as metadata what is new of all modules. whole: writes all of it again, for a flight
 * recorder, which keeps the newest metadata of each name only. 0, or -1 with *err. */
int branch_images_write(struct images *im, bool whole, struct trawl_writer *w,
			struct trawl_error *err);
/* Writes all that is known, for a file that begins. 0, or -1 with *err. */
int branch_images_write_all(struct images *im, struct trawl_writer *w, struct trawl_error *err);

#endif
