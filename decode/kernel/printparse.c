/* SPDX-License-Identifier: MIT */
/*
 * Parses the C expressions of print formats by precedence climbing; the number of nodes is bounded.
 */
#include "decode/kernel/printparse.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/kernel/constants.h"

#include <ctype.h>
#include <stdlib.h>

enum {
	BLOCKS_MAX = 256,
	DEPTH_MAX = 64,
};

static struct node *unary(struct parser *p);

/* ---- tokens ------------------------------------------------------------------------------- */

/* Reads one character of a string or character literal, with escapes resolved. */
static char unescape(struct parser *p)
{
	static const char names[] = "nnt\tr\ra\ab\bf\fv\ve\033";
	char c = *p->at++;
	unsigned int v = 0;
	const char *n;

	if (c != '\\' || p->at >= p->end)
		return c;
	c = *p->at++;
	if (c == 'n')
		return '\n';
	if (c >= '0' && c <= '7') {
		v = (unsigned int)(c - '0'); /* three digits at most */
		for (int i = 0; i < 2 && p->at < p->end && *p->at >= '0' && *p->at <= '7'; i++)
			v = v * 8 + (unsigned int)(*p->at++ - '0');
		return (char)v;
	}
	if (c == 'x') {
		while (p->at < p->end && hex_digit(*p->at) < 16)
			v = v * 16 + hex_digit(*p->at++);
		return (char)v;
	}
	for (n = names + 2; *n; n += 2)
		if (*n == c)
			return n[1];
	return c;
}

/*
 * Joins adjacent string literals. They are stored in a separate buffer of twice the size of all
 * literals, because a literal may be parsed a second time after look-ahead.
 */
static void string_token(struct parser *p)
{
	p->token.type = TOKEN_TEXT;
	p->token.text = p->strings;
	for (;;) {
		p->at++;
		while (p->at < p->end && *p->at != '"' && p->strings < p->strings_end)
			*p->strings++ = unescape(p);
		if (p->at >= p->end || *p->at != '"') {
			p->token.type = TOKEN_BAD;
			return;
		}
		p->at++;
		while (p->at < p->end && isspace((unsigned char)*p->at))
			p->at++;
		if (p->at >= p->end || *p->at != '"')
			break;
	}
	p->token.len = (uint32_t)(p->strings - p->token.text);
}

static void number_token(struct parser *p)
{
	char text[40];
	size_t n = 0;
	char *rest;
	bool is_unsigned = false, is_long = false;

	while (p->at < p->end && isalnum((unsigned char)*p->at) && n < sizeof(text) - 1)
		text[n++] = *p->at++;
	text[n] = '\0';
	p->token.type = TOKEN_NUMBER;
	p->token.number = strtoull(text, &rest, 0);
	for (; *rest; rest++) {
		if (*rest == 'u' || *rest == 'U')
			is_unsigned = true;
		else if (*rest == 'l' || *rest == 'L')
			is_long = true;
		else
			p->token.type = TOKEN_BAD;
	}
	if (p->token.number > UINT32_MAX ||
	    (p->token.number > INT32_MAX && text[0] != '0' && !is_unsigned))
		is_long = true;
	if (!is_long && p->token.number > INT32_MAX)
		is_unsigned = true;
	p->token.size = is_long ? 8 : 4;
	p->token.is_signed = !is_unsigned && p->token.number <= INT64_MAX;
}

static void operator_token(struct parser *p)
{
	static const struct {
		char text[3];
		int op;
	} two[] = { { "<<", OP_SHL }, { ">>", OP_SHR }, { "<=", OP_LE }, { ">=", OP_GE },
		    { "==", OP_EQ }, { "!=", OP_NE }, { "&&", OP_AND }, { "||", OP_OR },
		    { "->", '.' } };

	p->token.type = TOKEN_OP;
	for (size_t i = 0; i < ARRAY_SIZE(two); i++) {
		if (p->end - p->at >= 2 && !memcmp(p->at, two[i].text, 2)) {
			p->token.op = two[i].op;
			p->at += 2;
			return;
		}
	}
	p->token.op = (unsigned char)*p->at++;
}

void parse_next(struct parser *p)
{
	memset(&p->token, 0, sizeof(p->token));
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
	if (p->at >= p->end) {
		p->token.type = TOKEN_END;
	} else if (*p->at == '"') {
		string_token(p);
	} else if (isdigit((unsigned char)*p->at)) {
		number_token(p);
	} else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
		p->token.type = TOKEN_NAME;
		p->token.text = p->at;
		while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
			p->at++;
		p->token.len = (uint32_t)(p->at - p->token.text);
	} else if (*p->at == '\'' && p->end - p->at >= 3) {
		p->at++;
		p->token.type = TOKEN_NUMBER;
		p->token.number = (uint64_t)unescape(p);
		p->token.size = 4;
		p->token.is_signed = true;
		if (p->at >= p->end || *p->at++ != '\'')
			p->token.type = TOKEN_BAD;
	} else {
		operator_token(p);
	}
}

bool parse_is_op(const struct parser *p, int op)
{
	return p->token.type == TOKEN_OP && p->token.op == op;
}

static bool is_name(const struct token *t, const char *name)
{
	return t->type == TOKEN_NAME && t->len == strlen(name) && !memcmp(t->text, name, t->len);
}

bool parse_fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

static bool expect(struct parser *p, int op)
{
	if (!parse_is_op(p, op))
		return parse_fail(p, "an expression with a syntax that is not known");
	parse_next(p);
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

/* ---- types -------------------------------------------------------------------------------- */

struct ctype {
	uint8_t size; /* in bytes; 0: not a number of known size */
	bool is_signed;
	bool is_type; /* at least one word is the name of a type */
};

static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} known_types[] = {
	{ "char", 1, true }, { "short", 2, true }, { "int", 4, true }, { "bool", 1, false },
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
	{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
	{ "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false },
	{ "__u64", 8, false }, { "__s8", 1, true }, { "__s16", 2, true },
	{ "__s32", 4, true }, { "__s64", 8, true }, { "uint8_t", 1, false },
	{ "uint16_t", 2, false }, { "uint32_t", 4, false }, { "uint64_t", 8, false },
	{ "int32_t", 4, true }, { "int64_t", 8, true }, { "size_t", 8, false },
	{ "ssize_t", 8, true }, { "loff_t", 8, true }, { "pid_t", 4, true },
	{ "dev_t", 4, false }, { "gfp_t", 4, false }, { "sector_t", 8, false },
	{ "ino_t", 8, false }, { "blk_opf_t", 4, false }, { "umode_t", 2, false },
	{ "pgoff_t", 8, false }, { "phys_addr_t", 8, false }, { "dma_addr_t", 8, false },
	{ "vm_flags_t", 8, false }, { "fmode_t", 4, false }, { "void", 8, false },
};

static void type_word(struct ctype *t, const struct token *word, int *longs)
{
	if (is_name(word, "unsigned") || is_name(word, "signed")) {
		t->is_signed = word->text[0] == 's';
		t->size = t->size ? t->size : 4;
		t->is_type = true;
		*longs |= 16;
		return;
	}
	if (is_name(word, "long")) {
		t->size = 8;
		if (!(*longs & 16))
			t->is_signed = true;
		t->is_type = true;
		*longs |= 32;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known_types); i++) {
		if (!is_name(word, known_types[i].name))
			continue;
		t->is_type = true;
		if (!(*longs & 32))
			t->size = known_types[i].size;
		if (!(*longs & (16 | 32)))
			t->is_signed = known_types[i].is_signed;
		return;
	}
	if (is_name(word, "struct") || is_name(word, "union") || is_name(word, "enum")) {
		t->is_type = true;
		t->size = word->text[0] == 'e' ? 4 : 0;
		*longs |= 64; /* the next word is the tag of a struct or enum */
	}
}

/*
 * Parses the words and stars of a type up to `)` or, in a declaration, up to the name before `=`.
 * The parser is left at the token that ended them; *last is the last word.
 */
static struct ctype type_words(struct parser *p, struct token *last, unsigned int *words)
{
	struct ctype t = { 0 };
	int longs = 0;

	*words = 0;
	for (; p->token.type == TOKEN_NAME || parse_is_op(p, '*'); parse_next(p)) {
		if (parse_is_op(p, '*')) {
			t = (struct ctype){ .size = 8, .is_type = true };
			continue;
		}
		*last = p->token;
		if (!(longs & 64) || *words == 0)
			type_word(&t, &p->token, &longs);
		++*words;
	}
	return t;
}

/* Whether the current token can begin the operand of a cast. */
static bool operand_follows(const struct parser *p)
{
	return p->token.type == TOKEN_NUMBER || p->token.type == TOKEN_NAME ||
	       p->token.type == TOKEN_TEXT || parse_is_op(p, '(') || parse_is_op(p, '~') ||
	       parse_is_op(p, '!');
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
	struct parser before = *p;
	struct token last;
	unsigned int words;

	if (p->token.type != TOKEN_NAME || local_find(p, &p->token))
		return false;
	*t = type_words(p, &last, &words);
	if (words && parse_is_op(p, ')')) {
		parse_next(p);
		if (t->is_type || (operand_follows(p) && words == 1))
			return true;
	}
	p->at = before.at;
	p->token = before.token;
	return false;
}

/* ---- primaries ---------------------------------------------------------------------------- */

static const struct trawl_field *field_find(const struct parser *p, const struct token *name)
{
	const struct trawl_event_type *type = p->out->type;
	const struct trawl_source *source = p->out->source;

	for (uint32_t i = 0; i < type->nfields; i++)
		if (is_name(name, type->fields[i].name))
			return &type->fields[i];
	for (uint32_t i = 0; source && i < source->ncommon; i++)
		if (is_name(name, source->common[i].name))
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
	return n;
}

/* REC->ent.pid is the field common_pid: struct trace_entry, which formats do not list (Linux 7). */
static bool header_field(struct parser *p, struct token *name)
{
	const struct trawl_source *source = p->out->source;

	if (!is_name(name, "ent") || field_find(p, name))
		return true;
	parse_next(p);
	if (!expect(p, '.') || p->token.type != TOKEN_NAME) {
		parse_fail(p, "the record's header as a value");
		return false;
	}
	*name = p->token;
	for (uint32_t i = 0; source && i < source->ncommon; i++) {
		const char *common = source->common[i].name;

		if (!strncmp(common, "common_", 7) && is_name(name, common + 7)) {
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

	parse_next(p);
	if (!expect(p, '.') || p->token.type != TOKEN_NAME) {
		parse_fail(p, "the record itself as a value");
		return NULL;
	}
	name = p->token;
	n = header_field(p, &name) ? field_node(p, &name) : NULL;
	parse_next(p);
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
	if (is_name(&p->token, "REC")) {
		struct node *f = record_field(p);

		if (!f)
			return NULL;
		n->number = (uint64_t)f->field->size * f->field->count;
	} else {
		t = type_words(p, &last, &words);
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

	parse_next(p);
	if (!n || parse_is_op(p, '}')) {
		parse_next(p);
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
		if (!is_name(name, helpers[i].name))
			continue;
		p->out->symbols |= helpers[i].symbols;
		return helpers[i].helper;
	}
	return HELPER_UNKNOWN;
}

static bool takes_field(enum helper h)
{
	return h == HELPER_FIELD || h == HELPER_FIELD_LEN || h == HELPER_BITMASK ||
	       h == HELPER_SOCKADDR || h == HELPER_STACK;
}

/*
 * Parses the arguments of a call, after `(` up to and including `)`. Table entries go to call->b.
 */
static bool arguments(struct parser *p, struct node *call)
{
	struct node **arg = &call->a, **item = &call->b;

	while (!parse_is_op(p, ')') && !p->why) {
		if (parse_is_op(p, '{')) {
			if (!(*item = entry(p)))
				return false;
			item = &(*item)->next;
		} else {
			if (!(*arg = node_new(p, NODE_LIST)) || !((*arg)->a = parse_expression(p)))
				return false;
			arg = &(*arg)->next;
		}
		if (parse_is_op(p, ','))
			parse_next(p);
		else if (!parse_is_op(p, ')'))
			return expect(p, ')');
	}
	return expect(p, ')');
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

	parse_next(p);
	if (!n)
		return NULL;
	n->helper = (uint8_t)helper_find(p, name);
	n->text = name->text;
	n->len = name->len;
	if (takes_field(n->helper)) {
		if (!(n->a = node_new(p, NODE_LIST)) || p->token.type != TOKEN_NAME) {
			parse_fail(p, "a helper without its field");
			return NULL;
		}
		n->a->a = field_node(p, &p->token);
		parse_next(p);
		return n->a->a && expect(p, ')') ? n : NULL;
	}
	if (!arguments(p, n))
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
		struct parser before = *p;
		struct token last = { 0 };
		unsigned int words;
		struct ctype t = type_words(p, &last, &words);

		if (words < 2 || !parse_is_op(p, '=')) {
			p->at = before.at;
			p->token = before.token;
			n = parse_expression(p);
			if (!expect(p, ';') || !expect(p, '}'))
				return NULL;
			break;
		}
		parse_next(p);
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
	struct parser before = *p;
	struct node *n;
	struct ctype t;

	if (is_name(&p->token, "REC")) { /* (REC)->field */
		parse_next(p);
		if (parse_is_op(p, ')'))
			return record_field(p);
		p->at = before.at;
		p->token = before.token;
	}
	if (parse_is_op(p, '{')) {
		parse_next(p);
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
	struct token name = p->token;
	struct node *n;

	if (is_name(&name, "REC"))
		return record_field(p);
	parse_next(p);
	if (is_name(&name, "sizeof"))
		return sizeof_node(p);
	if (parse_is_op(p, '('))
		return call(p, &name);
	n = local_find(p, &name);
	if (n)
		return n;
	return constant(p, &name);
}

static struct node *primary(struct parser *p)
{
	struct node *n = NULL;

	if (p->token.type == TOKEN_NUMBER || p->token.type == TOKEN_TEXT) {
		n = node_new(p, p->token.type == TOKEN_TEXT ? NODE_TEXT : NODE_NUMBER);
		if (!n)
			return NULL;
		n->number = p->token.number;
		n->size = p->token.size;
		n->is_signed = p->token.is_signed;
		n->text = p->token.text;
		n->len = p->token.len;
		parse_next(p);
	} else if (p->token.type == TOKEN_NAME) {
		n = name_node(p);
	} else if (parse_is_op(p, '(')) {
		parse_next(p);
		n = parenthesis(p);
	} else {
		parse_fail(p, "an expression with a syntax that is not known");
	}
	while (n && parse_is_op(p, '[')) {
		struct node *index = node_new(p, NODE_INDEX);

		parse_next(p);
		if (!index || !(index->b = parse_expression(p)) || !expect(p, ']'))
			return NULL;
		index->a = n;
		n = index;
	}
	return n;
}

static struct node *unary(struct parser *p)
{
	struct node *n = NULL;

	if (++p->depth > DEPTH_MAX) {
		parse_fail(p, "nested too deeply");
	} else if (parse_is_op(p, '-') || parse_is_op(p, '~') || parse_is_op(p, '!') ||
		   parse_is_op(p, '&') ||
		   parse_is_op(p, '+') || parse_is_op(p, '*')) {
		int what = p->token.op;

		parse_next(p);
		if (what == '&' || what == '+') {
			/*
			 * a field is represented by its bytes, so taking its address changes
			 * nothing
			 */
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
	if (p->token.type != TOKEN_OP)
		return 0;
	switch (p->token.op) {
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
		n->what = p->token.op;
		parse_next(p);
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
	if (n && parse_is_op(p, '?')) {
		condition = n;
		parse_next(p);
		n = node_new(p, NODE_CHOICE);
		if (n) {
			n->a = condition;
			/* a ?: b */
			n->b = parse_is_op(p, ':') ? condition : parse_expression(p);
			n = n->b && expect(p, ':') && (n->c = parse_expression(p)) ? n : NULL;
		}
	}
	p->depth--;
	return n;
}
