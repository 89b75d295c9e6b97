/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "capture/branch/insn.h"
#include "capture/branch/lookup.h"
#include "capture/branch/plt.h"
#include "capture/branch/findings.h"
#include "capture/probe/cxx.h"
#include "capture/probe/dwarf.h"
#include "capture/probe/elf.h"
#include "capture/sys/alloc.h"
#include "common/branch.h"
#include "common/hashset.h"

enum {
	FUNCTION_MOST = 1 << 20, /* bytes of a function */
	/* LOOKUP_ALL finds nothing in a program with more functions that have lines, or symbols. */
	WHOLE_MOST = 2000,
	SYMBOLS_MOST = 200000,
};

struct lookup {
	struct elf_file *elf;    /* NULL: could not be opened; `why` has the reason */
	struct dwarf *dwarf;
	char why[LOOKUP_TEXT_MAX];
	struct hashset seen;     /* addresses; functions with bit 63 set */
	struct findings found;   /* functions and lines since the last answer; `files` keeps all */
};

/* ---- what was hit ------------------------------------------------------------------------ */

static bool is_new(struct lookup *m, uint64_t value)
{
	bool added;

	if (!hashset_add(&m->seen, value, &added))
		alloc_checked(NULL);
	return added;
}

static uint32_t file_number(struct findings *s, const char *file)
{
	for (size_t i = s->nfiles; i--;) {
		if (!strcmp(s->files[i], file))
			return (uint32_t)i;
	}
	xgrow(s->files, s->nfiles);
	s->files[s->nfiles] = xstrdup(file);
	return (uint32_t)s->nfiles++;
}

struct rows {
	struct findings *found;
	size_t first; /* index of the function's first row in found->lines */
};

/* Adds a row of a function. Drops the one before if it has the same address, and so covers no
 * bytes; drops the new one if it continues the line before. These are half of the rows. */
static void add_row(void *arg, const struct dwarf_row *row)
{
	const struct rows *r = arg;
	struct findings *s = r->found;
	struct found_line l = { .vaddr = row->vaddr, .line = row->line };
	const struct found_line *last;

	if (row->line)
		l.file = file_number(s, row->file);
	if (s->nlines > r->first && s->lines[s->nlines - 1].vaddr == l.vaddr)
		s->nlines--;
	last = s->nlines > r->first ? &s->lines[s->nlines - 1] : NULL;
	if (last && last->vaddr < l.vaddr && last->line == l.line && last->file == l.file)
		return;
	xgrow(s->lines, s->nlines);
	s->lines[s->nlines++] = l;
}

/* Adds the branching instructions of a range of code. */
static void add_insns(struct lookup *m, uint64_t from, uint64_t to)
{
	uint8_t bytes[BRANCH_INSN_BYTES];
	struct findings *s = &m->found;
	struct branch_insn insn;
	size_t n;

	for (uint64_t at = from; at < to; at += insn.length) {
		n = elf_read(m->elf, at, bytes, sizeof(bytes));
		insn = branch_insn_decode(bytes, n, m->elf->header.e_machine == EM_386);
		if (!insn.length)
			return;
		if (insn.kind == BRANCH_UNKNOWN)
			continue;
		xgrow(s->insns, s->ninsns);
		s->insns[s->ninsns++] = (struct found_insn){ at, insn.length, insn.kind };
	}
}

/* Returns the end of the section that contains this address. */
static uint64_t section_end(const struct lookup *m, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(m->elf->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR && vaddr >= sh.sh_addr &&
		    vaddr - sh.sh_addr < sh.sh_size)
			return sh.sh_addr + sh.sh_size;
	}
	return vaddr;
}

/* A symbol without a size ends at the next symbol, or at the end of its section. */
static uint64_t size_of(struct lookup *m, const struct elf_symbol *s)
{
	uint64_t end = section_end(m, s->vaddr);
	const struct elf_symbol *next = elf_symbol_between(m->elf, s->vaddr, end);

	if (s->size)
		return s->size;
	return (next ? next->vaddr : end) - s->vaddr;
}

/* Returns the demangled name without the parameters, malloc'd. */
static char *readable(const char *symbol)
{
	struct cxx_name n;
	char *name;

	if (!cxx_demangle(symbol, &n))
		return xstrdup(symbol);
	name = xstrdup(n.name);
	cxx_free(&n);
	return name;
}

/* Adds a function with its lines and branches, unless it was added before. Takes over the name. */
static void add_function(struct lookup *m, char *name, uint64_t vaddr, uint64_t size)
{
	struct findings *s = &m->found;
	struct rows rows = { s, s->nlines };

	/* Functions and addresses share the set: functions have bit 63 set. */
	if (!is_new(m, vaddr | 1ull << 63)) {
		free(name);
		return;
	}
	xgrow(s->functions, s->nfunctions);
	s->functions[s->nfunctions++] = (struct found_function){ vaddr, size, name };
	add_insns(m, vaddr, vaddr + (size < FUNCTION_MOST ? size : FUNCTION_MOST));
	dwarf_rows(m->dwarf, vaddr, vaddr + size, add_row, &rows);
}

static void add_stub(struct lookup *m, uint64_t vaddr)
{
	uint64_t start;
	const char *symbol = plt_name(m->elf, vaddr, &start);
	char *name, *stub;

	if (!symbol) {
		add_insns(m, vaddr, vaddr + 1);
		return;
	}
	name = readable(symbol);
	stub = xasprintf("%s@plt", name);
	free(name);
	add_function(m, stub, start, PLT_ENTRY);
}

static void look_up(struct lookup *m, uint64_t offset)
{
	const struct elf_symbol *s;
	uint64_t vaddr;

	if (!m->elf || !elf_vaddr(m->elf, offset, &vaddr) || !vaddr || !is_new(m, vaddr))
		return;
	s = elf_function_at(m->elf, vaddr);
	if (s && vaddr - s->vaddr < size_of(m, s))
		add_function(m, readable(s->name), s->vaddr, size_of(m, s));
	else
		add_stub(m, vaddr);
}

static bool has_lines(struct lookup *m, const struct elf_symbol *s)
{
	char *file = NULL;
	unsigned int line;
	bool has = s->function && s->size && dwarf_line_at(m->dwarf, s->vaddr, &file, &line);

	free(file);
	return has;
}

/*
 * Adds all functions with debug information of a program that is not large: coverage needs those
 * that did not run.
 */
static void look_up_all(struct lookup *m)
{
	size_t *which = NULL, n = 0;

	if (!m->elf)
		return;
	elf_read_symbols(m->elf);
	m->found.whole = m->elf->nsymbols <= SYMBOLS_MOST;
	for (size_t i = 0; i < m->elf->nsymbols && m->found.whole; i++) {
		if (!has_lines(m, &m->elf->symbols[i]))
			continue;
		xgrow(which, n);
		which[n++] = i;
		m->found.whole = n <= WHOLE_MOST;
	}
	for (size_t i = 0; i < n && m->found.whole; i++) {
		const struct elf_symbol *s = &m->elf->symbols[which[i]];

		add_function(m, readable(s->name), s->vaddr, s->size);
	}
	free(which);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void open_program(struct lookup *m, int fd, const char *path, char *image, size_t size)
{
	struct trawl_error err;
	const char *why;

	if (m->elf || *m->why)
		return;
	m->elf = fd >= 0 ? elf_open_code(fd, path, &err) :
			   elf_open_memory(image, size, path, &err);
	if (m->elf)
		m->dwarf = dwarf_open(m->elf, &why);
	else
		snprintf(m->why, sizeof(m->why), "the file is no program or library of x86");
}

static void put_program(struct wire_out *o, const struct lookup *m)
{
	const struct elf_file *f = m->elf;
	size_t n = 0;

	wire_put_text(o, f ? NULL : m->why);
	wire_put_text(o, f ? f->build_id : "");
	for (size_t i = 0; f && i < f->nsegments; i++)
		n += f->segments[i].exec;
	wire_put_number(o, n);
	for (size_t i = 0; f && i < f->nsegments; i++) {
		if (!f->segments[i].exec)
			continue;
		wire_put_number(o, f->segments[i].offset);
		wire_put_number(o, f->segments[i].vaddr);
		wire_put_number(o, f->segments[i].filesz);
	}
}

/* Frees the contents of the last answer except the files: file numbers count from the first answer
 * on. */
static void forget(struct findings *s)
{
	struct findings files = { .files = s->files, .nfiles = s->nfiles };

	s->files = NULL;
	s->nfiles = 0;
	findings_free(s);
	*s = files;
}

static bool read_whole(int socket, void *p, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t k = read(socket, (char *)p + got, n - got);

		if (k == 0 || (k < 0 && errno != EINTR))
			return false;
		got += k < 0 ? 0 : (size_t)k;
	}
	return true;
}

static bool write_whole(int socket, const void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = write(socket, (const char *)p + done, n - done);

		if (k < 0 && errno != EINTR)
			return false;
		done += k < 0 ? 0 : (size_t)k;
	}
	return true;
}

void lookup_serve(int socket, int fd, const char *path, char *image, size_t size)
{
	uint64_t head[2], offsets[LOOKUP_HITS_MAX], n;
	struct lookup m = { 0 };
	bool more = true;

	while (more && read_whole(socket, head, sizeof(head)) && head[1] <= LOOKUP_HITS_MAX &&
	       read_whole(socket, offsets, head[1] * sizeof(*offsets))) {
		struct wire_out o = { 0 };
		size_t files = m.found.nfiles;

		open_program(&m, fd, path, image, size);
		for (size_t i = 0; i < head[1]; i++)
			look_up(&m, offsets[i]);
		if (head[0] == LOOKUP_ALL)
			look_up_all(&m);
		if (head[0] == LOOKUP_OPEN)
			put_program(&o, &m);
		else
			findings_put(&o, &m.found, files);
		n = o.n;
		more = write_whole(socket, &n, sizeof(n)) && write_whole(socket, o.p, o.n);
		free(o.p);
		forget(&m.found);
	}
}
