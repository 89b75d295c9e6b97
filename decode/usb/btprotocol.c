/* SPDX-License-Identifier: MIT */
#include "decode/usb/btprotocol.h"

const struct bt_message *bt_message(const struct bt_message *list, uint8_t code)
{
	for (; list->name; list++)
		if (list->code == code)
			return list;
	return NULL;
}

bool bt_message_has(const struct bt_message *list, const char *name, size_t n)
{
	for (; list->name; list++)
		if (list->layout && byte_layout_has(list->layout, name, n))
			return true;
	return false;
}

void bt_message_words(const struct bt_message *list, byte_layout_name_fn *name,
		      const char *member, decoder_name_fn *fn, void *arg)
{
	for (; list->name; list++) {
		if (!strcmp(member, "command"))
			fn(arg, list->name);
		if (list->layout)
			byte_layout_words(list->layout, name, member, fn, arg);
	}
}

static size_t shown(const struct bt_message *m, const struct bt_frame *f, const uint8_t *p,
		    size_t n)
{
	return f->keys ? n : byte_layout_clear(m->layout, p, n);
}

void bt_message_tree(const struct bt_message *m, byte_layout_name_fn *name,
		     const struct bt_frame *f, const uint8_t *p, size_t n, struct tree *t)
{
	if (m->layout)
		byte_layout_tree(m->layout, name, p, shown(m, f, p, n), t);
}

bool bt_message_brief(const struct bt_message *m, byte_layout_name_fn *name,
		      const struct bt_frame *f, const uint8_t *p, size_t n, struct out *o)
{
	size_t clear;

	if (!m->layout)
		return !n;
	clear = shown(m, f, p, n);
	return (!clear || byte_layout_brief(m->layout, name, p, clear, o)) && clear == n;
}
