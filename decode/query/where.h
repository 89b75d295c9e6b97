/* SPDX-License-Identifier: MIT */
/*
 * The language of --where: conditions on the fields of an item.
 *
 *	expr    := all ('or' all)*                  || is the same as or, && as and, ! as not
 *	all     := one ('and' one)*
 *	one     := 'not' one | '(' expr ')' | operand [compare operand]
 *	compare := == = != < <= > >= ~ !~           ~ matches the glob pattern on its right
 *	operand := value ['&' value]                bits of a number
 *	value   := number | "text" | 'text' | true | false | name
 *	number  := 12 -5 0x1f 1.5, with ns us ms s for times and k M G for sizes (powers of 1024)
 *	name    := a field, or one of ts cpu pid tid comm name source; fields.NAME: the field;
 *	           ts_ns is another name of ts
 *
 * In a text \\ \" \' \n \t \r \xNN stand for a byte, as out_quoted() writes them; in a pattern also
 * \* \? \[ \] for the character itself.
 * A comparison with a field that the item does not have, or that has no value, is false whichever
 * way round. An operand alone is true if it is there and neither zero nor empty.
 */
#ifndef TRAWL_DECODE_QUERY_WHERE_H
#define TRAWL_DECODE_QUERY_WHERE_H

#include "decode/base/decoder.h"

struct where;

/* option ("--where") begins the messages, which show the text and a caret; both stay in use. */
struct where *where_parse(const char *option, const char *text, struct trawl_error *err);

/*
 * Sets who is told, once for each comparison, that an item's number is compared with a text, or the
 * other way round. Only an item shows which of the two a field is. Such a comparison is false,
 * except by !=.
 */
void where_when_odd(struct where *w, void (*tell)(void *arg, const struct trawl_error *note),
		    void *arg);
void where_free(struct where *w);

bool where_match(struct where *w, const struct decoder *d, void *state, const struct item *it);

/*
 * The first field name in the expression that `known` does not hold, NULL if all are known; its
 * place for a caret goes to *at.
 */
const char *where_unknown(const struct where *w, bool (*known)(void *arg, const char *name),
			  void *arg, size_t *at);

/* Likewise the first text or pattern that `name` is compared with and `matches` says no to. */
const char *where_unknown_event(const struct where *w,
				bool (*matches)(void *arg, const char *text, bool pattern),
				void *arg, size_t *at);

/* Likewise the first text that a field is compared with and that `matches` says no to. */
const char *where_unknown_word(const struct where *w,
			       bool (*matches)(void *arg, const char *field, const char *text,
					       bool pattern),
			       void *arg, size_t *at, const char **field);

/* Likewise the first integer that a field is asked to be equal to; it goes to *number. */
const char *where_unknown_number(const struct where *w,
				 bool (*can_be)(void *arg, const char *field, int64_t number),
				 void *arg, size_t *at, int64_t *number);

/*
 * Likewise the first field that is compared with a text (*is_text) or a number although
 * `comparable` says that it never is one; *at is the place of what it is compared with. An item's
 * own pid is asked for as NULL.
 */
const char *where_mismatch(const struct where *w,
			   unsigned int (*comparable)(void *arg, const char *field), void *arg,
			   size_t *at, bool *is_text);

/* Does it ask whose an item is: its pid or its comm? */
bool where_asks_task(const struct where *w);

/*
 * Can it hold for an item of this source and name (NULL: any name) that has such fields as `has`
 * says? False only when it cannot.
 */
bool where_possible(const struct where *w, const struct trawl_source *source, const char *name,
		    bool (*has)(void *arg, const char *field), void *arg);

#endif
