/* SPDX-License-Identifier: MIT */
/*
 * Each parsing function reads one rule of RFC 2603's grammar and prints it. The path of an impl is
 * read without being printed. Symbols come from untrusted files: the recursion's depth, the output
 * and the lifetimes of a binder are bounded, and a back reference must refer to earlier text.
 */
#include "capture/probe/rustv0.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/punycode.h"
#include "capture/sys/alloc.h"

enum { MOST = 16 << 10, DEPTH = 256, LIFETIMES = 256 };

struct v0 {
	const char *s; /* the symbol after "_R"; back references are offsets in it */
	size_t n, at;
	char *out;
	size_t len;
	uint64_t lifetimes; /* lifetimes that the enclosing binders have named */
	unsigned depth;
	bool hashes, quiet, bad;
};

struct ident {
	const char *ascii, *puny;
	size_t nascii, npuny;
};

static void path(struct v0 *d, bool in_value);
static void type(struct v0 *d);
static void constant(struct v0 *d);

/* ---- text ---------------------------------------------------------------------------------- */

static void put_n(struct v0 *d, const char *text, size_t n)
{
	if (d->quiet || d->bad)
		return;
	if (n > MOST - d->len) {
		d->bad = true;
		return;
	}
	memcpy(d->out + d->len, text, n);
	d->len += n;
}

static void put(struct v0 *d, const char *text)
{
	put_n(d, text, strlen(text));
}

static void put_number(struct v0 *d, uint64_t v, int base)
{
	char text[24];

	snprintf(text, sizeof(text), base == 16 ? "%" PRIx64 : "%" PRIu64, v);
	put(d, text);
}

static char next(struct v0 *d)
{
	if (d->bad || d->at >= d->n) {
		d->bad = true;
		return '\0';
	}
	return d->s[d->at++];
}

static bool eat(struct v0 *d, char c)
{
	bool is = !d->bad && d->at < d->n && d->s[d->at] == c;

	d->at += is;
	return is;
}

/* ---- numbers and identifiers --------------------------------------------------------------- */

static int digit62(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

static uint64_t base62(struct v0 *d)
{
	uint64_t v = 0;

	if (eat(d, '_'))
		return 0;
	while (!d->bad && !eat(d, '_')) {
		int digit = digit62(next(d));

		d->bad |= digit < 0 || v > (UINT64_MAX - 62) / 62;
		v = v * 62 + (uint64_t)digit;
	}
	return v + 1;
}

/* Reads a tag and its base-62 number, which counts from 1; 0 if the tag is missing. */
static uint64_t tagged(struct v0 *d, char tag)
{
	return eat(d, tag) ? base62(d) + 1 : 0;
}

static struct ident ident(struct v0 *d)
{
	struct ident i = { 0 };
	bool puny = eat(d, 'u');
	char c = next(d);
	size_t len = (size_t)(c - '0'), under;

	d->bad |= !isdigit((unsigned char)c);
	while (!d->bad && c != '0' && d->at < d->n && isdigit((unsigned char)d->s[d->at])) {
		len = len * 10 + (size_t)(next(d) - '0');
		d->bad |= len > d->n;
	}
	eat(d, '_');
	d->bad |= d->at > d->n || len > d->n - d->at;
	if (d->bad)
		return i;
	i.ascii = d->s + d->at;
	i.nascii = len;
	d->at += len;
	if (!puny)
		return i;
	for (under = len; under && i.ascii[under - 1] != '_'; under--)
		;
	i.puny = i.ascii + under;
	i.npuny = len - under;
	i.nascii = under ? under - 1 : 0;
	d->bad |= !i.npuny;
	return i;
}

static void put_ident(struct v0 *d, const struct ident *i)
{
	char text[PUNYCODE_MOST];

	if (!i->npuny) {
		put_n(d, i->ascii, i->nascii);
		return;
	}
	if (!d->bad && punycode(i->ascii, i->nascii, i->puny, i->npuny, text))
		put(d, text);
	else
		d->bad = true;
}

static void put_lifetime(struct v0 *d, uint64_t index)
{
	uint64_t depth = d->lifetimes - index;
	char letter = (char)('a' + depth);

	put(d, "'");
	if (!index) {
		put(d, "_");
	} else if (index > d->lifetimes) {
		d->bad = true;
	} else if (depth < 26) {
		put_n(d, &letter, 1);
	} else {
		put(d, "_");
		put_number(d, depth, 10);
	}
}

/* ---- rules --------------------------------------------------------------------------------- */

typedef void rule_fn(struct v0 *d);

static bool path_open(struct v0 *d);

/*
 * Follows a back reference: parses the text it refers to by the given rule or, if open is not NULL,
 * by path_open().
 */
static void go_back(struct v0 *d, rule_fn *rule, bool *open)
{
	size_t tag = d->at - 1, after;
	uint64_t to = base62(d);

	d->bad |= to >= tag;
	if (d->bad || d->quiet)
		return;
	after = d->at;
	d->at = (size_t)to;
	if (open)
		*open = path_open(d);
	else
		rule(d);
	d->at = after;
}

static void path_in_value(struct v0 *d)
{
	path(d, true);
}

static void path_in_type(struct v0 *d)
{
	path(d, false);
}

/* Parses a rule repeatedly up to an 'E', printing `between` in between. Returns how often. */
static size_t list(struct v0 *d, rule_fn *rule, const char *between)
{
	size_t n = 0;

	for (; !d->bad && !eat(d, 'E'); n++) {
		if (n)
			put(d, between);
		rule(d);
	}
	return n;
}

static void generic_arg(struct v0 *d)
{
	if (eat(d, 'L'))
		put_lifetime(d, base62(d));
	else if (eat(d, 'K'))
		constant(d);
	else
		type(d);
}

static void nested(struct v0 *d, bool in_value)
{
	char space = next(d);
	uint64_t which;
	struct ident i;

	d->bad |= !isalpha((unsigned char)space);
	path(d, in_value);
	which = tagged(d, 's');
	i = ident(d);
	if (islower((unsigned char)space)) {
		put(d, i.nascii || i.npuny ? "::" : "");
		put_ident(d, &i);
		return;
	}
	put(d, "::{");
	if (space == 'C')
		put(d, "closure");
	else if (space == 'S')
		put(d, "shim");
	else
		put_n(d, &space, 1);
	put(d, i.nascii || i.npuny ? ":" : "");
	put_ident(d, &i);
	put(d, "#");
	put_number(d, which, 10);
	put(d, "}");
}

static void crate(struct v0 *d)
{
	uint64_t hash = tagged(d, 's');
	struct ident i = ident(d);

	put_ident(d, &i);
	if (!d->hashes)
		return;
	put(d, "[");
	put_number(d, hash, 16);
	put(d, "]");
}

/* <TYPE>, <TYPE as TRAIT> */
static void implementation(struct v0 *d, char tag)
{
	bool quiet = d->quiet;

	if (tag != 'Y') {
		tagged(d, 's');
		d->quiet = true;
		path(d, false);
		d->quiet = quiet;
	}
	put(d, "<");
	type(d);
	if (tag != 'M') {
		put(d, " as ");
		path(d, false);
	}
	put(d, ">");
}

static void path(struct v0 *d, bool in_value)
{
	char tag = next(d);

	d->bad |= ++d->depth > DEPTH;
	if (tag == 'C') {
		crate(d);
	} else if (tag == 'N') {
		nested(d, in_value);
	} else if (tag == 'M' || tag == 'X' || tag == 'Y') {
		implementation(d, tag);
	} else if (tag == 'I') {
		path(d, in_value);
		put(d, in_value ? "::<" : "<");
		list(d, generic_arg, ", ");
		put(d, ">");
	} else if (tag == 'B') {
		go_back(d, in_value ? path_in_value : path_in_type, NULL);
	} else {
		d->bad = true;
	}
	d->depth--;
}

/* Prints "for<'a, 'b> ". The names are valid until the caller restores d->lifetimes. */
static void binder(struct v0 *d)
{
	uint64_t n = tagged(d, 'G');

	d->bad |= n > LIFETIMES || d->lifetimes > LIFETIMES;
	if (!n || d->bad)
		return;
	put(d, "for<");
	for (uint64_t i = 0; i < n; i++) {
		put(d, i ? ", " : "");
		d->lifetimes++;
		put_lifetime(d, 1);
	}
	put(d, "> ");
}

static void put_abi(struct v0 *d)
{
	struct ident i = { "C", NULL, 1, 0 };

	if (!eat(d, 'C'))
		i = ident(d);
	d->bad |= i.npuny != 0;
	put(d, "extern \"");
	for (size_t k = 0; !d->bad && k < i.nascii; k++)
		put_n(d, i.ascii[k] == '_' ? "-" : &i.ascii[k], 1);
	put(d, "\" ");
}

static void function(struct v0 *d)
{
	uint64_t outside = d->lifetimes;

	binder(d);
	if (eat(d, 'U'))
		put(d, "unsafe ");
	if (eat(d, 'K'))
		put_abi(d);
	put(d, "fn(");
	list(d, type, ", ");
	put(d, ")");
	if (!eat(d, 'u')) {
		put(d, " -> ");
		type(d);
	}
	d->lifetimes = outside;
}

/*
 * Parses a path but leaves its list of generic arguments open, so that more can be appended;
 * returns whether there is such a list.
 */
static bool path_open(struct v0 *d)
{
	bool open = false;

	d->bad |= ++d->depth > DEPTH;
	if (eat(d, 'B')) {
		go_back(d, NULL, &open);
	} else if (eat(d, 'I')) {
		path(d, false);
		put(d, "<");
		list(d, generic_arg, ", ");
		open = true;
	} else {
		path(d, false);
	}
	d->depth--;
	return open;
}

static void dyn_trait(struct v0 *d)
{
	bool open = path_open(d);

	while (eat(d, 'p')) {
		struct ident i;

		put(d, open ? ", " : "<");
		open = true;
		i = ident(d);
		put_ident(d, &i);
		put(d, " = ");
		type(d);
	}
	put(d, open ? ">" : "");
}

static void dyn(struct v0 *d)
{
	uint64_t outside = d->lifetimes, index;

	put(d, "dyn ");
	binder(d);
	list(d, dyn_trait, " + ");
	d->lifetimes = outside;
	d->bad |= !eat(d, 'L');
	index = base62(d);
	if (index) {
		put(d, " + ");
		put_lifetime(d, index);
	}
}

static void reference(struct v0 *d, char tag)
{
	put(d, "&");
	if (eat(d, 'L')) {
		uint64_t index = base62(d);

		if (index) {
			put_lifetime(d, index);
			put(d, " ");
		}
	}
	put(d, tag == 'Q' ? "mut " : "");
	type(d);
}

static const char *basic(char tag)
{
	static const char *const names['z' - 'a' + 1] = {
		"i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
		"i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL,
		"i64", "u64", "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void array(struct v0 *d, bool sized)
{
	put(d, "[");
	type(d);
	if (sized) {
		put(d, "; ");
		constant(d);
	}
	put(d, "]");
}

static void type(struct v0 *d)
{
	char tag = next(d);

	d->bad |= ++d->depth > DEPTH;
	if (basic(tag)) {
		put(d, basic(tag));
	} else if (tag == 'R' || tag == 'Q') {
		reference(d, tag);
	} else if (tag == 'P' || tag == 'O') {
		put(d, tag == 'P' ? "*const " : "*mut ");
		type(d);
	} else if (tag == 'A' || tag == 'S') {
		array(d, tag == 'A');
	} else if (tag == 'T') {
		put(d, "(");
		put(d, list(d, type, ", ") == 1 ? ",)" : ")");
	} else if (tag == 'F') {
		function(d);
	} else if (tag == 'D') {
		dyn(d);
	} else if (tag == 'B') {
		go_back(d, type, NULL);
	} else if (!d->bad) {
		d->at--;
		path(d, false);
	}
	d->depth--;
}

/* ---- constants ----------------------------------------------------------------------------- */

/* Reads hex digits up to a '_'. Returns how many; *value has the lowest 16. */
static size_t nibbles(struct v0 *d, uint64_t *value)
{
	size_t n = 0;

	for (*value = 0; !d->bad && !eat(d, '_'); n++) {
		int digit = digit62(next(d));

		d->bad |= digit < 0 || digit > 15;
		*value = *value << 4 | (uint64_t)(digit & 15);
	}
	d->bad |= !n;
	return n;
}

static void put_integer(struct v0 *d)
{
	size_t from = d->at;
	uint64_t value;
	size_t n = nibbles(d, &value);

	if (d->bad)
		return;
	if (n <= 16) {
		put_number(d, value, 10);
		return;
	}
	put(d, "0x");
	put_n(d, d->s + from, n);
}

static void put_char(struct v0 *d)
{
	uint64_t c;
	char letter;

	d->bad |= nibbles(d, &c) > 6;
	letter = (char)c;
	put(d, "'");
	if (c == '\t' || c == '\r' || c == '\n') {
		put(d, c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\n");
	} else if (c >= ' ' && c < 127) {
		put_n(d, &letter, 1);
	} else {
		put(d, "\\u{");
		put_number(d, c, 16);
		put(d, "}");
	}
	put(d, "'");
}

static void put_bool(struct v0 *d)
{
	uint64_t value;

	nibbles(d, &value);
	d->bad |= value > 1;
	put(d, value ? "true" : "false");
}

static void constant(struct v0 *d)
{
	char tag = next(d);

	d->bad |= ++d->depth > DEPTH;
	if (tag == 'B') {
		go_back(d, constant, NULL);
	} else if (tag == 'p') {
		put(d, "_");
	} else if (tag && strchr("htmyoj", tag)) {
		put_integer(d);
	} else if (tag && strchr("aslxni", tag)) {
		put(d, eat(d, 'n') ? "-" : "");
		put_integer(d);
	} else if (tag == 'b') {
		put_bool(d);
	} else if (tag == 'c') {
		put_char(d);
	} else {
		d->bad = true;
	}
	if (d->hashes && basic(tag) && tag != 'p') {
		put(d, ": ");
		put(d, basic(tag));
	}
	d->depth--;
}

/* ---- the symbol ---------------------------------------------------------------------------- */

char *rust_v0_name(const char *symbol, bool hashes)
{
	struct v0 d = { .hashes = hashes };

	/* A digit after _R announces a later version of the encoding. */
	if (strncmp(symbol, "_R", 2) || !isupper((unsigned char)symbol[2]))
		return NULL;
	d.s = symbol + 2;
	d.n = strcspn(d.s, ".$");
	d.out = xcalloc(MOST + 1, 1);
	path(&d, true);
	/* The path of the crate that instantiated a generic function follows; it is not printed. */
	d.quiet = true;
	if (!d.bad && d.at < d.n)
		path(&d, false);
	if (!d.bad && d.at == d.n && d.len)
		return d.out;
	free(d.out);
	return NULL;
}
