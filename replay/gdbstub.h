/* SPDX-License-Identifier: MIT */
/*
 * The remote serial protocol of gdb (its manual, "Remote Protocol") over a walk: gdb steps and
 * continues, also backwards, over the recorded program counter. Memory is what the programs' files
 * have; the other registers are unavailable.
 */
#ifndef TRAWL_REPLAY_GDBSTUB_H
#define TRAWL_REPLAY_GDBSTUB_H

#include <stdio.h>

#include "replay/walk.h"

/* Until gdb leaves: for "target remote | trawl-replay branch --gdb FILE". 0, or -1 with *err. */
int gdbstub_run(struct walk *w, FILE *in, FILE *out, struct trawl_error *err);

#endif
