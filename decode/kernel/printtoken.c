/* SPDX-License-Identifier: MIT */
#include "decode/kernel/printtoken.h"
#include "common/array.h"
#include "common/text.h"
#include "decode/base/bytes.h"

#include <ctype.h>
#include <string.h>

/* Reads one character of a string or character literal, with escapes resolved. */
static char unescape(struct lexer *l)
{
	static const char names[] = "nnt\tr\ra\ab\bf\fv\ve\033";
	char c = *l->at++;
	unsigned int v = 0;
	const char *n;

	if (c != '\\' || l->at >= l->end)
		return c;
	c = *l->at++;
	if (c == 'n')
		return '\n';
	if (c >= '0' && c <= '7') {
		v = (unsigned int)(c - '0'); /* three digits at most */
		for (int i = 0; i < 2 && l->at < l->end && *l->at >= '0' && *l->at <= '7'; i++)
			v = v * 8 + (unsigned int)(*l->at++ - '0');
		return (char)v;
	}
	if (c == 'x') {
		while (l->at < l->end && hex_digit(*l->at) < 16)
			v = v * 16 + hex_digit(*l->at++);
		return (char)v;
	}
	for (n = names + 2; *n; n += 2)
		if (*n == c)
			return n[1];
	return c;
}

/* Joins adjacent string literals. */
static void string_token(struct lexer *l)
{
	l->token.type = TOKEN_TEXT;
	l->token.text = l->strings;
	for (;;) {
		l->at++;
		while (l->at < l->end && *l->at != '"' && l->strings < l->strings_end)
			*l->strings++ = unescape(l);
		if (l->at >= l->end || *l->at != '"') {
			l->token.type = TOKEN_BAD;
			return;
		}
		l->at++;
		while (l->at < l->end && isspace((unsigned char)*l->at))
			l->at++;
		if (l->at >= l->end || *l->at != '"')
			break;
	}
	l->token.len = (uint32_t)(l->strings - l->token.text);
}

static void number_token(struct lexer *l)
{
	char text[40];
	size_t n = 0;
	char *rest;
	bool is_unsigned = false, is_long = false;

	while (l->at < l->end && isalnum((unsigned char)*l->at) && n < sizeof(text) - 1)
		text[n++] = *l->at++;
	text[n] = '\0';
	l->token.type = TOKEN_NUMBER;
	l->token.number = strtoull(text, &rest, 0);
	for (; *rest; rest++) {
		if (*rest == 'u' || *rest == 'U')
			is_unsigned = true;
		else if (*rest == 'l' || *rest == 'L')
			is_long = true;
		else
			l->token.type = TOKEN_BAD;
	}
	if (l->token.number > UINT32_MAX ||
	    (l->token.number > INT32_MAX && text[0] != '0' && !is_unsigned))
		is_long = true;
	if (!is_long && l->token.number > INT32_MAX)
		is_unsigned = true;
	l->token.size = is_long ? 8 : 4;
	l->token.is_signed = !is_unsigned && l->token.number <= INT64_MAX;
}

static void operator_token(struct lexer *l)
{
	static const struct {
		char text[3];
		int op;
	} two[] = { { "<<", OP_SHL }, { ">>", OP_SHR }, { "<=", OP_LE }, { ">=", OP_GE },
		    { "==", OP_EQ }, { "!=", OP_NE }, { "&&", OP_AND }, { "||", OP_OR },
		    { "->", '.' } };

	l->token.type = TOKEN_OP;
	for (size_t i = 0; i < ARRAY_SIZE(two); i++) {
		if (l->end - l->at >= 2 && !memcmp(l->at, two[i].text, 2)) {
			l->token.op = two[i].op;
			l->at += 2;
			return;
		}
	}
	l->token.op = (unsigned char)*l->at++;
}

void lexer_next(struct lexer *l)
{
	memset(&l->token, 0, sizeof(l->token));
	while (l->at < l->end && isspace((unsigned char)*l->at))
		l->at++;
	if (l->at >= l->end) {
		l->token.type = TOKEN_END;
	} else if (*l->at == '"') {
		string_token(l);
	} else if (isdigit((unsigned char)*l->at)) {
		number_token(l);
	} else if (isalpha((unsigned char)*l->at) || *l->at == '_') {
		l->token.type = TOKEN_NAME;
		l->token.text = l->at;
		while (l->at < l->end && is_word(*l->at))
			l->at++;
		l->token.len = (uint32_t)(l->at - l->token.text);
	} else if (*l->at == '\'' && l->end - l->at >= 3) {
		l->at++;
		l->token.type = TOKEN_NUMBER;
		l->token.number = (uint64_t)unescape(l);
		l->token.size = 4;
		l->token.is_signed = true;
		if (l->at >= l->end || *l->at++ != '\'')
			l->token.type = TOKEN_BAD;
	} else {
		operator_token(l);
	}
}

bool lexer_is_op(const struct lexer *l, int op)
{
	return l->token.type == TOKEN_OP && l->token.op == op;
}

void lexer_go_back(struct lexer *l, const struct lexer *before)
{
	l->at = before->at;
	l->token = before->token;
}

bool token_is_name(const struct token *t, const char *name)
{
	return t->type == TOKEN_NAME && t->len == strlen(name) && !memcmp(t->text, name, t->len);
}
