/* SPDX-License-Identifier: MIT */
/* Text that may hold a stranger's (names in programs, devices, files), for a terminal. */
#ifndef TRAWL_COMMON_PLAIN_H
#define TRAWL_COMMON_PLAIN_H

#include <stdbool.h>

/*
 * Puts '?' in place of each control character, also of those in UTF-8 (utf8_control()), so that
 * a terminal obeys to none. lines: line ends and tabs stay, for messages of several lines. Returns
 * text.
 */
char *plain_text(char *text, bool lines);

#endif
