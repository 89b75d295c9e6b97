/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "decode/query/listing.h"
#include "decode/base/escape.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 200, NAME_MOST = 60 };

void listing_start(struct listing *l, const char *wanted)
{
	*l = (struct listing){.near = {.wanted = wanted}};
	out_memory(&l->text);
}

static bool has(const struct out *o, const char *name, size_t n)
{
	const char *p = o->data, *end = p + o->len;

	for (; p && end - p >= (ptrdiff_t)n; p++)
		if ((p == o->data || p[-1] == ' ') && !memcmp(p, name, n) &&
		    (p + n == end || p[n] == ','))
			return true;
	return false;
}

void listing_add(void *listing, const char *name)
{
	struct listing *l = listing;
	const char *colon = strchr(name, ':');
	size_t n = strlen(name);

	/* not the names of helper fields */
	if (strncmp(name, "__", 2))
		nearest_offer_part(&l->near, name,
				   colon && !strchr(l->near.wanted, ':') ? colon + 1 : name);
	if (has(&l->text, name, n))
		return;
	if (l->text.len + n > TEXT_MOST || n > NAME_MOST || !strncmp(name, "__", 2)) {
		l->more++;
		return;
	}
	if (l->text.len)
		out_str(&l->text, ", ");
	out_safe(&l->text, name, n);
}

const char *listing_hint(struct listing *l)
{
	if (l->near.count) {
		/* names come from a file and are escaped */
		struct out safe;

		nearest_hint(&l->near, l->hint, sizeof(l->hint));
		out_memory(&safe);
		out_safe(&safe, l->hint, strlen(l->hint));
		snprintf(l->hint, sizeof(l->hint), "%.*s", (int)safe.len, safe.data);
		out_free(&safe);
		return l->hint;
	}
	snprintf(l->hint, sizeof(l->hint), "; there %s%.*s%s", l->text.len ? "are " : "is none",
		 (int)l->text.len, l->text.len ? l->text.data : "", l->more ? ", ..." : "");
	return l->hint;
}

void listing_free(struct listing *l)
{
	nearest_free(&l->near);
	out_free(&l->text);
}
