/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_COMMON_BRANCHREWRITE_H
#define TRAWL_COMMON_BRANCHREWRITE_H

#include <stdbool.h>

/*
 * A recorder writes its batches once a second, so that it loses at most that much if it is killed.
 * If branches are slow (ptrace), these batches are short, and most of the file repeats the same
 * pairs. branch_rewrite() copies a complete capture from `from` to `to`, an empty file, and joins
 * the batches of a task; all else, and all times, stay equal. The caller closes both descriptors.
 *
 * Returns false if that is impossible or useless, and leaves any bytes in `to`: the file has more
 * than 16 MiB, or long batches; it is damaged, or has several sections; it has branches at probes,
 * or its clock was set.
 */
bool branch_rewrite(int from, int to);

#endif
