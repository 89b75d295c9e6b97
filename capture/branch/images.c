/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/branch/images.h"
#include "capture/sys/alloc.h"
#include "common/array.h"
#include "common/branch.h"
#include "common/branchrecord.h"

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
	m.module = module_of(&im->modules, &im->starter, p->pid, line);
	if (im->modules != before && is_program(p->pid, m.module))
		module_tell_all(m.module);
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
			module_kind(m->module, address - m->start + m->offset) : BRANCH_UNKNOWN;
	}
	return im->kinds[slot].kind;
}

int branch_images_write(struct images *im, bool whole, struct trawl_writer *w,
			struct trawl_error *err)
{
	for (struct module *m = im->modules; m; m = m->next) {
		if (module_has_news(m) && module_write(m, whole, w, err))
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
		if (module_write(m, true, w, err))
			return -1;
	}
	return 0;
}
