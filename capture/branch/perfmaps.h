/* SPDX-License-Identifier: MIT */
/* The executable mappings of processes, from perf's records of mmap(), fork() and exec(). */
#ifndef TRAWL_CAPTURE_BRANCH_PERFMAPS_H
#define TRAWL_CAPTURE_BRANCH_PERFMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_map;

/* One line of maps, from a PERF_RECORD_MMAP2. */
struct perf_map_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor, prot;
	const char *path;
};

/* Adds a mapping of the process, in place of what it had in that range. */
void perf_maps_add(struct perf_map **list, pid_t pid, const struct perf_map_line *l);
void perf_maps_fork(struct perf_map **list, pid_t parent, pid_t child);
void perf_maps_exec(struct perf_map **list, pid_t pid);
/* Adds the mappings of a process to another list. */
void perf_maps_copy(struct perf_map **to, const struct perf_map *from, pid_t pid);
bool perf_maps_has(const struct perf_map *list, pid_t pid, uint64_t address);
/* Returns the mappings of the process in the format of /proc/PID/maps, malloc'd. */
char *perf_maps_text(const struct perf_map *list, pid_t pid);
void perf_maps_free(struct perf_map *list);

#endif
