/* SPDX-License-Identifier: MIT */
/* trawl-replay as a function, for harnesses that run many command lines in one process. */
#include "tests/fuzz/programs.h"

#define main replay_main
#include "replay/trawl-replay.c"
