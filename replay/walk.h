/* SPDX-License-Identifier: MIT */
/*
 * A walk through the recorded branches of one task: at which instruction it was, and which one came
 * before and after. Between two branches instructions follow each other, so that their bytes tell
 * which ones ran: these are read from the programs' files, if they are those that were recorded
 * (same build id).
 */
#ifndef TRAWL_REPLAY_WALK_H
#define TRAWL_REPLAY_WALK_H

#include "decode/branch/branch.h"

struct walk;

enum walk_end { WALK_OK, WALK_BEGIN, WALK_END, WALK_GAP };

struct walk_insn {
	uint64_t pc, time;     /* it ran at this time (timeline) or later */
	uint64_t number;       /* branches of the task before it */
	uint8_t length;        /* 0: its bytes are not known */
	uint8_t bytes[15];
	const char *why;       /* length 0: why */
};

/*
 * Reads the branches of a task; tid 0: of the one that has most. 0, or -1 with *err. walk_close()
 * in any case.
 */
int walk_open(struct walk **w, const char *path, const char *name, int32_t tid,
	      struct trawl_error *err);
void walk_close(struct walk *w);

int32_t walk_tid(const struct walk *w);
uint64_t walk_branches(const struct walk *w);
/* The instruction where the walk is. */
void walk_here(struct walk *w, struct walk_insn *i);
void walk_place(struct walk *w, uint64_t address, struct image_place *p);
/* To the next or the previous instruction. Where code is not known: to the next branch, or after
 * the previous one. */
enum walk_end walk_step(struct walk *w);
enum walk_end walk_back(struct walk *w);
/* To the first or the last instruction, or to the first that is known to have run at a time. */
void walk_first(struct walk *w);
void walk_last(struct walk *w);
void walk_time(struct walk *w, uint64_t time);
/* Code bytes at an address, as far as a file has them: how many of n. */
size_t walk_code(struct walk *w, uint64_t address, uint8_t *p, size_t n, const char **why);
/* By how much the program's file was moved; false: not known. */
bool walk_moved(struct walk *w, uint64_t *by);

#endif
