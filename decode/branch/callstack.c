/* SPDX-License-Identifier: MIT */
#include "decode/branch/callstack.h"

#include <stdlib.h>
#include <string.h>

/*
 * The outermost and the innermost open calls are known. In a deep recursion those between are only
 * counted, and any return ends one. So a search is short, and longjmp() finds its function from any
 * depth.
 */
enum { OUTERMOST = 2048, INNERMOST = 2048, INSN_MOST = 15 };

struct frame {
	uint64_t from; /* address of the call, or of the interrupted instruction */
	uint64_t to;   /* address of the function that was called, or jumped to, at last */
	uint64_t left; /* address of the last jump to another function; 0: none */
	bool exec;     /* a new program: nothing called it */
	bool signal;
	bool goroutine; /* a goroutine's first function: it was not called */
};

struct callstack {
	unsigned int depth;
	unsigned int known; /* calls from OUTERMOST until this one are only counted */
	uint64_t branches;
	struct frame frames[OUTERMOST + INNERMOST];
};

struct callstack *callstack_new(void)
{
	struct callstack *k = calloc(1, sizeof(*k));

	if (k)
		k->known = OUTERMOST;
	return k;
}

void callstack_free(struct callstack *k)
{
	free(k);
}

static bool is_known(const struct callstack *k, unsigned int i)
{
	return i < OUTERMOST || i >= k->known;
}

static struct frame *frame_at(struct callstack *k, unsigned int i)
{
	return &k->frames[i < OUTERMOST ? i : OUTERMOST + (i - OUTERMOST) % INNERMOST];
}

/* Returns the next known call further out than call i, or `depth` if there is none. */
static unsigned int further_out(const struct callstack *k, unsigned int i)
{
	if (i && !is_known(k, i - 1))
		i = OUTERMOST;
	return i ? i - 1 : k->depth;
}

static void emit(struct callstack *k, const struct call_where *w, struct callstack_sink *sink,
		 enum call_event what, const struct branch_pair *p)
{
	struct call_site c = { .when = w->when, .depth = k->depth, .branches = k->branches };

	images_place(w->images, w->maps, p->from, &c.from);
	images_place(w->images, w->maps, p->to, &c.to);
	c.how = p->kind == BRANCH_SIGNAL ? CALL_BY_SIGNAL :
		p->kind == BRANCH_EXEC ? CALL_BY_EXEC : CALL_BY_CALL;
	sink->event(sink, w->task, what, &c);
}

static void push(struct callstack *k, const struct call_where *w, struct callstack_sink *sink,
		 const struct branch_pair *p)
{
	emit(k, w, sink, CALL_ENTER, p);
	*frame_at(k, k->depth) = (struct frame){ .from = p->from,
						 .to = p->to,
						 .exec = p->kind == BRANCH_EXEC,
						 .signal = p->kind == BRANCH_SIGNAL };
	k->depth++;
	if (k->depth > OUTERMOST + INNERMOST && k->known < k->depth - INNERMOST)
		k->known = k->depth - INNERMOST;
}

static void pop_to(struct callstack *k, unsigned int depth, const struct call_where *w,
		   struct callstack_sink *sink, enum call_event what)
{
	while (k->depth > depth) {
		struct call_site c = { .when = w->when,
				       .depth = --k->depth,
				       .branches = k->branches };

		sink->event(sink, w->task, what, &c);
	}
	if (k->known > k->depth)
		k->known = k->depth > OUTERMOST ? k->depth : OUTERMOST;
}

/* Whether a return to this address ends the call. */
static bool fits(const struct frame *f, uint64_t to, bool signal)
{
	if (f->signal || signal)
		return f->signal && signal;
	return to > f->from && to - f->from <= INSN_MOST;
}

/*
 * Whether both places are in the same function. Compilers put cold code, such as handlers of
 * exceptions, into a part with its own symbol.
 */
static bool same_function(const struct image_place *a, const struct image_place *b)
{
	size_t n;

	if (a->function == b->function || !a->function || !b->function || a->module != b->module)
		return a->function == b->function;
	n = image_base_length(a->function->name);
	return n == image_base_length(b->function->name) &&
	       !memcmp(a->function->name, b->function->name, n) &&
	       (a->function->name[n] || b->function->name[n]);
}

/*
 * Whether a known call is in the function that this place is in. It may have jumped to a thunk of
 * the compiler, which jumps back into its middle.
 */
static bool is_open(struct callstack *k, const struct call_where *w,
		    const struct image_place *at)
{
	struct image_place entry, left;

	for (unsigned int i = further_out(k, k->depth); i < k->depth; i = further_out(k, i)) {
		images_place(w->images, w->maps, frame_at(k, i)->to, &entry);
		images_place(w->images, w->maps, frame_at(k, i)->left, &left);
		if (same_function(&entry, at) || same_function(&left, at))
			return true;
	}
	return false;
}

/* Execution continues elsewhere, and when the known calls go on, if ever, is unknown. */
static void forget(struct callstack *k, const struct branch_pair *p, const struct call_where *w,
		   struct callstack_sink *sink, enum call_event what)
{
	pop_to(k, 0, w, sink, CALL_AWAY);
	emit(k, w, sink, what, p);
}

/*
 * Ends the calls that longjmp() or an exception leaves: execution continues in the middle of
 * another function, which made one of the calls. For a recursive function, the innermost call is
 * taken. Where calls from before the recording or a gap are unknown, the function may be one that
 * made none of the known calls.
 */
static void unwind(struct callstack *k, const struct call_where *w, struct callstack_sink *sink,
		   const struct branch_pair *p)
{
	struct image_place from, to, caller;

	images_place(w->images, w->maps, p->to, &to);
	if (!to.function || to.vaddr == to.function->vaddr)
		return;
	images_place(w->images, w->maps, p->from, &from);
	if (same_function(&from, &to))
		return;
	for (unsigned int i = further_out(k, k->depth); i < k->depth; i = further_out(k, i)) {
		images_place(w->images, w->maps, frame_at(k, i)->from, &caller);
		if (!same_function(&caller, &to))
			continue;
		pop_to(k, i, w, sink, CALL_LEAVE);
		return;
	}
	if (k->depth && !k->frames[0].exec && !is_open(k, w, &to))
		forget(k, p, w, sink, CALL_OUT);
}

/* Whether a jump, or a return, goes to the first instruction of another function. */
static bool is_tail_call(const struct call_where *w, const struct branch_pair *p)
{
	struct image_place from, to;

	images_place(w->images, w->maps, p->to, &to);
	if (!to.function || to.vaddr != to.function->vaddr)
		return false;
	images_place(w->images, w->maps, p->from, &from);
	return from.function != to.function;
}

static void tail_call(struct callstack *k, const struct call_where *w, struct callstack_sink *sink,
		      const struct branch_pair *p)
{
	emit(k, w, sink, CALL_JUMP, p);
	if (is_known(k, k->depth - 1)) {
		frame_at(k, k->depth - 1)->to = p->to;
		frame_at(k, k->depth - 1)->left = p->from;
	}
}

static void leave(struct callstack *k, const struct call_where *w, struct callstack_sink *sink,
		  const struct branch_pair *p)
{
	if (k->depth && !is_known(k, k->depth - 1)) {
		pop_to(k, k->depth - 1, w, sink, CALL_LEAVE);
		return;
	}
	for (unsigned int i = further_out(k, k->depth); i < k->depth; i = further_out(k, i)) {
		if (!fits(frame_at(k, i), p->to, p->kind == BRANCH_SIGRETURN))
			continue;
		pop_to(k, i, w, sink, CALL_LEAVE);
		return;
	}
	if (k->depth == 1 && k->frames[0].goroutine) {
		pop_to(k, 0, w, sink, CALL_LEAVE);
		return;
	}
	/*
	 * Inside a known call, a return that matches no caller is a jump: jump tables can be
	 * implemented with returns, and coroutines begin and switch with them.
	 */
	if (!k->depth)
		emit(k, w, sink, CALL_OUTER, p);
	else if (p->kind != BRANCH_SIGRETURN && is_tail_call(w, p))
		tail_call(k, w, sink, p);
	else if (p->kind != BRANCH_SIGRETURN)
		unwind(k, w, sink, p);
}

static bool is_named(const struct image_place *p, const char *const *names)
{
	for (; p->function && *names; names++) {
		if (!strcmp(p->function->name, *names))
			return true;
	}
	return false;
}

/*
 * Whether a jump continues a goroutine that need not be the current one. Go's runtime does so at
 * the end of gogo(). If newstack() called that, a stack has grown, and the same goroutine
 * continues.
 */
static bool switches(struct callstack *k, const struct call_where *w,
		     const struct branch_pair *p)
{
	static const char *const gogo[] = { "gogo", "runtime.gogo", "runtime.gogo.abi0", NULL };
	static const char *const newstack[] = { "runtime.newstack", NULL };
	struct image_place from, caller;

	images_place(w->images, w->maps, p->from, &from);
	if (!is_named(&from, gogo))
		return false;
	if (!k->depth || !is_known(k, k->depth - 1))
		return true;
	images_place(w->images, w->maps, frame_at(k, k->depth - 1)->from, &caller);
	return !is_named(&caller, newstack);
}

static void switch_stack(struct callstack *k, const struct branch_pair *p,
			 const struct call_where *w, struct callstack_sink *sink)
{
	struct image_place to;

	forget(k, p, w, sink, CALL_GOROUTINE);
	images_place(w->images, w->maps, p->to, &to);
	if (!to.function || to.vaddr != to.function->vaddr)
		return;
	push(k, w, sink, p);
	k->frames[0].goroutine = true;
}

static void step(struct callstack *k, const struct branch_pair *p, const struct call_where *w,
		 struct callstack_sink *sink)
{
	switch (p->kind) {
	case BRANCH_CALL:
	case BRANCH_INDIRECT_CALL:
	case BRANCH_COND_CALL:
	case BRANCH_SIGNAL:
		push(k, w, sink, p);
		return;
	case BRANCH_RET:
	case BRANCH_COND_RET:
	case BRANCH_SIGRETURN:
		leave(k, w, sink, p);
		return;
	case BRANCH_EXEC:
		pop_to(k, 0, w, sink, CALL_LEAVE);
		push(k, w, sink, p);
		return;
	case BRANCH_JMP:
	case BRANCH_INDIRECT_JMP:
	case BRANCH_JCC:
		if (p->kind == BRANCH_INDIRECT_JMP && switches(k, w, p))
			switch_stack(k, p, w, sink);
		else if (k->depth && is_tail_call(w, p))
			tail_call(k, w, sink, p);
		else if (p->kind == BRANCH_INDIRECT_JMP)
			unwind(k, w, sink, p);
	}
}

void callstack_step(struct callstack *k, const struct branch_pair *p, const struct call_where *w,
		    struct callstack_sink *sink)
{
	step(k, p, w, sink);
	k->branches++;
}

void callstack_cut(struct callstack *k, const struct call_where *w, struct callstack_sink *sink)
{
	pop_to(k, 0, w, sink, CALL_LOST);
}
