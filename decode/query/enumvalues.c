/* SPDX-License-Identifier: MIT */
#include "decode/query/enumvalues.h"

#include <stdio.h>
#include <string.h>

#include "common/nearest.h"
#include "decode/base/glob.h"

bool enum_values_allow(const struct decoder *d, const char *field, const char *text, bool pattern)
{
	const char *word;
	size_t n;

	if (!pattern && d->never && d->never(field, text))
		return false;
	for (n = 0; d->word && (word = d->word(field, n)); n++)
		if (pattern ? glob_match(text, word, strlen(word)) : !strcmp(text, word))
			return true;
	return !n;
}

void enum_values_refuse(const char *field, const char *text, char *what, size_t size)
{
	struct nearest near = {.wanted = text};
	char hint[200];
	struct out words;

	for (size_t i = 0; decoders[i]; i++) {
		const char *why = decoders[i]->never ? decoders[i]->never(field, text) : NULL;

		if (why) {
			snprintf(what, size, "%.60s is never '%.60s': %s", field, text, why);
			return;
		}
	}
	out_memory(&words);
	for (size_t i = 0; decoders[i]; i++) {
		const char *word;

		for (size_t n = 0; decoders[i]->word && (word = decoders[i]->word(field, n)); n++) {
			nearest_offer(&near, word);
			out_printf(&words, "%s%s", words.len ? ", " : "", word);
		}
	}
	out_char(&words, '\0');
	snprintf(what, size, "%.60s is never '%.60s'%s%s%.300s", field, text,
		 nearest_hint(&near, hint, sizeof(hint)), near.count ? " There are " :
		 "; there are ", words.data);
	nearest_free(&near);
	out_free(&words);
}
