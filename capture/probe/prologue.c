/* SPDX-License-Identifier: MIT */
/*
 * Executes the straight path from the entry symbolically: each register holds the value that some
 * register had at the entry, an address in the frame, or something unknown. Conditional branches
 * are assumed not to be taken; a call or jump ends the path.
 */
#include "config.h"

#include "capture/probe/prologue.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

enum { RSP = 7, RBP = 6, XMM0 = 17, CODE_MAX = 1024, NOTHING = -1 };

/*
 * What a register holds: the low bytes of an entry value, an address in the frame, or something
 * unknown.
 */
struct content {
	int from;           /* register whose entry value it is, or NOTHING */
	unsigned int bytes; /* valid low bytes of that value */
	int64_t frame;      /* if from is NOTHING: offset from the CFA, or PROLOGUE_UNKNOWN */
};

struct tracker {
	struct prologue *p;
	struct content held[PROLOGUE_REGISTERS];
	uint32_t at;   /* of the instruction */
	bool branched; /* a conditional branch precedes it */
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* A register's DWARF number, -1 if it is not tracked. *high: it is %ah, %bh, %ch or %dh. */
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

/* The offset from the CFA of a memory operand; PROLOGUE_UNKNOWN if unknown. */
static int64_t slot_of(const struct tracker *t, const ZydisDecodedOperand *op)
{
	bool high;
	int base = op->mem.base == ZYDIS_REGISTER_NONE ? -1 : number_of(op->mem.base, &high);

	if (base < 0 || op->mem.index != ZYDIS_REGISTER_NONE ||
	    t->held[base].frame == PROLOGUE_UNKNOWN)
		return PROLOGUE_UNKNOWN;
	return t->held[base].frame + op->mem.disp.value;
}

/*
 * Marks the overwritten slots: their first contents still count as where a parameter was stored,
 * but are not read back any more. Returns whether there was one.
 */
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

/*
 * A store to the frame. Values that are no entry value are recorded as well: a later store to the
 * slot is then no parameter.
 */
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

/* The contents of a frame slot that is read back. */
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

/* A write to %ah or its like leaves one byte of the register as it was. */
static void forget_high(struct tracker *t, const ZydisDecodedOperand *to)
{
	bool high;
	int n = to->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(to->reg.value, &high) : -1;

	if (n < 0)
		return;
	t->held[n].frame = PROLOGUE_UNKNOWN;
	if (t->held[n].bytes > 1)
		t->held[n].bytes = 1;
}

/* mov and similar instructions with two operands. */
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
	if (!d) {
		forget_high(t, to);
		return;
	}
	*d = value;
	if (value.from != NOTHING)
		add_move(t, (struct prologue_move){ .from = value.from, .to = (int)(d - t->held),
						    .bytes = value.bytes });
}

/*
 * add and sub of a constant, and lea, may yield another address in the frame. False if they do not.
 */
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

/*
 * clang normalises a bool parameter by "and $1, %al", which keeps its value. What is in the
 * register's other bytes is then no longer looked at.
 */
static bool keeps_bool(struct tracker *t)
{
	struct content *c = held(t, &t->operands[0]);

	if (t->insn.mnemonic != ZYDIS_MNEMONIC_AND || t->operands[0].size != 8 || !c ||
	    t->operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	    t->operands[1].imm.value.u != 1)
		return false;
	if (c->bytes > 1)
		c->bytes = 1;
	return true;
}

static void push_pop(struct tracker *t, int64_t by)
{
	struct content *sp = &t->held[RSP], *c = held(t, &t->operands[0]);

	if (sp->frame == PROLOGUE_UNKNOWN)
		return;
	sp->frame += by;
	if (by < 0)
		/*
		 * push saves a register for the caller or reserves stack; compilers do not store
		 * parameters by it
		 */
		store(t, sp->frame, 8, NULL);
	else if (c)
		forget(c);
}

/* Any other instruction: what it writes becomes unknown. */
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

/* Executes one instruction. False at the end of the straight path. */
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
		for (int i = 0; i < PROLOGUE_REGISTERS; i++)
			if (p->kept[i] == t.at && t.held[i].from == i)
				p->kept[i] = (uint32_t)at;
		t.at = p->end = (uint32_t)at;
	}
}

#else /* !HAVE_ZYDIS */

void prologue_read(const struct elf_file *f, uint64_t vaddr, uint64_t size, struct prologue *p)
{
	(void)f, (void)vaddr, (void)size;
	*p = (struct prologue){ 0 };
}

#endif
