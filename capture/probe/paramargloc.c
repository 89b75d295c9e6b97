/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/paramargloc.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/die.h"
#include "capture/probe/dwarfargloc.h"
#include "capture/probe/gopieces.h"
#include "capture/probe/language.h"
#include "capture/probe/location.h"
#include "capture/sys/alloc.h"
#include "common/array.h"

enum { ADDRESS = 16 }; /* for entry_register(): not in the parameter, but its address */

/* The general registers that pass parameters in C, in order, by DWARF's numbers. */
static const int argument_registers[] = { 5, 4, 1, 2, 8, 9 };

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

static bool follows_c(const struct param_finder *f)
{
	return language_of(dwarf_srclang(f->unit))->convention == CONVENTION_SYSTEM_V;
}

/* True if callers certainly pass what the declaration says, as in C. */
static bool keeps_convention(const struct param_finder *f)
{
	if (!follows_c(f) || !f->symbol || is_clone(f->symbol) ||
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
	const char *producer = dwarf_producer(unit);

	return !strncmp(producer, "GNU C", 5) || !strncmp(producer, "GNU GIMPLE", 10);
}

/* True for clang 18 and later, which pass __int128 as the ABI says. */
static bool made_by_new_clang(Dwarf_Die *unit)
{
	const char *version = strstr(dwarf_producer(unit), "clang version ");

	return version && strtoul(version + strlen("clang version "), NULL, 10) >= 18;
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
	return p->kept[reg] < p->end ? -1 : reg;
}

/* True for registers that pass arguments; all others hold values of the caller. */
static bool passes_arguments(int reg)
{
	return reg != 3 && reg != DWARF_RBP && reg != DWARF_RSP && (reg < 12 || reg > 15);
}

/* True for registers in which a caller may pass a parameter of this function. */
static bool may_pass(const struct param_finder *f, int reg)
{
	if (!follows_c(f))
		return passes_arguments(reg);
	for (size_t i = 0; i < ARRAY_SIZE(argument_registers); i++)
		if (reg == argument_registers[i])
			return true;
	return reg >= DWARF_XMM0 && reg < DWARF_XMM0 + 8;
}

/*
 * The register that holds at the entry what DWARF places in `reg` for the whole function; -1 if
 * unknown. byte: its offset in the parameter.
 *
 * If the prologue moves another register into `reg`, and a caller may pass parameters in `reg` as
 * well, two readings are possible. An optimised function has such a location for a parameter that
 * came in `reg` and is not used, so that `reg` was free for the other one; a function without
 * optimisation has it for the other one (`register`). Without variable tracking (gcc
 * -fno-var-tracking), one register stands for several parameters. So where the calling convention
 * is known, it has to confirm what is found.
 */
static int entry_register(const struct param *q, int reg, unsigned int byte)
{
	const bool known = q->f->convention && !q->doubtful && byte < ADDRESS;
	int from = origin(&q->f->prologue, reg), by = known ? q->eightbytes[byte / 8] : -1;

	if (from == reg || (!known && !may_pass(q->f, reg)))
		return from >= 0 && passes_arguments(from) ? from : -1;
	return by == reg || by == from ? by : -1;
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
		from.reg = m && !in && passes_arguments(m->from) ? m->from : -1;
	} else {
		from.reg = entry_register(q, at->reg, ADDRESS);
	}
	if (from.reg < 0)
		return unexplained(to);
	return argloc_in_memory(q->f->vaddr, &from, start, to);
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
		return argloc_in_register(m->from, in, to);
	if (at->base == BASE_CFA && offset >= 0) {
		struct symbolic caller = { .base = BASE_CFA, .offset = offset };

		return argloc_in_memory(q->f->vaddr, &caller, 0, to);
	}
	/*
	 * With a frame pointer, the caller's part begins 16 bytes above %rbp: after the saved %rbp
	 * and the return address.
	 */
	if (at->base == BASE_REGISTER && at->reg == DWARF_RBP && offset >= 16) {
		for (size_t i = 0; i < p->n; i++) {
			if (p->moves[i].bp == -16) {
				struct symbolic caller = {.base = BASE_CFA, .offset = offset - 16};

				return argloc_in_memory(q->f->vaddr, &caller, 0, to);
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
 * Whether a register that DWARF gives for the whole function may be trusted at an address inside
 * it. gcc gives a parameter that is not used the register in which it came, although the function
 * overwrites that.
 */
static bool may_be_there(const struct param_finder *f, int reg)
{
	return !f->gcc || reg < 0 || reg >= PROLOGUE_REGISTERS || !may_pass(f, reg) ||
	       f->vaddr - f->entry <= f->prologue.kept[reg];
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

	if (p->form == PIECE_REGISTER && !may_be_there(q->f, at->reg))
		return argloc_none(to, "the debug information has one register for the whole function, "
				   "which may have been overwritten here");
	if (p->form != PIECE_MEMORY || at->base == BASE_ADDRESS)
		return argloc_in_piece(q->f->vaddr, p, start, to);
	if (at->base != BASE_MEMORY && follows_c(q->f) &&
	    at->base == cfa->base && at->reg == cfa->reg && offset >= cfa->offset)
		return argloc_in_piece(q->f->vaddr, p, start, to);
	m = at->base == BASE_MEMORY ? store_at(q, at->of, at->of_reg, at->of_offset, 8) :
				      store_at(q, at->base, at->reg, offset, to->bits / 8);
	if (m && !m->branched && m->end <= q->f->vaddr - q->f->entry)
		return argloc_in_piece(q->f->vaddr, p, start, to);
	return argloc_none(to, m ? "the function has not yet stored it in its frame here" :
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
		from = entry_register(q, p->at.reg, p->start + start);
		return from < 0 ? unexplained(to) : argloc_in_register(from, start, to);
	case PIECE_MEMORY:
		if (p->at.base == BASE_CFA || (p->at.base == BASE_REGISTER &&
					       (p->at.reg == DWARF_RBP || p->at.reg == DWARF_RSP)))
			return in_frame(q, &p->at, start, to);
		if (p->at.base == BASE_REGISTER || p->at.base == BASE_MEMORY)
			return behind_pointer(q, &p->at, start, to);
		return argloc_in_piece(q->f->vaddr, p, start, to);
	default:
		return p->at.base == BASE_NONE || p->form == PIECE_BYTES ?
		       argloc_in_piece(q->f->vaddr, p, start, to) : unexplained(to);
	}
}

/* ---- one scalar --------------------------------------------------------------------------- */

static bool by_convention(const struct param *q, unsigned int offset, struct argloc *to)
{
	struct symbolic stack = { .base = BASE_CFA, .offset = (int64_t)q->stack - 8 + offset };

	if (q->f->departs)
		return argloc_none(to, "the function does not follow the C calling convention");
	if (q->doubtful)
		return argloc_none(to, "its location depends on that of another parameter or result, "
				   "which is unknown");
	if (q->eightbytes[0] >= 0)
		return argloc_in_register(q->eightbytes[0], 0, to);
	return argloc_in_memory(q->f->vaddr, &stack, 0, to);
}

/*
 * gcc does not describe that a function has another convention (ms_abi), except by a parameter in
 * another register.
 */
static void check_convention(const struct param *q, const struct argloc *found)
{
	struct argloc by = { .bits = found->bits };

	if (q->f->convention && !q->doubtful && q->eightbytes[0] >= 0 &&
	    q->eightbytes[0] < DWARF_XMM0 &&
	    found->form == ARGLOC_EXPR && *found->expr == '%' && by_convention(q, 0, &by) &&
	    strcmp(by.expr, found->expr) != 0)
		q->f->departs = true;
}

/* The same in an object behind a pointer. */
static bool behind(const struct param *q, unsigned int offset, struct argloc *to)
{
	char expr[sizeof(q->at) + 16];
	size_t len = (size_t)snprintf(expr, sizeof(expr), "+%u(%s)", offset, q->at);

	if (len >= sizeof(to->expr))
		return argloc_none(to, "it is behind more pointers than the kernel's probes follow");
	memcpy(to->expr, expr, len + 1);
	to->form = ARGLOC_EXPR;
	return true;
}

bool param_find(const struct param *q, unsigned int offset, bool whole, struct argloc *to)
{
	const struct piece *p = q->loc.pieces, *end = p + q->loc.n;
	unsigned int bytes = to->bits / 8;

	if (*q->at)
		return behind(q, offset, to);
	if (q->found == LOCATION_FOUND) {
		while (p < end && p->size && offset >= p->start + p->size)
			p++;
		if (p == end)
			return argloc_none(to, "the compiler optimised it away where the function "
					   "begins");
		if (p->size && offset + bytes > p->start + p->size)
			return argloc_none(to, "it is in several places");
		if (q->loc.list ? argloc_in_piece(q->f->vaddr, p, offset - p->start, to) :
		    q->f->cfa ? inside(q, p, offset - p->start, to) :
				in_body(q, p, offset - p->start, to)) {
			if (whole)
				check_convention(q, to);
			return true;
		}
		if (to->why[0])
			return false;
	} else if (q->found != LOCATION_NONE) {
		return argloc_none(to, "%s", q->why);
	}
	/* clang's callers need not pass a parameter that the function does not use. */
	if ((whole || q->on_stack) && q->f->convention &&
	    (q->found == LOCATION_FOUND || q->f->gcc))
		return by_convention(q, offset, to);
	return argloc_none(to, "%s", q->why);
}

/* ---- parameters --------------------------------------------------------------------------- */

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
			 "the debug information has its location only after the function's first "
			 "instructions, which do not show where it comes from");
}

/*
 * Go 1.19 describes a slice by four pieces of 8 bytes, one of them twice. Which three are the
 * slice's is unknown, so a value with more bytes than its type is refused; so is one of Go whose
 * pieces are not its members.
 */
static void check_pieces(struct param *q, Dwarf_Die *type)
{
	const struct piece *last = q->loc.n ? &q->loc.pieces[q->loc.n - 1] : NULL;
	bool go = language_of(dwarf_srclang(q->f->unit))->convention == CONVENTION_GO;
	unsigned int end = last ? last->start + last->size : 0;
	Dwarf_Word size;

	if (q->found != LOCATION_FOUND || !last || !last->size ||
	    dwarf_aggregate_size(type, &size) != 0 ||
	    (end <= size && (!go || go_place_pieces(&q->loc, type))))
		return;
	q->found = LOCATION_NOT_HERE;
	snprintf(q->why, sizeof(q->why),
		 "the debug information has %u bytes of it in pieces, and it has %u", end,
		 (unsigned int)size);
}

/*
 * The registers of a parameter's eightbytes by the calling convention: of each class those after
 * what earlier parameters used up.
 */
static void find_eightbytes(int eightbytes[2], const struct abi_type *t, unsigned int gp,
			    unsigned int sse)
{
	for (int i = 0; i < 2; i++) {
		if (t->part[i] == CLASS_INTEGER)
			eightbytes[i] = argument_registers[gp++];
		else if (t->part[i] == CLASS_SSE)
			eightbytes[i] = DWARF_XMM0 + (int)sse++;
	}
}

bool param_begin(struct param_finder *f, Dwarf_Die *die, struct param *q, Dwarf_Die *type)
{
	const struct location_address at = { f->function, f->vaddr, f->cfa };
	const unsigned int gp = f->abi.gp, sse = f->abi.sse;
	struct abi_type t;
	Dwarf_Die peeled;
	bool in_xmm, in_registers;

	*q = (struct param){ .f = f, .eightbytes = { -1, -1 } };
	if (!dwarf_type_of(die, type) || !dwarf_peel(type, &peeled))
		return false;
	abi_type_of(type, &t);
	in_registers = abi_take(&f->abi, &t, &in_xmm, &q->stack) >= 0;
	if (in_registers)
		find_eightbytes(q->eightbytes, &t, gp, sse);
	q->on_stack = t.memory && !in_registers &&
		      !language_of(dwarf_srclang(f->unit))->constructors;
	q->doubtful = in_registers ? f->abi.gp_unknown && !in_xmm : f->abi.stack_unknown;
	q->found = location_find(&at, die, &q->loc, q->why, sizeof(q->why));
	explain(q);
	check_pieces(q, &peeled);
	return true;
}

bool param_is_result(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool result = false;

	return dwarf_attr_integrate(die, DW_AT_variable_parameter, &attr) &&
	       dwarf_formflag(&attr, &result) == 0 && result;
}

void param_prepare(struct param_finder *f)
{
	f->gcc = made_by_gcc(f->unit);
	f->abi.int128_by_abi = f->gcc || made_by_new_clang(f->unit);
	f->convention = !f->cfa && keeps_convention(f);
	f->departs = dwarf_udata(f->function, DW_AT_calling_convention, 0) >= DW_CC_lo_user;
	prologue_read(f->elf, f->entry, f->symbol ? f->symbol->size : 0, &f->prologue);
}

bool param_is_object(const struct param *q)
{
	return *q->at;
}

int param_language(const struct param *q)
{
	return dwarf_srclang(q->f->unit);
}

/* ---- parts of a parameter ------------------------------------------------------------------- */

struct param *param_open(struct param_finder *f, const char *name, Dwarf_Die *type)
{
	struct param *q = xcalloc(1, sizeof(*q));
	struct parameters all = { 0 };
	Dwarf_Die die;

	param_prepare(f);
	while (parameters_next(&all, f->function, &die)) {
		const char *is = dwarf_diename(&die);

		if (!param_is_result(&die) && param_begin(f, &die, q, type) && is &&
		    !strcmp(is, name))
			return q;
	}
	free(q);
	return NULL;
}

struct param *param_open_result(struct param_finder *f, const char *address,
				const struct location *loc)
{
	struct param *q = xcalloc(1, sizeof(*q));

	*q = (struct param){ .f = f, .found = LOCATION_FOUND, .eightbytes = { -1, -1 } };
	snprintf(q->at, sizeof(q->at), "%s", address);
	if (loc)
		q->loc = *loc;
	return q;
}

bool param_follow(struct param *q, unsigned int offset, bool whole, struct argloc *argloc)
{
	*argloc = (struct argloc){ .bits = 64 };
	if (!param_find(q, offset, whole, argloc))
		return false;
	if (argloc->form != ARGLOC_EXPR || argloc->shift)
		return argloc_none(argloc,
				   "it is in a place that the kernel's probes cannot follow");
	memcpy(q->at, argloc->expr, sizeof(q->at));
	return true;
}

#endif
