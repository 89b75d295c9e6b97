/* SPDX-License-Identifier: MIT */

#include "format/block.h"
#include "format/body.h"

/* ---- fields ---------------------------------------------------------------------------- */

static bool number_size(uint16_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const char *field_fault(const struct trawl_field *f, uint32_t size, bool common)
{
	if (f->kind >= TRAWL_KINDS || f->place >= TRAWL_PLACES)
		return "of an unknown kind";
	if (common && f->place != TRAWL_FIXED)
		return "common to all events but not at a fixed place";
	if (f->kind != TRAWL_NONE && !number_size(f->size))
		return "of a size that is not 1, 2, 4 or 8";
	if (f->kind == TRAWL_FLOAT && f->size < 4)
		return "a float of less than 4 bytes";
	if ((f->kind == TRAWL_TEXT || f->kind == TRAWL_BYTES) && f->size != 1)
		return "text or bytes with elements larger than 1 byte";
	if (f->place == TRAWL_FIXED && (uint32_t)f->size * f->count + f->offset > size)
		return "beyond the end of the record";
	if ((f->place == TRAWL_DATA_LOC || f->place == TRAWL_REL_LOC) && f->offset + 4u > size)
		return "beyond the end of the record";
	if (f->place == TRAWL_TAIL && f->offset != size)
		return "a tail that does not begin at the end of the fixed part";
	return NULL;
}

static bool is_dynamic(const struct trawl_field *f)
{
	return f->place != TRAWL_FIXED;
}

bool body_fields_ok(const struct trawl_field *f, uint32_t n, uint32_t size, bool common,
		    struct trawl_error *err)
{
	struct trawl_error unused;
	uint32_t dynamic = 0;
	const char *fault;

	if (!err)
		err = &unused;
	if (n > FIELDS_MAX) {
		trawl_fail(err, TRAWL_USAGE, "%u fields: at most %d can be kept", n, FIELDS_MAX);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		fault = field_fault(&f[i], size, common);
		if (!fault && f[i].place == TRAWL_TAIL && (i + 1 != n || dynamic))
			fault = "a tail that is not the last field and the only one of its kind";
		if (fault) {
			trawl_fail(err, TRAWL_USAGE, "field \"%s\" is %s",
				   f[i].name ? f[i].name : "", fault);
			return false;
		}
		dynamic += is_dynamic(&f[i]);
	}
	return true;
}

/* The members in the order of docs/format.md, "Bodies". */
#define FIELD_PARTS(F, Z) \
	F(u8, kind) F(u8, place) F(u8, flags) Z(u8) F(u16, offset) F(u16, size) F(u16, count) \
	F(text, name) F(text, ctype) F(text, note)
#define SOURCE_PARTS(F, Z) \
	F(u8, clock) Z(u8) F(u16, ncommon) F(text, name) F(text, spec) F(text, kind)
#define SYNC_PARTS(F, Z) \
	F(u64, mono) F(u64, real) F(u64, boot) F(u64, mono_raw) F(u64, tai) F(u64, tsc) \
	F(u64, bound) F(u64, horizon) F(u32, why)
#define LOSS_PARTS(F, Z) \
	F(u16, source) Z(u16) F(u32, cpu) F(u64, from) F(u64, to) F(u64, count) F(u32, reason)

static void fields_put(struct buf *b, const struct trawl_field *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++, s++) {
		FIELD_PARTS(PUT_PART, PUT_ZERO)
	}
}

static void fields_free(const struct trawl_field *f, uint32_t n)
{
	for (uint32_t i = 0; f && i < n; i++) {
		free((char *)f[i].name);
		free((char *)f[i].ctype);
		free((char *)f[i].note);
	}
	free((struct trawl_field *)f);
}

/* Least bytes of a field in a body: limits the array before it is allocated. */
enum { FIELD_LEAST = 16 };

static struct trawl_field *fields_get(struct view *v, uint32_t n)
{
	struct trawl_field *f, *s;

	if (v->bad || n > FIELDS_MAX || view_left(v) / FIELD_LEAST < n) {
		v->bad = true;
		return NULL;
	}
	f = calloc(n ? n : 1, sizeof(*f));
	if (!f) {
		v->bad = true;
		return NULL;
	}
	s = f;
	for (uint32_t i = 0; i < n; i++, s++) {
		FIELD_PARTS(GET_PART, GET_ZERO)
	}
	return f;
}

static bool text_same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool fields_same(const struct trawl_field *a, const struct trawl_field *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++, a++, b++)
		if (a->kind != b->kind || a->place != b->place || a->flags != b->flags ||
		    a->offset != b->offset || a->size != b->size || a->count != b->count ||
		    !text_same(a->name, b->name) || !text_same(a->ctype, b->ctype) ||
		    !text_same(a->note, b->note))
			return false;
	return true;
}

/* ---- source ---------------------------------------------------------------------------- */

void body_source(struct buf *b, const struct trawl_source *s, uint64_t idb_check)
{
	buf_u16(b, s->id);
	buf_u16(b, s->linktype);
	buf_u32(b, s->resolution);
	buf_u64(b, idb_check);
	SOURCE_PARTS(PUT_PART, PUT_ZERO)
	fields_put(b, s->common, s->ncommon);
}

bool body_source_get(struct view *v, struct trawl_source *s, uint64_t *idb_check)
{
	memset(s, 0, sizeof(*s));
	s->id = view_u16(v);
	s->linktype = view_u16(v);
	s->resolution = view_u32(v);
	*idb_check = view_u64(v);
	SOURCE_PARTS(GET_PART, GET_ZERO)
	s->common = fields_get(v, s->ncommon);
	if (!v->bad && s->id < SOURCES_MAX && s->clock >= TRAWL_CLOCK_MONO &&
	    s->clock <= TRAWL_CLOCK_TSC &&
	    body_fields_ok(s->common, s->ncommon, UINT16_MAX, true, NULL))
		return true;
	body_source_free(s);
	return false;
}

void body_source_free(struct trawl_source *s)
{
	free((char *)s->name);
	free((char *)s->spec);
	free((char *)s->kind);
	fields_free(s->common, s->ncommon);
	memset(s, 0, sizeof(*s));
}

bool body_source_same(const struct trawl_source *a, const struct trawl_source *b)
{
	return a->clock == b->clock && a->linktype == b->linktype &&
	       a->resolution == b->resolution && text_same(a->name, b->name) &&
	       text_same(a->spec, b->spec) && text_same(a->kind, b->kind) &&
	       a->ncommon == b->ncommon && fields_same(a->common, b->common, a->ncommon);
}

/* ---- event type ------------------------------------------------------------------------ */

static void long_text(struct buf *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	buf_u32(b, (uint32_t)n);
	buf_put(b, s, n);
}

void body_type(struct buf *b, const struct trawl_event_type *t, uint32_t index)
{
	buf_u16(b, t->source);
	buf_u16(b, (uint16_t)index);
	buf_u32(b, t->id);
	buf_u32(b, t->size);
	buf_u32(b, t->nfields);
	buf_text(b, t->name);
	long_text(b, t->format);
	fields_put(b, t->fields, t->nfields);
}

bool body_type_get(struct view *v, struct trawl_event_type *t, uint32_t *index)
{
	memset(t, 0, sizeof(*t));
	t->source = view_u16(v);
	*index = view_u16(v);
	t->id = view_u32(v);
	t->size = view_u32(v);
	t->nfields = view_u32(v);
	t->name = view_text(v);
	t->format = view_text_n(v, view_u32(v));
	t->fields = fields_get(v, t->nfields);
	if (!v->bad && t->id < TYPES_MAX && t->size <= UINT16_MAX &&
	    body_fields_ok(t->fields, t->nfields, t->size, false, NULL))
		return true;
	body_type_free(t);
	return false;
}

void body_type_free(struct trawl_event_type *t)
{
	free((char *)t->name);
	free((char *)t->format);
	fields_free(t->fields, t->nfields);
	memset(t, 0, sizeof(*t));
}

bool body_type_same(const struct trawl_event_type *a, const struct trawl_event_type *b)
{
	return a->id == b->id && a->size == b->size && a->nfields == b->nfields &&
	       text_same(a->name, b->name) && text_same(a->format, b->format) &&
	       fields_same(a->fields, b->fields, a->nfields);
}

/* ---- metadata, sync, loss -------------------------------------------------------------- */

bool meta_part_next(struct meta_part *p, const struct trawl_meta *m)
{
	bool first = !p->meta.name;

	p->from += p->len;
	if (!first && p->from >= m->len)
		return false;
	p->meta = *m;
	p->meta.data = (const uint8_t *)m->data + p->from;
	p->len = (uint32_t)(m->len - p->from < META_PART ? m->len - p->from : META_PART);
	return true;
}

void body_meta(struct buf *b, const struct meta_part *p)
{
	buf_u64(b, p->meta.time);
	buf_u32(b, (uint32_t)p->meta.len);
	buf_u32(b, p->from);
	buf_text(b, p->meta.name);
	buf_text(b, p->meta.type);
	buf_put(b, p->meta.data, p->len);
}

bool body_meta_get(struct view *v, struct meta_part *p)
{
	memset(p, 0, sizeof(*p));
	p->meta.time = view_u64(v);
	p->meta.len = view_u32(v);
	p->from = view_u32(v);
	p->meta.name = view_text(v);
	p->meta.type = view_text(v);
	p->len = v->bad ? 0 : (uint32_t)view_left(v);
	p->meta.data = view_bytes(v, p->len);
	if (!v->bad && p->from <= p->meta.len && p->len <= p->meta.len - p->from)
		return true;
	body_meta_free(p);
	return false;
}

void body_meta_free(struct meta_part *p)
{
	free((char *)p->meta.name);
	free((char *)p->meta.type);
	memset(p, 0, sizeof(*p));
}

void body_sync(struct buf *b, const struct trawl_sync *s)
{
	SYNC_PARTS(PUT_PART, PUT_ZERO)
}

bool body_sync_get(struct view *v, struct trawl_sync *s)
{
	SYNC_PARTS(GET_PART, GET_ZERO)
	return !v->bad;
}

void body_loss(struct buf *b, const struct trawl_loss *s)
{
	LOSS_PARTS(PUT_PART, PUT_ZERO)
}

bool body_loss_get(struct view *v, struct trawl_loss *s)
{
	LOSS_PARTS(GET_PART, GET_ZERO)
	return !v->bad;
}

/* ---- copies ---------------------------------------------------------------------------- */

bool body_source_copy(struct trawl_source *to, const struct trawl_source *from)
{
	struct buf b = { 0 };
	struct view v;
	uint64_t check;
	bool ok;

	body_source(&b, from, 0);
	v = buf_view(&b);
	ok = body_source_get(&v, to, &check);
	buf_free(&b);
	return ok;
}

bool body_type_copy(struct trawl_event_type *to, const struct trawl_event_type *from)
{
	struct buf b = { 0 };
	struct view v;
	uint32_t index;
	bool ok;

	body_type(&b, from, 0);
	v = buf_view(&b);
	ok = body_type_get(&v, to, &index);
	buf_free(&b);
	return ok;
}
