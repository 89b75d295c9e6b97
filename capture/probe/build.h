/* SPDX-License-Identifier: MIT */
/*
 * Building probes: what the kinds of probes (resolve.h) share. Call probe_add() for a probe with
 * all its sites, then probe_add_arg() and probe_set_arg() for each argument, then probe_finish(),
 * which checks the kernel's limits.
 */
#ifndef TRAWL_CAPTURE_PROBE_BUILD_H
#define TRAWL_CAPTURE_PROBE_BUILD_H

#include "capture/cli/spec.h"
#include "capture/probe/argloc.h"
#include "capture/probe/dwarf.h"
#include "capture/probe/elf.h"
#include "capture/probe/fetch.h"
#include "capture/probe/flow.h"
#include "capture/probe/taken.h"
#include "capture/probe/types.h"
#include "common/nearest.h"

/* The state of one call of probe_resolve(). */
struct resolve {
	const struct spec *spec;
	struct probe_list *list;
	size_t limit;
	size_t before;       /* how many probes the list had before */
	bool over;           /* the limit was reached, or a signal waits: no more is looked for */
	/* further probes of functions that have one already; they do not count against the limit */
	size_t more;
	struct nearest near; /* similar names, for the error message */
	bool stripped;       /* the file has no symbols of its own functions */
	char *hint;          /* why something that was found could not be probed; or NULL */
	bool pattern;        /* the spec may match several functions, as a demangled name does */
	bool named;          /* the user has named the event */
	struct passed_over *passed; /* matches that could not be probed: passed.h */
	size_t npassed;
	struct trawl_error *err;
	struct taken taken;
	bool has_taken; /* the probes that were there before are in it */

	/*
	 * Cache of cxx_unique_name(): the demangled names of the functions in names_of, sorted,
	 * with duplicates.
	 */
	const struct elf_file *names_of;
	size_t nnames;
	char **names;
	/*
	 * The same with parameter lists, once with and once without what follows the list
	 * ("const").
	 */
	size_t nfulls;
	char **fulls;
};

/* A file in which probes are looked for. */
struct target {
	struct probe_file *file;
	struct elf_file *elf;
	struct dwarf *dwarf;
	const char *no_dwarf; /* why there is no debug information; NULL if there is some */
	struct code *code;    /* read on first use: target_code() */
};

/*
 * Opens the file's ELF and DWARF. Returns 0, or -1 with *err; target_close() is to be called in
 * both cases. `file` must outlive the target.
 */
int target_open(struct target *t, struct probe_file *file, struct trawl_error *err);
void target_close(struct target *t);

/* The analysis of the file's code (flow.h). Never NULL; owned by the target. */
struct code *target_code(struct target *t);

/*
 * Appends a new probe of n sites, which the list owns. NULL with r->err if that exceeds the limit
 * or a signal is pending.
 */
struct probe *probe_add(struct resolve *r, enum probe_kind kind, struct target *t, size_t n);

/* True if both probes have the same kind, file, sites and exits, whatever they record. */
bool probe_same_place(const struct probe *a, const struct probe *b);

/* Fills in what follows from a site's address: symbol, source line, instruction. */
void probe_site_init(struct probe_site *site, struct target *t, uint64_t vaddr, uint64_t offset);

/* Demangles "SYMBOL[+OFFSET]": "shop::Cart::add+0x4". Frees symbol; returns malloc'd text. */
char *build_readable(char *symbol);

/*
 * Adds a field; the name is made a C identifier, cut and made unique as needed. Returns its number.
 */
size_t probe_add_arg(struct probe *p, const char *name, const char *type);

/* What an argument is at one site, as struct probe_arg_site has it. */
struct arg_at_site {
	const char *fetch, *type;
	const char *note; /* NULL: "" */
	const char *why;  /* the reason for a missing value; NULL: there is one */
	unsigned int bits; /* the value is a signed number of so many bits; 0: it is the field's */
};

/* Sets one argument at one site. The strings are copied. */
void probe_set_arg(struct probe *p, size_t site, size_t arg, const struct arg_at_site *is);

/* Sets it to a byte that is always 0, because the value is missing. */
void probe_set_missing(struct probe *p, size_t site, size_t arg, const char *note, const char *why);

/* Marks an argument that has no value at any site: appends "_na" to its name. */
void probe_arg_missing(struct probe *p, size_t arg);

/* True if tracefs accepts this name for a field. */
bool probe_arg_name_ok(const char *name);

/*
 * Adds the helper fields that show whether the arguments' memory could be read
 * (capture/cli/readable.h), in front of the arguments and after them. Returns 0, or -1 with r->err.
 */
int probe_add_checks(struct resolve *r, struct probe *p);

/*
 * Completes a probe: names the event, joins the fetch arguments of each site and checks the
 * kernel's limits. display: the wanted display name. Returns 0, or -1 with r->err.
 */
int probe_finish(struct resolve *r, struct probe *p, const char *display);

/* A user's ARG at a site. */
struct user_arg {
	const struct spec_arg *arg;
	const struct fetch_expr *e;
	const struct argloc *argloc; /* of the innermost operand, if that is a name or symbol */
	const char *fallback;       /* the type if the user gave none; "" for the kernel's own */
};

/*
 * Writes its fetch argument "EXPR[:TYPE]". Returns 0, or -1 with an r->err that shows the
 * position with a caret.
 */
int build_user_fetch(struct resolve *r, const struct user_arg *a, char *buf, size_t size);

/* Checks whether the user's ARG can become a field of this name. Returns 0, or -1 with r->err. */
int build_field_name(struct resolve *r, const struct probe *p, const struct spec_arg *arg,
		     const struct fetch_expr *e, const char *name);

/*
 * The type of a user's ARG: the user's own, else fallback, else the kernel's default. Valid as long
 * as the arguments.
 */
const char *build_user_type(const struct spec_arg *arg, const struct fetch_expr *e,
			    const char *fallback);

/* How values of a fetch argument's type are shown. */
enum probe_arg_show build_show(const char *type);

/* The offset of the ARG's innermost operand in the spec's text. */
size_t build_inner_at(const struct spec_arg *arg, const struct fetch_expr *e);

#endif
