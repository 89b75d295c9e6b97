/* SPDX-License-Identifier: MIT */
/* A reader without a file: its caller passes it sources, event types and records. */
#include <stdlib.h>

#include "format/reader.h"

struct trawl_reader *trawl_reader_blank(struct trawl_error *err)
{
	struct trawl_reader *r = calloc(1, sizeof(*r));

	if (r) {
		input_memory(&r->in, NULL, 0, true);
		r->name = strdup("live");
		r->reading = READING_DONE;
		r->section = catalog_section(&r->catalog, 0);
		r->lane.merge.catalog = &r->catalog;
		r->lane.merge.damage = &r->damage;
	}
	if (r && r->name && r->section)
		return r;
	trawl_close(r);
	trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return NULL;
}

/* Adds by a block's body, so that the catalog makes its copy as for a file. */
static int add_body(struct trawl_reader *r, enum block_kind kind, struct buf *body,
		struct trawl_error *err)
{
	struct view v = { body->data, body->data + body->len, false };
	bool ok = !body->failed && catalog_add(&r->catalog, r->section, kind, UINT32_MAX, &v);

	buf_free(body);
	return ok ? 0 : trawl_fail(err, TRAWL_CANNOT, "out of memory");
}

const struct trawl_source *trawl_reader_add_source(struct trawl_reader *r,
						   const struct trawl_source *s,
						   struct trawl_error *err)
{
	struct buf body = { 0 };

	body_source(&body, s, 0);
	return add_body(r, BLOCK_SOURCE, &body, err) ? NULL : r->section->sources[s->id]->source;
}

const struct trawl_event_type *trawl_reader_add_type(struct trawl_reader *r,
						     const struct trawl_event_type *t,
						     struct trawl_error *err)
{
	struct section_source *here = r->section->sources[t->source];
	uint32_t index = here ? here->ntypes : 0;
	struct buf body = { 0 };

	body_type(&body, t, index);
	return add_body(r, BLOCK_EVENT_TYPE, &body, err) ? NULL : here->types[index];
}

int trawl_reader_add_meta(struct trawl_reader *r, const struct trawl_meta *m,
			  struct trawl_error *err)
{
	struct meta_part p = { 0 };
	int ret = 0;

	while (!ret && meta_part_next(&p, m)) {
		struct buf body = { 0 };

		body_meta(&body, &p);
		ret = add_body(r, BLOCK_META, &body, err);
	}
	return ret;
}

int trawl_reader_add_sync(struct trawl_reader *r, const struct trawl_sync *s,
			  struct trawl_error *err)
{
	struct buf body = { 0 };

	if (r->catalog.nsyncs) {
		r->catalog.syncs[0].s = *s;
		return 0;
	}
	body_sync(&body, s);
	return add_body(r, BLOCK_SYNC, &body, err);
}
