/* SPDX-License-Identifier: MIT */
/*
 * Where a parameter is when a function is entered. Three sources are tried, in this order:
 *
 *	location    DWARF's location for this very address: a register, the caller's stack, a
 *		    constant, or "optimised away". Optimised code has lists of these.
 *	prologue    If DWARF has one location for the whole function, it is where the first
 *		    instructions (the prologue) put the parameter. Decoding them tells where they
 *		    took it from.
 *	convention  The C calling convention, if there is no location, or the prologue does not
 *		    explain it, and if the compiler and language guarantee the convention.
 *
 * If none applies, the value is unavailable. gcc keeps to the convention except in clones, whose
 * symbols are marked (.isra, .constprop). clang drops arguments of static functions without a mark;
 * Rust and Go have rules of their own.
 */
#include "config.h"

#include "capture/probe/param.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <inttypes.h>

#include "capture/probe/enumeration.h"
#include "capture/probe/location.h"
#include "capture/probe/names.h"
#include "capture/probe/place.h"
#include "capture/probe/text.h"
#include "capture/probe/variant.h"
#include "capture/sys/alloc.h"

enum { PARAMS_MAX = 64, LEAVES_MAX = 8, MEMBERS_MAX = 64, DEPTH_MAX = 8, DATA_MAX = 16 };

/* The parameter being located. */
struct param {
	struct param_finder *f;
	struct location loc;
	enum location_result found;
	char why[160];
	/* Its place by the calling convention. */
	bool sse;
	int reg; /* index of the argument register; -1: on the stack, at `stack` */
	uint64_t stack;
	bool doubtful; /* a parameter before it, or the result, is somewhere unknown */
};

/* This source does not know the value; the next one may. Returns false. */
static bool unexplained(struct argloc *to)
{
	to->form = ARGLOC_NONE;
	to->why[0] = '\0';
	return false;
}

/* ---- the language ------------------------------------------------------------------------- */

static bool is_clone(const struct elf_symbol *s)
{
	return s && (strstr(s->name, ".isra.") || strstr(s->name, ".constprop.") ||
		     strstr(s->name, ".part."));
}

/* True if callers certainly pass what the declaration says, as in C. */
static bool keeps_convention(const struct param_finder *f)
{
	if (!dwarf_is_c(dwarf_srclang(f->unit)) || !f->symbol || is_clone(f->symbol) ||
	    dwarf_udata(f->function, DW_AT_calling_convention, DW_CC_normal) != DW_CC_normal)
		return false;
	/*
	 * gcc changes the parameters of clones only. Other compilers may change those of static
	 * functions, because they see all callers.
	 */
	return f->gcc || f->symbol->global;
}

static bool made_by_gcc(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_attr(unit, DW_AT_producer, &attr) ? dwarf_formstring(&attr) :
									 NULL;

	return producer && (!strncmp(producer, "GNU C", 5) || !strncmp(producer, "GNU GIMPLE", 10));
}

/* ---- through the prologue ----------------------------------------------------------------- */

/*
 * The offset from the CFA of an address in the frame, after m's instruction has run;
 * PROLOGUE_UNKNOWN if unknown.
 */
static int64_t frame_offset(const struct prologue_move *m, enum symbolic_base base, int reg,
			    int64_t offset)
{
	int64_t from = base == BASE_CFA ? 0 :
		       base == BASE_REGISTER && reg == DWARF_RSP ? m->sp :
		       base == BASE_REGISTER && reg == DWARF_RBP ? m->bp : PROLOGUE_UNKNOWN;

	return from == PROLOGUE_UNKNOWN ? from : location_sum(from, offset);
}

/*
 * The first store that fills `bytes` bytes of the frame at this address; NULL if there is none or
 * it stores something else than a register's value at the entry. *start: their offset in the stored
 * register.
 */
static const struct prologue_move *stored(const struct prologue *p, enum symbolic_base base,
					  int reg, int64_t offset, unsigned int bytes,
					  unsigned int *start)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct prologue_move *m = &p->moves[i];
		int64_t slot = frame_offset(m, base, reg, offset);

		if (m->to >= 0 || slot == PROLOGUE_UNKNOWN || slot < m->slot ||
		    (uint64_t)slot - (uint64_t)m->slot > UINT32_MAX ||
		    (uint64_t)slot - (uint64_t)m->slot + bytes > m->bytes)
			continue;
		*start = (unsigned int)(slot - m->slot);
		return m->from >= 0 ? m : NULL;
	}
	return NULL;
}

/* The register that holds at the entry what the prologue moves to `reg`; -1 if unknown. */
static int origin(const struct prologue *p, int reg)
{
	if (reg < 0 || reg >= PROLOGUE_REGISTERS)
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		if (p->moves[i].to == reg)
			return p->moves[i].from;
	}
	return p->overwritten[reg] ? -1 : reg;
}

/* True for registers that pass arguments; all others hold values of the caller. */
static bool passes_arguments(int reg)
{
	return reg != 3 && reg != DWARF_RBP && reg != DWARF_RSP && (reg < 12 || reg > 15);
}

/*
 * A parameter in memory whose address is in a register or in the frame: finds where that address is
 * at the entry.
 */
static bool behind_pointer(const struct param *q, const struct symbolic *at, unsigned int start,
			   struct argloc *to)
{
	const struct prologue *p = &q->f->prologue;
	const struct prologue_move *m;
	struct symbolic from = { .base = BASE_REGISTER, .offset = at->offset };
	unsigned int in = 0;

	if (at->base == BASE_MEMORY) {
		m = stored(p, at->of, at->of_reg, at->of_offset, 8, &in);
		from.reg = m && !in ? m->from : -1;
	} else {
		from.reg = origin(p, at->reg);
	}
	if (from.reg < 0 || !passes_arguments(from.reg))
		return unexplained(to);
	return in_memory(q->f->vaddr, &from, start, to);
}

/* A parameter in the frame: either in the caller's part, or stored there by the prologue. */
static bool in_frame(const struct param *q, const struct symbolic *at, unsigned int start,
		     struct argloc *to)
{
	const struct prologue *p = &q->f->prologue;
	int64_t offset = location_sum(at->offset, start);
	const struct prologue_move *m;
	unsigned int in = 0;

	m = stored(p, at->base, at->reg, offset, to->bits / 8, &in);
	if (m && passes_arguments(m->from))
		return in_register(m->from, in, to);
	if (at->base == BASE_CFA && offset >= 0) {
		struct symbolic caller = { .base = BASE_CFA, .offset = offset };

		return in_memory(q->f->vaddr, &caller, 0, to);
	}
	/*
	 * With a frame pointer, the caller's part begins 16 bytes above %rbp: after the saved %rbp
	 * and the return address.
	 */
	if (at->base == BASE_REGISTER && at->reg == DWARF_RBP && offset >= 16) {
		for (size_t i = 0; i < p->n; i++) {
			if (p->moves[i].bp == -16) {
				struct symbolic caller = {.base = BASE_CFA, .offset = offset - 16};

				return in_memory(q->f->vaddr, &caller, 0, to);
			}
		}
	}
	return unexplained(to);
}

/*
 * The store that fills a place in the frame, which is given as at the probed address; NULL if
 * unknown.
 */
static const struct prologue_move *store_at(const struct param *q, enum symbolic_base base, int reg,
					    int64_t offset, unsigned int bytes)
{
	const struct symbolic *cfa = q->f->cfa;
	unsigned int in = 0;

	/*
	 * %rsp may have changed between the store and the probed address, so the place is converted
	 * to an offset from the CFA.
	 */
	if (base == BASE_REGISTER && cfa->base == base && cfa->reg == reg)
		return stored(&q->f->prologue, BASE_CFA, 0,
			      location_sum(offset, (int64_t)-(uint64_t)cfa->offset), bytes, &in);
	return base == BASE_REGISTER && reg == DWARF_RSP ?
		       NULL : stored(&q->f->prologue, base, reg, offset, bytes, &in);
}

/*
 * At an address inside the function. A value in the function's own frame is there only after the
 * function has stored it. What a caller of a C function stored in its own part is there from the
 * beginning.
 */
static bool inside(const struct param *q, const struct piece *p, unsigned int start,
		   struct argloc *to)
{
	const struct symbolic *at = &p->at, *cfa = q->f->cfa;
	const struct prologue_move *m;
	int64_t offset = location_sum(at->offset, start);

	if (p->form != PIECE_MEMORY || at->base == BASE_ADDRESS)
		return in_piece(q->f->vaddr, p, start, to);
	if (at->base != BASE_MEMORY && dwarf_is_c(dwarf_srclang(q->f->unit)) &&
	    at->base == cfa->base && at->reg == cfa->reg && offset >= cfa->offset)
		return in_piece(q->f->vaddr, p, start, to);
	m = at->base == BASE_MEMORY ? store_at(q, at->of, at->of_reg, at->of_offset, 8) :
				      store_at(q, at->base, at->reg, offset, to->bits / 8);
	if (m && !m->branched && m->end <= q->f->vaddr - q->f->entry)
		return in_piece(q->f->vaddr, p, start, to);
	return nowhere(to, m ? "the function has not yet stored it in its frame here" :
			       "the function may not have stored it in its frame yet");
}

/*
 * DWARF has one location for the whole function, which holds once the prologue has run: finds where
 * the value is at the entry.
 */
static bool in_body(const struct param *q, const struct piece *p, unsigned int start,
		    struct argloc *to)
{
	int from;

	switch (p->form) {
	case PIECE_REGISTER:
		from = origin(&q->f->prologue, p->at.reg);
		if (from < 0 || !passes_arguments(from))
			return unexplained(to);
		return in_register(from, start, to);
	case PIECE_MEMORY:
		if (p->at.base == BASE_CFA || (p->at.base == BASE_REGISTER &&
					       (p->at.reg == DWARF_RBP || p->at.reg == DWARF_RSP)))
			return in_frame(q, &p->at, start, to);
		if (p->at.base == BASE_REGISTER || p->at.base == BASE_MEMORY)
			return behind_pointer(q, &p->at, start, to);
		return in_piece(q->f->vaddr, p, start, to);
	default:
		return p->at.base == BASE_NONE || p->form == PIECE_BYTES ?
		       in_piece(q->f->vaddr, p, start, to) : unexplained(to);
	}
}

/* ---- one scalar --------------------------------------------------------------------------- */

static bool simple(const struct abi_type *t)
{
	return t->scalar && (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

static bool by_convention(const struct param *q, struct argloc *to)
{
	static const int regs[] = { 5, 4, 1, 2, 8, 9 };
	struct symbolic stack = { .base = BASE_CFA, .offset = (int64_t)q->stack - 8 };

	if (q->doubtful)
		return nowhere(to, "its location depends on that of another parameter or result, "
				   "which is unknown");
	if (q->reg >= 0)
		return in_register(q->sse ? DWARF_XMM0 + q->reg : regs[q->reg], 0, to);
	return in_memory(q->f->vaddr, &stack, 0, to);
}

/*
 * Finds to->bits bits at byte `offset` of the parameter. whole: that is the whole parameter, and a
 * scalar.
 */
static bool find(const struct param *q, unsigned int offset, bool whole, struct argloc *to)
{
	const struct piece *p = q->loc.pieces, *end = p + q->loc.n;
	unsigned int bytes = to->bits / 8;

	if (q->found == LOCATION_FOUND) {
		while (p < end && p->size && offset >= p->start + p->size)
			p++;
		if (p == end)
			return nowhere(to, "the compiler optimised it away where the function "
				       "begins");
		if (p->size && offset + bytes > p->start + p->size)
			return nowhere(to, "it is in several places");
		if (q->loc.list ? in_piece(q->f->vaddr, p, offset - p->start, to) :
		    q->f->cfa ? inside(q, p, offset - p->start, to) :
				in_body(q, p, offset - p->start, to))
			return true;
		if (to->why[0])
			return false;
	} else if (q->found != LOCATION_NONE) {
		return nowhere(to, "%s", q->why);
	}
	/* clang's callers need not pass a parameter that the function does not use. */
	if (whole && q->f->convention && (q->found == LOCATION_FOUND || q->f->gcc))
		return by_convention(q, to);
	return nowhere(to, "%s", q->why);
}

/* ---- texts with a length -------------------------------------------------------------------- */

/* The location of 8 bytes at `offset` of the object whose address is at place. */
static bool after(const struct argloc *place, unsigned int offset, struct argloc *to)
{
	*to = (struct argloc){ .form = ARGLOC_EXPR, .bits = 64 };
	return place->form == ARGLOC_EXPR && !place->shift &&
	       snprintf(to->expr, sizeof(to->expr), "+%u(%s)", offset, place->expr) <
		       (int)sizeof(to->expr);
}

/*
 * The address of what is in memory at "+0(%di)". tracefs has no expression for the address of a
 * stack slot.
 */
static bool address_of(const struct argloc *place, struct argloc *to)
{
	size_t len = strlen(place->expr);

	*to = (struct argloc){ .form = ARGLOC_EXPR, .bits = 64 };
	if (place->form != ARGLOC_EXPR || strncmp(place->expr, "+0(", 3))
		return false;
	snprintf(to->expr, sizeof(to->expr), "%.*s", (int)len - 4, place->expr + 3);
	return true;
}

/*
 * Finds pointer and length of a string that is passed by value; false if one of them is
 * unavailable.
 */
static bool text_by_value(const struct param *q, const struct text_shape *shape,
			  unsigned int offset, struct dwarf_counted *c)
{
	struct argloc first = { .bits = 64 };

	c->pointer = c->length = first;
	if (shape->form == COUNTED_LIBCXX && (!find(q, offset, false, &first) ||
					      !address_of(&first, &c->object)))
		return false;
	return find(q, offset + shape->pointer, false, &c->pointer) &&
	       find(q, offset + shape->length, false, &c->length) &&
	       c->pointer.form == ARGLOC_EXPR && !c->pointer.shift;
}

static bool text_by_reference(const struct dwarf_value *v, const struct text_shape *shape,
			      struct dwarf_counted *c)
{
	c->object = v->place;
	return after(&v->place, shape->pointer, &c->pointer) &&
	       after(&v->place, shape->length, &c->length);
}

static void add_text(struct dwarf_value *v, const struct text_shape *shape,
		     struct dwarf_counted *c)
{
	c->form = shape->form;
	v->counted = xcalloc(1, sizeof(*c));
	*v->counted = *c;
}

/* If the value is a reference to a string, finds its pointer and length. */
static void refer_to_text(const struct param *q, Dwarf_Die *type, struct dwarf_value *v)
{
	struct dwarf_counted c = { 0 };
	struct text_shape shape;

	if (text_shape_of(type, dwarf_srclang(q->f->unit), &shape) && shape.reference &&
	    text_by_reference(v, &shape, &c))
		add_text(v, &shape, &c);
}

/* ---- scalars and their texts ----------------------------------------------------------------- */

/* Sets the types of a scalar whose location is known. */
static void set_type(struct dwarf_value *v, const struct abi_type *t)
{
	bool hex = t->is_float || t->show == PROBE_SHOW_ADDR;

	snprintf(v->own, sizeof(v->own), "%c%u", t->is_float ? 'f' : hex ? 'x' :
		 t->is_signed ? 's' : 'u', t->size * 8);
	/* Bits in the middle of a register can be recorded only as a wider unsigned integer. */
	snprintf(v->type, sizeof(v->type), "%c%u", v->place.shift ? 'u' : hex ? 'x' :
		 t->is_signed ? 's' : 'u', v->place.shift ? 64 : t->size * 8);
	v->show = t->show;
}

/*
 * What ":string" records for this type. Strings of Go, Rust and C++ have a length and need not end
 * with a NUL; libstdc++'s std::string does.
 */
static enum dwarf_text text_of(const struct param *q, Dwarf_Die *from)
{
	static const char string[] = "basic_string<char,", view[] = "basic_string_view<";
	int language = dwarf_srclang(q->f->unit);
	Dwarf_Die type, under, member;
	const char *name;

	if (language == DW_LANG_Go || language == DW_LANG_Rust)
		return DWARF_TEXT_COUNTED;
	if (!dwarf_peel(from, &type) || !dwarf_type_of(&type, &under) ||
	    !dwarf_peel(&under, &type))
		return DWARF_TEXT;
	name = dwarf_diename(&type);
	if (!name || strncmp(name, "basic_string", 12))
		return DWARF_TEXT;
	if (!strncmp(name, view, sizeof(view) - 1) || strncmp(name, string, sizeof(string) - 1) ||
	    dwarf_child(&type, &member) != 0)
		return DWARF_TEXT_COUNTED;
	do {
		const char *of = dwarf_diename(&member);
		unsigned int at;

		if (dwarf_tag(&member) == DW_TAG_member && of && !strcmp(of, "_M_dataplus") &&
		    dwarf_member_at(&member, &at) && !at)
			return DWARF_TEXT_POINTED;
	} while (dwarf_siblingof(&member, &member) == 0);
	return DWARF_TEXT_COUNTED;
}

static void find_scalar(const struct param *q, Dwarf_Die *type, unsigned int offset, bool whole,
			struct dwarf_value *v)
{
	struct abi_type t;

	abi_type_of(type, &t);
	v->text = text_of(q, type);
	v->place = (struct argloc){ .bits = t.size * 8, .is_signed = t.is_signed,
				    .is_float = t.is_float };
	if (t.undecoded)
		nowhere(&v->place, "the number format of %s is not supported", v->ctype);
	else if (!simple(&t))
		nowhere(&v->place, "the kernel's probes cannot record a value of %u bytes", t.size);
	else if (find(q, offset, whole, &v->place))
		set_type(v, &t);
	v->names = enumeration_names(type, t.is_signed);
	if (v->place.form != ARGLOC_NONE && whole)
		refer_to_text(q, type, v);
}

/* ---- values of several parts -------------------------------------------------------------- */

static struct dwarf_value *add_value(struct dwarf_function *out, const char *name, Dwarf_Die *type)
{
	struct dwarf_value *v;

	xgrow(out->params, out->nparams);
	v = &out->params[out->nparams++];
	*v = (struct dwarf_value){ .name = xstrdup(name), .ctype = dwarf_type_text(type, 0) };
	return v;
}

static unsigned int count_leaves(const struct param *q, Dwarf_Die *from, int depth);

/* Counts the scalars in all alternatives. Above DATA_MAX, only the tag is shown. */
static unsigned int count_data(const struct param *q, const struct variants *v, int depth)
{
	unsigned int n = 0;

	for (size_t i = 0; i < v->n && n <= DATA_MAX; i++) {
		unsigned int k = v->list[i].data ? count_leaves(q, &v->list[i].type, depth + 1) : 0;

		n += k > LEAVES_MAX ? 1 : k;
	}
	return n;
}

static bool count_variants(const struct param *q, Dwarf_Die *type, int depth, unsigned int *n)
{
	struct variants v;

	if (!variants_of(type, dwarf_srclang(q->f->unit), &v))
		return false;
	*n = count_data(q, &v, depth);
	*n = *n > DATA_MAX ? 1 : *n + 1;
	variants_free(&v);
	return true;
}

/* Counts the scalars of a type; above LEAVES_MAX if the type cannot be shown by its members. */
static unsigned int count_leaves(const struct param *q, Dwarf_Die *from, int depth)
{
	Dwarf_Die type, child;
	Dwarf_Attribute attr;
	unsigned int n = 0, members = 0;

	if (depth > DEPTH_MAX || !dwarf_peel(from, &type))
		return LEAVES_MAX + 1;
	if (count_variants(q, &type, depth, &n))
		return n;
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		break;
	case DW_TAG_union_type:
	case DW_TAG_array_type:
		return LEAVES_MAX + 1;
	default:
		return 1;
	}
	if (dwarf_child(&type, &child) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&child);
		Dwarf_Die member;

		if (tag == DW_TAG_variant_part || ++members > MEMBERS_MAX)
			return LEAVES_MAX + 1;
		/* Member functions and types do not count as members. */
		members -= tag == DW_TAG_subprogram || tag == DW_TAG_typedef;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_attr(&child, DW_AT_external, &attr))
			continue;
		if (!dwarf_type_of(&child, &member))
			return LEAVES_MAX + 1;
		n += count_leaves(q, &member, depth + 1);
	} while (n <= LEAVES_MAX && dwarf_siblingof(&child, &child) == 0);
	return n;
}

/*
 * Adds a string that is passed by value. False if the type is no string or a part of it is
 * unavailable.
 */
static bool add_text_value(const struct param *q, Dwarf_Die *type, const char *name,
			   unsigned int offset, struct dwarf_function *out)
{
	struct dwarf_counted c = { 0 };
	struct text_shape shape;
	struct dwarf_value *v;

	if (!text_shape_of(type, dwarf_srclang(q->f->unit), &shape) || shape.reference ||
	    !text_by_value(q, &shape, offset, &c))
		return false;
	v = add_value(out, name, type);
	nowhere(&v->place, "a text by value has no address; its members do");
	add_text(v, &shape, &c);
	return true;
}

/* Finds a bit field, through the storage unit of its type that contains it. */
static void find_bits(const struct param *q, Dwarf_Die *type, unsigned int bit, unsigned int width,
		      struct dwarf_value *v)
{
	struct argloc *place = &v->place;
	unsigned int unit, at;
	struct abi_type t;

	abi_type_of(type, &t);
	unit = t.size * 8;
	if (!simple(&t) || !width || bit % unit + width > unit) {
		nowhere(place,
			"a bit field in several numbers, which the kernel's probes cannot read");
		return;
	}
	if (t.is_signed) {
		nowhere(place, "a signed bit field, which the kernel's probes cannot read");
		return;
	}
	*place = (struct argloc){ .bits = unit };
	if (!find(q, bit / unit * t.size, false, place))
		return;
	at = place->shift + bit % unit;
	v->names = enumeration_names(type, false);
	if (place->form == ARGLOC_IMM) {
		place->imm = place->imm >> bit % unit & (UINT64_MAX >> (64 - width));
		snprintf(v->type, sizeof(v->type), "u%u", unit);
		return;
	}
	unit = *place->expr == '%' ? 64 : unit;
	place->shift = 0;
	place->bits = unit;
	snprintf(v->type, sizeof(v->type), "b%u@%u/%u", width & 127, at & 127, unit & 127);
	snprintf(v->own, sizeof(v->own), "u%u", unit & 127);
}

/* ---- alternatives --------------------------------------------------------------------------- */

static void add_leaves(const struct param *q, Dwarf_Die *from, const char *name,
		       unsigned int offset, struct dwarf_function *out);

/*
 * Adds the tag, the value that tells which alternative is present. Returns its number in
 * out->params.
 */
static size_t add_tag(const struct param *q, struct variants *v, const char *name,
		      unsigned int offset, struct dwarf_function *out)
{
	struct dwarf_value *to = add_value(out, name, NULL);

	free(to->ctype);
	to->ctype = xstrdup(v->ctype);
	if (v->tagged) {
		find_scalar(q, &v->tag, offset + v->tag_at, false, to);
		value_names_free(to->names);
	} else {
		to->place = (struct argloc){ .form = ARGLOC_IMM, .bits = 8 };
		snprintf(to->type, sizeof(to->type), "u8");
	}
	to->names = variants_names(v);
	to->show = PROBE_SHOW_VARIANT;
	to->text = DWARF_TEXT_COUNTED;
	return out->nparams - 1;
}

/* Adds the data of one alternative, under its name. */
static void add_data(const struct param *q, struct alternative *a, const char *name,
		     unsigned int offset, struct dwarf_function *out)
{
	unsigned int n = count_leaves(q, &a->type, 0);
	size_t text = out->nparams;

	if (add_text_value(q, &a->type, name, offset, out)) {
		text++;
		add_leaves(q, &a->type, name, offset, out);
		for (; text < out->nparams; text++)
			out->params[text].member = true;
	} else if (n <= LEAVES_MAX) {
		add_leaves(q, &a->type, name, offset, out);
	} else {
		struct dwarf_value *to = add_value(out, name, &a->type);

		nowhere(&to->place, "%s has more members than are shown", to->ctype);
	}
}

/* Adds a value that has alternatives. False if the type has none. */
static bool add_variants(const struct param *q, Dwarf_Die *type, const char *name,
			 unsigned int offset, struct dwarf_function *out)
{
	struct variants v;
	bool shown;
	size_t tag;

	if (!variants_of(type, dwarf_srclang(q->f->unit), &v))
		return false;
	tag = add_tag(q, &v, name, offset, out);
	shown = count_data(q, &v, 0) <= DATA_MAX && out->params[tag].place.form != ARGLOC_NONE;
	for (size_t i = 0; shown && i < v.n; i++) {
		struct alternative *a = &v.list[i];
		char *path = xasprintf("%s.%s", name, a->name);
		size_t k = out->nparams;

		if (a->data)
			add_data(q, a, path, offset + a->offset, out);
		for (; k < out->nparams; k++) {
			if (out->params[k].only_of)
				continue;
			out->params[k].only_of = tag + 1;
			out->params[k].only_if = xstrdup(a->name);
		}
		free(path);
	}
	variants_free(&v);
	return true;
}

static void add_leaves(const struct param *q, Dwarf_Die *from, const char *name,
		       unsigned int offset, struct dwarf_function *out)
{
	Dwarf_Die type, child, member;
	Dwarf_Attribute attr;
	size_t before;

	if (add_variants(q, from, name, offset, out))
		return;
	if (!dwarf_peel(from, &type) || (dwarf_tag(&type) != DW_TAG_structure_type &&
					 dwarf_tag(&type) != DW_TAG_class_type)) {
		find_scalar(q, from, offset, false, add_value(out, name, from));
		return;
	}
	before = out->nparams;
	if (dwarf_child(&type, &child) != 0)
		return;
	do {
		const char *of = dwarf_diename(&child);
		int tag = dwarf_tag(&child);
		unsigned int width, at;
		char *path;
		bool known;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_attr(&child, DW_AT_external, &attr) || !dwarf_type_of(&child, &member))
			continue;
		known = dwarf_member_at(&child, &at);
		if (!known && !of)
			of = dwarf_diename(&member);
		path = !of ? xstrdup(name) : xasprintf("%s.%s", name, of);
		width = dwarf_udata(&child, DW_AT_bit_size, 0);
		if (!known)
			nowhere(&add_value(out, path, &member)->place, "its offset in the object "
								       "is known only at run time");
		else if (width)
			find_bits(q, &member, offset * 8 + dwarf_first_bit(&child, width), width,
				  add_value(out, path, &member));
		else
			add_leaves(q, &member, path, offset + at, out);
		free(path);
	} while (dwarf_siblingof(&child, &child) == 0);
	if (dwarf_diename(&type) && !strncmp(dwarf_diename(&type), "basic_string_view<", 18)) {
		for (; before < out->nparams; before++)
			out->params[before].text = DWARF_TEXT_COUNTED;
	}
}

/* Why a value cannot be shown by its members. */
static const char *not_by_members(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_union_type:
		return "is passed by value and a union";
	case DW_TAG_array_type:
		return "is passed by value and an array";
	default:
		return "is passed by value, and the kernel's probes read single values";
	}
}

/* ---- parameters --------------------------------------------------------------------------- */

static bool is_scalar(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_array_type:
		return false;
	default:
		return true;
	}
}

static void explain(struct param *q)
{
	if (q->found == LOCATION_NOT_HERE)
		snprintf(q->why, sizeof(q->why),
			 "the compiler optimised it away %s",
			 q->f->cfa ? "here" : "where the function begins");
	else if (q->found == LOCATION_NONE)
		snprintf(q->why, sizeof(q->why), "the compiler optimised it away");
	else if (q->found == LOCATION_FOUND)
		snprintf(q->why, sizeof(q->why),
			 "the debug information tells its place only after the function's first "
			 "instructions, which do not tell where it comes from");
}

/*
 * Go 1.19 describes a slice by four pieces of 8 bytes, one of them twice. Which three are the
 * slice's is unknown, so a value with more bytes than its type is refused.
 */
static void check_pieces(struct param *q, Dwarf_Die *type)
{
	const struct piece *last = q->loc.n ? &q->loc.pieces[q->loc.n - 1] : NULL;
	Dwarf_Word size;

	if (q->found != LOCATION_FOUND || !last || !last->size ||
	    dwarf_aggregate_size(type, &size) != 0 || last->start + last->size <= size)
		return;
	q->found = LOCATION_NOT_HERE;
	snprintf(q->why, sizeof(q->why),
		 "the debug information has %u bytes of it in pieces, and it has %u",
		 last->start + last->size, (unsigned int)size);
}

/* Adds a value according to its type: as a string, as a number, or by its members. */
static void add_typed(const struct param *q, Dwarf_Die *type, Dwarf_Die *peeled, const char *name,
		      struct dwarf_function *out)
{
	unsigned int n = is_scalar(peeled) ? 1 : count_leaves(q, peeled, 0);
	struct dwarf_value *v;

	if (add_text_value(q, type, name, 0, out)) {
		size_t before = out->nparams;

		if (n && n <= LEAVES_MAX)
			add_leaves(q, peeled, name, 0, out);
		for (; before < out->nparams; before++)
			out->params[before].member = true;
	} else if (is_scalar(peeled)) {
		find_scalar(q, type, 0, true, add_value(out, name, type));
	} else if (n && n <= LEAVES_MAX) {
		add_leaves(q, peeled, name, 0, out);
	} else {
		v = add_value(out, name, type);
		nowhere(&v->place, n ? "%s %s" : "%s has no members", v->ctype,
			not_by_members(peeled));
	}
}

static void add_param(struct param_finder *f, Dwarf_Die *die, struct dwarf_function *out)
{
	const char *given = dwarf_diename(die);
	char *name = given && *given ? xstrdup(given) : xasprintf("arg%zu", out->nparams + 1);
	struct param q = { .f = f };
	struct dwarf_value *v;
	struct abi_type t;
	Dwarf_Die type, peeled;

	if (!dwarf_type_of(die, &type) || !dwarf_peel(&type, &peeled)) {
		v = add_value(out, name, NULL);
		nowhere(&v->place, "the debug information lacks its type");
		free(name);
		return;
	}
	abi_type_of(&type, &t);
	q.reg = abi_take(&f->abi, &t, &q.sse, &q.stack);
	q.doubtful = q.reg < 0 ? f->abi.stack_unknown : f->abi.gp_unknown && !q.sse;
	q.found = location_find(f->function, die, f->vaddr, f->cfa, &q.loc, q.why, sizeof(q.why));
	explain(&q);
	check_pieces(&q, &peeled);
	add_typed(&q, &type, &peeled, name, out);
	free(name);
}

void param_add_result(struct param_finder *f, Dwarf_Die *type, const char *name,
		      const struct location *loc, const char *why, struct dwarf_function *out)
{
	struct param q = { .f = f, .found = loc ? LOCATION_FOUND : LOCATION_UNKNOWN };
	Dwarf_Die peeled;

	if (loc)
		q.loc = *loc;
	else
		snprintf(q.why, sizeof(q.why), "%s", why);
	if (dwarf_peel(type, &peeled))
		add_typed(&q, type, &peeled, name, out);
}

/* True for a Go function's result, which DWARF lists among the parameters. */
static bool is_result(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool result = false;

	return dwarf_attr_integrate(die, DW_AT_variable_parameter, &attr) &&
	       dwarf_formflag(&attr, &result) == 0 && result;
}

void param_find_all(struct param_finder *f, struct dwarf_function *out)
{
	Dwarf_Die child;

	f->gcc = made_by_gcc(f->unit);
	f->convention = !f->cfa && keeps_convention(f);
	prologue_read(f->elf, f->entry, f->symbol ? f->symbol->size : 0, &f->prologue);
	if (dwarf_child(f->function, &child) != 0)
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && !is_result(&child))
			add_param(f, &child, out);
	} while (out->nparams < PARAMS_MAX && dwarf_siblingof(&child, &child) == 0);
}
#endif
