/* SPDX-License-Identifier: MIT */
/* -D: lists the probes and functions of a program. Both are list() of a struct source. */
#ifndef TRAWL_CAPTURE_USER_LISTING_H
#define TRAWL_CAPTURE_USER_LISTING_H

#include "capture/source.h"

int usdt_list(const char *text, struct source_list *list, struct trawl_error *err);
int uprobe_list(const char *text, struct source_list *list, struct trawl_error *err);

#endif
