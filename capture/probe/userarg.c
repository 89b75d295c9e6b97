/* SPDX-License-Identifier: MIT */
/*
 * Resolves the ARGs of uprobe: specs: names of parameters, $params, $retval, and the kernel's own
 * fetch arguments.
 */
#include "config.h"

#include "capture/probe/gosymbols.h"
#include "capture/probe/language.h"
#include "capture/probe/making.h"
#include "capture/probe/names.h"
#include "capture/probe/part.h"
#include "capture/sys/alloc.h"

/* The System V ABI's registers of the first integer and pointer arguments. */
static const char *const abi_regs[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

static const char *no_names(const struct making *m, char *buf, size_t size)
{
	if (m->t->no_dwarf)
		snprintf(buf, size, "%s", m->t->no_dwarf);
	else if (!m->fn)
		snprintf(buf, size, "no function is known at this offset");
	else if (m->fnd.bare && m->fnd.convention == CONVENTION_OWN)
		snprintf(buf, size, "the debug information does not say what %s takes and "
			 "returns, as its language's compilers leave that out; fetch registers",
			 m->called);
	else if (m->fnd.bare)
		snprintf(buf, size, "the debug information does not say what %s takes and "
			 "returns; build it with -g, not -g1", m->called);
	else if (dwarf_is_split(m->t->dwarf, m->at.entry))
		snprintf(buf, size, "%s is described in a .dwo file, which is not read; build it "
			 "without -gsplit-dwarf", m->called);
	else
		snprintf(buf, size, "the debug information in the file does not describe %s",
			 m->called);
	return buf;
}

/* Why names of parameters have no meaning here; NULL if they have. */
static const char *no_meaning(const struct making *m)
{
	if (m->fn && m->fn->chooser)
		return "the symbol only chooses the function that is called (IFUNC), and only that "
		       "one gets the arguments";
	return m->returning ? "arguments are known when the function is entered; when it returns "
			      "there is $retval" : NULL;
}

/* Why arg1, arg2, ... have no meaning here; NULL if they have. */
static const char *no_numbers(const struct making *m)
{
	if (m->entry)
		return NULL;
	return "parameters have numbers at the function's first instruction only; write a "
	       "parameter's name, a register or a place on the stack";
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

/* True for arg1 to arg6. */
static bool is_number(const char *s, size_t len)
{
	return len == 4 && !memcmp(s, "arg", 3) && s[3] >= '1' && s[3] <= '6';
}

/* True if .comment shows that gcc compiled the file and no other compiler took part. */
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

/*
 * Why some parameters may not be passed: compilers drop parameters of functions whose callers they
 * all know. NULL if all are passed.
 */
static const char *not_all_passed(const struct making *m)
{
	if (m->described || !m->fn)
		return NULL;
	if (strstr(m->fn->name, ".isra.") || strstr(m->fn->name, ".constprop.") ||
	    strstr(m->fn->name, ".part."))
		return "a copy that gcc made for some callers may lack arguments, and the "
		       "debug information does not show it; write a register";
	if (!m->fn->global && !only_gcc(m->t->elf))
		return "compilers other than gcc may leave out arguments of a static function, and "
		       "the debug information does not show it; write a register";
	return NULL;
}

/* Why arg1 may not be where the C calling convention has it; NULL if it is. */
static const char *not_by_convention(const struct making *m)
{
	size_t len = m->fn ? strlen(m->fn->name) : 0;

	if ((m->described || m->fnd.bare) && !m->fnd.convention)
		return "this function need not keep to the calling convention of C, by which "
		       "arguments have numbers; write its parameter's name or a register";
	if (gosymbols_is_go(m->t->elf))
		return "Go passes in registers of its own (%ax, %bx, %cx, %di, ...); write a "
		       "register";
	/* Legacy mangled names end with a hash: 17h0123456789abcdefE. */
	if (len && (!strncmp(m->fn->name, "_R", 2) ||
		    (len > 20 && !strncmp(m->fn->name, "_ZN", 3) &&
		     !strncmp(m->fn->name + len - 20, "17h", 3))))
		return "Rust passes in an order of its own; write a register";
	return not_all_passed(m);
}

/*
 * The location of a parameter or of arg1 .. arg6; *value is the parameter's description, NULL for
 * the latter.
 */
static int resolve_name(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			struct argloc *argloc, const struct dwarf_value **value)
{
	const char *s = arg->expr + e->at, *why = no_meaning(m);
	char name[128];
	int ret = 0;

	snprintf(name, sizeof(name), "%.*s", (int)e->len, s);
	if (why)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", name,
				 why);
	*value = find_param(m, s, e->len);
	if (*value)
		*argloc = (*value)->argloc;
	else if (!is_number(s, e->len))
		ret = no_such_name(m, arg, e, name);
	else if ((why = no_numbers(m)) || (why = not_by_convention(m)))
		ret = spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", name, why);
	else
		snprintf(argloc->expr, sizeof(argloc->expr), "%s", abi_regs[s[3] - '1']);
	return ret;
}

static void only_if(struct making *m, size_t k, const struct dwarf_value *v);

static void show_as(struct probe_arg *arg, const char *type, const struct dwarf_value *value,
		    bool own_type)
{
	if (value)
		snprintf(arg->ctype, sizeof(arg->ctype), "%s", value->ctype);
	arg->show = value && !own_type ? value->show : build_show(type);
	if (value && !own_type)
		arg->values = value_names_copy(value->names);
}

/* Gives a field the same location at all sites. why: it has none; NULL: it has. */
static void set_at_all_sites(struct probe *p, size_t k, const struct arg_at_site *is,
			     const char *why)
{
	if (why)
		probe_arg_missing(p, k);
	for (size_t i = 0; i < p->nsites; i++) {
		if (why)
			probe_set_missing(p, i, k, is->note, why);
		else
			probe_set_arg(p, i, k, is);
	}
}

/* Adds one value of m->list as a field. Returns the field's number. */
static size_t add_value(struct making *m, const struct dwarf_value *v, const char *name)
{
	char fetch[160], no[256];
	/* An object of many members is found, but has no value of its own. */
	bool ok = *v->type || !v->argloc.object;
	const struct arg_at_site is = { .fetch = fetch, .type = *v->own ? v->own : v->type,
					.note = name, .bits = v->bits };
	size_t k = probe_add_arg(m->p, name, v->type);

	if (ok)
		ok = argloc_fetch(&v->argloc, *v->type ? v->type : "u8", fetch, sizeof(fetch), no,
				  sizeof(no));
	else
		snprintf(no, sizeof(no), "%s", v->argloc.why);
	show_as(&m->p->args[k], v->type, v, false);
	m->p->args[k].followed = v->followed;
	set_at_all_sites(m->p, k, &is, ok ? NULL : no);
	if (v->show == PROBE_SHOW_VARIANT)
		m->tags[v - m->list] = k + 1;
	only_if(m, k, v);
	return k;
}

/* Links data of an alternative to the field with the tag, which says whether the data is valid. */
static void only_if(struct making *m, size_t k, const struct dwarf_value *v)
{
	size_t tag;

	if (!v || !v->only_of)
		return;
	tag = m->tags[v->only_of - 1];
	if (!tag)
		tag = add_value(m, &m->list[v->only_of - 1], m->list[v->only_of - 1].name) + 1;
	m->p->args[k].only_of = tag;
	m->p->args[k].only_if = xstrdup(v->only_if);
}

/* True if $retval is recorded as several fields. */
static bool in_parts(const struct making *m)
{
	return (m->fnd.nparts || m->fnd.results) && m->fnd.proof == PROOF_NONE;
}

/*
 * The location of $retval, as far as it does not depend on the site. Complains with a caret if it
 * is not available.
 */
static int resolve_retval(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			  struct argloc *argloc, const struct dwarf_value **value)
{
	if (!m->returning)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err,
				 "$retval: known only when the function returns; write %s%%return",
				 *m->called ? m->called : "0xOFFSET");
	snprintf(argloc->expr, sizeof(argloc->expr), "%s",
		 m->p->kind == PROBE_URETPROBE ? "$retval" : "%ax");
	*value = m->described || *m->fnd.ret.argloc.why ? &m->fnd.ret : NULL;
	m->register_shown |= !*value && !*arg->type;
	/*
	 * With a pattern, functions without a value record that instead of failing. A type given by
	 * the user overrides the doubt.
	 */
	if (*value && (*value)->argloc.form == ARGLOC_NONE && !*arg->type &&
	    (!in_parts(m) || e->depth) &&
	    (e->depth || !(m->r->pattern || is_glob(m->r->spec->symbol))))
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "$retval: %s%s",
				 (*value)->argloc.why, strcmp((*value)->ctype, "void") ? "" :
				 "; leave $retval out, or write $retval:x64 for what is in %rax");
	return 0;
}

/* Resolves the innermost operand of an ARG as far as it does not depend on the site. */
static int resolve_inner(struct making *m, const struct spec_arg *arg, struct fetch_expr *e,
			 struct argloc *argloc, const struct dwarf_value **value)
{
	*value = NULL;
	*argloc = (struct argloc){ 0 };
	if (e->inner == FETCH_NAME)
		return resolve_name(m, arg, e, argloc, value);
	if (e->inner == FETCH_VAR && !strncmp(arg->expr + e->at, "$retval", 7)) {
		e->inner = FETCH_NAME;
		return resolve_retval(m, arg, e, argloc, value);
	}
	return 0;
}

/*
 * Why there is no return value where the function is left without a return; NULL if there is one.
 */
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

/* The field of an ARG. */
struct arg_field {
	const char *name;
	struct argloc *argloc;
	const struct dwarf_value *value; /* NULL: of no value in the function's description */
	const char *why;                 /* the reason if it has no value; else NULL */
};

/* Adds it at all sites. */
static int add_field(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		     const struct arg_field *field)
{
	const struct dwarf_value *value = field->value;
	const char *why = field->why;
	const char *fallback = value && !e->depth ? value->type : "";
	const char *type = why ? "u8" : build_user_type(arg, e, fallback);
	/* The value may be narrower than the field. */
	bool whole = value && !e->depth && !*arg->type && !why && *value->own;
	char fetch[512], symbol[128];
	const struct arg_at_site is = { .fetch = fetch, .type = whole ? value->own : type,
					.note = arg->expr, .bits = whole ? value->bits : 0 };
	const struct user_arg at = { arg, e, field->argloc, fallback };
	size_t k = probe_add_arg(m->p, field->name, type);

	if (why)
		probe_arg_missing(m->p, k);
	for (size_t i = 0; i < m->p->nsites; i++) {
		if (e->inner == FETCH_SYMBOL) {
			snprintf(symbol, sizeof(symbol), "%.*s", (int)e->len - 1,
				 arg->expr + e->at + 1);
			argloc_of_symbol(m->t->elf, symbol, m->p->sites[i].vaddr, field->argloc);
		}
		if (!why && build_user_fetch(m->r, &at, fetch, sizeof(fetch)) < 0)
			return -1;
		if (why)
			probe_set_missing(m->p, i, k, arg->expr, why);
		else
			probe_set_arg(m->p, i, k, &is);
	}
	show_as(&m->p->args[k], type, e->depth ? NULL : value, *arg->type);
	m->p->args[k].followed = e->depth || (value && value->followed);
	if (value && value->show == PROBE_SHOW_VARIANT && !e->depth && !*arg->type)
		m->tags[value - m->list] = k + 1;
	only_if(m, k, value);
	return 0;
}

/* ---- texts with a length ------------------------------------------------------------------ */

enum { WORDS_TOGETHER = 256, WORDS_MOST = 320, WORDS_ASKED_FOR = 64, WORDS = 32, WORDS_LEAST = 4 };

/* Fields of a string with a length: its words, and two values that say which words are valid. */
struct counted_fields {
	char type[PROBE_TYPE_MAX];
	const char *helper_types[2];
	char fetch[160], helpers[2][160];
};

/* False if one of them cannot be recorded: *no says why. */
static bool find_counted(const struct dwarf_counted *c, unsigned int words,
			 struct counted_fields *f, char *no, size_t size)
{
	bool libcxx = c->form == COUNTED_LIBCXX;
	const struct argloc *helpers[] = { libcxx ? &c->object : &c->pointer,
					   libcxx ? &c->object : &c->length };

	snprintf(f->type, sizeof(f->type), "x64[%u]", words);
	for (int i = 0; i < 2; i++) {
		f->helper_types[i] = !libcxx ? "u64" : i ? "string" : "x64[3]";
		if (!argloc_fetch(helpers[i], f->helper_types[i], f->helpers[i],
				  sizeof(f->helpers[i]), no, size))
			return false;
	}
	return argloc_fetch(&c->pointer, f->type, f->fetch, sizeof(f->fetch), no, size);
}

/* Adds a helper field NAME_TAIL that the recorder consumes. Returns its number. */
static size_t add_spent(struct making *m, const char *name, const char *tail, const char *type,
			const char *fetch)
{
	const struct arg_at_site is = { .fetch = fetch, .type = type };
	char *field = xasprintf("%s_%s", name, tail);
	size_t k = probe_add_arg(m->p, field, type);

	m->p->args[k].helper = m->p->args[k].spent = true;
	for (size_t i = 0; i < m->p->nsites; i++)
		probe_set_arg(m->p, i, k, &is);
	free(field);
	return k;
}

/* Adds a field for a string with a length, of at most `words` * 8 bytes. */
static void add_counted(struct making *m, const char *note, const char *name,
			const struct dwarf_value *value, unsigned int words)
{
	struct counted_fields f;
	char no[200] = "";
	bool ok = find_counted(value->counted, words, &f, no, sizeof(no));
	const struct arg_at_site is = { .fetch = f.fetch, .type = "string", .note = note };
	size_t k = probe_add_arg(m->p, name, ok ? f.type : "u8");

	set_at_all_sites(m->p, k, &is, ok ? NULL : no);
	only_if(m, k, value);
	show_as(&m->p->args[k], "string", value, true);
	if (!ok)
		return;
	m->p->args[k].counted = value->counted->form;
	m->p->args[k].followed = value->followed;
	/* Indexes, not pointers: adding arguments moves m->p->args. */
	for (int i = 0; i < 2; i++) {
		size_t spent = add_spent(m, name, i ? "len" : "ptr", f.helper_types[i],
					 f.helpers[i]);

		*(i ? &m->p->args[k].length : &m->p->args[k].pointer) = spent;
	}
}

/*
 * If all strings with a length together exceed what the kernel takes of an event, records fewer
 * bytes of each.
 */
static void fit_texts(struct probe *p)
{
	unsigned int words = 0, n = 0, count, of_each;

	for (size_t k = 0; k < p->nargs; k++) {
		if (p->args[k].counted && sscanf(p->args[k].type, "x64[%u]", &count) == 1) {
			words += count;
			n++;
		}
	}
	if (words <= WORDS_MOST)
		return;
	of_each = WORDS_MOST / n > WORDS_LEAST ? WORDS_MOST / n : WORDS_LEAST;
	for (size_t k = 0; k < p->nargs; k++) {
		struct probe_arg *a = &p->args[k];

		if (!a->counted || sscanf(a->type, "x64[%u]", &count) != 1 || count <= of_each)
			continue;
		snprintf(a->type, sizeof(a->type), "x64[%u]", of_each);
		for (size_t i = 0; i < p->nsites; i++) {
			char *fetch = p->sites[i].args[k].fetch, *type = strrchr(fetch, ':');

			sprintf(type, ":x64[%u]", of_each); /* not longer than it was */
		}
	}
}

static bool is_string_type(const char *type)
{
	return !strcmp(type, "string") || !strcmp(type, "str") || !strcmp(type, "ustring");
}

/* True if the ARG means the string itself and not its address. */
static bool wants_text(const struct spec_arg *arg, const struct fetch_expr *e,
		       const struct dwarf_value *value)
{
	return value && value->counted && !e->depth && (!*arg->type || is_string_type(arg->type));
}

/* How many words of each string in m->list fit into the record. */
static unsigned int words_of_each(const struct making *m)
{
	unsigned int n = 0, words;

	for (size_t i = 0; i < m->nlist; i++)
		n += m->list[i].counted != NULL;
	words = n ? WORDS_TOGETHER / n : 0;
	return words > WORDS ? WORDS : words < WORDS_LEAST ? WORDS_LEAST : words;
}

/* Adds a value in two registers as two fields: NAME_rax and NAME_rdx. */
static int add_parts(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		     const char *name)
{
	int ret = 0;

	for (size_t i = 0; i < m->fnd.nparts && ret == 0; i++) {
		struct dwarf_value *part = &m->fnd.parts[i];
		bool missing = part->argloc.form == ARGLOC_NONE;
		char *field;

		if (!part->name)
			continue;
		field = xasprintf("%s_%s", name, part->name);
		ret = build_field_name(m->r, m->p, arg, e, field);
		if (ret == 0)
			ret = add_field(m, arg, e, &(struct arg_field){
				field, &part->argloc, part, missing ? part->argloc.why : NULL });
		free(field);
	}
	return ret;
}

/* Adds all values of m->list. `name` replaces the first `instead` characters of their names. */
static int add_list(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		    const char *name, size_t instead)
{
	int ret = 0;

	for (size_t i = 0; i < m->nlist && ret == 0; i++) {
		const struct dwarf_value *v = &m->list[i];
		char *field = xasprintf("%s%s", name, v->name + instead);

		if (e && !v->member && !m->tags[i])
			ret = build_field_name(m->r, m->p, arg, e, field);
		if (ret == 0 && v->counted)
			add_counted(m, field, field, v, words_of_each(m));
		else if (ret == 0 && !v->member && !m->tags[i])
			add_value(m, v, field);
		free(field);
	}
	return ret;
}

/* Adds the return value by its members: "retval.len". */
static int add_results(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		       const char *name)
{
	struct making with = *m;
	int ret;

	with.list = m->fnd.results->params;
	with.nlist = m->fnd.results->nparams;
	with.tags = xcalloc(with.nlist + 1, sizeof(*with.tags));
	ret = add_list(&with, arg, e, name, strlen("retval"));
	free(with.tags);
	return ret;
}

/* For ":string" of a std::string, dereferences the object: its first member points to the text. */
static int point_to_text(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
			 const struct dwarf_value *value, struct argloc *argloc)
{
	char inner[sizeof(argloc->expr)];

	if (!value || e->depth || !is_string_type(arg->type) || value->text == DWARF_TEXT ||
	    argloc->form != ARGLOC_EXPR)
		return 0;
	if (value->text == DWARF_TEXT_COUNTED)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s:%s: texts of "
				 "this type have a length and no NUL at their end; %s:x8[16] "
				 "records 16 bytes of it", arg->expr, arg->type, arg->expr);
	memcpy(inner, argloc->expr, sizeof(inner));
	if ((size_t)snprintf(argloc->expr, sizeof(argloc->expr), "+0(%.58s)", inner) >=
	    sizeof(argloc->expr) || strlen(inner) > 58)
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err,
				 "%s: its location has too many levels", arg->expr);
	return 0;
}

/* Adds the field of an ARG that means one value. */
static int add_single(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		      const char *name, struct argloc *argloc, const struct dwarf_value *value)
{
	if (build_field_name(m->r, m->p, arg, e, name) < 0)
		return -1;
	if (wants_text(arg, e, value)) {
		add_counted(m, arg->expr, name, value, *arg->type ? WORDS_ASKED_FOR : WORDS);
		return 0;
	}
	if (point_to_text(m, arg, e, value, argloc) < 0)
		return -1;
	return add_field(m, arg, e, &(struct arg_field){ name, argloc, value, NULL });
}

/* Adds a field that has no value at any site. */
static int add_absent(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		      const char *name, const struct dwarf_value *value, const char *why)
{
	struct argloc argloc = { 0 };

	return build_field_name(m->r, m->p, arg, e, name) < 0 ? -1 :
	       add_field(m, arg, e, &(struct arg_field){ name, &argloc, value, why });
}

/* ---- parts of parameters -------------------------------------------------------------------- */

/* True for the name of a parameter that the function's description has by its members. */
static bool has_members(const struct making *m, const char *s, size_t len)
{
	for (size_t i = 0; m->described && i < m->fnd.nparams; i++) {
		const char *name = m->fnd.params[i].name;

		if (!strncmp(name, s, len) && (name[len] == '.' || name[len] == '['))
			return true;
	}
	return false;
}

/* True for "cart->n" or "cart": no value of its own in the function's description. */
static bool is_path(const struct making *m, const struct spec_arg *arg, const struct fetch_expr *e)
{
	const char *s = arg->expr + e->at;
	bool named = e->inner == FETCH_NAME;

	return (named || (e->inner == FETCH_VAR && !strncmp(s, "$retval", 7))) &&
	       (fetch_is_part(s, e->len) || (named && has_members(m, s, e->len))) &&
	       !find_param(m, s, e->len);
}

/* The return value that a path begins with. Complains with a caret if it is not available. */
static int path_result(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		       struct dwarf_function *ret)
{
	const struct dwarf_value *value;
	struct argloc argloc = { 0 };

	if (resolve_retval(m, arg, e, &argloc, &value) < 0)
		return -1;
	*ret = m->fnd;
	memcpy(ret->ret.argloc.expr, argloc.expr, sizeof(argloc.expr));
	return 0;
}

/* Complains about a path. */
static int no_path(struct making *m, const struct spec_arg *arg, const struct fetch_expr *e,
		   const char *path, const struct part_error *error)
{
	char *head = xstrndup(path, strcspn(path, ".-["));
	int ret;

	if (!m->described || (!error->at && *path != '$'))
		ret = no_such_name(m, arg, e, head);
	else
		ret = spec_fail(m->r->spec, build_inner_at(arg, e) + error->at, m->r->err, "%s",
				error->why);
	free(head);
	return ret;
}

/*
 * Adds the fields of the values that a path leads to: of the one that it names, which m->list has;
 * NULL: of all in m->list.
 */
static int add_part(struct making *m, const struct spec_arg *arg, struct fetch_expr *e,
		    const char *name, const struct dwarf_value *named, size_t instead)
{
	const struct dwarf_value *v = named ? named : m->list;
	struct argloc argloc;
	bool single = named;
	size_t n = 0;

	for (size_t i = 0; i < m->nlist; i++)
		n += !m->list[i].member;
	single |= n == 1;

	if (!single && (*arg->type || e->depth || !m->nlist))
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%.*s: it is "
				 "shown by its members; write one of them%s%s", (int)e->len,
				 arg->expr + e->at, m->nlist ? ", as " : "",
				 m->nlist ? v->name : "");
	if (!single)
		return add_list(m, arg, e, name, instead);
	if (v->argloc.object && (e->depth || (!*arg->type && !*v->type)))
		return spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", v->name,
				 e->depth ? "it is no pointer that can be followed; write a part "
					    "of it, as NAME[0] or NAME.MEMBER" : v->argloc.why);
	argloc = v->argloc;
	return add_single(m, arg, e, name, &argloc, v);
}

/* The value of this name among those by which a return value is shown; NULL: it is none. */
static const struct dwarf_value *known_result(const struct making *m, const char *name)
{
	const struct dwarf_function *all = m->fnd.results;

	for (size_t i = 0; all && m->fnd.proof == PROOF_NONE && i < all->nparams; i++)
		if (!strcmp(all->params[i].name, name))
			return &all->params[i];
	return NULL;
}

/* Finds what the path leads to, and adds it. */
static int find_path(struct making *m, const struct spec_arg *arg, struct fetch_expr *e,
		     const char *path, const char *name)
{
	const struct dwarf_value *known = NULL;
	struct dwarf_function ret, out = { 0 };
	struct part_error error = { 0 };
	struct making with = *m;
	char *own = fetch_part_field(path + (*path == '$'), strlen(path) - (*path == '$'));
	int r = *path == '$' ? path_result(m, arg, e, &ret) : 0;

	if (r == 0 && *path == '$')
		known = known_result(m, own);
	if (known) {
		with.list = m->fnd.results->params;
		with.nlist = m->fnd.results->nparams;
	}
	if (r == 0 && !known) {
		bool found = m->described && dwarf_path(m->t->dwarf, &m->at, path,
							*path == '$' ? &ret : NULL, &out, &error);

		r = found ? 0 : no_path(m, arg, e, path, &error);
		with.list = out.params;
		with.nlist = out.nparams;
	}
	with.tags = xcalloc(with.nlist + 1, sizeof(*with.tags));
	if (r == 0)
		r = add_part(&with, arg, e, name, known, strlen(own));
	free(with.tags);
	dwarf_function_free(&out);
	free(own);
	return r;
}

static int add_path(struct making *m, const struct spec_arg *arg, struct fetch_expr *e)
{
	char *name = fetch_field_name(arg, e), *path = xstrndup(arg->expr + e->at, e->len);
	const char *none = *path == '$' ? NULL : no_meaning(m), *why = no_retval(m, arg, e);
	int ret;

	e->inner = FETCH_NAME; /* the field's name need not be an identifier */
	if (none)
		ret = spec_fail(m->r->spec, build_inner_at(arg, e), m->r->err, "%s: %s", path,
				none);
	else if (why)
		ret = add_absent(m, arg, e, name, NULL, why);
	else
		ret = find_path(m, arg, e, path, name);
	free(name);
	free(path);
	return ret;
}

/* ---- one ARG -------------------------------------------------------------------------------- */

/* The text that is returned, if ":string" is asked of a return value; else NULL. */
static const struct dwarf_value *text_result(const struct making *m, const struct spec_arg *arg,
					     const struct fetch_expr *e)
{
	const struct dwarf_function *all = m->fnd.results;

	return all && all->nparams && all->params[0].counted && m->fnd.proof == PROOF_NONE &&
	       is_string_type(arg->type) && !e->depth ? &all->params[0] : NULL;
}

/* Adds one of the user's ARGs. */
static int add_arg(struct making *m, const struct spec_arg *arg, struct fetch_expr *e)
{
	char *name = fetch_field_name(arg, e);
	const char *why = no_retval(m, arg, e);
	const struct dwarf_value *value = NULL;
	struct argloc argloc;
	int ret = resolve_inner(m, arg, e, &argloc, &value);
	bool result = ret == 0 && value && value == &m->fnd.ret && !*arg->type;

	if (ret == 0 && value && value == &m->fnd.ret && text_result(m, arg, e))
		value = text_result(m, arg, e);
	if (ret == 0 && !why && result && in_parts(m) && !e->depth)
		ret = m->fnd.results ? add_results(m, arg, e, name) : add_parts(m, arg, e, name);
	else if (ret == 0 && (why || (result && value->argloc.form == ARGLOC_NONE)))
		ret = add_absent(m, arg, e, name, value, why ? why : value->argloc.why);
	else if (ret == 0)
		ret = add_single(m, arg, e, name, &argloc, value);
	free(name);
	return ret;
}

/* Adds all parameters ($params). One that is unavailable becomes a field that says so. */
static int add_params(struct making *m, const struct spec_arg *arg)
{
	const char *why = no_meaning(m);
	char text[320];

	if (why)
		return spec_fail(m->r->spec, arg->at, m->r->err, "$params: %s", why);
	if (!m->described)
		return spec_fail(m->r->spec, arg->at, m->r->err, "$params: not known: %s",
				 no_names(m, text, sizeof(text)));
	return add_list(m, arg, NULL, "", 0);
}

int userarg_add_all(struct making *m)
{
	const struct spec *spec = m->r->spec;

	for (size_t i = 0; i < spec->nargs; i++) {
		struct fetch_expr e;

		if (fetch_parse(spec, &spec->args[i], &e, m->r->err) < 0)
			return -1;
		if (e.inner == FETCH_PARAMS ? add_params(m, &spec->args[i]) < 0 :
		    is_path(m, &spec->args[i], &e) ? add_path(m, &spec->args[i], &e) < 0 :
		    add_arg(m, &spec->args[i], &e) < 0)
			return -1;
	}
	fit_texts(m->p);
	return 0;
}
