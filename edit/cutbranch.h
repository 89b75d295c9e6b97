/* SPDX-License-Identifier: MIT */
/*
 * Batches of branches in a part of a file. Where one of a task is left out, the task's next begins
 * with a mark: branches are missing, or what it did before is not known. So nobody takes a call for
 * whole that is not.
 */
#ifndef TRAWL_EDIT_CUTBRANCH_H
#define TRAWL_EDIT_CUTBRANCH_H

#include "common/branch.h"
#include "edit/cut.h"

/* Finds the batches that need a mark, c->begun and c->torn. To be called when c->entries are planned. 0, or -1
 * with *err. */
int cut_plan_branches(struct cut *c, struct trawl_error *err);

struct branch_marker; /* what adds the marks */

/* The event with a mark in front of its branches: ev->record lives until the next call, or the
 * marker's end. *m is made when it is first needed. 0, or -1 with *err. */
int branch_marker_add(struct branch_marker **m, struct trawl_event *ev, enum branch_mark_kind kind,
		      struct trawl_error *err);
void branch_marker_free(struct branch_marker *m);

#endif
