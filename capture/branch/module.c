/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/branch/module.h"
#include "capture/branch/insn.h"
#include "capture/branch/plt.h"
#include "capture/probe/cxx.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"
#include "common/json.h"

enum {
	FUNCTION_MOST = 1 << 20, /* bytes of one */
	WHOLE_MOST = 1000,       /* functions of a program all of which are told */
};

static const char deleted_suffix[] = " (deleted)";

/* A line of /proc/PID/maps. */
struct line {
	uint64_t start, end;
	unsigned int major, minor;
	uint64_t inode;
	char path[4096];
};

static bool parse(const char *text, struct line *l)
{
	int at = 0;

	l->path[0] = '\0';
	return sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64 " %n%4095[^\n]", &l->start,
		      &l->end, &l->major, &l->minor, &l->inode, &at, l->path) >= 5;
}

static bool is_it(int fd, const struct line *l)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_ino == l->inode &&
	       (makedev(l->major, l->minor) == st.st_dev || !l->major);
}

/* By its path if that is the file still, else by what the process has of it (for root only). */
static int open_file(pid_t pid, const struct line *l)
{
	char path[5000];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, l->path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (is_it(fd, l))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = open(l->path, O_RDONLY | O_CLOEXEC | O_NOCTTY); /* the process may be gone */
	if (is_it(fd, l))
		return fd;
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, l->start, l->end);
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static void open_debug(struct module *m)
{
	const char *why;

	if (!m->elf)
		return;
	snprintf(m->build_id, sizeof(m->build_id), "%s", m->elf->build_id);
	m->dwarf = dwarf_open(m->elf, &why);
}

static void open_symbols(struct module *m, pid_t pid, const struct line *l)
{
	struct trawl_error err;

	m->fd = open_file(pid, l);
	if (m->fd < 0) {
		m->why = m->deleted ? "the file was deleted" : "the file cannot be opened";
		return;
	}
	m->elf = elf_open(m->fd, m->path, &err);
	if (!m->elf)
		m->why = "the file is no program or library of 64-bit x86";
	open_debug(m);
}

/* The kernel's own, the same in every process: ours will do. */
static void open_vdso(struct module *m, const struct line *l)
{
	char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* NOLINT: the kernel's address */
	struct trawl_error err;

	m->fd = -1;
	if (image)
		m->elf = elf_open_memory(image, l->end - l->start, "[vdso]", &err);
	if (!m->elf)
		m->why = "trawl itself has none";
	open_debug(m);
}

struct module *module_of(struct module **list, pid_t pid, const char *text)
{
	struct line l;
	struct module *m;
	char key[64];
	bool vdso;

	if (!parse(text, &l))
		return NULL;
	vdso = !strcmp(l.path, "[vdso]");
	if (!vdso && (!l.inode || l.path[0] != '/'))
		return NULL;
	snprintf(key, sizeof(key), "%02x:%02x:%" PRIu64, l.major, l.minor, l.inode);
	if (vdso)
		snprintf(key, sizeof(key), "vdso");
	for (m = *list; m; m = m->next) {
		if (!strcmp(m->key, key))
			return m;
	}
	m = xcalloc(1, sizeof(*m));
	memcpy(m->key, key, sizeof(key));
	if (strlen(l.path) > sizeof(deleted_suffix) &&
	    !strcmp(l.path + strlen(l.path) + 1 - sizeof(deleted_suffix), deleted_suffix)) {
		m->deleted = true;
		l.path[strlen(l.path) + 1 - sizeof(deleted_suffix)] = '\0';
	}
	m->path = xstrdup(l.path);
	if (vdso)
		open_vdso(m, &l);
	else
		open_symbols(m, pid, &l);
	m->next = *list;
	*list = m;
	return m;
}

static void module_free(struct module *m)
{
	if (m->dwarf)
		dwarf_close(m->dwarf);
	if (m->elf)
		elf_free(m->elf);
	if (m->fd >= 0)
		close(m->fd);
	for (size_t i = 0; i < m->nfiles; i++)
		free(m->files[i]);
	for (size_t i = 0; i < m->nfunctions; i++)
		free(m->functions[i].name);
	free(m->files);
	free(m->functions);
	free(m->lines);
	free(m->insns);
	free(m->seen);
	free(m->path);
	free(m);
}

void modules_free(struct module *list)
{
	for (struct module *next; list; list = next) {
		next = list->next;
		module_free(list);
	}
}

/* ---- what was hit ------------------------------------------------------------------------ */

static uint64_t *slot_of(const struct module *m, uint64_t value)
{
	size_t at = (size_t)(value * 0x9E3779B97F4A7C15u >> 20) & (m->room - 1);

	while (m->seen[at] && m->seen[at] != value)
		at = (at + 1) & (m->room - 1);
	return &m->seen[at];
}

static void enlarge(struct module *m)
{
	uint64_t *old = m->seen;
	size_t n = m->room;

	m->room = n ? 2 * n : 256;
	m->seen = xcalloc(m->room, sizeof(*m->seen));
	for (size_t i = 0; i < n; i++) {
		if (old[i])
			*slot_of(m, old[i]) = old[i];
	}
	free(old);
}

/* True the first time. Values are not 0. */
static bool is_new(struct module *m, uint64_t value)
{
	uint64_t *slot;

	if (4 * m->nseen >= 3 * m->room)
		enlarge(m);
	slot = slot_of(m, value);
	if (*slot)
		return false;
	*slot = value;
	m->nseen++;
	return true;
}

static uint32_t file_number(struct module *m, const char *file)
{
	for (size_t i = m->nfiles; i--;) {
		if (!strcmp(m->files[i], file))
			return (uint32_t)i;
	}
	xgrow(m->files, m->nfiles);
	m->files[m->nfiles] = xstrdup(file);
	return (uint32_t)m->nfiles++;
}

static void add_row(void *arg, const struct dwarf_row *row)
{
	struct module *m = arg;
	struct module_line l = { .vaddr = row->vaddr, .line = row->line,
				 .statement = row->statement };

	if (row->line)
		l.file = file_number(m, row->file);
	xgrow(m->lines, m->nlines);
	m->lines[m->nlines++] = l;
}

static void add_insn(struct module *m, uint64_t vaddr, const struct branch_insn *insn)
{
	xgrow(m->insns, m->ninsns);
	m->insns[m->ninsns++] = (struct module_insn){ vaddr, insn->length, insn->kind };
}

/* The branching instructions of a stretch of code. */
static void add_insns(struct module *m, uint64_t from, uint64_t to)
{
	uint8_t bytes[BRANCH_INSN_BYTES];
	struct branch_insn insn;
	size_t n;

	for (uint64_t at = from; at < to; at += insn.length) {
		n = elf_read(m->elf, at, bytes, sizeof(bytes));
		insn = branch_insn_decode(bytes, n, false);
		if (!insn.length)
			return;
		if (insn.kind != BRANCH_UNKNOWN)
			add_insn(m, at, &insn);
	}
}

/* Where the section ends that holds this address. */
static uint64_t section_end(const struct module *m, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(m->elf->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR && vaddr >= sh.sh_addr &&
		    vaddr - sh.sh_addr < sh.sh_size)
			return sh.sh_addr + sh.sh_size;
	}
	return vaddr;
}

/* A symbol without a size reaches to the next one, and not beyond its section. */
static uint64_t size_of(struct module *m, const struct elf_symbol *s)
{
	uint64_t end = section_end(m, s->vaddr);
	const struct elf_symbol *next = elf_symbol_between(m->elf, s->vaddr, end);

	if (s->size)
		return s->size;
	return (next ? next->vaddr : end) - s->vaddr;
}

/* As it is written in C++, without the parameters. */
static char *readable(const char *symbol)
{
	struct cxx_name n;
	char *name;

	if (!cxx_demangle(symbol, &n))
		return xstrdup(symbol);
	name = xstrdup(n.name);
	cxx_free(&n);
	return name;
}

/* A function, with its lines and branches, if it is new. Takes the name. */
static void add_function(struct module *m, char *name, uint64_t vaddr, uint64_t size)
{
	/* Functions and addresses share the set: those have the highest bit. */
	if (!is_new(m, vaddr | 1ull << 63)) {
		free(name);
		return;
	}
	xgrow(m->functions, m->nfunctions);
	m->functions[m->nfunctions++] = (struct module_function){ vaddr, size, name };
	add_insns(m, vaddr, vaddr + (size < FUNCTION_MOST ? size : FUNCTION_MOST));
	if (m->dwarf)
		dwarf_rows(m->dwarf, vaddr, vaddr + size, add_row, m);
}

static void add_stub(struct module *m, uint64_t vaddr)
{
	uint64_t start;
	const char *symbol = plt_name(m->elf, vaddr, &start);
	char *name, *stub;

	if (!symbol) {
		add_insns(m, vaddr, vaddr + 1);
		return;
	}
	name = readable(symbol);
	stub = xasprintf("%s@plt", name);
	free(name);
	add_function(m, stub, start, PLT_ENTRY);
}

uint8_t module_kind(const struct module *m, uint64_t offset)
{
	uint8_t bytes[BRANCH_INSN_BYTES];
	uint64_t vaddr;

	if (!m->elf || !elf_vaddr(m->elf, offset, &vaddr))
		return BRANCH_UNKNOWN;
	return branch_insn_decode(bytes, elf_read(m->elf, vaddr, bytes, sizeof(bytes)), false).kind;
}

/*
 * What did not run matters, too, where somebody asks what of the program was covered: of a program
 * that is not large, all functions with debug information are told.
 */
void module_tell_all(struct module *m)
{
	char *file;
	unsigned int line;

	if (!m->elf || !m->dwarf)
		return;
	elf_read_symbols(m->elf);
	if (m->elf->nsymbols > WHOLE_MOST)
		return;
	for (size_t i = 0; i < m->elf->nsymbols; i++) {
		const struct elf_symbol *s = &m->elf->symbols[i];

		if (!s->function || !s->size || !dwarf_line_at(m->dwarf, s->vaddr, &file, &line))
			continue;
		free(file);
		add_function(m, readable(s->name), s->vaddr, s->size);
	}
}

void module_hit(struct module *m, uint64_t offset)
{
	const struct elf_symbol *s;
	uint64_t vaddr;

	if (!m->elf || !elf_vaddr(m->elf, offset, &vaddr) || !vaddr || !is_new(m, vaddr))
		return;
	s = elf_function_at(m->elf, vaddr);
	if (s && vaddr - s->vaddr < size_of(m, s))
		add_function(m, readable(s->name), s->vaddr, size_of(m, s));
	else
		add_stub(m, vaddr);
}

/* ---- metadata ---------------------------------------------------------------------------- */

static void add_numbers(struct json *j, uint64_t a, uint64_t b, uint64_t c)
{
	json_array(j, NULL);
	json_uint(j, NULL, a);
	json_uint(j, NULL, b);
	json_uint(j, NULL, c);
	json_end(j);
}

static void add_segments(struct json *j, const struct elf_file *f)
{
	json_array(j, "segments");
	for (size_t i = 0; f && i < f->nsegments; i++) {
		if (f->segments[i].exec)
			add_numbers(j, f->segments[i].offset, f->segments[i].vaddr,
				    f->segments[i].filesz);
	}
	json_end(j);
}

static void add_functions(struct json *j, const struct module *m, size_t from)
{
	json_array(j, "functions");
	for (size_t i = from; i < m->nfunctions; i++) {
		json_array(j, NULL);
		json_uint(j, NULL, m->functions[i].vaddr);
		json_uint(j, NULL, m->functions[i].size);
		json_string(j, NULL, m->functions[i].name);
		json_end(j);
	}
	json_end(j);
}

static void add_files(struct json *j, const struct module *m, size_t from)
{
	json_uint(j, "first_file", from);
	json_array(j, "files");
	for (size_t i = from; i < m->nfiles; i++)
		json_string(j, NULL, m->files[i]);
	json_end(j);
}

/* Numbers beside those of the row before: small ones. */
static void add_lines(struct json *j, const struct module *m, size_t from)
{
	struct module_line before = { 0 };

	json_array(j, "lines");
	for (size_t i = from; i < m->nlines; before = m->lines[i++]) {
		const struct module_line *l = &m->lines[i];

		json_int(j, NULL, (int64_t)(l->vaddr - before.vaddr));
		json_uint(j, NULL, 2ull * l->file + l->statement);
		json_int(j, NULL, (int64_t)l->line - before.line);
	}
	json_end(j);
}

static void add_branches(struct json *j, const struct module *m, size_t from)
{
	uint64_t before = 0;

	json_array(j, "branches");
	for (size_t i = from; i < m->ninsns; before = m->insns[i++].vaddr) {
		json_int(j, NULL, (int64_t)(m->insns[i].vaddr - before));
		json_uint(j, NULL, 16u * m->insns[i].kind + m->insns[i].length);
	}
	json_end(j);
}

static void compose(struct json *j, const struct module *m, bool all)
{
	json_object(j, NULL);
	json_string(j, "path", m->path);
	json_string(j, "build_id", m->build_id);
	if (m->deleted)
		json_bool(j, "deleted", true);
	if (m->why)
		json_string(j, "why", m->why);
	add_segments(j, m->elf);
	add_functions(j, m, all ? 0 : m->told_functions);
	add_files(j, m, all ? 0 : m->told_files);
	add_lines(j, m, all ? 0 : m->told_lines);
	add_branches(j, m, all ? 0 : m->told_insns);
	json_end(j);
}

bool module_has_news(const struct module *m)
{
	return !m->told || m->nfunctions != m->told_functions || m->ninsns != m->told_insns;
}

int module_write(struct module *m, bool all, struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_meta meta = { .type = "application/json", .time = mono_now() };
	struct json j = { 0 };
	char name[96];
	int r;

	compose(&j, m, all);
	snprintf(name, sizeof(name), BRANCH_MODULE_NAME "%s", m->key);
	meta.name = name;
	meta.data = j.text;
	meta.len = j.len;
	r = trawl_writer_meta(w, &meta, err);
	json_free(&j);
	m->told = true;
	m->told_files = m->nfiles;
	m->told_functions = m->nfunctions;
	m->told_lines = m->nlines;
	m->told_insns = m->ninsns;
	return r;
}
