/* SPDX-License-Identifier: MIT */
#include "decode/export/pageabout.h"

#include <inttypes.h>
#include <string.h>

#include "decode/base/boot.h"
#include "decode/base/jdoc.h"
#include "decode/export/summary.h"

enum { STEPS = 10000 };

static void steps_json(struct trawl_reader *r, struct out *o)
{
	struct boots boots = { .reader = r };
	size_t n = trawl_sync_count(r), steps = 0;

	out_str(o, ",\"steps\":[");
	for (size_t i = 1; i < n && steps < STEPS; i++) {
		const struct trawl_sync *a = trawl_sync_at(r, i - 1), *b = trawl_sync_at(r, i);

		if (!summary_is_step(&boots, a, b))
			continue;
		out_printf(o, "%s{\"at\":\"%" PRIu64 "\",\"ns\":\"%" PRId64 "\"}",
			   steps++ ? "," : "",
			   trawl_section_time(r, b->section, TRAWL_CLOCK_MONO, b->mono),
			   (int64_t)((b->real - a->real) - (b->mono - a->mono)));
	}
	out_char(o, ']');
	boots_free(&boots);
}

/* Removes all members of a metadata object but these, which say nothing of the machine's owner. */
static void keep_public(struct json_object *j)
{
	static const char *const keep[] = { "kernel", "kernel_version", "arch", "distro", "cpus",
					    "page_size", "trawl", NULL };
	struct json_object_iterator i = json_object_iter_begin(j), end = json_object_iter_end(j);

	while (!json_object_iter_equal(&i, &end)) {
		const char *key = json_object_iter_peek_name(&i);
		size_t k = 0;

		while (keep[k] && strcmp(keep[k], key))
			k++;
		json_object_iter_next(&i);
		if (!keep[k])
			json_object_object_del(j, key);
	}
}

static void meta_json(struct trawl_reader *r, const char *name, bool whole, struct out *o)
{
	struct json_object *j = jdoc_meta(r, name);

	if (!whole && json_object_is_type(j, json_type_object)) {
		keep_public(j);
	} else if (!whole) {
		json_object_put(j);
		j = NULL;
	}
	out_printf(o, ",\"%s\":%s", name,
		   j && json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN) &&
		   strlen(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN)) < 3500 ?
		   json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN) : "null");
	json_object_put(j);
}

static void edits_json(struct trawl_reader *r, struct out *o)
{
	bool any = false;
	size_t i = 0;

	out_str(o, ",\"edits\":[");
	for (struct json_object *doc; (doc = jdoc_next_edit(r, &i)); any = true) {
		out_str(o, any ? "," : "");
		out_str(o, json_object_to_json_string_ext(doc, JSON_C_TO_STRING_PLAIN));
		json_object_put(doc);
	}
	out_char(o, ']');
}

void page_about(struct trawl_reader *r, bool with_machine, struct out *o)
{
	steps_json(r, o);
	meta_json(r, "machine", with_machine, o);
	if (with_machine) /* command lines */
		meta_json(r, "capture", true, o);
	meta_json(r, "end", true, o);
	edits_json(r, o);
}
