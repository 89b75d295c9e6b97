/* SPDX-License-Identifier: MIT */
/*
 * A walk through the recorded branches of one task: the current instruction, and the ones before
 * and after it. Between two branches instructions follow each other, so their bytes tell which ones
 * ran. The bytes are read from the programs' files if these are the recorded ones (same build id).
 */
#ifndef TRAWL_REPLAY_WALK_H
#define TRAWL_REPLAY_WALK_H

#include "decode/branch/branch.h"

struct walk;

enum walk_end { WALK_OK, WALK_BEGIN, WALK_END, WALK_GAP };

struct walk_insn {
	uint64_t pc, time;     /* address; it ran at this time (ns, timeline) or later */
	uint64_t number;       /* number of the task's branches before it */
	uint8_t length;        /* 0: its bytes are unknown */
	uint8_t bytes[15];
	const char *why;       /* the reason if length is 0 */
};

/*
 * Reads the branches of a task; tid 0: of the task that has most. memory: of all readers of the
 * file; it must outlive the walk. Returns 0, or -1 with *err; walk_close() is to be called in any
 * case.
 */
int walk_open(struct walk **w, const char *path, struct trawl_memory *memory, int32_t tid,
	      struct trawl_error *err);
void walk_close(struct walk *w);

/* The thread whose branches are walked over. */
int32_t walk_tid(const struct walk *w);
/* The reader of the file, which knows its sources. */
struct trawl_reader *walk_reader(const struct walk *w);
/* How many branches the thread has. */
uint64_t walk_branches(const struct walk *w);
/* Describes the current instruction. */
void walk_here(struct walk *w, struct walk_insn *i);
/* Finds what is mapped at an address at the current time. */
void walk_place(struct walk *w, uint64_t address, struct image_place *p);
/*
 * Move to the next or previous instruction. Where the code is unknown, move to the next branch, or
 * to after the previous one.
 */
enum walk_end walk_step(struct walk *w);
enum walk_end walk_back(struct walk *w);
/*
 * Move to the first or last instruction, or to the first that is known to have run at `time` or
 * later.
 */
void walk_first(struct walk *w);
void walk_last(struct walk *w);
void walk_time(struct walk *w, uint64_t time);
/* A position of a walk, to return to. */
struct walk_position {
	size_t at, insn;
};

/* Returns the present position. */
struct walk_position walk_position(const struct walk *w);
/* Moves to a position. */
void walk_return(struct walk *w, const struct walk_position *p);
/*
 * Moves to the first instruction of those that may have run before `time` or after it. Returns over
 * how many branches these are; 0: the time is before the walk's begin.
 */
uint64_t walk_moment(struct walk *w, uint64_t time);
/*
 * Copies up to n code bytes at an address from the program's file. Returns how many; if 0, *why has
 * the reason, a constant.
 */
size_t walk_code(struct walk *w, uint64_t address, uint8_t *p, size_t n, const char **why);
/* By how much the program's file was relocated; false if unknown. */
bool walk_moved(struct walk *w, uint64_t *by);

struct walk_library { /* a shared object whose file with the recorded build id is here */
	const char *path;
	uint64_t moved;   /* by how much it was relocated */
	uint64_t dynamic; /* address of its dynamic section */
};

/*
 * Describes the n-th shared object that the program has mapped at any time until it ends or calls
 * exec. False if there are fewer.
 */
bool walk_library(struct walk *w, size_t n, struct walk_library *l);

#endif
