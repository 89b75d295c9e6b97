/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/branch/insn.h"
#include "capture/branch/findings.h"
#include "capture/sys/alloc.h"
#include "common/branch.h"

enum {
	NUMBER = sizeof(uint64_t), /* the least bytes of an item, which bounds their number */
	FILES_MAX = 1 << 16,
	FUNCTIONS_MAX = 1 << 20,
	ROWS_MAX = 1 << 24,        /* lines, or instructions */
	TEXT_MAX = 1 << 20,
};

void findings_free(struct findings *s)
{
	for (size_t i = 0; i < s->nfiles; i++)
		free(s->files[i]);
	for (size_t i = 0; i < s->nfunctions; i++)
		free(s->functions[i].name);
	free(s->files);
	free(s->functions);
	free(s->lines);
	free(s->insns);
	*s = (struct findings){ 0 };
}

void findings_put(struct wire_out *o, const struct findings *s, size_t files)
{
	wire_put_number(o, s->whole);
	wire_put_number(o, s->nfiles - files);
	for (size_t i = files; i < s->nfiles; i++)
		wire_put_text(o, s->files[i]);
	wire_put_number(o, s->nfunctions);
	for (size_t i = 0; i < s->nfunctions; i++) {
		wire_put_number(o, s->functions[i].vaddr);
		wire_put_number(o, s->functions[i].size);
		wire_put_text(o, s->functions[i].name);
	}
	wire_put_number(o, s->nlines);
	for (size_t i = 0; i < s->nlines; i++) {
		wire_put_number(o, s->lines[i].vaddr);
		wire_put_number(o, s->lines[i].file);
		wire_put_number(o, s->lines[i].line);
	}
	wire_put_number(o, s->ninsns);
	for (size_t i = 0; i < s->ninsns; i++) {
		wire_put_number(o, s->insns[i].vaddr);
		wire_put_number(o, s->insns[i].length);
		wire_put_number(o, s->insns[i].kind);
	}
}

/* Reads a number of items. Fails if n and these would be more than `most`. */
static size_t count(struct wire_in *in, size_t n, size_t most)
{
	size_t left = in->left / NUMBER;

	return (size_t)wire_number(in, most - n < left ? most - n : left);
}

static void get_files(struct wire_in *in, struct findings *s)
{
	for (size_t n = count(in, s->nfiles, FILES_MAX); n && !in->bad; n--) {
		xgrow(s->files, s->nfiles);
		s->files[s->nfiles++] = wire_need_text(in, TEXT_MAX, wire_any);
	}
}

static void get_functions(struct wire_in *in, struct findings *s)
{
	for (size_t n = count(in, s->nfunctions, FUNCTIONS_MAX); n && !in->bad; n--) {
		struct found_function f = { .vaddr = wire_number(in, UINT64_MAX),
					     .size = wire_number(in, UINT64_MAX) };

		f.name = wire_need_text(in, TEXT_MAX, wire_any);
		xgrow(s->functions, s->nfunctions);
		s->functions[s->nfunctions++] = f;
	}
}

static void get_lines(struct wire_in *in, struct findings *s)
{
	for (size_t n = count(in, s->nlines, ROWS_MAX); n && !in->bad; n--) {
		struct found_line l = { .vaddr = wire_number(in, UINT64_MAX) };

		l.file = (uint32_t)wire_number(in, s->nfiles ? s->nfiles - 1 : 0);
		l.line = (uint32_t)wire_number(in, s->nfiles ? UINT32_MAX : 0);
		xgrow(s->lines, s->nlines);
		s->lines[s->nlines++] = l;
	}
}

static void get_insns(struct wire_in *in, struct findings *s)
{
	for (size_t n = count(in, s->ninsns, ROWS_MAX); n && !in->bad; n--) {
		struct found_insn i = { .vaddr = wire_number(in, UINT64_MAX) };

		i.length = (uint8_t)wire_number(in, BRANCH_INSN_BYTES);
		i.kind = (uint8_t)wire_number(in, BRANCH_KINDS - 1);
		in->bad |= !i.length;
		xgrow(s->insns, s->ninsns);
		s->insns[s->ninsns++] = i;
	}
}

/* Sets the counts back to those in *before; arrays keep their memory. */
static void cut(struct findings *s, const struct findings *before)
{
	while (s->nfiles > before->nfiles)
		free(s->files[--s->nfiles]);
	while (s->nfunctions > before->nfunctions)
		free(s->functions[--s->nfunctions].name);
	s->nlines = before->nlines;
	s->ninsns = before->ninsns;
	s->whole = before->whole;
}

bool findings_get(struct wire_in *in, struct findings *s)
{
	struct findings before = *s;

	s->whole |= wire_number(in, 1);
	get_files(in, s);
	get_functions(in, s);
	get_lines(in, s);
	get_insns(in, s);
	if (in->bad)
		cut(s, &before);
	return !in->bad;
}
