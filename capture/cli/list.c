/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "common/json.h"
#include "capture/cli/list.h"
#include "capture/source.h"

static void print_text(const struct source_list *list, FILE *out)
{
	int width = 0;

	for (size_t i = 0; i < list->count; i++) {
		int len = (int)strlen(list->entries[i].name);

		width = len > width && len < 40 ? len : width;
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct source_entry *e = &list->entries[i];

		fprintf(out, "%-*s  %s\n", width, e->name, e->what);
		if (!e->usable)
			fprintf(out, "%-*s    not usable: %s\n", width, "", e->why);
	}
}

static void print_json(const struct source_list *list, FILE *out)
{
	struct json j = { 0 };

	json_array(&j, NULL);
	for (size_t i = 0; i < list->count; i++) {
		const struct source_entry *e = &list->entries[i];

		json_object(&j, NULL);
		json_string(&j, "name", e->name);
		json_string(&j, "what", e->what);
		json_bool(&j, "usable", e->usable);
		if (!e->usable)
			json_string(&j, "why", e->why);
		json_members(&j, &e->more);
		json_end(&j);
	}
	json_end(&j);
	fprintf(out, "%s\n", j.text);
	json_free(&j);
}

int list_sources(bool as_json, FILE *out)
{
	struct source_list list = { 0 };

	for (size_t i = 0; sources[i]; i++) {
		if (sources[i]->describe)
			sources[i]->describe(&list);
	}
	if (as_json)
		print_json(&list, out);
	else
		print_text(&list, out);
	source_list_free(&list);
	return 0;
}
