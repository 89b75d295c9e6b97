/* SPDX-License-Identifier: MIT */
/*
 * What addresses of the traced processes mean, from metadata alone: "branch/maps/PID" tells which
 * module is where, "branch/module/KEY" its functions and source lines.
 */
#ifndef TRAWL_DECODE_BRANCH_IMAGE_H
#define TRAWL_DECODE_BRANCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trawl.h"

struct image_function {
	uint64_t vaddr, size; /* size 0: up to the next one */
	const char *name;
};

struct image_line { /* up to the next one */
	uint64_t vaddr;
	uint32_t file, line; /* line 0: none */
	bool statement;      /* one begins here */
};

struct image_insn { /* a branching instruction, taken or not */
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
	uint32_t number;  /* from 0, in the order in which they were told of */
	const char *path, *name; /* name: what is after the last slash */
	const char *build_id;
	const char *why;  /* why there are no symbols; "" */
	bool deleted;
	uint64_t base, end; /* where it was first mapped: offset 0 of the file, and its last
			     * byte's end */
	struct image_segment *segments;
	struct image_function *functions; /* by vaddr */
	struct image_line *lines;         /* of these functions, by vaddr */
	struct image_insn *insns;         /* likewise */
	const char **files;
	size_t nsegments, nfunctions, nlines, ninsns, nfiles;
	bool sorted;
};

struct image_range {
	uint64_t start, end, offset;
	struct image_module *module; /* NULL: memory of no file */
	const char *label;           /* what maps called it: "[vdso]", "/memfd:x (deleted)", "" */
};

/* What a process had mapped to be run from some time on. */
struct image_maps {
	struct image_maps *next; /* of the same process, earlier */
	int32_t pid;
	uint32_t section;
	uint64_t time;           /* CLOCK_MONOTONIC */
	struct image_range *ranges; /* by start */
	size_t n;
};

/* An address, as far as it is known. */
struct image_place {
	uint64_t address;
	const struct image_range *range;       /* NULL: nothing was mapped there */
	const struct image_module *module;     /* NULL: memory of no file */
	uint64_t vaddr;                        /* in the module, as linked */
	const struct image_function *function; /* NULL: not known */
	const char *file;                      /* NULL: no source line is known */
	uint32_t line;
};

struct images;

/* What is there, in order: to be called before the arrays of a module are looked at. */
void image_sort(struct image_module *m);
/* The last of n elements of this size, each beginning with its vaddr, that is at or before; or
 * NULL. */
const void *image_last_before(const void *array, size_t n, size_t size, uint64_t vaddr);
const struct image_function *image_function_at(struct image_module *m, uint64_t vaddr);
/* Bytes of the branching instruction there; 1 if that is not known. */
unsigned int image_insn_length(struct image_module *m, uint64_t vaddr);

struct images *images_new(struct trawl_reader *reader);
void images_free(struct images *im);

/* The maps of a process at a time; NULL if nothing is known of it. */
const struct image_maps *images_maps(struct images *im, uint32_t section, int32_t pid,
				     uint64_t time);
void images_place(struct images *im, const struct image_maps *maps, uint64_t address,
		  struct image_place *p);

/* All modules, in the order of their numbers from the last one on. */
struct image_module *images_modules(struct images *im);

/* The source line of a vaddr; false if it is not known. */
bool image_line_at(struct image_module *m, uint64_t vaddr, const char **file, uint32_t *line);

enum { IMAGE_TEXT = 320 };

/* "main+0x12", "libc.so.6+0x1234", "[run-time code] 0x7f..."; returns buf, of IMAGE_TEXT bytes. */
char *image_describe(const struct image_place *p, char *buf);
/* "loop.c:12", or "". */
char *image_describe_line(const struct image_place *p, bool whole_path, char *buf);
/* The function's name without offset, or what stands for it. */
char *image_describe_function(const struct image_place *p, char *buf);
const char *image_module_name(const struct image_place *p);

#endif
