/* SPDX-License-Identifier: MIT */
/*
 * The bodies of blocks: the structs of trawl.h to bytes and back; docs/format.md, "Bodies".
 *
 * body_NAME() appends to a buffer. body_NAME_get() reads an untrusted view; it returns false for a
 * body that breaks a rule of the format, or if memory runs out, and then leaves nothing allocated.
 * body_NAME_free() frees what it allocated.
 */
#ifndef TRAWL_FORMAT_BODY_H
#define TRAWL_FORMAT_BODY_H

#include "format/bytes.h"
#include "format/trawl.h"

enum {
	FIELDS_MAX = 4096,       /* of an event type, and of a source's common part */
	FORMAT_TEXT_MAX = 1 << 20,
	DESCRIPTION_MAX = 8 << 20, /* body of a source or type: an index block has room for it */
	SOURCES_MAX = 256,
	TYPES_MAX = 1 << 16,     /* of one source */
};

/*
 * Whether the fields are valid for a record with a fixed part of `size` bytes; err (may be NULL)
 * gets the reason if not.
 */
bool body_fields_ok(const struct trawl_field *f, uint32_t n, uint32_t size, bool common,
		    struct trawl_error *err);

/* The source's block body; idb_check is the XXH64 of the interface block in front of it. */
void body_source(struct buf *b, const struct trawl_source *s, uint64_t idb_check);
bool body_source_get(struct view *v, struct trawl_source *s, uint64_t *idb_check);
void body_source_free(struct trawl_source *s);
bool body_source_same(const struct trawl_source *a, const struct trawl_source *b);

/* index: the type's place in its source's table, which chunks refer to. */
void body_type(struct buf *b, const struct trawl_event_type *t, uint32_t index);
bool body_type_get(struct view *v, struct trawl_event_type *t, uint32_t *index);
void body_type_free(struct trawl_event_type *t);
bool body_type_same(const struct trawl_event_type *a, const struct trawl_event_type *b);

/* One part of a piece of metadata: data[from .. from + len) of m->len bytes. */
struct meta_part {
	struct trawl_meta meta; /* data: the part's bytes (in the view when read) */
	uint32_t from, len;
};
/*
 * Iterates over the parts of m, each of which is a block; *p must be zeroed first. Returns false
 * after the last part.
 */
bool meta_part_next(struct meta_part *p, const struct trawl_meta *m);
void body_meta(struct buf *b, const struct meta_part *p);
bool body_meta_get(struct view *v, struct meta_part *p); /* name and type are allocated */
void body_meta_free(struct meta_part *p);

void body_sync(struct buf *b, const struct trawl_sync *s);
bool body_sync_get(struct view *v, struct trawl_sync *s);
void body_loss(struct buf *b, const struct trawl_loss *s);
bool body_loss_get(struct view *v, struct trawl_loss *s);

/* Deep copies, for the writer; false when memory runs out. */
bool body_source_copy(struct trawl_source *to, const struct trawl_source *from);
bool body_type_copy(struct trawl_event_type *to, const struct trawl_event_type *from);

#endif
