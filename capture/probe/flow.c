/* SPDX-License-Identifier: MIT */
/*
 * The code is followed along every jump. Three kinds of code are reached in other ways:
 *
 * - Landing pads, where an exception continues: .gcc_except_table lists them (frames.c).
 * - Targets of jump tables. A table is read-only data whose address the function loads:
 *
 *	lea    table(%rip),%rdx         PIC: entries of 4 bytes, relative to the table
 *	movslq (%rdx,%rax,4),%rax
 *	add    %rdx,%rax
 *	notrack jmp *%rax
 *
 *	jmp    *table(,%rax,8)          not PIC, and Go: entries of 8 bytes, addresses
 *
 *   Every address that the function loads is tried as a table; entries that point into the
 *   function are targets. A table ends before the next one, or at the first entry that points
 *   elsewhere.
 * - Labels of computed gotos, whose addresses the dynamic linker writes into a table.
 *
 * An indirect jump either goes through a table or leaves the function (a tail call through a
 * pointer). .eh_frame decides: while the function's frame is still on the stack, the jump cannot
 * leave. Otherwise it leaves if nothing in the function looks like a table.
 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>

#include "capture/probe/flow.h"
#include "capture/probe/insn.h"
#include "capture/sys/alloc.h"

void flow_free(struct flow *flow)
{
	free(flow->exits);
	*flow = (struct flow){ 0 };
}

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

#include "capture/probe/origins.h"
#include "common/compare.h"

enum {
	LONGEST = ZYDIS_MAX_INSTRUCTION_LENGTH,
	MAX_SIZE = 4 << 20,     /* of a function */
	MAX_STRETCHES = 8,
	MAX_ENTRIES = ORIGINS_ENTRIES, /* of a jump table */
	MAX_ROUNDS = 8,
};

/*
 * State of each byte of the function: not seen yet, first byte of an instruction, or another byte
 * of one.
 */
enum { UNSEEN, FIRST, INSIDE };

/* A contiguous range of the function's code: its main part, or a part placed elsewhere (.cold). */
struct stretch {
	uint64_t start, end;
	unsigned char *bytes, *seen;
	struct frame_call *calls; /* the calls that have landing pads, and those pads */
	size_t ncalls;
	bool has_table;           /* it has a table of landing pads */
};

/* An address that may be a jump table. */
struct base {
	uint64_t vaddr;
	size_t limit; /* number of entries, if a comparison before the jump bounds it; else 0 */
};

struct indirect {
	uint64_t at;
	enum origin origin;
	const char *import; /* name of the imported function, for a jump through the GOT; or NULL */
};

struct walk {
	struct code *code;
	ZydisDecoder decoder;
	uint64_t entry;
	struct stretch stretches[MAX_STRETCHES];
	size_t nstretches;

	uint64_t *todo; /* addresses from which paths are still to be followed */
	size_t ntodo;
	struct base *bases; /* sorted by address */
	size_t nbases;
	struct indirect *indirects;
	size_t nindirects;
	bool tables;             /* a jump table was found */

	struct flow *flow;
	bool failed;
	char *why;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static void refuse(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	if (w->failed)
		return;
	w->failed = true;
	va_start(ap, fmt);
	vsnprintf(w->why, w->room, fmt, ap);
	va_end(ap);
}

/* An address for messages: "+0x12" from the entry, or absolute. */
static const char *place_text(const struct walk *w, uint64_t at, char buf[32])
{
	if (at >= w->entry && at - w->entry < MAX_SIZE)
		snprintf(buf, 32, "+0x%" PRIx64, at - w->entry);
	else
		snprintf(buf, 32, "0x%" PRIx64, at);
	return buf;
}

/* ---- names ---------------------------------------------------------------------------------- */

const char *code_name(const struct code *code, uint64_t vaddr)
{
	const struct elf_symbol *s = elf_function_at(code->elf, vaddr);
	unsigned char bytes[3 * LONGEST];
	size_t n, at = 0;
	ZydisDecoder d;
	struct step step;
	uint64_t slot;

	if (s && s->vaddr == vaddr)
		return s->name;
	n = elf_read(code->elf, vaddr, bytes, sizeof(bytes));
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return NULL;
	/* A PLT stub: [endbr64] [bnd] jmp *slot(%rip) */
	for (int i = 0; i < 2 && step_decode(&d, bytes + at, n - at, vaddr + at, &step); i++) {
		if (step.insn.mnemonic == ZYDIS_MNEMONIC_JMP)
			return fixed_address(&step, &step.operands[0], &slot) ?
			       relocs_slot(code->relocs, slot) : NULL;
		if (step.insn.mnemonic != ZYDIS_MNEMONIC_ENDBR64)
			break;
		at += step.insn.length;
	}
	return NULL;
}

/* ---- the stretches -------------------------------------------------------------------------- */

static struct stretch *stretch_of(struct walk *w, uint64_t vaddr)
{
	for (size_t i = 0; i < w->nstretches; i++) {
		if (vaddr >= w->stretches[i].start && vaddr < w->stretches[i].end)
			return &w->stretches[i];
	}
	return NULL;
}

static void go_on(struct walk *w, uint64_t vaddr)
{
	xgrow(w->todo, w->ntodo);
	w->todo[w->ntodo++] = vaddr;
}

static struct stretch *add_stretch(struct walk *w, uint64_t start, uint64_t end)
{
	const struct frame *frame = frames_at(w->code->frames, start);
	struct stretch *s = &w->stretches[w->nstretches];
	uint64_t size = end - start;
	char text[32];

	if (w->nstretches == MAX_STRETCHES || end <= start || size > MAX_SIZE) {
		refuse(w, "it has too much code for the analysis");
		return NULL;
	}
	*s = (struct stretch){ .start = start, .end = end, .bytes = xcalloc(1, size),
			       .seen = xcalloc(1, size) };
	w->nstretches++;
	if (elf_read(w->code->elf, start, s->bytes, size) < size)
		refuse(w, "its code is not in the file");
	s->has_table = frame && frame->lsda;
	if (frame && !frames_calls(w->code->frames, frame, &s->calls, &s->ncalls))
		refuse(w, "the landing pads of %s cannot be read", place_text(w, start, text));
	return s;
}

/* True if the symbol is a cold part of the function at the entry: NAME.cold, NAME.cold.1. */
static bool is_cold_part(const struct walk *w, const struct elf_symbol *cold)
{
	const char *dot = strstr(cold->name, ".cold");
	const struct elf_file *f = w->code->elf;

	if (!dot)
		return false;
	for (size_t i = 0; i < f->nsymbols; i++) {
		const struct elf_symbol *s = &f->symbols[i];

		if (s->vaddr == w->entry && strlen(s->name) == (size_t)(dot - cold->name) &&
		    !memcmp(s->name, cold->name, strlen(s->name)))
			return true;
	}
	return false;
}

/*
 * The part of the function that contains vaddr, added if it was unknown; NULL if vaddr is in no
 * part of it.
 */
static struct stretch *own_part(struct walk *w, uint64_t vaddr)
{
	struct stretch *have = stretch_of(w, vaddr);
	const struct elf_symbol *s;

	if (have)
		return have;
	s = elf_function_at(w->code->elf, vaddr);
	if (s && s->size && is_cold_part(w, s))
		return add_stretch(w, s->vaddr, s->vaddr + s->size);
	return NULL;
}

/* ---- ways out ------------------------------------------------------------------------------- */

static void add_exit(struct walk *w, uint64_t at, enum flow_kind kind, uint64_t to,
		     const char *name)
{
	struct flow *flow = w->flow;
	char text[32];

	if (!strcmp(insn_class(w->code->elf, at), "refused"))
		refuse(w, "the kernel cannot put a probe on its exit at %s",
		       place_text(w, at, text));
	xgrow(flow->exits, flow->n);
	flow->exits[flow->n++] = (struct flow_exit){ at, kind, FLOW_ALWAYS, to, name ? name : "" };
}

static void take_return(struct walk *w, uint64_t at)
{
	char text[32];

	if (frames_stack(w->code->frames, at) == FRAMES_BELOW)
		refuse(w, "the ret at %s does not return to the caller", place_text(w, at, text));
	add_exit(w, at, FLOW_RETURN, 0, NULL);
}

/*
 * The condition code of a conditional jump; FLOW_ALWAYS if the condition is not in EFLAGS (jrcxz,
 * loop).
 */
static int condition_of(const struct step *s)
{
	bool near = s->insn.opcode_map == ZYDIS_OPCODE_MAP_0F && (s->insn.opcode & 0xf0) == 0x80;
	bool small = s->insn.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
		     (s->insn.opcode & 0xf0) == 0x70;

	return near || small ? s->insn.opcode & 0xf : FLOW_ALWAYS;
}

/* An address without a symbol is a function if the file calls it or has a pointer to it. */
static bool is_function(const struct walk *w, uint64_t to, const char *name)
{
	return name || code_called(w->code, to);
}

/* A conditional jump to another function, such as "je other" after "add $8,%rsp". */
static void conditional_out(struct walk *w, const struct step *s, uint64_t to, const char *name)
{
	int condition = condition_of(s);
	char text[32];

	if (condition == FLOW_ALWAYS || !is_function(w, to, name)) {
		refuse(w, "it exits by a conditional jump at %s%s", place_text(w, s->at, text),
		       condition == FLOW_ALWAYS ? "" : " to an unknown function");
		return;
	}
	add_exit(w, s->at, FLOW_TAIL, to, name);
	if (!w->failed)
		w->flow->exits[w->flow->n - 1].condition = condition;
}

/* A jump to an address outside the known parts. */
static void jump_out(struct walk *w, const struct step *s, uint64_t to, bool conditional)
{
	enum frames_stack stack = frames_stack(w->code->frames, s->at);
	const char *name = code_name(w->code, to);
	char text[32], target[32];

	if (own_part(w, to)) {
		go_on(w, to);
	} else if (stack == FRAMES_BELOW) {
		const struct frame *frame = frames_at(w->code->frames, to);

		/*
		 * The frame is still on the stack: the target is a part of this function whose
		 * symbol was stripped.
		 */
		if (name || !frame)
			refuse(w, "it jumps from %s to %s with its frame in place",
			       place_text(w, s->at, text), name ? name : place_text(w, to, target));
		else if (add_stretch(w, frame->start, frame->end))
			go_on(w, to);
	} else if (conditional) {
		conditional_out(w, s, to, name);
	} else if (!name && stack == FRAMES_UNKNOWN) {
		refuse(w, "it jumps from %s to %s, which is no known function",
		       place_text(w, s->at, text), place_text(w, to, target));
	} else {
		add_exit(w, s->at, FLOW_TAIL, to, name);
	}
}

static void take_jump(struct walk *w, const struct step *s, bool conditional)
{
	uint64_t to = s->next + (uint64_t)s->insn.raw.imm[0].value.s;

	if (to == w->entry)
		w->flow->reenters = true;
	if (stretch_of(w, to))
		go_on(w, to);
	else
		jump_out(w, s, to, conditional);
}

/*
 * The landing pad of the call at `at`; 0: an exception leaves the function. *known is false if the
 * table does not list the call.
 */
static uint64_t landing_pad(struct walk *w, uint64_t at, bool *known)
{
	const struct stretch *s = stretch_of(w, at);

	*known = !s->has_table;
	for (size_t i = 0; i < s->ncalls; i++) {
		if (at >= s->calls[i].start && at < s->calls[i].end) {
			*known = true;
			return s->calls[i].pad;
		}
	}
	return 0;
}

static void take_call(struct walk *w, const struct step *s)
{
	const char *name = NULL;
	enum flow_kind kind;
	uint64_t to, pad;
	char text[32];
	bool known;

	if (s->insn.raw.imm[0].is_relative) {
		to = s->next + (uint64_t)s->insn.raw.imm[0].value.s;
		if (to != w->entry && to != s->next && stretch_of(w, to))
			refuse(w, "the call at %s is of a place inside it",
			       place_text(w, s->at, text));
		name = code_name(w->code, to);
	} else if (fixed_address(s, &s->operands[0], &to)) {
		name = relocs_slot(w->code->relocs, to);
	}
	pad = landing_pad(w, s->at, &known);
	if (!code_leaves(name, &kind)) {
		w->flow->passed |= known && !pad;
		return;
	}
	/*
	 * With a landing pad the exception may be caught here; a call that the table does not list
	 * ends the program if it throws.
	 */
	if (kind == FLOW_LONGJMP || (known && !pad))
		add_exit(w, s->at, kind, 0, name);
}

/* ---- jump tables ---------------------------------------------------------------------------- */

static void add_base(struct walk *w, uint64_t vaddr, size_t limit)
{
	const struct elf_segment *seg = elf_segment_of(w->code->elf, vaddr);
	size_t i = 0;

	if (!seg || stretch_of(w, vaddr))
		return;
	while (i < w->nbases && w->bases[i].vaddr < vaddr)
		i++;
	if (i == w->nbases || w->bases[i].vaddr != vaddr) {
		xgrow(w->bases, w->nbases);
		memmove(w->bases + i + 1, w->bases + i, (w->nbases - i) * sizeof(*w->bases));
		w->bases[i] = (struct base){ .vaddr = vaddr };
		w->nbases++;
	}
	if (limit > w->bases[i].limit)
		w->bases[i].limit = limit;
}

/*
 * Records an address that an instruction refers to. If it is inside the function and taken as a
 * value, control may return to it by a jump that is not seen here.
 */
static void note_address(struct walk *w, uint64_t vaddr, bool taken)
{
	if (taken && vaddr != w->entry && stretch_of(w, vaddr))
		go_on(w, vaddr);
	add_base(w, vaddr, 0);
}

/* Records every address that an instruction refers to. */
static void note_addresses(struct walk *w, const struct step *s)
{
	bool loads = s->insn.mnemonic == ZYDIS_MNEMONIC_LEA;
	uint64_t vaddr;

	for (int i = 0; i < s->insn.operand_count_visible; i++) {
		const ZydisDecodedOperand *o = &s->operands[i];

		if (fixed_address(s, o, &vaddr))
			note_address(w, vaddr, loads);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.disp.has_displacement &&
			 !w->code->elf->pie && o->mem.disp.value > 0)
			add_base(w, (uint64_t)o->mem.disp.value, 0);
		else if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !w->code->elf->pie &&
			 s->insn.mnemonic == ZYDIS_MNEMONIC_MOV)
			note_address(w, o->imm.value.u, true);
	}
}

/* The i-th target of a table with entries of `width` bytes; 0 if there is none. */
static uint64_t table_entry(const struct walk *w, uint64_t base, size_t i, unsigned int width)
{
	uint64_t to = 0;

	if (elf_read(w->code->elf, base + i * width, &to, width) < width)
		return 0;
	return width == 4 ? base + (uint64_t)(int64_t)(int32_t)to : to;
}

/*
 * If an entry points to code without a symbol, but a later entry points into the function again,
 * that code is a part of the function. Adds the part that the i-th entry points to if this is so.
 */
static bool unnamed_part(struct walk *w, uint64_t base, size_t i, size_t n, unsigned int width)
{
	enum { AHEAD = 16 };
	uint64_t to = table_entry(w, base, i, width);
	const struct frame *frame = frames_at(w->code->frames, to);

	if (!i || !frame || elf_function_at(w->code->elf, to))
		return false;
	for (size_t k = i + 1; k < n && k < i + AHEAD; k++) {
		uint64_t next = table_entry(w, base, k, width);

		if (stretch_of(w, next))
			return add_stretch(w, frame->start, frame->end);
		if (!frames_at(w->code->frames, next) || elf_function_at(w->code->elf, next))
			break;
	}
	return false;
}

/* True if vaddr is in the middle of an instruction that was already decoded. */
static bool is_inside(struct walk *w, uint64_t vaddr)
{
	const struct stretch *s = stretch_of(w, vaddr);

	return s && s->seen[vaddr - s->start] == INSIDE;
}

/* Queues the targets of a table that ends before `end`. Returns how many there are. */
static size_t read_table(struct walk *w, const struct base *b, uint64_t end, unsigned int width)
{
	uint64_t base = b->vaddr;
	size_t most = (end - base) / width < MAX_ENTRIES ? (size_t)(end - base) / width :
							   MAX_ENTRIES;
	size_t n = 0;

	if (b->limit && b->limit < most)
		most = b->limit;

	for (; n < most && !w->failed; n++) {
		uint64_t to = table_entry(w, base, n, width);

		if ((!own_part(w, to) && !unnamed_part(w, base, n, most, width)) ||
		    is_inside(w, to))
			break;
		go_on(w, to);
	}
	return n;
}

static void read_tables(struct walk *w)
{
	for (size_t i = 0; i < w->nbases; i++) {
		const struct base *b = &w->bases[i];
		uint64_t end = i + 1 < w->nbases ? b[1].vaddr : UINT64_MAX;

		if (read_table(w, b, end, 4) || read_table(w, b, end, 8))
			w->tables = true;
	}
}

/* Queues labels whose addresses are stored in data: another function may jump to them. */
static void go_to_labels(struct walk *w, const struct stretch *s)
{
	uint64_t to;

	for (size_t i = 0; (to = relocs_pointer(w->code->relocs, s->start, s->end, i)); i++) {
		if (to == w->entry)
			continue;
		w->tables = true;
		go_on(w, to);
	}
}

/* ---- paths ---------------------------------------------------------------------------------- */

static void take_indirect(struct walk *w, const struct step *s, const struct origins *origins)
{
	const ZydisDecodedOperand *o = &s->operands[0];
	struct indirect *i;
	uint64_t slot, table = 0;
	int reg;

	xgrow(w->indirects, w->nindirects);
	i = &w->indirects[w->nindirects++];
	*i = (struct indirect){ .at = s->at };
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		reg = reg_number(o->reg.value);
		i->origin = reg >= 0 ? origins->of[reg] : FROM_ELSEWHERE;
		table = i->origin != FROM_ELSEWHERE ? origins->address[reg] : 0;
	} else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.index != ZYDIS_REGISTER_NONE) {
		i->origin = FROM_INDEXED;
		table = table_address(origins, o);
	} else if (fixed_address(s, o, &slot)) {
		i->import = relocs_slot(w->code->relocs, slot);
	}
	if (table)
		add_base(w, table, origins->limit);
}

/* Handles one instruction. True if the path ends with it. */
static bool take_step(struct walk *w, const struct step *s, struct origins *origins)
{
	bool direct = s->insn.raw.imm[0].is_relative;

	note_addresses(w, s);
	note_origin(origins, s);
	origins->called &= s->insn.meta.category == ZYDIS_CATEGORY_WIDENOP ||
			   s->insn.meta.category == ZYDIS_CATEGORY_NOP;
	switch (s->insn.meta.category) {
	case ZYDIS_CATEGORY_RET:
		take_return(w, s->at);
		return true;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (direct)
			take_jump(w, s, false);
		else
			take_indirect(w, s, origins);
		return true;
	case ZYDIS_CATEGORY_COND_BR:
		take_jump(w, s, true);
		return false;
	case ZYDIS_CATEGORY_CALL:
		*origins = (struct origins){ .called = true };
		take_call(w, s);
		return false;
	case ZYDIS_CATEGORY_SYSRET:
		return true;
	default:
		return s->insn.mnemonic == ZYDIS_MNEMONIC_UD2 ||
		       s->insn.mnemonic == ZYDIS_MNEMONIC_INT3 ||
		       s->insn.mnemonic == ZYDIS_MNEMONIC_HLT;
	}
}

/*
 * Marks the instruction's bytes as decoded. False if another path decoded different instructions
 * there.
 */
static bool mark(struct stretch *t, const struct step *s)
{
	size_t at = (size_t)(s->at - t->start);

	for (size_t i = 0; i < s->insn.length; i++) {
		if (t->seen[at + i] != UNSEEN)
			return false;
		t->seen[at + i] = INSIDE;
	}
	t->seen[at] = FIRST;
	return true;
}

/*
 * True if `at` follows the lock prefix of an instruction that was already decoded: glibc jumps over
 * that prefix in single-threaded programs.
 */
static bool behind_lock(const struct stretch *t, uint64_t at)
{
	size_t i = (size_t)(at - t->start);

	return i && t->seen[i] == INSIDE && t->seen[i - 1] == FIRST && t->bytes[i - 1] == 0xf0;
}

static void follow(struct walk *w, uint64_t at)
{
	struct origins origins = { 0 };
	char text[32];

	for (;;) {
		struct stretch *t = stretch_of(w, at);
		struct step s;

		if (!t && origins.called) /* the last call was of a function that does not return */
			return;
		if (!t) {
			refuse(w, "it runs on past its end at %s", place_text(w, at, text));
			return;
		}
		if (t->seen[at - t->start] == FIRST || behind_lock(t, at))
			return;
		if (!step_decode(&w->decoder, t->bytes + (at - t->start), (size_t)(t->end - at), at,
			    &s)) {
			refuse(w, "there is no instruction at %s", place_text(w, at, text));
			return;
		}
		if (!mark(t, &s)) {
			refuse(w, "its code decodes in two ways at %s",
			       place_text(w, at, text));
			return;
		}
		if (take_step(w, &s, &origins) || w->failed)
			return;
		at = s.next;
	}
}

/* Queues the landing pads. */
static void go_to_pads(struct walk *w, const struct stretch *s)
{
	char text[32];

	for (size_t i = 0; i < s->ncalls && !w->failed; i++) {
		if (!s->calls[i].pad)
			continue;
		if (own_part(w, s->calls[i].pad))
			go_on(w, s->calls[i].pad);
		else
			refuse(w, "an exception at %s continues elsewhere",
			       place_text(w, s->calls[i].start, text));
	}
}

/* ---- the whole ------------------------------------------------------------------------------ */

/*
 * True if an indirect jump stays in the function, going through a table. *known is false if that
 * cannot be decided.
 */
static bool stays(struct walk *w, const struct indirect *i, bool *known)
{
	*known = true;
	if (i->import)
		return false;
	switch (frames_stack(w->code->frames, i->at)) {
	case FRAMES_BELOW:
		return true;
	case FRAMES_AT_RETURN:
	case FRAMES_UNKNOWN:
		break;
	}
	*known = !w->tables || i->origin != FROM_ELSEWHERE;
	return w->tables && i->origin != FROM_ELSEWHERE;
}

/*
 * Follows all queued paths; reads jump tables as soon as there is an indirect jump that may use
 * them.
 */
static void follow_all(struct walk *w)
{
	size_t bases, pads = 0;

	do {
		bases = w->nbases;
		while (w->ntodo && !w->failed)
			follow(w, w->todo[--w->ntodo]);
		for (; pads < w->nstretches && !w->failed; pads++) {
			go_to_pads(w, &w->stretches[pads]);
			go_to_labels(w, &w->stretches[pads]);
		}
		if (w->nindirects && !w->failed && (!w->tables || bases != w->nbases))
			read_tables(w);
	} while (w->ntodo && !w->failed);
}

static void take_indirects(struct walk *w)
{
	char text[32];

	for (size_t k = 0; k < w->nindirects && !w->failed; k++) {
		const struct indirect *i = &w->indirects[k];
		bool known, in = stays(w, i, &known);

		if (!known)
			refuse(w, "the target of the jump at %s is unknown",
			       place_text(w, i->at, text));
		else if (!in)
			add_exit(w, i->at, FLOW_TAIL, 0, i->import);
	}
}

/* True if control could leave the function by this instruction, which no path reached. */
static bool may_leave(struct walk *w, const struct stretch *t, const struct step *s)
{
	switch (s->insn.meta.category) {
	case ZYDIS_CATEGORY_RET:
		return true;
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
		return !s->insn.raw.imm[0].is_relative ||
		       !stretch_of(w, s->next + (uint64_t)s->insn.raw.imm[0].value.s);
	default:
		return (void)t, false;
	}
}

/*
 * When a Go function recovers from a panic, the runtime continues it after a call that did not
 * return. Go puts no data into code, so every byte that was not reached and is no padding begins an
 * instruction.
 */
static bool go_to_unreached(struct walk *w)
{
	enum { INT3 = 0xcc };

	for (size_t k = 0; k < w->nstretches && !w->failed; k++) {
		const struct stretch *t = &w->stretches[k];
		size_t size = (size_t)(t->end - t->start);

		for (size_t i = 0; i < size; i++) {
			if (t->seen[i] != UNSEEN || t->bytes[i] == INT3)
				continue;
			go_on(w, t->start + i);
			return true;
		}
	}
	return false;
}

/*
 * Fails if unreached code could leave the function: a jump table may be longer than was seen, or
 * control may arrive in a way that is not known.
 */
static void check_unreached(struct walk *w, const struct stretch *t)
{
	uint64_t at = t->start;
	struct step s;
	char text[32];

	while (at < t->end && !w->failed) {
		size_t i = (size_t)(at - t->start);

		if (t->seen[i] != UNSEEN) {
			at++;
			continue;
		}
		if (!step_decode(&w->decoder, t->bytes + i, (size_t)(t->end - at), at, &s)) {
			at++;
			continue;
		}
		if (may_leave(w, t, &s))
			refuse(w, "no path to its exit at %s is known",
			       place_text(w, at, text));
		at = s.next;
	}
}

static void forget_round(struct walk *w)
{
	for (size_t i = 0; i < w->nstretches; i++) {
		free(w->stretches[i].bytes);
		free(w->stretches[i].seen);
		free(w->stretches[i].calls);
	}
	w->nstretches = w->ntodo = w->nindirects = 0;
	w->flow->n = 0;
	w->flow->reenters = w->flow->passed = w->tables = w->failed = false;
}

/*
 * Repeats the analysis until it finds no further address that may be a table: a table ends where
 * the next one begins, and some are found late.
 */
static void read_rounds(struct walk *w, uint64_t size)
{
	for (int round = 0; round < MAX_ROUNDS; round++) {
		size_t bases = w->nbases;

		forget_round(w);
		if (add_stretch(w, w->entry, w->entry + size)) {
			go_on(w, w->entry);
			follow_all(w);
			while (w->code->go && go_to_unreached(w))
				follow_all(w);
			take_indirects(w);
		}
		for (size_t i = 0; i < w->nstretches; i++)
			check_unreached(w, &w->stretches[i]);
		if (bases == w->nbases || (!w->failed && !w->tables))
			return;
	}
	refuse(w, "its jump tables cannot be distinguished");
}

static int compare_exits(const void *a, const void *b)
{
	const struct flow_exit *x = a, *y = b;

	return compare_pairs(x->kind, y->kind, x->vaddr, y->vaddr);
}

/* Fails if another function begins inside this one: a return would belong to either. */
static void check_entries(struct walk *w, uint64_t size)
{
	const struct elf_symbol *s = elf_symbol_between(w->code->elf, w->entry, w->entry + size);

	if (s)
		refuse(w, "%s begins inside it", s->name);
}

bool flow_read(struct code *code, uint64_t vaddr, uint64_t size, struct flow *flow,
	       char *why, size_t room)
{
	struct walk w = { .code = code, .entry = vaddr, .flow = flow, .why = why, .room = room };
	const struct frame *frame = frames_at(code->frames, vaddr);

	*flow = (struct flow){ 0 };
	if (!size && frame && frame->start == vaddr)
		size = frame->end - vaddr;
	if (!size) {
		refuse(&w, "its end is unknown");
	} else if (!ZYAN_SUCCESS(ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64,
						  ZYDIS_STACK_WIDTH_64))) {
		refuse(&w, "the disassembler cannot be started");
	} else {
		read_rounds(&w, size);
		check_entries(&w, size);
	}
	if (w.failed)
		flow_free(flow);
	else if (flow->n)
		qsort(flow->exits, flow->n, sizeof(*flow->exits), compare_exits);
	for (size_t i = 0; i < w.nstretches; i++) {
		free(w.stretches[i].bytes);
		free(w.stretches[i].seen);
		free(w.stretches[i].calls);
	}
	free(w.todo);
	free(w.bases);
	free(w.indirects);
	return !w.failed;
}

#else /* !HAVE_ZYDIS */

const char *code_name(const struct code *code, uint64_t vaddr)
{
	const struct elf_symbol *s = elf_function_at(code->elf, vaddr);

	return s && s->vaddr == vaddr ? s->name : NULL;
}

bool flow_read(struct code *code, uint64_t vaddr, uint64_t size, struct flow *flow,
	       char *why, size_t room)
{
	(void)code, (void)vaddr, (void)size;
	*flow = (struct flow){ 0 };
	snprintf(why, room, "trawl was built without Zydis");
	return false;
}

#endif
