/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_COMMON_BRANCHREWRITE_H
#define TRAWL_COMMON_BRANCHREWRITE_H

#include <stdbool.h>

/*
 * A recorder writes the batches of each second, so that one that is killed loses no more. Where
 * branches are slow (ptrace) these batches are short, and most of a file says the same pairs again
 * each second. Writes a whole capture from `from` to `to`, an empty file, with the batches of a
 * task joined into long ones; all else, and all times, stay. Both descriptors stay the caller's.
 *
 * Returns false where that is not possible or useful; then `to` has anything. That is so of a file
 * of more than 16 MiB or with long batches, one that is damaged or has several sections, branches
 * at probes, or a clock that was set.
 */
bool branch_rewrite(int from, int to);

#endif
