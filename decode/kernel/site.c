/* SPDX-License-Identifier: MIT */
#include "decode/kernel/site.h"
#include "common/sources.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>

#include "decode/base/boot.h"
#include "decode/base/jdoc.h"
#include "decode/kernel/enumnames.h"
#include "decode/base/output.h"

#define CACHE 256

/* Cache of sites_find(), by address and process. */
struct answer {
	uint64_t ip;
	size_t metas; /* number of metadata entries at the time; later ones may change the result */
	int32_t pid;
	uint32_t section;
	bool used;
	struct site *site;
};

struct probe_sites {
	struct trawl_reader *reader;
	struct boots boots;
	struct json_object *doc; /* parsed metadata, which names point into */
	const char *path;
	uint64_t inode, page;
	bool plain;
	struct enum_names *names; /* enumeration names of arguments, or NULL */
	uint32_t n;
	struct site *sites;
	struct answer cache[CACHE];
};

/* ---- from metadata ------------------------------------------------------------------------ */

/* A type that no field of the event has, stored as a layout with one field. */
struct own_type {
	struct trawl_field field;
	struct trawl_event_type type;
	struct event_layout *layout;
	int64_t value; /* of a signed bit field in the last record */
};

static void own_free(struct own_type *own)
{
	if (own)
		event_layout_free(own->layout);
	free(own);
}

static struct own_type *own_new(const struct site_arg *a, uint8_t kind, uint16_t size)
{
	struct own_type *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->field = (struct trawl_field){ .name = a->name, .ctype = "", .note = "", .kind = kind,
					   .size = size, .count = 1 };
	own->type = (struct trawl_event_type){ .name = a->name, .format = "", .size = size,
					       .nfields = 1, .fields = &own->field };
	own->layout = event_layout_new(&own->type);
	if (own->layout)
		return own;
	own_free(own);
	return NULL;
}

/* Whether the field shows a value of this kind and size correctly. */
static bool same_kind(const struct trawl_field *f, uint8_t kind, uint16_t size)
{
	if (f->place != TRAWL_FIXED || f->count != 1 || f->size != size)
		return false;
	if (kind == TRAWL_FLOAT || f->kind == TRAWL_FLOAT)
		return f->kind == kind;
	return !(kind == TRAWL_INT && f->kind == TRAWL_UINT) &&
	       !(kind == TRAWL_UINT && f->kind == TRAWL_INT);
}

/* The kind of a value of one byte whose `show` is "bool" or "char". */
static uint8_t shown_kind(uint8_t kind, const char *show)
{
	return !strcmp(show, "bool") ? TRAWL_BOOL : !strcmp(show, "char") ? TRAWL_CHAR : kind;
}

/*
 * Chooses how a value of the site's own type ("s32", "u8", "f64") is shown: as its field if
 * possible.
 */
static void read_type(struct site_arg *a, const char *type, const char *show)
{
	static const char *const sizes[] = { "8", "16", "32", "64" };
	uint8_t kind = type[0] == 's' ? TRAWL_INT : type[0] == 'u' ? TRAWL_UINT :
		       type[0] == 'f' ? TRAWL_FLOAT : TRAWL_NONE;
	uint16_t size = 0;

	a->as = a->state == ARG_COMPUTED && !a->field ? a->window : a->field;
	for (unsigned int i = 0; i < 4 && kind != TRAWL_NONE; i++)
		if (!strcmp(type + 1, sizes[i]))
			size = (uint16_t)(1u << i);
	if (size == 1 && !a->bits)
		kind = shown_kind(kind, show);
	if (!size || (kind == TRAWL_FLOAT && size < 4) ||
	    (a->field && !a->bits && same_kind(a->field->field, kind, size)))
		return;
	a->own = own_new(a, kind, size);
	if (a->own)
		a->as = &a->own->layout->shown[0];
	else
		out_lack_memory();
}

static void read_arg(struct site_arg *a, const struct json_object *j, const char *show,
		     struct event_layout *l)
{
	const struct json_object *sib = jdoc_get(j, "sib");
	const char *state = jdoc_string(j, "state");

	a->name = jdoc_string(j, "name");
	a->why = jdoc_string(j, "why");
	a->field = event_layout_find(l, a->name);
	if (!strcmp(state, "unavailable")) {
		a->state = ARG_UNAVAILABLE;
	} else if (!strcmp(state, "computed") && jdoc_get(j, "bits")) {
		a->state = ARG_COMPUTED;
		a->bits = (unsigned int)jdoc_uint(j, "bits", 0);
	} else if (!strcmp(state, "computed")) {
		a->state = ARG_COMPUTED;
		a->index = event_layout_find(l, jdoc_string(sib, "index"));
		a->window = event_layout_find(l, jdoc_string(sib, "window"));
		a->start = jdoc_int(sib, "start", 0);
		a->scale = (unsigned int)jdoc_uint(sib, "scale", 0);
		event_layout_hide(l, jdoc_string(sib, "base"));
		event_layout_hide(l, jdoc_string(sib, "index"));
		event_layout_hide(l, jdoc_string(sib, "window"));
	}
	read_type(a, jdoc_string(j, "type"), show);
}

/* Returns how the probe's argument is shown at all its sites; "" if it is not described. */
static const char *show_of(const struct json_object *args, const char *name)
{
	for (size_t i = 0; i < jdoc_count(args); i++) {
		const struct json_object *j = json_object_array_get_idx(args, i);

		if (!strcmp(jdoc_string(j, "name"), name))
			return jdoc_string(j, "show");
	}
	return "";
}

/* Appends an argument to a site; NULL if memory runs out. */
static struct site_arg *more_args(struct site *s)
{
	if (!array_grow(s->args, s->nargs)) {
		out_lack_memory();
		return NULL;
	}
	s->args[s->nargs] = (struct site_arg){ 0 };
	return &s->args[s->nargs++];
}

/* Finds the field of an argument or, for several strings, the fields NAME[0], NAME[1], ... */
static bool read_values(struct site *s, const struct json_object *j,
			const struct json_object *described, struct event_layout *l)
{
	const char *name = jdoc_string(j, "name"), *show = show_of(described, name);
	const struct shown *one = NULL;
	struct site_arg *a;
	char element[128];
	unsigned int i = 0;

	snprintf(element, sizeof(element), "%s[0]", name);
	if (!event_layout_find(l, name))
		one = event_layout_find(l, element);
	do {
		a = more_args(s);
		if (!a)
			return false;
		read_arg(a, j, show, l);
		if (one) {
			a->field = a->as = one;
			a->name = one->field->name;
		}
		snprintf(element, sizeof(element), "%s[%u]", name, ++i);
		one = one ? event_layout_find(l, element) : NULL;
	} while (one);
	return true;
}

static void site_free(struct site *s)
{
	for (uint32_t i = 0; i < s->nargs; i++) {
		own_free(s->args[i].own);
		free(s->args[i].plain_name);
	}
	free(s->args);
	*s = (struct site){ 0 };
}

/* described: "args" of the probe, which say how each argument is shown. */
static bool read_site(struct site *s, const struct json_object *j,
		      const struct json_object *described, struct event_layout *l, bool *plain)
{
	const struct json_object *args = jdoc_get(j, "args");

	s->offset = jdoc_uint(j, "offset", 0);
	s->symbol = jdoc_string(j, "symbol");
	s->file = jdoc_string(j, "file");
	s->exit = jdoc_string(j, "exit");
	s->to = jdoc_string(j, "to");
	s->line = (uint32_t)jdoc_uint(j, "line", 0);
	for (size_t i = 0; i < jdoc_count(args); i++)
		if (!read_values(s, json_object_array_get_idx(args, i), described, l))
			return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (!arg_plain(&s->args[i]))
			*plain = false;
	return true;
}

static uint64_t page_size(struct trawl_reader *reader)
{
	struct json_object *j = jdoc_meta(reader, "machine");
	uint64_t n = jdoc_uint(j, "page_size", 4096);

	json_object_put(j);
	return n >= 1024 && n <= 1 << 24 && !(n & (n - 1)) ? n : 4096;
}

/* Whether an argument of this name is available at some site. */
static bool had_somewhere(const struct probe_sites *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->sites[i].nargs; k++)
			if (s->sites[i].args[k].state != ARG_UNAVAILABLE &&
			    !strcmp(s->sites[i].args[k].name, name))
				return true;
	return false;
}

/*
 * An argument that is available at no site still gets a field, because the kernel requires one; the
 * recorder calls it NAME_na. Users see the argument as NAME.
 */
static void name_missing(struct probe_sites *s, struct event_layout *l)
{
	for (uint32_t i = 0; i < s->n; i++) {
		for (uint32_t k = 0; k < s->sites[i].nargs; k++) {
			struct site_arg *a = &s->sites[i].args[k];
			size_t n = strlen(a->name);

			if (a->state != ARG_UNAVAILABLE || n < 4 ||
			    strcmp(a->name + n - 3, "_na") || had_somewhere(s, a->name))
				continue;
			a->plain_name = strndup(a->name, n - 3);
			if (!a->plain_name) {
				out_lack_memory();
				continue;
			}
			event_layout_hide(l, a->name);
			a->name = a->plain_name;
		}
	}
}

/* Whether a probe of this kind belongs to this source. Unknown kinds match every source. */
static bool of_source(const char *kind, const char *source)
{
	bool usdt = !strcmp(kind, "usdt");

	if (!usdt && strcmp(kind, "uprobe") && strcmp(kind, "uretprobe"))
		return true;
	return is_source(source, usdt ? "usdt" : "uprobe");
}

/*
 * Whether this is the metadata of the event. In older files the name is "probe/EVENT", and
 * of_source() decides.
 */
static bool names_probe(const char *name, const char *source, const char *event)
{
	size_t n = strlen(source);

	if (strncmp(name, "probe/", 6))
		return false;
	name += 6;
	return !strcmp(name, event) ||
	       (!strncmp(name, source, n) && name[n] == '/' && !strcmp(name + n + 1, event));
}

/*
 * Returns the newest metadata of the probe in the section or, if the section has none, in the file.
 */
static struct json_object *find_probe(const struct trawl_reader *reader, const char *event,
				      const char *source, uint32_t section)
{
	struct json_object *newest = NULL;

	for (size_t i = trawl_meta_count(reader); i-- > 0;) {
		const struct trawl_meta *m = trawl_meta_at(reader, i);
		struct json_object *doc;

		if (!names_probe(m->name, source, event) || (newest && m->section != section))
			continue;
		doc = jdoc_parse(m->data, m->len);
		if (!doc || !of_source(jdoc_string(doc, "kind"), source)) {
			json_object_put(doc);
			continue;
		}
		json_object_put(newest);
		newest = doc;
		if (m->section == section)
			break;
	}
	return newest;
}

/* Passes the sites where a value is narrower than its field to the enumeration names. */
static void narrow_names(struct probe_sites *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		for (uint32_t k = 0; k < s->sites[i].nargs; k++) {
			const struct site_arg *a = &s->sites[i].args[k];

			if (a->state == ARG_EXACT && a->field && a->own)
				enum_names_narrow(s->names, a->field, a->as->field->size);
		}
	}
}

struct probe_sites *sites_new(struct trawl_reader *reader, const char *source, uint32_t section,
			      struct event_layout *l)
{
	struct json_object *doc = find_probe(reader, l->type->name, source, section);
	const struct json_object *list;
	struct probe_sites *s = doc ? calloc(1, sizeof(*s)) : NULL;
	size_t n;

	if (!s) {
		if (doc)
			out_lack_memory();
		json_object_put(doc);
		return NULL;
	}
	s->doc = doc;
	list = jdoc_get(s->doc, "sites");
	n = jdoc_count(list);
	s->sites = calloc(n + 1, sizeof(*s->sites));
	if (!s->sites) {
		out_lack_memory();
		sites_free(s);
		return NULL;
	}
	s->reader = s->boots.reader = reader;
	s->path = jdoc_string(s->doc, "path");
	s->inode = jdoc_uint(s->doc, "inode", 0);
	s->page = page_size(reader);
	s->plain = true;
	for (size_t i = 0; i < n; i++) {
		s->sites[s->n].object = strrchr(s->path, '/') ? strrchr(s->path, '/') + 1 : s->path;
		if (read_site(&s->sites[s->n], json_object_array_get_idx(list, i),
			      jdoc_get(s->doc, "args"), l, &s->plain))
			s->n++;
		else
			site_free(&s->sites[s->n]);
	}
	name_missing(s, l);
	s->names = enum_names_new(jdoc_get(s->doc, "args"), l);
	narrow_names(s);
	alternatives_read(jdoc_get(s->doc, "args"), l);
	return s;
}

void sites_free(struct probe_sites *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		site_free(&s->sites[i]);
	free(s->sites);
	boots_free(&s->boots);
	enum_names_free(s->names);
	json_object_put(s->doc);
	free(s);
}

bool sites_plain(const struct probe_sites *s)
{
	return s->plain;
}

const struct site *sites_any(const struct probe_sites *s)
{
	return s->n ? &s->sites[0] : NULL;
}

const char *sites_why(const struct probe_sites *s, const char *name)
{
	const struct site *first = sites_any(s);

	for (uint32_t i = 0; first && !had_somewhere(s, name) && i < first->nargs; i++)
		if (!strcmp(first->args[i].name, name))
			return first->args[i].why;
	return NULL;
}

/* ---- which site --------------------------------------------------------------------------- */

/*
 * Returns the newest maps of the process that were valid at this time of this boot, or else its
 * first. Several metadata entries may have the same name.
 */
static const struct trawl_meta *find_maps(struct probe_sites *s, int32_t pid, uint32_t boot,
					  uint64_t time)
{
	struct trawl_reader *r = s->reader;
	const struct trawl_meta *best = NULL;
	char name[32];
	size_t i, n = trawl_meta_count(r);

	snprintf(name, sizeof(name), "maps/%d", pid);
	for (i = 0; i < n; i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);

		if (strcmp(m->name, name) || boot_of(&s->boots, m->section) != boot)
			continue;
		if (!best || (m->time <= time && (best->time > time || m->time >= best->time)))
			best = m;
	}
	return best;
}

/* Computes the offset of an address in the probe's file from one line of the maps. */
static bool map_line(const struct probe_sites *s, const char *line, uint64_t ip, uint64_t *offset)
{
	unsigned long long start, end, pgoff, inode;
	int path = 0;

	if (sscanf(line, "%llx-%llx %*4s %llx %*x:%*x %llu %n", &start, &end, &pgoff, &inode,
		   &path) < 4)
		return false;
	if (ip < start || ip >= end)
		return false;
	if (s->inode ? inode != s->inode : !path || strcmp(line + path, s->path))
		return false;
	*offset = ip - start + pgoff;
	return true;
}

static bool offset_by_maps(const struct probe_sites *s, const struct trawl_meta *maps, uint64_t ip,
			   uint64_t *offset)
{
	const char *p = maps->data, *end = p + maps->len, *nl;
	char line[1024];

	for (; p < end; p = nl + 1) {
		size_t n;

		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		n = (size_t)(nl - p);
		if (n >= sizeof(line))
			n = sizeof(line) - 1;
		memcpy(line, p, n);
		line[n] = '\0';
		if (map_line(s, line, ip, offset))
			return true;
	}
	return false;
}

/*
 * Mappings preserve the offset within a page, which usually identifies the site. If several sites
 * share it, the maps of the process decide.
 */
static struct site *search(struct probe_sites *s, uint64_t ip, int32_t pid,
				 uint32_t section, uint64_t time)
{
	const struct trawl_meta *maps;
	struct site *found = NULL;
	uint64_t offset;
	uint32_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		if (((s->sites[i].offset ^ ip) & (s->page - 1)) == 0) {
			found = &s->sites[i];
			n++;
		}
	}
	if (n < 2)
		return found;
	maps = pid > 0 ? find_maps(s, pid, boot_of(&s->boots, section), time) : NULL;
	if (!maps || !offset_by_maps(s, maps, ip, &offset))
		return NULL;
	for (i = 0; i < s->n; i++)
		if (s->sites[i].offset == offset)
			return &s->sites[i];
	return NULL;
}

struct site *sites_find(struct probe_sites *s, uint64_t ip, int32_t pid, uint32_t section,
			uint64_t time)
{
	struct answer *a = &s->cache[(ip ^ ip >> 12 ^ (uint32_t)pid) % CACHE];
	size_t metas = trawl_meta_count(s->reader);

	if (!a->used || a->ip != ip || a->pid != pid || a->section != section ||
	    a->metas != metas) {
		a->site = search(s, ip, pid, section, time);
		a->ip = ip;
		a->pid = pid;
		a->section = section;
		a->metas = metas;
		a->used = true;
	}
	return a->site;
}

/* ---- arguments that are not simply their field ---------------------------------------------- */

static const uint8_t *computed(const struct site_arg *a, const void *record, size_t len,
			       const char **why)
{
	const uint8_t *index, *window;
	size_t index_len, window_len;
	int64_t at;

	*why = "its helper fields are not in the record";
	if (!a->index || !a->window || !a->as ||
	    !field_bytes(a->index->field, record, len, &index, &index_len) || index_len > 8 ||
	    !field_bytes(a->window->field, record, len, &window, &window_len))
		return NULL;
	*why = "index outside the recorded window";
	if (__builtin_mul_overflow(load_int(index, index_len), (int64_t)a->scale, &at) ||
	    __builtin_sub_overflow(at, a->start, &at) || at < 0 ||
	    window_len < a->as->field->size ||
	    (uint64_t)at > window_len - a->as->field->size)
		return NULL;
	return window + at;
}

/* The value of a signed bit field, in the low bits of these n bytes. */
static const uint8_t *widened(const struct site_arg *a, const uint8_t *p, size_t n,
			      const char **why)
{
	*why = "its number of bits is not that of a bit field";
	if (!a->own || n > 8 || a->bits > 8 * n)
		return NULL;
	a->own->value = (int64_t)(load_uint(p, n) << (64 - a->bits)) >> (64 - a->bits);
	return (const uint8_t *)&a->own->value;
}

const uint8_t *arg_bytes(const struct site_arg *a, const void *record, size_t len,
			 const char **why)
{
	const uint8_t *p;
	size_t n;

	if (a->state == ARG_COMPUTED && !a->bits)
		return computed(a, record, len, why);
	if (a->state != ARG_UNAVAILABLE && a->field && (a->field->fault || a->field->when) &&
	    (*why = shown_why(a->field, record, len)))
		return NULL;
	*why = a->state == ARG_UNAVAILABLE ? a->why : "no such field in the event";
	if (a->state == ARG_UNAVAILABLE || !a->field ||
	    !field_bytes(a->field->field, record, len, &p, &n) || n < a->as->field->size)
		return NULL;
	return a->bits ? widened(a, p, n, why) : p;
}

const char *arg_name(const struct site_arg *a, const void *record, size_t len, bool json)
{
	const struct written *w = a->field ? a->field->written : NULL;

	return w && w->name && (!json || w->only_name) ? w->name(w, record, len) : NULL;
}
