/* SPDX-License-Identifier: MIT */
#include "common/caret.h"
#include "decode/query/where.h"

#include <stdio.h>
#include <stdlib.h>

#include "decode/base/bytes.h"
#include "decode/base/glob.h"

#define DEPTH 100
#define NODES 1000

enum op {
	/* two conditions, or one */
	AND, OR, NOT,
	/* two operands */
	EQ, NE, LT, LE, GT, GE, MATCH, UNLIKE,
	TRUTH, /* one operand alone */
	/* operands */
	MASK,
	LITERAL,
	/* names: of every item, and of fields */
	TS, CPU, PID, TID, COMM, NAME, SOURCE,
	FIELD,
};

struct node {
	enum op op;
	struct node *left, *right;
	struct value value;  /* LITERAL */
	const char *text;    /* FIELD: its name; the right side of MATCH: the pattern */
	size_t at;           /* where in the text it stands */
	bool told;           /* of a comparison: that it makes no sense for some item */
};

struct where {
	struct node nodes[NODES];
	uint32_t n;
	struct node *root;
	char *names; /* storage of names and texts, NUL-terminated each */
	size_t used;
	const char *option, *text; /* the caller's */
	void (*odd)(void *arg, const struct trawl_error *note);
	void *odd_arg;
};

struct parser {
	struct where *w;
	const char *option, *text, *p;
	struct trawl_error *err;
	int depth;
	bool pattern; /* a text that comes now is one: its globs are there to be escaped too */
};

static struct node *bad_at(struct parser *ps, const char *at, const char *what)
{
	if (!ps->err->text[0])
		caret_fail(ps->err, TRAWL_USAGE, ps->text, (size_t)(at - ps->text), "%s: %s", ps->option,
			  what);
	return NULL;
}

static struct node *bad(struct parser *ps, const char *what)
{
	return bad_at(ps, ps->p, what);
}

static struct node *node(struct parser *ps, enum op op, struct node *left, struct node *right)
{
	struct node *n;

	if (ps->w->n == NODES)
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

/* Names of parameters may have letters of any language. */
static bool letter(char c)
{
	return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of a name: "prev_pid", "setup.bRequest", "decoded.packets[1].length", "argv[1]". */
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

/* Copies into the storage of names; there is always room for all of the text. */
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

static struct node *number(struct parser *ps)
{
	const char *start = ps->p, *q;
	const struct suffix *s = suffixes;
	bool negative = *ps->p == '-', whole = true;
	uint64_t v = 0, base = 10;
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
	for (; digit(*q) || (base == 16 && (*q | 32) >= 'a' && (*q | 32) <= 'f'); q++) {
		uint64_t d = digit(*q) ? (uint64_t)(*q - '0') : (uint64_t)((*q | 32) - 'a' + 10);

		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return bad_at(ps, start, "number too large for 64 bits");
	}
	if (q == ps->p)
		return bad(ps, "hexadecimal digits must follow 0x");
	ps->p = q;
	if (base == 10 && (*q == '.' || *q == 'e' || *q == 'E')) {
		whole = false;
		ps->p = end;
	}
	while (strncmp(ps->p, s->text, strlen(s->text)) || letter(ps->p[strlen(s->text)]))
		if (!*s++->text)
			return bad(ps, "unknown unit: use ns, us, ms, s, k, M or G");
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
 * One character of a text, as put_safe() writes it, to *to. In a pattern the escape of a character
 * of globs stays one. Returns what is behind it, NULL if there is no such escape.
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
				return NULL; /* patterns end there */
		} else if (!c || !(strchr(quotes, c) || (pattern && strchr(globs, c)))) {
			return NULL;
		}
		if (pattern && strchr(globs, c))
			*(*to)++ = '\\';
	}
	*(*to)++ = c;
	return p;
}

/* A pattern at `start`, with its quote, that became `pattern`. */
static bool closed(struct parser *ps, const char *start, char *pattern)
{
	const char *open = glob_unclosed(pattern), *p = start + 1;

	if (!open)
		return true;
	while (pattern < open) /* the same again, up to the place */
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
		   {"comm", COMM}, {"name", NAME}, {"source", SOURCE}};
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
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
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

/* What is known without the event: a number, a text, or (a field) nothing: VALUE_NONE. */
static enum value_type type_of(const struct node *n)
{
	switch (n->op) {
	case LITERAL:
		return n->value.type == VALUE_TEXT ? VALUE_TEXT : VALUE_UINT;
	case FIELD:
		return VALUE_NONE;
	case COMM:
	case NAME:
	case SOURCE:
		return VALUE_TEXT;
	default:
		return VALUE_UINT;
	}
}

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
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (keyword(ps, ops[i].text))
			break;
	if (i == sizeof(ops) / sizeof(ops[0]))
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
	if (type_of(left) && type_of(right) && type_of(left) != type_of(right))
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

void where_when_odd(struct where *w, void (*tell)(void *arg, const struct trawl_error *note),
		    void *arg)
{
	w->odd = tell;
	w->odd_arg = arg;
}

void where_free(struct where *w)
{
	if (!w)
		return;
	free(w->names);
	free(w);
}

const char *where_unknown(const struct where *w, bool (*known)(void *arg, const char *name),
			  void *arg, size_t *at)
{
	uint32_t i;

	for (i = 0; i < w->n; i++) {
		if (w->nodes[i].op == FIELD && !known(arg, w->nodes[i].text)) {
			*at = w->nodes[i].at;
			return w->nodes[i].text;
		}
	}
	return NULL;
}

/* What this comparison compares an operand of that kind with, if it is a constant. */
static const struct node *compared(const struct node *n, enum op kind)
{
	bool is = n->op == EQ || n->op == NE || n->op == MATCH || n->op == UNLIKE;

	if (is && n->left->op == kind && n->right->op == LITERAL)
		return n->right;
	return is && n->right->op == kind && n->left->op == LITERAL ? n->left : NULL;
}

const char *where_unknown_event(const struct where *w,
				bool (*matches)(void *arg, const char *text, bool pattern),
				void *arg, size_t *at)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct node *n = &w->nodes[i], *text = compared(n, NAME);

		if (text && text->value.type == VALUE_TEXT &&
		    !matches(arg, text->text, n->op == MATCH || n->op == UNLIKE)) {
			*at = text->at;
			return text->text;
		}
	}
	return NULL;
}

const char *where_unknown_word(const struct where *w,
			       bool (*matches)(void *arg, const char *field, const char *text,
					       bool pattern),
			       void *arg, size_t *at, const char **field)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct node *n = &w->nodes[i], *text = compared(n, FIELD);

		if (!text || text->value.type != VALUE_TEXT)
			continue;
		*field = (text == n->right ? n->left : n->right)->text;
		if (!matches(arg, *field, text->text, n->op == MATCH || n->op == UNLIKE)) {
			*at = text->at;
			return text->text;
		}
	}
	return NULL;
}

/* The field of a comparison of a field with a constant, or NULL; *with is the constant. */
static const struct node *compared_field(const struct node *n, const struct node **with)
{
	const struct node *field;

	if (n->op < EQ || n->op > UNLIKE)
		return NULL;
	field = n->left->op == FIELD ? n->left : n->right->op == FIELD ? n->right : NULL;
	*with = field == n->left ? n->right : n->left;
	return field && (*with)->op == LITERAL ? field : NULL;
}

const char *where_mismatch(const struct where *w,
			   unsigned int (*comparable)(void *arg, const char *field), void *arg,
			   size_t *at, bool *is_text)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct node *with, *field = compared_field(&w->nodes[i], &with);
		unsigned int can = field ? comparable(arg, field->text) : 0;

		if (!can)
			continue;
		*is_text = with->value.type == VALUE_TEXT;
		if (can & (*is_text ? COMPARABLE_TEXT : COMPARABLE_NUMBER))
			continue;
		*at = with->at;
		return field->text;
	}
	return NULL;
}

bool where_asks_task(const struct where *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->nodes[i].op == PID || w->nodes[i].op == COMM)
			return true;
	return false;
}

/* ---- evaluation --------------------------------------------------------------------------- */

struct subject {
	struct where *where; /* is told what cannot be compared; NULL: nobody is */
	const struct decoder *decoder;
	void *state;
	const struct item *item;
};

static void unsigned_value(struct value *v, uint64_t u)
{
	v->type = VALUE_UINT;
	v->u = u;
}

static void text_value(struct value *v, const char *text, size_t n)
{
	v->type = VALUE_TEXT;
	v->text = text;
	v->len = n;
}

static void task_value(struct value *v, int32_t id)
{
	if (id != ITEM_NO_TASK)
		unsigned_value(v, (uint32_t)id);
}

static bool is_number(const struct value *v)
{
	return v->type == VALUE_UINT || v->type == VALUE_INT || v->type == VALUE_FLOAT;
}

static void evaluate(const struct node *n, const struct subject *s, struct value *v)
{
	const struct item *it = s->item;
	struct value right;

	memset(v, 0, sizeof(*v));
	switch (n->op) {
	case LITERAL:
		*v = n->value;
		break;
	case MASK:
		evaluate(n->right, s, &right);
		evaluate(n->left, s, v);
		v->text = NULL;
		if (v->type == VALUE_FLOAT || !is_number(v) || right.type == VALUE_FLOAT ||
		    !is_number(&right))
			v->type = VALUE_NONE;
		else
			unsigned_value(v, v->u & right.u);
		break;
	case TS:
		unsigned_value(v, it->time);
		break;
	case CPU:
		if (it->cpu != ITEM_NO_CPU)
			unsigned_value(v, it->cpu);
		break;
	case PID:
		task_value(v, it->pid);
		break;
	case TID:
		task_value(v, it->tid);
		break;
	case COMM:
		text_value(v, it->comm, it->comm_len);
		break;
	case NAME:
		text_value(v, it->name, it->name_len);
		break;
	case SOURCE:
		text_value(v, it->source->name, strlen(it->source->name));
		break;
	default:
		if (!s->decoder->value(s->state, it, n->text, v))
			v->type = VALUE_NONE;
	}
}

static double as_double(const struct value *v)
{
	return v->type == VALUE_FLOAT ? v->f : v->type == VALUE_INT ? (double)v->i : (double)v->u;
}

/* -1, 0, 1; exact for integers of both kinds. NaN counts as different from everything: 2. */
static int compare_numbers(const struct value *a, const struct value *b)
{
	double x, y;

	if (a->type == VALUE_FLOAT || b->type == VALUE_FLOAT) {
		x = as_double(a);
		y = as_double(b);
		return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
	}
	if (a->type == VALUE_INT && a->i < 0 && (b->type == VALUE_UINT || b->i >= 0))
		return -1;
	if (b->type == VALUE_INT && b->i < 0 && (a->type == VALUE_UINT || a->i >= 0))
		return 1;
	if (a->type == VALUE_INT && b->type == VALUE_INT)
		return a->i < b->i ? -1 : a->i > b->i;
	return a->u < b->u ? -1 : a->u > b->u;
}

static int compare_texts(const struct value *a, const struct value *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->text, b->text, n) : 0;

	return c ? (c < 0 ? -1 : 1) : a->len < b->len ? -1 : a->len > b->len;
}

/* A text of hex digits is a number, too, where it meets one. */
static bool has_number(const struct value *v)
{
	return is_number(v) || (v->type == VALUE_TEXT && v->hex);
}

/* A number that has a name may be compared with its name. */
static bool comparable(const struct value *a, const struct value *b)
{
	return (a->text && b->text) || (has_number(a) && has_number(b));
}

/* Either of two numbers by which a value is called. */
static bool is_other(const struct value *a, const struct value *b)
{
	return a->has_other && is_number(b) && b->type != VALUE_FLOAT && a->other == b->u;
}

/* Whether a text is the hex digits of some bytes. */
static bool is_hex_of(const struct value *text, const struct value *bytes)
{
	if (text->type != VALUE_TEXT || bytes->type != VALUE_BYTES || text->len != 2 * bytes->len)
		return false;
	for (size_t i = 0; i < text->len; i++) {
		unsigned int digit = hex_digit(text->text[i]);
		unsigned int byte = (uint8_t)bytes->text[i / 2];

		if (digit != (i % 2 ? byte & 15 : byte >> 4))
			return false;
	}
	return true;
}

/* Whether "a op b" holds. */
static bool compare(enum op op, const struct value *a, const struct value *b)
{
	int c;

	if (a->type == VALUE_NONE || b->type == VALUE_NONE)
		return false;
	if (!comparable(a, b))
		return op == NE;
	c = has_number(a) && has_number(b) && (is_number(a) || is_number(b)) ?
		    compare_numbers(a, b) : compare_texts(a, b);
	if ((op == EQ || op == NE) && (is_other(a, b) || is_other(b, a) ||
				       is_hex_of(a, b) || is_hex_of(b, a)))
		return op == EQ;
	switch (op) {
	case EQ:
		return c == 0;
	case NE:
		return c != 0;
	case LT:
		return c == -1;
	case LE:
		return c == -1 || c == 0;
	case GT:
		return c == 1;
	default:
		return c == 1 || c == 0;
	}
}

static bool truth(const struct value *v)
{
	switch (v->type) {
	case VALUE_UINT:
	case VALUE_INT:
		return v->u;
	case VALUE_FLOAT:
		return v->f != 0;
	case VALUE_TEXT:
	case VALUE_BYTES:
		return v->len;
	default:
		return false;
	}
}

/* Only with an item it is known what a field is: says once that the comparison makes no sense. */
static void tell_odd(struct node *n, const struct subject *s, const struct value *a,
		     const struct value *b)
{
	const struct node *field = type_of(n->left) ? n->right : n->left;
	const struct value *v = field == n->left ? a : b;
	struct where *w = s->where;
	struct trawl_error note;
	char what[300];

	if (!w || !w->odd || n->told || a->type == VALUE_NONE || b->type == VALUE_NONE)
		return;
	n->told = true;
	snprintf(what, sizeof(what), "%.*s has a %s here, which %s",
		 (int)s->item->name_len, s->item->name, is_number(v) ? "number" : "text",
		 n->op == MATCH || n->op == UNLIKE ? "no pattern matches: compare it with ==" :
		 is_number(v) && !strncmp(s->item->name, "raw_syscalls:", 13) ?
			 "cannot be compared with a text: ausyscall NAME tells a call's number" :
		 is_number(v) ? "cannot be compared with a text: a number stands without quotes" :
		 "cannot be compared with a number: a text stands in quotes");
	caret_fail(&note, TRAWL_USAGE, w->text, field->at, "%s: %s", w->option,
			  what);
	w->odd(w->odd_arg, &note);
}

/* Bytes are matched as they are, and as the hex digits as which JSON has them. */
static bool matches(const char *pattern, const struct value *v)
{
	struct out hex;
	bool match = glob_match(pattern, v->text, v->len);

	if (match || v->type != VALUE_BYTES)
		return match;
	out_memory(&hex);
	out_hexbytes(&hex, v->text, v->len);
	match = !hex.error && glob_match(pattern, hex.data, hex.len);
	out_free(&hex);
	return match;
}

static bool holds(struct node *n, const struct subject *s)
{
	struct value a, b;

	switch (n->op) {
	case AND:
		return holds(n->left, s) && holds(n->right, s);
	case OR:
		return holds(n->left, s) || holds(n->right, s);
	case NOT:
		return !holds(n->left, s);
	case MATCH:
	case UNLIKE:
		evaluate(n->left, s, &a);
		if (!a.text)
			tell_odd(n, s, &a, &n->right->value);
		return a.text && matches(n->right->text, &a) == (n->op == MATCH);
	case TRUTH:
		evaluate(n->left, s, &a);
		return truth(&a);
	default:
		break;
	}
	evaluate(n->left, s, &a);
	evaluate(n->right, s, &b);
	if (!comparable(&a, &b))
		tell_odd(n, s, &a, &b);
	return compare(n->op, &a, &b);
}

bool where_match(struct where *w, const struct decoder *d, void *state, const struct item *it)
{
	struct subject s = {w, d, state, it};

	return holds(w->root, &s);
}

/* ---- what can be said without an item ----------------------------------------------------- */

enum chance { NEVER, MAYBE, ALWAYS };

struct guess {
	struct subject subject; /* an item with a source, and a name or none */
	bool (*has)(void *arg, const char *field);
	void *arg;
};

/* ALWAYS: its value is known; NEVER: it has none. */
static enum chance known_value(const struct node *n, const struct guess *g)
{
	enum chance a, b;

	switch (n->op) {
	case LITERAL:
	case SOURCE:
		return ALWAYS;
	case NAME:
		return g->subject.item->name ? ALWAYS : MAYBE;
	case MASK:
		a = known_value(n->left, g);
		b = known_value(n->right, g);
		return a < b ? a : b;
	case FIELD:
		return g->has(g->arg, n->text) ? MAYBE : NEVER;
	default:
		return MAYBE;
	}
}

static enum chance chance(struct node *n, const struct guess *g)
{
	enum chance a, b;

	switch (n->op) {
	case AND:
		a = chance(n->left, g);
		b = chance(n->right, g);
		return a < b ? a : b;
	case OR:
		a = chance(n->left, g);
		b = chance(n->right, g);
		return a > b ? a : b;
	case NOT:
		return (enum chance)(ALWAYS - chance(n->left, g));
	default:
		break;
	}
	a = known_value(n->left, g);
	b = n->right ? known_value(n->right, g) : ALWAYS;
	if (a == ALWAYS && b == ALWAYS)
		return holds(n, &g->subject) ? ALWAYS : NEVER;
	return a < b ? a : b;
}

bool where_possible(const struct where *w, const struct trawl_source *source, const char *name,
		    bool (*has)(void *arg, const char *field), void *arg)
{
	struct item it = {
		.source = source, .name = name, .name_len = name ? (uint32_t)strlen(name) : 0,
	};
	struct guess g = { .subject.item = &it, .has = has, .arg = arg };

	return chance(w->root, &g) != NEVER;
}
