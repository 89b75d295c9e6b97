/* SPDX-License-Identifier: MIT */
/*
 * An ELF file to put probes into: a 64-bit x86 program or shared library.
 *
 * Addresses ("vaddr") are as linked; offsets are in the file. Names and addresses come from
 * .symtab, .dynsym and, if there is one, the file with the separate debug information that
 * belongs to it (by build id or .gnu_debuglink).
 */
#ifndef TRAWL_CAPTURE_PROBE_ELF_H
#define TRAWL_CAPTURE_PROBE_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trawl.h"

struct elf_segment { /* a PT_LOAD */
	uint64_t vaddr, offset, filesz, memsz;
	bool exec;
};

struct elf_symbol {
	const char *name; /* lives as long as the file is open */
	uint64_t vaddr, size;
	uint32_t unit;    /* local symbols: equal for those of one source file; global: 0 */
	uint32_t order;   /* its place among all, to make sorting stable */
	bool function, global;
	bool chooser;     /* an IFUNC: code that returns the function to use */
};

struct elf_file {
	char *name; /* for messages */
	Elf *elf;
	uint64_t size; /* of the file */
	int fd;            /* the caller's; -1 if it is in memory, at image */
	const char *image;
	GElf_Ehdr header;
	bool pie;   /* ET_DYN: addresses are relative to where it is loaded */
	size_t nsegments;
	struct elf_segment *segments;
	char build_id[129]; /* hex; "" if none */

	/* The separate debug file; NULL if there is none. Looked for when first needed. */
	Elf *debug;
	char *debug_path;
	int debug_fd;
	bool debug_looked;

	/* All defined symbols by address; read when first needed. */
	size_t nsymbols;
	struct elf_symbol *symbols;
	bool symbols_read;
};

/*
 * Opens what fd refers to, which stays the caller's and must outlive the result. Errors are
 * TRAWL_USAGE and say why the file is none that can be probed: not ELF, 32-bit, another machine,
 * an object file or a core.
 */
struct elf_file *elf_open(int fd, const char *name, struct trawl_error *err);

/* The same for an image in memory, which must outlive the result; without debug file. */
struct elf_file *elf_open_memory(char *image, size_t size, const char *name,
				 struct trawl_error *err);
void elf_free(struct elf_file *f);

/* The separate debug file's handle, or NULL. */
Elf *elf_debug(struct elf_file *f);

/* A section by name in one of the two handles; NULL if there is none. Fills *header. */
Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header);

/* Has it lost its table of symbols, and no debug file with one is there? */
bool elf_stripped(struct elf_file *f);

/* Address to file offset through the PT_LOADs and back; false if nothing of the file is there. */
bool elf_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *offset);
bool elf_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *vaddr);

/* The segment that holds an address; NULL if none. */
const struct elf_segment *elf_segment_of(const struct elf_file *f, uint64_t vaddr);

/* Copies code or data as it is in the file; returns how many of size bytes there are. */
size_t elf_read(const struct elf_file *f, uint64_t vaddr, void *buf, size_t size);

/* ---- symbols ---------------------------------------------------------------------------- */

void elf_read_symbols(struct elf_file *f);

/* The function that holds vaddr, or, if none does, the one before it that does
 * not say how long it is (hand-written assembly). NULL if there is none. */
const struct elf_symbol *elf_function_at(struct elf_file *f, uint64_t vaddr);

/* The first function whose size is known that begins after `start` and before `end`; or NULL. */
const struct elf_symbol *elf_symbol_between(struct elf_file *f, uint64_t start, uint64_t end);

/*
 * A symbol by name, as seen from vaddr `from`: a local one of the same source file goes first.
 * NULL with *ambiguous set if several addresses bear the name and nothing tells which is meant.
 */
const struct elf_symbol *elf_symbol_named(struct elf_file *f, const char *name, uint64_t from,
					  bool *ambiguous);

/* "main+0x12" of a vaddr, malloc'd; "" if no symbol is known. */
char *elf_describe(struct elf_file *f, uint64_t vaddr);

/* Is name an undefined symbol, taken from a library? */
bool elf_imports(struct elf_file *f, const char *name);

#endif
