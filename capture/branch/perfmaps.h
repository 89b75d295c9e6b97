/* SPDX-License-Identifier: MIT */
/* The executable mappings of processes, from perf's records of mmap(), fork() and exec(). */
#ifndef TRAWL_CAPTURE_BRANCH_PERFMAPS_H
#define TRAWL_CAPTURE_BRANCH_PERFMAPS_H

#include <stdint.h>
#include <sys/types.h>

struct perf_map;

/* One line of maps, from a record of mmap(). */
struct perf_map_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor, prot;
	const char *path;
};

/* The process maps this line, which replaces what it had mapped in that range. */
void perf_maps_add(struct perf_map **list, pid_t pid, const struct perf_map_line *l);
void perf_maps_fork(struct perf_map **list, pid_t parent, pid_t child);
void perf_maps_exec(struct perf_map **list, pid_t pid);
/* Returns the mappings as /proc/PID/maps has them, malloc'd. */
char *perf_maps_text(const struct perf_map *list, pid_t pid);
void perf_maps_free(struct perf_map *list);

#endif
