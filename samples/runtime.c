/* SPDX-License-Identifier: MIT */
/*
 * A probe that is made while the program runs, as interpreters make them:
 *
 *	runtime [memfd|deleted] [COUNT [USEC]]
 *
 * builds a shared library in memory - code that is a nop and a return, and a stapsdt note that
 * describes it -, loads it from a memfd or from a file that is deleted at once, and calls it.
 * Only the mapping is left, and that is where a tracer must look. It prints "ready PID", waits
 * for a line (or the end) of its input, and then hits COUNT times (default 5)
 *
 *	usdt runtime:made   i (s32), i * i (u64), a text (address)
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where things are in the image; sections that are loaded stand at their file offset. */
enum {
	HASH = 0x200,
	DYNSYM = 0x240,
	DYNSTR = 0x280,
	BASE = 0x2c0,
	DYNAMIC = 0x300,
	LOADED = 0x400, /* the end of the first segment */
	TEXT = 0x1000,
	NOTE = 0x1100,
	NAMES = 0x1200,
};

/* nop; ret: the probe's site is the nop. */
static unsigned char code[] = { 0x90, 0xc3 };
static char strings[] = "\0made";
static Elf64_Sym symbols[2] = {
	[1] = { .st_name = 1, .st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
		.st_value = TEXT, .st_size = sizeof(code) },
};
/* One bucket: symbol 1. */
static Elf64_Word hash[] = { 1, 2, 1, 0, 0 };
static Elf64_Dyn dynamic[] = {
	{ DT_HASH, { HASH } }, { DT_STRTAB, { DYNSTR } }, { DT_SYMTAB, { DYNSYM } },
	{ DT_STRSZ, { sizeof(strings) } }, { DT_SYMENT, { sizeof(Elf64_Sym) } }, { DT_NULL, { 0 } },
};

/* The note: header, owner, addresses, then three strings. */
static struct __attribute__((packed)) {
	Elf64_Nhdr header;
	char owner[8];
	uint64_t pc, base, semaphore;
	char text[36]; /* 35 with the last NUL, and padding */
} note = {
	.header = { sizeof("stapsdt"), 24 + sizeof("runtime\0made\0" "-4@%edi 8@%rsi 8@%rdx"), 3 },
	.owner = "stapsdt",
	.pc = TEXT, .base = BASE,
	.text = "runtime\0made\0" "-4@%edi 8@%rsi 8@%rdx",
};

static char names[] = "\0.text\0.hash\0.dynsym\0.dynstr\0.dynamic\0.stapsdt.base\0"
		      ".note.stapsdt\0.shstrtab";

static size_t name_at(const char *name)
{
	size_t at = 1;

	while (strcmp(names + at, name))
		at += strlen(names + at) + 1;
	return at;
}

static void add(Elf *elf, const char *name, void *bytes, size_t size, size_t offset, GElf_Shdr sh)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);

	data->d_buf = bytes;
	data->d_size = size;
	data->d_align = 1;
	data->d_type = ELF_T_BYTE;
	sh.sh_name = (GElf_Word)name_at(name);
	sh.sh_offset = offset;
	sh.sh_addr = sh.sh_flags & SHF_ALLOC ? offset : 0;
	sh.sh_size = size;
	sh.sh_addralign = sh.sh_addralign ? sh.sh_addralign : 1;
	gelf_update_shdr(scn, &sh);
}

static void add_segments(Elf *elf)
{
	GElf_Phdr ph[3] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = LOADED, .p_memsz = LOADED,
		  .p_align = 0x1000 },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = TEXT, .p_vaddr = TEXT,
		  .p_filesz = sizeof(code), .p_memsz = sizeof(code), .p_align = 0x1000 },
		{ .p_type = PT_DYNAMIC, .p_flags = PF_R | PF_W, .p_offset = DYNAMIC,
		  .p_vaddr = DYNAMIC, .p_filesz = sizeof(dynamic), .p_memsz = sizeof(dynamic),
		  .p_align = 8 },
	};

	for (int i = 0; i < 3; i++) {
		ph[i].p_paddr = ph[i].p_vaddr;
		gelf_update_phdr(elf, i, &ph[i]);
	}
}

/* Writes the library to fd. */
static int build(int fd)
{
	static char base;
	GElf_Ehdr eh;
	Elf *elf;
	int ok;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!elf || !gelf_newehdr(elf, ELFCLASS64) || !gelf_newphdr(elf, 3))
		return -1;
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	gelf_getehdr(elf, &eh);
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_type = ET_DYN;
	eh.e_machine = EM_X86_64;
	eh.e_version = EV_CURRENT;
	eh.e_phoff = sizeof(Elf64_Ehdr);
	eh.e_shoff = NAMES + 0x100;
	eh.e_shstrndx = 8;
	gelf_update_ehdr(elf, &eh);
	add_segments(elf);
	add(elf, ".text", code, sizeof(code), TEXT,
	    (GElf_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR });
	add(elf, ".hash", hash, sizeof(hash), HASH,
	    (GElf_Shdr){.sh_type = SHT_HASH, .sh_flags = SHF_ALLOC, .sh_link = 3, .sh_entsize = 4});
	add(elf, ".dynsym", symbols, sizeof(symbols), DYNSYM,
	    (GElf_Shdr){ .sh_type = SHT_DYNSYM, .sh_flags = SHF_ALLOC, .sh_link = 4, .sh_info = 1,
			 .sh_entsize = sizeof(Elf64_Sym), .sh_addralign = 8 });
	add(elf, ".dynstr", strings, sizeof(strings), DYNSTR,
	    (GElf_Shdr){ .sh_type = SHT_STRTAB, .sh_flags = SHF_ALLOC });
	add(elf, ".stapsdt.base", &base, sizeof(base), BASE,
	    (GElf_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC });
	add(elf, ".dynamic", dynamic, sizeof(dynamic), DYNAMIC,
	    (GElf_Shdr){ .sh_type = SHT_DYNAMIC, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_link = 4,
			 .sh_entsize = sizeof(Elf64_Dyn), .sh_addralign = 8 });
	add(elf, ".note.stapsdt", &note, sizeof(note), NOTE,
	    (GElf_Shdr){ .sh_type = SHT_NOTE, .sh_addralign = 4 });
	add(elf, ".shstrtab", names, sizeof(names), NAMES, (GElf_Shdr){ .sh_type = SHT_STRTAB });
	ok = elf_update(elf, ELF_C_WRITE) > 0;
	elf_end(elf);
	return ok ? 0 : -1;
}

int main(int argc, char **argv)
{
	bool deleted = argc > 1 && !strcmp(argv[1], "deleted");
	int count = argc > 2 ? atoi(argv[2]) : 5;
	useconds_t pause = argc > 3 ? (useconds_t)atoi(argv[3]) : 0;
	char path[64] = "/tmp/runtime-XXXXXX";
	int fd = deleted ? mkstemp(path) : memfd_create("runtime-probes", MFD_CLOEXEC);
	void (*made)(int i, unsigned long square, const char *text);
	void *handle;

	if (fd < 0 || build(fd) < 0) {
		fprintf(stderr, "runtime: cannot build the library: %s\n", elf_errmsg(-1));
		return 1;
	}
	if (!deleted)
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	handle = dlopen(path, RTLD_NOW);
	if (deleted)
		unlink(path);
	close(fd);
	made = handle ? (void (*)(int, unsigned long, const char *))dlsym(handle, "made") : NULL;
	if (!made) {
		fprintf(stderr, "runtime: %s\n", dlerror());
		return 1;
	}
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (getchar() == EOF)
		clearerr(stdin);
	for (int i = 0; i < count; i++) {
		made(i, (unsigned long)i * (unsigned long)i, "made at run time");
		if (pause)
			usleep(pause);
	}
	return 0;
}
