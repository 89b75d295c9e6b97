/* SPDX-License-Identifier: MIT */
/* Parses fetch arguments only as far as names need it: the kernel checks the rest. */
#include "config.h"

#include <ctype.h>

#include "capture/sys/alloc.h"
#include "capture/probe/fetch.h"
#include "capture/probe/operand.h"
#include "common/array.h"

enum { MAX_DEPTH = 12, MAX_ARRAY = 64 };

static bool parse_bitfield(const char *s, struct fetch_type *type)
{
	unsigned int width, offset, container;
	int used = 0;

	if (sscanf(s, "b%u@%u/%u%n", &width, &offset, &container, &used) != 3 || s[used] ||
	    (container != 8 && container != 16 && container != 32 && container != 64) || !width ||
	    width > container || offset > container - width)
		return false;
	type->is_bitfield = true;
	type->sign = 'u';
	type->bits = container;
	return true;
}

bool fetch_type_parse(const char *text, struct fetch_type *type, const char **why)
{
	static const char *const sizes[] = { "8", "16", "32", "64" };
	const char *bracket = strchr(text, '[');
	char base[32];
	size_t len = bracket ? (size_t)(bracket - text) : strlen(text);

	*type = (struct fetch_type){ 0 };
	*why = "not a type; there are u8 s8 x8 .. u64 s64 x64, char, string, ustring, bW@O/SIZE";
	if (!len || len >= sizeof(base))
		return false;
	memcpy(base, text, len);
	base[len] = '\0';
	if (bracket) {
		char *end;
		unsigned long n = strtoul(bracket + 1, &end, 10);

		if (!isdigit((unsigned char)bracket[1]) || strcmp(end, "]") || !n ||
		    n > MAX_ARRAY) {
			*why = "an array has 1 to 64 elements, as u8[16]";
			return false;
		}
		type->count = (unsigned int)n;
	}
	if (!strcmp(base, "string") || !strcmp(base, "ustring") || !strcmp(base, "str")) {
		type->is_string = true;
		return true;
	}
	if (!strcmp(base, "char")) {
		type->sign = 'c';
		type->bits = 8;
		return true;
	}
	for (size_t i = 0; i < 4 && strchr("usx", base[0]); i++) {
		if (!strcmp(base + 1, sizes[i])) {
			type->sign = base[0];
			type->bits = 8u << i;
			return true;
		}
	}
	return base[0] == 'b' && !type->count && parse_bitfield(base, type);
}

static int parse_variable(const struct spec *spec, const struct spec_arg *arg, size_t at,
			  struct fetch_expr *e, struct trawl_error *err)
{
	const char *s = arg->expr + e->at + 1;
	size_t len = e->len - 1;

	if (len == 4 && (!memcmp(s, "comm", 4) || !memcmp(s, "COMM", 4)))
		e->inner = FETCH_COMM;
	else if (len == 6 && !memcmp(s, "params", 6))
		e->inner = FETCH_PARAMS;
	else if ((len >= 6 && !memcmp(s, "retval", 6) && (len == 6 || strchr(".-[", s[6]))) ||
		 (len >= 5 && !memcmp(s, "stack", 5)))
		e->inner = FETCH_VAR;
	else
		return spec_fail(spec, at, err, "%s: no such variable; there are $retval, $stack, "
				 "$stackN, $comm and $params%s", spec_kind_name(spec->kind),
				 spec->kind == SPEC_UPROBE ? "; a parameter has no $" : "");
	if ((e->inner == FETCH_COMM || e->inner == FETCH_PARAMS) && e->depth)
		return spec_fail(spec, at, err, "%s: %.*s is no address to follow",
				 spec_kind_name(spec->kind), (int)e->len, arg->expr + e->at);
	if (e->inner == FETCH_PARAMS && (*arg->field || *arg->type))
		return spec_fail(spec, arg->at, err, "%s: $params are several fields, each with the "
				 "name and type of its parameter; write $params alone",
				 spec_kind_name(spec->kind));
	return 0;
}

/* Registers that the kernel names but the assembler does not. */
static bool is_special(const char *s, size_t len)
{
	static const char *const names[] = { "flags", "cs", "ss", "orig_ax" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !memcmp(s, names[i], len))
			return true;
	}
	return false;
}

/* Determines the kind of the innermost operand. */
static int classify(const struct spec *spec, const struct spec_arg *arg, struct fetch_expr *e,
		    struct trawl_error *err)
{
	const char *s = arg->expr + e->at;
	size_t at = arg->at + (*arg->field ? strlen(arg->field) + 1 : 0) + e->at;
	struct reg reg;

	switch (*s) {
	case '%':
		e->inner = FETCH_REG;
		if (!reg_find(s + 1, e->len - 1, &reg) && !is_special(s + 1, e->len - 1))
			return spec_fail(spec, at, err, "%.*s: no such register", (int)e->len, s);
		return 0;
	case '$':
		return parse_variable(spec, arg, at, e, err);
	case '\\':
		e->inner = FETCH_IMM;
		return 0;
	case '@':
		e->inner = isdigit((unsigned char)s[1]) || s[1] == '+' ? FETCH_ADDR : FETCH_SYMBOL;
		return 0;
	}
	/*
	 * A parameter's name may be any identifier of the program's language, non-ASCII ones
	 * included; "p->a[2].b" names a part of p.
	 */
	if (!isalpha((unsigned char)*s) && *s != '_' && (unsigned char)*s < 0x80)
		return spec_fail(spec, at, err, "%s: not a name, %%REG, $VARIABLE, @ADDRESS, "
				 "\\CONSTANT or +OFFSET(...)", spec_kind_name(spec->kind));
	e->inner = FETCH_NAME;
	for (size_t i = 0; i < e->len; i++) {
		if (s[i] == '-' && i + 1 < e->len && s[i + 1] == '>')
			i++;
		else if (!isalnum((unsigned char)s[i]) && !strchr("_.[]", s[i]) &&
			 (unsigned char)s[i] < 0x80)
			return spec_fail(spec, at + i, err, "%s: '%c' cannot be in a name%s",
					 spec_kind_name(spec->kind), s[i], s[i] != '-' ? "" :
					 "; what is behind a pointer is NAME->MEMBER, or +OFFSET"
					 "(NAME)");
	}
	return 0;
}

int fetch_parse(const struct spec *spec, const struct spec_arg *arg, struct fetch_expr *e,
		struct trawl_error *err)
{
	const char *s = arg->expr;
	size_t end = strlen(s), base = arg->at + (*arg->field ? strlen(arg->field) + 1 : 0);

	*e = (struct fetch_expr){ 0 };
	while (s[e->at] == '+' || s[e->at] == '-') {
		char *after;
		size_t number = e->at + 1 + (s[e->at + 1] == 'u');

		if (!isdigit((unsigned char)s[number]))
			return spec_fail(spec, base + number, err, "%s: an offset is a number: "
					 "+8(...)", spec_kind_name(spec->kind));
		strtoull(s + number, &after, 0);
		if (*after != '(' || (size_t)(after - s) >= end)
			return spec_fail(spec, base + (size_t)(after - s), err,
					 "%s: after an offset an address must follow, in "
					 "brackets: +8(%%di)",
					 spec_kind_name(spec->kind));
		if (s[end - 1] != ')')
			return spec_fail(spec, base + end, err, "%s: a ')' is missing",
					 spec_kind_name(spec->kind));
		e->at = (size_t)(after - s) + 1;
		end--;
		if (++e->depth > MAX_DEPTH)
			return spec_fail(spec, base + e->at, err, "%s: more than %d levels of "
					 "+OFFSET(...)", spec_kind_name(spec->kind), MAX_DEPTH);
	}
	if (e->at >= end)
		return spec_fail(spec, base + e->at, err, "%s: nothing in the brackets",
				 spec_kind_name(spec->kind));
	e->len = end - e->at;
	return classify(spec, arg, e, err);
}

bool fetch_is_part(const char *text, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (strchr(".-[", text[i]))
			return true;
	return false;
}

char *fetch_part_field(const char *text, size_t len)
{
	char *name = xstrndup(text, len), *to = name;

	for (const char *from = name; *from; from++) {
		if (*from == '-' && from[1] == '>')
			*to++ = '.', from++;
		else
			*to++ = *from;
	}
	*to = '\0';
	return name;
}

char *fetch_field_name(const struct spec_arg *arg, const struct fetch_expr *e)
{
	static const char in_names[] = "0123456789_abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *s = arg->expr + e->at + (e->inner != FETCH_NAME);
	size_t n = strspn(s, in_names);

	if (*arg->field)
		return xstrdup(arg->field);
	if (e->inner == FETCH_NAME)
		return fetch_part_field(s, e->len);
	if (e->inner == FETCH_VAR && fetch_is_part(s, e->len - 1))
		return fetch_part_field(s, e->len - 1);
	if (e->inner == FETCH_IMM)
		return xstrdup("imm");
	return n && e->inner != FETCH_ADDR ? xstrndup(s, n) : xstrdup("mem");
}
