/* SPDX-License-Identifier: MIT */
#include "format/zdict.h"

/* The lines of docs/zdict.txt, each as a string. */
const char zdict[] =
#include "format/zdict.inc"
	;
const size_t zdict_len = sizeof(zdict) - 1;

/* The lines of docs/zdict2.txt likewise. */
const char zdict2[] =
#include "format/zdict2.inc"
	;
const size_t zdict2_len = sizeof(zdict2) - 1;
