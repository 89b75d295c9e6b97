/* SPDX-License-Identifier: MIT */
/* Whether an item meets a condition (where.h). */
#include "decode/query/wherenode.h"
#include "decode/base/number.h"
#include "common/caret.h"

#include <stdio.h>

#include "decode/base/bytes.h"
#include "decode/base/glob.h"

struct subject {
	struct where *where; /* for notes about invalid comparisons; NULL: no notes */
	const struct decoder *decoder;
	void *state;
	const struct item *item;
	const uint64_t *took; /* its duration, ns; NULL: none */
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

/* Gets the value of a field of the item. */
static void own_value(const struct node *n, const struct subject *s, struct value *v)
{
	bool has = s->decoder->value(s->state, s->item, n->text, v);

	if (s->where && n->op == FIELD && s->where->uses[n - s->where->nodes] != WHERE_FOUND)
		s->where->uses[n - s->where->nodes] = has ? WHERE_FOUND : WHERE_ABSENT;
	if (!has || v->type == VALUE_NONE)
		*v = (struct value){ 0 }; /* clears the text of a string that could not be read */
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
	case TOOK:
		if (s->took)
			unsigned_value(v, *s->took);
		break;
	case CPU:
		if (it->cpu != ITEM_NO_CPU)
			unsigned_value(v, it->cpu);
		break;
	case PID:
		if (s->decoder && s->decoder->own_pid)
			return own_value(n, s, v);
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
		own_value(n, s, v);
	}
}

static double as_double(const struct value *v)
{
	return v->type == VALUE_FLOAT ? v->f : v->type == VALUE_INT ? (double)v->i : (double)v->u;
}

/* Returns -1, 0 or 1, exactly for signed and unsigned integers; 2 if one of them is NaN. */
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

/* Whether a value is a number, or a text of hex digits, which compares as one. */
static bool has_number(const struct value *v)
{
	return is_number(v) || (v->type == VALUE_TEXT && v->hex);
}

/* Whether two values can be compared; a number with a name also with a text. */
static inline bool comparable(const struct value *a, const struct value *b)
{
	return (a->text && b->text) || (has_number(a) && has_number(b));
}

/* Whether b equals the alternative number of a. */
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

/* Compares two values for which comparable() is true. Returns -1, 0, 1, 2 as above. */
static int order_of(const struct value *a, const struct value *b)
{
	if (has_number(a) && has_number(b) && (is_number(a) || is_number(b)))
		return compare_numbers(a, b);
	return compare_texts(a, b);
}

static bool are_equal(const struct value *a, const struct value *b)
{
	if (a->type == VALUE_TEXT && b->type == VALUE_TEXT)
		return a->len == b->len && (!a->len || !memcmp(a->text, b->text, a->len));
	if (a->type == VALUE_UINT && b->type == VALUE_UINT && !a->has_other && !b->has_other)
		return a->u == b->u;
	return !order_of(a, b) || is_other(a, b) || is_other(b, a) || is_hex_of(a, b) ||
	       is_hex_of(b, a);
}

/* Whether "a op b" holds. */
static inline bool compare(enum op op, const struct value *a, const struct value *b)
{
	int c;

	if (a->type == VALUE_NONE || b->type == VALUE_NONE)
		return false;
	if (!comparable(a, b))
		return op == NE;
	if (op == EQ || op == NE)
		return are_equal(a, b) == (op == EQ);
	c = order_of(a, b);
	switch (op) {
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

/* Reports an invalid comparison, once. Only an item shows the type of a field. */
static void warn_invalid(struct node *n, const struct subject *s, const struct value *a,
			 const struct value *b)
{
	const struct node *field = where_type(n->left) ? n->right : n->left;
	const struct value *v = field == n->left ? a : b;
	struct where *w = s->where;
	struct trawl_error note;
	char what[300];

	if (!w || !w->on_mismatch || n->warned || a->is_list || b->is_list ||
	    a->type == VALUE_NONE || b->type == VALUE_NONE)
		return;
	n->warned = true;
	snprintf(what, sizeof(what), "%.*s has a %s here, which %s",
		 (int)s->item->name_len, s->item->name, is_number(v) ? "number" : "text",
		 n->op == MATCH || n->op == UNLIKE ? "no pattern matches; compare it with ==" :
		 is_number(v) && !strncmp(s->item->name, "raw_syscalls:", 13) ?
			 "cannot be compared with a text: ausyscall NAME prints a call's number" :
		 is_number(v) ? "cannot be compared with a text: a number stands without quotes" :
		 "cannot be compared with a number: a text stands in quotes");
	caret_fail(&note, TRAWL_USAGE, w->text, field->at, "%s: %s", w->option,
		   what);
	w->on_mismatch(w->mismatch_arg, &note);
}

/* Matches a text; bytes are also matched as hex digits, as JSON shows them. */
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

/* Gets the nth value, from 1, of a field in a list. */
static bool another(const struct node *n, const struct subject *s, unsigned int nth,
		    struct value *v)
{
	if (n->op != FIELD || !s->decoder->another ||
	    !s->decoder->another(s->state, s->item, n->text, nth, v))
		return false;
	if (s->where)
		s->where->uses[n - s->where->nodes] = WHERE_FOUND;
	if (v->type == VALUE_NONE)
		*v = (struct value){ 0 };
	return true;
}

/* Whether a value has a text to match. The bytes of an array of numbers are none. */
static bool has_text(const struct value *v)
{
	return v->text && !(v->is_list && v->type == VALUE_BYTES);
}

/* Whether an element of a list matches; for != and !~, whether none is equal or matches. */
static bool some_match(struct node *n, const struct subject *s)
{
	bool wanted = n->op == MATCH, text;
	struct value v;

	evaluate(n->left, s, &v);
	text = has_text(&v);
	if (!text)
		warn_invalid(n, s, &v, &n->right->value);
	for (unsigned int nth = 1;; nth++) {
		if (has_text(&v) && matches(n->right->text, &v))
			return wanted;
		if (!another(n->left, s, nth, &v))
			return text && !wanted;
		text = text || has_text(&v);
	}
}

/* Returns the value of a node: that of a literal, else stored in *room. */
static const struct value *value_of(const struct node *n, const struct subject *s,
				    struct value *room)
{
	if (n->op == LITERAL)
		return &n->value;
	evaluate(n, s, room);
	return room;
}

/* Compares the further values of a field in a list until one decides. */
static bool compare_others(const struct node *n, const struct node *field, const struct subject *s,
			   bool *sense)
{
	bool result = n->op == NE, left = field == n->left;
	struct value room[2] = {{0}};

	for (unsigned int nth = 1; result == (n->op == NE) && another(field, s, nth, &room[0]);
	     nth++) {
		/* evaluated again, because its text may have been overwritten */
		const struct value *v = value_of(left ? n->right : n->left, s, &room[1]);
		const struct value *a = left ? &room[0] : v, *b = left ? v : &room[0];

		*sense = *sense || comparable(a, b);
		result = compare(n->op, a, b);
	}
	return result;
}

static bool some_compare(struct node *n, const struct subject *s)
{
	const struct node *field = n->left->op == FIELD ? n->left : n->right;
	struct value room[2];
	const struct value *a = value_of(n->left, s, &room[0]);
	const struct value *b = value_of(n->right, s, &room[1]);
	bool result = compare(n->op, a, b);
	bool sense = (result && n->op != NE) || comparable(a, b);

	if (field->op == FIELD && result == (n->op == NE))
		result = compare_others(n, field, s, &sense);
	if (!sense)
		warn_invalid(n, s, a, b);
	return result;
}

static bool holds(struct node *n, const struct subject *s)
{
	struct value a;

	switch (n->op) {
	case AND:
		return holds(n->left, s) && holds(n->right, s);
	case OR:
		return holds(n->left, s) || holds(n->right, s);
	case NOT:
		return !holds(n->left, s);
	case MATCH:
	case UNLIKE:
		return some_match(n, s);
	case TRUTH:
		evaluate(n->left, s, &a);
		return truth(&a);
	default:
		break;
	}
	return some_compare(n, s);
}

bool where_match(struct where *w, const struct decoder *d, void *state, const struct item *it,
		 const uint64_t *took)
{
	struct subject s = {w, d, state, it, took};

	return holds(w->root, &s);
}

/* ---- without an item ---------------------------------------------------------------------- */

enum chance { NEVER, MAYBE, ALWAYS };

struct guess {
	struct subject subject; /* an item with only a source, and perhaps a name */
	bool (*has)(void *arg, const char *field);
	void *arg;
};

/* Returns ALWAYS if the value is known, NEVER if there is none. */
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
