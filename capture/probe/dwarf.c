/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/sys/alloc.h"
#include "capture/probe/abi.h"
#include "capture/probe/die.h"
#include "capture/probe/dwarf.h"
#include "capture/probe/gosymbols.h"
#include "capture/probe/language.h"
#include "capture/probe/opener.h"
#include "capture/probe/param.h"
#include "capture/probe/part.h"
#include "capture/probe/retval.h"
#include "common/compare.h"
#include "common/search.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <unistd.h>


enum { TERMINATED = 5, PADDING = 16 };

/* A section whose data was temporarily replaced by a copy. */
struct replaced {
	Elf_Data *data;
	void *original, *copy;
};

/* A function of a unit: its entry and the offset of its DIE. */
struct indexed {
	Dwarf_Addr entry;
	Dwarf_Off die;
};

/* A unit's functions, sorted by entry, then by DIE. */
struct unit_index {
	Dwarf_Off unit;
	size_t n;
	struct indexed *functions;
};

struct dwarf {
	struct elf_file *file;
	/* alt: dwz's file of strings and types that several debug files share; or NULL */
	Dwarf *dw, *alt;
	int alt_fd;
	char *why;
	struct replaced replaced[TERMINATED];
	Dwarf_Off last; /* the unit that find_unit() found without .debug_aranges; 0: none */
	size_t nunits;
	struct unit_index *units; /* those asked for, sorted by unit */
};

/*
 * libdw reads strings up to their NUL, which the last string of a hostile file may lack. A section
 * that does not end with a NUL is replaced by a copy with NULs after it.
 */
static void terminate_strings(struct dwarf *d, Elf *elf)
{
	static const char *const names[TERMINATED] = { ".debug_info", ".debug_types", ".debug_str",
						       ".debug_line", ".debug_line_str" };

	for (size_t i = 0; i < TERMINATED; i++) {
		GElf_Shdr sh;
		Elf_Scn *scn = elf_section(elf, names[i], &sh);
		Elf_Data *data;

		if (scn && sh.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
			continue;
		data = scn ? elf_getdata(scn, NULL) : NULL;
		if (!data || !data->d_buf || !data->d_size ||
		    !((const char *)data->d_buf)[data->d_size - 1])
			continue;
		d->replaced[i].data = data;
		d->replaced[i].original = data->d_buf;
		d->replaced[i].copy = xcalloc(1, data->d_size + PADDING);
		memcpy(d->replaced[i].copy, data->d_buf, data->d_size);
		data->d_buf = d->replaced[i].copy;
	}
}

static void put_back(struct dwarf *d)
{
	for (size_t i = 0; i < TERMINATED; i++) {
		if (d->replaced[i].data)
			d->replaced[i].data->d_buf = d->replaced[i].original;
		free(d->replaced[i].copy);
	}
}

/*
 * Opens the file at `path` (which it frees) as the alternate debug file if its build id is the
 * expected one.
 */
static bool try_alternate(struct dwarf *d, char *path, const void *id, size_t n)
{
	int fd = opener_open(path);
	Dwarf *alt = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	const void *is = NULL;

	free(path);
	if (alt && dwelf_elf_gnu_build_id(dwarf_getelf(alt), &is) == (ssize_t)n &&
	    !memcmp(is, id, n)) {
		dwarf_setalt(d->dw, alt);
		d->alt = alt;
		d->alt_fd = fd;
		return true;
	}
	dwarf_end(alt);
	if (fd >= 0)
		close(fd);
	return false;
}

/*
 * Finds the alternate debug file of dwz. libdw would open it on first use, which the confined
 * reader may not do, so it is opened here through the opener.
 */
static void find_alternate(struct dwarf *d)
{
	const char *name, *beside = d->file->debug_path ? d->file->debug_path : d->file->path;
	const char *slash = beside ? strrchr(beside, '/') : NULL;
	const void *id;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(d->dw, &name, &id);
	char hex[129] = "";

	if (n <= 1 || n > 64)
		return;
	for (ssize_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
	if (try_alternate(d, xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2), id,
			  (size_t)n))
		return;
	if (*name == '/')
		try_alternate(d, xstrdup(name), id, (size_t)n);
	else if (slash)
		try_alternate(d, xasprintf("%.*s/%s", (int)(slash - beside), beside, name), id,
			      (size_t)n);
}

struct dwarf *dwarf_open(struct elf_file *f, const char **why)
{
	struct dwarf *d = xcalloc(1, sizeof(*d));
	GElf_Shdr sh;
	Elf *elf = elf_section(f->elf, ".debug_info", &sh) ||
		   elf_section(f->elf, ".zdebug_info", &sh) ? f->elf : elf_debug(f);

	d->file = f;
	*why = NULL;
	if (elf)
		terminate_strings(d, elf);
	if (elf)
		d->dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (d->dw)
		find_alternate(d);
	if (!d->dw) {
		d->why = xasprintf("%s has no debug information; %s", f->name,
				   gosymbols_is_go(f) ? "build it without -ldflags=-s or -w, and "
							"do not strip it" :
				   "build it with -g or install its debug symbols");
		*why = d->why;
	}
	return d;
}

void dwarf_close(struct dwarf *d)
{
	dwarf_end(d->dw);
	dwarf_end(d->alt);
	if (d->alt)
		close(d->alt_fd);
	put_back(d);
	for (size_t i = 0; i < d->nunits; i++)
		free(d->units[i].functions);
	free(d->units);
	free(d->why);
	free(d);
}

/* ---- units and functions ------------------------------------------------------------------ */

/* Finds the compilation unit that contains vaddr. */
static bool find_unit(struct dwarf *d, uint64_t vaddr, Dwarf_Die *unit)
{
	Dwarf_Off off = 0, next;
	size_t header;

	if (!d->dw)
		return false;
	if (dwarf_addrdie(d->dw, vaddr, unit))
		return true;
	if (d->last && dwarf_offdie(d->dw, d->last, unit) && dwarf_haspc(unit, vaddr) > 0)
		return true;
	/* Without .debug_aranges, which clang does not emit, all units are searched. */
	while (dwarf_nextcu(d->dw, off, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(d->dw, off + header, unit) && dwarf_haspc(unit, vaddr) > 0) {
			d->last = off + header;
			return true;
		}
		off = next;
	}
	return false;
}

/*
 * GCC gives a function with several ranges (.cold) no DW_AT_entry_pc: its entry is where the first
 * range begins.
 */
static bool entry_of(Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;

	return dwarf_entrypc(die, entry) == 0 || dwarf_ranges(die, 0, &base, entry, &end) > 0;
}

static int add_function(Dwarf_Die *die, void *arg)
{
	struct unit_index *u = arg;
	Dwarf_Addr entry;

	if (entry_of(die, &entry)) {
		xgrow(u->functions, u->n);
		u->functions[u->n++] = (struct indexed){ entry, dwarf_dieoffset(die) };
	}
	return DWARF_CB_OK;
}

static int by_entry(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;

	return compare_pairs(x->entry, y->entry, x->die, y->die);
}

/* The functions of a unit, which are read once: units of thousands of functions are common. */
static const struct unit_index *index_of(struct dwarf *d, Dwarf_Die *unit)
{
	Dwarf_Off at = dwarf_dieoffset(unit);
	size_t i = partition_point(d->nunits, k, d->units[k].unit < at);
	struct unit_index *u;

	if (i < d->nunits && d->units[i].unit == at)
		return &d->units[i];
	xgrow(d->units, d->nunits);
	u = &d->units[i];
	memmove(u + 1, u, (d->nunits++ - i) * sizeof(*u));
	*u = (struct unit_index){ .unit = at };
	dwarf_getfuncs(unit, add_function, u, 0);
	if (u->n)
		qsort(u->functions, u->n, sizeof(*u->functions), by_entry);
	return u;
}

/* The first function of the unit whose entry is vaddr. */
static bool find_function(struct dwarf *d, Dwarf_Die *unit, uint64_t vaddr, Dwarf_Die *die)
{
	const struct unit_index *u = index_of(d, unit);
	size_t i = partition_point(u->n, k, u->functions[k].entry < vaddr);

	return i < u->n && u->functions[i].entry == vaddr &&
	       dwarf_offdie(d->dw, u->functions[i].die, die);
}

bool dwarf_is_split(struct dwarf *d, uint64_t vaddr)
{
	Dwarf_Die unit;

	return find_unit(d, vaddr, &unit) && (dwarf_hasattr(&unit, DW_AT_dwo_name) ||
					      dwarf_hasattr(&unit, DW_AT_GNU_dwo_name));
}

bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line)
{
	Dwarf_Die unit;
	Dwarf_Line *at = find_unit(d, vaddr, &unit) ? dwarf_getsrc_die(&unit, vaddr) : NULL;
	const char *name = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	int number;

	if (!name || dwarf_lineno(at, &number) != 0 || number <= 0)
		return false;
	*file = xstrdup(name);
	*line = (unsigned int)number;
	return true;
}

static bool read_row(Dwarf_Lines *lines, size_t i, struct dwarf_row *row)
{
	Dwarf_Line *l = dwarf_onesrcline(lines, i);
	bool ends = true;
	Dwarf_Addr at;
	int number = 0;

	if (!l || dwarf_lineaddr(l, &at))
		return false;
	row->vaddr = at;
	row->file = dwarf_linesrc(l, NULL, NULL);
	dwarf_lineendsequence(l, &ends);
	dwarf_lineno(l, &number);
	row->line = ends || !row->file || number < 0 ? 0 : (unsigned int)number;
	return true;
}

void dwarf_rows(struct dwarf *d, uint64_t from, uint64_t to,
		void (*fn)(void *arg, const struct dwarf_row *row), void *arg)
{
	struct dwarf_row row, before = { 0 };
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t n;

	if (!find_unit(d, from, &unit) || dwarf_getsrclines(&unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!read_row(lines, i, &row) || row.vaddr >= to)
			continue;
		if (row.vaddr < from) {
			before = row;
			continue;
		}
		if (before.line && row.vaddr > from)
			fn(arg, &before);
		before.line = 0;
		fn(arg, &row);
	}
}

const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr)
{
	Dwarf_Die unit;

	return find_unit(d, vaddr, &unit) ? language_of(dwarf_srclang(&unit))->unwinds : NULL;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The function at a place, and the DIEs that its finder refers to. */
struct function {
	Dwarf_Die unit, die;
	struct symbolic cfa;
	struct param_finder f;
};

/* inside: the place may be elsewhere than at the function's first instruction. */
static bool open_function(struct dwarf *d, const struct dwarf_point *at, bool inside,
			  struct function *fn)
{
	*fn = (struct function){ 0 };
	if (!find_unit(d, at->entry, &fn->unit) ||
	    !find_function(d, &fn->unit, at->entry, &fn->die))
		return false;
	fn->cfa = (struct symbolic){ .base = at->cfa_register < 0 ? BASE_NONE : BASE_REGISTER,
				     .reg = at->cfa_register, .offset = at->cfa_offset };
	fn->f = (struct param_finder){ .elf = d->file,
				       .unit = &fn->unit,
				       .function = &fn->die,
				       .vaddr = at->vaddr,
				       .entry = at->entry,
				       .cfa = inside ? &fn->cfa : NULL,
				       .symbol = elf_function_at(d->file, at->entry),
				       .abi = { .stack = 8 } };
	return true;
}

static bool has_types(Dwarf_Die *unit)
{
	Dwarf_Die child;

	if (dwarf_child(unit, &child) != 0)
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
		case DW_TAG_variable:
		case DW_TAG_namespace:
			continue;
		default:
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/*
 * Whether the debug information omits what the function takes and returns, as with -g1 and -gmlt,
 * where units have no types, and of assembly code. The units of a Go program share their types.
 */
static bool is_bare(Dwarf_Die *unit, Dwarf_Die *function)
{
	struct parameters all = { 0 };
	Dwarf_Die origin, of;
	Dwarf_Attribute attr;

	if (dwarf_srclang(unit) == DW_LANG_Mips_Assembler)
		return true;
	if (language_of(dwarf_srclang(unit))->convention == CONVENTION_GO ||
	    dwarf_type_of(function, &of) || parameters_next(&all, function, &of) ||
	    has_types(unit) ||
	    dwarf_hasattr_integrate(function, DW_AT_prototyped))
		return false;
	return !dwarf_attr(function, DW_AT_abstract_origin, &attr) ||
	       !dwarf_formref_die(&attr, &origin) || !dwarf_diecu(&origin, &of, NULL, NULL) ||
	       !has_types(&of);
}

static bool describe(struct dwarf *d, const struct dwarf_point *at, bool inside,
		     struct dwarf_function *fn)
{
	struct function of;

	*fn = (struct dwarf_function){ 0 };
	if (!open_function(d, at, inside, &of))
		return false;
	retval_describe(&of.f, fn);
	param_find_all(&of.f, fn);
	retval_recheck(&of.f, fn);
	fn->convention = of.f.convention;
	if (!is_bare(&of.unit, &of.die))
		return true;
	dwarf_function_free(fn);
	*fn = (struct dwarf_function){ .bare = true, .convention = of.f.convention };
	return false;
}

bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn)
{
	return describe(d, &(struct dwarf_point){ .entry = vaddr, .vaddr = vaddr }, false, fn);
}

bool dwarf_function_inside(struct dwarf *d, const struct dwarf_point *at,
			   struct dwarf_function *fn)
{
	return describe(d, at, true, fn);
}

bool dwarf_path(struct dwarf *d, const struct dwarf_point *at, const char *path,
		const struct dwarf_function *ret, struct dwarf_function *fn, struct part_error *e)
{
	struct dwarf_function result = { 0 };
	struct function of;
	bool found;

	if (!open_function(d, at, at->vaddr != at->entry, &of))
		return false;
	retval_describe(&of.f, &result); /* it may use up a register of the parameters */
	found = part_find(&of.f, path, ret, fn, e);
	dwarf_function_free(&result);
	return found;
}

#else /* !HAVE_DW */

struct dwarf {
	struct elf_file *file;
};

struct dwarf *dwarf_open(struct elf_file *f, const char **why)
{
	struct dwarf *d = xcalloc(1, sizeof(*d));

	d->file = f;
	*why = "trawl was built without libdw";
	return d;
}

void dwarf_close(struct dwarf *d)
{
	free(d);
}

bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn)
{
	*fn = (struct dwarf_function){ 0 };
	return false;
}

bool dwarf_function_inside(struct dwarf *d, const struct dwarf_point *at,
			   struct dwarf_function *fn)
{
	return dwarf_function_at(d, at->vaddr, fn);
}

bool dwarf_path(struct dwarf *d, const struct dwarf_point *at, const char *path,
		const struct dwarf_function *ret, struct dwarf_function *fn, struct part_error *e)
{
	return false;
}

bool dwarf_is_split(struct dwarf *d, uint64_t vaddr)
{
	return false;
}

bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line)
{
	return false;
}

void dwarf_rows(struct dwarf *d, uint64_t from, uint64_t to,
		void (*fn)(void *arg, const struct dwarf_row *row), void *arg)
{
}

const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr)
{
	return NULL;
}

#endif
