/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/location.h"
#include "common/array.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { STACK = 16, DEPTH = 3, ELEMENTS_MAX = 4096 };

/* DWARF register numbers of the System V ABI for x86-64, figure 3.36. */
static const char *const registers[] = { "ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8",
					 "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

const char *location_register(int reg)
{
	return reg >= 0 && reg < (int)ARRAY_SIZE(registers) ?
	       registers[reg] : NULL;
}

/* The state of one evaluation. */
struct machine {
	Dwarf_Die *function;
	uint64_t address;
	const struct symbolic *cfa; /* the frame's base; NULL: at the function's entry */
	unsigned int depth;  /* nesting of expressions: the frame base is one itself */
	struct symbolic stack[STACK];
	size_t n;
	enum piece_form form; /* what the stack's top stands for */
	const Dwarf_Op *implicit;
	char *why;
	size_t why_size;
};

static bool refuse(struct machine *m, const char *why)
{
	snprintf(m->why, m->why_size, "%s", why);
	return false;
}

static bool push(struct machine *m, struct symbolic s)
{
	if (m->n == STACK)
		return refuse(m, "its location is an expression of too many parts");
	m->stack[m->n++] = s;
	return true;
}

static bool push_number(struct machine *m, uint64_t value)
{
	return push(m, (struct symbolic){ .offset = (int64_t)value });
}

static bool run(struct machine *m, const Dwarf_Op *ops, size_t n, Dwarf_Attribute *attr);

/* True if the attribute is one expression, not a list of expressions for ranges of addresses. */
static bool is_expression(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return true;
	default:
		return false;
	}
}

/*
 * Finds the element of a location list that holds at `address`. At a function's entry an empty
 * range [entry, entry) holds, too: GCC uses one for a value that holds only there.
 */
static bool element_at(Dwarf_Attribute *attr, uint64_t address, bool entry, Dwarf_Op **ops,
		       size_t *n)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	for (int i = 0; i < ELEMENTS_MAX; i++) {
		at = dwarf_getlocations(attr, at, &base, &start, &end, ops, n);
		if (at <= 0)
			return false;
		if (start <= address && (address < end || (entry && start == end &&
							   start == address)))
			return true;
	}
	return false;
}

/* Finds the expression that holds at `address`. */
static bool expression_at(Dwarf_Attribute *attr, uint64_t address, bool entry, Dwarf_Op **ops,
			  size_t *n)
{
	Dwarf_Attribute same = *attr;

	/*
	 * Go writes expressions as DW_FORM_block1, which libdw does not accept from DWARF 4 on. For
	 * less than 128 bytes it has the same encoding as DW_FORM_exprloc.
	 */
	if (same.form == DW_FORM_block1 && same.valp && *same.valp < 128)
		same.form = DW_FORM_exprloc;
	return is_expression(attr) ? dwarf_getlocation(&same, ops, n) == 0 :
				     element_at(attr, address, entry, ops, n);
}

/*
 * At the entry, a list of frame bases (gcc -gdwarf-2) counts from the %rsp of the entry; a single
 * expression counts from a register as the prologue leaves it. Makes the former an offset from the
 * CFA, so that it is not taken for the latter. False if it counts from another register.
 */
static bool relate_to_cfa(struct symbolic *base)
{
	if (base->base == BASE_REGISTER && base->reg == DWARF_RSP)
		*base = (struct symbolic){.base = BASE_CFA,
					  .offset = location_sum(base->offset, -8)};
	return base->base == BASE_CFA;
}

/* Pushes the frame base plus offset, as DW_OP_fbreg does. */
static bool frame_base(struct machine *m, int64_t offset)
{
	Dwarf_Attribute attr;
	struct machine frame = { .function = m->function, .address = m->address,
				 .cfa = m->cfa, .depth = m->depth + 1, .why = m->why,
				 .why_size = m->why_size };
	Dwarf_Op *ops;
	size_t n;

	if (m->depth >= DEPTH || !dwarf_attr_integrate(m->function, DW_AT_frame_base, &attr) ||
	    !expression_at(&attr, m->address, !m->cfa, &ops, &n))
		return refuse(m, "the debug information lacks its function's frame base");
	if (!run(&frame, ops, n, &attr))
		return false;
	if (frame.n != 1 || (!m->cfa && !is_expression(&attr) && !relate_to_cfa(&frame.stack[0])))
		return refuse(m, "its function's frame base is not supported");
	frame.stack[0].offset = location_sum(frame.stack[0].offset, offset);
	return push(m, frame.stack[0]);
}

/* Pushes the value that a register had when the function was entered. */
static bool entry_value(struct machine *m, const Dwarf_Op *op, Dwarf_Attribute *attr)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation_attr(attr, op, &inner) != 0 ||
	    dwarf_getlocation(&inner, &ops, &n) != 0 || n != 1 || ops[0].atom < DW_OP_reg0 ||
	    ops[0].atom > DW_OP_reg31)
		return refuse(m, "its location is an entry value that is not supported");
	if (m->cfa)
		return refuse(m, "it was in a register when the function was entered, and is not "
				 "saved");
	return push(m, (struct symbolic){ .base = BASE_REGISTER,
					  .reg = ops[0].atom - DW_OP_reg0 });
}

/* Replaces the address on the stack by the 8 bytes stored there. */
static bool dereference(struct machine *m)
{
	struct symbolic *s = m->n ? &m->stack[m->n - 1] : NULL;

	if (!s || s->mask || s->base == BASE_NONE || s->base == BASE_MEMORY)
		return refuse(m, "its location is behind a pointer that cannot be followed");
	*s = (struct symbolic){ .base = BASE_MEMORY, .of = s->base, .of_reg = s->reg,
				.of_offset = s->offset };
	return true;
}

static bool arithmetic(struct machine *m, unsigned int atom)
{
	struct symbolic *a, *b;

	if (m->n < 2)
		return refuse(m, "its location is damaged");
	b = &m->stack[m->n - 1];
	a = &m->stack[m->n - 2];
	m->n--;
	if (atom == DW_OP_plus && a->base == BASE_NONE) {
		int64_t offset = a->offset;

		*a = *b;
		a->offset = location_sum(a->offset, offset);
		return true;
	}
	if (atom == DW_OP_and && b->base == BASE_NONE && b->offset) {
		a->mask = (a->mask ? a->mask : UINT64_MAX) & (uint64_t)b->offset;
		return a->mask || refuse(m, "it is computed from other values");
	}
	if (b->base != BASE_NONE || a->mask || (atom != DW_OP_plus && atom != DW_OP_minus))
		return refuse(m, "it is computed from other values");
	a->offset = atom == DW_OP_plus ? location_sum(a->offset, b->offset) :
		    (int64_t)((uint64_t)a->offset - (uint64_t)b->offset);
	return true;
}

static bool literal(const Dwarf_Op *op, uint64_t *value)
{
	switch (op->atom) {
	case DW_OP_const1u ... DW_OP_consts:
		*value = op->number;
		return true;
	case DW_OP_lit0 ... DW_OP_lit31:
		*value = op->atom - DW_OP_lit0;
		return true;
	default:
		return false;
	}
}

/* Refuses an unsupported operation, with a reason in the user's terms. */
static bool not_understood(struct machine *m, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return refuse(m, "the pointer was optimised away");
	case DW_OP_GNU_parameter_ref:
		return refuse(m, "it is not passed; only its callers have it");
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return refuse(m, "it is thread-local");
	default:
		return refuse(m, "it is computed from other values");
	}
}

static bool in_register(struct machine *m, uint64_t number)
{
	if (number >= 64)
		return refuse(m, "it is in an unknown register");
	m->form = PIECE_REGISTER;
	return push(m, (struct symbolic){ .base = BASE_REGISTER, .reg = (int)number });
}

static bool add_constant(struct machine *m, int64_t value)
{
	if (!m->n)
		return refuse(m, "its location is damaged");
	m->stack[m->n - 1].offset = location_sum(m->stack[m->n - 1].offset, value);
	return true;
}

static bool step(struct machine *m, const Dwarf_Op *op, Dwarf_Attribute *attr)
{
	uint64_t value;

	if (literal(op, &value))
		return push_number(m, value);
	switch (op->atom) {
	case DW_OP_addr:
		return push(m, (struct symbolic){ .base = BASE_ADDRESS,
						  .offset = (int64_t)op->number });
	case DW_OP_reg0 ... DW_OP_reg31:
		return in_register(m, op->atom - DW_OP_reg0);
	case DW_OP_regx:
		return in_register(m, op->number);
	case DW_OP_breg0 ... DW_OP_breg31:
		return push(m, (struct symbolic){ .base = BASE_REGISTER,
						  .reg = op->atom - DW_OP_breg0,
						  .offset = (int64_t)op->number });
	case DW_OP_fbreg:
		return frame_base(m, (int64_t)op->number);
	case DW_OP_call_frame_cfa:
		if (m->cfa && m->cfa->base == BASE_NONE)
			return refuse(m, "the address of its function's frame is unknown here");
		return push(m, m->cfa ? *m->cfa : (struct symbolic){ .base = BASE_CFA });
	case DW_OP_plus_uconst:
		return add_constant(m, (int64_t)op->number);
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_and:
		return arithmetic(m, op->atom);
	case DW_OP_deref:
		return dereference(m);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return entry_value(m, op, attr);
	case DW_OP_stack_value:
		m->form = PIECE_VALUE;
		return true;
	case DW_OP_implicit_value:
		m->form = PIECE_BYTES;
		m->implicit = op;
		return true;
	case DW_OP_nop:
		return true;
	default:
		return not_understood(m, op);
	}
}

static bool run(struct machine *m, const Dwarf_Op *ops, size_t n, Dwarf_Attribute *attr)
{
	for (size_t i = 0; i < n; i++) {
		if (!step(m, &ops[i], attr))
			return false;
	}
	return true;
}

/* Turns the result into a piece. An empty expression means that the piece was optimised away. */
static bool take_piece(struct machine *m, Dwarf_Attribute *attr, unsigned int size,
		       struct location *loc)
{
	struct piece *last = loc->n ? &loc->pieces[loc->n - 1] : NULL, *p;
	Dwarf_Block block;

	if (loc->n == LOCATION_PIECES)
		return refuse(m, "it has too many locations");
	p = &loc->pieces[loc->n++];
	*p = (struct piece){ .form = m->form, .size = size,
			     .start = last ? last->start + last->size : 0 };
	if (m->form == PIECE_BYTES) {
		if (dwarf_getlocation_implicit_value(attr, m->implicit, &block) != 0 ||
		    block.length > sizeof(p->bytes))
			return refuse(m, "it is a constant that is too long");
		memcpy(p->bytes, block.data, block.length);
	} else if (m->n) {
		p->at = m->stack[m->n - 1];
	} else {
		p->form = PIECE_NOWHERE;
	}
	m->n = 0;
	m->form = PIECE_MEMORY;
	return true;
}

static bool evaluate(struct machine *m, const Dwarf_Op *ops, size_t n, Dwarf_Attribute *attr,
		     struct location *loc)
{
	size_t i = 0;

	m->form = PIECE_MEMORY;
	for (; i < n; i++) {
		if (ops[i].atom == DW_OP_bit_piece)
			return refuse(m, "it is in pieces of single bits");
		if (ops[i].atom == DW_OP_piece) {
			if (ops[i].number > UINT16_MAX ||
			    !take_piece(m, attr, (unsigned int)ops[i].number, loc))
				return refuse(m, "it is in pieces that are not supported");
			continue;
		}
		if (!step(m, &ops[i], attr))
			return false;
	}
	return loc->n || take_piece(m, attr, 0, loc);
}

/* A parameter that has the same constant value in all calls. */
static bool constant(Dwarf_Die *variable, struct location *loc)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	/* Compilers write negative numbers with a sign, and 255 of an int in one byte without. */
	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &attr) ||
	    dwarf_formudata(&attr, &value) != 0)
		return false;
	loc->list = true;
	loc->n = 1;
	loc->pieces[0] = (struct piece){ .form = PIECE_VALUE,
					 .at = { .offset = (int64_t)value } };
	return true;
}

enum location_result location_find(const struct location_address *at, Dwarf_Die *variable,
				   struct location *loc, char *why, size_t why_size)
{
	struct machine m = { .function = at->function, .address = at->address, .cfa = at->cfa,
			     .why = why, .why_size = why_size };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	*loc = (struct location){ 0 };
	if (!dwarf_attr(variable, DW_AT_location, &attr))
		return constant(variable, loc) ? LOCATION_FOUND : LOCATION_NONE;
	loc->list = !is_expression(&attr);
	if (!expression_at(&attr, at->address, !at->cfa, &ops, &n))
		return LOCATION_NOT_HERE;
	if (!n)
		return loc->list ? LOCATION_NOT_HERE : LOCATION_NONE;
	return evaluate(&m, ops, n, &attr, loc) ? LOCATION_FOUND : LOCATION_UNKNOWN;
}
#endif
