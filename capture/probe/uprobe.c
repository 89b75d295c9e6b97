/* SPDX-License-Identifier: MIT */
/* Resolves uprobe: specs: symbols, offsets and names of arguments. */
#include "config.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "capture/sys/alloc.h"
#include "capture/probe/build.h"
#include "capture/probe/gosymbols.h"
#include "capture/probe/list.h"
#include "capture/probe/making.h"
#include "capture/probe/probe.h"
#include "capture/probe/reentry.h"
#include "capture/probe/passed.h"
#include "capture/probe/resolve.h"
#include "capture/probe/insn.h"
#include "capture/probe/trampoline.h"
#include "common/array.h"

/* ---- the place ---------------------------------------------------------------------------- */

static void set_note(struct probe *p, char *note)
{
	free(p->note);
	p->note = note;
}

/*
 * Checks that an instruction begins at the place. Returns -1 with an error if not; adds a note if
 * that could not be checked.
 */
static int check_place(struct making *m)
{
	const struct spec *spec = m->r->spec;
	struct insn_around around;

	switch (m->fn ? insn_boundary(m->t->elf, m->fn->vaddr, m->vaddr, &around) : INSN_UNKNOWN) {
	case INSN_AT:
		break;
	case INSN_INSIDE:
		return spec_fail(spec, spec->symbol_at, m->r->err,
				 "%s+0x%" PRIx64 ": in the middle of an instruction: '%s' is at "
				 "+0x%" PRIx64 ", the next one at +0x%" PRIx64, m->called,
				 m->vaddr - m->fn->vaddr, around.text,
				 around.begin - m->fn->vaddr, around.next - m->fn->vaddr);
	case INSN_UNKNOWN:
		set_note(m->p, xasprintf("it was not checked that an instruction begins there: %s",
					 !insn_known() ? "trawl was built without Zydis" : m->fn ?
					 "not all bytes before it are instructions" :
					 "no symbol says where its function begins"));
	}
	return 0;
}

/* True if the probe is on a function's entry, for its calls. */
static bool counts_calls(const struct making *m)
{
	return m->fn && m->entry && !m->returning && *m->r->spec->symbol;
}

/* Initialises the site of a probe that has one. */
static void init_site(struct making *m)
{
	uint64_t vaddr = m->vaddr, offset = m->offset, behind = 0;

	if (counts_calls(m))
		behind = reentry_behind_check(target_code(m->t), m->vaddr, m->fn->size);
	if (behind && elf_offset(m->t->elf, behind, &offset))
		vaddr = behind;
	probe_site_init(&m->p->sites[0], m->t, vaddr, offset);
}

static void add_notes(struct making *m)
{
	static const char is_register[] = "the debug information does not say what it returns: $retval is "
					  "what is in %rax";

	if (m->register_shown)
		set_note(m->p, *m->p->note ? xasprintf("%s; %s", m->p->note, is_register) :
			 xstrdup(is_register));
	if (*m->p->note)
		return;
	if (m->fn && m->fn->chooser)
		set_note(m->p, xstrdup("only chooses the function that is used (IFUNC): it runs "
				       "once, when the program starts"));
	else if (!strcmp(m->p->sites[0].insn, "refused"))
		set_note(m->p, xstrdup("the kernel may refuse a probe on the instruction there"));
	else if (counts_calls(m) && m->p->sites[0].vaddr == m->vaddr &&
		 reentry_jump(target_code(m->t), m->vaddr, m->fn->size))
		set_note(m->p, xstrdup("a jump inside the function leads to its first instruction "
				       "(a loop, or a last call of itself), and is an event as a "
				       "call is; %return counts the calls that end"));
}

/*
 * The suffix of the event's name: "%return" or as the user wrote it; "%tailcall" and the like if
 * the function is left in another way.
 */
static const char *suffix_of(const struct making *m)
{
	static const char *const names[FLOW_KINDS] = {
		[FLOW_TAIL] = "%tailcall", [FLOW_UNWIND] = "%unwind", [FLOW_LONGJMP] = "%longjmp",
	};
	const char *name = m->exits ? names[m->exits[0].kind] : NULL;

	return name ? name : spec_return_name(m->r->spec->returns);
}

/*
 * The user's name for the event; for an exit that is no return, with the exit's suffix in place of
 * the user's.
 */
static char *own_name(const struct making *m, const char *suffix)
{
	const char *own = m->r->spec->own, *as_written = spec_return_name(m->r->spec->returns);
	size_t len = strlen(own), end = strlen(as_written);

	if (!strcmp(suffix, as_written))
		return xstrdup(own);
	/* The name of a C++ function has the suffix already. */
	if (len > end && !strcmp(own + len - end, as_written))
		len -= end;
	return xasprintf("%.*s%s", (int)len, own, suffix);
}

static char *display_name(struct making *m)
{
	const struct spec *spec = m->r->spec;
	const char *base = probe_file_name(m->t->file), *suffix = suffix_of(m);
	char *name = NULL, *display;

	if (*spec->own)
		return own_name(m, suffix);
	if (!*spec->symbol)
		return xasprintf("%s:0x%" PRIx64 "%s", base, spec->offset, suffix);
	if (spec->offset)
		return xasprintf("%s:%s+0x%" PRIx64 "%s", base, m->fn->name, spec->offset, suffix);
	if (is_glob(spec->symbol)) {
		name = cxx_unique_name(m->r, m->t, m->fn->name);
		if (cxx_shared_name(m->r, m->t, m->fn->name))
			m->p->alone = xstrdup(m->fn->name);
	}
	display = xasprintf("%s:%s%s", base, name ? name : m->fn->name, suffix);
	free(name);
	return display;
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

static size_t add_helper(struct probe *p, const char *name, const char *type)
{
	size_t k = probe_add_arg(p, name, type);

	p->args[k].helper = p->args[k].spent = true;
	return k;
}

/*
 * Adds the fields that say whether a conditional jump was taken: a probe on one is hit in either
 * case.
 */
static void add_conditions(struct making *m)
{
	char fetch[16];
	const struct arg_at_site code = { .fetch = fetch, .type = "u8" };
	const struct arg_at_site eflags = { .fetch = "%flags:x64", .type = "x64" };
	size_t jump_if, flags, n = 0;

	for (size_t i = 0; i < m->nexits; i++)
		n += m->exits[i].condition != FLOW_ALWAYS;
	if (!n)
		return;
	jump_if = add_helper(m->p, "jump_if", "u8");
	flags = add_helper(m->p, "jump_flags", "x64");
	for (size_t i = 0; i < m->nexits; i++) {
		int condition = m->exits[i].condition;

		if (condition == FLOW_ALWAYS)
			condition = PROBE_CONDITIONS;
		m->p->conditions |= UINT32_C(1) << condition;
		snprintf(fetch, sizeof(fetch), "\\%d:u8", condition);
		probe_set_arg(m->p, i, jump_if, &code);
		probe_set_arg(m->p, i, flags, &eflags);
	}
}

/* Adds the probe that m describes, with one site, or with one for each of m->exits. */
static int finish_probe(struct making *m, enum probe_kind kind, const char *note)
{
	char *display;
	int ret;

	m->p = probe_add(m->r, kind, m->t, m->nexits ? m->nexits : 1);
	if (!m->p)
		return -1;
	if (!m->exits)
		init_site(m);
	for (size_t i = 0; i < m->nexits; i++)
		init_exit(&m->p->sites[i], m->t, &m->exits[i]);
	if (*note)
		set_note(m->p, xstrdup(note));
	display = display_name(m);
	ret = m->exits ? 0 : check_place(m);
	if (ret == 0)
		ret = userarg_add_all(m);
	if (ret == 0)
		add_conditions(m);
	if (ret == 0)
		ret = probe_finish(m->r, m->p, display);
	add_notes(m);
	free(display);
	return ret;
}

/* Why a function may have fewer return events than entry events; "" if there is no reason. */
static const char *why_fewer(const struct making *m, const struct flow *flow)
{
	struct code *code = target_code(m->t);

	if (flow->reenters &&
	    !(m->fn && reentry_behind_check(code, m->vaddr, m->fn->size)))
		return "its entry is also reached by a jump inside it (a loop, or a last call of "
		       "itself): entries may be more than returns";
	if (flow->passed && (code->go || code_throws(code)))
		return "a call that ends by an exception or a panic of a function that it calls is "
		       "no event";
	return "";
}

/* Adds one probe for each kind of exit. */
static int add_exits(struct making *m, const struct flow *flow)
{
	const char *note = why_fewer(m, flow);
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

/* Adds the kernel's return probe, if no danger is known or the user insists (%uretprobe). */
static int add_trampoline(struct making *m, const char *not_whole)
{
	const struct spec *spec = m->r->spec;
	const char *name = m->fn ? m->called : "it", *danger;
	uint64_t length = m->fn ? m->fn->size : 0;
	char buf[512], note[640] = "";

	danger = trampoline_danger(m->t, m->vaddr, length, buf, sizeof(buf));
	if (danger && spec->returns == SPEC_URETPROBE)
		snprintf(note, sizeof(note), "may end the program: %s", danger);
	else if (danger)
		return spec_fail(spec, spec->symbol_at, m->r->err,
				 "%s%%return: a return probe of the kernel may end the program: "
				 "%s; and %s cannot be disassembled whole: %s; write %s, or "
				 "%%uretprobe if the program may end", name, danger, name, not_whole,
				 trampoline_has_return(m->t, m->vaddr, length) ?
					 "SYMBOL+OFFSET of its ret instructions" :
					 "the name without %return");
	return finish_probe(m, PROBE_URETPROBE, note);
}

/* How a function of Go without debug information returns is unknown. */
static void refuse_retval(struct dwarf_value *ret)
{
	ret->ctype = xstrdup("");
	ret->argloc.form = ARGLOC_NONE;
	snprintf(ret->argloc.why, sizeof(ret->argloc.why), "there is no debug information, and a "
		 "function of Go may return nothing, several values, or on the stack; "
		 "$retval:x64 shows %%rax");
}

/* Drops the return value if the compiler may have dropped it and no caller is seen to use it. */
static void check_retval(struct making *m)
{
	struct dwarf_value *v = &m->fnd.ret;
	enum ret_proof proof = m->fnd.proof;

	if (proof == PROOF_NONE || code_result_used(target_code(m->t), m->vaddr, proof)) {
		m->fnd.proof = PROOF_NONE;
		return;
	}
	v->argloc.form = ARGLOC_NONE;
	if (proof == PROOF_PAIR)
		snprintf(v->argloc.why, sizeof(v->argloc.why), "no caller is seen to use a second "
			 "register, so how it is returned is unknown; $retval:x64 shows %%rax");
	else if (proof == PROOF_ADDRESS)
		snprintf(v->argloc.why, sizeof(v->argloc.why), "it is in memory, and no caller is seen "
			 "to use its address in %%rax, which need not be there; $retval:x64 shows "
			 "%%rax");
	else
		snprintf(v->argloc.why, sizeof(v->argloc.why), "no caller is seen to use it, so "
			 "the compiler may have taken it away; $retval:x64 shows %%rax");
}

/* Length of the function's name if the symbol is its cold part (GCC), which a jump enters; or 0. */
static size_t cold_part_of(const char *symbol)
{
	size_t len = strlen(symbol), suffix = strlen(".cold");

	return len > suffix && !strcmp(symbol + len - suffix, ".cold") ? len - suffix : 0;
}

static int make_return(struct making *m)
{
	const struct spec *spec = m->r->spec;
	struct flow flow = { 0 };
	char why[256] = "";
	size_t len = m->fn ? cold_part_of(m->fn->name) : 0;
	int ret;

	if (len)
		return spec_fail(spec, spec->symbol_at, m->r->err,
				 "%s%s: it is a part of %.*s, which a jump enters, so that no call "
				 "of it returns; write %.*s%s", m->fn->name,
				 spec_return_name(spec->returns), (int)len, m->fn->name, (int)len,
				 m->fn->name, spec_return_name(spec->returns));

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

/* Describes the parameters' locations at a place inside the function. */
static bool described_inside(struct making *m)
{
	struct dwarf_point *at = &m->at;

	frames_cfa(target_code(m->t)->frames, m->vaddr, &at->cfa_register, &at->cfa_offset);
	return dwarf_function_inside(m->t->dwarf, at, &m->fnd);
}

static int make_probe(struct resolve *r, struct target *t, const struct elf_symbol *fn,
		      uint64_t vaddr, uint64_t offset)
{
	struct making m = { .r = r, .t = t, .fn = fn, .vaddr = vaddr, .offset = offset,
			    .entry = fn ? vaddr == fn->vaddr : true,
			    .returning = r->spec->returns != SPEC_NO_RETURN,
			    .at = { .entry = fn ? fn->vaddr : vaddr, .vaddr = vaddr },
			    .called = fn ? build_readable(xstrdup(fn->name)) : xstrdup("") };
	int ret;

	if (m.entry && fn)
		m.described = dwarf_function_at(t->dwarf, vaddr, &m.fnd);
	else if (fn && !m.returning)
		m.described = described_inside(&m);
	m.list = m.fnd.params;
	m.nlist = m.fnd.nparams;
	m.tags = xcalloc(m.fnd.nparams + 1, sizeof(*m.tags));
	if (m.returning && m.described)
		check_retval(&m);
	else if (m.returning && gosymbols_is_go(t->elf))
		refuse_retval(&m.fnd.ret);
	ret = m.returning ? make_return(&m) : finish_probe(&m, PROBE_UPROBE, "");
	dwarf_function_free(&m.fnd);
	free(m.tags);
	free(m.called);
	return ret;
}

/* "PATH:0xOFFSET" */
static int by_offset(struct resolve *r, struct target *t)
{
	const struct spec *spec = r->spec;
	const struct elf_segment *seg;
	uint64_t vaddr;

	if (!elf_vaddr(t->elf, spec->offset, &vaddr))
		return spec_fail(spec, spec->symbol_at, r->err,
				 "0x%" PRIx64 ": no loaded segment of %s has this offset",
				 spec->offset, spec->path);
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

/* Probes one match, or counts it as passed over. */
static int at_match(struct resolve *r, struct target *t, const struct elf_symbol *s)
{
	size_t before = r->list->n, more = r->more;
	int ret = at_symbol(r, t, s);
	char *name;

	if (ret == 0 || r->over)
		return ret;
	probe_drop(r->list, before);
	r->more = more;
	name = build_readable(xstrdup(s->name));
	passed_add(r, name);
	free(name);
	return 0;
}

/*
 * True if the symbol is a complete copy of the function `name` that gcc made for some of its
 * callers: "charge.constprop.0.isra.0". Parts of a function (".part.0", ".cold") are not entered by
 * calls of it.
 */
static bool is_clone_of(const char *symbol, const char *name)
{
	static const char *const suffixes[] = { ".constprop.", ".isra.", ".lto_priv." };
	size_t len = strlen(name);

	if (strncmp(symbol, name, len) || strstr(symbol + len, ".part.") ||
	    strstr(symbol + len, ".cold"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
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

/*
 * Probes every function that the spec's name or pattern matches. Returns how many there were, or
 * -1.
 */
static ssize_t at_symbols(struct resolve *r, struct target *t, bool glob)
{
	const struct spec *spec = r->spec;
	uint64_t last = 0;
	ssize_t n = 0;

	for (size_t i = 0; i < t->elf->nsymbols; i++) {
		const struct elf_symbol *s = &t->elf->symbols[i];
		bool match = is_meant(spec, glob, s->name);

		/* Returns from the cold part are found with the function itself. */
		if (glob && spec->returns && strstr(s->name, ".cold")) {
			if (match && !r->hint)
				r->hint = xasprintf("%s: a part of a function, which has its "
						    "returns", s->name);
			continue;
		}
		if (match && s->function) {
			/* Aliases, symbols of the same address, are one function. */
			if (n++ && last == s->vaddr)
				continue;
			last = s->vaddr;
			if (at_match(r, t, s) < 0)
				return -1;
		} else if (match && !s->function && !glob && !r->hint) {
			r->hint = xasprintf("%s: a variable, not a function", s->name);
		}
	}
	for (size_t i = 0; n == 0 && i < t->elf->nsymbols; i++)
		if (t->elf->symbols[i].function)
			nearest_offer(&r->near, t->elf->symbols[i].name);
	return n;
}

bool probe_name_may_be_symbol(const char *text)
{
	return !is_glob(text) || strpbrk(text, "([");
}

/* How many functions besides the one of that name the text means as a pattern. */
static size_t count_matched(const struct elf_file *f, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsymbols; i++) {
		const struct elf_symbol *s = &f->symbols[i];

		n += s->function && strcmp(s->name, text) && !fnmatch(text, s->name, 0);
	}
	return n;
}

/*
 * True if the text is the name of a symbol. A name of Go's may contain brackets, as in
 * "type..eq.[5]internal/cpu.option", which would otherwise be taken for a pattern. If the text also
 * matches other functions as a pattern, a remark says that they are left out.
 */
static bool is_name(struct resolve *r, const struct elf_file *f, const char *text)
{
	size_t others, i;

	if (!probe_name_may_be_symbol(text))
		return false;
	for (i = 0; i < f->nsymbols; i++)
		if (f->symbols[i].function && !strcmp(f->symbols[i].name, text))
			break;
	if (i == f->nsymbols)
		return false;
	others = is_glob(text) ? count_matched(f, text) : 0;
	if (others)
		probe_remark(r->list,
			     xasprintf("%s: is the name of a function; %zu other%s that it matches "
				       "as a pattern %s left out", r->spec->text, others,
				       others == 1 ? "" : "s", others == 1 ? "is" : "are"));
	return true;
}

int resolve_uprobe(struct resolve *r, struct target *t)
{
	const struct spec *spec = r->spec;
	bool glob;
	ssize_t n;

	if (!*spec->symbol)
		return by_offset(r, t);
	elf_read_symbols(t->elf);
	glob = is_glob(spec->symbol) && !is_name(r, t->elf, spec->symbol);
	n = at_symbols(r, t, glob);
	if (n < 0)
		return -1;
	if (n == 0 && !glob && !r->hint && elf_imports(t->elf, spec->symbol))
		r->hint = xasprintf("%s: only used by %s; give the library that defines it",
				    spec->symbol, spec->path);
	if (n == 0 && !r->hint && !t->elf->nsymbols)
		r->hint = xasprintf("%s: is stripped, it has no symbols; write %s:0xOFFSET or "
				    "install its debug symbols", spec->path, spec->path);
	return 0;
}
