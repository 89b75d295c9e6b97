/* SPDX-License-Identifier: MIT */
#include "capture/probe/reply.h"

#include <ctype.h>

#include "capture/probe/list.h"
#include "capture/sys/alloc.h"

enum {
	SITES_MAX = 1 << 20, /* of a probe */
	PROBES_MAX = 1 << 20,
	FETCH_MAX = 1 << 16, /* all arguments of a site: longer ones the kernel never takes */
	TEXT_MAX = 1 << 16,
};

/* What a site's texts that are no copies may be. */
static const char *const exits[] = {"", "return", "tail call", "exception", "longjmp"};
static const char *const insns[] = {"", "nop", "push", "branch", "step", "refused"};
#define NAMES(list) (list), sizeof(list) / sizeof((list)[0])

/* ---- writing ------------------------------------------------------------------------------ */

struct out_bytes {
	char *p;
	size_t n, room;
};

static void put(struct out_bytes *o, const void *p, size_t n)
{
	if (!array_reserve(o->p, o->room, o->n + n))
		alloc_checked(NULL);
	memcpy(o->p + o->n, p, n);
	o->n += n;
}

static void put_number(struct out_bytes *o, uint64_t v)
{
	put(o, &v, sizeof(v));
}

/* NULL is told apart from "". */
static void put_text(struct out_bytes *o, const char *s)
{
	put_number(o, s ? strlen(s) : UINT64_MAX);
	if (s)
		put(o, s, strlen(s));
}

static void put_arg_site(struct out_bytes *o, const struct probe_arg_site *a)
{
	put_text(o, a->note);
	put_text(o, a->fetch);
	put_text(o, a->why);
	put_text(o, a->type);
	put_number(o, a->state);
	put_text(o, a->sib.base);
	put_text(o, a->sib.index);
	put_text(o, a->sib.window);
	put_number(o, (uint64_t)a->sib.scale);
	put_number(o, (uint64_t)a->sib.disp);
	put_number(o, (uint64_t)a->sib.start);
	put_number(o, a->sib.length);
}

static void put_site(struct out_bytes *o, const struct probe *p, const struct probe_site *s)
{
	put_number(o, s->offset);
	put_number(o, s->vaddr);
	put_number(o, s->ref_ctr);
	put_number(o, s->semaphore);
	put_text(o, s->symbol);
	put_text(o, s->file);
	put_number(o, s->line);
	put_text(o, s->exit);
	put_text(o, s->to);
	put_text(o, s->insn);
	put_text(o, s->fetchargs);
	for (size_t i = 0; i < p->nargs; i++)
		put_arg_site(o, &s->args[i]);
}

static void put_probe(struct out_bytes *o, const struct probe_list *list, const struct probe *p)
{
	size_t file = 0;

	while (list->files[file] != p->file)
		file++;
	put_number(o, p->kind);
	put_text(o, p->display_name);
	put_text(o, p->event);
	put_text(o, p->provider);
	put_text(o, p->name);
	put_number(o, file);
	put_number(o, p->matched);
	put_text(o, p->note);
	put_number(o, p->nargs);
	for (size_t i = 0; i < p->nargs; i++) {
		put_text(o, p->args[i].name);
		put_text(o, p->args[i].label);
		put_text(o, p->args[i].type);
		put_text(o, p->args[i].ctype);
		put_number(o, p->args[i].show);
		put_number(o, p->args[i].helper);
		put_number(o, p->args[i].spent);
		put_number(o, p->args[i].counted);
		put_number(o, p->args[i].pointer);
		put_number(o, p->args[i].length);
	}
	put_number(o, p->nsites);
	for (size_t i = 0; i < p->nsites; i++)
		put_site(o, p, &p->sites[i]);
}

struct reply_before reply_before(const struct probe_list *list)
{
	struct reply_before b = {.n = list->n, .nnotes = list->nnotes};

	b.probes = xcalloc(list->n, sizeof(*b.probes));
	if (list->n)
		memcpy(b.probes, list->probes, list->n * sizeof(*b.probes));
	return b;
}

/* The number of one that was there before; before->n: it is new. They keep their order. */
static size_t number_before(const struct reply_before *before, const struct probe *p, size_t from)
{
	while (from < before->n && before->probes[from] != p)
		from++;
	return from;
}

static void put_probes(struct out_bytes *o, const struct probe_list *list,
		       const struct reply_before *before)
{
	size_t next = 0;

	put_number(o, list->n);
	for (size_t i = 0; i < list->n; i++) {
		size_t old = number_before(before, list->probes[i], next);

		put_number(o, old < before->n ? old : UINT64_MAX);
		if (old < before->n)
			next = old + 1;
		else
			put_probe(o, list, list->probes[i]);
	}
}

void *reply_write(const struct probe_list *list, const struct reply_before *before, int ret,
		  const struct trawl_error *err, size_t *n)
{
	struct out_bytes o = {0};

	put_number(&o, ret ? (uint64_t)err->status : 0);
	if (ret) {
		put_text(&o, err->text);
	} else {
		put_number(&o, list->nfiles);
		for (size_t i = 0; i < list->nfiles; i++)
			put_text(&o, list->files[i]->build_id);
		put_number(&o, list->nnotes - before->nnotes);
		for (size_t i = before->nnotes; i < list->nnotes; i++)
			put_text(&o, list->notes[i]);
		put_probes(&o, list, before);
	}
	*n = o.n;
	return o.p;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Once bad, everything that is read is 0 or "". */
struct in_bytes {
	const char *p;
	size_t left;
	bool bad;
};

static uint64_t get_number(struct in_bytes *in, uint64_t most)
{
	uint64_t v;

	if (in->left < sizeof(v)) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->p, sizeof(v));
	in->p += sizeof(v);
	in->left -= sizeof(v);
	if (v <= most)
		return v;
	in->bad = true;
	return 0;
}

/* Which characters a text may have. */
typedef bool allowed_fn(unsigned char c);

static bool any_text(unsigned char c)
{
	return c >= ' ' && c != 127;
}

static bool several_lines(unsigned char c)
{
	return c == '\n' || c == '\t' || any_text(c);
}

static bool no_control_is_hidden(unsigned char c)
{
	return c != '\0'; /* a name of a program: what prints it escapes it */
}

static bool identifier(unsigned char c)
{
	return isalnum(c) || c == '_';
}

/* In uprobe_events a line is a definition: there must be no second one. */
static bool fetch_words(unsigned char c)
{
	return c >= ' ' && c < 127;
}

/* malloc'd; NULL where NULL was written. At most `most` bytes. */
static char *get_text(struct in_bytes *in, size_t most, allowed_fn *allowed)
{
	uint64_t n = get_number(in, UINT64_MAX);
	char *s;

	if (n == UINT64_MAX && !in->bad)
		return NULL;
	if (n > most || n > in->left)
		in->bad = true;
	if (in->bad)
		return xstrdup("");
	for (size_t i = 0; i < n; i++)
		in->bad |= !allowed((unsigned char)in->p[i]);
	s = xstrndup(in->p, n);
	in->p += n;
	in->left -= n;
	return s;
}

/* One that must be there. */
static char *need_text(struct in_bytes *in, size_t most, allowed_fn *allowed)
{
	char *s = get_text(in, most, allowed);

	in->bad |= !s;
	return s ? s : xstrdup("");
}

static void get_into(struct in_bytes *in, char *buf, size_t size, allowed_fn *allowed)
{
	char *s = need_text(in, size - 1, allowed);

	snprintf(buf, size, "%s", s);
	free(s);
}

static const char *get_one_of(struct in_bytes *in, const char *const *names, size_t n)
{
	char *s = need_text(in, TEXT_MAX, any_text);
	const char *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], s))
			found = names[i];
	in->bad |= !found;
	free(s);
	return found ? found : "";
}

static void get_arg_site(struct in_bytes *in, struct probe_arg_site *a)
{
	a->note = need_text(in, TEXT_MAX, any_text);
	a->fetch = need_text(in, FETCH_MAX, fetch_words);
	a->why = need_text(in, TEXT_MAX, any_text);
	get_into(in, a->type, sizeof(a->type), any_text);
	a->state = (enum probe_arg_state)get_number(in, PROBE_ARG_UNAVAILABLE);
	get_into(in, a->sib.base, sizeof(a->sib.base), identifier);
	get_into(in, a->sib.index, sizeof(a->sib.index), identifier);
	get_into(in, a->sib.window, sizeof(a->sib.window), identifier);
	a->sib.scale = (int)get_number(in, UINT64_MAX);
	a->sib.disp = (int64_t)get_number(in, UINT64_MAX);
	a->sib.start = (int64_t)get_number(in, UINT64_MAX);
	a->sib.length = (unsigned int)get_number(in, UINT32_MAX);
}

/* Places are in the file. */
static void get_site(struct in_bytes *in, const struct probe *p, struct probe_site *s)
{
	s->offset = get_number(in, p->file->size);
	s->vaddr = get_number(in, UINT64_MAX);
	s->ref_ctr = get_number(in, UINT64_MAX);
	s->semaphore = get_number(in, UINT64_MAX);
	s->symbol = need_text(in, SIZE_MAX, no_control_is_hidden);
	s->file = need_text(in, SIZE_MAX, no_control_is_hidden);
	s->line = (unsigned int)get_number(in, UINT32_MAX);
	s->exit = get_one_of(in, NAMES(exits));
	s->to = need_text(in, SIZE_MAX, no_control_is_hidden);
	s->insn = get_one_of(in, NAMES(insns));
	s->fetchargs = need_text(in, FETCH_MAX, fetch_words);
	s->args = xcalloc(p->nargs, sizeof(*s->args));
	for (size_t i = 0; i < p->nargs; i++)
		get_arg_site(in, &s->args[i]);
}

static void get_args(struct in_bytes *in, struct probe *p)
{
	size_t n = get_number(in, PROBE_ARGS_MAX);

	p->args = xcalloc(n, sizeof(*p->args));
	p->nargs = n;
	for (size_t i = 0; i < n; i++) {
		struct probe_arg *a = &p->args[i];

		get_into(in, a->name, sizeof(a->name), identifier);
		a->label = get_text(in, PROBE_LABEL_MAX, any_text);
		get_into(in, a->type, sizeof(a->type), any_text);
		get_into(in, a->ctype, sizeof(a->ctype), any_text);
		a->show = (enum probe_arg_show)get_number(in, PROBE_SHOW_FLOAT);
		a->helper = get_number(in, 1);
		a->spent = get_number(in, 1);
		a->counted = (enum counted_form)get_number(in, COUNTED_LIBCXX);
		a->pointer = get_number(in, a->counted ? n - 1 : 0);
		a->length = get_number(in, a->counted ? n - 1 : 0);
	}
}

static struct probe *get_probe(struct in_bytes *in, const struct probe_list *list)
{
	struct probe *p = xcalloc(1, sizeof(*p));
	size_t n;

	p->kind = (enum probe_kind)get_number(in, PROBE_USDT);
	p->display_name = need_text(in, SIZE_MAX, no_control_is_hidden);
	get_into(in, p->event, sizeof(p->event), identifier);
	in->bad |= !*p->event;
	p->provider = need_text(in, SIZE_MAX, no_control_is_hidden);
	p->name = need_text(in, SIZE_MAX, no_control_is_hidden);
	p->file = list->files[get_number(in, list->nfiles - 1)];
	p->file->refs++;
	p->matched = get_number(in, 1);
	p->note = need_text(in, TEXT_MAX, any_text);
	get_args(in, p);
	/* a site has 10 numbers or lengths at least */
	n = get_number(in, in->left / (10 * sizeof(uint64_t)));
	p->sites = xcalloc(n, sizeof(*p->sites));
	in->bad |= !n || n > SITES_MAX;
	for (size_t i = 0; i < n && !in->bad; i++) {
		get_site(in, p, &p->sites[i]);
		p->nsites++;
	}
	return p;
}

static int get_error(struct in_bytes *in, uint64_t status, struct trawl_error *err)
{
	char *text = need_text(in, sizeof(err->text), several_lines);
	int r = in->bad || !*text ? 1 : trawl_fail(err, (enum trawl_status)status, "%s", text);

	free(text);
	return r;
}

static void get_build_ids(struct in_bytes *in, struct probe_list *list)
{
	size_t n = get_number(in, list->nfiles);

	in->bad |= n != list->nfiles;
	for (size_t i = 0; i < n && !in->bad; i++) {
		char *id = get_text(in, 128, identifier);

		if (list->files[i]->build_id || !id) {
			free(id);
			continue;
		}
		list->files[i]->build_id = id;
	}
}

/* The probes of the list in their new order, those that are kept, and in `got` all that are new. */
static void get_probes(struct in_bytes *in, const struct probe_list *list, struct probe_list *got,
		       bool *kept)
{
	size_t count = get_number(in, PROBES_MAX), old, next = 0;

	for (size_t i = 0; i < count && !in->bad; i++) {
		struct probe *p;

		old = get_number(in, UINT64_MAX);
		if (old == UINT64_MAX) {
			p = get_probe(in, list);
		} else if (old >= next && old < list->n) {
			p = list->probes[old];
			kept[old] = true;
			next = old + 1;
		} else {
			in->bad = true;
			return;
		}
		xgrow(got->probes, got->n);
		got->probes[got->n++] = p;
	}
}

static bool is_old(const struct probe_list *list, const struct probe *p)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->probes[i] == p)
			return true;
	return false;
}

/* Nothing has happened: what was made goes. */
static void undo(const struct probe_list *list, struct probe_list *got)
{
	for (size_t i = 0; i < got->nnotes; i++)
		free(got->notes[i]);
	for (size_t i = 0; i < got->n; i++)
		if (!is_old(list, got->probes[i]))
			probe_free(got->probes[i]);
	free(got->notes);
	free(got->probes);
}

/* The old probes that are gone are freed, and the new array takes the place of the old. */
static void take_over(struct probe_list *list, struct probe_list *got, const bool *kept)
{
	for (size_t i = 0; i < list->n; i++)
		if (!kept[i])
			probe_free(list->probes[i]);
	free(list->probes);
	list->probes = got->probes;
	list->n = got->n;
	for (size_t i = 0; i < got->nnotes; i++)
		probe_remark(list, got->notes[i]);
	free(got->notes);
}

int reply_read(const void *bytes, size_t n, struct probe_list *list, struct trawl_error *err)
{
	struct in_bytes in = {bytes, n, false};
	struct probe_list got = {0};
	uint64_t status = get_number(&in, TRAWL_CANNOT);
	bool *kept;
	size_t count;

	if (in.bad || !list->nfiles)
		return 1;
	if (status)
		return get_error(&in, status, err);
	kept = xcalloc(list->n, sizeof(*kept));
	get_build_ids(&in, list);
	count = get_number(&in, in.left / sizeof(uint64_t));
	for (size_t i = 0; i < count && !in.bad; i++)
		probe_remark(&got, need_text(&in, TEXT_MAX, any_text));
	get_probes(&in, list, &got, kept);
	in.bad |= in.left > 0;
	if (in.bad)
		undo(list, &got);
	else
		take_over(list, &got, kept);
	free(kept);
	return in.bad;
}
