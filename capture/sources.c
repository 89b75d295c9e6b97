/* SPDX-License-Identifier: MIT */
/* The table of sources: to add one is to add a file and a line. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "capture/otherspec.h"
#include "capture/source.h"
#include "capture/sys/alloc.h"

extern const struct source branch_source, eprobe_source, event_source, synth_source, task_source,
	uprobe_source, usb_source, usdt_source;

const struct source *const sources[] = {
	&usdt_source,
	&uprobe_source,
	&event_source,
	&eprobe_source,
	&synth_source,
	&usb_source,
	&branch_source,
	&task_source,
	NULL,
};

const struct source *source_find(const char *option, const char *text, const char **spec,
				 struct trawl_error *err)
{
	size_t len = strcspn(text, ":");
	char wanted[64], hint[512];
	struct nearest near = { .wanted = wanted };

	for (size_t i = 0; sources[i]; i++) {
		const char *name = sources[i]->name;

		if (sources[i]->hidden || strlen(name) != len || memcmp(name, text, len))
			continue;
		*spec = text[len] ? text + len + 1 : "";
		return sources[i];
	}
	if (otherspec_hint(text, hint, sizeof(hint))) {
		trawl_fail(err, TRAWL_USAGE, "%s %s: no such source; %s", option, text,
			   hint);
		return NULL;
	}
	snprintf(wanted, sizeof(wanted), "%.*s", (int)len, text);
	for (size_t i = 0; sources[i]; i++) {
		if (!sources[i]->hidden)
			nearest_offer(&near, sources[i]->name);
	}
	trawl_fail(err, TRAWL_USAGE, "%s %s: no such source%s", option, text,
		   near.count ? nearest_hint(&near, hint, sizeof(hint)) : "; trawl -D lists all");
	nearest_free(&near);
	return NULL;
}

struct source_entry *source_list_add(struct source_list *list, const char *name, const char *what,
				     const char *why)
{
	struct source_entry *e;

	xgrow(list->entries, list->count);
	e = &list->entries[list->count++];
	*e = (struct source_entry){ xstrdup(name), xstrdup(what), !why, why ? xstrdup(why) : NULL,
				    { 0 } };
	return e;
}

void source_list_free(struct source_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entries[i].name);
		free(list->entries[i].what);
		free(list->entries[i].why);
		json_free(&list->entries[i].more);
	}
	free(list->entries);
	*list = (struct source_list){ 0 };
}
