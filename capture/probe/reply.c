/* SPDX-License-Identifier: MIT */
#include "capture/probe/reply.h"

#include <ctype.h>

#include "capture/probe/list.h"
#include "capture/probe/names.h"
#include "capture/probe/wire.h"
#include "capture/sys/alloc.h"
#include "common/array.h"
#include "common/buildid.h"
#include "common/text.h"

enum {
	SITES_MAX = 1 << 20, /* sites of one probe */
	PROBES_MAX = 1 << 20,
	FETCH_MAX = 1 << 16, /* bytes of all arguments of a site; far more than the kernel takes */
	TEXT_MAX = 1 << 16,
};

/* The values that a site's exit and insn may have. */
static const char *const exits[] = {"", "return", "tail call", "exception", "longjmp"};
static const char *const insns[] = {"", "nop", "push", "branch", "step", "refused"};
#define NAMES(list) (list), ARRAY_SIZE(list)

/* ---- writing ------------------------------------------------------------------------------ */

static void put_arg_site(struct wire_out *o, const struct probe_arg_site *a)
{
	wire_put_text(o, a->note);
	wire_put_text(o, a->fetch);
	wire_put_text(o, a->why);
	wire_put_text(o, a->type);
	wire_put_number(o, a->state);
	wire_put_number(o, a->bits);
	wire_put_text(o, a->sib.base);
	wire_put_text(o, a->sib.index);
	wire_put_text(o, a->sib.window);
	wire_put_number(o, (uint64_t)a->sib.scale);
	wire_put_number(o, (uint64_t)a->sib.disp);
	wire_put_number(o, (uint64_t)a->sib.start);
	wire_put_number(o, a->sib.length);
}

static void put_site(struct wire_out *o, const struct probe *p, const struct probe_site *s)
{
	wire_put_number(o, s->offset);
	wire_put_number(o, s->vaddr);
	wire_put_number(o, s->ref_ctr);
	wire_put_number(o, s->semaphore);
	wire_put_text(o, s->symbol);
	wire_put_text(o, s->file);
	wire_put_number(o, s->line);
	wire_put_text(o, s->exit);
	wire_put_text(o, s->to);
	wire_put_text(o, s->insn);
	wire_put_text(o, s->fetchargs);
	for (size_t i = 0; i < p->nargs; i++)
		put_arg_site(o, &s->args[i]);
}

static void put_names(struct wire_out *o, const struct value_names *names)
{
	wire_put_number(o, names != NULL);
	if (!names)
		return;
	wire_put_text(o, names->otherwise);
	wire_put_number(o, names->is_signed);
	wire_put_number(o, names->n);
	for (size_t i = 0; i < names->n; i++) {
		wire_put_number(o, names->names[i].value);
		wire_put_text(o, names->names[i].name);
	}
}

static void put_probe(struct wire_out *o, const struct probe_list *list, const struct probe *p)
{
	size_t file = 0;

	while (list->files[file] != p->file)
		file++;
	wire_put_number(o, p->kind);
	wire_put_text(o, p->display_name);
	wire_put_text(o, p->event);
	wire_put_text(o, p->provider);
	wire_put_text(o, p->name);
	wire_put_number(o, file);
	wire_put_number(o, p->matched);
	wire_put_number(o, p->conditions);
	wire_put_text(o, p->note);
	wire_put_text(o, p->alone);
	wire_put_number(o, p->nargs);
	for (size_t i = 0; i < p->nargs; i++) {
		wire_put_text(o, p->args[i].name);
		wire_put_text(o, p->args[i].label);
		wire_put_text(o, p->args[i].type);
		wire_put_text(o, p->args[i].ctype);
		wire_put_number(o, p->args[i].show);
		wire_put_number(o, p->args[i].helper);
		put_names(o, p->args[i].values);
		wire_put_number(o, p->args[i].only_of);
		wire_put_text(o, p->args[i].only_if);
		wire_put_number(o, p->args[i].spent);
		wire_put_number(o, p->args[i].counted);
		wire_put_number(o, p->args[i].pointer);
		wire_put_number(o, p->args[i].length);
		wire_put_number(o, p->args[i].check);
		wire_put_number(o, p->args[i].of);
		wire_put_number(o, p->args[i].zeroed);
	}
	wire_put_number(o, p->nsites);
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

/*
 * The number of a probe in the old list, searched from `from` on; before->n if it is new. Probes
 * that remain keep their order.
 */
static size_t number_before(const struct reply_before *before, const struct probe *p, size_t from)
{
	while (from < before->n && before->probes[from] != p)
		from++;
	return from;
}

static void put_probes(struct wire_out *o, const struct probe_list *list,
		       const struct reply_before *before)
{
	size_t next = 0;

	wire_put_number(o, list->n);
	for (size_t i = 0; i < list->n; i++) {
		size_t old = number_before(before, list->probes[i], next);

		wire_put_number(o, old < before->n ? old : UINT64_MAX);
		if (old < before->n)
			next = old + 1;
		else
			put_probe(o, list, list->probes[i]);
	}
}

void *reply_write(const struct probe_list *list, const struct reply_before *before, int ret,
		  const struct trawl_error *err, size_t *n)
{
	struct wire_out o = {0};

	wire_put_number(&o, ret ? (uint64_t)err->status : 0);
	if (ret) {
		wire_put_text(&o, err->text);
	} else {
		wire_put_number(&o, list->nfiles);
		for (size_t i = 0; i < list->nfiles; i++)
			wire_put_text(&o, list->files[i]->build_id);
		wire_put_number(&o, list->nnotes - before->nnotes);
		for (size_t i = before->nnotes; i < list->nnotes; i++)
			wire_put_text(&o, list->notes[i]);
		put_probes(&o, list, before);
	}
	*n = o.n;
	return o.p;
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool several_lines(unsigned char c)
{
	return c == '\n' || c == '\t' || wire_line(c);
}

static bool identifier(unsigned char c)
{
	return is_word((char)c);
}

/*
 * No newline may get into a definition: uprobe_events takes each line for a definition of its own.
 */
static bool fetch_words(unsigned char c)
{
	return c >= ' ' && c < 127;
}

static void get_into(struct wire_in *in, char *buf, size_t size, wire_allowed_fn *allowed)
{
	char *s = wire_need_text(in, size - 1, allowed);

	snprintf(buf, size, "%s", s);
	free(s);
}

static const char *get_one_of(struct wire_in *in, const char *const *names, size_t n)
{
	char *s = wire_need_text(in, TEXT_MAX, wire_line);
	const char *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], s))
			found = names[i];
	in->bad |= !found;
	free(s);
	return found ? found : "";
}

static void get_arg_site(struct wire_in *in, struct probe_arg_site *a)
{
	a->note = wire_need_text(in, TEXT_MAX, wire_line);
	a->fetch = wire_need_text(in, FETCH_MAX, fetch_words);
	a->why = wire_need_text(in, TEXT_MAX, wire_line);
	get_into(in, a->type, sizeof(a->type), wire_line);
	a->state = (enum probe_arg_state)wire_number(in, PROBE_ARG_UNAVAILABLE);
	a->bits = (unsigned int)wire_number(in, 64);
	get_into(in, a->sib.base, sizeof(a->sib.base), identifier);
	get_into(in, a->sib.index, sizeof(a->sib.index), identifier);
	get_into(in, a->sib.window, sizeof(a->sib.window), identifier);
	a->sib.scale = (int)wire_number(in, UINT64_MAX);
	a->sib.disp = (int64_t)wire_number(in, UINT64_MAX);
	a->sib.start = (int64_t)wire_number(in, UINT64_MAX);
	a->sib.length = (unsigned int)wire_number(in, UINT32_MAX);
}

/* The offset must be inside the file. */
static void get_site(struct wire_in *in, const struct probe *p, struct probe_site *s)
{
	s->offset = wire_number(in, p->file->size);
	s->vaddr = wire_number(in, UINT64_MAX);
	s->ref_ctr = wire_number(in, UINT64_MAX);
	s->semaphore = wire_number(in, UINT64_MAX);
	s->symbol = wire_need_text(in, SIZE_MAX, wire_any);
	s->file = wire_need_text(in, SIZE_MAX, wire_any);
	s->line = (unsigned int)wire_number(in, UINT32_MAX);
	s->exit = get_one_of(in, NAMES(exits));
	s->to = wire_need_text(in, SIZE_MAX, wire_any);
	s->insn = get_one_of(in, NAMES(insns));
	s->fetchargs = wire_need_text(in, FETCH_MAX, fetch_words);
	s->args = xcalloc(p->nargs, sizeof(*s->args));
	for (size_t i = 0; i < p->nargs; i++)
		get_arg_site(in, &s->args[i]);
}

static struct value_names *get_names(struct wire_in *in)
{
	struct value_names *names = wire_number(in, 1) ? xcalloc(1, sizeof(*names)) : NULL;
	size_t n;

	if (!names)
		return NULL;
	names->otherwise = wire_text(in, TEXT_MAX, wire_line);
	names->is_signed = wire_number(in, 1);
	n = wire_number(in, VALUE_NAMES_MAX);
	for (size_t i = 0; i < n && !in->bad; i++) {
		uint64_t value = wire_number(in, UINT64_MAX);
		char *name = wire_need_text(in, TEXT_MAX, wire_line);

		value_names_add(names, name, value);
		free(name);
	}
	return names;
}

static void get_args(struct wire_in *in, struct probe *p)
{
	size_t n = wire_number(in, PROBE_ARGS_MAX);

	p->args = xcalloc(n, sizeof(*p->args));
	p->nargs = n;
	for (size_t i = 0; i < n; i++) {
		struct probe_arg *a = &p->args[i];

		get_into(in, a->name, sizeof(a->name), identifier);
		a->label = wire_text(in, PROBE_LABEL_MAX, wire_line);
		get_into(in, a->type, sizeof(a->type), wire_line);
		get_into(in, a->ctype, sizeof(a->ctype), wire_line);
		a->show = (enum probe_arg_show)wire_number(in, PROBE_SHOW_VARIANT);
		a->helper = wire_number(in, 1);
		a->values = get_names(in);
		a->only_of = wire_number(in, n);
		a->only_if = wire_text(in, TEXT_MAX, wire_line);
		in->bad |= !a->only_of != !a->only_if;
		a->spent = wire_number(in, 1);
		a->counted = (enum counted_form)wire_number(in, COUNTED_LIBCXX);
		a->pointer = wire_number(in, a->counted ? n - 1 : 0);
		a->length = wire_number(in, a->counted ? n - 1 : 0);
		a->check = (enum probe_check)wire_number(in, PROBE_CHECK_END);
		a->of = wire_number(in, n - 1);
		a->zeroed = wire_number(in, 1);
	}
}

static struct probe *get_probe(struct wire_in *in, const struct probe_list *list)
{
	struct probe *p = xcalloc(1, sizeof(*p));
	size_t n;

	p->kind = (enum probe_kind)wire_number(in, PROBE_USDT);
	p->display_name = wire_need_text(in, SIZE_MAX, wire_any);
	get_into(in, p->event, sizeof(p->event), identifier);
	in->bad |= !*p->event;
	p->provider = wire_need_text(in, SIZE_MAX, wire_any);
	p->name = wire_need_text(in, SIZE_MAX, wire_any);
	p->file = list->files[wire_number(in, list->nfiles - 1)];
	p->file->refs++;
	p->matched = wire_number(in, 1);
	p->conditions = (uint32_t)wire_number(in, (UINT32_C(2) << PROBE_CONDITIONS) - 1);
	p->note = wire_need_text(in, TEXT_MAX, wire_line);
	p->alone = wire_text(in, SIZE_MAX, wire_any);
	get_args(in, p);
	/* a site takes at least 10 numbers, and this bounds the allocation */
	n = wire_number(in, in->left / (10 * sizeof(uint64_t)));
	p->sites = xcalloc(n, sizeof(*p->sites));
	in->bad |= !n || n > SITES_MAX;
	for (size_t i = 0; i < n && !in->bad; i++) {
		get_site(in, p, &p->sites[i]);
		p->nsites++;
	}
	return p;
}

static int get_error(struct wire_in *in, uint64_t status, struct trawl_error *err)
{
	char *text = wire_need_text(in, sizeof(err->text), several_lines);
	int r = in->bad || !*text ? 1 : trawl_fail(err, (enum trawl_status)status, "%s", text);

	free(text);
	return r;
}

/* One for each file of the list; NULL: it has none. */
static char **get_build_ids(struct wire_in *in, const struct probe_list *list)
{
	size_t n = wire_number(in, list->nfiles);
	char **ids = xcalloc(list->nfiles, sizeof(*ids));

	in->bad |= n != list->nfiles;
	for (size_t i = 0; i < n && !in->bad; i++)
		ids[i] = wire_text(in, BUILD_ID_ROOM - 1, identifier);
	return ids;
}

/* Sets the files' build ids that are not known yet if the answer is valid. Frees ids. */
static void set_build_ids(struct probe_list *list, char **ids, bool valid)
{
	for (size_t i = 0; i < list->nfiles; i++) {
		if (valid && !list->files[i]->build_id)
			list->files[i]->build_id = ids[i];
		else
			free(ids[i]);
	}
	free(ids);
}

/*
 * Reads the probes of the new list into *got, old ones that remain (marked in kept) and new ones.
 */
static void get_probes(struct wire_in *in, const struct probe_list *list, struct probe_list *got,
		       bool *kept)
{
	size_t count = wire_number(in, PROBES_MAX), old, next = 0;

	for (size_t i = 0; i < count && !in->bad; i++) {
		struct probe *p;

		old = wire_number(in, UINT64_MAX);
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

/* Discards an invalid reply: frees what was made for it. */
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

/* Frees the old probes that are gone and replaces the list's array. */
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
	struct wire_in in = {bytes, n, false};
	struct probe_list got = {0};
	uint64_t status = wire_number(&in, TRAWL_CANNOT);
	char **ids;
	bool *kept;
	size_t count;

	if (in.bad || !list->nfiles)
		return 1;
	if (status)
		return get_error(&in, status, err);
	kept = xcalloc(list->n, sizeof(*kept));
	ids = get_build_ids(&in, list);
	count = wire_number(&in, in.left / sizeof(uint64_t));
	for (size_t i = 0; i < count && !in.bad; i++)
		probe_remark(&got, wire_need_text(&in, TEXT_MAX, wire_line));
	get_probes(&in, list, &got, kept);
	in.bad |= in.left > 0;
	set_build_ids(list, ids, !in.bad);
	if (in.bad)
		undo(list, &got);
	else
		take_over(list, &got, kept);
	free(kept);
	return in.bad;
}
