/* SPDX-License-Identifier: MIT */
#include "words.h"

/* The lines of docs/words.txt, each as a string. */
const char words[] =
#include "format/words.inc"
	;
const size_t words_len = sizeof(words) - 1;
