/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "replay/walk.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/flow/flow.h"
#include "replay/codefile.h"
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

#define BLOCK_MAX (1u << 20) /* most bytes between two branches */

struct code { /* the code of a module */
	const struct image_module *module;
	struct code_file file;
};

struct run { /* consecutive branches with the same maps and time, without a gap */
	uint64_t first, time;
	const struct image_maps *maps;
	struct images *images;
	bool gap; /* what happened before it is unknown */
};

struct counted {
	int32_t tid;
	uint64_t n;
};

struct walk {
	struct stream *stream;
	struct flow flow;
	int32_t tid;
	struct branch_pair *branches;
	size_t n;
	struct run *runs;
	size_t nruns;
	bool no_memory;
	struct counted *counts; /* first pass: tasks and how many branches they have */
	size_t ncounts;
	struct code *codes;
	size_t ncodes;
	/* The current position: instruction `insn` of the block in front of branch `at`. */
	size_t at, insn;
	struct {
		uint64_t pc;
		uint8_t length;
	} * block;
	size_t nblock;
	const char *why; /* not NULL: why only the ends of the block are known */
};

/* ---- reading --------------------------------------------------------------------------------- */

static bool new_run(struct walk *w, const struct flow_stretch *s, uint64_t time, bool gap)
{
	struct run *last = w->nruns ? &w->runs[w->nruns - 1] : NULL;

	if (last && !gap && last->maps == s->batch->maps && last->time == time)
		return true;
	if (!array_grow(w->runs, w->nruns))
		return false;
	w->runs[w->nruns++] = (struct run){w->n, time, s->batch->maps, s->batch->images, gap};
	return true;
}

static int take(struct flow *f, const struct flow_stretch *s)
{
	struct walk *w = (struct walk *)((char *)f - offsetof(struct walk, flow));
	const struct branch_batch *b = &s->batch->batch;
	uint64_t time = s->time;
	uint32_t mark = s->mark;

	if (s->task->tid != w->tid)
		return 0;
	for (uint32_t i = s->first; i < s->end; i++) {
		time = flow_time(s, i, &mark, time);
		if (!new_run(w, s, time, i == s->first && !s->task->known) ||
		    !array_grow(w->branches, w->n)) {
			w->no_memory = true;
			return 1;
		}
		w->branches[w->n++] = b->pairs[b->ids[i]];
	}
	return 0;
}

static int count(struct flow *f, const struct flow_stretch *s)
{
	struct walk *w = (struct walk *)((char *)f - offsetof(struct walk, flow));
	size_t i = 0;

	while (i < w->ncounts && w->counts[i].tid != s->task->tid)
		i++;
	if (i == w->ncounts) {
		if (!array_grow(w->counts, w->ncounts)) {
			w->no_memory = true;
			return 0;
		}
		w->counts[w->ncounts++] = (struct counted){.tid = s->task->tid};
	}
	w->counts[i].n += s->end - s->first;
	return 0;
}

static int read_through(struct walk *w, const char *path, struct trawl_memory *memory,
			int (*stretch)(struct flow *f, const struct flow_stretch *s),
			struct trawl_error *err)
{
	struct decode_options options = {.raw = true, .memory = memory};
	struct selection selection = {.to_option = "--until"};
	int ret = selection_done(&selection, true, err);

	w->stream = ret ? NULL : stream_open(path, &options, &selection, err);
	if (!w->stream) {
		selection_free(&selection);
		return -1;
	}
	w->flow = (struct flow){0};
	flow_start(&w->flow, &selection);
	w->flow.stretch = stretch;
	ret = flow_run(&w->flow, w->stream, path, err);
	flow_end(&w->flow);
	selection_free(&selection);
	return ret;
}

int walk_open(struct walk **out, const char *path, struct trawl_memory *memory, int32_t tid,
	      struct trawl_error *err)
{
	struct walk *w = *out = calloc(1, sizeof(*w));

	if (!w)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (!tid) {
		uint64_t most = 0;

		if (read_through(w, path, memory, count, err))
			return -1;
		stream_close(w->stream);
		w->stream = NULL;
		for (size_t i = 0; i < w->ncounts; i++) {
			tid = w->counts[i].n > most ? w->counts[i].tid : tid;
			most = w->counts[i].n > most ? w->counts[i].n : most;
		}
	}
	w->tid = tid;
	if (read_through(w, path, memory, take, err))
		return -1;
	if (w->no_memory)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: the branches of task %d need more memory than there is; cut "
				  "a part out (trawl-edit cut)",
				  path, tid);
	if (!w->n)
		return trawl_fail(err, TRAWL_USAGE, "%s: task %d has no branches", path, tid);
	walk_first(w);
	return 0;
}

void walk_close(struct walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->ncodes; i++)
		code_file_close(&w->codes[i].file);
	stream_close(w->stream);
	free(w->codes);
	free(w->counts);
	free(w->branches);
	free(w->runs);
	free(w->block);
	free(w);
}

/* ---- code ------------------------------------------------------------------------------------ */

static const struct code_file *code_of(struct walk *w, const struct image_module *m)
{
	for (size_t i = 0; i < w->ncodes; i++)
		if (w->codes[i].module == m)
			return &w->codes[i].file;
	if (!array_grow(w->codes, w->ncodes))
		return NULL;
	w->codes[w->ncodes] = (struct code){ m, code_file_open(m->path, m->build_id) };
	return &w->codes[w->ncodes++].file;
}

static const struct run *run_of(const struct walk *w, size_t at)
{
	size_t low = 0, high = w->nruns;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		*(w->runs[middle].first <= at ? &low : &high) = middle;
	}
	return &w->runs[low];
}

void walk_place(struct walk *w, uint64_t address, struct image_place *p)
{
	const struct run *r = run_of(w, w->at < w->n ? w->at : w->n - 1);

	images_place(r->images, r->maps, address, p);
}

size_t walk_code(struct walk *w, uint64_t address, uint8_t *p, size_t n, const char **why)
{
	struct image_place at;
	const struct code_file *c;
	uint64_t offset, left;

	*why = "no file is known to be mapped there";
	walk_place(w, address, &at);
	if (!at.range || !at.module)
		return 0;
	c = code_of(w, at.module);
	*why = c ? c->why : code_no_memory();
	if (!c || !c->p)
		return 0;
	offset = at.range->offset + (address - at.range->start);
	left = at.range->end - address;
	n = n < left ? n : left;
	if (offset >= c->size)
		return 0;
	n = n < c->size - offset ? n : c->size - offset;
	memcpy(p, c->p + offset, n);
	return n;
}

static bool is_library(const struct image_module *m)
{
	return strstr(m->name, ".so") != NULL;
}

/* The code of the module of a range, if its file is here. */
static const struct code_file *code_in(struct walk *w, const struct image_range *x)
{
	const struct code_file *c = x->module ? code_of(w, x->module) : NULL;

	return c && c->is_file && c->size >= sizeof(Elf64_Ehdr) ? c : NULL;
}

static const struct image_range *program_of(struct walk *w, const struct image_maps *maps)
{
	for (size_t i = 0; maps && i < maps->n; i++)
		if (code_in(w, &maps->ranges[i]) && !is_library(maps->ranges[i].module))
			return &maps->ranges[i];
	return NULL;
}

static uint64_t moved_by(const struct run *r, const struct image_range *x)
{
	struct image_place p;

	images_place(r->images, r->maps, x->start, &p);
	return x->start - p.vaddr;
}

bool walk_moved(struct walk *w, uint64_t *by)
{
	const struct run *r = run_of(w, w->at < w->n ? w->at : w->n - 1);
	const struct image_range *x = program_of(w, r->maps);

	if (!x)
		return false;
	*by = moved_by(r, x);
	return true;
}

/* The last run of the program that runs now: an exec() between two runs changes the program. */
static const struct run *last_of_program(struct walk *w)
{
	const struct run *r = run_of(w, w->at < w->n ? w->at : w->n - 1);
	const struct image_range *now = program_of(w, r->maps);

	for (const struct run *next = r + 1; next < w->runs + w->nruns; next++) {
		const struct image_range *x =
			next->maps == r->maps ? now : program_of(w, next->maps);

		if (!now || !x || x->module != now->module || x->start != now->start)
			break;
		r = next;
	}
	return r;
}

/* The address of the dynamic section in an ELF file, before relocation; 0: it has none. */
static uint64_t dynamic_of(const struct code_file *c)
{
	Elf64_Ehdr e;
	Elf64_Phdr h;

	/* has_build_id() has checked the table. */
	memcpy(&e, c->p, sizeof(e));
	for (unsigned int i = 0; i < e.e_phnum; i++) {
		memcpy(&h, c->p + e.e_phoff + i * sizeof(h), sizeof(h));
		if (h.p_type == PT_DYNAMIC)
			return h.p_vaddr;
	}
	return 0;
}

bool walk_library(struct walk *w, size_t n, struct walk_library *l)
{
	const struct run *r = last_of_program(w);
	const struct image_module *before = NULL;

	for (size_t i = 0; r->maps && i < r->maps->n; i++) {
		const struct image_range *x = &r->maps->ranges[i];
		const struct code_file *c = code_in(w, x);

		/* Ranges of one module are neighbours. */
		if (!c || x->module == before || !is_library(x->module) || !dynamic_of(c))
			continue;
		before = x->module;
		if (n--)
			continue;
		l->path = x->module->path;
		l->moved = moved_by(r, x);
		l->dynamic = l->moved + dynamic_of(c);
		return true;
	}
	return false;
}

static unsigned int insn_length(const uint8_t *p, size_t n)
{
#ifdef HAVE_ZYDIS
	ZydisDecodedInstruction z;
	ZydisDecoder d;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_FAILED(ZydisDecoderDecodeInstruction(&d, NULL, p, n, &z)) ? 0 : z.length;
#else
	return 0;
#endif
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool has_front(const struct walk *w, size_t at)
{
	return at && at < w->n && !(run_of(w, at)->gap && run_of(w, at)->first == at);
}

static bool add_insn(struct walk *w, uint64_t pc, unsigned int length, const char **why)
{
	if (!array_grow(w->block, w->nblock)) {
		*why = code_no_memory();
		return false;
	}
	w->block[w->nblock].pc = pc;
	w->block[w->nblock++].length = (uint8_t)length;
	return true;
}

/*
 * Fills the block of instructions in front of branch w->at: from the target of the previous branch
 * up to the branch itself. The instruction that a signal interrupted (BRANCH_SIGNAL) has not run.
 */
static void fill_block(struct walk *w)
{
	bool front = has_front(w, w->at), end = w->at < w->n, whole = true;
	const struct branch_pair *b = end ? &w->branches[w->at] : NULL;
	uint64_t pc = front || (w->at && !end) ? w->branches[w->at - 1].to : b->from;
	uint64_t last = end ? b->from : pc;
	uint8_t bytes[15];
	const char *why = NULL;

	w->nblock = 0;
	w->why = NULL;
	if (end && !front && b->kind == BRANCH_EXEC)
		return; /* the recording begins at the start of the program */
	if (end && b->kind == BRANCH_EXEC)
		last = pc; /* the branch's source is in the previous program */
	while (pc < last && whole) {
		size_t n = last - pc < BLOCK_MAX ? walk_code(w, pc, bytes, sizeof(bytes), &why) : 0;
		unsigned int length = insn_length(bytes, n);

		whole = length > 0 && add_insn(w, pc, length, &why);
		pc += length;
	}
	if (whole && pc == last && !(end && b->kind == BRANCH_SIGNAL)) {
		size_t n = walk_code(w, last, bytes, sizeof(bytes), &why);

		whole = add_insn(w, last, insn_length(bytes, n), &why);
		w->why = why;
		if (whole)
			return;
	}
	if (whole && pc == last)
		return;
	/* Only the block's ends are known. */
	w->why = why ? why : "these bytes are not instructions that end at the branch";
	w->nblock = 0;
	if (front)
		add_insn(w, w->branches[w->at - 1].to, 0, &w->why);
	if (end && (!front || b->from != w->branches[w->at - 1].to) && b->kind != BRANCH_SIGNAL)
		add_insn(w, b->from, 0, &w->why);
}

static bool move(struct walk *w, size_t at)
{
	w->at = at;
	w->insn = 0;
	fill_block(w);
	return w->nblock;
}

void walk_first(struct walk *w)
{
	for (size_t i = 0; i <= w->n && !move(w, i); i++)
		;
}

void walk_last(struct walk *w)
{
	move(w, w->n);
}

struct walk_position walk_position(const struct walk *w)
{
	return (struct walk_position){w->at, w->insn};
}

void walk_return(struct walk *w, const struct walk_position *p)
{
	move(w, p->at);
	w->insn = p->insn;
}

void walk_time(struct walk *w, uint64_t time)
{
	for (size_t i = 0; i < w->nruns; i++) {
		if (w->runs[i].time < time && i + 1 < w->nruns)
			continue;
		for (size_t at = w->runs[i].time < time ? w->n : w->runs[i].first;
		     at <= w->n && !move(w, at); at++)
			;
		return;
	}
}

uint64_t walk_moment(struct walk *w, uint64_t time)
{
	size_t i = 0, end;

	if (w->runs[0].time > time) {
		walk_first(w);
		return 0;
	}
	while (i + 1 < w->nruns && w->runs[i + 1].time <= time)
		i++;
	end = i + 1 < w->nruns ? w->runs[i + 1].first : w->n;
	/* Of other maps or behind a gap, but at the same time. */
	while (i && w->runs[i - 1].time == w->runs[i].time)
		i--;
	for (size_t at = w->runs[i].first; at <= w->n && !move(w, at); at++)
		;
	return end > w->at ? end - w->at : 1;
}

enum walk_end walk_step(struct walk *w)
{
	size_t at = w->at;
	bool gap = false;

	if (w->insn + 1 < w->nblock) {
		w->insn++;
		return WALK_OK;
	}
	for (size_t next = at + 1; next <= w->n; next++) {
		gap |= next < w->n && !has_front(w, next);
		if (move(w, next))
			return gap ? WALK_GAP : WALK_OK;
	}
	move(w, at);
	w->insn = w->nblock ? w->nblock - 1 : 0;
	return WALK_END;
}

enum walk_end walk_back(struct walk *w)
{
	size_t at = w->at;
	bool gap = false;

	if (w->insn) {
		w->insn--;
		return WALK_OK;
	}
	for (size_t next = at; next-- > 0;) {
		gap |= next + 1 < w->n && !has_front(w, next + 1);
		if (!move(w, next))
			continue;
		w->insn = w->nblock - 1;
		return gap ? WALK_GAP : WALK_OK;
	}
	move(w, at);
	return WALK_BEGIN;
}

void walk_here(struct walk *w, struct walk_insn *i)
{
	const char *why = w->why;

	*i = (struct walk_insn){.pc = w->nblock ? w->block[w->insn].pc : 0,
				.number = w->at,
				.time = run_of(w, w->at < w->n ? w->at : w->n - 1)->time,
				.length = w->nblock ? w->block[w->insn].length : 0};
	if (i->length)
		walk_code(w, i->pc, i->bytes, i->length, &why);
	i->why = i->length ? NULL : why ? why : "Zydis is missing: instructions are not decoded";
}

int32_t walk_tid(const struct walk *w)
{
	return w->tid;
}

struct trawl_reader *walk_reader(const struct walk *w)
{
	return stream_reader(w->stream);
}

uint64_t walk_branches(const struct walk *w)
{
	return w->n;
}
