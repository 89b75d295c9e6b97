/* SPDX-License-Identifier: MIT */
#include "format/zdict.h"

/* The lines of docs/zdict.txt, each as a string. */
const char words[] =
#include "format/zdict.inc"
	;
const size_t words_len = sizeof(words) - 1;
