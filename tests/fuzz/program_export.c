/* SPDX-License-Identifier: MIT */
/* trawl-export as a function, for harnesses that run many command lines in one process. */
#include "tests/fuzz/programs.h"

#define main export_main
#include "decode/trawl-export.c"
