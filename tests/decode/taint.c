/* SPDX-License-Identifier: MIT */
/*
 * taint FILE OUT TEXT: copies a capture and appends TEXT to every string of its metadata, to names
 * of functions, source files, programs, tasks and devices, but not to words that identify the
 * metadata, nor to descriptors, which make it a device's. The output of readers then shows whether
 * untrusted text is printed unescaped.
 */
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/trawl.h"

static const char *added;

static bool is_kept(const char *member)
{
	return !strcmp(member, "kind") || !strcmp(member, "event") || !strcmp(member, "type") ||
	       !strcmp(member, "show") || !strcmp(member, "descriptors");
}

static struct json_object *tainted(struct json_object *o)
{
	struct json_object *to;
	char *text;

	switch (json_object_get_type(o)) {
	case json_type_string:
		if (asprintf(&text, "%s%s", json_object_get_string(o), added) < 0)
			abort();
		to = json_object_new_string(text);
		free(text);
		return to;
	case json_type_array:
		to = json_object_new_array();
		for (size_t i = 0; i < json_object_array_length(o); i++)
			json_object_array_add(to, tainted(json_object_array_get_idx(o, i)));
		return to;
	case json_type_object:
		to = json_object_new_object();
		json_object_object_foreach(o, key, value)
			json_object_object_add(to, key, is_kept(key) ? json_object_get(value)
								     : tainted(value));
		return to;
	default:
		return json_object_get(o);
	}
}

static int copy_meta(struct trawl_writer *w, const struct trawl_meta *from, struct trawl_error *err)
{
	struct json_object *to, *o = strcmp(from->type, "application/json") ? NULL :
				     json_tokener_parse(from->data);
	struct trawl_meta m = *from;
	int ret;

	if (!o)
		return trawl_writer_meta(w, from, err);
	to = tainted(o);
	m.data = json_object_to_json_string_ext(to, JSON_C_TO_STRING_PLAIN);
	m.len = strlen(m.data);
	ret = trawl_writer_meta(w, &m, err);
	json_object_put(to);
	json_object_put(o);
	return ret;
}

static int copy(struct trawl_reader *r, struct trawl_writer *w, struct trawl_error *err)
{
	int sources[256] = { 0 }, got = 0;
	struct trawl_event ev;

	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		sources[s->id] = trawl_writer_source(w, s, err);
		if (sources[s->id] < 0)
			return -1;
	}
	for (size_t i = 0; !got && i < trawl_event_type_count(r); i++) {
		struct trawl_event_type t = *trawl_event_type_at(r, i);

		t.source = (uint16_t)sources[t.source];
		got = trawl_writer_event_type(w, &t, err);
	}
	for (size_t i = 0; !got && i < trawl_meta_count(r); i++)
		got = copy_meta(w, trawl_meta_at(r, i), err);
	for (size_t i = 0; !got && i < trawl_sync_count(r); i++)
		got = trawl_writer_sync(w, trawl_sync_at(r, i), err);
	while (!got && (got = trawl_next(r, &ev, err)) > 0)
		got = trawl_append(w, &(struct trawl_record){
			.source = (uint16_t)sources[ev.source->id], .type = ev.type->id,
			.cpu = ev.cpu, .ts = ev.ts, .data = ev.record, .len = ev.len }, err);
	return got;
}

int main(int argc, char **argv)
{
	struct trawl_writer_options o = { .time = 1 };
	struct trawl_error err = { .text = "taint FILE OUT TEXT" };
	struct trawl_reader *r = argc == 4 ? trawl_open(argv[1], &err) : NULL;
	int fd = r ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1, ret = -1;
	struct trawl_writer *w = fd >= 0 ? trawl_writer_new(fd, &o, &err) : NULL;

	added = argv[3];
	if (w)
		ret = copy(r, w, &err);
	if (w && trawl_writer_close(w, ret ? &(struct trawl_error){ 0 } : &err))
		ret = -1;
	trawl_close(r);
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	return ret ? 1 : 0;
}
