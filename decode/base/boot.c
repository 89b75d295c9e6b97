/* SPDX-License-Identifier: MIT */
#include "decode/base/boot.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/base/jdoc.h"
#include "decode/base/output.h"

void boots_free(struct boots *b)
{
	free(b->of);
	free(b->ids);
	b->of = NULL;
	b->ids = NULL;
	b->n = b->nids = 0;
}

/* Returns the number of a boot id, which is added if it is new; UINT32_MAX: out of memory. */
static uint32_t number_of(struct boots *b, const char *id)
{
	for (uint32_t i = 0; i < b->nids; i++)
		if (!strncmp(b->ids[i], id, BOOT_ID - 1))
			return i;
	if (!array_grow(b->ids, b->nids)) {
		out_lack_memory();
		return UINT32_MAX;
	}
	snprintf(b->ids[b->nids], BOOT_ID, "%s", id);
	return b->nids++;
}

static void read_machine(struct boots *b, const struct trawl_meta *m)
{
	struct json_object *j = jdoc_parse(m->data, m->len);
	const char *id = jdoc_string(j, "boot_id");

	if (!*id)
		goto out;
	if (m->section >= b->n &&
	    !array_resize(&b->of, (size_t)m->section + 1, sizeof(*b->of))) {
		out_lack_memory();
		goto out;
	}
	while (b->n <= m->section)
		b->of[b->n++] = UINT32_MAX;
	b->of[m->section] = number_of(b, id);
out:
	json_object_put(j);
}

static void read_metas(struct boots *b)
{
	size_t n = trawl_meta_count(b->reader);

	for (; b->metas < n; b->metas++) {
		const struct trawl_meta *m = trawl_meta_at(b->reader, b->metas);

		if (!strcmp(m->name, "machine"))
			read_machine(b, m);
	}
}

bool boots_same(struct boots *b, uint32_t section, uint32_t other)
{
	read_metas(b);
	return section < b->n && other < b->n && b->of[section] != UINT32_MAX &&
	       b->of[section] == b->of[other];
}

uint32_t boot_of(struct boots *b, uint32_t section)
{
	size_t i;

	read_metas(b);
	for (i = section < b->n ? section + 1u : b->n; i-- > 0;)
		if (b->of[i] != UINT32_MAX)
			return b->of[i];
	return 0;
}
