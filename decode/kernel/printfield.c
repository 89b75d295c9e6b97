/* SPDX-License-Identifier: MIT */
#include "decode/kernel/printfield.h"

#include <stdlib.h>

#include "decode/kernel/printconv.h"
#include "decode/kernel/printeval.h"

/* Consecutive pieces of the format that say what a field's value is. */
struct run {
	size_t first, n;
};

struct print_field {
	struct written written; /* first: what the layout hands back */
	struct print_fields *all;
	const struct shown *shown;
	struct run run;
	bool number; /* the format prints its number, too, or other parts of it elsewhere */
};

enum { MEMO = 64 }; /* a power of two */

/* The text of a value: most come again. */
struct memo {
	const struct print_field *field; /* NULL: nothing is here yet */
	uint64_t value;
	uint8_t len;
	char text[47];
};

struct print_fields {
	struct printfmt *f;
	struct symbols *const *symbols;
	struct out text;   /* in the making */
	struct memo *memo; /* MEMO of them, from the first text on */
	size_t n;
	struct print_field field[];
};

/* ---- what a conversion depends on --------------------------------------------------------- */

/* Of which fields an expression is; by bits. */
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

/* What stands between two conversions of one value: punctuation, or nothing. */
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

/* Is this the field's number, as it is? */
static bool is_number(const struct piece *p)
{
	const struct node *n = without_casts(p->arg);

	return n->op == NODE_FIELD && field_is_number(n->field);
}

/* Digits in hex: also of an expression, which shows how its field is meant. */
static bool is_hex(const struct piece *p)
{
	if (p->conversion == 'p')
		return is_number(p) && (!p->extension[0] || strchr("xK", p->extension[0]));
	return p->conversion == 'x' || p->conversion == 'X';
}

/* Does it say more of the value than its digits or its text do? */
static bool says_more(const struct piece *p)
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

/* A number that is calculated from the field's: a part of it, like the major one of a device. */
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
		*more |= says_more(&f->pieces[i]) || (run.n && is_part(&f->pieces[i]));
		run.n++;
	}
	return run;
}

/* ---- one field ---------------------------------------------------------------------------- */

/* Where the text of this value is kept, or would be; NULL for values that are no number. */
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
	if (!p->all->memo)
		return NULL;
	*value = load_uint(bytes, n);
	return &p->all->memo[(*value * 0x9e3779b97f4a7c15u >> 40 ^ (size_t)(p - p->all->field)) &
			     (MEMO - 1)];
}

static void put_new(const struct print_field *p, const void *record, size_t len, struct out *o)
{
	struct out *t = &p->all->text;
	size_t from = 0;

	t->len = 0;
	printfmt_pieces(p->all->f, p->run.first, p->run.n, *p->all->symbols, record, len, t);
	while (t->len && t->data[t->len - 1] == ' ')
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

/* The field's text, without blanks around it; where it comes out empty, its number. */
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
	out_need(o, 4096); /* what is short stays in one piece */
	start = o->len;
	put_new(p, record, len, o);
	if (!m || o->len < start || o->len - start > sizeof(m->text))
		return;
	*m = (struct memo){.field = p, .value = value, .len = (uint8_t)(o->len - start)};
	memcpy(m->text, o->data + start, m->len);
}

/* An arrow before the field, in the text between it and the one before. */
static bool has_arrow(const struct piece *p)
{
	static const char arrow[] = " ==> ";

	return p->len >= sizeof(arrow) - 1 && !memcmp(p->text, arrow, sizeof(arrow) - 1);
}

/* Looks for all that the format says of the field; true if it has a text of its own. */
static bool find(struct print_field *p, const struct printfmt *f, const struct trawl_field *field,
		 struct layout *l, struct shown *s)
{
	bool more, found = false, hex = false;

	for (size_t i = 0; i < f->npieces; i++) {
		struct run run;

		if (!is_of(&f->pieces[i], field))
			continue;
		if (has_arrow(&f->pieces[i]))
			layout_arrow(l, s);
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
		layout_hex(s);
	return found;
}

struct print_fields *print_fields_new(struct printfmt *f, const struct trawl_event_type *type,
				      struct symbols *const *symbols, struct layout *l)
{
	struct print_fields *all = calloc(1, sizeof(*all) + l->n * sizeof(all->field[0]));

	if (!all)
		return NULL;
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
