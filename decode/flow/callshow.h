/* SPDX-License-Identifier: MIT */
/* Prints calls: as text, or as JSON, an object a line. */
#ifndef TRAWL_DECODE_FLOW_CALLSHOW_H
#define TRAWL_DECODE_FLOW_CALLSHOW_H

#include "decode/flow/callnode.h"

/* Prints all calls of a task, indented by depth. */
void callshow_tree(struct calls *c, const struct call_tree *t);
/* Prints the last calls of all tasks in the order of time. */
void callshow_last(struct calls *c);

#endif
