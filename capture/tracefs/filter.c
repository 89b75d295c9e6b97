/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "common/caret.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/tracefs/eventformat.h"
#include "capture/tracefs/filter.h"
#include "common/nearest.h"
#include "capture/tracefs/tracefs.h"

/* Writes a hint with similar names if `wanted` is no field of the event. */
static void hint_field(const char *format, const char *wanted, char *buf, size_t size)
{
	struct nearest near = { .wanted = wanted };
	struct eventformat f;
	struct trawl_error ignored;

	if (eventformat_parse(format, strlen(format), &f, &ignored))
		return;
	if (!eventformat_field(&f, wanted)) {
		for (uint32_t i = 0; i < f.nfields; i++)
			nearest_offer(&near, f.fields[i].name);
		nearest_hint(&near, buf, size);
	}
	nearest_free(&near);
	eventformat_free(&f);
}

static const char word_chars[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/*
 * Returns the begin of the word at `at`, or of the one before it: the kernel's caret is after a
 * field.
 */
static size_t word_at(const char *filter, size_t at)
{
	if (strchr(word_chars, filter[at]))
		return at;
	while (at && !strchr(word_chars, filter[at - 1]))
		at--;
	while (at && strchr(word_chars, filter[at - 1]))
		at--;
	return at;
}

/* Returns whether a text outside quotes has a '=' by itself, which is no operator. */
static bool has_single_equals(const char *filter)
{
	char quote = '\0';

	for (const char *p = filter; *p; p++) {
		if (quote || *p == '"' || *p == '\'') {
			quote = !quote ? *p : *p == quote ? '\0' : quote;
		} else if (*p == '=') {
			if (p[1] != '=' && (p == filter || !strchr("=!<>", p[-1])))
				return true;
			p += p[1] == '=';
		}
	}
	return false;
}

/* Writes a hint for the word at `at`, or "". */
static void hint_at(int instance, const char *event, const char *filter, size_t at, char *buf,
		    size_t size)
{
	char path[288], word[64], *format;
	struct trawl_error ignored;

	*buf = '\0';
	if (sscanf(filter + word_at(filter, at), "%63[A-Za-z0-9_]", word) == 1) {
		snprintf(path, sizeof(path), "%s/format", event);
		format = tracefs_read(instance, path, NULL, &ignored);
		if (format)
			hint_field(format, word, buf, size);
		free(format);
	}
	if (!*buf && (strstr(filter, " and ") || strstr(filter, " or ")))
		snprintf(buf, size, " (a filter of the kernel's has && and ||)");
	if (!*buf && has_single_equals(filter))
		snprintf(buf, size, " (a filter of the kernel's compares with ==)");
}

int filter_set(int instance, const char *group, const char *name, const char *filter,
	       struct trawl_error *err)
{
	char event[256], path[288], what[160], hint[160];
	int column, saved;

	snprintf(event, sizeof(event), "events/%s/%s", group, name);
	snprintf(path, sizeof(path), "%s/filter", event);
	if (!tracefs_write(instance, path, filter, err))
		return 0;
	saved = errno;
	if (!tracefs_error(instance, filter, what, sizeof(what), &column))
		return trawl_fail(err, TRAWL_USAGE, "%s:%s: filter not accepted (%s): %s", group,
				  name, strerror(saved), filter);
	if (column < 0 || (size_t)column >= strlen(filter))
		column = 0;
	hint_at(instance, event, filter, (size_t)column, hint, sizeof(hint));
	return caret_fail(err, TRAWL_USAGE, filter, (size_t)column, "%s:%s: filter: %s%s", group,
			  name, what, hint);
}
