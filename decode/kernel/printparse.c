/* SPDX-License-Identifier: MIT */
/*
 * Parses the C expressions of print formats by precedence climbing; the number of nodes is bounded.
 */
#include "decode/kernel/printparse.h"
#include "common/array.h"
#include "decode/kernel/constants.h"
#include "decode/kernel/printtype.h"

#include <stdlib.h>

enum {
	BLOCKS_MAX = 256,
	DEPTH_MAX = 64,
};

static struct node *unary(struct parser *p);

bool parse_fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

static bool expect(struct parser *p, int op)
{
	if (!lexer_is_op(&p->lex, op))
		return parse_fail(p, "an expression with a syntax that is not known");
	lexer_next(&p->lex);
	return true;
}

static struct node *node_new(struct parser *p, enum node_op op)
{
	struct node_block *b = p->out->nodes;
	struct node *n;

	if (!b || b->used == NODE_BLOCK) {
		if (++p->nblocks > BLOCKS_MAX) {
			parse_fail(p, "too long");
			return NULL;
		}
		b = calloc(1, sizeof(*b));
		if (!b) {
			out_lack_memory();
			parse_fail(p, "out of memory");
			return NULL;
		}
		b->next = p->out->nodes;
		p->out->nodes = b;
	}
	n = &b->nodes[b->used++];
	n->op = op;
	return n;
}

/* ---- casts -------------------------------------------------------------------------------- */

/* Whether the current token can begin the operand of a cast. */
static bool operand_follows(const struct parser *p)
{
	const struct token *t = &p->lex.token;

	return t->type == TOKEN_NUMBER || t->type == TOKEN_NAME || t->type == TOKEN_TEXT ||
	       (t->type == TOKEN_OP && (t->op == '(' || t->op == '~' || t->op == '!'));
}

static struct node *local_find(struct parser *p, const struct token *t)
{
	for (size_t i = p->nlocals; i-- > 0;)
		if (p->locals[i].len == t->len && !memcmp(p->locals[i].name, t->text, t->len))
			return p->locals[i].value;
	return NULL;
}

/*
 * After `(`: if a type and `)` follow, skips them and returns true. Otherwise returns false with
 * the parser unchanged.
 */
static bool cast_type(struct parser *p, struct ctype *t)
{
	struct lexer before = p->lex;
	struct token last;
	unsigned int words;

	if (p->lex.token.type != TOKEN_NAME || local_find(p, &p->lex.token))
		return false;
	*t = ctype_parse(&p->lex, &last, &words);
	if (words && lexer_is_op(&p->lex, ')')) {
		lexer_next(&p->lex);
		if (t->is_type || (operand_follows(p) && words == 1))
			return true;
	}
	lexer_go_back(&p->lex, &before);
	return false;
}

/* ---- primaries ---------------------------------------------------------------------------- */

static const struct trawl_field *field_find(const struct parser *p, const struct token *name)
{
	const struct trawl_event_type *type = p->out->type;
	const struct trawl_source *source = p->out->source;

	for (uint32_t i = 0; i < type->nfields; i++)
		if (token_is_name(name, type->fields[i].name))
			return &type->fields[i];
	for (uint32_t i = 0; source && i < source->ncommon; i++)
		if (token_is_name(name, source->common[i].name))
			return &source->common[i];
	return NULL;
}

static struct node *field_node(struct parser *p, const struct token *name)
{
	struct token plain = *name;
	const struct trawl_field *f = field_find(p, name);
	struct node *n;

	/* REC->__data_loc_NAME is the u32 itself; some macros extract its upper half. */
	if (!f && plain.len > 11 && !memcmp(plain.text, "__data_loc_", 11)) {
		plain.text += 11;
		plain.len -= 11;
		f = field_find(p, &plain);
	}
	if (!f) {
		parse_fail(p, "a field that the event does not have");
		return NULL;
	}
	n = node_new(p, NODE_FIELD);
	if (n)
		n->field = f;
	if (n && plain.text != name->text)
		n->op = NODE_LOC;
	return n;
}

/* REC->ent.pid is the field common_pid: struct trace_entry, which formats do not list (Linux 7). */
static bool header_field(struct parser *p, struct token *name)
{
	const struct trawl_source *source = p->out->source;

	if (!token_is_name(name, "ent") || field_find(p, name))
		return true;
	lexer_next(&p->lex);
	if (!expect(p, '.') || p->lex.token.type != TOKEN_NAME) {
		parse_fail(p, "the record's header as a value");
		return false;
	}
	*name = p->lex.token;
	for (uint32_t i = 0; source && i < source->ncommon; i++) {
		const char *common = source->common[i].name;

		if (!strncmp(common, "common_", 7) && token_is_name(name, common + 7)) {
			name->text = common;
			name->len = strlen(common);
		}
	}
	return true;
}

static struct node *record_field(struct parser *p)
{
	struct token name;
	struct node *n;

	lexer_next(&p->lex);
	if (!expect(p, '.') || p->lex.token.type != TOKEN_NAME) {
		parse_fail(p, "the record itself as a value");
		return NULL;
	}
	name = p->lex.token;
	n = header_field(p, &name) ? field_node(p, &name) : NULL;
	lexer_next(&p->lex);
	return n;
}

static struct node *sizeof_node(struct parser *p)
{
	struct node *n = node_new(p, NODE_NUMBER);
	struct token last;
	struct ctype t;
	unsigned int words;

	if (!n || !expect(p, '('))
		return NULL;
	n->size = 8;
	if (token_is_name(&p->lex.token, "REC")) {
		struct node *f = record_field(p);

		if (!f)
			return NULL;
		n->number = (uint64_t)f->field->size * f->field->count;
	} else {
		t = ctype_parse(&p->lex, &last, &words);
		if (!t.size)
			parse_fail(p, "the size of a type that is not known");
		n->number = t.size;
	}
	return expect(p, ')') ? n : NULL;
}

/* Parses {1, "A"} or { }: an entry of a table, as a LIST node with a and b (NULL if empty). */
static struct node *entry(struct parser *p)
{
	struct node *n = node_new(p, NODE_LIST);

	lexer_next(&p->lex);
	if (!n || lexer_is_op(&p->lex, '}')) {
		lexer_next(&p->lex);
		return n;
	}
	n->a = parse_expression(p);
	if (!expect(p, ','))
		return NULL;
	n->b = parse_expression(p);
	return expect(p, '}') ? n : NULL;
}

static const struct {
	const char *name;
	enum helper helper;
	bool symbols;
} helpers[] = {
	{ "__print_flags", HELPER_FLAGS, false },
	{ "__print_flags_u64", HELPER_FLAGS, false },
	{ "__print_symbolic", HELPER_SYMBOLIC, false },
	{ "__print_symbolic_u64", HELPER_SYMBOLIC, false },
	{ "__print_hex", HELPER_HEX, false },
	{ "__print_hex_str", HELPER_HEX_STR, false },
	{ "__print_hex_dump", HELPER_HEX_DUMP, false },
	{ "__print_array", HELPER_ARRAY, false },
	{ "__print_dynamic_array", HELPER_DYNAMIC_ARRAY, false },
	{ "__get_str", HELPER_FIELD, false },
	{ "__get_rel_str", HELPER_FIELD, false },
	{ "__get_buf", HELPER_BUFFER, false },
	{ "__get_dynamic_array", HELPER_FIELD, false },
	{ "__get_rel_dynamic_array", HELPER_FIELD, false },
	{ "__get_dynamic_array_len", HELPER_FIELD_LEN, false },
	{ "__get_rel_dynamic_array_len", HELPER_FIELD_LEN, false },
	{ "__get_bitmask", HELPER_BITMASK, false },
	{ "__get_rel_bitmask", HELPER_BITMASK, false },
	{ "__get_cpumask", HELPER_BITMASK, false },
	{ "__get_rel_cpumask", HELPER_BITMASK, false },
	{ "__get_sockaddr", HELPER_SOCKADDR, false },
	{ "__get_rel_sockaddr", HELPER_SOCKADDR, false },
	{ "__get_stacktrace", HELPER_STACK, true },
	{ "__get_rel_stacktrace", HELPER_STACK, true },
	{ "__print_ns_to_secs", HELPER_SECS, false },
	{ "__print_ns_without_secs", HELPER_NO_SECS, false },
	{ "__builtin_expect", HELPER_FIRST, false },
};

static enum helper helper_find(struct parser *p, const struct token *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++) {
		if (!token_is_name(name, helpers[i].name))
			continue;
		p->out->symbols |= helpers[i].symbols;
		return helpers[i].helper;
	}
	return HELPER_UNKNOWN;
}

static bool takes_field(enum helper h)
{
	return h == HELPER_FIELD || h == HELPER_FIELD_LEN || h == HELPER_BITMASK ||
	       h == HELPER_SOCKADDR || h == HELPER_STACK || h == HELPER_DYNAMIC_ARRAY;
}

/*
 * Parses the arguments of a call from here up to and including `)`, and stores them at *arg. Table
 * entries go to call->b.
 */
static bool arguments(struct parser *p, struct node *call, struct node **arg)
{
	struct node **item = &call->b;

	while (!lexer_is_op(&p->lex, ')') && !p->why) {
		if (lexer_is_op(&p->lex, '{')) {
			if (!(*item = entry(p)))
				return false;
			item = &(*item)->next;
		} else {
			if (!(*arg = node_new(p, NODE_LIST)) || !((*arg)->a = parse_expression(p)))
				return false;
			arg = &(*arg)->next;
		}
		if (lexer_is_op(&p->lex, ','))
			lexer_next(&p->lex);
		else if (!lexer_is_op(&p->lex, ')'))
			return expect(p, ')');
	}
	return expect(p, ')');
}

/* Parses the name of a field, the first argument of a helper, and what follows up to `)`. */
static bool field_arguments(struct parser *p, struct node *call)
{
	if (!(call->a = node_new(p, NODE_LIST)) || p->lex.token.type != TOKEN_NAME) {
		parse_fail(p, "a helper without its field");
		return false;
	}
	call->a->a = field_node(p, &p->lex.token);
	lexer_next(&p->lex);
	if (!call->a->a)
		return false;
	if (call->helper != HELPER_DYNAMIC_ARRAY)
		return expect(p, ')');
	return expect(p, ',') && arguments(p, call, &call->a->next);
}

static void not_known(struct parser *p, const struct token *name)
{
	if (p->unknown)
		return;
	p->unknown = name->text;
	p->unknown_len = name->len;
}

static struct node *call(struct parser *p, const struct token *name)
{
	struct node *n = node_new(p, NODE_CALL);

	lexer_next(&p->lex);
	if (!n)
		return NULL;
	n->helper = (uint8_t)helper_find(p, name);
	n->text = name->text;
	n->len = name->len;
	if (takes_field(n->helper) && !token_is_name(&p->lex.token, "REC"))
		return field_arguments(p, n) ? n : NULL;
	if (!arguments(p, n, &n->a))
		return NULL;
	if (n->helper == HELPER_UNKNOWN)
		not_known(p, name);
	return n;
}

/* Parses ({ int a = (x); int b = (y); a < b ? a : b; }), after `({`. */
static struct node *statements(struct parser *p)
{
	size_t nlocals = p->nlocals;
	struct node *n = NULL;

	while (!p->why) {
		struct lexer before = p->lex;
		struct token last = { 0 };
		unsigned int words;
		struct ctype t = ctype_parse(&p->lex, &last, &words);

		if (words < 2 || !lexer_is_op(&p->lex, '=')) {
			lexer_go_back(&p->lex, &before);
			n = parse_expression(p);
			if (!expect(p, ';') || !expect(p, '}'))
				return NULL;
			break;
		}
		lexer_next(&p->lex);
		if (p->nlocals == PARSE_LOCALS_MAX || !(n = node_new(p, NODE_CAST))) {
			parse_fail(p, "too long");
			return NULL;
		}
		n->size = t.size;
		n->is_signed = t.is_signed;
		if (!(n->a = parse_expression(p)) || !expect(p, ';'))
			return NULL;
		p->locals[p->nlocals].name = last.text;
		p->locals[p->nlocals].len = last.len;
		p->locals[p->nlocals++].value = n;
	}
	p->nlocals = nlocals;
	return n;
}

/* Parses what follows `(`. */
static struct node *parenthesis(struct parser *p)
{
	struct lexer before = p->lex;
	struct node *n;
	struct ctype t;

	if (token_is_name(&p->lex.token, "REC")) { /* (REC)->field */
		lexer_next(&p->lex);
		if (lexer_is_op(&p->lex, ')'))
			return record_field(p);
		lexer_go_back(&p->lex, &before);
	}
	if (lexer_is_op(&p->lex, '{')) {
		lexer_next(&p->lex);
		n = statements(p);
	} else if (cast_type(p, &t)) {
		n = node_new(p, NODE_CAST);
		if (!n)
			return NULL;
		n->size = t.size;
		n->is_signed = t.is_signed;
		n->a = unary(p);
		return n->a ? n : NULL;
	} else {
		n = parse_expression(p);
	}
	return n && expect(p, ')') ? n : NULL;
}

/*
 * A constant that the kernel left in the format by name. If its value is unknown, the node compares
 * equal to nothing.
 */
static struct node *constant(struct parser *p, const struct token *name)
{
	struct node *n;
	uint64_t v;

	if (!constant_find(name->text, name->len, &v)) {
		not_known(p, name);
		return node_new(p, NODE_UNKNOWN);
	}
	n = node_new(p, NODE_NUMBER);
	if (n) {
		n->size = 4;
		n->number = v;
	}
	return n;
}

static struct node *name_node(struct parser *p)
{
	struct token name = p->lex.token;
	struct node *n;

	if (token_is_name(&name, "REC"))
		return record_field(p);
	lexer_next(&p->lex);
	if (token_is_name(&name, "sizeof"))
		return sizeof_node(p);
	if (lexer_is_op(&p->lex, '('))
		return call(p, &name);
	n = local_find(p, &name);
	if (n)
		return n;
	return constant(p, &name);
}

static struct node *primary(struct parser *p)
{
	struct node *n = NULL;

	if (p->lex.token.type == TOKEN_NUMBER || p->lex.token.type == TOKEN_TEXT) {
		n = node_new(p, p->lex.token.type == TOKEN_TEXT ? NODE_TEXT : NODE_NUMBER);
		if (!n)
			return NULL;
		n->number = p->lex.token.number;
		n->size = p->lex.token.size;
		n->is_signed = p->lex.token.is_signed;
		n->text = p->lex.token.text;
		n->len = p->lex.token.len;
		lexer_next(&p->lex);
	} else if (p->lex.token.type == TOKEN_NAME) {
		n = name_node(p);
	} else if (lexer_is_op(&p->lex, '(')) {
		lexer_next(&p->lex);
		n = parenthesis(p);
	} else {
		parse_fail(p, "an expression with a syntax that is not known");
	}
	while (n && lexer_is_op(&p->lex, '[')) {
		struct node *index = node_new(p, NODE_INDEX);

		lexer_next(&p->lex);
		if (!index || !(index->b = parse_expression(p)) || !expect(p, ']'))
			return NULL;
		index->a = n;
		n = index;
	}
	return n;
}

/* Whether the current token is an operator before its operand. */
static bool is_prefix(const struct lexer *l)
{
	return l->token.type == TOKEN_OP && l->token.op > 0 && l->token.op < OP_SHL &&
	       strchr("-~!&+*", l->token.op);
}

static struct node *unary(struct parser *p)
{
	struct node *n = NULL;

	if (++p->depth > DEPTH_MAX) {
		parse_fail(p, "nested too deeply");
	} else if (is_prefix(&p->lex)) {
		int what = p->lex.token.op;

		lexer_next(&p->lex);
		if (what == '&' || what == '+') {
			/* A field is its bytes already: taking its address changes nothing. */
			n = unary(p);
		} else if ((n = node_new(p, NODE_UNARY))) {
			n->what = what;
			n->a = unary(p);
			n = n->a ? n : NULL;
		}
	} else {
		n = primary(p);
	}
	p->depth--;
	return n;
}

static int precedence(const struct parser *p)
{
	if (p->lex.token.type != TOKEN_OP)
		return 0;
	switch (p->lex.token.op) {
	case '*': case '/': case '%':
		return 10;
	case '+': case '-':
		return 9;
	case OP_SHL: case OP_SHR:
		return 8;
	case '<': case '>': case OP_LE: case OP_GE:
		return 7;
	case OP_EQ: case OP_NE:
		return 6;
	case '&':
		return 5;
	case '^':
		return 4;
	case '|':
		return 3;
	case OP_AND:
		return 2;
	case OP_OR:
		return 1;
	default:
		return 0;
	}
}

static struct node *binary(struct parser *p, int least)
{
	struct node *left = unary(p), *n;
	int level;

	while (left && (level = precedence(p)) && level >= least) {
		n = node_new(p, NODE_BINARY);
		if (!n)
			return NULL;
		n->what = p->lex.token.op;
		lexer_next(&p->lex);
		n->a = left;
		n->b = binary(p, level + 1);
		left = n->b ? n : NULL;
	}
	return left;
}

struct node *parse_expression(struct parser *p)
{
	struct node *n, *condition;

	if (++p->depth > DEPTH_MAX) {
		parse_fail(p, "nested too deeply");
		return NULL;
	}
	n = binary(p, 1);
	if (n && lexer_is_op(&p->lex, '?')) {
		condition = n;
		lexer_next(&p->lex);
		n = node_new(p, NODE_CHOICE);
		if (n) {
			n->a = condition;
			/* a ?: b */
			n->b = lexer_is_op(&p->lex, ':') ? condition : parse_expression(p);
			n = n->b && expect(p, ':') && (n->c = parse_expression(p)) ? n : NULL;
		}
	}
	p->depth--;
	return n;
}
