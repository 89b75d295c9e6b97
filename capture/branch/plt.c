/* SPDX-License-Identifier: MIT */
/*
 * For each relocation of .rela.plt the linker writes a stub of 16 bytes, in the same order. The
 * stubs are in .plt.sec if the file has that section (for indirect branch tracking). Else they are
 * in .plt, after its first stub, which calls the dynamic linker.
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

/* Returns the name of the symbol of relocation n in .rela.plt. */
static const char *name_of(Elf *elf, size_t n)
{
	GElf_Shdr rela, dynsym;
	Elf_Scn *scn = elf_section(elf, ".rela.plt", &rela), *symbols;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Rela r;
	GElf_Sym sym;

	if (!data || !gelf_getrela(data, (int)n, &r))
		return NULL;
	symbols = elf_getscn(elf, rela.sh_link);
	data = symbols && gelf_getshdr(symbols, &dynsym) ? elf_getdata(symbols, NULL) : NULL;
	if (!data || !GELF_R_SYM(r.r_info) || !gelf_getsym(data, (int)GELF_R_SYM(r.r_info), &sym))
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
