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
 *	name    := a field, or one of ts cpu pid tid comm name source took_ns; fields.NAME: the
 *	           field; ts_ns is another name of ts; took_ns: how long the operation took that the
 *	           item ends
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

/*
 * Parses an expression. Returns NULL with *err: `option` ("--where") and the text with a caret.
 * Both strings must stay valid.
 */
struct where *where_parse(const char *option, const char *text, struct trawl_error *err);

/*
 * Sets a callback that is called once for each comparison of a number with a text, which only an
 * item shows. Such a comparison is false, except for !=.
 */
void where_set_on_mismatch(struct where *w, void (*fn)(void *arg, const struct trawl_error *note),
		    void *arg);
void where_free(struct where *w);

/* took: the item's took_ns; NULL: it has none. */
bool where_match(struct where *w, const struct decoder *d, void *state, const struct item *it,
		 const uint64_t *took);

/*
 * Returns the first field name in the expression for which `known` returns false, or NULL. *at: its
 * offset in the text, for a caret.
 */
const char *where_unknown(const struct where *w, bool (*known)(void *arg, const char *name),
			  void *arg, size_t *at);

/*
 * Call it after all items were matched. Returns the first part of a field (setup.wValue, args[1])
 * that no item had of those that were compared, or NULL; *at: its offset in the text.
 */
const char *where_valueless(const struct where *w, size_t *at);

/* Returns the first text or pattern that is compared with `name` and that `matches` rejects. */
const char *where_unknown_event(const struct where *w,
				bool (*matches)(void *arg, const char *text, bool pattern),
				void *arg, size_t *at);

/* Returns the first text that is compared with a field and that `matches` rejects. */
const char *where_unknown_word(const struct where *w,
			       bool (*matches)(void *arg, const char *field, const char *text,
					       bool pattern),
			       void *arg, size_t *at, const char **field);

/* Returns the first field that must equal an integer, *number, that `can_be` rejects. */
const char *where_unknown_number(const struct where *w,
				 bool (*can_be)(void *arg, const char *field, int64_t number),
				 void *arg, size_t *at, int64_t *number);

/*
 * Returns the first field that is compared with a text (*is_text) or a number although `comparable`
 * excludes that; *at: the offset of the text or number. For an item's own pid, `comparable` gets
 * NULL.
 */
const char *where_mismatch(const struct where *w,
			   unsigned int (*comparable)(void *arg, const char *field), void *arg,
			   size_t *at, bool *is_text);

/* Whether the expression uses took_ns; *at: its offset in the text. */
bool where_uses_took(const struct where *w, size_t *at);

/* Whether the expression uses an item's pid or comm. */
bool where_uses_task(const struct where *w);

/*
 * Whether the expression can be true for an item of this source and name (NULL: any name) with the
 * fields for which `has` returns true. False only if it is certain.
 */
bool where_possible(const struct where *w, const struct trawl_source *source, const char *name,
		    bool (*has)(void *arg, const char *field), void *arg);

#endif
