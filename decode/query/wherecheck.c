/* SPDX-License-Identifier: MIT */
/* Checks of a condition that need no item. */
#include "decode/query/wherenode.h"

#include <string.h>

enum value_type where_type(const struct node *n)
{
	switch (n->op) {
	case LITERAL:
		return n->value.type == VALUE_TEXT ? VALUE_TEXT : VALUE_UINT;
	case FIELD:
	case PID: /* for USB it is the product id: "6001" or 0x6001 */
		return VALUE_NONE;
	case COMM:
	case NAME:
	case SOURCE:
		return VALUE_TEXT;
	default:
		return VALUE_UINT;
	}
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

const char *where_valueless(const struct where *w, size_t *at)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->uses[i] == WHERE_ABSENT && strpbrk(w->nodes[i].text, ".[")) {
			*at = w->nodes[i].at;
			return w->nodes[i].text;
		}
	return NULL;
}

/* Returns the constant that a comparison compares an operand of this kind with; NULL: none. */
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

		text = text ? text : compared(n, PID); /* of USB a field */
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

const char *where_unknown_number(const struct where *w,
				 bool (*can_be)(void *arg, const char *field, int64_t number),
				 void *arg, size_t *at, int64_t *number)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct node *n = &w->nodes[i];
		const struct node *with = n->op == EQ ? compared(n, FIELD) : NULL;
		const char *field;

		if (!with || (with->value.type != VALUE_UINT && with->value.type != VALUE_INT))
			continue;
		field = (with == n->right ? n->left : n->right)->text;
		*number = with->value.type == VALUE_INT ? with->value.i :
			  with->value.u > INT64_MAX ? INT64_MAX : (int64_t)with->value.u;
		if (can_be(arg, field, *number))
			continue;
		*at = with->at;
		return field;
	}
	return NULL;
}

/* Returns the field of a comparison with a constant, *with; or NULL. */
static const struct node *compared_field(const struct node *n, const struct node **with)
{
	const struct node *field;

	if (n->op < EQ || n->op > UNLIKE)
		return NULL;
	field = n->left->op == FIELD || n->left->op == PID ? n->left :
		n->right->op == FIELD || n->right->op == PID ? n->right : NULL;
	*with = field == n->left ? n->right : n->left;
	return field && (*with)->op == LITERAL ? field : NULL;
}

const char *where_mismatch(const struct where *w,
			   unsigned int (*comparable)(void *arg, const char *field), void *arg,
			   size_t *at, bool *is_text)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct node *with, *field = compared_field(&w->nodes[i], &with);
		unsigned int can = 0;

		if (field)
			can = comparable(arg, field->op == PID ? NULL : field->text);
		if (!can)
			continue;
		*is_text = with->value.type == VALUE_TEXT;
		if (can & (*is_text ? COMPARABLE_TEXT : COMPARABLE_NUMBER))
			continue;
		*at = with->at;
		return field->op == PID ? "pid" : field->text;
	}
	return NULL;
}

bool where_uses_took(const struct where *w, size_t *at)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->nodes[i].op == TOOK) {
			*at = w->nodes[i].at;
			return true;
		}
	return false;
}

bool where_uses_task(const struct where *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->nodes[i].op == PID || w->nodes[i].op == COMM)
			return true;
	return false;
}
