/* SPDX-License-Identifier: MIT */
/*
 * The check at the end of redact: reads the output again, and searches its events, their
 * descriptions and metadata for removed values. If one is found, no file is made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"
#include "edit/edit.h"
#include "edit/metatext.h"
#include "edit/redact.h"

/* The message does not contain the value, because it may be sent along with the file. */
static int refuse(const struct redact *x, int class, uint32_t len, const char *kind,
		  const char *where, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_BAD_DATA,
			  "%s: a value of class '%s' (%u bytes) would still be in %s '%.60s', no "
			  "file was made; please report this, and leave it out by --drop or cut",
			  x->name, secret_classes[class].name, len, kind, where);
}

/* ---- texts and bytes ---------------------------------------------------------------------- */

enum { TEXT_LEAST = 6 }; /* bytes: shorter values are in texts by chance */

static int found_in_text(const struct redact *x, const char *text, size_t n, const char *kind,
			 const char *where, struct trawl_error *err)
{
	const struct removed_value *v;
	size_t at = 0;

	if (!text || !(v = removed_find(&x->removed, text, n, &at, TEXT_LEAST)))
		return 0;
	return refuse(x, v->class, v->len, kind, where, err);
}

static int found_in_event(const struct redact *x, const struct trawl_event *ev,
			  struct trawl_error *err)
{
	size_t at = 0;
	const struct removed_value *v = removed_find(&x->removed, ev->record, ev->len, &at,
						     REMOVED_WHOLE);

	return v ? refuse(x, v->class, v->len, "event", ev->type->name, err) : 0;
}

static int found_in_metadata(const struct redact *x, const struct trawl_meta *m,
			     struct trawl_error *err)
{
	for (struct metatext t = { .data = m->data, .len = m->len }; metatext_next(&t);)
		if (found_in_text(x, (const char *)t.data + t.at, t.n, "metadata", m->name, err))
			return -1;
	return 0;
}

/* ---- addresses ---------------------------------------------------------------------------- */

/* A moved address may by chance equal another removed one, which reveals neither. */
static bool is_removed(const struct redact *x, uint64_t v)
{
	const struct standin *k = &x->key;
	const uint64_t by[] = { k->kernel, k->direct, k->user };

	if (!is_address(v) || !numbers_has(&x->addresses, v))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(by); i++)
		if (numbers_has(&x->addresses, v + by[i]) && standin_address(k, v + by[i]) == v)
			return false;
	return true;
}

/* Fast check by the upper two bytes, which are fixed in both address ranges. */
static inline bool may_be_address(const uint8_t *p)
{
	return (p[7] == 0xff && p[6] == 0xff) || (!p[7] && !p[6] && p[5]);
}

/* Whether the eight bytes span the end of one 8-byte number and the begin of the next field. */
static bool splits_number(const struct trawl_event *ev, const struct trawl_field *fields,
			  uint32_t n, uint32_t at)
{
	const uint8_t *p;
	size_t len;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t start;

		if (fields[i].size != 8 || fields[i].kind > TRAWL_ADDR ||
		    !record_field(ev, &fields[i], &p, &len))
			continue;
		start = (uint32_t)(p - (const uint8_t *)ev->record);
		if (at + 8 > start && at < start + len && (at - start) % 8)
			return true;
	}
	return false;
}

/*
 * Checks eight bytes at any offset: an address may be in a record as two numbers of four bytes, or
 * inside a text. Parts of two numbers are an address only by chance.
 */
static int address_in_bytes(const struct redact *x, const struct trawl_event *ev, uint32_t n,
			    struct trawl_error *err)
{
	const struct trawl_source *s = ev->source;
	const uint8_t *p = ev->record;

	for (uint32_t at = 0; at + 8 <= n; at++)
		if (may_be_address(p + at) && is_removed(x, number_at(p + at, 8)) &&
		    !splits_number(ev, s->common, s->ncommon, at) &&
		    !splits_number(ev, ev->type->fields, ev->type->nfields, at))
			return refuse(x, SECRET_ADDRESSES, 8, "event", ev->type->name, err);
	return 0;
}

/* Decodes a batch of branches, whose addresses are stored as differences. */
static int address_in_batch(const struct redact *x, const struct trawl_event *ev, uint32_t fixed,
			    struct trawl_error *err)
{
	struct branch_record head;
	struct branch_batch batch;
	const char *problem;
	int ret = 0;

	memcpy(&head, ev->record, sizeof(head));
	problem = branch_batch_decode(&batch, (const uint8_t *)ev->record + fixed, ev->len - fixed,
				      head.count, ev->ts);
	if (problem)
		ret = trawl_fail(err, TRAWL_CANNOT, "%s: branches cannot be checked, no file was "
				 "made: %s", x->name, problem);
	for (uint32_t i = 0; !ret && i < batch.npairs; i++)
		if (is_removed(x, batch.pairs[i].from) || is_removed(x, batch.pairs[i].to))
			ret = refuse(x, SECRET_ADDRESSES, 8, "event", ev->type->name, err);
	branch_batch_free(&batch);
	return ret;
}

static int address_in_event(const struct redact *x, const struct trawl_event *ev,
			    struct trawl_error *err)
{
	uint32_t fixed = ev->len;

	if (!x->addresses.set.n)
		return 0;
	if (!strcmp(ev->source->kind, BRANCH_SOURCE_KIND)) {
		fixed = ev->type->id == BRANCH_TYPE_LAST ? sizeof(struct branch_last_record)
							 : sizeof(struct branch_record);
		if (ev->len >= fixed && address_in_batch(x, ev, fixed, err))
			return -1;
	}
	return address_in_bytes(x, ev, fixed < ev->len ? fixed : ev->len, err);
}

/* Searches a text for addresses, in hex with or without 0x, and in decimal. */
static int address_in_text(const struct redact *x, const struct trawl_meta *m,
			   struct trawl_error *err)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	char word[24];

	for (size_t at = 0, n; x->addresses.set.n && at < m->len; at += n + 1) {
		for (n = 0; at + n < m->len && memchr(digits, ((const char *)m->data)[at + n],
						      sizeof(digits) - 1);)
			n++;
		if (n < 12 || n >= sizeof(word))
			continue;
		memcpy(word, (const char *)m->data + at, n);
		word[n] = '\0';
		if (is_removed(x, strtoull(word, NULL, 16)) ||
		    is_removed(x, strtoull(word, NULL, 10)))
			return refuse(x, SECRET_ADDRESSES, 8, "metadata", m->name, err);
	}
	return 0;
}

/* ---- the file ----------------------------------------------------------------------------- */

static int check_descriptions(const struct redact *x, const struct trawl_reader *r,
			      struct trawl_error *err)
{
	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		if (found_in_text(x, s->spec, strlen(s->spec), "source", s->name, err) ||
		    found_in_text(x, s->name, strlen(s->name), "source", s->name, err))
			return -1;
	}
	for (size_t i = 0; i < trawl_event_type_count(r); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(r, i);

		if (found_in_text(x, t->name, strlen(t->name), "event type", t->name, err) ||
		    (t->format && found_in_text(x, t->format, strlen(t->format), "the format of",
						t->name, err)))
			return -1;
	}
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (found_in_text(x, m->name, metatext_of_name(m->name), "metadata", m->name,
				  err) ||
		    found_in_metadata(x, m, err) || address_in_text(x, m, err))
			return -1;
	}
	return 0;
}

static int check_event(void *arg, struct trawl_event *ev, struct trawl_error *err)
{
	const struct redact *x = arg;

	return found_in_event(x, ev, err) ? -1 : address_in_event(x, ev, err);
}

static int check_chunk(struct redact *x, struct trawl_reader *r, struct trawl_piece *p,
		       struct trawl_error *err)
{
	const struct trawl_chunk *chunk;

	if (p->sync)
		return 0;
	if (trawl_piece_read(r, p) && trawl_piece_decode(r, p, &chunk))
		return edit_some_events(chunk, NULL, check_event, x, err);
	if (trawl_pieces_failed(r, err))
		return -1;
	return trawl_fail(err, TRAWL_CANNOT, "%s: what was written cannot be checked, no file was "
			  "made; write to another disk", x->name);
}

/*
 * Chunk by chunk, since a file may have many that overlap in time, and merging decodes all of
 * them.
 */
int redact_check(struct redact *x, int fd, const char *name, struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open_fd(fd, name, &x->memory, err);
	struct trawl_piece p;
	int got = -1;

	if (r && !check_descriptions(x, r, err))
		while ((got = trawl_next_piece(r, &p, err)) > 0 && !check_chunk(x, r, &p, err))
			;
	trawl_close(r);
	return got ? -1 : 0;
}
