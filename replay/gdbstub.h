/* SPDX-License-Identifier: MIT */
/*
 * Serves gdb's remote serial protocol (gdb's manual, "Remote Protocol") on a walk: gdb steps and
 * continues forward and backward over the recorded program counter. Memory is read from the
 * programs' files; all other registers are unavailable.
 */
#ifndef TRAWL_REPLAY_GDBSTUB_H
#define TRAWL_REPLAY_GDBSTUB_H

#include <stdio.h>

#include "replay/walk.h"

/*
 * To be called before the walk is opened, which may take longer than gdb waits for an answer (its
 * remotetimeout, 2 s): until gdbstub_run(), gdb gets notifications on standard output by a timer
 * (SIGALRM), and goes on waiting.
 */
void gdbstub_loading(void);
/*
 * Serves until gdb detaches or closes `in`; for "target remote | trawl-replay branch --gdb FILE".
 * Returns 0, or -1 with *err.
 */
int gdbstub_run(struct walk *w, FILE *in, FILE *out, struct trawl_error *err);

#endif
