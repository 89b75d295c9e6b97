/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "common/sources.h"
#include "decode/base/jdoc.h"
#include "decode/base/number.h"
#include "decode/base/task.h"
#include "decode/kernel/numbernames.h"
#include "decode/kernel/pattern.h"
#include "decode/kernel/printfield.h"

bool patterns_init(struct patterns *t, const struct decode_context *ctx)
{
	*t = (struct patterns){
		.ctx = ctx,
		.boots.reader = ctx->reader,
		.nslots = 256,
		.slots = calloc(256, sizeof(struct pattern *)),
	};
	return t->slots;
}

static void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	print_fields_free(p->written);
	number_names_free(p->numbers);
	printfmt_free(p->print);
	sites_free(p->sites);
	event_layout_free(p->layout);
	free(p->cells);
	free(p);
}

static void forget(struct patterns *t)
{
	for (size_t i = 0; i < t->nslots; i++) {
		pattern_free(t->slots[i]);
		t->slots[i] = NULL;
	}
	t->used = 0;
	symbols_free(t->symbols);
	t->symbols = NULL;
}

void patterns_free(struct patterns *t)
{
	forget(t);
	boots_free(&t->boots);
	free(t->slots);
}

/* Returns the offset of a common field in the source's records, or -1 if they have none. */
static int common_offset(const struct trawl_source *s, const char *name, uint32_t width,
			 uint32_t size)
{
	for (uint32_t i = 0; s && i < s->ncommon; i++)
		if (!strcmp(s->common[i].name, name) && s->common[i].size == width &&
		    s->common[i].offset + width <= size)
			return s->common[i].offset;
	return -1;
}

/*
 * Reads all saved symbols of the current boot: each source saves those of its own events. After a
 * reboot, other symbols have the same addresses.
 */
static struct symbols *symbols_of(struct patterns *t)
{
	const struct trawl_reader *reader = t->ctx->reader;
	uint32_t boot = boot_of(&t->boots, t->section);
	const struct trawl_meta *printk = NULL;
	struct symbols *s;
	struct out all;

	out_memory(&all);
	for (size_t i = 0; i < trawl_meta_count(reader); i++) {
		const struct trawl_meta *m = trawl_meta_at(reader, i);

		if (strncmp(m->name, "kernel/", 7) || boot_of(&t->boots, m->section) != boot)
			continue;
		if (!strcmp(m->name, "kernel/kallsyms"))
			out_bytes(&all, m->data, m->len);
		else if (!strcmp(m->name, "kernel/printk_formats"))
			printk = m;
	}
	s = symbols_parse(all.data, all.error ? 0 : all.len, printk ? printk->data : NULL,
			  printk ? printk->len : 0);
	out_free(&all);
	return s;
}

/* The snapshot length (-s) of the capture in the current section, in bytes; 0: none. */
static uint32_t snap_of(const struct patterns *t)
{
	const struct trawl_reader *r = t->ctx->reader;
	uint32_t most = 0;

	for (size_t i = 0; i < trawl_meta_count(r); i++) {
		const struct trawl_meta *m = trawl_meta_at(r, i);
		struct json_object *o;

		if (m->section != t->section || strcmp(m->name, "capture"))
			continue;
		o = jdoc_parse(m->data, m->len);
		most = (uint32_t)jdoc_uint(o, "snaplen", 0);
		json_object_put(o);
	}
	return most;
}

/*
 * The print formats of system calls show every argument in hex, so their fields are shown by their
 * declared types instead.
 */
static bool is_syscall(const struct trawl_event_type *type)
{
	return !strncmp(type->name, "syscalls:", 9);
}

/* Prepares the kernel's own texts for an event and its fields. */
static void pattern_print(struct patterns *t, struct pattern *p, const struct trawl_source *source)
{
	p->print = printfmt_new(p->type, source, NULL);
	if (!p->print)
		return;
	if (!t->ctx->options->print && !is_syscall(p->type))
		p->written = print_fields_new(p->print, p->type, &t->symbols, p->layout);
	if (!t->symbols && printfmt_symbols(p->print))
		t->symbols = symbols_of(t);
}

static struct pattern *pattern_new(struct patterns *t, const struct trawl_event_type *type)
{
	const struct trawl_source *source = trawl_source_find(t->ctx->reader, type->source);
	struct pattern *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->type = type;
	p->section = t->section;
	p->names = source && (is_task_source(source->name) || task_event_names(type->name));
	p->tid_at = common_offset(source, "common_pid", 4, type->size);
	p->layout = event_layout_new(type);
	if (!p->layout) {
		free(p);
		return NULL;
	}
	event_layout_snap(p->layout, snap_of(t));
	p->sites = sites_new(t->ctx->reader, source ? source->name : "", t->section,
			     p->layout);
	if (!p->sites || !sites_any(p->sites))
		pattern_print(t, p, source);
	p->numbers = number_names_new(t->ctx->reader, type, p->layout);
	p->plain = !p->sites || sites_plain(p->sites);
	p->ip = event_layout_find(p->layout, "__probe_ip");
	if (!p->ip)
		p->ip = event_layout_find(p->layout, "__probe_func");
	p->caller = event_layout_find(p->layout, "__probe_ret_ip");
	p->flags_at = p->ip ? -1 : common_offset(source, "common_flags", 1, type->size);
	if (p->ip)
		event_layout_probe(p->layout);
	return p;
}

static size_t slot(const struct patterns *t, const struct trawl_event_type *type, uint32_t section)
{
	size_t i = ((uintptr_t)type >> 4) * 0x9e3779b97f4a7c15u >> 20 & (t->nslots - 1);

	while (t->slots[i] && (t->slots[i]->type != type || t->slots[i]->section != section))
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static bool grow(struct patterns *t)
{
	struct pattern **old = t->slots;
	size_t n = t->nslots, i;

	t->slots = calloc(n * 2, sizeof(struct pattern *));
	if (!t->slots) {
		t->slots = old;
		return false;
	}
	t->nslots = n * 2;
	for (i = 0; i < n; i++)
		if (old[i])
			t->slots[slot(t, old[i]->type, old[i]->section)] = old[i];
	free(old);
	return true;
}

struct pattern *pattern_for(struct patterns *t, const struct trawl_event_type *type)
{
	size_t i = slot(t, type, t->section);

	if (!t->slots[i]) {
		if (t->used * 2 >= t->nslots && !grow(t))
			return NULL;
		i = slot(t, type, t->section);
		t->slots[i] = pattern_new(t, type);
		t->used += t->slots[i] != NULL;
	}
	return t->slots[i];
}

void patterns_select(struct patterns *t, uint32_t section)
{
	uint64_t timeline = trawl_section_timeline(t->ctx->reader, section);

	if (!timeline || timeline != trawl_section_timeline(t->ctx->reader, t->section))
		forget(t);
	t->section = section;
}

struct site *pattern_site(const struct item *it)
{
	const struct pattern *p = it->detail;
	const uint8_t *ip;
	size_t n;

	if (!p->sites || !p->ip || !field_bytes(p->ip->field, it->record, it->len, &ip, &n) ||
	    n != 8)
		return NULL;
	return sites_find(p->sites, load_uint(ip, 8), it->pid > 0 ? it->pid : it->tid, it->section,
			  it->ts);
}

/* The bits of common_flags: TRACE_FLAG_* in the kernel's trace_events.h. */
const char *pattern_interrupt(const struct pattern *p, const struct item *it)
{
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
	unsigned int flags = 0;

	if (p->flags_at >= 0 && (uint32_t)p->flags_at < it->len)
		flags = ((const uint8_t *)it->record)[p->flags_at];
	return flags & NMI ? "nmi" : flags & HARDIRQ ? "hardirq" : flags & SOFTIRQ ? "softirq" :
	       NULL;
}
