/* SPDX-License-Identifier: MIT */
/* A file, or the vdso, that branches were in: the functions and lines that were hit. */
#ifndef TRAWL_CAPTURE_BRANCH_MODULE_H
#define TRAWL_CAPTURE_BRANCH_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/probe/dwarf.h"
#include "capture/probe/elf.h"
#include "format/trawl.h"

struct module_function {
	uint64_t vaddr, size;
	char *name;
};

struct module_line {
	uint64_t vaddr;
	uint32_t file, line; /* line 0: none from here on */
	bool statement;
};

/* A branching instruction, taken or not. */
struct module_insn {
	uint64_t vaddr;
	uint8_t length, kind; /* enum branch_kind */
};

struct module {
	struct module *next;
	char key[64];      /* in the name of the metadata: DEV:INODE as in maps, or "vdso" */
	char *path;        /* as maps has it, without " (deleted)" */
	bool deleted;
	char build_id[129];
	const char *why;   /* no symbols are known: why; or NULL */
	struct elf_file *elf;
	struct dwarf *dwarf;
	int fd;

	/* Addresses that were looked up, by hash; 0: a free slot. */
	uint64_t *seen;
	size_t nseen, room;

	char **files;
	struct module_function *functions;
	struct module_line *lines; /* of these functions */
	struct module_insn *insns; /* likewise */
	size_t nfiles, nfunctions, nlines, ninsns;
	size_t told_files, told_functions, told_lines, told_insns; /* in metadata so far */
	bool told;
};

/*
 * The module that a line of maps is of, in the list or new and in front of it. map: the range of
 * that line in the process, which is there to be asked. NULL: memory that is of no file.
 */
struct module *module_of(struct module **list, pid_t pid, const char *line);
void modules_free(struct module *list);

/* The place `offset` in the file was hit; of the vdso, in its image. */
void module_hit(struct module *m, uint64_t offset);

/* What kind of branch the instruction there is; 0: none, or it is not known. */
uint8_t module_kind(const struct module *m, uint64_t offset);

/* It is the program that is recorded: all of its functions count, also those that do not run. */
void module_tell_all(struct module *m);

/* Is there anything that was not written yet? */
bool module_has_news(const struct module *m);
/* Writes what is new, or all. */
int module_write(struct module *m, bool all, struct trawl_writer *w, struct trawl_error *err);

#endif
