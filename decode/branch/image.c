/* SPDX-License-Identifier: MIT */
#include "common/search.h"
#include "decode/branch/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/branchrecord.h"
#include "decode/base/escape.h"
#include "decode/base/jdoc.h"
#include "decode/base/output.h"
#include "format/trawl.h"

enum { CACHE = 8192, LISTS = 1024, LINE_REACH = 4096 };

struct answer {
	const struct image_maps *maps;
	uint64_t metas;
	struct image_place place;
};

struct images {
	struct trawl_reader *reader;
	size_t metas;                /* number of metadata entries that were processed */
	struct image_module *modules;
	struct image_maps *maps[LISTS];
	struct json_object **docs;   /* parsed metadata; names point into it */
	size_t ndocs;
	struct answer cache[CACHE];
};

struct images *images_new(struct trawl_reader *reader)
{
	struct images *im = calloc(1, sizeof(*im));

	if (im)
		im->reader = reader;
	return im;
}

static void module_free(struct image_module *m)
{
	free(m->segments);
	free(m->functions);
	free(m->lines);
	free(m->insns);
	free(m->files);
	free(m);
}

void images_free(struct images *im)
{
	if (!im)
		return;
	for (struct image_module *m = im->modules, *next; m; m = next) {
		next = m->next;
		module_free(m);
	}
	for (size_t i = 0; i < LISTS; i++) {
		for (struct image_maps *m = im->maps[i], *next; m; m = next) {
			next = m->next;
			for (size_t k = 0; k < m->n; k++)
				free((char *)(uintptr_t)m->ranges[k].label);
			free(m->ranges);
			free(m);
		}
	}
	for (size_t i = 0; i < im->ndocs; i++)
		json_object_put(im->docs[i]);
	free(im->docs);
	free(im);
}

/* ---- modules ----------------------------------------------------------------------------- */

static bool lack_memory(void)
{
	out_lack_memory();
	return false;
}

/* As array_grow(). If it fails, the programs report at their end that something is missing. */
#define grow(list, n) (array_grow(list, n) || lack_memory())

/* Returns the module with this key, creating it if necessary. */
static struct image_module *module_of(struct images *im, uint32_t section, const char *key)
{
	struct image_module *m;

	for (m = im->modules; m; m = m->next) {
		if (m->section == section && !strcmp(m->key, key))
			return m;
	}
	m = calloc(1, sizeof(*m));
	if (!m) {
		out_lack_memory();
		return NULL;
	}
	snprintf(m->key, sizeof(m->key), "%s", key);
	m->section = section;
	m->number = im->modules ? im->modules->number + 1 : 0;
	m->path = m->name = m->build_id = m->why = "";
	m->next = im->modules;
	im->modules = m;
	return m;
}

static uint64_t element(const struct json_object *array, size_t i)
{
	struct json_object *v = json_object_array_get_idx(array, i);

	return v ? json_object_get_uint64(v) : 0;
}

static const struct json_object *row(const struct json_object *array, size_t i, size_t least)
{
	const struct json_object *r = json_object_array_get_idx(array, i);

	return jdoc_count(r) >= least ? r : NULL;
}

static void read_segments(struct image_module *m, const struct json_object *list)
{
	size_t n = jdoc_count(list);

	if (m->nsegments)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct json_object *r = row(list, i, 3);

		if (r && grow(m->segments, m->nsegments))
			m->segments[m->nsegments++] = (struct image_segment){
				element(r, 0), element(r, 1), element(r, 2) };
	}
}

static void read_functions(struct image_module *m, const struct json_object *list)
{
	size_t n = jdoc_count(list);

	for (size_t i = 0; i < n; i++) {
		const struct json_object *r = row(list, i, 3);
		const char *name =
			r ? json_object_get_string(json_object_array_get_idx(r, 2)) : NULL;

		if (name && grow(m->functions, m->nfunctions))
			m->functions[m->nfunctions++] = (struct image_function){
				element(r, 0), element(r, 1), name };
	}
}

static void read_files(struct image_module *m, const struct json_object *list, uint64_t first)
{
	size_t n = jdoc_count(list);

	for (size_t i = 0; i < n && first == m->nfiles - i; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		const char *name = v ? json_object_get_string(v) : NULL;

		if (!name || !grow(m->files, m->nfiles))
			return;
		m->files[m->nfiles++] = name;
	}
}

static int64_t signed_element(const struct json_object *array, size_t i)
{
	struct json_object *v = json_object_array_get_idx(array, i);

	return v ? json_object_get_int64(v) : 0;
}

static void read_lines(struct image_module *m, const struct json_object *list)
{
	size_t n = jdoc_count(list);
	uint64_t vaddr = 0, line = 0;

	for (size_t i = 0; i + 2 < n; i += 3) {
		uint64_t file = element(list, i + 1);

		vaddr += (uint64_t)signed_element(list, i);
		line += (uint64_t)signed_element(list, i + 2);
		if ((line && file / 2 >= m->nfiles) || !grow(m->lines, m->nlines))
			return;
		m->lines[m->nlines++] = (struct image_line){ vaddr, (uint32_t)(file / 2),
							     (uint32_t)line };
	}
}

static void read_branches(struct image_module *m, const struct json_object *list)
{
	size_t n = jdoc_count(list);
	uint64_t vaddr = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		uint64_t what = element(list, i + 1);

		vaddr += (uint64_t)signed_element(list, i);
		if (!grow(m->insns, m->ninsns))
			return;
		m->insns[m->ninsns++] = (struct image_insn){vaddr, what % 16, (uint8_t)(what / 16)};
	}
}

static void name_module(struct image_module *m, const char *path)
{
	const char *slash = strrchr(path, '/');

	m->path = path;
	m->name = slash && slash[1] ? slash + 1 : path;
}

static void read_module(struct images *im, const struct trawl_meta *meta)
{
	struct image_module *m =
		module_of(im, meta->section, meta->name + strlen(BRANCH_MODULE_NAME));
	struct json_object *j = jdoc_parse(meta->data, meta->len);

	if (!m || !j || !grow(im->docs, im->ndocs)) {
		json_object_put(j);
		return;
	}
	im->docs[im->ndocs++] = j;
	name_module(m, jdoc_string(j, "path"));
	m->build_id = jdoc_string(j, "build_id");
	m->why = jdoc_string(j, "why");
	m->deleted = json_object_get_boolean(jdoc_get(j, "deleted"));
	m->whole |= json_object_get_boolean(jdoc_get(j, "whole"));
	read_segments(m, jdoc_get(j, "segments"));
	read_functions(m, jdoc_get(j, "functions"));
	read_files(m, jdoc_get(j, "files"), jdoc_uint(j, "first_file", 0));
	read_lines(m, jdoc_get(j, "lines"));
	read_branches(m, jdoc_get(j, "branches"));
	m->sorted = false;
}

static int by_vaddr(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* A stable sort: lines at one address keep their order. Returns false without memory. */
static bool merge_sort(struct image_line *lines, size_t n)
{
	struct image_line *from = lines, *to = malloc(n * sizeof(*to)), *other = to;

	if (!to)
		return false;
	for (size_t run = 1; run < n; run *= 2) {
		struct image_line *swap = from;

		for (size_t at = 0; at < n; at += 2 * run) {
			size_t a = at, middle = n - at < run ? n : at + run, b = middle;
			size_t end = n - at < 2 * run ? n : at + 2 * run;

			for (size_t k = at; k < end; k++)
				to[k] = a < middle && (b == end || from[a].vaddr <= from[b].vaddr) ?
					from[a++] : from[b++];
		}
		from = to;
		to = swap;
	}
	if (from != lines)
		memcpy(lines, from, n * sizeof(*lines));
	free(other);
	return true;
}

/*
 * Sorts the rows by address; of several at one address, keeps the last in the table. Without
 * memory, drops all rows, since unsorted ones would give wrong lines.
 */
static void sort_lines(struct image_module *m)
{
	for (size_t i = 1; i < m->nlines; i++) {
		if (m->lines[i].vaddr < m->lines[i - 1].vaddr) {
			if (!merge_sort(m->lines, m->nlines)) {
				m->nlines = 0;
				out_lack_memory();
			}
			return;
		}
	}
}

void image_sort(struct image_module *m)
{
	if (m->sorted)
		return;
	if (m->nfunctions)
		qsort(m->functions, m->nfunctions, sizeof(*m->functions), by_vaddr);
	if (m->ninsns)
		qsort(m->insns, m->ninsns, sizeof(*m->insns), by_vaddr);
	sort_lines(m);
	m->sorted = true;
}

static uint64_t address_at(const void *array, size_t i, size_t size)
{
	uint64_t at;

	memcpy(&at, (const char *)array + i * size, sizeof(at));
	return at;
}

const void *image_last_before(const void *array, size_t n, size_t size, uint64_t vaddr)
{
	n = partition_point(n, i, address_at(array, i, size) <= vaddr);
	return n ? (const char *)array + (n - 1) * size : NULL;
}

const struct image_function *image_function_at(struct image_module *m, uint64_t vaddr)
{
	const struct image_function *f;

	image_sort(m);
	f = image_last_before(m->functions, m->nfunctions, sizeof(*f), vaddr);
	return f && (!f->size || vaddr - f->vaddr < f->size) ? f : NULL;
}

uint64_t image_line_end(struct image_module *m, size_t row)
{
	const struct image_line *l = &m->lines[row];
	const struct image_function *f = image_function_at(m, l->vaddr);
	uint64_t end = row + 1 < m->nlines ? m->lines[row + 1].vaddr : UINT64_MAX;

	return f && f->size && f->vaddr + f->size < end ? f->vaddr + f->size : end;
}

size_t image_base_length(const char *name)
{
	static const char clone[] = " [clone ";
	const char *cold = strstr(name, ".cold");
	size_t n = cold ? (size_t)(cold - name) : strlen(name);

	if (cold && n >= sizeof(clone) - 1 &&
	    !memcmp(cold - (sizeof(clone) - 1), clone, sizeof(clone) - 1))
		n -= sizeof(clone) - 1;
	return n;
}

/*
 * Rows belong to functions that were executed; an address in another function must not match the
 * row of the preceding one.
 */
bool image_line_at(struct image_module *m, uint64_t vaddr, const char **file, uint32_t *line)
{
	const struct image_function *f = image_function_at(m, vaddr);
	const struct image_line *l;

	l = f ? image_last_before(m->lines, m->nlines, sizeof(*l), vaddr) : NULL;
	if (!l || !l->line || l->vaddr + LINE_REACH < f->vaddr ||
	    image_line_end(m, (size_t)(l - m->lines)) <= f->vaddr)
		return false;
	*file = m->files[l->file];
	*line = l->line;
	return true;
}

unsigned int image_insn_length(struct image_module *m, uint64_t vaddr)
{
	const struct image_insn *i;

	image_sort(m);
	i = image_last_before(m->insns, m->ninsns, sizeof(*i), vaddr);
	return i && i->vaddr == vaddr && i->length ? i->length : 1;
}

struct image_module *images_modules(struct images *im)
{
	return im->modules;
}

void images_summary(const struct images *im, struct out *o)
{
	for (const struct image_module *m = im->modules; m; m = m->next) {
		const char *why = *m->why ? m->why : "the code that ran has no symbols (stripped)";

		if (!*m->why && (m->nfunctions || !image_ran(m)))
			continue;
		out_str(o, "branches without names: ");
		out_safe(o, m->path, strlen(m->path));
		out_str(o, ": ");
		out_safe(o, why, strlen(why));
		out_char(o, '\n');
	}
}

/* ---- maps -------------------------------------------------------------------------------- */

/*
 * Adds the mapping in one line of maps. The line is copied first, or sscanf() would read the next
 * line as the name of a mapping without one.
 */
static void add_range(struct images *im, struct image_maps *maps, const char *line, size_t len)
{
	unsigned int major, minor;
	struct image_range r = { 0 };
	char key[64], path[4096] = "", text[sizeof(path) + 256];
	uint64_t inode;

	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text)), line);
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]",
		   &r.start, &r.end, &r.offset, &major, &minor, &inode, path) < 6)
		return;
	snprintf(key, sizeof(key), "%02x:%02x:%" PRIu64, major, minor, inode);
	if (!strcmp(path, "[vdso]"))
		r.module = module_of(im, maps->section, r.end >> 32 ? "vdso" : "vdso32");
	else if (inode && path[0] == '/')
		r.module = module_of(im, maps->section, key);
	if (r.module && !r.module->end) {
		r.module->base = r.start - r.offset;
		r.module->end = r.end;
	}
	r.label = strdup(path);
	if (!r.label || !array_grow(maps->ranges, maps->n)) {
		free((char *)(uintptr_t)r.label);
		out_lack_memory();
		return;
	}
	/* Metadata of the module may be missing: the recorder was killed, or the file is cut. */
	if (r.module && !*r.module->path)
		name_module(r.module, r.label);
	maps->ranges[maps->n++] = r;
}

static void read_maps(struct images *im, const struct trawl_meta *meta)
{
	struct image_maps *m = calloc(1, sizeof(*m)), **at;
	const char *line = meta->data, *next;

	if (!m) {
		out_lack_memory();
		return;
	}
	m->pid = atoi(meta->name + strlen(BRANCH_MAPS_NAME));
	m->section = meta->section;
	m->time = meta->time;
	for (; *line; line = next) {
		next = line + strcspn(line, "\n");
		add_range(im, m, line, (size_t)(next - line));
		next += *next == '\n';
	}
	at = &im->maps[(unsigned int)m->pid % LISTS];
	while (*at && ((*at)->pid != m->pid || (*at)->section > m->section ||
		       ((*at)->section == m->section && (*at)->time > m->time)))
		at = &(*at)->next;
	m->next = *at;
	*at = m;
}

/* Processes metadata that has arrived since the last call, which happens on pipes. */
static void read_new(struct images *im)
{
	size_t n = trawl_meta_count(im->reader);

	for (; im->metas < n; im->metas++) {
		const struct trawl_meta *m = trawl_meta_at(im->reader, im->metas);

		if (!strncmp(m->name, BRANCH_MODULE_NAME, strlen(BRANCH_MODULE_NAME)))
			read_module(im, m);
		else if (!strncmp(m->name, BRANCH_MAPS_NAME, strlen(BRANCH_MAPS_NAME)))
			read_maps(im, m);
	}
}

const struct image_maps *images_maps(struct images *im, uint32_t section, int32_t pid,
				     uint64_t time)
{
	const struct image_maps *earliest = NULL;

	read_new(im);
	for (const struct image_maps *m = im->maps[(unsigned int)pid % LISTS]; m; m = m->next) {
		if (m->pid != pid || m->section != section)
			continue;
		if (m->time <= time)
			return m;
		earliest = m;
	}
	return earliest;
}

static const struct image_range *range_of(const struct image_maps *maps, uint64_t address)
{
	const struct image_range *r =
		maps ? image_last_before(maps->ranges, maps->n, sizeof(*r), address) : NULL;

	return r && address < r->end ? r : NULL;
}

static uint64_t vaddr_of(const struct image_module *m, uint64_t offset)
{
	for (size_t i = 0; i < m->nsegments; i++) {
		if (offset >= m->segments[i].offset &&
		    offset - m->segments[i].offset < m->segments[i].size)
			return m->segments[i].vaddr + (offset - m->segments[i].offset);
	}
	return offset;
}

static void look_up(const struct image_maps *maps, uint64_t address, struct image_place *p)
{
	*p = (struct image_place){ .address = address, .range = range_of(maps, address) };
	if (!p->range || !p->range->module)
		return;
	p->module = p->range->module;
	p->vaddr = vaddr_of(p->module, address - p->range->start + p->range->offset);
	p->function = image_function_at(p->range->module, p->vaddr);
	image_line_at(p->range->module, p->vaddr, &p->file, &p->line);
}

void images_place(struct images *im, const struct image_maps *maps, uint64_t address,
		  struct image_place *p)
{
	struct answer *a = &im->cache[(address * 0x9E3779B97F4A7C15u >> 40) % CACHE];

	if (a->maps != maps || a->place.address != address || a->metas != im->metas || !maps) {
		look_up(maps, address, &a->place);
		a->maps = maps;
		a->metas = im->metas;
	}
	*p = a->place;
}

/* ---- text output -------------------------------------------------------------------------- */

/* Describes addresses that belong to no file. */
static void describe_memory(const struct image_place *p, char *buf)
{
	if (p->address >> 63)
		snprintf(buf, IMAGE_TEXT, "[kernel]");
	else if (!p->range)
		snprintf(buf, IMAGE_TEXT, "[unmapped] 0x%" PRIx64, p->address);
	else if (*p->range->label)
		snprintf(buf, IMAGE_TEXT, "%.200s+0x%" PRIx64, p->range->label,
			 p->address - p->range->start);
	else
		snprintf(buf, IMAGE_TEXT, "[code made at run time] 0x%" PRIx64, p->address);
}

char *image_describe(const struct image_place *p, char *buf)
{
	if (!p->module)
		describe_memory(p, buf);
	else if (!p->function)
		snprintf(buf, IMAGE_TEXT, "%.200s%s+0x%" PRIx64, p->module->name,
			 p->module->deleted ? " (deleted)" : "", p->vaddr);
	else if (p->vaddr == p->function->vaddr)
		snprintf(buf, IMAGE_TEXT, "%.280s", p->function->name);
	else
		snprintf(buf, IMAGE_TEXT, "%.280s+0x%" PRIx64, p->function->name,
			 p->vaddr - p->function->vaddr);
	return buf;
}

char *image_describe_line(const struct image_place *p, bool whole_path, char *buf)
{
	const char *slash = p->file && !whole_path ? strrchr(p->file, '/') : NULL;

	buf[0] = '\0';
	if (p->file)
		snprintf(buf, IMAGE_TEXT, "%.300s:%" PRIu32, slash ? slash + 1 : p->file, p->line);
	return buf;
}

char *image_describe_function(const struct image_place *p, char *buf)
{
	if (p->function)
		snprintf(buf, IMAGE_TEXT, "%.300s", p->function->name);
	else if (p->module)
		snprintf(buf, IMAGE_TEXT, "[%.280s]", p->module->name);
	else if (p->address >> 63)
		snprintf(buf, IMAGE_TEXT, "[kernel]");
	else if (p->range && *p->range->label)
		snprintf(buf, IMAGE_TEXT, "%.280s", p->range->label);
	else
		snprintf(buf, IMAGE_TEXT, p->range ? "[code made at run time]" : "[unmapped]");
	return buf;
}

const char *image_module_name(const struct image_place *p)
{
	return p->module ? p->module->name : p->range ? p->range->label : "";
}
