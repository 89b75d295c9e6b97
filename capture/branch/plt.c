/* SPDX-License-Identifier: MIT */
/*
 * For each relocation of .rela.plt (.rel.plt in 32-bit programs) the linker writes a stub of 16
 * bytes, in the same order. The stubs are in .plt.sec if the file has that section (for indirect
 * branch tracking). Else they are in .plt, after its first stub, which calls the dynamic linker.
 */
#include "config.h"

#include <string.h>

#include "capture/branch/plt.h"

static Elf_Scn *section_of(Elf *elf, uint64_t vaddr, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, sh) && sh->sh_flags & SHF_EXECINSTR && vaddr >= sh->sh_addr &&
		    vaddr - sh->sh_addr < sh->sh_size)
			return scn;
	}
	return NULL;
}

/* Returns the number of the symbol of relocation n; 0 if there is none. */
static size_t symbol_of(const GElf_Shdr *sh, Elf_Data *data, size_t n)
{
	GElf_Rela rela;
	GElf_Rel rel;

	if (sh->sh_type == SHT_RELA)
		return gelf_getrela(data, (int)n, &rela) ? GELF_R_SYM(rela.r_info) : 0;
	return gelf_getrel(data, (int)n, &rel) ? GELF_R_SYM(rel.r_info) : 0;
}

/* Returns the name of the symbol of relocation n in .rela.plt; 32-bit programs have .rel.plt. */
static const char *name_of(Elf *elf, size_t n)
{
	GElf_Shdr sh, dynsym;
	Elf_Scn *scn = elf_section(elf, ".rela.plt", &sh), *symbols;
	Elf_Data *data;
	size_t number;
	GElf_Sym sym;

	if (!scn)
		scn = elf_section(elf, ".rel.plt", &sh);
	data = scn ? elf_getdata(scn, NULL) : NULL;
	number = data ? symbol_of(&sh, data, n) : 0;
	symbols = number ? elf_getscn(elf, sh.sh_link) : NULL;
	data = symbols && gelf_getshdr(symbols, &dynsym) ? elf_getdata(symbols, NULL) : NULL;
	if (!data || !gelf_getsym(data, (int)number, &sym))
		return NULL;
	return elf_strptr(elf, dynsym.sh_link, sym.st_name);
}

const char *plt_name(const struct elf_file *f, uint64_t vaddr, uint64_t *start)
{
	GElf_Shdr sh, other;
	const char *name;
	size_t strings, n, first;

	if (!section_of(f->elf, vaddr, &sh) || elf_getshdrstrndx(f->elf, &strings))
		return NULL;
	name = elf_strptr(f->elf, strings, sh.sh_name);
	n = (size_t)(vaddr - sh.sh_addr) / PLT_ENTRY;
	if (!name || (strcmp(name, ".plt.sec") && strcmp(name, ".plt")))
		return NULL;
	first = strcmp(name, ".plt") ? 0 : 1;
	if (n < first || (first && elf_section(f->elf, ".plt.sec", &other)))
		return NULL;
	*start = sh.sh_addr + n * PLT_ENTRY;
	return name_of(f->elf, n - first);
}
