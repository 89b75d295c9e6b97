/* SPDX-License-Identifier: MIT */
/*
 * Building probes: what the kinds of probes (resolve.h) share. A probe is made with its sites, then
 * arguments are added one column at a time, then probe_finish() checks the kernel's limits.
 */
#ifndef TRAWL_CAPTURE_PROBE_BUILD_H
#define TRAWL_CAPTURE_PROBE_BUILD_H

#include "capture/cli/spec.h"
#include "capture/probe/argloc.h"
#include "capture/probe/dwarf.h"
#include "capture/probe/elf.h"
#include "capture/probe/fetch.h"
#include "capture/probe/flow.h"
#include "capture/probe/types.h"
#include "common/nearest.h"

/* One probe_resolve() at work. */
struct resolve {
	const struct spec *spec;
	struct probe_list *list;
	size_t limit;
	size_t before;       /* probes that were there */
	bool full;           /* there were more than the limit allows */
	size_t more;         /* probes of functions that have one already: not in the limit */
	struct nearest near; /* names that were there instead */
	bool stripped;       /* the file has no symbols of its own functions */
	char *hint;          /* why a thing that was found could not be used; or NULL */
	bool pattern;        /* the spec matches what it does not name, as readable names do */
	bool named;          /* the user gives the event a name */
	struct trawl_error *err;

	/* cxx_unique_name(): the readable names of a file's functions, sorted. */
	const struct elf_file *names_of;
	size_t nnames;
	char **names;
	/* with their parameters, also without what follows these */
	size_t nfulls;
	char **fulls;
};

/* A file to resolve in. */
struct target {
	struct probe_file *file;
	struct elf_file *elf;
	struct dwarf *dwarf;
	const char *no_dwarf; /* why there is no debug information; NULL if there is some */
	struct code *code;    /* read when first needed: target_code() */
};

/* Opens ELF and DWARF of file. */
int target_open(struct target *t, struct probe_file *file, struct trawl_error *err);
void target_close(struct target *t);

/* What is known of the file's code as a whole. Never NULL; the target's. */
struct code *target_code(struct target *t);

/* A new probe of n sites at the end of the list; -1 through NULL when over the limit. */
struct probe *probe_add(struct resolve *r, enum probe_kind kind, struct target *t, size_t n);

/* Are they the same instructions, whatever they record? */
bool probe_same_place(const struct probe *a, const struct probe *b);

/* Fills in what can be told of a site from its address. */
void probe_site_init(struct probe_site *site, struct target *t, uint64_t vaddr, uint64_t offset);

/* "shop::Cart::add+0x4" of the mangled name with its offset, which is freed; malloc'd. */
char *build_readable(char *symbol);

/* Adds a field; the name is cut and made unique if need be. Returns its number. */
size_t probe_add_arg(struct probe *p, const char *name, const char *type);

/* Fills one argument at one site. note, fetch and why are copied; why NULL: exact. */
void probe_set_arg(struct probe *p, size_t site, size_t arg, const char *note, const char *fetch,
		   const char *type, const char *why);

/* Marks an argument that no site has. */
void probe_arg_missing(struct probe *p, size_t arg);

/* May the kernel have a field of this name? */
bool probe_arg_name_ok(const char *name);

/* Adds helpers that tell whether the arguments' memory could be read, in front and at the end. */
int probe_add_checks(struct resolve *r, struct probe *p);

/* Names the event, joins the arguments, checks limits. at: the spec's place to complain about. */
int probe_finish(struct resolve *r, struct probe *p, const char *display);

/*
 * The kernel's text for a user's ARG whose innermost operand, if it is a name or symbol, is at
 * `place`. fallback is the type if the user gave none ("" for the kernel's own). Complains with
 * a caret. buf gets "EXPR[:TYPE]".
 */
int build_user_fetch(struct resolve *r, const struct spec_arg *arg, const struct fetch_expr *e,
		     const struct argloc *place, const char *fallback, char *buf, size_t size);

/* May the user's ARG be a field of this name? 0, or -1 with what is wrong. */
int build_field_name(struct resolve *r, const struct probe *p, const struct spec_arg *arg,
		     const struct fetch_expr *e, const char *name);

/* The type that a user's ARG will have: its own, else fallback, else the kernel's default. */
const char *build_user_type(const struct spec_arg *arg, const struct fetch_expr *e,
			    const char *fallback);

/* How values of a FETCHARG type are shown. */
enum probe_arg_show build_show(const char *type);

/* Where the ARG's innermost operand starts in the spec's text. */
size_t build_inner_at(const struct spec_arg *arg, const struct fetch_expr *e);

#endif
