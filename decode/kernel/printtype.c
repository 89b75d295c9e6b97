/* SPDX-License-Identifier: MIT */
#include "decode/kernel/printtype.h"
#include "common/array.h"

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

/* The words that were read so far. */
struct words {
	bool sign;   /* signed, unsigned: decides for the words that follow */
	bool is_long;
	bool is_tag; /* struct, union, enum: the words that follow are no types */
};

static void take_word(struct ctype *t, const struct token *word, struct words *had)
{
	if (token_is_name(word, "unsigned") || token_is_name(word, "signed")) {
		t->is_signed = word->text[0] == 's';
		t->size = t->size ? t->size : 4;
		t->is_type = true;
		had->sign = true;
		return;
	}
	if (token_is_name(word, "long")) {
		t->size = 8;
		t->is_signed |= !had->sign;
		t->is_type = true;
		had->is_long = true;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known_types); i++) {
		if (!token_is_name(word, known_types[i].name))
			continue;
		t->is_type = true;
		if (!had->is_long)
			t->size = known_types[i].size;
		if (!had->is_long && !had->sign)
			t->is_signed = known_types[i].is_signed;
		return;
	}
	if (token_is_name(word, "struct") || token_is_name(word, "union") ||
	    token_is_name(word, "enum")) {
		t->is_type = true;
		t->size = word->text[0] == 'e' ? 4 : 0;
		had->is_tag = true;
	}
}

struct ctype ctype_parse(struct lexer *l, struct token *last, unsigned int *words)
{
	struct ctype t = { 0 };
	struct words had = { 0 };

	*words = 0;
	for (; l->token.type == TOKEN_NAME || lexer_is_op(l, '*'); lexer_next(l)) {
		if (lexer_is_op(l, '*')) {
			t = (struct ctype){ .size = 8, .is_type = true };
			continue;
		}
		*last = l->token;
		if (!had.is_tag)
			take_word(&t, &l->token, &had);
		++*words;
	}
	return t;
}
