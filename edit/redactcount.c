/* SPDX-License-Identifier: MIT */
/* Counts the private values of each class, with examples for `trawl-edit secrets`. */
#include <stdio.h>
#include <string.h>

#include "decode/usb/keystrokes.h"
#include "edit/redact.h"

/* Adds an example. A text says more than bytes in hex: it comes before one, or takes its place. */
static void add_example(struct redact_class *c, const char *example, size_t n, bool hex)
{
	size_t at = c->nexamples - c->nhex;

	n = n < sizeof(c->examples[0]) ? n : sizeof(c->examples[0]) - 1;
	for (size_t i = 0; n && i < c->nexamples; i++)
		if (!strncmp(c->examples[i], example, n) && !c->examples[i][n])
			return;
	if (!n || (c->nexamples == REDACT_EXAMPLES && (hex || !c->nhex)))
		return;
	c->nhex -= c->nexamples == REDACT_EXAMPLES;
	c->nexamples += c->nexamples < REDACT_EXAMPLES;
	if (hex)
		at = c->nexamples - 1;
	else
		memmove(c->examples[at + 1], c->examples[at],
			(c->nexamples - 1 - at) * sizeof(c->examples[0]));
	memset(c->examples[at], 0, sizeof(c->examples[at]));
	memcpy(c->examples[at], example, n);
	c->nhex += hex;
}

void redact_count(struct redact *x, enum secret_class class, const char *example, size_t n,
		  bool hex)
{
	struct redact_class *c = &x->classes[class];
	size_t i;

	if (!x->counting)
		return;
	c->count++;
	for (i = 0; i < c->nplaces && strcmp(c->places[i], x->place); i++)
		;
	if (i == c->nplaces && i < REDACT_PLACES)
		snprintf(c->places[c->nplaces++], sizeof(c->places[0]), "%s", x->place);
	add_example(c, example, n, hex);
}

/* Counts bytes. The example is their text, if that is what they begin with. */
static void count_bytes(struct redact *x, enum secret_class class, const uint8_t *p, size_t n)
{
	enum { TEXT = 48, LEAST = 6, BYTES = 12 };
	char hex[2 * BYTES + 4] = "";
	size_t text = 0;

	while (text < n && text < TEXT &&
	       ((p[text] >= ' ' && p[text] < 0x7f) || p[text] == '\n' || p[text] == '\r' ||
		p[text] == '\t'))
		text++;
	if (text == TEXT || (text >= LEAST && (text == n || !p[text]))) {
		redact_count(x, class, (const char *)p, text, false);
		return;
	}
	for (size_t i = 0; x->counting && i < n && i < BYTES; i++)
		snprintf(hex + 2 * i, 5, i == BYTES - 1 && n > BYTES ? "..." : "%02x", p[i]);
	redact_count(x, class, hex, strlen(hex), true);
}

/* Counts a report that may say which keys were pressed. The example does not show them. */
static void count_report(struct redact *x, const uint8_t *p, size_t n)
{
	enum { MODIFIERS = 8 };
	size_t keys = 0;
	char text[64];

	if (!x->counting)
		return;
	if (!keystrokes_form(p, n)) {
		snprintf(text, sizeof(text), "a report of %zu bytes", n);
	} else {
		for (size_t i = 2; i < n; i++)
			keys += !!p[i];
		for (size_t i = 0; i < MODIFIERS; i++)
			keys += p[0] >> i & 1;
		snprintf(text, sizeof(text), "a keyboard's report: %zu key%s pressed", keys,
			 keys == 1 ? "" : "s");
	}
	redact_count(x, SECRET_KEYSTROKES, text, strlen(text), true);
}

void redact_count_bytes(struct redact *x, enum secret_class class, const uint8_t *p, size_t n)
{
	if (class == SECRET_KEYSTROKES)
		count_report(x, p, n);
	else
		count_bytes(x, class, p, n);
}
