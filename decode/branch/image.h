/* SPDX-License-Identifier: MIT */
/*
 * Resolves addresses of traced processes from metadata alone: "branch/maps/PID" says which modules
 * are mapped where, "branch/module/KEY" contains a module's functions and source lines.
 */
#ifndef TRAWL_DECODE_BRANCH_IMAGE_H
#define TRAWL_DECODE_BRANCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/base/output.h"
#include "format/trawl.h"

struct image_function {
	uint64_t vaddr, size; /* size 0: extends to the next function */
	const char *name;
};

struct image_line { /* extends to the next row */
	uint64_t vaddr;
	uint32_t file, line; /* line 0: no source line */
};

struct image_insn { /* a branching instruction, whether or not it was taken */
	uint64_t vaddr;
	uint8_t length, kind;
};

struct image_segment {
	uint64_t offset, vaddr, size;
};

struct image_module {
	struct image_module *next;
	char key[64];
	uint32_t section;
	uint32_t number;  /* from 0, in order of appearance in the file */
	const char *path, *name; /* name: the part of path after the last slash */
	const char *build_id;
	const char *why;  /* why there are no symbols, or "" */
	bool deleted;
	bool whole; /* it also has the functions that were not entered */
	/*
	 * where it was mapped first: the address of offset 0 of the file, and the end of its last
	 * byte
	 */
	uint64_t base, end;
	struct image_segment *segments;
	struct image_function *functions; /* sorted by vaddr */
	struct image_line *lines;         /* lines of these functions, sorted by vaddr */
	/* branch instructions of these functions, sorted by vaddr */
	struct image_insn *insns;
	const char **files;
	size_t nsegments, nfunctions, nlines, ninsns, nfiles;
	bool sorted;
};

struct image_range {
	uint64_t start, end, offset;
	struct image_module *module; /* NULL: memory that belongs to no file */
	/* name in /proc/PID/maps: "[vdso]", "/memfd:x (deleted)", "" */
	const char *label;
};

/* The executable mappings of a process from a certain time on. */
struct image_maps {
	struct image_maps *next; /* earlier maps of the same process */
	int32_t pid;
	uint32_t section;
	uint64_t time;           /* CLOCK_MONOTONIC, ns */
	struct image_range *ranges; /* sorted by start */
	size_t n;
};

/* An address, resolved as far as possible. */
struct image_place {
	uint64_t address;
	const struct image_range *range;       /* NULL: nothing was mapped there */
	const struct image_module *module;     /* NULL: memory that belongs to no file */
	uint64_t vaddr;                        /* address in the module, as linked */
	const struct image_function *function; /* NULL: unknown */
	const char *file;                      /* NULL: the source line is unknown */
	uint32_t line;
};

struct images;

/* Sorts the arrays of a module; must be called before they are read. */
void image_sort(struct image_module *m);
/*
 * Returns the last of n elements of `size` bytes whose first member, vaddr, is at or before an
 * address; NULL if there is none.
 */
const void *image_last_before(const void *array, size_t n, size_t size, uint64_t vaddr);
/* The function that contains an address, or NULL. Valid as long as the module. */
const struct image_function *image_function_at(struct image_module *m, uint64_t vaddr);
/* Length in bytes of the branch instruction at an address; 1 if it is unknown. */
unsigned int image_insn_length(struct image_module *m, uint64_t vaddr);

/* Keeps the reader, whose metadata describes the images. NULL: out of memory. */
struct images *images_new(struct trawl_reader *reader);
void images_free(struct images *im);

/* Returns the maps of a process at a time (CLOCK_MONOTONIC, ns); NULL if none are known. */
const struct image_maps *images_maps(struct images *im, uint32_t section, int32_t pid,
				     uint64_t time);
void images_place(struct images *im, const struct image_maps *maps, uint64_t address,
		  struct image_place *p);

/* Returns the length of a function's name without the suffix of a cold part (".cold"). */
size_t image_base_length(const char *name);

/*
 * Whether code of the module ran. One that is only mapped, as the vdso always is, has no metadata
 * of its own, and so no segments.
 */
static inline bool image_ran(const struct image_module *m)
{
	return m->nsegments;
}

/* Returns the list of all modules, in descending order of their numbers. */
struct image_module *images_modules(struct images *im);
/* Appends a line for --summary for each module that has no symbols, with the reason. */
void images_summary(const struct images *im, struct out *o);

/* Stores the source line of a vaddr. Returns false if it is unknown. */
bool image_line_at(struct image_module *m, uint64_t vaddr, const char **file, uint32_t *line);
/* The vaddr at which a row of m->lines ends: at the next one, or with its function. */
uint64_t image_line_end(struct image_module *m, size_t row);

enum { IMAGE_TEXT = 320 };

/*
 * "main+0x12", "libc.so.6+0x1234", "[run-time code] 0x7f...". Returns buf, which has IMAGE_TEXT
 * bytes.
 */
char *image_describe(const struct image_place *p, char *buf);
/* "loop.c:12" or "". Returns buf, which has IMAGE_TEXT bytes. */
char *image_describe_line(const struct image_place *p, bool whole_path, char *buf);
/* The name of the function without an offset; if it is unknown, of the module or memory. */
char *image_describe_function(const struct image_place *p, char *buf);
const char *image_module_name(const struct image_place *p);

#endif
