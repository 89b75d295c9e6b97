/* SPDX-License-Identifier: MIT */
/*
 * Resolves usdt: specs: makes probes from stapsdt notes.
 *
 * <sys/sdt.h> leaves a nop in the code and a note about it. `readelf -n samples/forms` shows this
 * one:
 *
 *	Provider: forms
 *	Name: sib
 *	Location: 0x1457, Base: 0x2b1c, Semaphore: 0x0
 *	Arguments: -4@(%rdi,%rsi,4)
 *
 *	Location   The address of the nop. A prelinker may have moved the program after the note
 *	           was written, by the address of the section .stapsdt.base minus Base.
 *	Semaphore  The address of a counter that must be above 0 for the site to be reached; 0 if
 *	           there is none. uprobe_events takes its file offset: PATH:OFFSET(SEMAPHORE).
 *	Arguments  SIZE@OPERAND each, the operand as the assembler writes it. A negative SIZE is
 *	           signed, an `f` after SIZE means floating point.
 *
 * The nop's file offset and a fetch argument for each operand make the line for uprobe_events:
 *
 *	p:g/forms_sib samples/forms:0x1457 arg1=\0:s32 arg1_base=%di:x64 arg1_idx=%si:s64
 *		arg1_win=+0(%di):x64[64]
 *
 * A fetch argument adds a constant to a register and dereferences the sum; it cannot add an index
 * register (%rsi * 4). Therefore three helper fields are recorded: the base, the index, and a
 * *window*, up to 512 bytes of memory at the base. trawl-decode takes the element from the window;
 * if the element is outside, it reports that there is no value. arg1 itself is recorded as a
 * constant, a placeholder.
 *
 * All sites of provider:name in a file become one event, whose fields have the same names and types
 * at every site. Compilers write different operands at each site, so a type is chosen per field
 * that suits all sites.
 */
#include "config.h"

#include <fnmatch.h>

#include "capture/sys/alloc.h"
#include "capture/probe/build.h"
#include "capture/probe/list.h"
#include "capture/probe/passed.h"
#include "capture/probe/resolve.h"
#include "capture/probe/usdt.h"
#include "common/compare.h"

enum {
	MAX_ARGS = 64,       /* arguments of a probe; <sys/sdt.h> allows 12 */
	WINDOW_WORDS = 64,   /* words of 8 bytes; the kernel's longest array */
	WINDOWS_TOTAL = 240, /* words of all windows; the kernel limits an event to 3072 bytes */
};

/* The probe being made. */
struct making {
	struct resolve *r;
	struct target *t;
	struct probe *p;
	struct usdt_note **notes; /* the notes of its sites */
	size_t nargs;             /* most arguments of a site */
	unsigned int window;      /* words of a window */
};

/* The k-th argument (from 0) of a note, or NULL. */
static const char *note_arg(const struct usdt_note *note, size_t k, size_t *len)
{
	const char *text = note->args, *arg;

	do {
		arg = operand_next(&text, len);
	} while (arg && k--);
	return arg;
}

static void argloc_of_arg(const struct making *m, size_t site, size_t k, struct argloc *argloc)
{
	const struct usdt_note *note = m->notes[site];
	struct operand op;
	size_t len;
	const char *text = note_arg(note, k, &len);

	if (!text) {
		*argloc = (struct argloc){ .form = ARGLOC_NONE };
		snprintf(argloc->why, sizeof(argloc->why), "this site has no argument %zu", k + 1);
		return;
	}
	operand_parse(text, len, &op);
	argloc_of_operand(&op, m->t->elf, note->vaddr, argloc);
}

/* ---- the type of a field ------------------------------------------------------------------ */

/* What the values of one argument have in common at all sites. */
struct common {
	bool any, same; /* some site has a value; all values have the same type */
	unsigned int bits;
	bool is_signed, is_float;
	bool sib;
};

static bool fits(uint64_t value, bool from_signed, unsigned int bits, bool is_signed)
{
	bool negative = from_signed && (int64_t)value < 0;

	if (is_signed) {
		int64_t high = (int64_t)(UINT64_MAX >> (65 - bits));

		return negative ? (int64_t)value >= -high - 1 : value <= (uint64_t)high;
	}
	return !negative && value <= UINT64_MAX >> (64 - bits);
}

static void join(struct common *c, const struct argloc *argloc)
{
	if (c->any && (c->bits != argloc->bits || c->is_signed != argloc->is_signed ||
		       c->is_float != argloc->is_float))
		c->same = false;
	else if (!c->any)
		c->same = true;
	c->any = true;
	c->is_signed = argloc->is_signed;
	c->is_float = c->is_float || argloc->is_float;
	if (argloc->bits > c->bits)
		c->bits = argloc->bits;
	/* Bits in the middle of a register can be recorded only as part of a wider field. */
	if (argloc->shift) {
		c->same = false;
		if (c->bits < 16)
			c->bits = 16;
	}
}

/*
 * Chooses one type for all sites. A constant has the type that its literal has in the source, so it
 * takes the type of the other sites if that can hold it.
 */
static struct common find_common(const struct argloc *places, size_t n)
{
	struct common c = { 0 };
	bool sib = false;

	for (size_t i = 0; i < n; i++) {
		sib |= places[i].form == ARGLOC_SIB;
		if (places[i].form == ARGLOC_EXPR || places[i].form == ARGLOC_SIB)
			join(&c, &places[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (places[i].form == ARGLOC_IMM &&
		    !(c.any && c.same && !c.is_float &&
		      fits(places[i].imm, places[i].is_signed, c.bits, c.is_signed)))
			join(&c, &places[i]);
	}
	c.sib = sib;
	return c;
}

static void common_type(const struct common *c, char *buf, size_t size)
{
	if (!c->any)
		snprintf(buf, size, "u8");
	else if (c->is_float && c->same)
		snprintf(buf, size, "x%u", c->bits);
	else
		snprintf(buf, size, "%c%u", c->same && c->is_signed ? 's' : 'u', c->bits);
}

/* ---- fields ------------------------------------------------------------------------------- */

static char *note_text(const struct making *m, size_t site, size_t k)
{
	size_t len;
	const char *text = note_arg(m->notes[site], k, &len);

	return text ? xstrndup(text, len) : xstrdup("");
}

/* Sets an argument at one site; its note is that of the probe's argument k. */
static void put(const struct making *m, size_t site, size_t arg, size_t k, struct arg_at_site is)
{
	char *note = note_text(m, site, k);

	is.note = note;
	probe_set_arg(m->p, site, arg, &is);
	free(note);
}

/*
 * Adds the helper fields base, index and window of an argument that is an array element at some
 * site.
 */
static void add_helpers(const struct making *m, size_t arg, size_t k, const struct argloc *places)
{
	char name[PROBE_ARG_NAME_MAX], text[PROBE_ARG_NAME_MAX + 8], type[16];
	size_t base, index, window;

	snprintf(name, sizeof(name), "%.*s", PROBE_ARG_NAME_MAX - 8, m->p->args[arg].name);
	snprintf(type, sizeof(type), "x64[%u]", m->window);
	snprintf(text, sizeof(text), "%s_base", name);
	base = probe_add_arg(m->p, text, "x64");
	snprintf(text, sizeof(text), "%s_idx", name);
	index = probe_add_arg(m->p, text, "s64");
	snprintf(text, sizeof(text), "%s_win", name);
	window = probe_add_arg(m->p, text, type);
	for (size_t i = 0; i < m->p->nsites; i++) {
		const struct argloc *argloc = &places[i];
		struct probe_sib *sib = &m->p->sites[i].args[arg].sib;
		bool used = argloc->form == ARGLOC_SIB;
		char fetch[128];
		struct arg_at_site is = { .fetch = fetch, .why = used ? NULL : "not needed here" };

		snprintf(fetch, sizeof(fetch), "%s:x64", used ? argloc->expr : "\\0");
		is.type = "x64";
		put(m, i, base, k, is);
		snprintf(fetch, sizeof(fetch), "%s:s64", used ? argloc->index : "\\0");
		is.type = "s64";
		put(m, i, index, k, is);
		snprintf(fetch, sizeof(fetch), "%s:%s", used ? argloc->window : "+0(%sp)", type);
		is.type = type;
		put(m, i, window, k, is);
		if (!used)
			continue;
		m->p->sites[i].args[arg].state = PROBE_ARG_COMPUTED;
		snprintf(sib->base, sizeof(sib->base), "%s", m->p->args[base].name);
		snprintf(sib->index, sizeof(sib->index), "%s", m->p->args[index].name);
		snprintf(sib->window, sizeof(sib->window), "%s", m->p->args[window].name);
		sib->scale = argloc->scale;
		sib->disp = argloc->disp;
		sib->length = m->window * 8;
	}
	m->p->args[base].helper = m->p->args[index].helper = m->p->args[window].helper = true;
	m->p->args[base].show = PROBE_SHOW_ADDR;
	m->p->args[window].show = PROBE_SHOW_HEX;
}

/*
 * The user's first ARG that is argN itself, without a dereference, for the k-th argument from 0; or
 * NULL.
 */
static const struct spec_arg *find_hint(const struct spec *spec, size_t k)
{
	char name[16];

	snprintf(name, sizeof(name), "arg%zu", k + 1);
	for (size_t i = 0; i < spec->nargs; i++) {
		if (!strcmp(spec->args[i].expr, name))
			return &spec->args[i];
	}
	return NULL;
}

static enum probe_arg_show show_of(const char *type, const struct common *c)
{
	enum probe_arg_show show = build_show(type);
	bool number = show == PROBE_SHOW_INT || show == PROBE_SHOW_HEX;

	return number && c->is_float && c->same ? PROBE_SHOW_FLOAT : show;
}

/* Adds the field of the notes' k-th argument, with helper fields if it needs them. */
static int add_note_arg(struct making *m, size_t k, struct argloc *places)
{
	const struct spec_arg *hint = find_hint(m->r->spec, k);
	char name[64], type[PROBE_TYPE_MAX], fetch[160], why[256], own[16];
	size_t nsites = m->p->nsites, arg, missing = 0;
	struct common c;

	for (size_t i = 0; i < nsites; i++)
		argloc_of_arg(m, i, k, &places[i]);
	c = find_common(places, nsites);
	common_type(&c, type, sizeof(type));
	if (hint && *hint->type)
		snprintf(type, sizeof(type), "%s",
			 strcmp(hint->type, "str") ? hint->type : "string");
	snprintf(name, sizeof(name), "arg%zu", k + 1);
	arg = probe_add_arg(m->p, hint && *hint->field ? hint->field : name, type);
	m->p->args[arg].show = show_of(type, &c);
	for (size_t i = 0; i < nsites; i++) {
		bool ok = argloc_fetch(&places[i], type, fetch, sizeof(fetch), why, sizeof(why));
		/*
		 * The type of the user's ARG or of the other sites is more reliable than the type
		 * of this site's literal.
		 */
		bool known = !ok || (hint && *hint->type) ||
			     (places[i].form == ARGLOC_IMM && c.same && !c.is_float);

		if (!ok && hint && *hint->type && places[i].form != ARGLOC_NONE)
			return spec_fail(m->r->spec, hint->at, m->r->err, "%s:%s: arg%zu: %s",
					 m->p->provider, m->p->name, k + 1, why);
		if (!ok)
			argloc_nothing(type, fetch, sizeof(fetch));
		missing += !ok;
		argloc_type(&places[i], own, sizeof(own));
		put(m, i, arg, k,
		    (struct arg_at_site){ .fetch = fetch, .type = known ? type : own,
					  .why = ok ? NULL : why });
	}
	if (missing == nsites) {
		probe_arg_missing(m->p, arg);
		for (size_t i = 0; i < nsites; i++) {
			free(m->p->sites[i].args[arg].fetch);
			m->p->sites[i].args[arg].fetch = xstrdup("\\0:u8");
			snprintf(m->p->sites[i].args[arg].type, PROBE_TYPE_MAX, "u8");
		}
	} else if (c.sib) {
		add_helpers(m, arg, k, places);
	}
	return 0;
}

/* ---- what the user adds ------------------------------------------------------------------- */

/* Parses "argN" with N in range. Complains with a caret. */
static int arg_number(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		      size_t *k)
{
	const char *s = arg->expr + e->at;
	char *end;
	unsigned long n = strncmp(s, "arg", 3) ? 0 : strtoul(s + 3, &end, 10);

	if (!n || end != s + e->len)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err,
				 "%.*s: a usdt probe's arguments are called arg1, arg2, ...",
				 (int)e->len, s);
	if (n > m->nargs)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err,
				 "%s:%s has no arg%lu; it has %zu argument%s", m->p->provider,
				 m->p->name, n, m->nargs, m->nargs == 1 ? "" : "s");
	*k = n - 1;
	return 0;
}

static int add_user_arg(struct making *m, size_t i, const struct fetch_expr *e)
{
	const struct spec_arg *arg = &m->r->spec->args[i];
	char *name = fetch_field_name(arg, e), fetch[512], symbol[128];
	struct arg_at_site is = { .fetch = fetch, .note = arg->expr };
	size_t k = 0, field;
	int ret = build_field_name(m->r, m->p, arg, e, name);

	if (ret == 0 && e->inner == FETCH_NAME)
		ret = arg_number(m, arg, e, &k);
	snprintf(symbol, sizeof(symbol), "%.*s", (int)e->len - 1, arg->expr + e->at + 1);
	is.type = build_user_type(arg, e, "");
	field = ret == 0 ? probe_add_arg(m->p, name, is.type) : 0;
	if (ret == 0)
		m->p->args[field].show = build_show(m->p->args[field].type);
	if (ret == 0)
		m->p->args[field].followed = e->depth;
	for (size_t site = 0; ret == 0 && site < m->p->nsites; site++) {
		struct argloc argloc = { 0 };
		const struct user_arg at = { arg, e, &argloc, "" };

		if (e->inner == FETCH_NAME)
			argloc_of_arg(m, site, k, &argloc);
		else if (e->inner == FETCH_SYMBOL)
			argloc_of_symbol(m->t->elf, symbol, m->notes[site]->vaddr, &argloc);
		ret = build_user_fetch(m->r, &at, fetch, sizeof(fetch));
		if (ret == 0)
			probe_set_arg(m->p, site, field, &is);
	}
	free(name);
	return ret;
}

/*
 * Checks all of the user's ARGs and adds those that do not just set name or type of a note's
 * argument.
 */
static int add_user_args(struct making *m)
{
	const struct spec *spec = m->r->spec;

	for (size_t i = 0; i < spec->nargs; i++) {
		const struct spec_arg *arg = &spec->args[i];
		struct fetch_type type;
		struct fetch_expr e;
		const char *why;
		size_t k;

		if (fetch_parse(spec, arg, &e, m->r->err) < 0)
			return -1;
		if (e.inner == FETCH_PARAMS || !strncmp(arg->expr + e.at, "$retval", 7))
			return spec_fail(spec, arg->at, m->r->err, "usdt: %.*s is for functions "
								   "only; a usdt probe has arg1, "
								   "arg2, ...", (int)e.len,
					 arg->expr + e.at);
		if (e.inner == FETCH_NAME && !e.depth && arg_number(m, arg, &e, &k) < 0)
			return -1;
		if (e.inner == FETCH_NAME && !e.depth && find_hint(spec, k) == arg) {
			if (*arg->type && !fetch_type_parse(arg->type, &type, &why))
				return spec_fail(spec, arg->at + strlen(arg->expr) + 1 +
						 (*arg->field ? strlen(arg->field) + 1 : 0),
						 m->r->err, "%s: %s", arg->type, why);
			if (*arg->field && !probe_arg_name_ok(arg->field))
				return build_field_name(m->r, m->p, arg, &e, arg->field);
		} else if (add_user_arg(m, i, &e) < 0) {
			return -1;
		}
	}
	return 0;
}

/* ---- probes ------------------------------------------------------------------------------- */

static size_t count_args(const struct usdt_note *note)
{
	const char *text = note->args;
	size_t n = 0, len;

	while (operand_next(&text, &len))
		n++;
	return n;
}

/* Sizes the windows so that all of them fit into an event. */
static void size_windows(struct making *m)
{
	size_t sibs = 0;

	for (size_t k = 0; k < m->nargs; k++) {
		struct argloc argloc;
		bool any = false;

		for (size_t i = 0; i < m->p->nsites && !any; i++) {
			argloc_of_arg(m, i, k, &argloc);
			any = argloc.form == ARGLOC_SIB;
		}
		sibs += any;
	}
	m->window = sibs > 3 ? WINDOWS_TOTAL / (unsigned int)sibs : WINDOW_WORDS;
	if (!m->window)
		m->window = 1;
}

static int make_args(struct making *m)
{
	struct argloc *places = xcalloc(m->p->nsites, sizeof(*places));
	int ret = 0;

	for (size_t k = 0; k < m->nargs && ret == 0; k++)
		ret = add_note_arg(m, k, places);
	free(places);
	return ret == 0 ? add_user_args(m) : -1;
}

/* Makes a probe of n sites, which are sorted by offset and distinct. */
static int make_probe(struct resolve *r, struct target *t, struct usdt_note **notes, size_t n)
{
	struct making m = { .r = r, .t = t, .notes = notes };
	char *display;
	int ret = -1;

	m.p = probe_add(r, PROBE_USDT, t, n);
	if (!m.p)
		return -1;
	free(m.p->provider);
	free(m.p->name);
	m.p->provider = xstrdup(notes[0]->provider);
	m.p->name = xstrdup(notes[0]->name);
	for (size_t i = 0; i < n; i++) {
		struct probe_site *site = &m.p->sites[i];
		size_t args = count_args(notes[i]);

		probe_site_init(site, t, notes[i]->vaddr, notes[i]->offset);
		site->semaphore = notes[i]->semaphore;
		site->ref_ctr = notes[i]->ref_ctr;
		if (args > m.nargs)
			m.nargs = args;
	}
	display = xasprintf("%s:%s", m.p->provider, m.p->name);
	if (m.nargs > MAX_ARGS) {
		trawl_fail(r->err, TRAWL_USAGE, "%s: %zu arguments in its note; at most %d are "
						"supported", display, m.nargs, MAX_ARGS);
	} else {
		size_windows(&m);
		ret = make_args(&m) < 0 ? -1 : probe_finish(r, m.p, display);
	}
	free(display);
	return ret;
}

static bool matches(const struct spec *spec, const struct usdt_note *note)
{
	return !fnmatch(spec->provider, note->provider, 0) && !fnmatch(spec->name, note->name, 0);
}

static void offer(struct resolve *r, const struct usdt_note *note)
{
	char *both;

	nearest_offer(&r->near, note->name);
	if (!strcmp(r->spec->provider, "*") || !strcmp(r->spec->provider, note->provider))
		return;
	/* The name matches and the provider does not. */
	if (!fnmatch(r->spec->name, note->name, 0) && !r->hint) {
		both = xasprintf("%s:%s: no such probe; there is %s:%s", r->spec->provider,
				 r->spec->name, note->provider, note->name);
		r->hint = both;
	}
}

/* Orders by provider and name, then by file offset. */
static int compare(const void *a, const void *b)
{
	const struct usdt_note *x = *(struct usdt_note *const *)a;
	const struct usdt_note *y = *(struct usdt_note *const *)b;
	int order = strcmp(x->provider, y->provider);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : compare_pairs(x->offset, y->offset, (uintptr_t)x, (uintptr_t)y);
}

static bool same_probe(const struct usdt_note *x, const struct usdt_note *y)
{
	return !strcmp(x->provider, y->provider) && !strcmp(x->name, y->name);
}

/* Collects the notes that the spec matches, sorted. */
static size_t collect(struct resolve *r, struct usdt_note *notes, size_t n,
		      struct usdt_note ***found)
{
	struct usdt_note **m = xcalloc(n, sizeof(*m));
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!matches(r->spec, &notes[i])) {
			offer(r, &notes[i]);
		} else if (notes[i].why) {
			free(r->hint);
			r->hint = xasprintf("%s:%s cannot be probed: %s", notes[i].provider,
					    notes[i].name, notes[i].why);
		} else {
			m[count++] = &notes[i];
		}
	}
	qsort(m, count, sizeof(*m), compare);
	*found = m;
	return count;
}

int resolve_usdt(struct resolve *r, struct target *t)
{
	size_t probes = 0;
	struct usdt_note *notes, **found, **sites;
	size_t n = usdt_read(t->elf, &notes), count = collect(r, notes, n, &found);
	int ret = 0;

	if (!n && !r->hint && !r->spec->pid)
		r->hint = xasprintf("%s: has no usdt probes (no stapsdt notes)", t->file->given);
	sites = xcalloc(count, sizeof(*sites));
	for (size_t i = 0, nsites; i < count && ret == 0; probes++) {
		size_t before = r->list->n;

		const struct usdt_note *first = found[i];

		/* Merged functions may have several notes at one address. */
		for (nsites = 0; i < count && same_probe(first, found[i]); i++) {
			if (!nsites || sites[nsites - 1]->offset != found[i]->offset)
				sites[nsites++] = found[i];
		}
		ret = make_probe(r, t, sites, nsites);
		if (ret < 0 && r->list->n > before && (i < count || probes)) {
			/* One of several matches lacks an ARG: it is skipped. */
			char *name = xasprintf("%s:%s", first->provider, first->name);

			passed_add(r, name);
			free(name);
			probe_drop(r->list, before);
			ret = 0;
		}
	}
	free(sites);
	free(found);
	usdt_free(notes, n);
	return ret;
}
