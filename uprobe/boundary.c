// SPDX-License-Identifier: MIT
#include "config.h"

#include "uprobe/boundary.h"
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* A mapping of a file with code. */
struct mapping {
	uint64_t start, end, offset;
	char path[4200];	/* by /proc/PID/root, as the process sees it */
};

static bool find_mapping(pid_t pid, uint64_t where, struct mapping *m)
{
	char line[4400], path[4096], name[32];
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]", &m->start, &m->end,
			       &m->offset, path) == 4 &&
			m->start <= where && where < m->end && *path == '/';
	}
	if (maps)
		fclose(maps);
	if (found)
		snprintf(m->path, sizeof(m->path), "/proc/%d/root%s", pid, path);
	return found;
}

/* The address in the file's own terms of what is at `offset` in it. */
static bool address_of(Elf *elf, uint64_t offset, uint64_t *address)
{
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && offset >= p.p_offset &&
		    offset - p.p_offset < p.p_filesz) {
			*address = offset - p.p_offset + p.p_vaddr;
			return true;
		}
	}
	return false;
}

/* The function in this table of symbols that covers the address. */
static bool find_in_table(Elf_Scn *section, const GElf_Shdr *header, uint64_t address, uint64_t *start)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Sym s;

		if (gelf_getsym(data, (int)i, &s) && GELF_ST_TYPE(s.st_info) == STT_FUNC && s.st_value <= address &&
		    address - s.st_value < s.st_size) {
			*start = s.st_value;
			return true;
		}
	}
	return false;
}

static bool find_function(Elf *elf, uint64_t address, uint64_t *start)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    find_in_table(section, &header, address, start))
			return true;
	}
	return false;
}

/* Decodes from `at` on, an offset in the file as `where` is: in memory other breakpoints would be in the way. */
static bool decode(int fd, uint64_t at, uint64_t where, uint64_t *begin)
{
	ZydisDecoder decoder;
	bool inside = false;

	if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	while (at < where && !inside) {
		unsigned char bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
		ssize_t n = pread(fd, bytes, sizeof(bytes), (off_t)at);
		ZydisDecodedInstruction insn;

		if (n <= 0 || ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, (ZyanUSize)n, &insn)))
			break;
		inside = where - at < insn.length;
		*begin = at;
		at += insn.length;
	}
	return inside;
}

bool boundary_inside(pid_t pid, unsigned long where, unsigned long *begin)
{
	struct mapping m;
	int fd = find_mapping(pid, where, &m) ? open(m.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	uint64_t address, start, at, offset;
	bool inside = false;
	Elf *elf;

	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		return false;
	offset = where - m.start + m.offset;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && address_of(elf, offset, &address) && find_function(elf, address, &start) &&
	    address - start <= offset && decode(fd, offset - (address - start), offset, &at)) {
		inside = true;
		*begin = where - (offset - at);
	}
	elf_end(elf);
	close(fd);
	return inside;
}
#else
bool boundary_inside(pid_t pid, unsigned long where, unsigned long *begin)
{
	(void)pid, (void)where, (void)begin;
	return false;
}
#endif
