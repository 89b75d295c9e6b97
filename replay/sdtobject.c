/* SPDX-License-Identifier: MIT */
#include "replay/sdtobject.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define OPERAND "%s@%u(%%rdi)"
static const uint8_t code[] = {0x90, 0xc3}; /* nop; ret */
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define OPERAND "%s@[x0, %u]"
static const uint8_t code[] = {0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6};
#else
#define MACHINE EM_NONE
#define OPERAND "%s@%u"
static const uint8_t code[] = {0};
#endif

/*
 * Layout of the file: headers, .stapsdt.base at BASE, code from CODE on, then notes, symbols and
 * names.
 */
enum { SECTIONS = 8, SEGMENTS = 2, BASE = 0x200, CODE = 0x400, STEP = 16 };
enum section { S_NONE, S_BUILD_ID, S_BASE, S_TEXT, S_SDT, S_SYMTAB, S_STRTAB, S_SHSTRTAB };

static const char section_names[] =
	"\0.note.gnu.build-id\0.stapsdt.base\0.text\0.note.stapsdt\0.symtab\0.strtab\0.shstrtab";

bool sdtobject_possible(void)
{
	return MACHINE != EM_NONE;
}

size_t sdtobject_offset(size_t i)
{
	return CODE + i * STEP;
}

static Elf64_Word name_of(enum section s)
{
	const char *p = section_names;

	for (int i = 0; i < (int)s; i++)
		p += strlen(p) + 1;
	return (Elf64_Word)(p - section_names);
}

static void align(struct out *o, size_t n)
{
	while (o->len % n)
		out_char(o, '\0');
}

static void put_note(const struct sdt_probe *p, size_t i, struct out *o)
{
	struct out body;

	out_memory(&body);
	out_le64(&body, sdtobject_offset(i));
	out_le64(&body, BASE);
	out_le64(&body, 0); /* no semaphore */
	out_bytes(&body, p->provider, strlen(p->provider) + 1);
	out_bytes(&body, p->name, strlen(p->name) + 1);
	for (unsigned int k = 0; k < p->nargs; k++) {
		char operand[32];

		snprintf(operand, sizeof(operand), OPERAND, p->sizes[k], 8 * k);
		if (k)
			out_char(&body, ' ');
		out_str(&body, operand);
	}
	out_char(&body, '\0');
	out_le32(o, 8);
	out_le32(o, (uint32_t)body.len);
	out_le32(o, 3);
	out_bytes(o, "stapsdt", 8);
	out_bytes(o, body.data, body.len);
	align(o, 4);
	out_free(&body);
}

/* Appends a section's contents to the file and fills its header. */
static void add(Elf64_Shdr *s, Elf64_Word type, Elf64_Xword flags, const struct out *body,
		size_t alignment, struct out *o)
{
	align(o, alignment);
	s->sh_type = type;
	s->sh_flags = flags;
	s->sh_offset = o->len;
	s->sh_addr = flags & SHF_ALLOC ? o->len : 0;
	s->sh_size = body->len;
	s->sh_addralign = alignment;
	out_bytes(o, body->data, body->len);
}

static void put_symbols(const struct sdt_probe *probes, size_t n, struct out *symbols,
			struct out *names)
{
	Elf64_Sym s = {0};

	out_bytes(symbols, &s, sizeof(s));
	out_char(names, '\0');
	for (size_t i = 0; i < n; i++) {
		s = (Elf64_Sym){
			.st_name = (Elf64_Word)names->len,
			.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.st_shndx = S_TEXT,
			.st_value = sdtobject_offset(i),
			.st_size = sizeof(code),
		};
		out_bytes(symbols, &s, sizeof(s));
		out_printf(names, "%s_%s", probes[i].provider, probes[i].name);
		out_char(names, '\0');
	}
}

static void put_code(size_t n, struct out *o)
{
	for (size_t i = 0; i < n; i++) {
		out_bytes(o, code, sizeof(code));
		align(o, STEP);
	}
}

static void put_build_id(const struct out *notes, struct out *o)
{
	out_le32(o, 4);
	out_le32(o, 16);
	out_le32(o, NT_GNU_BUILD_ID);
	out_bytes(o, "GNU", 4);
	out_le64(o, XXH64(notes->data, notes->len, 1));
	out_le64(o, XXH64(notes->data, notes->len, 2));
}

static void put_headers(const Elf64_Shdr *sections, size_t size, struct out *o)
{
	Elf64_Ehdr e = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(e),
		.e_shoff = size,
		.e_ehsize = sizeof(e),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = S_SHSTRTAB,
	};
	Elf64_Phdr p[SEGMENTS] = {
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_X,
		 .p_filesz = size,
		 .p_memsz = size,
		 .p_align = 4096},
		{.p_type = PT_NOTE,
		 .p_flags = PF_R,
		 .p_offset = sections[S_BUILD_ID].sh_offset,
		 .p_vaddr = sections[S_BUILD_ID].sh_offset,
		 .p_paddr = sections[S_BUILD_ID].sh_offset,
		 .p_filesz = sections[S_BUILD_ID].sh_size,
		 .p_memsz = sections[S_BUILD_ID].sh_size,
		 .p_align = 4},
	};

	memcpy(o->data, &e, sizeof(e));
	memcpy(o->data + sizeof(e), p, sizeof(p));
	out_bytes(o, sections, SECTIONS * sizeof(*sections));
}

void sdtobject_write(const struct sdt_probe *probes, size_t n, struct out *o)
{
	Elf64_Shdr s[SECTIONS] = {{0}};
	struct out part[SECTIONS];

	for (int i = 0; i < SECTIONS; i++)
		out_memory(&part[i]);
	for (size_t i = 0; i < n; i++)
		put_note(&probes[i], i, &part[S_SDT]);
	put_build_id(&part[S_SDT], &part[S_BUILD_ID]);
	put_code(n, &part[S_TEXT]);
	out_char(&part[S_BASE], '\0');
	put_symbols(probes, n, &part[S_SYMTAB], &part[S_STRTAB]);
	out_bytes(&part[S_SHSTRTAB], section_names, sizeof(section_names));

	out_fill(o, '\0', BASE);
	add(&s[S_BASE], SHT_PROGBITS, SHF_ALLOC, &part[S_BASE], 1, o);
	add(&s[S_BUILD_ID], SHT_NOTE, SHF_ALLOC, &part[S_BUILD_ID], 4, o);
	out_fill(o, '\0', CODE - o->len);
	add(&s[S_TEXT], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, &part[S_TEXT], STEP, o);
	add(&s[S_SDT], SHT_NOTE, 0, &part[S_SDT], 4, o);
	add(&s[S_SYMTAB], SHT_SYMTAB, 0, &part[S_SYMTAB], 8, o);
	add(&s[S_STRTAB], SHT_STRTAB, 0, &part[S_STRTAB], 1, o);
	add(&s[S_SHSTRTAB], SHT_STRTAB, 0, &part[S_SHSTRTAB], 1, o);
	align(o, 8);
	s[S_SYMTAB].sh_link = S_STRTAB;
	s[S_SYMTAB].sh_info = (Elf64_Word)(part[S_SYMTAB].len / sizeof(Elf64_Sym));
	s[S_SYMTAB].sh_entsize = sizeof(Elf64_Sym);
	for (int i = 1; i < SECTIONS; i++)
		s[i].sh_name = name_of((enum section)i);
	put_headers(s, o->len, o);
	for (int i = 0; i < SECTIONS; i++)
		out_free(&part[i]);
}
