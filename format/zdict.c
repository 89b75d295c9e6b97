/* SPDX-License-Identifier: MIT */
#include "format/zdict.h"

/* The lines of docs/zdict.txt, each as a string. */
const char zdict[] =
#include "format/zdict.inc"
	;
const size_t zdict_len = sizeof(zdict) - 1;
