/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/branch/insn.h"
#include "capture/branch/module.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "common/branchrecord.h"
#include "common/json.h"
#include "common/regular.h"

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
	return sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64 " %n%4095[^\n]",
		      &l->start, &l->end, &l->major, &l->minor, &l->inode, &at, l->path) >= 5;
}

static bool is_it(int fd, const struct line *l)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == l->inode &&
	       (makedev(l->major, l->minor) == st.st_dev || !l->major);
}

/* Opens the file of a line at `path`, unless the path names another file by now. */
static int open_if_it(const char *path, const struct line *l)
{
	int fd = regular_open(path);

	if (fd < 0 || is_it(fd, l))
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens the file by its path, or, if that names another file, by /proc/PID/map_files (root only).
 */
static int open_file(pid_t pid, const struct line *l)
{
	char path[5000];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, l->path);
	fd = open_if_it(path, l);
	if (fd < 0)
		fd = open_if_it(l->path, l); /* the process may have ended */
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, l->start,
		 l->end);
	return open_if_it(path, l);
}

/* Returns the file's folder, malloc'd; NULL if the recorder sees another file at this path. */
static char *folder_of(const char *path, const struct line *l)
{
	const char *slash = strrchr(path, '/');
	int place = open(path, O_PATH | O_CLOEXEC);
	bool same = is_it(place, l);

	if (place >= 0)
		close(place);
	return same && slash ? xstrndup(path, (size_t)(slash - path)) : NULL;
}

static void fail(struct module *m, const char *why)
{
	reader_close(&m->reader);
	snprintf(m->why, sizeof(m->why), "%s", why);
}

static bool is_compat(int fd)
{
	Elf32_Ehdr e;

	return pread(fd, &e, sizeof(e), 0) == sizeof(e) && e.e_machine == EM_386;
}

static void open_symbols(struct module *m, struct reader_starter *starter, pid_t pid,
			 const struct line *l)
{
	const char *why;
	char *folder;

	m->fd = open_file(pid, l);
	if (m->fd < 0) {
		fail(m, m->deleted ? "the file was deleted" : "the file cannot be opened");
		return;
	}
	m->compat = is_compat(m->fd);
	folder = folder_of(m->path, l);
	why = reader_start(starter, m->fd, m->path, folder, &m->reader);
	free(folder);
	if (why)
		fail(m, why);
}

/* All 64-bit processes have the same vdso, so the recorder's own is read. */
static void open_vdso(struct module *m, struct reader_starter *starter, bool compat)
{
	const char *why;

	if (!compat)
		m->image = vdso_image(&m->image_size);
	why = m->image ? reader_start(starter, -1, m->path, NULL, &m->reader) :
	      compat   ? "trawl, a 64-bit program, cannot read that of 32-bit programs" :
			 "trawl itself has none";
	if (why)
		fail(m, why);
}

/* Writes the file's key in metadata. Returns false if the line is no mapping of a file. */
static bool key_of(const struct line *l, char *key, size_t size)
{
	bool vdso = !strcmp(l->path, "[vdso]");

	if (!vdso && (!l->inode || l->path[0] != '/'))
		return false;
	if (vdso)
		snprintf(key, size, l->end >> 32 ? "vdso" : "vdso32");
	else
		snprintf(key, size, "%02x:%02x:%" PRIu64, l->major, l->minor, l->inode);
	return true;
}

struct module *module_of(struct module **list, struct reader_starter *starter, pid_t pid,
			 const char *text)
{
	struct line l;
	struct module *m;
	char key[64];

	if (!parse(text, &l) || !key_of(&l, key, sizeof(key)))
		return NULL;
	for (m = *list; m; m = m->next) {
		if (!strcmp(m->key, key))
			return m;
	}
	m = xcalloc(1, sizeof(*m));
	memcpy(m->key, key, sizeof(key));
	m->fd = m->reader.socket = m->reader.opener = -1;
	if (strlen(l.path) > sizeof(deleted_suffix) &&
	    !strcmp(l.path + strlen(l.path) + 1 - sizeof(deleted_suffix), deleted_suffix)) {
		m->deleted = true;
		l.path[strlen(l.path) + 1 - sizeof(deleted_suffix)] = '\0';
	}
	m->path = xstrdup(l.path);
	if (l.path[0] == '[')
		open_vdso(m, starter, !(l.end >> 32));
	else
		open_symbols(m, starter, pid, &l);
	m->next = *list;
	*list = m;
	return m;
}

static void module_free(struct module *m)
{
	reader_close(&m->reader);
	if (m->fd >= 0)
		close(m->fd);
	findings_free(&m->found);
	free(m->segments);
	free(m->seen.slots);
	free(m->hits);
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

/* ---- answers of its reader ---------------------------------------------------------------- */

static bool is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool get_program(struct wire_in *in, struct module *m)
{
	char *why = wire_text(in, sizeof(m->why) - 1, wire_line);
	char *id = wire_need_text(in, sizeof(m->build_id) - 1, is_hex);
	size_t n = (size_t)wire_number(in, LOOKUP_SEGMENTS_MAX);

	for (size_t i = 0; i < n && !in->bad; i++) {
		struct module_segment s = { .offset = wire_number(in, UINT64_MAX),
					    .vaddr = wire_number(in, UINT64_MAX),
					    .filesz = wire_number(in, UINT64_MAX) };

		xgrow(m->segments, m->nsegments);
		m->segments[m->nsegments++] = s;
	}
	if (in->bad) {
		m->nsegments = 0;
	} else {
		snprintf(m->build_id, sizeof(m->build_id), "%s", id);
		snprintf(m->why, sizeof(m->why), "%s", why ? why : "");
	}
	free(why);
	free(id);
	return !in->bad;
}

static void request_lookup(struct module *m, enum lookup_request what, const uint64_t *offsets,
			   size_t n)
{
	struct wire_in in;
	char *bytes;
	const char *why = reader_request(&m->reader, what, offsets, n, &bytes, &in);
	bool good;

	if (!why) {
		good = what == LOOKUP_OPEN ? get_program(&in, m) : findings_get(&in, &m->found);
		if (!good || in.left)
			why = "the answer of the reader of its symbols is invalid or too long";
	}
	free(bytes);
	if (why)
		fail(m, why);
}

/* Asks the reader for the program's segments, once. Returns whether symbols can be read. */
static bool is_open(struct module *m)
{
	if (m->reader.socket < 0)
		return false;
	if (!m->open_requested)
		request_lookup(m, LOOKUP_OPEN, NULL, 0);
	m->open_requested = true;
	return m->reader.socket >= 0 && !*m->why;
}

static void resolve(struct module *m)
{
	bool open = is_open(m);

	if (m->whole && open)
		request_lookup(m, LOOKUP_ALL, NULL, 0);
	m->whole = false;
	for (size_t i = 0; i < m->nhits && open && m->reader.socket >= 0; i += LOOKUP_HITS_MAX) {
		size_t left = m->nhits - i;

		request_lookup(m, LOOKUP_HITS, m->hits + i,
			       left < LOOKUP_HITS_MAX ? left : LOOKUP_HITS_MAX);
	}
	m->nhits = 0;
}

/* ---- what was hit ------------------------------------------------------------------------ */

/* Reads up to n bytes of the file at `offset`, from the window if it has them. */
static size_t read_file(struct module *m, uint64_t offset, uint8_t *bytes, size_t n)
{
	uint64_t at = offset - m->window_at;

	if (offset < m->window_at || at > m->window_size || n > m->window_size - at) {
		ssize_t got = pread(m->fd, m->window, sizeof(m->window), (off_t)offset);

		m->window_at = offset;
		m->window_size = got > 0 ? (size_t)got : 0;
		at = 0;
	}
	n = n < m->window_size - at ? n : m->window_size - at;
	memcpy(bytes, m->window + at, n);
	return n;
}

static size_t read_code(struct module *m, uint64_t offset, uint64_t most, uint8_t *bytes,
			size_t n)
{
	n = n < most ? n : most;
	if (m->fd >= 0)
		return read_file(m, offset, bytes, n);
	if (!m->image || offset >= m->image_size)
		return 0;
	n = n < m->image_size - offset ? n : m->image_size - offset;
	memcpy(bytes, m->image + offset, n);
	return n;
}

struct branch_insn module_insn(struct module *m, uint64_t offset)
{
	uint8_t bytes[BRANCH_INSN_BYTES];

	for (size_t i = 0; is_open(m) && i < m->nsegments; i++) {
		uint64_t at = offset - m->segments[i].offset;

		if (offset >= m->segments[i].offset && at < m->segments[i].filesz)
			return branch_insn_decode(bytes,
						  read_code(m, offset, m->segments[i].filesz - at,
							    bytes, sizeof(bytes)),
						  m->compat);
	}
	return (struct branch_insn){ 0 };
}

void module_want_all(struct module *m)
{
	m->whole = true;
}

void module_hit(struct module *m, uint64_t offset)
{
	bool added;

	if (m->reader.socket < 0 || offset == UINT64_MAX)
		return;
	if (!hashset_add(&m->seen, offset + 1, &added))
		alloc_checked(NULL);
	if (!added)
		return;
	if (!array_reserve(m->hits, m->hits_room, m->nhits + 1))
		alloc_checked(NULL);
	m->hits[m->nhits++] = offset;
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

static void add_segments(struct json *j, const struct module *m)
{
	json_array(j, "segments");
	for (size_t i = 0; i < m->nsegments; i++)
		add_numbers(j, m->segments[i].offset, m->segments[i].vaddr, m->segments[i].filesz);
	json_end(j);
}

static void add_functions(struct json *j, const struct findings *m, size_t from)
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

static void add_files(struct json *j, const struct findings *m, size_t from)
{
	json_uint(j, "first_file", from);
	json_array(j, "files");
	for (size_t i = from; i < m->nfiles; i++)
		json_string(j, NULL, m->files[i]);
	json_end(j);
}

/* Rows are written as differences to the row before: small numbers compress better. */
static void add_lines(struct json *j, const struct findings *m, size_t from)
{
	struct found_line before = { 0 };

	json_array(j, "lines");
	for (size_t i = from; i < m->nlines; before = m->lines[i++]) {
		const struct found_line *l = &m->lines[i];

		json_int(j, NULL, (int64_t)(l->vaddr - before.vaddr));
		json_uint(j, NULL, 2ull * l->file);
		json_int(j, NULL, (int64_t)l->line - before.line);
	}
	json_end(j);
}

static void add_branches(struct json *j, const struct findings *m, size_t from)
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
	if (*m->why)
		json_string(j, "why", m->why);
	if (m->found.whole)
		json_bool(j, "whole", true);
	add_segments(j, m);
	add_functions(j, &m->found, all ? 0 : m->written_functions);
	add_files(j, &m->found, all ? 0 : m->written_files);
	add_lines(j, &m->found, all ? 0 : m->written_lines);
	add_branches(j, &m->found, all ? 0 : m->written_insns);
	json_end(j);
}

/* Whether the file needs it: code of it ran. Otherwise it is only mapped, as the vdso is always. */
static bool is_needed(const struct module *m)
{
	return m->seen.n || m->whole || *m->why;
}

bool module_has_changed(struct module *m)
{
	resolve(m);
	return (!m->written && is_needed(m)) || m->found.nfunctions != m->written_functions ||
	       m->found.ninsns != m->written_insns;
}

int module_write(struct module *m, bool all, struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_meta meta = { .type = "application/json", .time = mono_now() };
	struct json j = { 0 };
	char name[96];
	int r;

	resolve(m);
	compose(&j, m, all);
	snprintf(name, sizeof(name), BRANCH_MODULE_NAME "%s", m->key);
	meta.name = name;
	meta.data = j.text;
	meta.len = j.len;
	r = trawl_writer_meta(w, &meta, err);
	json_free(&j);
	m->written = true;
	m->written_files = m->found.nfiles;
	m->written_functions = m->found.nfunctions;
	m->written_lines = m->found.nlines;
	m->written_insns = m->found.ninsns;
	return r;
}
