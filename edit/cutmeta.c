/* SPDX-License-Identifier: MIT */
/* Decides which metadata the events of a part need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "common/search.h"
#include "common/sources.h"
#include "common/text.h"
#include "decode/base/jdoc.h"
#include "decode/base/task.h"
#include "edit/cut.h"
#include "edit/tasknames.h"
#include "decode/base/output.h"

static bool task_needed(const struct cut *c, const char *id)
{
	return numbers_has(&c->needs.tasks, strtoul(id, NULL, 10));
}

static bool device_needed(const struct cut *c, const struct trawl_meta *m)
{
	struct json_object *j = jdoc_parse(m->data, m->len);
	uint64_t id = jdoc_uint(j, "busnum", 0) << 8 | (jdoc_uint(j, "devnum", 0) & 0xff);

	json_object_put(j);
	return numbers_has(&c->needs.devices, id);
}

/* event is the rest of the name after "probe/": SOURCE/EVENT, or EVENT in older files. */
static bool probe_needed(const struct cut *c, const char *event)
{
	for (uint32_t i = 0; i < trawl_section_count(c->r); i++)
		for (uint16_t n = 0; n < 256; n++) {
			const struct trawl_source *s = trawl_section_source(c->r, i, n);
			size_t types = trawl_section_type_count(c->r, i, n), len;

			if (!s)
				continue;
			len = strlen(s->name);
			for (size_t k = 0; k < types; k++) {
				const struct trawl_event_type *t =
					trawl_section_type(c->r, i, n, k);

				if (!t || !numbers_has(&c->needs.types, needs_type(i, n, t->id)))
					continue;
				if (!strcmp(event, t->name) ||
				    (!strncmp(event, s->name, len) && event[len] == '/' &&
				     !strcmp(event + len + 1, t->name)))
					return true;
			}
		}
	return false;
}

/* ---- lines that begin with an address ----------------------------------------------------- */

struct symbol {
	uint64_t address;
	const char *line;
	size_t len;
	bool needed;
};

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return compare_pairs(x->address, y->address, (uintptr_t)x->line, (uintptr_t)y->line);
}

static struct symbol *read_symbols(const char *p, size_t len, size_t *n)
{
	const char *end = p + len;
	struct symbol *s;
	size_t lines = 1;

	for (const char *q = p; q < end; q++)
		lines += *q == '\n';
	s = calloc(lines, sizeof(*s));
	*n = 0;
	while (s && p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *next = eol ? eol + 1 : end;

		s[(*n)++] = (struct symbol){ strtoull(p, NULL, 16), p, (size_t)(next - p), false };
		p = next;
	}
	if (s)
		qsort(s, *n, sizeof(*s), by_address);
	return s;
}

/*
 * Marks the symbol that contains an address, its aliases, and the following symbol, which marks its
 * end. exactly: only symbols at the address itself.
 */
static void need_symbol(struct symbol *s, size_t n, uint64_t address, bool exactly)
{
	size_t next = partition_point(n, i, s[i].address <= address);

	if (!next || (exactly && s[next - 1].address != address))
		return;
	if (next < n && !exactly)
		s[next].needed = true;
	for (size_t i = next; i-- > 0 && s[i].address == s[next - 1].address;)
		s[i].needed = true;
}

static bool needed_lines(const struct cut *c, const struct trawl_meta *m, bool exactly,
			 char **text, size_t *len)
{
	const struct hashset *a = &c->needs.addresses.set;
	struct symbol *s;
	size_t n;

	s = read_symbols(m->data, m->len, &n);
	*text = malloc(m->len + 1);
	*len = 0;
	if (!s || !*text)
		out_lack_memory();
	for (size_t i = 0; s && i < a->room; i++)
		if (a->slots[i])
			need_symbol(s, n, a->slots[i], exactly);
	for (size_t i = 0; s && *text && i < n; i++)
		if (s[i].needed) {
			memcpy(*text + *len, s[i].line, s[i].len);
			*len += s[i].len;
		}
	free(s);
	if (*text && *len)
		return true;
	free(*text);
	*text = NULL;
	return false;
}

/* ---- the end ------------------------------------------------------------------------------ */

/*
 * Adapts the metadata "end" to the part: its begin and end are where it was cut. The counts of
 * events per source are dropped, because they are the whole capture's.
 */
static void change_end(const struct cut *c, const struct trawl_meta *m, char **text, size_t *len)
{
	uint64_t origin = c->origins[m->section];
	struct json_object *j = jdoc_parse(m->data, m->len);
	uint64_t end = jdoc_uint(j, "end_mono_ns", 0);
	const char *json;

	if (!j)
		return;
	json_object_object_del(j, "sources");
	if (c->from && c->from - origin > jdoc_uint(j, "begin_mono_ns", UINT64_MAX))
		json_object_object_add(j, "begin_mono_ns",
				       json_object_new_uint64(c->from - origin));
	if (c->to != UINT64_MAX && c->to - origin < end) {
		json_object_object_add(j, "why", json_object_new_string("cut"));
		json_object_object_add(j, "end_mono_ns", json_object_new_uint64(c->to - origin));
		json_object_object_del(j, "exit_status");
		json_object_object_del(j, "signal");
		json_object_object_del(j, "command");
	}
	json = json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	*text = json ? strdup(json) : NULL;
	*len = *text ? strlen(*text) : 0;
	if (!*text)
		out_lack_memory(); /* on failure the end of the whole capture is kept */
	json_object_put(j);
}

bool cut_meta(const struct cut *c, const struct trawl_meta *m, char **text, size_t *len)
{
	const char *name = m->name;

	*text = NULL;
	if (c->all_metadata)
		return true;
	if (begins(name, "task/"))
		return task_needed(c, name + 5);
	if (begins(name, "maps/"))
		return task_needed(c, name + 5);
	if (begins(name, "probe/"))
		return probe_needed(c, name + 6);
	if (!strcmp(name, "kernel/kallsyms"))
		return needed_lines(c, m, false, text, len);
	if (!strcmp(name, "kernel/printk_formats"))
		return needed_lines(c, m, true, text, len);
	if (begins(name, "usb/") && strcmp(name, "usb/verdict"))
		return device_needed(c, m);
	if (!strcmp(name, "end"))
		change_end(c, m, text, len);
	return true;
}

/* ---- names of tasks -------------------------------------------------------------------------- */

static bool select_tasks(struct trawl_reader *r, uint64_t to, struct trawl_error *err)
{
	struct trawl_range range = { .to = to };
	bool any = false;

	for (size_t i = 0; i < trawl_source_count(r); i++) {
		const struct trawl_source *s = trawl_source_at(r, i);

		if (is_task_source(s->name) && s->id < 256) {
			range.sources[s->id / 64] |= 1ull << s->id % 64;
			any = true;
		}
	}
	return any && !trawl_select(r, &range, err);
}

static int32_t common_pid(const struct trawl_event *ev)
{
	const uint8_t *p;
	size_t len;

	for (uint32_t i = 0; i < ev->source->ncommon; i++)
		if (!strcmp(ev->source->common[i].name, "common_pid") &&
		    record_field(ev, &ev->source->common[i], &p, &len))
			return (int32_t)number_at(p, len);
	return -1;
}

/* The metadata task/TID of a section up to some time, sorted by TID, then by order in the file. */
struct task_meta {
	long tid;
	const struct trawl_meta *meta;
};

struct task_metas {
	struct task_meta *list;
	size_t n;
};

static int by_tid(const void *a, const void *b)
{
	const struct task_meta *x = a, *y = b;

	return compare_pairs(x->tid, y->tid, (uintptr_t)x->meta, (uintptr_t)y->meta);
}

static bool list_task_metas(const struct cut *c, uint32_t section, uint64_t mono,
			    struct task_metas *t)
{
	size_t n = trawl_meta_count(c->r);

	t->list = calloc(n + 1, sizeof(*t->list));
	for (size_t i = 0; t->list && i < n; i++) {
		const struct trawl_meta *m = trawl_meta_at(c->r, i);

		if (m->section == section && m->time <= mono && begins(m->name, "task/"))
			t->list[t->n++] = (struct task_meta){ strtol(m->name + 5, NULL, 10), m };
	}
	if (t->list)
		qsort(t->list, t->n, sizeof(*t->list), by_tid);
	return t->list;
}

/* Returns the newest metadata of the task, or NULL. */
static const struct trawl_meta *task_meta_of(const struct task_metas *t, int32_t tid)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->list[middle].tid <= tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low && t->list[low - 1].tid == tid ? t->list[low - 1].meta : NULL;
}

/* Writes the task's metadata with the name and process that it had at time mono (ns). */
static int put_name(const struct task_metas *metas, const struct task *t, uint64_t mono,
		    struct trawl_writer *w, struct trawl_error *err)
{
	char name[32];
	struct trawl_meta m = { .name = name, .type = "application/json", .time = mono };
	const struct trawl_meta *old = task_meta_of(metas, t->tid);
	struct json_object *j;
	int ret;

	snprintf(name, sizeof(name), "task/%d", t->tid);
	j = old ? jdoc_parse(old->data, old->len) : NULL;
	if (!j)
		j = json_object_new_object();
	json_object_object_add(j, "tid", json_object_new_int(t->tid));
	if (t->pid > 0)
		json_object_object_add(j, "pid", json_object_new_int(t->pid));
	if (t->named)
		json_object_object_add(j, "comm", json_object_new_string(t->comm));
	json_object_object_add(j, "time_ns", json_object_new_uint64(mono));
	m.data = json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN |
						JSON_C_TO_STRING_NOSLASHESCAPE);
	m.len = strlen(m.data);
	ret = trawl_writer_meta(w, &m, err);
	json_object_put(j);
	return ret;
}

int cut_task_names(const struct cut *c, uint32_t section, struct trawl_writer *w,
		   struct trawl_error *err)
{
	struct trawl_reader *r = trawl_open_within(c->name, c->memory, err);
	uint64_t mono = c->from - c->origins[section];
	const struct hashset *ids = &c->needs.tasks.set;
	struct tasks *t = r ? tasks_new(r) : NULL;
	struct task_metas metas = { 0 };
	struct trawl_error ignored;
	struct trawl_event ev;
	int ret = -1; /* trawl_open_within() has filled *err */

	if (r)
		ret = t && list_task_metas(c, section, mono, &metas) ? 0 : edit_no_memory(err);
	if (!ret && select_tasks(r, c->from, &ignored)) {
		int got;

		while ((got = trawl_next(r, &ev, err)) > 0)
			if (ev.section <= section) {
				tasks_advance(t, ev.section, ev.time - c->origins[ev.section]);
				tasks_event(t, &ev, common_pid(&ev));
			}
		tasks_advance(t, section, mono);
		ret = got < 0 ? -1 : 0;
		for (size_t i = 0; !ret && i < ids->room; i++) {
			const struct task *task;

			if (!ids->slots[i] || ids->slots[i] > INT32_MAX)
				continue;
			task = tasks_find(t, (int32_t)ids->slots[i], 0);
			if (task->tid == (int32_t)ids->slots[i] && (task->named || task->pid > 0))
				ret = put_name(&metas, task, mono, w, err);
		}
	}
	free(metas.list);
	tasks_free(t);
	trawl_close(r);
	return ret;
}

int cut_chosen_names(const struct cut *c, uint32_t section, struct trawl_writer *w,
		     struct trawl_error *err)
{
	const struct task_names *names = c->chosen_names;
	struct task_metas metas = { 0 };
	int ret = list_task_metas(c, section, UINT64_MAX, &metas) ? 0 : edit_no_memory(err);

	for (size_t i = 0; !ret && i < names->n; i++) {
		const struct task_name *name = &names->list[i];
		struct task task = { .tid = name->tid, .pid = name->pid, .named = true };

		if (name->section != section || name->late || task_meta_of(&metas, name->tid))
			continue;
		memcpy(task.comm, name->comm, sizeof(task.comm));
		ret = put_name(&metas, &task, name->time - c->origins[section], w, err);
	}
	free(metas.list);
	return ret;
}
