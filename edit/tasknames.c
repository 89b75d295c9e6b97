/* SPDX-License-Identifier: MIT */
#include "edit/tasknames.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { SLOTS = 256 }; /* first size of the hash table */

static uint32_t *slot_of(const struct task_names *t, uint32_t section, int32_t tid)
{
	uint64_t key = ((uint64_t)section << 32 | (uint32_t)tid) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(key >> 20) & (t->nslots - 1);

	for (;; i = (i + 1) & (t->nslots - 1)) {
		const struct task_name *of = t->slots[i] ? &t->list[t->slots[i] - 1] : NULL;

		if (!of || (of->section == section && of->tid == tid))
			return &t->slots[i];
	}
}

/* Makes room for one more task: at most half of the slots are used. */
static bool reserve(struct task_names *t)
{
	size_t n = t->nslots ? 2 * t->nslots : SLOTS;
	uint32_t *slots;

	if (2 * (t->ntasks + 1) <= t->nslots)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	for (size_t i = 0; i < t->n; i++)
		*slot_of(t, t->list[i].section, t->list[i].tid) = (uint32_t)i + 1;
	return true;
}

void task_names_add(struct task_names *t, uint32_t section, const struct item *it)
{
	struct task_name name = { .section = section, .tid = it->tid, .pid = it->pid,
				  .time = it->time, .late = !it->comm_len };
	const struct task_name *before = NULL;
	uint32_t *slot;

	if (it->tid <= 0 || it->comm_len >= sizeof(name.comm))
		return;
	memcpy(name.comm, it->comm, it->comm_len);
	slot = reserve(t) ? slot_of(t, section, it->tid) : NULL;
	if (slot && *slot) {
		before = &t->list[*slot - 1];
		name.late = before->late;
		name.pid = before->pid < 0 ? before->pid : name.pid;
		if (!strcmp(before->comm, name.comm) && before->pid == name.pid)
			return;
	}
	if (!slot || !array_grow(t->list, t->n)) {
		t->failed = true;
		return;
	}
	t->ntasks += !before;
	t->list[t->n++] = name;
	*slot = (uint32_t)t->n;
}

void task_names_free(struct task_names *t)
{
	free(t->list);
	free(t->slots);
	*t = (struct task_names){ 0 };
}
