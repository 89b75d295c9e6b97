/* SPDX-License-Identifier: MIT */
#include "decode/query/enumvalues.h"

#include <stdio.h>
#include <string.h>

#include "common/nearest.h"
#include "decode/base/glob.h"

struct search {
	const char *text;
	bool pattern, any, found;
};

static void compare(void *arg, const char *word)
{
	struct search *s = arg;

	s->any = true;
	s->found = s->found || (s->pattern ? glob_match(s->text, word, strlen(word))
					   : !strcmp(s->text, word));
}

bool enum_values_allow(const struct decoder *d, const char *field, const char *text, bool pattern)
{
	struct search s = {.text = text, .pattern = pattern};

	if (!pattern && d->never && d->never(field, text))
		return false;
	if (d->words)
		d->words(field, compare, &s);
	return s.found || !s.any;
}

struct offer {
	struct nearest near;
	struct out words;
};

static void offer(void *arg, const char *word)
{
	struct offer *f = arg;

	nearest_offer(&f->near, word);
	out_printf(&f->words, "%s%s", f->words.len ? ", " : "", word);
}

/* Cuts a list of words to `size` bytes: behind a word, and says that there are more. */
static void cut_list(char *words, size_t size)
{
	static const char more[] = ", ...";
	char *p;

	if (strlen(words) <= size)
		return;
	words[size - strlen(more)] = '\0';
	p = strrchr(words, ',');
	memcpy(p ? p : words, more, sizeof(more));
}

void enum_values_refuse(const char *field, const char *text, char *what, size_t size)
{
	enum { LISTED = 300 };
	struct offer f = {.near = {.wanted = text}};
	char hint[200];

	for (size_t i = 0; decoders[i]; i++) {
		const char *why = decoders[i]->never ? decoders[i]->never(field, text) : NULL;

		if (why) {
			snprintf(what, size, "%.60s is never '%.60s': %s", field, text, why);
			return;
		}
	}
	out_memory(&f.words);
	for (size_t i = 0; decoders[i]; i++)
		if (decoders[i]->words)
			decoders[i]->words(field, offer, &f);
	out_char(&f.words, '\0');
	cut_list(f.words.data, LISTED);
	snprintf(what, size, "%.60s is never '%.60s'%s%s%s", field, text,
		 nearest_hint(&f.near, hint, sizeof(hint)), f.near.count ? " There are " :
		 "; there are ", f.words.data);
	nearest_free(&f.near);
	out_free(&f.words);
}
