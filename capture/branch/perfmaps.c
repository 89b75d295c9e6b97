/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/branch/perfmaps.h"
#include "capture/sys/alloc.h"

struct perf_map {
	struct perf_map *next;
	pid_t pid;
	struct perf_map_line line; /* path: owned */
};

static void remove_if(struct perf_map **list, pid_t pid, uint64_t start, uint64_t end)
{
	while (*list) {
		struct perf_map *m = *list;

		if (m->pid != pid || m->line.end <= start || m->line.start >= end) {
			list = &m->next;
			continue;
		}
		*list = m->next;
		free((char *)(uintptr_t)m->line.path);
		free(m);
	}
}

void perf_maps_add(struct perf_map **list, pid_t pid, const struct perf_map_line *l)
{
	struct perf_map *m;

	remove_if(list, pid, l->start, l->end);
	if (!(l->prot & PROT_EXEC))
		return;
	m = xcalloc(1, sizeof(*m));
	m->pid = pid;
	m->line = *l;
	m->line.path = xstrdup(l->path);
	while (*list && ((*list)->pid != pid || (*list)->line.start < l->start))
		list = &(*list)->next;
	m->next = *list;
	*list = m;
}

void perf_maps_fork(struct perf_map **list, pid_t parent, pid_t child)
{
	if (parent == child)
		return;
	perf_maps_exec(list, child);
	for (const struct perf_map *m = *list; m; m = m->next) {
		if (m->pid == parent)
			perf_maps_add(list, child, &m->line);
	}
}

void perf_maps_copy(struct perf_map **to, const struct perf_map *from, pid_t pid)
{
	for (; from; from = from->next) {
		if (from->pid == pid)
			perf_maps_add(to, pid, &from->line);
	}
}

bool perf_maps_has(const struct perf_map *list, pid_t pid, uint64_t address)
{
	for (; list; list = list->next) {
		if (list->pid == pid && address >= list->line.start && address < list->line.end)
			return true;
	}
	return false;
}

void perf_maps_exec(struct perf_map **list, pid_t pid)
{
	remove_if(list, pid, 0, UINT64_MAX);
}

char *perf_maps_text(const struct perf_map *list, pid_t pid)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (; f && list; list = list->next) {
		const struct perf_map_line *l = &list->line;

		if (list->pid == pid)
			fprintf(f,
				"%" PRIx64 "-%" PRIx64 " r%cxp %08" PRIx64 " %02x:%02x %" PRIu64
				"  %s\n",
				l->start, l->end, l->prot & PROT_WRITE ? 'w' : '-', l->offset,
				l->major, l->minor, l->inode, l->path);
	}
	if (f)
		fclose(f);
	return alloc_checked(text);
}

void perf_maps_free(struct perf_map *list)
{
	for (struct perf_map *next; list; list = next) {
		next = list->next;
		free((char *)(uintptr_t)list->line.path);
		free(list);
	}
}
