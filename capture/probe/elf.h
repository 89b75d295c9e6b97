/* SPDX-License-Identifier: MIT */
/*
 * An ELF file to put probes into, or to read the names of branches from: a 64-bit x86 program or
 * shared library; for branches also a 32-bit one.
 *
 * Addresses ("vaddr") are virtual addresses as linked; offsets are bytes from the file's beginning.
 * Symbols come from .symtab, .dynsym and, if present, the separate debug file that belongs to the
 * file by build id or .gnu_debuglink. If neither has a .symtab, Go's own table is read, too.
 */
#ifndef TRAWL_CAPTURE_PROBE_ELF_H
#define TRAWL_CAPTURE_PROBE_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buildid.h"
#include "format/trawl.h"

struct elf_segment { /* a program header of type PT_LOAD */
	uint64_t vaddr, offset, filesz, memsz;
	bool exec;
};

struct elf_symbol {
	const char *name; /* valid until elf_free() */
	uint64_t vaddr, size;
	/* local symbols: number of the source file they are from; global ones: 0 */
	uint32_t unit;
	uint32_t order;   /* position in the symbol tables; makes sorting stable */
	bool function, global;
	bool chooser;     /* an IFUNC resolver: returns the address of the implementation to use */
};

struct elf_file {
	char *name; /* for messages */
	char *path; /* its debug files are beside it, if this is absolute */
	Elf *elf;
	uint64_t size; /* of the file, in bytes */
	int fd;            /* the caller's descriptor; -1 if the file is in memory at `image` */
	const char *image;
	GElf_Ehdr header;
	bool pie;   /* ET_DYN: the load address is chosen at run time */
	size_t nsegments;
	struct elf_segment *segments;
	char build_id[BUILD_ID_ROOM]; /* hex; "" if none */

	/* The separate debug file; NULL if there is none. Searched by elf_debug() on first use. */
	Elf *debug;
	char *debug_path;
	int debug_fd;
	bool debug_looked;

	/* All defined symbols, sorted by address; filled by elf_read_symbols(). */
	size_t nsymbols;
	struct elf_symbol *symbols;
	bool symbols_read;
};

/*
 * Opens the ELF file at fd, which stays the caller's and must outlive the result. Both names are
 * copied: `name` is used in messages, `path` to find the separate debug file; links in it are not
 * followed. NULL with *err if the file cannot be probed: not ELF, 32-bit, another
 * processor, an object file or a core dump (TRAWL_USAGE). To be freed with elf_free().
 */
struct elf_file *elf_open(int fd, const char *name, const char *path, struct trawl_error *err);

/*
 * The same for a file of which only symbols, lines and code are read: 32-bit x86 is accepted, too.
 */
struct elf_file *elf_open_code(int fd, const char *path, struct trawl_error *err);

/*
 * As elf_open() for an image in memory, which must outlive the result. No separate debug file is
 * searched.
 */
struct elf_file *elf_open_memory(char *image, size_t size, const char *name,
				 struct trawl_error *err);
void elf_free(struct elf_file *f);

/* libelf's handle of the separate debug file, owned by f; NULL if there is none. */
Elf *elf_debug(struct elf_file *f);

/*
 * Finds a section by name in the file's or the debug file's handle and fills *header. NULL if there
 * is none; elf may be NULL.
 */
Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header);

/* True if neither the file nor a debug file has a .symtab. */
bool elf_stripped(struct elf_file *f);

/*
 * Convert a virtual address to a file offset, and back, through the PT_LOAD segments. False if no
 * segment has file contents there.
 */
bool elf_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *offset);
bool elf_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *vaddr);

/* The segment that contains an address; NULL if none. */
const struct elf_segment *elf_segment_of(const struct elf_file *f, uint64_t vaddr);

/*
 * Copies up to `size` bytes of code or data at vaddr, as they are in the file. Returns how many
 * bytes could be copied.
 */
size_t elf_read(const struct elf_file *f, uint64_t vaddr, void *buf, size_t size);

/* ---- symbols ---------------------------------------------------------------------------- */

/* Reads the symbol tables into f->symbols, once. */
void elf_read_symbols(struct elf_file *f);

/*
 * The function that contains vaddr. If no sized function does, the nearest function before it whose
 * symbol has no size (hand-written assembly). NULL if there is none.
 */
const struct elf_symbol *elf_function_at(struct elf_file *f, uint64_t vaddr);

/* The first function with a size that begins after `start` and before `end`; NULL if none. */
const struct elf_symbol *elf_symbol_between(struct elf_file *f, uint64_t start, uint64_t end);

/*
 * Finds a symbol by name, as seen from code at `from`: a local symbol of the same source file comes
 * first, then a global one. NULL if there is none; also with *ambiguous set if equally good matches
 * have different addresses.
 */
const struct elf_symbol *elf_symbol_named(struct elf_file *f, const char *name, uint64_t from,
					  bool *ambiguous);

/* The symbol and offset of an address, "main+0x12", malloc'd; "" if no symbol is known. */
char *elf_describe(struct elf_file *f, uint64_t vaddr);

/* True if `name` is an undefined dynamic symbol, which a library provides. */
bool elf_imports(struct elf_file *f, const char *name);

/* True if `name` is a defined dynamic symbol, which other files can use. */
bool elf_exports(struct elf_file *f, const char *name);

#endif
