// SPDX-License-Identifier: MIT
#include "uprobe/function.h"
#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { SYMBOLS_AT_ONCE = 512 };

struct symbols {
	int fd;
	uint64_t address;	/* the one looked for: a virtual address as in the file */
	uint64_t start;		/* address of the function found */
	uint32_t left;		/* how many more symbols may be read */
};

static bool read_all(int fd, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX - size && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static bool read_header(int fd, Elf64_Ehdr *header)
{
	return read_all(fd, header, sizeof(*header), 0) &&
	       !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_phentsize == sizeof(Elf64_Phdr) &&
	       header->e_shentsize == sizeof(Elf64_Shdr);
}

/* Finds the PT_LOAD segment whose bytes in the file hold the offset. */
static bool find_segment(int fd, const Elf64_Ehdr *header, uint64_t offset, Elf64_Phdr *found)
{
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (read_all(fd, found, sizeof(*found),
			     header->e_phoff + (uint64_t)i * sizeof(*found)) &&
		    found->p_type == PT_LOAD && offset >= found->p_offset &&
		    offset - found->p_offset < found->p_filesz)
			return true;
	return false;
}

static bool covers(const Elf64_Sym *symbol, uint64_t address)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_value <= address && address - symbol->st_value < symbol->st_size;
}

static bool find_in(struct symbols *symbols, const Elf64_Shdr *table)
{
	Elf64_Sym some[SYMBOLS_AT_ONCE];
	uint64_t rest = table->sh_size / sizeof(*some), at = table->sh_offset;

	while (rest && symbols->left) {
		size_t n = rest < SYMBOLS_AT_ONCE ? (size_t)rest : SYMBOLS_AT_ONCE;

		n = n < symbols->left ? n : symbols->left;
		if (!read_all(symbols->fd, some, n * sizeof(*some), at))
			return false;
		for (size_t i = 0; i < n; i++)
			if (covers(&some[i], symbols->address)) {
				symbols->start = some[i].st_value;
				return true;
			}
		rest -= n, at += n * sizeof(*some), symbols->left -= (uint32_t)n;
	}
	return false;
}

static bool find_function(struct symbols *symbols, const Elf64_Ehdr *header)
{
	Elf64_Shdr section;

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (read_all(symbols->fd, &section, sizeof(section),
			     header->e_shoff + (uint64_t)i * sizeof(section)) &&
		    (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
		    find_in(symbols, &section))
			return true;
	return false;
}

bool function_at(int fd, uint64_t offset, uint64_t *start)
{
	struct symbols symbols = { .fd = fd, .left = FUNCTION_SYMBOLS_MAX };
	Elf64_Phdr segment;
	Elf64_Ehdr header;

	if (!read_header(fd, &header) || !find_segment(fd, &header, offset, &segment))
		return false;
	symbols.address = offset - segment.p_offset + segment.p_vaddr;
	if (!find_function(&symbols, &header) || symbols.address - symbols.start > offset)
		return false;
	*start = offset - (symbols.address - symbols.start);
	return true;
}

/* Sections that the Go linker writes and that strip(1) leaves. */
static bool is_go_section(const char *name)
{
	return !strcmp(name, ".gopclntab") || !strcmp(name, ".go.buildinfo") ||
	       !strcmp(name, ".note.go.buildid");
}

bool function_of_go(int fd)
{
	Elf64_Shdr section, names;
	Elf64_Ehdr header;
	char name[20] = "";

	if (!read_header(fd, &header) ||
	    !read_all(fd, &names, sizeof(names),
		      header.e_shoff + (uint64_t)header.e_shstrndx * sizeof(names)))
		return false;
	for (unsigned i = 0; i < header.e_shnum; i++)
		if (read_all(fd, &section, sizeof(section),
			     header.e_shoff + (uint64_t)i * sizeof(section)) &&
		    section.sh_name < names.sh_size &&
		    pread(fd, name, sizeof(name) - 1, (off_t)(names.sh_offset + section.sh_name)) >
			    0 &&
		    is_go_section(name))
			return true;
	return false;
}
