/* SPDX-License-Identifier: MIT */
/* The symbols of an ELF file: of its symbol tables or of Go's, by name and by address. */
#include "config.h"

#include "capture/sys/alloc.h"
#include "capture/probe/elf.h"
#include "capture/probe/gosymbols.h"
#include "common/compare.h"
#include "common/search.h"

static bool wanted(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || (sym->st_shndx == SHN_ABS && type != STT_FUNC))
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
	       type == STT_NOTYPE;
}

/*
 * Adds one symbol table. `unit` counts source files over all tables, which distinguishes local
 * symbols of the same name.
 */
static void add_table(struct elf_file *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
		      uint32_t *unit)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	(*unit)++;
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;
		const char *name;
		const struct elf_segment *seg;
		unsigned int type;

		if (!gelf_getsym(data, (int)i, &sym))
			return;
		type = GELF_ST_TYPE(sym.st_info);
		if (type == STT_FILE)
			(*unit)++;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!name || !*name || !wanted(&sym))
			continue;
		seg = elf_segment_of(f, sym.st_value);
		xgrow(f->symbols, f->nsymbols);
		f->symbols[f->nsymbols] = (struct elf_symbol){
			.name = name, .vaddr = sym.st_value, .size = sym.st_size,
			.order = (uint32_t)f->nsymbols,
			.function = type == STT_FUNC || type == STT_GNU_IFUNC ||
				    (type == STT_NOTYPE && seg && seg->exec),
			.global = GELF_ST_BIND(sym.st_info) != STB_LOCAL,
			.chooser = type == STT_GNU_IFUNC,
		};
		/* STT_FILE applies only to the local symbols that follow it. */
		if (!f->symbols[f->nsymbols].global)
			f->symbols[f->nsymbols].unit = *unit;
		f->nsymbols++;
	}
}

static void add_tables(struct elf_file *f, Elf *elf, uint32_t *unit)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			add_table(f, elf, scn, &sh, unit);
	}
}

/*
 * Orders by address; at the same address functions come first, then sized, global and least
 * underscored names, so that the first is the name that people would use.
 */
static int compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;
	size_t ux = strspn(x->name, "_"), uy = strspn(y->name, "_");

	if (x->vaddr != y->vaddr)
		return compare_numbers(x->vaddr, y->vaddr);
	if (x->function != y->function)
		return x->function ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	return compare_pairs(ux, uy, x->order, y->order);
}

static bool has_symtab(Elf *elf)
{
	GElf_Shdr sh;

	return elf && elf_section(elf, ".symtab", &sh);
}

bool elf_stripped(struct elf_file *f)
{
	return !has_symtab(f->elf) && !has_symtab(elf_debug(f));
}

void elf_read_symbols(struct elf_file *f)
{
	uint32_t unit = 0;

	if (f->symbols_read)
		return;
	f->symbols_read = true;
	add_tables(f, f->elf, &unit);
	add_tables(f, elf_debug(f), &unit);
	if (elf_stripped(f))
		gosymbols_add(f);
	if (f->nsymbols)
		qsort(f->symbols, f->nsymbols, sizeof(*f->symbols), compare);
}

/* How many symbols are at or below vaddr. */
static size_t symbols_up_to(const struct elf_file *f, uint64_t vaddr)
{
	return partition_point(f->nsymbols, i, f->symbols[i].vaddr <= vaddr);
}

const struct elf_symbol *elf_function_at(struct elf_file *f, uint64_t vaddr)
{
	const struct elf_segment *seg = elf_segment_of(f, vaddr);
	const struct elf_symbol *open_end = NULL; /* a function without a size */
	bool ended = false;                       /* another function ends between it and vaddr */
	size_t steps = 0;

	elf_read_symbols(f);
	for (size_t i = symbols_up_to(f, vaddr); seg && i > 0 && steps < 256; i--, steps++) {
		const struct elf_symbol *s = &f->symbols[i - 1];

		if (s->vaddr < seg->vaddr)
			break;
		if (!s->function)
			continue;
		if (!s->size && !ended && (!open_end || open_end->vaddr == s->vaddr))
			open_end = s;
		ended |= s->size && vaddr - s->vaddr >= s->size;
		if (s->size && vaddr - s->vaddr < s->size) {
			/* Of several names at this address the first is the best. */
			while (i > 1 && f->symbols[i - 2].vaddr == s->vaddr &&
			       f->symbols[i - 2].function && f->symbols[i - 2].size)
				s = &f->symbols[--i - 1];
			return s;
		}
	}
	return open_end;
}

const struct elf_symbol *elf_symbol_between(struct elf_file *f, uint64_t start, uint64_t end)
{
	elf_read_symbols(f);
	for (size_t i = symbols_up_to(f, start); i < f->nsymbols; i++) {
		const struct elf_symbol *s = &f->symbols[i];

		if (s->vaddr >= end)
			break;
		if (s->function && s->size)
			return s;
	}
	return NULL;
}

const struct elf_symbol *elf_symbol_named(struct elf_file *f, const char *name, uint64_t from,
					  bool *ambiguous)
{
	const struct elf_symbol *near, *found = NULL;
	int best = -1;

	elf_read_symbols(f);
	*ambiguous = false;
	near = elf_function_at(f, from);
	for (size_t i = 0; i < f->nsymbols; i++) {
		const struct elf_symbol *s = &f->symbols[i];
		int rank = s->global ? 1 : near && near->unit && near->unit == s->unit ? 2 : 0;

		if (strcmp(s->name, name) || rank < best)
			continue;
		if (rank == best)
			*ambiguous |= s->vaddr != found->vaddr;
		else
			*ambiguous = false;
		best = rank;
		found = s;
	}
	return *ambiguous ? NULL : found;
}

char *elf_describe(struct elf_file *f, uint64_t vaddr)
{
	const struct elf_symbol *s = elf_function_at(f, vaddr);

	if (!s)
		return xstrdup("");
	if (s->vaddr == vaddr)
		return xstrdup(s->name);
	return xasprintf("%s+0x%llx", s->name, (unsigned long long)(vaddr - s->vaddr));
}

/* True if `name` is a dynamic symbol, `defined` or not. */
static bool dynamic(struct elf_file *f, const char *name, bool defined)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_section(f->elf, ".dynsym", &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		const char *s = elf_strptr(f->elf, sh.sh_link, sym.st_name);

		if (s && (sym.st_shndx != SHN_UNDEF) == defined && !strcmp(s, name))
			return true;
	}
	return false;
}

bool elf_imports(struct elf_file *f, const char *name)
{
	return dynamic(f, name, false);
}

bool elf_exports(struct elf_file *f, const char *name)
{
	return dynamic(f, name, true);
}
