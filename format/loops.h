/* SPDX-License-Identifier: MIT */
/*
 * LOOPS marks functions that mostly loop over columns. If compiler and loader support it, they are
 * compiled twice: for processors with AVX2 and BMI (10 % faster), and for all others.
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
