/* SPDX-License-Identifier: MIT */
#include "decode/kernel/printfield.h"

#include <stdlib.h>

#include "decode/kernel/printconv.h"
#include "decode/kernel/printeval.h"

/* Consecutive pieces of the format that print one field's value. */
struct run {
	size_t first, n;
};

struct print_field {
	/* must be the first member: a struct written is cast to the print_field that contains it */
	struct written written;
	struct print_fields *all;
	const struct shown *shown;
	struct run run;
	/* the field's number, or parts of it, are printed elsewhere in the format as well */
	bool number;
};

enum { MEMO = 64 }; /* must be a power of two */

/* Cached text of a value, since most values recur. */
struct memo {
	const struct print_field *field; /* NULL: empty slot */
	uint64_t value;
	uint8_t len;
	char text[47];
};

struct print_fields {
	struct printfmt *f;
	struct symbols *const *symbols;
	struct out text;   /* scratch */
	struct memo *memo; /* MEMO slots, allocated when first used */
	size_t n;
	struct print_field field[];
};

/* ---- what a conversion depends on --------------------------------------------------------- */

/* Which fields an expression depends on; bits. */
enum { OF_NOTHING = 0, OF_FIELD = 1, OF_OTHERS = 2, OF_UNKNOWN = 4 };

static unsigned int depends(const struct node *n, const struct trawl_field *f, int depth)
{
	unsigned int of = OF_NOTHING;

	for (; n; n = n->next) {
		if (depth > 64 || n->op == NODE_UNKNOWN ||
		    (n->op == NODE_CALL && n->helper == HELPER_UNKNOWN))
			return OF_UNKNOWN;
		if (n->op == NODE_FIELD)
			of |= n->field == f ? OF_FIELD : OF_OTHERS;
		of |= depends(n->a, f, depth + 1) | depends(n->b, f, depth + 1) |
		      depends(n->c, f, depth + 1);
	}
	return of;
}

static bool is_of(const struct piece *p, const struct trawl_field *f)
{
	return p->conversion && !p->width_arg && !p->precision_arg &&
	       depends(p->arg, f, 0) == OF_FIELD;
}

/* Whether only punctuation, or nothing, separates two conversions of one value. */
static bool is_glue(const struct piece *p)
{
	for (uint32_t i = 0; i < p->len; i++)
		if (!strchr(",:.-+/|", p->text[i]))
			return false;
	return true;
}

static const struct node *without_casts(const struct node *n)
{
	while (n->op == NODE_CAST)
		n = n->a;
	return n;
}

/* Whether the piece prints the unmodified number of the field. */
static bool is_number(const struct piece *p)
{
	const struct node *n = without_casts(p->arg);

	return n->op == NODE_FIELD && field_is_number(n->field);
}

/*
 * Whether the piece prints hex digits; an expression counts as well, since it shows how the field
 * is meant to be read.
 */
static bool is_hex(const struct piece *p)
{
	if (p->conversion == 'p')
		return is_number(p) && (!p->extension[0] || strchr("xK", p->extension[0]));
	return p->conversion == 'x' || p->conversion == 'X';
}

/* Whether the piece shows more about the value than its digits or its text. */
static bool adds_meaning(const struct piece *p)
{
	const struct node *n = without_casts(p->arg);

	if (p->direct == DIRECT_TEXT || is_hex(p))
		return false;
	switch (p->conversion) {
	case 's':
		return n->op == NODE_CHOICE || n->op == NODE_CALL
			? n->op == NODE_CHOICE || n->helper == HELPER_FLAGS ||
			  n->helper == HELPER_SYMBOLIC || n->helper == HELPER_BITMASK ||
			  n->helper == HELPER_SOCKADDR
			: is_number(p);
	case 'p':
		return p->extension[0] != 'h';
	case 'c':
		return is_number(p);
	default:
		return false;
	}
}

/*
 * Whether the piece prints a number computed from the field, such as the major number of a device.
 */
static bool is_part(const struct piece *p)
{
	return strchr("diu", p->conversion) && without_casts(p->arg)->op == NODE_BINARY;
}

static struct run run_at(const struct printfmt *f, size_t i, const struct trawl_field *field,
			 bool *more)
{
	struct run run = {i, 0};

	*more = false;
	for (; i < f->npieces && is_of(&f->pieces[i], field); i++) {
		if (run.n && !is_glue(&f->pieces[i]))
			break;
		*more |= adds_meaning(&f->pieces[i]) || (run.n && is_part(&f->pieces[i]));
		run.n++;
	}
	return run;
}

/* ---- one field ---------------------------------------------------------------------------- */

/* Returns the cache slot for this value; NULL for values that are not numbers. */
static struct memo *memo_of(const struct print_field *p, const void *record, size_t len,
			    uint64_t *value)
{
	const struct trawl_field *f = p->shown->field;
	const uint8_t *bytes;
	size_t n;

	if (!field_is_number(f) || !field_bytes(f, record, len, &bytes, &n))
		return NULL;
	if (!p->all->memo)
		p->all->memo = calloc(MEMO, sizeof(*p->all->memo));
	if (!p->all->memo) {
		out_lack_memory();
		return NULL;
	}
	*value = load_uint(bytes, n);
	return &p->all->memo[(*value * 0x9e3779b97f4a7c15u >> 40 ^ (size_t)(p - p->all->field)) &
			     (MEMO - 1)];
}

static void put_new(const struct print_field *p, const void *record, size_t len, struct out *o)
{
	struct eval e = { .f = p->all->f, .symbols = *p->all->symbols, .record = record,
			  .len = len };
	struct out *t = &p->all->text;
	size_t from = p->all->f->pieces[p->run.first].len; /* without the text before the value */

	t->len = 0;
	printfmt_pieces(&e, p->run.first, p->run.n, t);
	if (from > t->len)
		from = t->len; /* memory ran out */
	while (t->len > from && t->data[t->len - 1] == ' ')
		t->len--;
	while (from < t->len && t->data[from] == ' ')
		from++;
	if (p->number || from == t->len)
		shown_plain_text(p->shown, record, len, o);
	if (from == t->len)
		return;
	if (p->number)
		out_char(o, '(');
	out_bytes(o, t->data + from, t->len - from);
	if (p->number)
		out_char(o, ')');
}

/* Appends the field's text without surrounding blanks, or its number if the text is empty. */
static void put_written(const struct written *w, const void *record, size_t len, struct out *o)
{
	const struct print_field *p = (const struct print_field *)w;
	uint64_t value = 0;
	struct memo *m = memo_of(p, record, len, &value);
	size_t start;

	if (m && m->field == p && m->value == value) {
		out_bytes(o, m->text, m->len);
		return;
	}
	/* reserves room, so that a short text is not flushed before it is copied to the cache */
	out_need(o, 4096);
	start = o->len;
	put_new(p, record, len, o);
	if (!m || o->len < start || o->len - start > sizeof(m->text))
		return;
	*m = (struct memo){.field = p, .value = value, .len = (uint8_t)(o->len - start)};
	memcpy(m->text, o->data + start, m->len);
}

/* Whether there is an arrow between the previous field and this one. */
static bool has_arrow(const struct piece *p)
{
	static const char arrow[] = " ==> ";

	return p->len >= sizeof(arrow) - 1 && !memcmp(p->text, arrow, sizeof(arrow) - 1);
}

/*
 * Examines everything that the format prints for a field. Returns true if the field gets a text of
 * its own.
 */
static bool find(struct print_field *p, const struct printfmt *f, const struct trawl_field *field,
		 struct event_layout *l, struct shown *s)
{
	bool more, found = false, hex = false;

	for (size_t i = 0; i < f->npieces; i++) {
		struct run run;

		if (!is_of(&f->pieces[i], field))
			continue;
		if (has_arrow(&f->pieces[i]))
			event_layout_arrow(l, s);
		run = run_at(f, i, field, &more);
		hex |= is_hex(&f->pieces[i]);
		if (more && !found) {
			p->run = run;
			found = true;
		} else if (!more) {
			p->number |= is_number(&f->pieces[i]) || is_part(&f->pieces[i]);
		}
		i += run.n - 1;
	}
	if (hex)
		event_layout_hex(s);
	return found;
}

struct print_fields *print_fields_new(struct printfmt *f, const struct trawl_event_type *type,
				      struct symbols *const *symbols, struct event_layout *l)
{
	struct print_fields *all = calloc(1, sizeof(*all) + l->n * sizeof(all->field[0]));

	if (!all) {
		out_lack_memory();
		return NULL;
	}
	all->f = f;
	all->symbols = symbols;
	out_memory(&all->text);
	for (uint32_t i = 0; i < l->n; i++) {
		struct print_field *p = &all->field[all->n];

		memset(p, 0, sizeof(*p));
		if (!find(p, f, &type->fields[i], l, &l->shown[i]))
			continue;
		p->written.put = put_written;
		p->all = all;
		p->shown = &l->shown[i];
		l->shown[i].written = &p->written;
		all->n++;
	}
	return all;
}

void print_fields_free(struct print_fields *p)
{
	if (!p)
		return;
	out_free(&p->text);
	free(p->memo);
	free(p);
}
