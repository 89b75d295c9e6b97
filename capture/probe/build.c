/* SPDX-License-Identifier: MIT */
/* Building probes field by field, within the kernel's limits. */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>

#include "capture/sys/alloc.h"
#include "capture/probe/build.h"
#include "capture/probe/list.h"
#include "capture/probe/cxx.h"
#include "capture/probe/definition.h"
#include "capture/probe/insn.h"
#include "common/array.h"
#include "common/interrupted.h"
#include "common/text.h"
#include "common/utf8.h"

/* ---- files and sites -------------------------------------------------------------------- */

int target_open(struct target *t, struct probe_file *file, struct trawl_error *err)
{
	*t = (struct target){ .file = file };
	t->elf = elf_open(file->fd, file->given, file->path, err);
	if (!t->elf)
		return -1;
	t->dwarf = dwarf_open(t->elf, &t->no_dwarf);
	if (!file->build_id)
		file->build_id = xstrdup(t->elf->build_id);
	return 0;
}

struct code *target_code(struct target *t)
{
	if (!t->code)
		t->code = code_open(t->elf);
	return t->code;
}

void target_close(struct target *t)
{
	code_close(t->code);
	if (t->dwarf)
		dwarf_close(t->dwarf);
	elf_free(t->elf);
}

struct probe *probe_add(struct resolve *r, enum probe_kind kind, struct target *t, size_t n)
{
	struct probe_list *list = r->list;
	struct probe *p;

	if (is_interrupted()) {
		r->over = true;
		trawl_fail(r->err, TRAWL_CANNOT, "%s: interrupted before anything was recorded",
			   r->spec->text);
		return NULL;
	}
	if (list->n - r->before - r->more >= r->limit) {
		r->over = true;
		trawl_fail(r->err, TRAWL_USAGE,
			   "%s: matches more than %zu probes; narrow the pattern", r->spec->text,
			   r->limit);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->kind = kind;
	p->file = t->file;
	t->file->refs++;
	p->provider = xstrdup("");
	p->name = xstrdup("");
	p->note = xstrdup("");
	p->nsites = n;
	p->sites = xcalloc(n, sizeof(*p->sites));
	xgrow(list->probes, list->n);
	list->probes[list->n++] = p;
	return p;
}

char *build_readable(char *symbol)
{
	size_t len = strcspn(symbol, "+");
	char *mangled = xstrndup(symbol, len), *text = symbol;
	struct cxx_name name;

	if (cxx_demangle(mangled, &name)) {
		text = xasprintf("%s%s", name.name, symbol + len);
		free(symbol);
		cxx_free(&name);
	}
	free(mangled);
	return text;
}

void probe_site_init(struct probe_site *site, struct target *t, uint64_t vaddr, uint64_t offset)
{
	site->vaddr = vaddr;
	site->offset = offset;
	site->symbol = build_readable(elf_describe(t->elf, vaddr));
	if (!dwarf_line_at(t->dwarf, vaddr, &site->file, &site->line))
		site->file = xstrdup("");
	site->insn = insn_class(t->elf, vaddr);
	site->exit = "";
	site->to = xstrdup("");
}

/* ---- arguments ----------------------------------------------------------------------------- */

static bool probe_has_arg(const struct probe *p, const char *name)
{
	for (size_t i = 0; i < p->nargs; i++) {
		if (!strcmp(p->args[i].name, name))
			return true;
	}
	return false;
}

/* Names that tracefs itself uses in every event. */
static bool common_field(const char *name)
{
	static const char *const taken[] = { "common_type", "common_flags", "common_preempt_count",
					     "common_pid", "common_tgid", "__probe_ip",
					     "__probe_func", "__probe_ret_ip" };

	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		if (!strcmp(name, taken[i]))
			return true;
	}
	return false;
}

bool probe_arg_name_ok(const char *name)
{
	size_t n = 0;

	while (is_word(name[n]))
		n++;
	return n && n < PROBE_ARG_NAME_MAX && !name[n] && !isdigit((unsigned char)*name) &&
	       !common_field(name);
}

/*
 * Writes the C identifier nearest to `name` into buf, of at most room - 1 bytes; room is at least
 * 5. '_' replaces each character that an identifier cannot have and precedes a leading digit:
 * "5a::b" becomes "_5a__b".
 */
static void identifier(const char *name, char *buf, size_t room)
{
	size_t n = 0;

	for (; *name && n < room - 1; name++) {
		/* A multi-byte UTF-8 character becomes one '_'. */
		if (((unsigned char)*name & 0xc0) == 0x80)
			continue;
		if (!n && isdigit((unsigned char)*name))
			buf[n++] = '_';
		buf[n++] = isalnum((unsigned char)*name) ? *name : '_';
	}
	if (!n)
		buf[n++] = '_';
	buf[n] = '\0';
}

/*
 * Writes a field name that the probe does not have yet, of at most room - 1 bytes; room is at least
 * 5: the identifier nearest to `name`, cut to fit, with _2, _3, ... appended as needed.
 */
static void unique_arg_name(const struct probe *p, const char *name, char *buf, size_t room)
{
	char base[PROBE_ARG_NAME_MAX], tail[16] = "";

	identifier(name, base, sizeof(base));
	for (size_t i = 2;; i++) {
		snprintf(buf, room, "%.*s%s", (int)(room - 1 - strlen(tail)), base, tail);
		if (!probe_has_arg(p, buf) && probe_arg_name_ok(buf))
			return;
		snprintf(tail, sizeof(tail), "_%zu", i);
	}
}

/*
 * True if a name may be shown as it is: valid UTF-8 without blanks, quotes and control characters.
 */
static bool presentable(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	size_t n = strlen(name);

	if (!n || n >= PROBE_LABEL_MAX)
		return false;
	while (*s) {
		size_t bad, len = utf8_length(s, n, &bad);

		if (!len || (len == 1 && (*s <= ' ' || *s == 0x7f || strchr("\"'\\=,", *s))))
			return false;
		/* C1 control characters */
		if (len == 2 && s[0] == 0xc2 && s[1] < 0xa0)
			return false;
		s += len;
		n -= len;
	}
	return true;
}

/* Gives the argument the program's own name as its label, unless another argument has this name. */
static void set_label(struct probe *p, size_t k, const char *name)
{
	if (p->args[k].label || !strcmp(p->args[k].name, name) || !presentable(name) ||
	    common_field(name) || probe_has_arg(p, name))
		return;
	for (size_t i = 0; i < p->nargs; i++) {
		if ( p->args[i].label && !strcmp(p->args[i].label, name))
			return;
	}
	p->args[k].label = xstrdup(name);
}

size_t probe_add_arg(struct probe *p, const char *name, const char *type)
{
	char fit[PROBE_ARG_NAME_MAX];
	size_t k = p->nargs;

	unique_arg_name(p, name, fit, sizeof(fit));
	xgrow(p->args, k);
	p->args[k] = (struct probe_arg){ 0 };
	snprintf(p->args[k].name, sizeof(p->args[k].name), "%s", fit);
	snprintf(p->args[k].type, sizeof(p->args[k].type), "%s", type);
	for (size_t i = 0; i < p->nsites; i++) {
		struct probe_site *site = &p->sites[i];

		xgrow(site->args, k);
		site->args[k] = (struct probe_arg_site){ 0 };
	}
	p->nargs++;
	set_label(p, k, name);
	return k;
}

void probe_set_arg(struct probe *p, size_t site, size_t arg, const struct arg_at_site *is)
{
	struct probe_arg_site *a = &p->sites[site].args[arg];

	a->note = xstrdup(is->note ? is->note : "");
	a->fetch = xstrdup(is->fetch);
	a->why = xstrdup(is->why ? is->why : "");
	a->state = is->why ? PROBE_ARG_UNAVAILABLE : is->bits ? PROBE_ARG_COMPUTED :
							PROBE_ARG_EXACT;
	a->bits = is->bits;
	snprintf(a->type, sizeof(a->type), "%s", is->type);
}

void probe_set_missing(struct probe *p, size_t site, size_t arg, const char *note, const char *why)
{
	const struct arg_at_site zero = { .fetch = "\\0:u8", .type = "u8", .note = note,
					  .why = why };

	probe_set_arg(p, site, arg, &zero);
}

void probe_arg_missing(struct probe *p, size_t arg)
{
	char whole[PROBE_ARG_NAME_MAX], cut[PROBE_ARG_NAME_MAX], *label = p->args[arg].label;

	/* The old name must not count as taken while the new one is chosen. */
	snprintf(whole, sizeof(whole), "%.*s_na", PROBE_ARG_NAME_MAX - (int)sizeof("_na"),
		 p->args[arg].name);
	p->args[arg].name[0] = '\0';
	unique_arg_name(p, whole, cut, sizeof(cut));
	snprintf(p->args[arg].name, sizeof(p->args[arg].name), "%s", cut);
	if (label) {
		p->args[arg].label = xasprintf("%s_na", label);
		free(label);
	}
	snprintf(p->args[arg].type, sizeof(p->args[arg].type), "u8");
}

/* ---- what users write ------------------------------------------------------------------------ */

int build_field_name(struct resolve *r, const struct probe *p, const struct spec_arg *arg,
		     const struct fetch_expr *e, const char *name)
{
	/* A parameter's name need not be an identifier: probe_add_arg() makes it one. */
	if ((*arg->field || e->inner != FETCH_NAME) && !probe_arg_name_ok(name))
		return spec_fail(r->spec, arg->at, r->err, "%s: not a name for a field (a C "
				 "identifier of at most %d letters that tracefs does not use)",
				 name, PROBE_ARG_NAME_MAX - 1);
	/*
	 * Two ARGs that dereference the same register may record different things, so their names
	 * are made unique instead of refused.
	 */
	if ((*arg->field || !e->depth) && probe_has_arg(p, name))
		return spec_fail(r->spec, arg->at, r->err, "%s: there is a field of this name "
				 "already; write OTHER=%s", name, arg->expr);
	return 0;
}

size_t build_inner_at(const struct spec_arg *arg, const struct fetch_expr *e)
{
	return arg->at + (*arg->field ? strlen(arg->field) + 1 : 0) + e->at;
}

const char *build_user_type(const struct spec_arg *arg, const struct fetch_expr *e,
			    const char *fallback)
{
	if (*arg->type)
		return strcmp(arg->type, "str") ? arg->type : "string";
	if (*fallback)
		return fallback;
	return e->inner == FETCH_COMM ? "string" : "x64";
}

/*
 * The location of a register that the user names. The kernel's names come first: %di is the whole
 * 64-bit register, not the 16-bit one of the assembler.
 */
static struct argloc register_place(const char *s, size_t len)
{
	static const char *const whole[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip",
					     "flags", "cs", "ss", "orig_ax" };
	struct argloc argloc = { .form = ARGLOC_EXPR };
	struct reg reg;
	bool kernel = false;

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		kernel |= strlen(whole[i]) == len && !memcmp(whole[i], s, len);
	if (kernel || !reg_find(s, len, &reg)) {
		snprintf(argloc.expr, sizeof(argloc.expr), "%%%.*s", (int)len, s);
	} else {
		snprintf(argloc.expr, sizeof(argloc.expr), "%%%s", reg.pt);
		argloc.bits = reg.bits < 64 ? reg.bits : 0;
		argloc.shift = reg.shift;
	}
	return argloc;
}

/* Writes the innermost operand of a dereference. */
static int inner_text(struct resolve *r, const struct argloc *argloc, size_t at, char *buf,
		      size_t size)
{
	if (argloc->form == ARGLOC_NONE)
		return spec_fail(r->spec, at, r->err, "%s: no value: %s", r->spec->path,
				 argloc->why);
	if (argloc->form == ARGLOC_SIB || argloc->is_float || (argloc->bits && argloc->bits != 64))
		return spec_fail(r->spec, at, r->err, "%s: a %s of %u bytes%s cannot be "
				 "followed as a pointer", r->spec->path,
				 argloc->is_float ? "floating-point number" : "value",
				 argloc->bits ? argloc->bits / 8 : 8,
				 argloc->form == ARGLOC_SIB ? " in an array" : "");
	if (argloc->form == ARGLOC_IMM)
		snprintf(buf, size, "\\0x%" PRIx64, argloc->imm);
	else
		snprintf(buf, size, "%s", argloc->expr);
	return 0;
}

/* Writes the fetch argument of an ARG that dereferences nothing. */
static int direct_text(struct resolve *r, const struct user_arg *a, const struct argloc *argloc,
		       char *buf, size_t size)
{
	const struct spec_arg *arg = a->arg;
	const struct fetch_expr *e = a->e;
	const char *fallback = a->fallback;
	char why[256], own[16] = "";

	if (!*arg->type && argloc->bits && !*fallback) {
		snprintf(own, sizeof(own), "u%u", argloc->shift ? 16 : argloc->bits);
		fallback = own;
	}
	if (argloc_fetch(argloc, build_user_type(arg, e, fallback), buf, size, why, sizeof(why)))
		return 0;
	return spec_fail(r->spec, build_inner_at(arg, e), r->err, "%s: %.*s: %s", r->spec->path,
			 (int)e->len, arg->expr + e->at, why);
}

enum probe_arg_show build_show(const char *type)
{
	struct fetch_type t;
	const char *why;

	if (!fetch_type_parse(type, &t, &why))
		return PROBE_SHOW_INT;
	return t.is_string ? PROBE_SHOW_TEXT : t.sign == 'c' ? PROBE_SHOW_CHAR :
	       t.sign == 'x' ? PROBE_SHOW_HEX : PROBE_SHOW_INT;
}

int build_user_fetch(struct resolve *r, const struct user_arg *a, char *buf, size_t size)
{
	const struct spec_arg *arg = a->arg;
	const struct fetch_expr *e = a->e;
	const struct argloc *argloc = a->argloc;
	const char *expr = arg->expr, *inner = expr + e->at, *why;
	size_t tail = e->at + e->len, at = build_inner_at(arg, e);
	struct argloc own = { .form = ARGLOC_EXPR };
	struct fetch_type type = { 0 };
	char text[256];

	if (*arg->type && !fetch_type_parse(arg->type, &type, &why))
		return spec_fail(r->spec, at + e->len + (strlen(expr) - tail) + 1, r->err, "%s: %s",
				 arg->type, why);
	if (e->inner == FETCH_REG) {
		own = register_place(inner + 1, e->len - 1);
		argloc = &own;
	} else if (e->inner == FETCH_VAR && e->len < sizeof(own.expr)) {
		snprintf(own.expr, sizeof(own.expr), "%.*s", (int)e->len, inner);
		argloc = &own;
	} else if (e->inner != FETCH_NAME && e->inner != FETCH_SYMBOL) {
		/* A constant, an address or $comm: the kernel takes the expression as it is. */
		snprintf(buf, size, "%s%s%s", expr, *arg->type ? ":" : "",
			 *arg->type ? build_user_type(arg, e, "") : "");
		return 0;
	}
	/* "@SYMBOL:string" already reads the memory at the symbol: no pointer is followed. */
	if (!e->depth && !(e->inner == FETCH_SYMBOL && (type.is_string || type.count)))
		return direct_text(r, a, argloc, buf, size);
	if (inner_text(r, argloc, at, text, sizeof(text)) < 0)
		return -1;
	snprintf(buf, size, "%.*s%s%s:%s", (int)e->at, expr, text, expr + tail,
		 build_user_type(arg, e, a->fallback));
	return 0;
}

/* ---- names and limits --------------------------------------------------------------------- */

/* FNV-1a; keeps long names distinct after they are cut. */
static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static void take_names(struct resolve *r, size_t i)
{
	const struct probe *p = r->list->probes[i];

	if (!p->display_name)
		return;
	taken_add(&r->taken, p->display_name, i);
	taken_add(&r->taken, p->event, i);
}

/* Probes of the list that have names when the first new one gets its own. */
static void note_taken(struct resolve *r)
{
	for (size_t i = 0; i < r->list->n && !r->has_taken; i++)
		take_names(r, i);
	r->has_taken = true;
}

static const char *event_of(const struct probe *p)
{
	return p->event;
}

static const char *display_of(const struct probe *p)
{
	return p->display_name ? p->display_name : "";
}

/* Whether another probe of the list has this name, as name_of() returns it. */
static bool is_taken(const struct resolve *r, const struct probe *self, const char *name,
		     const char *(*name_of)(const struct probe *p))
{
	const struct probe_list *list = r->list;

	for (size_t at = 0, i; taken_next(&r->taken, name, &at, &i);) {
		const struct probe *p = i < list->n ? list->probes[i] : self;

		if (p != self && !p->covered && !strcmp(name_of(p), name))
			return true;
	}
	return false;
}

/*
 * Makes the event's name in tracefs from the display name: a C identifier, short enough and unique.
 */
static void name_event(const struct resolve *r, struct probe *p)
{
	const char *from = p->display_name;
	char name[PROBE_NAME_MAX], tail[16] = "";
	size_t n = 0;

	if (isdigit((unsigned char)*from))
		name[n++] = '_';
	for (; *from && n < sizeof(name) - 1; from++)
		name[n++] = isalnum((unsigned char)*from) ? *from : '_';
	name[n] = '\0';
	if (*from)
		snprintf(tail, sizeof(tail), "_%08x", hash(p->display_name));
	for (unsigned int i = 2;; i++) {
		snprintf(p->event, sizeof(p->event), "%.*s%s",
			 (int)(sizeof(p->event) - 1 - strlen(tail)), name, tail);
		if (!is_taken(r, p, p->event, event_of))
			return;
		snprintf(tail, sizeof(tail), "_%u", i);
	}
}

/*
 * Sets a display name that is unique in the list: "provider:probe"; if another file has that,
 * "provider:probe@FILE"; if that exists too, "provider:probe@FILE#2".
 */
static void name_display(const struct resolve *r, struct probe *p, const char *display)
{
	char *again;

	p->display_name = xstrdup(display);
	if (is_taken(r, p, p->display_name, display_of) && p->kind == PROBE_USDT) {
		free(p->display_name);
		p->display_name = xasprintf("%s@%s", display, probe_file_name(p->file));
	}
	again = xstrdup(p->display_name);
	for (unsigned int i = 2; is_taken(r, p, p->display_name, display_of); i++) {
		free(p->display_name);
		p->display_name = xasprintf("%s#%u", again, i);
	}
	free(again);
}

/* Shortens the field's name if "name=fetch" exceeds the kernel's limit. */
static int fit_arg(struct resolve *r, struct probe *p, size_t k)
{
	struct probe_arg *arg = &p->args[k];
	size_t longest = 0, room, name = strlen(arg->name);
	char whole[PROBE_ARG_NAME_MAX], cut[PROBE_ARG_NAME_MAX];

	for (size_t i = 0; i < p->nsites; i++) {
		size_t len = strlen(p->sites[i].args[k].fetch);

		longest = len > longest ? len : longest;
	}
	if (name + 1 + longest <= PROBE_ARG_MAX)
		return 0;
	room = longest + 1 < PROBE_ARG_MAX ? PROBE_ARG_MAX - 1 - longest : 0;
	if (room < 4)
		return trawl_fail(r->err, TRAWL_USAGE,
				  "%s: argument %s: the kernel takes at most %d characters for an "
				  "argument, and '%s' has %zu; use fewer levels or shorter offsets",
				  p->display_name, arg->name, PROBE_ARG_MAX,
				  p->sites[0].args[k].fetch, longest);
	/* The old name must not count as taken while the new one is chosen. */
	memcpy(whole, arg->name, sizeof(whole));
	arg->name[0] = '\0';
	unique_arg_name(p, whole, cut, room + 1 < sizeof(cut) ? room + 1 : sizeof(cut));
	snprintf(arg->name, sizeof(arg->name), "%s", cut);
	set_label(p, k, whole);
	return 0;
}

static void join_args(struct probe *p, struct probe_site *site)
{
	char *text = xstrdup("");

	for (size_t k = 0; k < p->nargs; k++) {
		char *more = xasprintf("%s%s%s=%s", text, k ? " " : "", p->args[k].name,
				       site->args[k].fetch);

		free(text);
		text = more;
	}
	site->fetchargs = text;
}

/* True if the spec is a pattern and may match several probes. */
static bool by_pattern(const struct spec *spec)
{
	static const char chars[] = "*?[";

	if (spec->kind == SPEC_UPROBE)
		return strpbrk(spec->symbol, chars);
	/* The parser sets the provider "*" if the user gave none. */
	return strpbrk(spec->name, chars) ||
	       (strcmp(spec->provider, "*") && strpbrk(spec->provider, chars));
}

bool probe_same_place(const struct probe *a, const struct probe *b)
{
	if (a->kind != b->kind || a->file != b->file || a->nsites != b->nsites)
		return false;
	for (size_t i = 0; i < a->nsites; i++) {
		/* The first instruction of a function may be the one that leaves it. */
		if (a->sites[i].offset != b->sites[i].offset ||
		    strcmp(a->sites[i].exit, b->sites[i].exit))
			return false;
	}
	return true;
}

/* Where the list has the probe, which is one of its last. */
static size_t index_of(const struct probe_list *list, const struct probe *p)
{
	size_t i = list->n - 1;

	while (list->probes[i] != p)
		i--;
	return i;
}

int probe_finish(struct resolve *r, struct probe *p, const char *display)
{
	char line[PROBE_DEFINITION_MAX + 1];
	size_t n;

	p->matched = r->pattern || by_pattern(r->spec);
	for (size_t i = 0; i < r->before && !p->matched && !r->named; i++) {
		struct probe *q = r->list->probes[i];

		q->covered |= q->matched && probe_same_place(p, q);
	}
	note_taken(r);
	name_display(r, p, display);
	name_event(r, p);
	take_names(r, index_of(r->list, p));
	n = p->nargs;
	if (probe_add_checks(r, p) < 0)
		return -1;
	if (p->nargs > PROBE_ARGS_MAX)
		return trawl_fail(r->err, TRAWL_USAGE,
				  "%s: %zu arguments%s; the kernel takes at most %d", display,
				  p->nargs,
				  n == p->nargs ? ""
						: ", with the checks whether others can be read",
				  PROBE_ARGS_MAX);
	for (size_t k = 0; k < p->nargs; k++) {
		if (fit_arg(r, p, k) < 0)
			return -1;
	}
	for (size_t i = 0; i < p->nsites; i++) {
		join_args(p, &p->sites[i]);
		/* The longest group name that the recorder may choose must fit, too. */
		if (probe_definition(p, i, "trawl_4194304_18446744073709551615", line,
				     sizeof(line), r->err) < 0)
			return -1;
	}
	return 0;
}
