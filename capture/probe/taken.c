/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/probe/taken.h"
#include "capture/sys/alloc.h"
#include "common/fnv.h"

static size_t *slot_of(const struct taken *t, uint64_t hash)
{
	return &t->slots[hash & (t->room - 1)];
}

static void link_name(struct taken *t, size_t i)
{
	size_t *slot = slot_of(t, t->names[i].hash);

	t->names[i].next = *slot;
	*slot = i + 1;
}

void taken_add(struct taken *t, const char *name, size_t probe)
{
	xgrow(t->names, t->n);
	t->names[t->n++] = (struct taken_name){ fnv1a(name, strlen(name)), probe, 0 };
	if (t->n <= t->room) {
		link_name(t, t->n - 1);
		return;
	}
	free(t->slots);
	t->room = t->room ? 2 * t->room : 256;
	t->slots = xcalloc(t->room, sizeof(*t->slots));
	for (size_t i = 0; i < t->n; i++)
		link_name(t, i);
}

bool taken_next(const struct taken *t, const char *name, size_t *at, size_t *probe)
{
	uint64_t hash = fnv1a(name, strlen(name));

	if (!t->room)
		return false;
	for (*at = *at ? t->names[*at - 1].next : *slot_of(t, hash); *at;
	     *at = t->names[*at - 1].next) {
		if (t->names[*at - 1].hash == hash) {
			*probe = t->names[*at - 1].probe;
			return true;
		}
	}
	return false;
}

void taken_free(struct taken *t)
{
	free(t->names);
	free(t->slots);
	*t = (struct taken){ 0 };
}
