/* SPDX-License-Identifier: MIT */
/*
 * Metadata with which a file is read without the programs: the mappings of processes, and the
 * symbols and source lines of all addresses of branches. Each metadata has what is new since the
 * one before. Format: docs/format.md, "Modules of branches".
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
	bool uprobes; /* [uprobes]: the kernel's copies of instructions that have uprobes run here
		       * (XOL area) */
};

struct image_process {
	struct image_process *next;
	pid_t pid;
	char *text;      /* the lines of its last BRANCH_EVENT_MAPS */
	uint64_t time;
	uint32_t mapping; /* number of this version of the process's maps, unique in the capture */
	struct image_map *maps;
	size_t nmaps;
	size_t last;     /* index of the entry that was last found */
};

/* How the code leads from the target of a branch to the next branch of the task. */
enum way {
	WAY_OPEN,    /* straight, or the code is not known */
	WAY_MISSING, /* branches may be missing that the kernel emulated for a uprobe */
	WAY_NONE,    /* not at all: the kernel moved the task (a signal, and the return from its
		      * handler), or branches are missing */
};

/* A result of branch_images_way(). */
struct image_way {
	uint64_t from, to;
	uint32_t mapping; /* 0: empty */
	enum way way;
};

enum { IMAGE_BUCKETS = 256, IMAGE_WAYS_BITS = 16 };

struct images {
	struct image_process *processes[IMAGE_BUCKETS];
	struct module *modules;
	struct reader_starter starter; /* opened by the owner, before any map comes */
	struct {
		uint64_t address;
		const struct image_process *process;
		uint64_t time; /* time of its maps */
		uint8_t kind;
	} kinds[4096]; /* cache of the kinds of instructions, by address */
	struct image_way *ways; /* cache of 1 << IMAGE_WAYS_BITS entries, by from and to; NULL until
				 * the first use */
	uint32_t mappings;      /* number of the latest maps */
	struct session_site *sites; /* places with uprobes, sorted by offset */
	size_t nsites;
	bool cut;       /* targets in the records may lack their upper bits (lbr_cuts_targets()) */
	bool near_only; /* the records have no far branches, as LBR_SELECT leaves them out */
};

void branch_images_free(struct images *im);

/*
 * Records the mappings of a process from `time` on. maps: the text of /proc/PID/maps. The process
 * must still exist, because its files are opened through /proc. Returns 0, or -1 with *err.
 */
int branch_images_map(struct images *im, pid_t pid, const char *maps, uint64_t time,
	       struct trawl_writer *w, struct trawl_error *err);

/* Adds an address of a branch of the process: its symbol and line will be written. */
void branch_images_hit(struct images *im, pid_t pid, uint64_t address);

/*
 * Returns the enum branch_kind of the instruction at an address, read from the program's file;
 * BRANCH_UNKNOWN if it is no branch, or if the file cannot be read.
 */
uint8_t branch_images_kind(struct images *im, pid_t pid, uint64_t address);

/* Whether the address, a record's target, may be another one without its upper bits. */
bool branch_images_cut(struct images *im, pid_t pid, uint64_t target);

/*
 * Adds the uprobes in the text of tracefs's uprobe_events: a conditional jump with a uprobe may
 * branch without a record. Ignores paths below /proc/self, which mean another process's file.
 */
void branch_images_probes(struct images *im, const char *definitions);
/* The same for uprobes of this capture. */
void branch_images_sites(struct images *im, const struct session_site *sites, size_t n);

/*
 * Returns how a task may have come from the record that went to `from` to the next one, which comes
 * from `to`. The kernel emulates a branch that has a uprobe, and the processor does not record it:
 * WAY_MISSING if the code between the two (read from the programs' files) has direct jumps or
 * calls, or a conditional jump with a uprobe, or if one of the two is in [uprobes]; with near_only
 * also if it comes to a far branch.
 */
enum way branch_images_way(struct images *im, pid_t pid, uint64_t from, uint64_t to);

/*
 * Looks up what was hit in all modules, while their files are there, and writes as metadata what is
 * new. later: leaves the writing to branch_images_write_all(), for a flight recorder, which keeps
 * only the newest metadata of each name. Returns 0, or -1 with *err.
 */
int branch_images_write(struct images *im, bool later, struct trawl_writer *w,
			struct trawl_error *err);
/* Writes everything, at the begin of a file. Returns 0, or -1 with *err. */
int branch_images_write_all(struct images *im, struct trawl_writer *w, struct trawl_error *err);

#endif
