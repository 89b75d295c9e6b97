/* SPDX-License-Identifier: MIT */
/* From uprobe: specs to probes: symbols, offsets, and names of arguments. */
#include "config.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "capture/sys/alloc.h"
#include "capture/probe/build.h"
#include "capture/probe/list.h"
#include "capture/probe/names.h"
#include "capture/probe/resolve.h"
#include "capture/probe/insn.h"
#include "capture/probe/trampoline.h"

/* The registers of the System V ABI that hold the first integers and pointers. */
static const char *const abi_regs[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

/* The probe being made. */
struct making {
	struct resolve *r;
	struct target *t;
	const struct elf_symbol *fn; /* the function that it is in; or NULL */
	char *called;                /* that as people know it, not mangled */
	uint64_t vaddr, offset;
	bool entry;                  /* at the function's first instruction */
	bool returning;              /* where the function is left */
	const struct flow_exit *exits; /* the sites of a probe on instructions that leave it */
	size_t nexits;
	bool described;              /* fnd is filled */
	struct dwarf_function fnd;
	struct probe *p;
};

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

/* ---- arguments ---------------------------------------------------------------------------- */

static const char *no_names(const struct making *m, char *buf, size_t size)
{
	if (m->t->no_dwarf)
		snprintf(buf, size, "%s", m->t->no_dwarf);
	else if (!m->fn)
		snprintf(buf, size, "no function is known at this offset");
	else
		snprintf(buf, size, "the debug information in the file does not describe %s",
			 m->called);
	return buf;
}

/* Why a name means nothing here, or NULL. */
static const char *not_at_entry(const struct making *m)
{
	if (m->returning)
		return "arguments are known when the function is entered; when it returns there is "
		       "$retval";
	if (!m->entry)
		return "arguments are known at the function's first instruction only; give a "
		       "register or a place on the stack";
	return NULL;
}

static const struct dwarf_value *find_param(const struct making *m, const char *s, size_t len)
{
	for (size_t i = 0; m->described && i < m->fnd.nparams; i++) {
		const char *name = m->fnd.params[i].name;

		if (strlen(name) == len && !memcmp(name, s, len))
			return &m->fnd.params[i];
	}
	return NULL;
}

static int no_such_name(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			const char *name)
{
	struct nearest near = { .wanted = name };
	char hint[320], why[640], all[256] = "";
	size_t used = 0;

	for (size_t i = 0; m->described && i < m->fnd.nparams; i++) {
		nearest_offer(&near, m->fnd.params[i].name);
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 i ? ", " : "", m->fnd.params[i].name);
	}
	if (used >= sizeof(all))
		memcpy(all + sizeof(all) - 4, "...", 4);
	if (m->described)
		snprintf(why, sizeof(why), "%s has no such parameter%s; it takes %s", m->called,
			 nearest_hint(&near, hint, sizeof(hint)), *all ? all : "none");
	else
		snprintf(why, sizeof(why), "only arg1 to arg6 are known: %s",
			 no_names(m, hint, sizeof(hint)));
	nearest_free(&near);
	return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", name, why);
}

/* arg1 .. arg6 */
static bool is_number(const char *s, size_t len)
{
	return len == 4 && !memcmp(s, "arg", 3) && s[3] >= '1' && s[3] <= '6';
}

/* Do compilers sign the file, and is gcc the only one that does? */
static bool only_gcc(struct elf_file *f)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_section(f->elf, ".comment", &sh);
	Elf_Data *data = scn && sh.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf && memmem(data->d_buf, data->d_size, "GCC: ", 5) &&
	       !memmem(data->d_buf, data->d_size, "clang", 5) &&
	       !memmem(data->d_buf, data->d_size, "rustc", 5) &&
	       !memmem(data->d_buf, data->d_size, "Intel", 5);
}

/* Compilers leave out parameters of functions whose callers they all know. */
static const char *not_all_passed(const struct making *m)
{
	if (m->described || !m->fn)
		return NULL;
	if (strstr(m->fn->name, ".isra.") || strstr(m->fn->name, ".constprop.") ||
	    strstr(m->fn->name, ".part."))
		return "a copy that gcc made for some callers may lack arguments, and no debug "
		       "information tells; write a register";
	if (!m->fn->global && !only_gcc(m->t->elf))
		return "compilers other than gcc may leave out arguments of a static function, and "
		       "no debug information tells; write a register";
	return NULL;
}

/* Why arg1 is not what C's convention has for it, or NULL. */
static const char *not_by_convention(const struct making *m)
{
	GElf_Shdr sh;
	size_t len = m->fn ? strlen(m->fn->name) : 0;

	if (m->described && !m->fnd.convention)
		return "this function need not keep to the calling convention of C, by which "
		       "arguments have numbers; write its parameter's name or a register";
	if (elf_section(m->t->elf->elf, ".gopclntab", &sh))
		return "Go passes in registers of its own (%ax, %bx, %cx, %di, ...); write a "
		       "register";
	/* The old names end with a hash: 17h0123456789abcdefE. */
	if (len && (!strncmp(m->fn->name, "_R", 2) ||
		    (len > 20 && !strncmp(m->fn->name, "_ZN", 3) &&
		     !strncmp(m->fn->name + len - 20, "17h", 3))))
		return "Rust passes in an order of its own; write a register";
	return not_all_passed(m);
}

/* The place of a parameter or of arg1 .. arg6; *value is NULL for the latter. */
static int resolve_name(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			struct argloc *place, const struct dwarf_value **value)
{
	const char *s = arg->expr + e->at, *why = not_at_entry(m);
	char name[128];
	int ret = 0;

	snprintf(name, sizeof(name), "%.*s", (int)e->len, s);
	if (why)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", name,
				 why);
	*value = find_param(m, s, e->len);
	if (*value)
		*place = (*value)->place;
	else if (!is_number(s, e->len))
		ret = no_such_name(m, arg, e, name);
	else if ((why = not_by_convention(m)))
		ret = spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", name, why);
	else
		snprintf(place->expr, sizeof(place->expr), "%s", abi_regs[s[3] - '1']);
	return ret;
}

static void show_as(struct probe_arg *arg, const char *type, const struct dwarf_value *value,
		    bool own_type)
{
	if (value)
		snprintf(arg->ctype, sizeof(arg->ctype), "%s", value->ctype);
	arg->show = value && !own_type ? value->show : build_show(type);
	if (value && !own_type)
		arg->values = value_names_copy(value->names);
}

static bool in_parts(const struct making *m)
{
	return m->fnd.nparts && !m->fnd.ret_doubtful;
}

/* $retval, as far as it is known here. Complains if it cannot be asked for. */
static int resolve_retval(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			  struct argloc *place, const struct dwarf_value **value)
{
	if (!m->returning)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err,
				 "$retval: known only when the function returns; write %s%%return",
				 *m->r->spec->symbol ? m->r->spec->symbol : "0xOFFSET");
	snprintf(place->expr, sizeof(place->expr), "%s",
		 m->p->kind == PROBE_URETPROBE ? "$retval" : "%ax");
	*value = m->described ? &m->fnd.ret : NULL;
	/* Of many functions, those without a value say so; a type is the user's word for one. */
	if (*value && (*value)->place.form == ARGLOC_NONE && !*arg->type &&
	    (!in_parts(m) || e->depth) && (e->depth || !is_glob(m->r->spec->symbol)))
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "$retval: %s",
				 (*value)->place.why);
	return 0;
}

/* What the innermost operand of an ARG is, where it does not depend on the site. */
static int resolve_inner(struct making *m, const struct spec_arg *arg, struct fetch_expr *e,
			 struct argloc *place, const struct dwarf_value **value)
{
	*value = NULL;
	*place = (struct argloc){ 0 };
	if (e->inner == FETCH_NAME)
		return resolve_name(m, arg, e, place, value);
	if (e->inner == FETCH_VAR && !strncmp(arg->expr + e->at, "$retval", 7)) {
		e->inner = FETCH_NAME;
		return resolve_retval(m, arg, e, place, value);
	}
	return 0;
}

/* Where it is left without a return, a function has no value. */
static const char *no_retval(const struct making *m, const struct spec_arg *arg,
			     const struct fetch_expr *e)
{
	if (!m->exits || strncmp(arg->expr + e->at, "$retval", 7))
		return NULL;
	switch (m->exits[0].kind) {
	case FLOW_TAIL:
		return "the function that is called last returns it";
	case FLOW_UNWIND:
	case FLOW_LONGJMP:
		return "the function does not return";
	default:
		return NULL;
	}
}

/* One field of an ARG at all sites. `why` if it has no value. */
static int add_field(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		     const char *name, struct argloc *place, const struct dwarf_value *value,
		     const char *why)
{
	const char *fallback = value && !e->depth ? value->type : "";
	const char *type = why ? "u8" : build_user_type(arg, e, fallback);
	/* The field may be wider than the value in it. */
	const char *own = value && !e->depth && !*arg->type && !why && *value->own ? value->own :
										     type;
	char fetch[512], symbol[128];
	size_t k = probe_add_arg(m->p, name, type);

	if (why)
		probe_arg_missing(m->p, k);
	for (size_t i = 0; i < m->p->nsites; i++) {
		if (e->inner == FETCH_SYMBOL) {
			snprintf(symbol, sizeof(symbol), "%.*s", (int)e->len - 1,
				 arg->expr + e->at + 1);
			argloc_of_symbol(m->t->elf, symbol, m->p->sites[i].vaddr, place);
		}
		if (!why && build_user_fetch(m->r, arg, e, place, fallback, fetch,
					     sizeof(fetch)) < 0)
			return -1;
		probe_set_arg(m->p, i, k, arg->expr, why ? "\\0:u8" : fetch, own, why);
	}
	show_as(&m->p->args[k], type, e->depth ? NULL : value, *arg->type);
	m->p->args[k].followed = e->depth;
	return 0;
}

/* ---- texts with a length ------------------------------------------------------------------ */

enum { WORDS_TOGETHER = 256, WORDS_ASKED_FOR = 64, WORDS = 32, WORDS_LEAST = 4 };

/* A field that is used up when the record has come. Returns its number. */
static size_t add_spent(struct making *m, const char *name, const char *tail, const char *type,
			const struct argloc *place)
{
	char fetch[160] = "", no[200], *field = xasprintf("%s_%s", name, tail);
	size_t k = probe_add_arg(m->p, field, type);

	m->p->args[k].helper = m->p->args[k].spent = true;
	argloc_fetch(place, type, fetch, sizeof(fetch), no, sizeof(no));
	for (size_t i = 0; i < m->p->nsites; i++)
		probe_set_arg(m->p, i, k, "", fetch, type, NULL);
	free(field);
	return k;
}

/* A field that is a text of at most so many words. */
static void add_counted(struct making *m, const char *note, const char *name,
			const struct dwarf_value *value, unsigned int words)
{
	const struct dwarf_counted *c = value->counted;
	bool libcxx = c->form == COUNTED_LIBCXX;
	char type[PROBE_TYPE_MAX], fetch[160] = "", no[200];
	size_t k;

	snprintf(type, sizeof(type), "x64[%u]", words);
	k = probe_add_arg(m->p, name, type);
	argloc_fetch(&c->pointer, type, fetch, sizeof(fetch), no, sizeof(no));
	for (size_t i = 0; i < m->p->nsites; i++)
		probe_set_arg(m->p, i, k, note, fetch, "string", NULL);
	show_as(&m->p->args[k], "string", value, true);
	m->p->args[k].counted = c->form;
	/* Adding moves the arguments. */
	no[0] = '\0';
	for (int i = 0; i < 2; i++) {
		const struct argloc *place = libcxx ? &c->object : i ? &c->length : &c->pointer;
		const char *kind = !libcxx ? "u64" : i ? "string" : "x64[3]";
		size_t spent = add_spent(m, name, i ? "len" : "ptr", kind, place);

		*(i ? &m->p->args[k].length : &m->p->args[k].pointer) = spent;
	}
}

static bool is_string_type(const char *type)
{
	return !strcmp(type, "string") || !strcmp(type, "str") || !strcmp(type, "ustring");
}

/* Is a text meant, and not the address of one? */
static bool wants_text(const struct spec_arg *arg, const struct fetch_expr *e,
		       const struct dwarf_value *value)
{
	return value && value->counted && !e->depth && (!*arg->type || is_string_type(arg->type));
}

/* How many words of each text all parameters may have. */
static unsigned int words_of_each(const struct making *m)
{
	unsigned int n = 0, words;

	for (size_t i = 0; i < m->fnd.nparams; i++)
		n += m->fnd.params[i].counted != NULL;
	words = n ? WORDS_TOGETHER / n : 0;
	return words > WORDS ? WORDS : words < WORDS_LEAST ? WORDS_LEAST : words;
}

/* A value in two registers is two fields: NAME_rax and NAME_rdx. */
static int add_parts(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		     const char *name)
{
	int ret = 0;

	for (size_t i = 0; i < m->fnd.nparts && ret == 0; i++) {
		struct dwarf_value *part = &m->fnd.parts[i];
		bool missing = part->place.form == ARGLOC_NONE;
		char *field = xasprintf("%s_%s", name, part->name);

		ret = build_field_name(m->r, m->p, arg, e, field);
		if (ret == 0)
			ret = add_field(m, arg, e, field, &part->place, part,
					missing ? part->place.why : NULL);
		free(field);
	}
	return ret;
}

/* "+0(PLACE)" of a std::string, whose first member points to its text. */
static int point_to_text(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			 const struct dwarf_value *value, struct argloc *place)
{
	char inner[sizeof(place->expr)];

	if (!value || e->depth || !is_string_type(arg->type) || value->text == DWARF_TEXT ||
	    place->form != ARGLOC_EXPR)
		return 0;
	if (value->text == DWARF_TEXT_COUNTED)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s:%s: texts of "
				 "this type have a length and no NUL at their end; %s:x8[16] "
				 "records 16 bytes of it", arg->expr, arg->type, arg->expr);
	memcpy(inner, place->expr, sizeof(inner));
	if ((size_t)snprintf(place->expr, sizeof(place->expr), "+0(%.58s)", inner) >=
	    sizeof(place->expr) || strlen(inner) > 58)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: its place has "
				 "too many levels", arg->expr);
	return 0;
}

/* One of the user's ARGs. */
static int add_arg(struct making *m, const struct spec_arg *arg, struct fetch_expr *e)
{
	char *name = fetch_field_name(arg, e);
	const char *why = no_retval(m, arg, e);
	const struct dwarf_value *value = NULL;
	struct argloc place;
	int ret = resolve_inner(m, arg, e, &place, &value);
	bool parts = ret == 0 && value && value == &m->fnd.ret && in_parts(m) && !*arg->type &&
		     !e->depth;

	if (ret == 0 && !why && wants_text(arg, e, value)) {
		ret = build_field_name(m->r, m->p, arg, e, name);
		if (ret == 0)
			add_counted(m, arg->expr, name, value,
				    *arg->type ? WORDS_ASKED_FOR : WORDS);
		free(name);
		return ret;
	}
	if (ret == 0 && value != &m->fnd.ret)
		ret = point_to_text(m, arg, e, value, &place);
	if (ret == 0 && !why && !parts && !*arg->type && value == &m->fnd.ret &&
	    value->place.form == ARGLOC_NONE)
		why = value->place.why;
	if (parts && !why)
		ret = add_parts(m, arg, e, name);
	else if (ret == 0)
		ret = build_field_name(m->r, m->p, arg, e, name) < 0 ? -1 :
		      add_field(m, arg, e, name, &place, value, why);
	free(name);
	return ret;
}

/* $params: all that the function takes. What cannot be had is a field that says so. */
static int add_params(struct making *m, const struct spec_arg *arg)
{
	const char *why = not_at_entry(m);
	char text[320], fetch[160], no[256];

	if (why)
		return spec_fail(m->r->spec, arg->at, m->r->err, "$params: %s", why);
	if (!m->described)
		return spec_fail(m->r->spec, arg->at, m->r->err, "$params: not known: %s",
				 no_names(m, text, sizeof(text)));
	for (size_t i = 0; i < m->fnd.nparams; i++) {
		const struct dwarf_value *v = &m->fnd.params[i];
		bool ok = argloc_fetch(&v->place, *v->type ? v->type : "u8", fetch, sizeof(fetch),
				      no, sizeof(no));
		size_t k;

		if (v->counted)
			add_counted(m, v->name, v->name, v, words_of_each(m));
		if (v->counted || v->member)
			continue;
		k = probe_add_arg(m->p, v->name, v->type);
		show_as(&m->p->args[k], v->type, v, false);
		if (!ok)
			probe_arg_missing(m->p, k);
		probe_set_arg(m->p, 0, k, v->name, ok ? fetch : "\\0:u8",
			      !ok ? "u8" : *v->own ? v->own : v->type, ok ? NULL : no);
	}
	return 0;
}

static int add_args(struct making *m)
{
	const struct spec *spec = m->r->spec;

	for (size_t i = 0; i < spec->nargs; i++) {
		struct fetch_expr e;

		if (fetch_parse(spec, &spec->args[i], &e, m->r->err) < 0)
			return -1;
		if (e.inner == FETCH_PARAMS ? add_params(m, &spec->args[i]) < 0 :
		    add_arg(m, &spec->args[i], &e) < 0)
			return -1;
	}
	return 0;
}

/* ---- the place ---------------------------------------------------------------------------- */

static void set_note(struct probe *p, char *note)
{
	free(p->note);
	p->note = note;
}

/* May a breakpoint be put here? Reports what is wrong, notes what could not be checked. */
static int check_place(struct making *m)
{
	const struct spec *spec = m->r->spec;
	uint64_t begin = 0, next = 0;
	char text[128];

	switch (m->fn ? insn_boundary(m->t->elf, m->fn->vaddr, m->vaddr, &begin, &next, text,
				      sizeof(text)) : INSN_UNKNOWN) {
	case INSN_AT:
		break;
	case INSN_INSIDE:
		return spec_fail(spec, spec->symbol_at, m->r->err,
				 "%s+0x%" PRIx64 ": in the middle of an instruction: '%s' is at "
				 "+0x%" PRIx64 ", the next one at +0x%" PRIx64, m->called,
				 m->vaddr - m->fn->vaddr, text, begin - m->fn->vaddr,
				 next - m->fn->vaddr);
	case INSN_UNKNOWN:
		set_note(m->p, xasprintf("it was not checked that an instruction begins there: %s",
					 !insn_known() ? "trawl was built without Zydis" : m->fn ?
					 "not all bytes before it are instructions" :
					 "no symbol says where its function begins"));
	}
	return 0;
}

static void add_notes(struct making *m)
{
	if (*m->p->note)
		return;
	if (m->fn && m->fn->chooser)
		set_note(m->p, xstrdup("only chooses the function that is used (IFUNC): it runs "
				       "once, when the program starts"));
	else if (!strcmp(m->p->sites[0].insn, "refused"))
		set_note(m->p, xstrdup("the kernel may refuse a probe on the instruction there"));
}

/* What an event of this kind is called: as the user wrote it, or by what is no return. */
static const char *suffix_of(const struct making *m)
{
	static const char *const names[FLOW_KINDS] = {
		[FLOW_TAIL] = "%tailcall", [FLOW_UNWIND] = "%unwind", [FLOW_LONGJMP] = "%longjmp",
	};
	const char *name = m->exits ? names[m->exits[0].kind] : NULL;

	return name ? name : spec_return_name(m->r->spec->returns);
}

/* The user's own name; of an exit that is no return, with what it is behind it. */
static char *own_name(const struct making *m, const char *suffix)
{
	const char *own = m->r->spec->own, *as_written = spec_return_name(m->r->spec->returns);
	size_t len = strlen(own), end = strlen(as_written);

	if (!strcmp(suffix, as_written))
		return xstrdup(own);
	/* The names of C++ functions come with their suffix. */
	if (len > end && !strcmp(own + len - end, as_written))
		len -= end;
	return xasprintf("%.*s%s", (int)len, own, suffix);
}

static char *display_name(const struct making *m)
{
	const struct spec *spec = m->r->spec;
	const char *base = strrchr(m->t->file->path, '/');
	const char *suffix = suffix_of(m);

	base = base ? base + 1 : m->t->file->path;
	if (*spec->own)
		return own_name(m, suffix);
	if (!*spec->symbol)
		return xasprintf("%s:0x%" PRIx64 "%s", base, spec->offset, suffix);
	if (spec->offset)
		return xasprintf("%s:%s+0x%" PRIx64 "%s", base, m->fn->name, spec->offset, suffix);
	return xasprintf("%s:%s%s", base, m->fn->name, suffix);
}

static void init_exit(struct probe_site *site, struct target *t, const struct flow_exit *e)
{
	static const char *const names[FLOW_KINDS] = {
		[FLOW_RETURN] = "return", [FLOW_TAIL] = "tail call", [FLOW_UNWIND] = "exception",
		[FLOW_LONGJMP] = "longjmp",
	};
	uint64_t offset = 0;

	elf_offset(t->elf, e->vaddr, &offset);
	probe_site_init(site, t, e->vaddr, offset);
	site->exit = names[e->kind];
	free(site->to);
	site->to = build_readable(xstrdup(e->name));
}

/* Adds the probe that m describes, of one site or one for each of the exits. */
static int finish_probe(struct making *m, enum probe_kind kind, const char *note)
{
	char *display;
	int ret;

	m->p = probe_add(m->r, kind, m->t, m->nexits ? m->nexits : 1);
	if (!m->p)
		return -1;
	if (!m->exits)
		probe_site_init(&m->p->sites[0], m->t, m->vaddr, m->offset);
	for (size_t i = 0; i < m->nexits; i++)
		init_exit(&m->p->sites[i], m->t, &m->exits[i]);
	if (*note)
		set_note(m->p, xstrdup(note));
	display = display_name(m);
	ret = m->exits ? 0 : check_place(m);
	if (ret == 0)
		ret = add_args(m);
	if (ret == 0)
		ret = probe_finish(m->r, m->p, display);
	add_notes(m);
	free(display);
	return ret;
}

/* One probe for each way in which the function is left. */
static int add_exits(struct making *m, const struct flow *flow)
{
	const char *note = flow->reenters ? "its entry is also reached by a jump inside it (a "
					    "loop, or Go's growing stack): entries may be more "
					    "than returns" : "";
	int ret = 0;

	for (size_t i = 0, n; ret == 0 && i < flow->n; i += n) {
		n = 1;
		while (i + n < flow->n && flow->exits[i + n].kind == flow->exits[i].kind)
			n++;
		m->exits = &flow->exits[i];
		m->nexits = n;
		m->r->more += i > 0;
		ret = finish_probe(m, PROBE_UPROBE, i ? "" : note);
	}
	m->exits = NULL;
	m->nexits = 0;
	return ret;
}

/* The kernel's return probe, where nothing is known to speak against it or the user insists. */
static int add_trampoline(struct making *m, const char *not_whole)
{
	const struct spec *spec = m->r->spec;
	const char *name = m->fn ? m->called : "it", *danger;
	char buf[512], note[640] = "";

	danger = trampoline_danger(m->t, m->vaddr, buf, sizeof(buf));
	if (danger && spec->returns == SPEC_URETPROBE)
		snprintf(note, sizeof(note), "may end the program: %s", danger);
	else if (danger)
		return spec_fail(spec, spec->symbol_at, m->r->err,
				 "%s%%return: a return probe of the kernel may end the program: "
				 "%s; and %s cannot be disassembled whole: %s; write SYMBOL+OFFSET "
				 "of its ret instructions, or %%uretprobe if the program may end",
				 name, danger, name, not_whole);
	return finish_probe(m, PROBE_URETPROBE, note);
}

/* What the compiler may have taken away is there if somebody uses it. */
static void check_retval(struct making *m)
{
	struct dwarf_value *v = &m->fnd.ret;

	if (m->fnd.ret_doubtful && code_result_used(target_code(m->t), m->vaddr))
		m->fnd.ret_doubtful = false;
	if (!m->fnd.ret_doubtful)
		return;
	v->place.form = ARGLOC_NONE;
	snprintf(v->place.why, sizeof(v->place.why), "nobody is seen to use it, so the compiler "
		 "may have taken it away; $retval:x64 shows %%rax");
}

static int make_return(struct making *m)
{
	const struct spec *spec = m->r->spec;
	struct flow flow = { 0 };
	char why[256] = "";
	int ret;

	if (m->fn && !m->entry)
		return spec_fail(spec, spec->symbol_at, m->r->err,
				 "%s+0x%" PRIx64 "%s: a return is caught from the function's "
				 "first instruction on; leave the offset out", m->called,
				 m->vaddr - m->fn->vaddr, spec_return_name(spec->returns));
	if (spec->returns == SPEC_URETPROBE ||
	    !flow_read(target_code(m->t), m->vaddr, m->fn ? m->fn->size : 0, &flow, why,
		       sizeof(why))) {
		if (spec->returns != SPEC_RET)
			return add_trampoline(m, why);
		return spec_fail(spec, spec->symbol_at, m->r->err, "%s%%ret: cannot be "
				 "disassembled whole: %s; write %%return for the kernel's return "
				 "probe, where it is safe", m->fn ? m->called : "it", why);
	}
	ret = flow.n ? add_exits(m, &flow) :
	      spec_fail(spec, spec->symbol_at, m->r->err, "%s%s: never returns", m->fn ?
			m->called : "the function there", spec_return_name(spec->returns));
	flow_free(&flow);
	return ret;
}

static int make_probe(struct resolve *r, struct target *t, const struct elf_symbol *fn,
		      uint64_t vaddr, uint64_t offset)
{
	struct making m = { .r = r, .t = t, .fn = fn, .vaddr = vaddr, .offset = offset,
			    .entry = fn ? vaddr == fn->vaddr : true,
			    .returning = r->spec->returns != SPEC_NO_RETURN,
			    .called = fn ? build_readable(xstrdup(fn->name)) : xstrdup("") };
	int ret;

	if (m.entry && fn)
		m.described = dwarf_function_at(t->dwarf, vaddr, &m.fnd);
	if (m.returning && m.described)
		check_retval(&m);
	ret = m.returning ? make_return(&m) : finish_probe(&m, PROBE_UPROBE, "");
	dwarf_function_free(&m.fnd);
	free(m.called);
	return ret;
}

/* PATH:0xOFFSET */
static int by_offset(struct resolve *r, struct target *t)
{
	const struct spec *spec = r->spec;
	const struct elf_segment *seg;
	uint64_t vaddr;

	if (!elf_vaddr(t->elf, spec->offset, &vaddr))
		return spec_fail(spec, spec->symbol_at, r->err, "0x%" PRIx64 ": no part of %s that "
				 "is loaded is at this offset", spec->offset, spec->path);
	seg = elf_segment_of(t->elf, vaddr);
	if (!seg || !seg->exec)
		return spec_fail(spec, spec->symbol_at, r->err, "0x%" PRIx64 ": not in the code of "
				 "%s", spec->offset, spec->path);
	return make_probe(r, t, elf_function_at(t->elf, vaddr), vaddr, spec->offset);
}

static int at_symbol(struct resolve *r, struct target *t, const struct elf_symbol *s)
{
	const struct elf_segment *seg = elf_segment_of(t->elf, s->vaddr);
	uint64_t offset, into = r->spec->offset;

	if (into && s->size && into >= s->size)
		return spec_fail(r->spec, r->spec->symbol_at, r->err,
				 "%s+0x%" PRIx64 ": %s is only 0x%" PRIx64 " bytes long", s->name,
				 into, s->name, s->size);
	if (!seg || !seg->exec || !elf_offset(t->elf, s->vaddr + into, &offset)) {
		free(r->hint);
		r->hint = xasprintf("%s: not in the code of %s", s->name, r->spec->path);
		return 0;
	}
	return make_probe(r, t, s, s->vaddr + into, offset);
}

/* What a pattern matched but could not probe with the arguments asked for. */
struct passed_over {
	size_t n;
	char *name;               /* the first one */
	struct trawl_error error; /* and why */
};

/* A function that a pattern matches and that lacks what the user wants of it is passed over. */
static int at_match(struct resolve *r, struct target *t, const struct elf_symbol *s,
		    struct passed_over *over)
{
	size_t before = r->list->n, more = r->more;
	int ret = at_symbol(r, t, s);

	if (ret == 0 || r->full)
		return ret;
	probe_drop(r->list, before);
	r->more = more;
	if (over->n++ == 0) {
		over->name = build_readable(xstrdup(s->name));
		over->error = *r->err;
	}
	return 0;
}

/* Nothing else matched: then it is a mistake in the spec, and the first error says which. */
static int report_passed_over(struct resolve *r, const struct passed_over *over)
{
	size_t line = strcspn(over->error.text, "\n");

	if (over->n && r->list->n == r->before) {
		*r->err = over->error;
		return -1;
	}
	if (over->n)
		probe_remark(r->list,
			     xasprintf("%s: %zu of the functions it matches %s passed over, %s "
				       "for one: %.*s", r->spec->text, over->n,
				       over->n == 1 ? "is" : "are", over->name, (int)line,
				       over->error.text));
	return 0;
}

/*
 * Copies of a function that gcc made for some of its callers ("charge.constprop.0.isra.0") are
 * meant by its name; a part of it (".part.0") is not called as it is, nor is the rare one
 * (".cold").
 */
static bool is_clone_of(const char *symbol, const char *name)
{
	static const char *const suffixes[] = { ".constprop.", ".isra.", ".lto_priv." };
	size_t len = strlen(name);

	if (strncmp(symbol, name, len) || strstr(symbol + len, ".part.") ||
	    strstr(symbol + len, ".cold"))
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (!strncmp(symbol + len, suffixes[i], strlen(suffixes[i])))
			return true;
	}
	return false;
}

static bool is_meant(const struct spec *spec, bool glob, const char *symbol)
{
	if (glob)
		return !fnmatch(spec->symbol, symbol, 0);
	return !strcmp(spec->symbol, symbol) ||
	       (!spec->offset && is_clone_of(symbol, spec->symbol));
}

/* Every function that the spec's name or pattern means. Returns how many there were, or -1. */
static ssize_t at_symbols(struct resolve *r, struct target *t, bool glob, struct passed_over *over)
{
	const struct spec *spec = r->spec;
	uint64_t last = 0;
	ssize_t n = 0;

	for (size_t i = 0; i < t->elf->nsymbols; i++) {
		const struct elf_symbol *s = &t->elf->symbols[i];
		bool match = is_meant(spec, glob, s->name);

		/* The rare part of a function is left with the function. */
		if (glob && spec->returns && strstr(s->name, ".cold"))
			continue;

		if (match && s->function) {
			/* Aliases are one function. */
			if (n++ && last == s->vaddr)
				continue;
			last = s->vaddr;
			if (at_match(r, t, s, over) < 0)
				return -1;
		} else if (s->function) {
			nearest_offer(&r->near, s->name);
		} else if (match && !glob && !r->hint) {
			r->hint = xasprintf("%s: a variable, not a function", s->name);
		}
	}
	return n;
}

/* Symbols of Go have brackets: "type..eq.[5]internal/cpu.option". */
static bool is_name(const struct elf_file *f, const char *text)
{
	for (size_t i = 0; i < f->nsymbols; i++)
		if (f->symbols[i].function && !strcmp(f->symbols[i].name, text))
			return true;
	return false;
}

int resolve_uprobe(struct resolve *r, struct target *t)
{
	const struct spec *spec = r->spec;
	struct passed_over over = { 0 };
	bool glob;
	ssize_t n;
	int ret;

	if (!*spec->symbol)
		return by_offset(r, t);
	elf_read_symbols(t->elf);
	glob = is_glob(spec->symbol) && !is_name(t->elf, spec->symbol);
	n = at_symbols(r, t, glob, &over);
	ret = n < 0 ? -1 : report_passed_over(r, &over);
	free(over.name);
	if (ret < 0)
		return -1;
	if (n == 0 && !glob && !r->hint && elf_imports(t->elf, spec->symbol))
		r->hint = xasprintf("%s: only used by %s; give the library that defines it",
				    spec->symbol, spec->path);
	if (n == 0 && !r->hint && !t->elf->nsymbols)
		r->hint = xasprintf("%s: is stripped, it has no symbols; write %s:0xOFFSET or "
				    "install its debug symbols", spec->path, spec->path);
	return 0;
}
