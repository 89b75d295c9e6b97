/* SPDX-License-Identifier: MIT */
#include <xxhash.h>

#include "format/stringtable.h"

bool string_table_reset(struct string_table *s)
{
	if (!s->list)
		s->list = malloc(STRING_TABLE_MAX * sizeof(*s->list));
	if (!s->table)
		s->table = calloc(STRING_TABLE_SLOTS, sizeof(*s->table));
	if (!s->list || !s->table)
		return false;
	string_table_forget(s, 0);
	s->bytes.failed = false;
	return true;
}

void string_table_free(struct string_table *s)
{
	buf_free(&s->bytes);
	free(s->list);
	free(s->table);
	memset(s, 0, sizeof(*s));
}

uint32_t string_table_number(struct string_table *s, struct string v)
{
	uint32_t at = XXH3_64bits(v.p, v.len) % STRING_TABLE_SLOTS;

	for (; s->table[at]; at = (at + 1) % STRING_TABLE_SLOTS) {
		uint32_t k = s->table[at] - 1;

		if (s->list[k].len == v.len &&
		    !memcmp(s->bytes.data + s->list[k].offset, v.p, v.len))
			return k;
	}
	if (s->count == STRING_TABLE_MAX || s->bytes.len + v.len > STRING_TABLE_MAX_BYTES ||
	    !buf_reserve(&s->bytes, v.len + 1))
		return UINT32_MAX;
	s->list[s->count].offset = (uint32_t)s->bytes.len;
	s->list[s->count].len = v.len;
	s->list[s->count].slot = at;
	buf_put(&s->bytes, v.p, v.len);
	s->table[at] = ++s->count;
	return s->count - 1;
}

void string_table_forget(struct string_table *s, uint32_t count)
{
	/* the newest first, so that probing sequences of older ones stay intact */
	while (s->count > count) {
		s->count--;
		s->table[s->list[s->count].slot] = 0;
		s->bytes.len = s->list[s->count].offset;
	}
}

void string_table_put(const struct string_table *s, struct buf *out)
{
	buf_varint(out, s->count);
	for (uint32_t i = 0; i < s->count; i++) {
		buf_varint(out, s->list[i].len);
		buf_put(out, s->bytes.data + s->list[i].offset, s->list[i].len);
	}
}

bool string_table_get(struct view *in, struct room *room, uint32_t *count)
{
	struct string *list;

	*count = view_varint_max(in, STRING_TABLE_MAX);
	in->bad |= *count > view_left(in);
	if (in->bad)
		return false;
	list = room_for(room, (*count + 1) * sizeof(*list));
	for (uint32_t i = 0; list && i < *count; i++) {
		list[i].len = view_varint_max(in, STRING_TABLE_MAX_BYTES);
		list[i].p = view_bytes(in, list[i].len);
	}
	return list && !in->bad;
}
