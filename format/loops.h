/* SPDX-License-Identifier: MIT */
/*
 * Functions that are little but loops over columns exist twice where the compiler and the loader
 * can do that: for processors with AVX2 and BMI, a tenth faster, and for all others.
 */
#ifndef TRAWL_FORMAT_LOOPS_H
#define TRAWL_FORMAT_LOOPS_H

#include "config.h"

#ifdef HAVE_TARGET_CLONES
#define LOOPS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define LOOPS
#endif

#endif
