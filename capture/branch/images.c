/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/branch/images.h"
#include "capture/branch/insn.h"
#include "capture/sys/alloc.h"
#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"
#include "common/search.h"

static struct image_process **place_of(struct images *im, pid_t pid)
{
	struct image_process **at = &im->processes[(unsigned int)pid % IMAGE_BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void clear(struct image_process *p)
{
	free(p->text);
	free(p->maps);
	p->text = NULL;
	p->maps = NULL;
	p->nmaps = p->last = 0;
}

void branch_images_free(struct images *im)
{
	for (size_t i = 0; i < IMAGE_BUCKETS; i++) {
		for (struct image_process *p = im->processes[i], *next; p; p = next) {
			next = p->next;
			clear(p);
			free(p);
		}
	}
	modules_free(im->modules);
	free(im->sites);
	free(im->ways);
	reader_starter_close(&im->starter);
	*im = (struct images){ 0 };
}

static bool is_program(pid_t pid, const struct module *m)
{
	char link[64], exe[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, exe, sizeof(exe));
	return m && n > 0 && (size_t)n == strlen(m->path) && !memcmp(exe, m->path, (size_t)n);
}

static void add_map(struct images *im, struct image_process *p, const char *line)
{
	const struct module *before;
	struct image_map m;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &m.start, &m.end, &m.offset) != 3)
		return;
	before = im->modules;
	m.uprobes = strstr(line, " [uprobes]") && strstr(line, " [uprobes]") < strchrnul(line, '\n');
	m.module = module_of(&im->modules, &im->starter, p->pid, line);
	if (im->modules != before && is_program(p->pid, m.module))
		module_want_all(m.module);
	xgrow(p->maps, p->nmaps);
	p->maps[p->nmaps++] = m;
}

static int write_maps(const struct image_process *p, struct trawl_writer *w,
		      struct trawl_error *err)
{
	char name[64];
	struct trawl_meta meta = { .name = name, .type = "text/plain", .time = p->time,
				   .data = p->text, .len = strlen(p->text) };

	snprintf(name, sizeof(name), BRANCH_MAPS_NAME "%d", p->pid);
	return trawl_writer_meta(w, &meta, err);
}

int branch_images_map(struct images *im, pid_t pid, const char *maps, uint64_t time,
	       struct trawl_writer *w, struct trawl_error *err)
{
	struct image_process **at = place_of(im, pid), *p = *at;

	if (!p) {
		p = *at = xcalloc(1, sizeof(*p));
		p->pid = pid;
	}
	clear(p);
	p->text = xstrdup(maps);
	p->time = time;
	p->mapping = ++im->mappings;
	for (const char *line = maps; *line; line += strcspn(line, "\n"), line += *line == '\n')
		add_map(im, p, line);
	return write_maps(p, w, err);
}

static const struct image_map *map_of(struct image_process *p, uint64_t address)
{
	for (size_t i = 0; p && i < p->nmaps; i++) {
		const struct image_map *m = &p->maps[(p->last + i) % p->nmaps];

		if (address >= m->start && address < m->end) {
			p->last = (size_t)(m - p->maps);
			return m;
		}
	}
	return NULL;
}

void branch_images_hit(struct images *im, pid_t pid, uint64_t address)
{
	const struct image_map *m = map_of(*place_of(im, pid), address);

	if (m && m->module)
		module_hit(m->module, address - m->start + m->offset);
}

bool branch_images_cut(struct images *im, pid_t pid, uint64_t target)
{
	struct image_process *p = im->cut ? *place_of(im, pid) : NULL;

	return p && p->nmaps && !map_of(p, target);
}

uint8_t branch_images_kind(struct images *im, pid_t pid, uint64_t address)
{
	struct image_process *p = *place_of(im, pid);
	size_t slot = (size_t)(address * 0x9E3779B97F4A7C15u >> 52);
	const struct image_map *m;

	if (!p)
		return BRANCH_UNKNOWN;
	if (im->kinds[slot].address != address || im->kinds[slot].process != p ||
	    im->kinds[slot].time != p->time) {
		m = map_of(p, address);
		im->kinds[slot].address = address;
		im->kinds[slot].process = p;
		im->kinds[slot].time = p->time;
		im->kinds[slot].kind = m && m->module ?
			module_insn(m->module, address - m->start + m->offset).kind :
			BRANCH_UNKNOWN;
	}
	return im->kinds[slot].kind;
}

/* ---- branches without a record --------------------------------------------------------- */

/*
 * Reads the file and offset of "p:GROUP/NAME PATH:0xOFFSET...". Returns false for any other line,
 * and if the file cannot be found.
 */
static bool site_of(const char *line, size_t len, struct session_site *site)
{
	char *text = xstrndup(line, len), *path = strchr(text, ' '), *colon = path;
	struct stat st;
	bool good;

	while (colon && (colon = strchr(colon + 1, ':')) && strncmp(colon, ":0x", 3))
		;
	good = colon && sscanf(colon, ":%" SCNx64, &site->offset) == 1;
	if (good) {
		*colon = '\0';
		good = strncmp(path + 1, "/proc/self/", 11) && !stat(path + 1, &st);
	}
	if (good) {
		site->inode = st.st_ino;
		site->major = major(st.st_dev);
		site->minor = minor(st.st_dev);
	}
	free(text);
	return good;
}

static int by_offset(const void *a, const void *b)
{
	const struct session_site *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void add_site(struct images *im, const struct session_site *site)
{
	xgrow(im->sites, im->nsites);
	im->sites[im->nsites++] = *site;
}

static void sort_sites(struct images *im)
{
	if (im->nsites)
		qsort(im->sites, im->nsites, sizeof(*im->sites), by_offset);
}

void branch_images_sites(struct images *im, const struct session_site *sites, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_site(im, &sites[i]);
	sort_sites(im);
}

void branch_images_probes(struct images *im, const char *definitions)
{
	struct session_site site;

	for (const char *line = definitions; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (site_of(line, len, &site))
			add_site(im, &site);
		line += len;
	}
	sort_sites(im);
}

/*
 * Whether a uprobe is at this offset. Some file systems (btrfs, overlayfs) have another device, of
 * major number 0, in /proc/PID/maps than in stat(); these are compared by inode only.
 */
static bool has_probe(const struct images *im, const struct module *m, uint64_t offset)
{
	unsigned int major, minor;
	uint64_t inode;

	if (!im->nsites || sscanf(m->key, "%x:%x:%" SCNu64, &major, &minor, &inode) != 3)
		return false;
	for (size_t i = partition_point(im->nsites, k, im->sites[k].offset < offset);
	     i < im->nsites && im->sites[i].offset == offset; i++) {
		const struct session_site *at = &im->sites[i];

		if (at->inode == inode && (!major || (at->major == major && at->minor == minor)))
			return true;
	}
	return false;
}

struct walk {
	const struct images *im;
	struct image_process *p;
	bool probed; /* passed a conditional jump that has a uprobe */
	bool far;    /* came to a far branch */
	bool lost;   /* came to code that is not known */
};

/*
 * Returns whether execution from `ip` reaches `to` without branches, except for at most `more`
 * direct ones, which the kernel may have emulated.
 */
static bool leads_to(struct walk *w, uint64_t ip, uint64_t to, unsigned int more)
{
	enum { STEPS = 1000 }; /* instructions between two branches */

	for (unsigned int i = 0; i < STEPS; i++) {
		const struct image_map *m;
		struct branch_insn insn = { 0 };
		uint64_t target, offset;

		if (ip == to)
			return true;
		m = map_of(w->p, ip);
		offset = m ? ip - m->start + m->offset : 0;
		if (m && m->module)
			insn = module_insn(m->module, offset);
		if (!insn.length) {
			w->lost = true;
			return false;
		}
		ip += insn.length;
		target = ip + (uint64_t)(int64_t)insn.distance;
		switch (insn.kind) {
		case BRANCH_UNKNOWN:
		case BRANCH_SYSCALL: /* the processor does not record it; execution continues after
				      * it */
			break;
		case BRANCH_JCC:
			w->probed |= has_probe(w->im, m->module, offset);
			if (more && leads_to(w, target, to, more - 1))
				return true;
			break;
		case BRANCH_JMP:
		case BRANCH_CALL:
			if (!more--)
				return false;
			ip = target;
			break;
		case BRANCH_FAR:
			w->far = true;
			return false;
		default:
			return false;
		}
	}
	w->lost = true;
	return false;
}

static bool in_uprobes(struct image_process *p, uint64_t address)
{
	const struct image_map *m = map_of(p, address);

	return m && m->uprobes;
}

static enum way find_way(const struct images *im, struct image_process *p, uint64_t from,
			 uint64_t to)
{
	enum { MOST = 2 };
	struct walk w = { .im = im, .p = p };
	bool lost;

	if (leads_to(&w, from, to, 0))
		return w.probed ? WAY_MISSING : WAY_OPEN;
	if (im->near_only && w.far)
		return WAY_MISSING;
	lost = w.lost;
	if (leads_to(&w, from, to, MOST) || in_uprobes(p, from) || in_uprobes(p, to))
		return WAY_MISSING;
	return lost ? WAY_OPEN : WAY_NONE;
}

enum way branch_images_way(struct images *im, pid_t pid, uint64_t from, uint64_t to)
{
	struct image_process *p = *place_of(im, pid);
	uint64_t hash = (from ^ to * 0x85EBCA77) * 0x9E3779B97F4A7C15u;
	struct image_way *way;

	if (!p)
		return WAY_OPEN;
	if (!im->ways)
		im->ways = xcalloc((size_t)1 << IMAGE_WAYS_BITS, sizeof(*im->ways));
	way = &im->ways[hash >> (64 - IMAGE_WAYS_BITS)];
	if (way->from != from || way->to != to || way->mapping != p->mapping)
		*way = (struct image_way){ .from = from, .to = to, .mapping = p->mapping,
					   .way = find_way(im, p, from, to) };
	return way->way;
}

int branch_images_write(struct images *im, bool later, struct trawl_writer *w,
			struct trawl_error *err)
{
	for (struct module *m = im->modules; m; m = m->next) {
		if (module_has_changed(m) && !later && module_write(m, false, w, err))
			return -1;
	}
	return 0;
}

int branch_images_write_all(struct images *im, struct trawl_writer *w, struct trawl_error *err)
{
	for (size_t i = 0; i < IMAGE_BUCKETS; i++) {
		for (struct image_process *p = im->processes[i]; p; p = p->next) {
			if (p->text && write_maps(p, w, err))
				return -1;
		}
	}
	for (struct module *m = im->modules; m; m = m->next) {
		if ((m->written || module_has_changed(m)) && module_write(m, true, w, err))
			return -1;
	}
	return 0;
}
