/* SPDX-License-Identifier: MIT */
/*
 * Runs the straight way from the entry with symbols for values: each register holds what one had
 * at the entry, an address in the frame, or something unknown. A branch that is not taken changes
 * nothing of that; a call or a jump ends it.
 */
#include "config.h"

#include "capture/probe/prologue.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

enum { RSP = 7, RBP = 6, XMM0 = 17, CODE_MAX = 1024, NOTHING = -1 };

/* What a register holds. */
struct content {
	int from;           /* the entry's value of this register, ... */
	unsigned int bytes; /* ... of which so many low bytes; or NOTHING, and then */
	int64_t frame;      /* an offset from the CFA, or unknown */
};

struct tracker {
	struct prologue *p;
	struct content held[PROLOGUE_REGISTERS];
	uint32_t at;   /* of the instruction */
	bool branched; /* there was a branch before it */
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* A register's number in DWARF, -1 if it is none that is tracked. *high: %ah and its like. */
static int number_of(ZydisRegister reg, bool *high)
{
	static const int gp[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	*high = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
	if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
		return gp[whole - ZYDIS_REGISTER_RAX];
	if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM15)
		return XMM0 + (whole - ZYDIS_REGISTER_ZMM0);
	if (reg >= ZYDIS_REGISTER_XMM0 && reg <= ZYDIS_REGISTER_XMM15)
		return XMM0 + (reg - ZYDIS_REGISTER_XMM0);
	return -1;
}

static struct content *held(struct tracker *t, const ZydisDecodedOperand *op)
{
	bool high;
	int n = op->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(op->reg.value, &high) : -1;

	return n < 0 || high ? NULL : &t->held[n];
}

static void forget(struct content *c)
{
	*c = (struct content){ .from = NOTHING, .frame = PROLOGUE_UNKNOWN };
}

/* The frame's offset that a memory operand is at. */
static int64_t slot_of(const struct tracker *t, const ZydisDecodedOperand *op)
{
	bool high;
	int base = op->mem.base == ZYDIS_REGISTER_NONE ? -1 : number_of(op->mem.base, &high);

	if (base < 0 || op->mem.index != ZYDIS_REGISTER_NONE ||
	    t->held[base].frame == PROLOGUE_UNKNOWN)
		return PROLOGUE_UNKNOWN;
	return t->held[base].frame + op->mem.disp.value;
}

/* A slot that is written again keeps for us what it had first, but is not read back any more. */
static bool written_before(struct prologue *p, int64_t slot, unsigned int bytes)
{
	bool before = false;

	for (size_t i = 0; i < p->n; i++) {
		struct prologue_move *m = &p->moves[i];

		if (m->to < 0 && slot < m->slot + m->bytes && m->slot < slot + bytes)
			before = m->again = true;
	}
	return before;
}

static void add_move(struct tracker *t, struct prologue_move move)
{
	struct prologue *p = t->p;

	if (p->n == PROLOGUE_MOVES)
		return;
	move.sp = t->held[RSP].frame;
	move.bp = t->held[RBP].frame;
	move.end = t->at + t->insn.length;
	move.branched = t->branched;
	p->moves[p->n++] = move;
}

/* A store to the frame. What is not an entry's value is noted, too: the slot is taken. */
static void store(struct tracker *t, int64_t slot, unsigned int bytes, const struct content *c)
{
	if (slot == PROLOGUE_UNKNOWN || written_before(t->p, slot, bytes))
		return;
	add_move(t, (struct prologue_move){ .from = c ? c->from : NOTHING, .to = -1, .slot = slot,
					    .bytes = c && c->from != NOTHING && c->bytes < bytes ?
						     c->bytes : bytes });
}

static bool is_move(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVSS:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVAPS:
	case ZYDIS_MNEMONIC_MOVAPD:
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQA:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_MOVQ:
	case ZYDIS_MNEMONIC_MOVD:
	case ZYDIS_MNEMONIC_VMOVSS:
	case ZYDIS_MNEMONIC_VMOVSD:
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVUPS:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVDQU:
	case ZYDIS_MNEMONIC_VMOVQ:
	case ZYDIS_MNEMONIC_VMOVD:
		return true;
	default:
		return false;
	}
}

/* What the frame has been given there, as read back. */
static struct content reloaded(const struct tracker *t, int64_t slot, unsigned int bytes)
{
	struct content c;

	forget(&c);
	for (size_t i = 0; slot != PROLOGUE_UNKNOWN && i < t->p->n; i++) {
		const struct prologue_move *m = &t->p->moves[i];

		if (m->to < 0 && m->slot == slot && !m->again) {
			c.from = m->from;
			c.bytes = m->bytes < bytes ? m->bytes : bytes;
		}
	}
	return c;
}

/* mov and its kin, of two operands. */
static void move(struct tracker *t)
{
	const ZydisDecodedOperand *to = &t->operands[0], *from = &t->operands[1];
	struct content *c = held(t, from), *d = held(t, to), value;
	unsigned int bytes = from->size / 8u;

	forget(&value);
	if (c && to->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		store(t, slot_of(t, to), to->size / 8u, c);
		return;
	}
	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		store(t, slot_of(t, to), to->size / 8u, NULL);
		return;
	}
	if (c) {
		value = *c;
		if (value.from != NOTHING && bytes < value.bytes)
			value.bytes = bytes;
		if (bytes < 8)
			value.frame = PROLOGUE_UNKNOWN;
	} else if (from->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		value = reloaded(t, slot_of(t, from), bytes);
	}
	if (!d)
		return;
	*d = value;
	if (value.from != NOTHING)
		add_move(t, (struct prologue_move){ .from = value.from, .to = (int)(d - t->held),
						    .bytes = value.bytes });
}

/* add, sub of a constant, lea: what stays an address in the frame. */
static bool frame_arithmetic(struct tracker *t)
{
	const ZydisDecodedOperand *to = &t->operands[0], *by = &t->operands[1];
	struct content *d = held(t, to);
	int64_t frame;

	if (!d || to->size != 64)
		return false;
	if (t->insn.mnemonic == ZYDIS_MNEMONIC_LEA) {
		frame = slot_of(t, by);
	} else if (by->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && d->frame != PROLOGUE_UNKNOWN) {
		frame = d->frame + (t->insn.mnemonic == ZYDIS_MNEMONIC_ADD ? by->imm.value.s :
				    -by->imm.value.s);
	} else {
		return false;
	}
	forget(d);
	d->frame = frame;
	return true;
}

/* clang makes a bool of its register by "and $1, %al". */
static bool keeps_bool(const struct tracker *t)
{
	return t->insn.mnemonic == ZYDIS_MNEMONIC_AND && t->operands[0].size == 8 &&
	       t->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       t->operands[1].imm.value.u == 1;
}

static void push_pop(struct tracker *t, int64_t by)
{
	struct content *sp = &t->held[RSP], *c = held(t, &t->operands[0]);

	if (sp->frame == PROLOGUE_UNKNOWN)
		return;
	sp->frame += by;
	if (by < 0)
		/* Saved for the caller, or room: no parameter is stored so. */
		store(t, sp->frame, 8, NULL);
	else if (c)
		forget(c);
}

/* Whatever else it does: what it writes is unknown from now on. */
static void other(struct tracker *t)
{
	for (unsigned int i = 0; i < t->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &t->operands[i];
		struct content *c = held(t, op);
		bool high;

		if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (c)
			forget(c);
		else if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			 number_of(op->reg.value, &high) >= 0)
			forget(&t->held[number_of(op->reg.value, &high)]);
		else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
			store(t, slot_of(t, op), op->size / 8u ? op->size / 8u : 1, NULL);
	}
}

/* False where the straight way ends. */
static bool follow(struct tracker *t)
{
	switch (t->insn.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_SYSCALL:
		return false;
	case ZYDIS_CATEGORY_COND_BR:
		t->branched = true;
		return true;
	default:
		break;
	}
	if (is_move(t->insn.mnemonic) && t->insn.operand_count_visible == 2)
		move(t);
	else if (t->insn.mnemonic == ZYDIS_MNEMONIC_PUSH)
		push_pop(t, -8);
	else if (t->insn.mnemonic == ZYDIS_MNEMONIC_POP)
		push_pop(t, 8);
	else if (!((t->insn.mnemonic == ZYDIS_MNEMONIC_ADD ||
		    t->insn.mnemonic == ZYDIS_MNEMONIC_SUB ||
		    t->insn.mnemonic == ZYDIS_MNEMONIC_LEA) && frame_arithmetic(t)) &&
		 !keeps_bool(t))
		other(t);
	return true;
}

void prologue_read(const struct elf_file *f, uint64_t vaddr, uint64_t size, struct prologue *p)
{
	unsigned char code[CODE_MAX];
	size_t at = 0, n = elf_read(f, vaddr, code, size && size < sizeof(code) ? (size_t)size :
								 sizeof(code));
	struct tracker t = { .p = p };
	ZydisDecoder d;

	*p = (struct prologue){ 0 };
	for (int i = 0; i < PROLOGUE_REGISTERS; i++)
		t.held[i] = (struct content){ .from = i, .bytes = i < XMM0 ? 8 : 16,
					      .frame = PROLOGUE_UNKNOWN };
	forget(&t.held[RSP]);
	t.held[RSP].frame = -8;
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64,
					   ZYDIS_STACK_WIDTH_64)))
		return;
	while (at < n && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, code + at, n - at, &t.insn,
							     t.operands)) && follow(&t)) {
		at += t.insn.length;
		t.at = (uint32_t)at;
		for (int i = 0; i < PROLOGUE_REGISTERS; i++)
			p->overwritten[i] |= t.held[i].from != i;
	}
}

#else /* !HAVE_ZYDIS */

void prologue_read(const struct elf_file *f, uint64_t vaddr, uint64_t size, struct prologue *p)
{
	(void)f, (void)vaddr, (void)size;
	*p = (struct prologue){ 0 };
}

#endif
