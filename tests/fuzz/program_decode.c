/* SPDX-License-Identifier: MIT */
/* trawl-decode as a function, for harnesses that run many command lines in one process. */
#include "tests/fuzz/programs.h"

#define main decode_main
#include "decode/trawl-decode.c"
