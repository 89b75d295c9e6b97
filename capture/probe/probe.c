/* SPDX-License-Identifier: MIT */
/*
 * Resolves a spec: opens the files that it names, finds the probes in them, and removes probes that
 * the list has already.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "capture/probe/apart.h"
#include "capture/probe/build.h"
#include "capture/probe/gosymbols.h"
#include "capture/probe/list.h"
#include "capture/probe/passed.h"
#include "capture/probe/probe.h"
#include "capture/probe/procmap.h"
#include "capture/probe/resolve.h"
#include "capture/sys/alloc.h"
#include "capture/sys/path.h"
#include "common/regular.h"

/* ---- files ---------------------------------------------------------------------------------- */

static int no_such_file(const struct spec *spec, struct trawl_error *err)
{
	if (strchr(spec->path, '/') && access(spec->path, F_OK) == 0)
		return spec_fail(spec, spec->path_at, err,
				 "%s: not a regular file; give a program or a library",
				 spec->path);
	if (strchr(spec->path, '/'))
		return spec_fail(spec, spec->path_at, err, "%s: no such file", spec->path);
	return spec_fail(spec, spec->path_at, err, "%s: no such program in $PATH and no such "
			 "library where ld.so looks; give a path with a '/'", spec->path);
}

static struct probe_file *open_path(const struct spec *spec, struct probe_list *list,
				    struct trawl_error *err)
{
	char *path = path_find(spec->path);
	struct probe_file *file = NULL;
	int fd;

	if (!path) {
		no_such_file(spec, err);
		return NULL;
	}
	fd = regular_open(path);
	if (fd < 0 && errno == EBADF)
		trawl_fail(err, TRAWL_USAGE, "%s: not a regular file; give a program or a library",
			   path);
	else if (fd < 0)
		trawl_fail(err, TRAWL_CANNOT, "%s: %s%s", path, strerror(errno),
			   errno == EACCES ? "; run as root" : "");
	else
		file = probe_list_file(list, fd, path, false, err);
	free(path);
	return file;
}

/* The files in which one spec is resolved. */
struct inputs {
	const struct spec *spec;
	size_t limit;
	struct probe_file **files; /* owned by the list */
	size_t n;
	size_t missed; /* mapped files of the process that could not be opened */
};

/* ---- resolving ------------------------------------------------------------------------------- */

/*
 * Symbols and notes are found through the section headers, which are at the end of most files and
 * so missing from a truncated one.
 */
static void hint_if_cut(struct resolve *r, const struct elf_file *elf)
{
	if (elf->header.e_shoff < elf->size)
		return;
	free(r->hint);
	r->hint = xasprintf("%s: is cut: its section headers should be at byte %" PRIu64
			    ", but it has %" PRIu64 " bytes", r->spec->path,
			    (uint64_t)elf->header.e_shoff, elf->size);
}

static int resolve_in(struct resolve *r, struct probe_file *file, bool must)
{
	size_t passed = r->npassed;
	struct target t;
	int ret = 0;

	if (target_open(&t, file, r->err) < 0)
		ret = must ? -1 : 0;
	else if (r->spec->kind == SPEC_UPROBE)
		ret = resolve_uprobe(r, &t);
	else
		ret = resolve_usdt(r, &t);
	if (ret == 0 && r->list->n == r->before && r->npassed == passed && *r->spec->symbol &&
	    !r->hint)
		ret = resolve_cxx(r, &t);
	if (ret == 0 && must && r->list->n == r->before) {
		r->stripped = t.elf && elf_stripped(t.elf) && !gosymbols_is_go(t.elf);
		hint_if_cut(r, t.elf);
	}
	target_close(&t);
	return ret;
}

/* Adds the files that spec names to the list and to *in. */
static int open_files(const struct spec *spec, struct probe_list *list, struct inputs *in,
		      struct trawl_error *err)
{
	struct mapped_file *files;
	size_t n;

	if (!spec->pid) {
		xgrow(in->files, in->n);
		in->files[in->n] = open_path(spec, list, err);
		return in->files[in->n++] ? 0 : -1;
	}
	if (procmap_open(spec->pid, &files, &n, &in->missed, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct trawl_error ignored;
		struct probe_file *file = probe_list_file(list, files[i].fd, files[i].path,
							  files[i].deleted, &ignored);

		files[i].fd = -1;
		if (!file)
			continue;
		xgrow(in->files, in->n);
		in->files[in->n++] = file;
	}
	procmap_free(files, n);
	return 0;
}

static int resolve_files(struct resolve *r, const struct inputs *in)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < in->n; i++)
		ret = resolve_in(r, in->files[i], !r->spec->pid);
	if (ret == 0 && r->list->n == r->before && !r->npassed && in->missed)
		return trawl_fail(r->err, TRAWL_CANNOT,
				  "process %d: %zu of its mapped files cannot "
				  "be opened; run as root",
				  r->spec->pid, in->missed);
	return ret;
}

static int nothing_found(struct resolve *r)
{
	const struct spec *spec = r->spec;
	char hint[320], where[64];

	if (r->hint)
		return spec_fail(spec, spec->symbol_at, r->err, "%s", r->hint);
	nearest_hint(&r->near, hint, sizeof(hint));
	snprintf(where, sizeof(where), "process %d", spec->pid);
	if (spec->kind == SPEC_UPROBE)
		return spec_fail(spec, spec->symbol_at, r->err, "%s: no such symbol in %s%s%s",
				 spec->symbol, spec->path, hint, r->stripped ?
				 "; it is stripped, only what it exports has a name; write "
				 "PATH:0xOFFSET or install its debug symbols" : "");
	return spec_fail(spec, spec->symbol_at, r->err, "%s%s%s: no such probe in %s%s",
			 strcmp(spec->provider, "*") ? spec->provider : "",
			 strcmp(spec->provider, "*") ? ":" : "", spec->name,
			 spec->pid ? where : spec->path, hint);
}

/*
 * True if the list has the new probe already: at the same place with the same arguments; or the new
 * one was matched by a pattern and the old one named by its spec.
 */
static bool same_probe(const struct probe *old, const struct probe *new)
{
	if (!probe_same_place(old, new))
		return false;
	if (new->matched && !old->matched)
		return true;
	for (size_t i = 0; i < old->nsites; i++)
		if (strcmp(old->sites[i].fetchargs, new->sites[i].fetchargs))
			return false;
	return true;
}

/* Removes the earlier probes that the new ones replace; drop false: only clears their marks. */
static void drop_covered(struct resolve *r, bool drop)
{
	struct probe_list *list = r->list;
	size_t kept = 0, gone;

	for (size_t i = 0; i < list->n; i++) {
		struct probe *p = list->probes[i];

		if (drop && p->covered)
			probe_free(p);
		else
			list->probes[kept++] = p;
	}
	gone = list->n - kept;
	list->n = kept;
	r->before -= gone;
	for (size_t i = 0; i < kept; i++)
		list->probes[i]->covered = false;
}

/* Removes those of the new probes that an earlier spec added already, with a remark. */
static void drop_twice(struct resolve *r)
{
	struct probe_list *list = r->list;
	size_t kept = r->before, all = list->n - r->before, twice;
	const char *one = NULL;

	for (size_t i = r->before; i < list->n; i++) {
		struct probe *p = list->probes[i];
		size_t k = 0;

		while (k < r->before && !same_probe(list->probes[k], p))
			k++;
		if (k == r->before) {
			list->probes[kept++] = p;
			continue;
		}
		one = list->probes[k]->display_name;
		probe_free(p);
	}
	twice = list->n - kept;
	list->n = kept;
	if (twice && twice == all)
		probe_remark(list, xasprintf("%s: given twice: recorded once", r->spec->text));
	else if (twice)
		probe_remark(list, xasprintf("%s: %zu of its %zu probes, %s for one, asked for "
					     "before: recorded once", r->spec->text, twice, all,
					     one));
}

/* The part that parses foreign files and so runs in the confined process. */
static int resolve_all(void *arg, struct probe_list *list, struct trawl_error *err)
{
	const struct inputs *in = arg;
	const struct spec *spec = in->spec;
	struct resolve r = { .spec = spec, .list = list, .before = list->n, .err = err,
			     .limit = in->limit ? in->limit : PROBE_GLOB_LIMIT };
	char wanted[256];
	int ret;

	snprintf(wanted, sizeof(wanted), "%s",
		 spec->kind == SPEC_UPROBE ? spec->symbol : spec->name);
	r.near.wanted = wanted;
	r.named = *spec->own;
	ret = resolve_files(&r, in);
	if (ret == 0)
		ret = passed_report(&r);
	if (ret == 0 && list->n == r.before)
		ret = nothing_found(&r);
	drop_covered(&r, ret == 0);
	/* A name given by the user makes it a separate event. */
	if (ret == 0 && !*spec->own)
		drop_twice(&r);
	if (ret < 0)
		probe_drop(list, r.before);
	nearest_free(&r.near);
	cxx_forget_names(&r);
	taken_free(&r.taken);
	passed_free(&r);
	free(r.hint);
	return ret;
}

static int resolve(const struct spec *spec, size_t limit, bool here, struct probe_list *list,
		   struct trawl_error *err)
{
	struct inputs in = { .spec = spec, .limit = limit };
	int ret;

	if (spec->kind != SPEC_UPROBE && spec->kind != SPEC_USDT)
		return spec_fail(spec, 0, err, "%s: not a probe in a program",
				 spec_kind_name(spec->kind));
	ret = open_files(spec, list, &in, err);
	if (ret == 0)
		ret = here || !in.n ? resolve_all(&in, list, err) :
		      apart_run(resolve_all, &in, spec->pid ? spec->text : spec->path, list, err);
	probe_list_shrink(list, list->n);
	free(in.files);
	return ret;
}

int probe_resolve(const struct spec *spec, size_t limit, struct probe_list *list,
		  struct trawl_error *err)
{
	return resolve(spec, limit, false, list, err);
}

int probe_resolve_here(const struct spec *spec, size_t limit, struct probe_list *list,
		       struct trawl_error *err)
{
	return resolve(spec, limit, true, list, err);
}
