/* SPDX-License-Identifier: MIT */
/* Parses the format string of a print format; its arguments are parsed by printparse.c. */
#include <ctype.h>
#include <stdlib.h>

#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/kernel/printconv.h"
#include "decode/kernel/printeval.h"
#include "decode/kernel/printfmt.h"
#include "decode/kernel/printparse.h"

enum {
	TEXT_MAX = 256 * 1024, /* bytes; the longest print format of Linux 6.18 has 8 KiB */
	PIECES_MAX = 512,
	MEASURE_MOST = 10000, /* a width or precision stops growing here */
};

static const char out_of_memory[] = "out of memory";

static struct node *argument(struct parser *p)
{
	if (!lexer_is_op(&p->lex, ',')) {
		parse_fail(p, "more conversions than arguments");
		return NULL;
	}
	lexer_next(&p->lex);
	return parse_expression(p);
}

/* Parses a width or precision: a number or `*`. */
static bool measure(struct parser *p, const char **at, const char *end, int *value,
		    struct node **arg)
{
	if (*at < end && **at == '*') {
		++*at;
		*arg = argument(p);
		return *arg;
	}
	for (*value = 0; *at < end && isdigit((unsigned char)**at); ++*at)
		if (*value < MEASURE_MOST)
			*value = *value * 10 + (**at - '0');
	return true;
}

/* Parses the rest of a conversion, after '%'. */
static bool conversion(struct parser *p, struct piece *piece, const char **at, const char *end)
{
	struct shape *s = &piece->shape;
	size_t n = 0;

	s->width = s->precision = -1;
	piece->size = 4;
	for (; *at < end && strchr("-0# +", **at) && **at; ++*at) {
		s->left |= **at == '-';
		s->zero |= **at == '0';
		s->alternate |= **at == '#';
		s->blank |= **at == ' ';
		s->plus |= **at == '+';
	}
	if (*at < end && (**at == '*' || isdigit((unsigned char)**at)) &&
	    !measure(p, at, end, &s->width, &piece->width_arg))
		return false;
	if (*at < end && **at == '.') {
		++*at;
		if (!measure(p, at, end, &s->precision, &piece->precision_arg))
			return false;
	}
	s->plain = s->width <= 0 && s->precision < 0 && !s->alternate && !s->blank && !s->plus &&
		   !piece->width_arg && !piece->precision_arg;
	for (; *at < end && strchr("hlLzjtq", **at) && **at; ++*at)
		piece->size = **at == 'h' ? (piece->size == 2 ? 1 : 2) : 8;
	if (*at >= end || !strchr("diuxXocsp", **at) || !**at)
		return parse_fail(p, "a conversion that is not known");
	piece->conversion = *(*at)++;
	if (piece->conversion == 'p') {
		while (*at < end && isalnum((unsigned char)**at) &&
		       n < sizeof(piece->extension) - 1)
			piece->extension[n++] = *(*at)++;
		if (n && strchr("SsFfB", piece->extension[0]))
			p->out->symbols = true;
	}
	piece->arg = argument(p);
	return piece->arg;
}

static struct piece *piece_new(struct parser *p)
{
	if (p->out->npieces == PIECES_MAX) {
		parse_fail(p, "too long");
		return NULL;
	}
	return &p->out->pieces[p->out->npieces++];
}

static bool format_string(struct parser *p)
{
	const char *at, *end;
	struct piece *piece;

	if (p->lex.token.type != TOKEN_TEXT)
		return parse_fail(p, "no format string");
	at = p->lex.token.text;
	end = at + p->lex.token.len;
	lexer_next(&p->lex);
	while (at < end && !p->why) {
		const char *percent = memchr(at, '%', (size_t)(end - at));

		if (!(piece = piece_new(p)))
			break;
		piece->text = at;
		piece->len = (uint32_t)((percent ? percent : end) - at);
		at += piece->len;
		if (!percent)
			break;
		at++;
		if (at < end && *at == '%') {
			piece->len++; /* keep one of the two */
			at++;
		} else if (!conversion(p, piece, &at, end)) {
			break;
		}
	}
	return !p->why;
}

/* ---- literals ------------------------------------------------------------------------------ */

/*
 * Escapes the literal texts once, because the format is untrusted, and stores the result for
 * printing. Returns false if memory runs out.
 */
static bool make_literals(struct printfmt *f)
{
	struct out *o = &f->literals;
	char *at;

	out_memory(o);
	for (size_t i = 0; i < f->npieces; i++) {
		struct piece *p = &f->pieces[i];
		size_t start = o->len;

		out_lines(o, p->text, p->len);
		p->len = (uint32_t)(o->len - start);
	}
	out_fill(o, 0, PRINTFMT_PAD);
	if (o->error)
		return false;
	at = o->data;
	for (size_t i = 0; i < f->npieces; i++) {
		f->pieces[i].text = at;
		at += f->pieces[i].len;
	}
	return true;
}

/* ---- direct conversions: print just a field ------------------------------------------------ */

/* Whether the expression is a number at a fixed offset: a field, or an element of an array. */
static bool direct_number(struct piece *p, const struct node *n)
{
	const struct node *cast = n->op == NODE_CAST && n->size ? n : NULL;
	const struct trawl_field *f;
	uint32_t at;

	if (cast)
		n = cast->a;
	if (n->op == NODE_FIELD && field_is_number(n->field)) {
		f = n->field;
		at = f->offset;
	} else if (n->op == NODE_INDEX && n->a->op == NODE_FIELD && n->b->op == NODE_NUMBER) {
		f = n->a->field;
		if (f->place != TRAWL_FIXED || f->count == 1 || n->b->number >= f->count ||
		    (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
			return false;
		at = f->offset + (uint32_t)n->b->number * f->size;
	} else {
		return false;
	}
	if (cast) {
		p->cast_size = cast->size;
		p->cast_signed = cast->is_signed;
	}
	p->at = at;
	p->value_size = (uint8_t)f->size;
	p->value_signed = field_is_signed(f);
	return true;
}

static bool direct_text(struct piece *p, const struct node *n)
{
	if (n->op == NODE_CALL && n->helper == HELPER_FIELD && n->a && n->a->a)
		n = n->a->a;
	if (n->op != NODE_FIELD || field_is_number(n->field))
		return false;
	p->field = n->field;
	return true;
}

static void find_direct(struct printfmt *f)
{
	for (size_t i = 0; i < f->npieces; i++) {
		struct piece *p = &f->pieces[i];

		if (!p->conversion || !p->shape.plain)
			continue;
		if (p->conversion == 's' && direct_text(p, p->arg))
			p->direct = DIRECT_TEXT;
		else if (strchr("diux", p->conversion) && direct_number(p, p->arg))
			p->direct = DIRECT_NUMBER;
	}
}

/* Returns a copy of what follows "print fmt:" in a format file, or NULL with *why. */
static char *print_line(const char *format, const char **why)
{
	static const char word[] = "\nprint fmt: ";
	const char *at = strstr(format, word);
	char *copy;
	size_t n;

	*why = "no print format is saved with it";
	if (!at)
		return NULL;
	at += strlen(word);
	*why = "its print format is too long";
	if (strlen(at) > TEXT_MAX)
		return NULL;
	*why = out_of_memory;
	copy = strdup(at);
	if (!copy) {
		out_lack_memory();
		return NULL;
	}
	for (n = strlen(copy); n && isspace((unsigned char)copy[n - 1]);)
		copy[--n] = '\0';
	return copy;
}

struct printfmt *printfmt_new(const struct trawl_event_type *type,
			      const struct trawl_source *source, const char **why)
{
	struct parser p = { 0 };
	struct printfmt *f = calloc(1, sizeof(*f));
	size_t len, strings;

	p.why = out_of_memory;
	p.out = f;
	if (!f)
		goto no_memory;
	f->text = print_line(type->format, &p.why);
	if (!f->text)
		goto fail;
	p.why = out_of_memory;
	f->type = type;
	f->source = source;
	len = strlen(f->text);
	/* A string is no longer than its literal, but the parser reads some tokens twice. */
	strings = 2 * len;
	f->strings = calloc(strings + 1 + PRINTFMT_PAD, 1);
	f->pieces = calloc(PIECES_MAX, sizeof(*f->pieces));
	out_memory(&f->scratch);
	if (!f->strings || !f->pieces || f->scratch.error)
		goto no_memory;
	p.why = NULL;
	p.lex.at = f->text;
	p.lex.end = p.lex.at + len;
	p.lex.strings = f->strings;
	p.lex.strings_end = p.lex.strings + strings;
	lexer_next(&p.lex);
	if (!format_string(&p))
		goto fail;
	p.why = out_of_memory;
	if (!make_literals(f))
		goto no_memory;
	array_resize(&f->pieces, f->npieces + 1, sizeof(*f->pieces)); /* release unused room */
	eval_fold(f);
	find_direct(f);
	if (p.unknown) {
		f->unknown = strndup(p.unknown, p.unknown_len);
		if (!f->unknown)
			goto no_memory;
	}
	return f;
no_memory:
	out_lack_memory();
fail:
	if (why)
		*why = p.why;
	printfmt_free(f);
	return NULL;
}

void printfmt_free(struct printfmt *f)
{
	struct node_block *b, *next;

	if (!f)
		return;
	for (b = f->nodes; b; b = next) {
		next = b->next;
		free(b);
	}
	free(f->unknown);
	free(f->text);
	free(f->strings);
	free(f->pieces);
	out_free(&f->scratch);
	out_free(&f->literals);
	free(f);
}

const char *printfmt_unknown(const struct printfmt *f)
{
	return f->unknown;
}

bool printfmt_symbols(const struct printfmt *f)
{
	return f->symbols;
}

void printfmt_text(struct printfmt *f, const struct symbols *symbols, const void *record,
		   size_t len, struct out *o)
{
	struct eval e = { .f = f, .symbols = symbols, .record = record, .len = len };

	printfmt_pieces(&e, 0, f->npieces, o);
}
