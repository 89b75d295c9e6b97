/* SPDX-License-Identifier: MIT */
/*
 * dump FILE: prints everything that a reader returns, one JSON object on each line, in exactly the
 * form of tests/reader.py; the two are compared on every golden file.
 */
#include <inttypes.h>
#include <stdio.h>

#include "format/bytes.h"
#include "format/trawl.h"

static void put_text(const char *s, size_t n)
{
	putchar('"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c && strchr("\b\f\n\r\t", c))
			printf("\\%c", "btn?fr"[c - 8]);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void put_string(const char *s)
{
	put_text(s, strlen(s));
}

static void print_hex(const uint8_t *p, size_t n)
{
	putchar('"');
	for (size_t i = 0; i < n; i++)
		printf("%02x", p[i]);
	putchar('"');
}

static void put_number(const struct trawl_field *f, const uint8_t *p)
{
	uint64_t v = f->size == 1 ? *p : f->size == 2 ? get16(p) :
		     f->size == 4 ? get32(p) : get64(p);
	int shift = 64 - 8 * f->size;

	if (f->kind == TRAWL_INT)
		printf("%" PRId64, (int64_t)(v << shift) >> shift);
	else
		printf("%" PRIu64, v);
}

/* Returns the bytes of a field in a record from a reader. */
static const uint8_t *bytes_of(const struct trawl_field *f, const uint8_t *r, size_t len, size_t *n)
{
	size_t at = f->offset;
	uint32_t word;

	*n = (size_t)f->size * f->count;
	if (f->place == TRAWL_TAIL) {
		*n = at <= len ? len - at : 0;
	} else if (f->place != TRAWL_FIXED) {
		if (at + 4 > len)
			return NULL;
		word = get32(r + at);
		*n = word >> 16;
		at = (word & 0xffff) + (f->place == TRAWL_REL_LOC ? at + 4 : 0);
	}
	/* a whole record may have any location */
	return at <= len && *n <= len - at ? r + at : NULL;
}

/* Prints a FLOAT as its bits, because the decimal form of floats is not under test. */
static void put_value(const struct trawl_field *f, const uint8_t *r, size_t len)
{
	size_t n;
	const uint8_t *p = bytes_of(f, r, len, &n);

	if (f->kind == TRAWL_NONE || !p) {
		printf("null");
	} else if (f->kind == TRAWL_TEXT) {
		put_text((const char *)p, strnlen((const char *)p, n));
	} else if (f->kind == TRAWL_BYTES) {
		print_hex(p, n);
	} else if (f->place == TRAWL_FIXED && f->count == 1) {
		put_number(f, p);
	} else {
		putchar('[');
		for (size_t i = 0; i + f->size <= n; i += f->size) {
			printf("%s", i ? "," : "");
			put_number(f, p + i);
		}
		putchar(']');
	}
}

static void put_fields(const struct trawl_field *f, uint32_t n, const struct trawl_event *ev)
{
	putchar('{');
	for (uint32_t i = 0; i < n; i++) {
		printf("%s", i ? "," : "");
		put_string(f[i].name);
		putchar(':');
		put_value(&f[i], ev->record, ev->len);
	}
	putchar('}');
}

static void put_event(const struct trawl_reader *r, const struct trawl_event *ev)
{
	uint64_t bound = trawl_event_bound(r, ev);

	printf("{\"event\":{\"time\":%" PRIu64, ev->time);
	if (bound != UINT64_MAX)
		printf(",\"bound\":%" PRIu64, bound);
	printf(",\"ts\":%" PRIu64 ",\"source\":%u,\"type\":", ev->ts, ev->source->id);
	put_string(ev->type->name);
	printf(",\"cpu\":%u,\"common\":", ev->cpu);
	put_fields(ev->source->common, ev->source->ncommon, ev);
	printf(",\"fields\":");
	put_fields(ev->type->fields, ev->type->nfields, ev);
	printf(",\"record\":");
	print_hex(ev->record, ev->len);
	printf("}}\n");
}

static void put_types(const struct trawl_reader *r)
{
	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		printf("{\"source\":{\"id\":%u,\"name\":", s->id);
		put_string(s->name);
		printf(",\"spec\":");
		put_string(s->spec);
		printf(",\"kind\":");
		put_string(s->kind);
		printf(",\"clock\":%u,\"linktype\":%u,\"resolution\":%u,\"common\":%u}}\n",
		       s->clock, s->linktype, s->resolution, s->ncommon);
	}
	for (size_t i = 0; i < trawl_event_type_count(r); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(r, i);

		printf("{\"type\":{\"source\":%u,\"id\":%u,\"name\":", t->source, t->id);
		put_string(t->name);
		printf(",\"format\":");
		put_string(t->format);
		printf(",\"size\":%u,\"fields\":[", t->size);
		for (uint32_t k = 0; k < t->nfields; k++) {
			const struct trawl_field *f = &t->fields[k];

			printf("%s[", k ? "," : "");
			put_string(f->name);
			printf(",%u,%u,%u,%u,%u,%u,", f->kind, f->place, f->flags, f->offset,
			       f->size, f->count);
			put_string(f->note);
			putchar(']');
		}
		printf("]}}\n");
	}
}

static void put_tables(const struct trawl_reader *r)
{
	put_types(r);
	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		uint64_t sum = 0;

		for (size_t k = 0; k < m->len; k++)
			sum = sum * 31 + ((const uint8_t *)m->data)[k];
		printf("{\"meta\":{\"name\":");
		put_string(m->name);
		printf(",\"type\":");
		put_string(m->type);
		printf(",\"time\":%" PRIu64 ",\"len\":%zu,\"sum\":%" PRIu64 "}}\n", m->time, m->len,
		       sum);
	}
	for (size_t i = 0; i < trawl_loss_count(r); i++) {
		const struct trawl_loss *l = trawl_loss_at(r, i);

		printf("{\"loss\":[%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u]}\n", l->source,
		       l->cpu, l->from, l->to, l->count, l->reason);
	}
	for (size_t i = 0; i < trawl_sync_count(r); i++) {
		const struct trawl_sync *s = trawl_sync_at(r, i);

		printf("{\"sync\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		       ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u]}\n", s->mono, s->real, s->boot,
		       s->mono_raw, s->tai, s->tsc, s->bound, s->horizon, s->why);
	}
}

int main(int argc, char **argv)
{
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_event ev;
	struct trawl_reader *r = argc == 2 ? trawl_open(argv[1], &err) : NULL;
	int ret;

	if (!r) {
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: dump FILE");
		return argc == 2 ? (int)err.status : TRAWL_USAGE;
	}
	while ((ret = trawl_next(r, &ev, &err)) == 1)
		put_event(r, &ev);
	put_tables(r);
	trawl_verdict(r, &v);
	printf("{\"verdict\":{\"complete\":%s,\"damaged\":%" PRIu64 ",\"cut\":%" PRIu64 "}}\n",
	       v.complete ? "true" : "false", v.damaged, v.cut_at);
	trawl_close(r);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.text);
	return ret < 0 ? (int)err.status : v.complete && !v.damaged ? TRAWL_OK : TRAWL_BAD_DATA;
}
