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
	/*
	 * Bytes of a function whose branching instructions are looked for: a wrong size of a symbol
	 * must not make it long. Its lines are bounded by the program's line table.
	 */
	FUNCTION_MOST = 1 << 20,
	/* Of larger programs LOOKUP_ALL looks up nothing. */
	WHOLE_MOST = 2000,     /* functions that have lines */
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

static bool is_new(struct lookup *l, uint64_t value)
{
	bool added;

	if (!hashset_add(&l->seen, value, &added))
		alloc_checked(NULL);
	return added;
}

static uint32_t file_number(struct findings *found, const char *file)
{
	for (size_t i = found->nfiles; i--;) {
		if (!strcmp(found->files[i], file))
			return (uint32_t)i;
	}
	xgrow(found->files, found->nfiles);
	found->files[found->nfiles] = xstrdup(file);
	return (uint32_t)found->nfiles++;
}

struct rows {
	struct findings *found;
	size_t first; /* index of the function's first row in found->lines */
};

/*
 * Adds a row of a function. Drops the one before if it has the same address, and so covers no
 * bytes; drops the new one if it continues the line before. These are half of the rows.
 */
static void add_row(void *arg, const struct dwarf_row *row)
{
	const struct rows *r = arg;
	struct findings *found = r->found;
	struct found_line l = { .vaddr = row->vaddr, .line = row->line };
	const struct found_line *last;

	if (row->line)
		l.file = file_number(found, row->file);
	if (found->nlines > r->first && found->lines[found->nlines - 1].vaddr == l.vaddr)
		found->nlines--;
	last = found->nlines > r->first ? &found->lines[found->nlines - 1] : NULL;
	if (last && last->vaddr < l.vaddr && last->line == l.line && last->file == l.file)
		return;
	xgrow(found->lines, found->nlines);
	found->lines[found->nlines++] = l;
}

/* Adds the branching instructions of a range of code. */
static void add_insns(struct lookup *l, uint64_t from, uint64_t to)
{
	uint8_t bytes[BRANCH_INSN_BYTES];
	struct findings *found = &l->found;
	struct branch_insn insn;
	size_t n;

	for (uint64_t at = from; at < to; at += insn.length) {
		n = elf_read(l->elf, at, bytes, sizeof(bytes));
		insn = branch_insn_decode(bytes, n, l->elf->header.e_machine == EM_386);
		if (!insn.length)
			return;
		if (insn.kind == BRANCH_UNKNOWN)
			continue;
		xgrow(found->insns, found->ninsns);
		found->insns[found->ninsns++] = (struct found_insn){ at, insn.length, insn.kind };
	}
}

/* Returns the end of the section that contains this address. */
static uint64_t section_end(const struct lookup *l, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(l->elf->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR && vaddr >= sh.sh_addr &&
		    vaddr - sh.sh_addr < sh.sh_size)
			return sh.sh_addr + sh.sh_size;
	}
	return vaddr;
}

/* A symbol without a size ends at the next symbol, or at the end of its section. */
static uint64_t size_of(struct lookup *l, const struct elf_symbol *sym)
{
	const struct elf_symbol *next;
	uint64_t end;

	if (sym->size)
		return sym->size;
	end = section_end(l, sym->vaddr);
	next = elf_symbol_between(l->elf, sym->vaddr, end);
	return (next ? next->vaddr : end) - sym->vaddr;
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
static void add_function(struct lookup *l, char *name, uint64_t vaddr, uint64_t size)
{
	struct findings *found = &l->found;
	struct rows rows = { found, found->nlines };

	/* Functions and addresses share the set: functions have bit 63 set. */
	if (!is_new(l, vaddr | 1ull << 63)) {
		free(name);
		return;
	}
	xgrow(found->functions, found->nfunctions);
	found->functions[found->nfunctions++] = (struct found_function){ vaddr, size, name };
	add_insns(l, vaddr, vaddr + (size < FUNCTION_MOST ? size : FUNCTION_MOST));
	dwarf_rows(l->dwarf, vaddr, vaddr + size, add_row, &rows);
}

static void add_stub(struct lookup *l, uint64_t vaddr)
{
	uint64_t start;
	const char *symbol = plt_name(l->elf, vaddr, &start);
	char *name, *stub;

	if (!symbol) {
		add_insns(l, vaddr, vaddr + 1);
		return;
	}
	name = readable(symbol);
	stub = xasprintf("%s@plt", name);
	free(name);
	add_function(l, stub, start, PLT_ENTRY);
}

static void look_up(struct lookup *l, uint64_t offset)
{
	const struct elf_symbol *sym;
	uint64_t vaddr, size;

	if (!l->elf || !elf_vaddr(l->elf, offset, &vaddr) || !vaddr || !is_new(l, vaddr))
		return;
	sym = elf_function_at(l->elf, vaddr);
	size = sym ? size_of(l, sym) : 0;
	if (sym && vaddr - sym->vaddr < size)
		add_function(l, readable(sym->name), sym->vaddr, size);
	else
		add_stub(l, vaddr);
}

static bool has_lines(struct lookup *l, const struct elf_symbol *sym)
{
	char *file = NULL;
	unsigned int line;
	bool has = sym->function && sym->size && dwarf_line_at(l->dwarf, sym->vaddr, &file, &line);

	free(file);
	return has;
}

/*
 * Adds all functions with debug information of a program that is not large: coverage needs those
 * that did not run.
 */
static void look_up_all(struct lookup *l)
{
	size_t *which = NULL, n = 0;

	if (!l->elf)
		return;
	elf_read_symbols(l->elf);
	l->found.whole = l->elf->nsymbols <= SYMBOLS_MOST;
	for (size_t i = 0; i < l->elf->nsymbols && l->found.whole; i++) {
		if (!has_lines(l, &l->elf->symbols[i]))
			continue;
		xgrow(which, n);
		which[n++] = i;
		l->found.whole = n <= WHOLE_MOST;
	}
	for (size_t i = 0; i < n && l->found.whole; i++) {
		const struct elf_symbol *sym = &l->elf->symbols[which[i]];

		add_function(l, readable(sym->name), sym->vaddr, sym->size);
	}
	free(which);
}

/* ---- requests ---------------------------------------------------------------------------- */

/*
 * The reason why a program cannot be opened is one without the path, and without a word of probes,
 * as *err has them: it is kept in redacted files. A program without DWARF still has symbols.
 */
static void open_program(struct lookup *l, int fd, const char *path, char *image, size_t size)
{
	struct trawl_error err;
	const char *no_lines;

	if (l->elf || *l->why)
		return;
	l->elf = fd >= 0 ? elf_open_code(fd, path, &err) :
			   elf_open_memory(image, size, path, &err);
	if (l->elf)
		l->dwarf = dwarf_open(l->elf, &no_lines);
	else
		snprintf(l->why, sizeof(l->why), "%s",
			 err.status == TRAWL_CANNOT ?
				 "the file cannot be read" :
				 "the file is damaged, or no program or library of x86");
}

static void put_program(struct wire_out *o, const struct lookup *l)
{
	const struct elf_file *f = l->elf;
	size_t n = 0;

	wire_put_text(o, f ? NULL : l->why);
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

/*
 * Frees the contents of the last answer except the files: file numbers count from the first answer
 * on.
 */
static void forget(struct findings *found)
{
	struct findings files = { .files = found->files, .nfiles = found->nfiles };

	found->files = NULL;
	found->nfiles = 0;
	findings_free(found);
	*found = files;
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
	struct {
		uint64_t what, n; /* enum lookup_request, number of offsets */
	} head;
	uint64_t offsets[LOOKUP_HITS_MAX], n;
	struct lookup l = { 0 };
	bool more = true;

	while (more && read_whole(socket, &head, sizeof(head)) && head.n <= LOOKUP_HITS_MAX &&
	       read_whole(socket, offsets, head.n * sizeof(*offsets))) {
		struct wire_out o = { 0 };
		size_t files = l.found.nfiles;

		open_program(&l, fd, path, image, size);
		for (size_t i = 0; i < head.n; i++)
			look_up(&l, offsets[i]);
		if (head.what == LOOKUP_ALL)
			look_up_all(&l);
		if (head.what == LOOKUP_OPEN)
			put_program(&o, &l);
		else
			findings_put(&o, &l.found, files);
		n = o.n;
		more = write_whole(socket, &n, sizeof(n)) && write_whole(socket, o.p, o.n);
		free(o.p);
		forget(&l.found);
	}
}
