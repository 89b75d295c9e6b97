/* SPDX-License-Identifier: MIT */
/* Makes untrusted text (names in programs, devices, files) safe for a terminal. */
#ifndef TRAWL_COMMON_PLAIN_H
#define TRAWL_COMMON_PLAIN_H

#include <stdbool.h>

/*
 * Replaces each control character, including those of utf8_control(), by '?', so that it has no
 * effect on a terminal. lines: keeps line ends and tabs, for messages of several lines. Returns
 * text.
 */
char *plain_text(char *text, bool lines);

#endif
