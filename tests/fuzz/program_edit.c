/* SPDX-License-Identifier: MIT */
/* trawl-edit as a function, for harnesses that run many command lines in one process. */
#include "tests/fuzz/programs.h"

#define main edit_main
#include "edit/trawl-edit.c"
