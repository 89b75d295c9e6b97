/* SPDX-License-Identifier: MIT */
#include "edit/redact.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/branchrecord.h"
#include "common/json.h"
#include "common/sources.h"
#include "common/text.h"
#include "edit/edit.h"
#include "edit/knownprograms.h"
#include "edit/redactmembers.h"
#include "edit/sha256.h"
#include "edit/usbroles.h"
#include "decode/base/output.h"

/* ---- fields ------------------------------------------------------------------------------- */

/* Redacts a text field according to its name; a text with slashes is a path. */
static void text_field(struct redact *x, const struct trawl_field *f, char *p, size_t n)
{
	size_t len = strnlen(p, n);

	if (!strcmp(f->name, "rwbs") && len < 10 && strspn(p, "RWDFSMANE") == len)
		; /* block request flags, as letters of the kernel */
	else if (ends(f->name, "comm"))
		redact_text(x, SECRET_COMMANDS, p, len);
	else if (memchr(p, '/', len) && !memchr(p, ' ', len))
		redact_path(x, p, len);
	else if (ends(f->name, "filename") || ends(f->name, "path"))
		redact_path(x, p, len);
	else
		redact_text(x, SECRET_STRINGS, p, len);
	if (len < n && x->drop)
		memset(p + len, 0, n - len); /* remains of an earlier, longer text */
}

static bool is_stack(const struct trawl_field *f)
{
	return f->place != TRAWL_FIXED && f->kind != TRAWL_TEXT &&
	       (f->size == 8 || strstr(f->ctype, "long"));
}

static void field(struct redact *x, const struct trawl_field *f, uint8_t *p, size_t n)
{
	/* An 8-byte integer may be a pointer that was passed as a long. */
	if (is_stack(f) || (f->size == 8 && f->kind <= TRAWL_ADDR)) {
		for (size_t i = 0; i + 8 <= n; i += 8)
			redact_address(x, p + i);
	} else if (f->kind == TRAWL_TEXT || (f->kind == TRAWL_CHAR && n > 1)) {
		text_field(x, f, (char *)p, n);
	} else if (f->kind == TRAWL_BYTES || (f->size == 1 && n > 1) || f->place != TRAWL_FIXED) {
		redact_zero(x, SECRET_STRINGS, p, n);
	} else if (f->kind == TRAWL_CHAR) {
		redact_text(x, SECRET_STRINGS, (char *)p, *p ? 1 : 0);
	}
}

static void fields(struct redact *x, const struct trawl_event *ev, const struct trawl_field *f,
		   uint32_t n)
{
	const bool *texts = redact_texts(x, ev, f, n);
	const uint8_t *p;
	size_t len;

	for (uint32_t i = 0; texts && i < n; i++) {
		if (!record_field(ev, &f[i], &p, &len) || !len)
			continue;
		if (texts[i])
			redact_number(x, (uint8_t *)p, len);
		else
			field(x, &f[i], (uint8_t *)p, len);
	}
}

/*
 * Redacts the event with the reason why a flight recorder saved the file. "reason" has trawl's own
 * words; "what" is a command or an expression; "event" is an event's name.
 */
static void trigger_fields(struct redact *x, const struct trawl_event *ev)
{
	const uint8_t *p;
	size_t len;

	for (uint32_t i = 0; i < ev->type->nfields; i++) {
		const struct trawl_field *f = &ev->type->fields[i];

		if (!record_field(ev, f, &p, &len) || !len)
			continue;
		if (!strcmp(f->name, "what"))
			redact_trigger(x, (char *)p, strnlen((const char *)p, len));
		else if (!strcmp(f->name, "event"))
			redact_scrub(x, (char *)p, len);
		else if (strcmp(f->name, "reason"))
			field(x, f, (uint8_t *)p, len);
	}
}

static bool is_usb(const struct trawl_source *s)
{
	return !strncmp(s->kind, "usb", 3);
}

/* Redacts a record in place; ev->record is a copy. */
static void redact_record(struct redact *x, const struct trawl_event *ev)
{
	if (is_usb(ev->source)) {
		redact_usb(x, ev, (uint8_t *)ev->record);
		return;
	}
	if (!strcmp(ev->source->kind, "trawl")) {
		trigger_fields(x, ev);
		return;
	}
	/* Also for sources of unknown kinds: everything that may be an address or a text. */
	fields(x, ev, ev->source->common, ev->source->ncommon);
	fields(x, ev, ev->type->fields, ev->type->nfields);
}

/* ---- types -------------------------------------------------------------------------------- */

static bool is_probe(const struct trawl_source *s)
{
	return is_source(s->name, "uprobe") || is_source(s->name, "usdt");
}

void redact_type_name(struct redact *x, const struct trawl_source *s, char *name)
{
	char *colon = strchr(name, ':');

	if (is_source(s->name, "uprobe") && colon) {
		x->place = "names of probes";
		if (system_files_has(&x->system_files, name, (size_t)(colon - name)))
			redact_kept(x, name, (size_t)(colon - name));
		else
			redact_text(x, SECRET_PATHS, name, (size_t)(colon - name));
		redact_text(x, SECRET_SYMBOLS, colon + 1, strlen(colon + 1));
	}
	redact_scrub(x, name, strlen(name));
}

/*
 * Words that the metadata of every capture may contain: names of members, and values that trawl
 * itself writes.
 */
static const char vocabulary[] =
	"trawl kernel kernel_version arch hostname cpus cpu_model memory page_size boot_id distro "
	"argv sources start_ns start_mono_ns snaplen pid uid user command imported from why signal "
	"duration count process files consumer output trigger error incomplete "
	"begin_mono_ns end_mono_ns early rotation exit_status events lost lost_more hits complete "
	"tid comm time_ns ppid exe cmdline cmdline_cut event "
	"kind tracefs provider probe path build_id inode size deleted remark args name type ctype "
	"show helper sites offset vaddr semaphore symbol file line insn exit return longjmp "
	"exception note fetch state exact computed unavailable values otherwise index window scale "
	"disp start length usdt uprobe uretprobe synth branch eprobe task busnum devnum speed_mbps "
	"version manufacturer product serial configuration max_power quirks removable unknown "
	"fixed power_control power_status autosuspend_ms persist wakeup enabled disabled active "
	"suspended driver descriptors interfaces number alternate class subclass protocol "
	"hid_report replayable because reason text filtered devices unplugged ring_bytes "
	"ring_mapped operation original_sha256 removed kept checked_all redact Debian Linux Ubuntu "
	"Fedora bookworm trixie true false null "
	/* how a command ended: command_verdict() */
	"exit status killed by still running SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS "
	"SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM SIGSTKFLT SIGXCPU SIGXFSZ "
	"SIGVTALRM SIGPROF SIGPOLL SIGPWR SIGSYS "
	/* types of arguments, and how they are shown */
	"string ustring symbol symstr text char bool addr float variant";

static void keep_name(void *x, const char *name)
{
	removed_public(&((struct redact *)x)->removed, name, strlen(name));
}

/* Kernel symbols and print formats are public: everybody with this kernel has them. */
static void keep_kernel(struct redact *x)
{
	for (size_t i = 0; i < trawl_meta_count(x->r); i++) {
		const struct trawl_meta *m = trawl_meta_at(x->r, i);

		if (!strcmp(m->name, "kernel/kallsyms") ||
		    !strcmp(m->name, "kernel/printk_formats"))
			removed_public(&x->removed, m->data, m->len);
	}
}

/*
 * Names and formats of event types are kept, so removed values that are words in them are public.
 */
static void keep_words(struct redact *x)
{
	redact_member_names(keep_name, x);
	removed_public(&x->removed, vocabulary, sizeof(vocabulary) - 1);
	known_programs(keep_name, x);
	removed_public(&x->removed, x->kernel_tasks.data, x->kernel_tasks.len);
	for (size_t i = 0; i < trawl_event_type_count(x->r); i++) {
		const struct trawl_event_type *t = trawl_event_type_at(x->r, i);
		const struct trawl_source *s = NULL;

		for (size_t k = 0; k < trawl_source_count(x->r) && !s; k++)
			if (trawl_source_at(x->r, k)->id == t->source)
				s = trawl_source_at(x->r, k);
		for (uint32_t f = 0; f < t->nfields; f++)
			removed_public(&x->removed, t->fields[f].name, strlen(t->fields[f].name));
		if (!s || is_probe(s))
			continue;
		removed_public(&x->removed, t->name, strlen(t->name));
		if (t->format)
			removed_public(&x->removed, t->format, strlen(t->format));
	}
}

/* ---- the file, piece by piece ------------------------------------------------------------- */

struct copy {
	struct redact *x;
	struct trawl_reader *r;
	struct trawl_writer *w; /* NULL: the first pass, nothing is written */
	int sources[256];
	uint8_t *record;
	size_t room;
	const struct trawl_piece *piece; /* the chunk being copied */
};

static int change_event(struct copy *c, struct trawl_event *ev, struct trawl_error *err)
{
	c->x->place = ev->type->name;
	if (!strcmp(ev->source->kind, BRANCH_SOURCE_KIND))
		return redact_branch(c->x, ev, err);
	if (!array_reserve(c->record, c->room, ev->len))
		return edit_no_memory(err);
	memcpy(c->record, ev->record, ev->len);
	ev->record = c->record;
	redact_record(c->x, ev);
	return 0;
}

static int copy_event(void *arg, struct trawl_event *ev, struct trawl_error *err)
{
	struct copy *c = arg;
	const struct trawl_piece *p = c->piece;
	uint64_t ts = ev->ts;

	ev->section = p->section;
	if (change_event(c, ev, err))
		return -1;
	c->x->events += c->x->counting;
	if (!c->w)
		return 0;
	if (p->source->clock == TRAWL_CLOCK_REAL || p->source->clock == TRAWL_CLOCK_TAI)
		ts += (uint64_t)c->x->date;
	return trawl_append(c->w, &(struct trawl_record){
		.source = (uint16_t)c->sources[p->number], .type = ev->type->id, .cpu = ev->cpu,
		.ts = ts, .data = ev->record, .len = ev->len }, err);
}

static int write_loss(struct copy *c, struct trawl_loss *l, const struct trawl_source *s,
		      int source, struct trawl_error *err)
{
	l->source = (uint16_t)source;
	if (s->clock == TRAWL_CLOCK_REAL || s->clock == TRAWL_CLOCK_TAI) {
		l->from += (uint64_t)c->x->date;
		l->to += (uint64_t)c->x->date;
	}
	return trawl_writer_loss(c->w, l, err);
}

/* Writes the events of a damaged chunk as a loss. */
static int put_damaged(struct copy *c, const struct trawl_piece *p, struct trawl_error *err)
{
	struct trawl_loss l = trawl_piece_loss(p);

	return c->w ? write_loss(c, &l, p->source, c->sources[p->number], err) : 0;
}

static int copy_chunk(struct copy *c, struct trawl_piece *p, struct trawl_error *err)
{
	const struct trawl_chunk *chunk;

	if (!trawl_piece_read(c->r, p) || !trawl_piece_decode(c->r, p, &chunk))
		return put_damaged(c, p, err);
	c->piece = p;
	return edit_some_events(chunk, NULL, copy_event, c, err);
}

static int copy_sync(struct copy *c, const struct trawl_sync *sync, struct trawl_error *err)
{
	struct trawl_sync s = *sync;

	s.real += (uint64_t)c->x->date;
	s.tai += (uint64_t)c->x->date;
	return c->w ? trawl_writer_sync(c->w, &s, err) : 0;
}

static char *scrubbed(struct redact *x, const char *text)
{
	char *p = strdup(text ? text : "");

	if (p)
		redact_scrub(x, p, strlen(p));
	return p;
}

/*
 * The kernel's name of a probe, in the first line of its format, contains that of the program:
 * PROGRAM_FUNCTION. Replaces it by the redacted name; *format is NULL if memory runs out.
 */
static void rename_format(char **format, const char *name)
{
	static const char begin[] = "name: ";
	char *old = *format;

	if (strncmp(old, begin, sizeof(begin) - 1) != 0)
		return;
	if (asprintf(format, "%s%s%s", begin, name, old + strcspn(old, "\n")) < 0)
		*format = NULL;
	for (size_t i = 0; *format && name[i]; i++)
		if (!isalnum((unsigned char)name[i]))
			(*format)[sizeof(begin) - 1 + i] = '_';
	free(old);
}

static int put_type(struct copy *c, uint32_t section, uint16_t number,
		    const struct trawl_event_type *t, uint32_t spare, struct trawl_error *err)
{
	static const struct trawl_event_type lost = { .name = "unused", .format = "" };
	struct trawl_event_type type = t ? *t : lost;
	const struct trawl_source *s = trawl_section_source(c->r, section, number);
	char *name = strdup(type.name), *format = scrubbed(c->x, type.format);
	int ret = -1;

	if (!t) {
		type.id = spare;
		for (uint32_t i = 0; i < s->ncommon; i++)
			type.size = s->common[i].offset + 64u;
	}
	if (name && format) {
		redact_type_name(c->x, s, name);
		if (is_probe(s) && strcmp(name, type.name) != 0)
			rename_format(&format, name);
	}
	if (name && format) {
		type.name = name;
		type.format = format;
		type.source = (uint16_t)c->sources[number];
		ret = c->w ? trawl_writer_event_type(c->w, &type, err) : 0;
	} else {
		edit_no_memory(err);
	}
	free(name);
	free(format);
	return ret;
}

/*
 * Drops a source's spec, which has paths and strings as the user wrote them; the names of events
 * contain its relevant parts.
 */
static int put_source(struct copy *c, uint32_t section, uint16_t number, struct trawl_error *err)
{
	struct trawl_source s = *trawl_section_source(c->r, section, number);
	size_t n = trawl_section_type_count(c->r, section, number);
	bool says = redact_drops(c->x, SECRET_PATHS) || redact_drops(c->x, SECRET_STRINGS);
	char *name = strdup(s.name), *spec = NULL;
	uint32_t spare = UINT16_MAX;

	if (name) {
		c->x->place = "names of sources";
		redact_machine(c->x, name);
		spec = scrubbed(c->x, says ? name : s.spec);
	}
	if (!spec) {
		free(name);
		return edit_no_memory(err);
	}
	s.name = name;
	s.spec = spec;
	c->sources[number] = c->w ? trawl_writer_source(c->w, &s, err) : 0;
	free(name);
	free(spec);
	if (c->sources[number] < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (put_type(c, section, number, trawl_section_type(c->r, section, number, i),
			     spare--, err))
			return -1;
	return 0;
}

static int put_meta(struct copy *c, const struct trawl_meta *meta, struct trawl_error *err)
{
	struct trawl_meta m = *meta;
	char name[512], *text;
	int ret = 0;

	text = redact_meta(c->x, &m, name, sizeof(name));
	if (text && c->w)
		ret = trawl_writer_meta(c->w, &m, err);
	free(text);
	return ret;
}

static int put_losses(struct copy *c, uint32_t section, struct trawl_error *err)
{
	for (size_t i = 0; c->w && i < trawl_loss_count(c->r); i++) {
		struct trawl_loss l = *trawl_loss_at(c->r, i);

		for (uint16_t n = 0; l.section == section && n < 256; n++) {
			const struct trawl_source *s = trawl_section_source(c->r, section, n);

			if (!s || s->id != l.source)
				continue;
			if (write_loss(c, &l, s, c->sources[n], err))
				return -1;
			break;
		}
	}
	return 0;
}

static int put_front(struct copy *c, uint32_t section, const char *manifest,
		     struct trawl_error *err)
{
	char name[32];
	struct trawl_meta m = { .name = name, .type = "application/json", .data = manifest };
	unsigned int edits = 1;

	for (uint16_t i = 0; i < 256; i++)
		if (trawl_section_source(c->r, section, i) && put_source(c, section, i, err))
			return -1;
	for (size_t i = 0; i < trawl_meta_count(c->r); i++) {
		edits += !strncmp(trawl_meta_at(c->r, i)->name, "edit/", 5);
		if (trawl_meta_at(c->r, i)->section == section &&
		    put_meta(c, trawl_meta_at(c->r, i), err))
			return -1;
	}
	if (manifest && !section) {
		snprintf(name, sizeof(name), "edit/%u", edits);
		m.len = strlen(manifest);
		if (trawl_writer_meta(c->w, &m, err))
			return -1;
	}
	return put_losses(c, section, err);
}

static int new_section(struct copy *c, uint32_t section, int fd, const char *out,
		       const char *manifest, struct trawl_error *err)
{
	struct trawl_writer_options o = { .level = c->x->level ? c->x->level : 19, .name = out,
					  .comment = "a redacted capture", .time = 1 };
	int copy;

	if (c->w && trawl_writer_close(c->w, err)) {
		c->w = NULL;
		return -1;
	}
	c->w = NULL;
	if (fd >= 0) {
		copy = dup(fd);
		c->w = copy >= 0 ? trawl_writer_new(copy, &o, err) : NULL;
		if (!c->w)
			return -1;
	}
	return put_front(c, section, manifest, err);
}

/* Passes the whole file through the redaction; fd -1: nothing is written. */
static int go_through(struct redact *x, int fd, const char *out, const char *manifest,
		      struct trawl_error *err)
{
	struct copy c = { .x = x, .r = trawl_open_within(x->path, &x->memory, err) };
	size_t n = c.r ? trawl_section_count(c.r) : 0;
	struct trawl_error late;
	struct trawl_piece p;
	uint32_t section = 0;
	int got = c.r ? 1 : -1;

	x->damaged = 0;

	if (c.r && n && new_section(&c, 0, fd, out, manifest, err))
		got = -1;
	while (got > 0 && (got = trawl_next_piece(c.r, &p, err)) > 0) {
		while (got > 0 && section < p.section)
			got = new_section(&c, ++section, fd, out, manifest, err) ? -1 : 1;
		if (got > 0 && (p.sync ? copy_sync(&c, p.sync, err) : copy_chunk(&c, &p, err)))
			got = -1;
	}
	while (!got && section + 1 < n)
		got = new_section(&c, ++section, fd, out, manifest, err) ? -1 : 0;
	if (c.w && trawl_writer_close(c.w, &late) && !got) {
		*err = late;
		got = -1;
	}
	if (c.r)
		trawl_verdict(c.r, &x->verdict);
	if (!got && trawl_pieces_failed(c.r, err))
		got = -1;
	free(c.record);
	trawl_close(c.r);
	return got;
}

/* ---- the interface --------------------------------------------------------------------------- */

static void hash_file(struct redact *x)
{
	int fd = -1, own = -1;

	/* in the sandbox no file can be opened; there the path names a descriptor */
	if (sscanf(x->path, "/proc/self/fd/%d", &fd) != 1 &&
	    sscanf(x->path, "/dev/fd/%d", &fd) != 1)
		fd = own = open(x->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !sha256_file(fd, x->hash, NULL))
		snprintf(x->hash, sizeof(x->hash), "%s", "unknown");
	if (own >= 0)
		close(own);
}

/* Whether memory ran out: then counts may be too low, and values may not have been removed. */
static bool out_of_memory(const struct redact *x)
{
	return x->failed || x->removed.failed || out_lacked_memory();
}

int redact_collect(struct redact *x, struct trawl_error *err)
{
	int ret;

	x->r = trawl_open_within(x->path, &x->memory, err);
	x->usb = x->r ? usb_roles_new(x->r) : NULL;
	if (!x->usb || !system_files_read(&x->system_files, x->r))
		return x->r ? edit_no_memory(err) : -1;
	if (redact_drops(x, SECRET_DATE) && trawl_sync_count(x->r))
		x->date = 946684800000000000 - (int64_t)trawl_sync_at(x->r, 0)->real;
	redact_read_tasks(x);
	x->counting = true;
	x->place = "";
	ret = go_through(x, -1, "", NULL, err);
	x->counting = false;
	removed_ready(&x->removed);
	keep_words(x);
	keep_kernel(x);
	redact_keep_symbols(x);
	usb_roles_public(x);
	return ret || !out_of_memory(x) ? ret : edit_no_memory(err);
}

static char *manifest(const struct redact *x)
{
	struct json j = { 0 };
	char *text;

	json_object(&j, NULL);
	json_string(&j, "operation", "redact");
	json_string(&j, "original_sha256", x->hash);
	json_object(&j, "removed");
	for (int i = 0; i < SECRET_CLASSES; i++) {
		const struct redact_class *c = &x->classes[i];

		if (!redact_drops(x, (enum secret_class)i) || !c->count)
			continue;
		json_object(&j, secret_classes[i].name);
		json_uint(&j, "count", c->count);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "kept");
	for (int i = 0; i < SECRET_CLASSES; i++)
		if (!redact_drops(x, (enum secret_class)i))
			json_string(&j, NULL, secret_classes[i].name);
	json_end(&j);
	json_bool(&j, "checked_all", !x->removed.full);
	if (!edit_is_whole(&x->verdict)) {
		json_string(&j, "found", x->verdict.text);
		json_bool(&j, "more_lost", !x->verdict.complete || x->verdict.damaged);
	}
	json_end(&j);
	text = j.text ? strdup(j.text) : NULL;
	json_free(&j);
	return text;
}

int redact_write(struct redact *x, int fd, const char *out, struct trawl_error *err)
{
	char *text;
	int ret;

	hash_file(x);
	usb_roles_restart(x->usb);
	free(x->bus);
	x->bus = NULL;
	text = manifest(x);
	ret = text ? go_through(x, fd, out, text, err) : edit_no_memory(err);
	free(text);
	if (!ret && out_of_memory(x))
		ret = edit_no_memory(err);
	if (ret)
		return -1;
	trawl_make_small(fd);
	return redact_check(x, fd, out, err);
}

void redact_free(struct redact *x)
{
	trawl_close(x->r);
	usb_roles_free(x->usb);
	system_files_free(&x->system_files);
	branch_replacer_free(&x->branches);
	free(x->bus);
	out_free(&x->kernel_tasks);
	removed_free(&x->removed);
	numbers_free(&x->addresses);
	numbers_free(&x->text_fields);
	free(x->texts);
	explicit_bzero(&x->key, sizeof(x->key));
}
