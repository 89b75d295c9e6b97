/* SPDX-License-Identifier: MIT */
/* Parses the text of a condition; its grammar is in where.h. */
#include "common/array.h"
#include "decode/query/wherenode.h"
#include "common/caret.h"

#include <stdlib.h>

#include "decode/base/bytes.h"
#include "decode/base/glob.h"

enum { DEPTH = 100 };

struct parser {
	struct where *w;
	const char *option, *text, *p;
	struct trawl_error *err;
	int depth;
	bool pattern; /* the next text is a pattern, in which globs may be escaped */
};

static struct node *bad_at(struct parser *ps, const char *at, const char *what)
{
	if (!ps->err->text[0])
		caret_fail(ps->err, TRAWL_USAGE, ps->text, (size_t)(at - ps->text), "%s: %s",
			   ps->option, what);
	return NULL;
}

static struct node *bad(struct parser *ps, const char *what)
{
	return bad_at(ps, ps->p, what);
}

static struct node *node(struct parser *ps, enum op op, struct node *left, struct node *right)
{
	struct node *n;

	if (ps->w->n == WHERE_NODES)
		return bad(ps, "too long");
	n = &ps->w->nodes[ps->w->n++];
	n->op = op;
	n->left = left;
	n->right = right;
	n->at = (size_t)(ps->p - ps->text);
	return n;
}

/* ---- words -------------------------------------------------------------------------------- */

static void blank(struct parser *ps)
{
	while (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\n')
		ps->p++;
}

/* Whether c may begin a name; parameters may have letters of any language. */
static bool letter(char c)
{
	return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		c == '_' || c == '$';
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the length of a name: "prev_pid", "decoded.packets[1].length", "argv[1]". */
static size_t word(const char *p)
{
	size_t n = 0, index;

	if (!letter(*p))
		return 0;
	for (;;) {
		while (letter(p[n]) || digit(p[n]) || p[n] == '.')
			n++;
		index = p[n] == '[' ? 1 + strspn(p + n + 1, "0123456789") : 0;
		if (index <= 1 || p[n + index] != ']')
			return n;
		n += index + 1;
	}
}

static bool keyword(struct parser *ps, const char *want)
{
	size_t n = strlen(want);

	blank(ps);
	if (letter(*want) ? word(ps->p) != n : false)
		return false;
	if (strncmp(ps->p, want, n))
		return false;
	ps->p += n;
	return true;
}

/* Copies into the storage of names, which has room for the whole expression. */
static char *keep(struct parser *ps, const char *p, size_t n)
{
	char *to = ps->w->names + ps->w->used;

	memcpy(to, p, n);
	to[n] = '\0';
	ps->w->used += n + 1;
	return to;
}

/* ---- operands ----------------------------------------------------------------------------- */

static const struct suffix {
	const char *text;
	uint64_t factor;
} suffixes[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000},
	{"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"", 1},
};

/* Parses digits at *q. Returns false if the number exceeds 64 bits. */
static bool digits(const char **q, uint64_t base, uint64_t *v)
{
	*v = 0;
	for (; digit(**q) || (base == 16 && (**q | 32) >= 'a' && (**q | 32) <= 'f'); ++*q) {
		uint64_t d = digit(**q) ? (uint64_t)(**q - '0') : (uint64_t)((**q | 32) - 'a' + 10);

		if (__builtin_mul_overflow(*v, base, v) || __builtin_add_overflow(*v, d, v))
			return false;
	}
	return true;
}

static struct node *number(struct parser *ps)
{
	const char *start = ps->p, *q;
	const struct suffix *s = suffixes;
	bool negative = *ps->p == '-', whole = true;
	uint64_t v, base = 10;
	struct node *n;
	double f;
	char *end;

	q = ps->p + negative;
	if (!digit(*q))
		return bad(ps, "a number must follow the sign");
	if (q[0] == '0' && (q[1] == 'x' || q[1] == 'X')) {
		base = 16;
		q += 2;
	}
	f = base == 16 ? 0 : strtod(start, &end);
	ps->p = q;
	if (!digits(&q, base, &v))
		return bad_at(ps, start, "number too large for 64 bits");
	if (q == ps->p)
		return bad(ps, "hexadecimal digits must follow 0x");
	ps->p = q;
	if (base == 10 && (*q == '.' || *q == 'e' || *q == 'E')) {
		whole = false;
		ps->p = end;
	}
	while (strncmp(ps->p, s->text, strlen(s->text)) || letter(ps->p[strlen(s->text)]))
		if (!*s++->text)
			return bad(ps, "unknown unit; use ns, us, ms, s, k, M or G "
				       "(hexadecimal numbers begin with 0x)");
	ps->p += strlen(s->text);
	if (whole && __builtin_mul_overflow(v, s->factor, &v))
		return bad_at(ps, start, "number too large for 64 bits");
	if (negative && v > (uint64_t)INT64_MAX + 1)
		return bad_at(ps, start, "number too small for 64 bits");
	n = node(ps, LITERAL, NULL, NULL);
	if (!n)
		return NULL;
	n->at = (size_t)(start - ps->text);
	n->value.type = !whole ? VALUE_FLOAT : negative ? VALUE_INT : VALUE_UINT;
	if (!whole)
		n->value.f = f * (double)s->factor;
	else
		n->value.u = negative ? 0 - v : v;
	return n;
}

/*
 * Copies a character of a text to *to; undoes an escape of put_safe(). In a pattern, keeps the
 * escape of a glob character. Returns what follows it; NULL for an invalid escape.
 */
static const char *character(const char *p, bool pattern, char **to)
{
	static const char quotes[] = "\\\"'", globs[] = "\\*?[]";
	char c = *p++;

	if (c == '\\') {
		c = *p++;
		if (c == 'n' || c == 't' || c == 'r') {
			c = c == 'n' ? '\n' : c == 't' ? '\t' : '\r';
		} else if (c == 'x') {
			if (hex_digit(p[0]) > 15 || hex_digit(p[1]) > 15)
				return NULL;
			c = (char)(hex_digit(p[0]) << 4 | hex_digit(p[1]));
			p += 2;
			if (pattern && !c)
				return NULL; /* a NUL would end the pattern */
		} else if (!c || !(strchr(quotes, c) || (pattern && strchr(globs, c)))) {
			return NULL;
		}
		if (pattern && strchr(globs, c))
			*(*to)++ = '\\';
	}
	*(*to)++ = c;
	return p;
}

/* Checks that all '[' of a pattern are closed; start: its quote in the expression. */
static bool closed(struct parser *ps, const char *start, char *pattern)
{
	const char *open = glob_unclosed(pattern), *p = start + 1;

	if (!open)
		return true;
	while (pattern < open) /* find the place in the expression */
		p = character(p, true, &pattern);
	bad_at(ps, p, "no ] closes this set; \\[ is the character");
	return false;
}

static struct node *text_literal(struct parser *ps)
{
	const char *start = ps->p;
	char quote = *ps->p++, *to = ps->w->names + ps->w->used;
	struct node *n = node(ps, LITERAL, NULL, NULL);

	if (!n)
		return NULL;
	n->at = (size_t)(start - ps->text);
	n->value.type = VALUE_TEXT;
	n->value.text = n->text = to;
	while (*ps->p != quote) {
		const char *next;

		if (!*ps->p || (*ps->p == '\\' && !ps->p[1]))
			return bad_at(ps, start, "this quote is not closed");
		next = character(ps->p, ps->pattern, &to);
		if (!next)
			return bad(ps, ps->pattern ?
				   "unknown escape: there are \\\\ \\\" \\' \\n \\t \\r \\x01 to "
				   "\\xff and \\* \\? \\[ \\]" :
				   "unknown escape: there are \\\\ \\\" \\' \\n \\t \\r and \\x00 "
				   "to \\xff");
		ps->p = next;
	}
	*to = '\0';
	ps->p++;
	if (ps->pattern && !closed(ps, start, ps->w->names + ps->w->used))
		return NULL;
	n->value.len = (size_t)(to - n->text);
	ps->w->used += n->value.len + 1;
	return n;
}

static struct node *name(struct parser *ps)
{
	static const struct {
		const char *text;
		enum op op;
	} own[] = {{"ts", TS}, {"ts_ns", TS}, {"cpu", CPU}, {"pid", PID}, {"tid", TID},
		   {"comm", COMM}, {"name", NAME}, {"source", SOURCE}, {"took_ns", TOOK}};
	size_t n = word(ps->p), i, at = (size_t)(ps->p - ps->text);
	struct node *e;

	if ((n == 4 && !strncmp(ps->p, "true", 4)) || (n == 5 && !strncmp(ps->p, "false", 5))) {
		e = node(ps, LITERAL, NULL, NULL);
		if (!e)
			return NULL;
		e->value.type = VALUE_UINT;
		e->value.u = n == 4;
		ps->p += n;
		return e;
	}
	e = node(ps, FIELD, NULL, NULL);
	if (!e)
		return NULL;
	e->at = at;
	e->text = keep(ps, ps->p, n);
	ps->p += n;
	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(e->text, own[i].text))
			e->op = own[i].op;
	if (!strncmp(e->text, "fields.", 7))
		e->text += 7;
	return e;
}

static struct node *value(struct parser *ps)
{
	blank(ps);
	if (digit(*ps->p) || *ps->p == '-')
		return number(ps);
	if (*ps->p == '"' || *ps->p == '\'')
		return text_literal(ps);
	if (letter(*ps->p)) {
		const char *p = ps->p;

		if (keyword(ps, "and") || keyword(ps, "or") || keyword(ps, "not"))
			return bad_at(ps, p, "expected a field, a number or a text");
		return name(ps);
	}
	return bad(ps, *ps->p ? "expected a field, a number or a text" :
				"something is missing at the end");
}

static struct node *operand(struct parser *ps)
{
	struct node *left = value(ps), *right;

	blank(ps);
	while (left && *ps->p == '&' && ps->p[1] != '&') {
		ps->p++;
		right = value(ps);
		left = right ? node(ps, MASK, left, right) : NULL;
		blank(ps);
	}
	return left;
}

/* ---- conditions --------------------------------------------------------------------------- */

static struct node *expression(struct parser *ps);

static struct node *comparison(struct parser *ps)
{
	/* longer ones first */
	static const struct {
		const char *text;
		enum op op;
	} ops[] = {{"==", EQ}, {"!=", NE}, {"<=", LE}, {">=", GE}, {"!~", UNLIKE},
		   {"=", EQ}, {"<", LT}, {">", GT}, {"~", MATCH}};
	struct node *left = operand(ps), *right;
	const char *at;
	size_t i;

	if (!left)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (keyword(ps, ops[i].text))
			break;
	if (i == ARRAY_SIZE(ops))
		return node(ps, TRUTH, left, NULL);
	blank(ps);
	at = ps->p;
	ps->pattern = ops[i].op == MATCH || ops[i].op == UNLIKE;
	right = operand(ps);
	if (!right)
		return NULL;
	if (ps->pattern && (right->op != LITERAL || right->value.type != VALUE_TEXT))
		return bad_at(ps, at,
			      "a pattern in quotes must follow ~, as in comm ~ \"kworker*\"");
	ps->pattern = false;
	if (where_type(left) && where_type(right) && where_type(left) != where_type(right))
		return bad_at(ps, at, "a number and a text cannot be compared; a text stands in "
			      "quotes, a number without");
	return node(ps, ops[i].op, left, right);
}

static struct node *one(struct parser *ps)
{
	struct node *n;

	if (ps->depth >= DEPTH)
		return bad(ps, "nested too deeply");
	ps->depth++;
	blank(ps);
	if (keyword(ps, "not") || (*ps->p == '!' && ps->p[1] != '=' && ps->p[1] != '~' &&
				   keyword(ps, "!"))) {
		n = one(ps);
		n = n ? node(ps, NOT, n, NULL) : NULL;
	} else if (keyword(ps, "(")) {
		n = expression(ps);
		if (n && !keyword(ps, ")"))
			n = bad(ps, "expected ) or an operator here");
	} else {
		n = comparison(ps);
	}
	ps->depth--;
	return n;
}

static struct node *all(struct parser *ps)
{
	struct node *left = one(ps), *right;

	while (left && (keyword(ps, "and") || keyword(ps, "&&"))) {
		right = one(ps);
		left = right ? node(ps, AND, left, right) : NULL;
	}
	return left;
}

static struct node *expression(struct parser *ps)
{
	struct node *left = all(ps), *right;

	while (left && (keyword(ps, "or") || keyword(ps, "||"))) {
		right = all(ps);
		left = right ? node(ps, OR, left, right) : NULL;
	}
	return left;
}

struct where *where_parse(const char *option, const char *text, struct trawl_error *err)
{
	struct where *w = calloc(1, sizeof(*w));
	struct parser ps = {w, option, text, text, err, 0, false};

	err->text[0] = '\0';
	if (w) {
		w->option = option;
		w->text = text;
		w->names = malloc(2 * strlen(text) + 2);
	}
	if (!w || !w->names) {
		trawl_fail(err, TRAWL_CANNOT, "%s: out of memory", option);
		where_free(w);
		return NULL;
	}
	w->root = expression(&ps);
	blank(&ps);
	if (w->root && *ps.p)
		w->root = bad(&ps, "expected and, or, or the end here");
	if (!w->root) {
		where_free(w);
		return NULL;
	}
	return w;
}

void where_set_on_mismatch(struct where *w, void (*fn)(void *arg, const struct trawl_error *note),
		    void *arg)
{
	w->on_mismatch = fn;
	w->mismatch_arg = arg;
}

void where_free(struct where *w)
{
	if (!w)
		return;
	free(w->names);
	free(w);
}
