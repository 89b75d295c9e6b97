/* SPDX-License-Identifier: MIT */
/* Everything that a list of probes says, as text. */
#ifndef TRAWL_TESTS_CAPTURE_PROBE_SHOWALL_H
#define TRAWL_TESTS_CAPTURE_PROBE_SHOWALL_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/probe/probe.h"

static inline void show_values(FILE *to, const struct value_names *v)
{
	if (!v)
		return;
	fprintf(to, "  values signed=%d otherwise=%s", v->is_signed,
		v->otherwise ? v->otherwise : "-");
	for (size_t i = 0; i < v->n; i++)
		fprintf(to, " %" PRIu64 "=%s", v->names[i].value, v->names[i].name);
	fputc('\n', to);
}

static inline void show_arg(FILE *to, const struct probe_arg *a)
{
	fprintf(to, " arg %s label=%s %s '%s' show=%d followed=%d helper=%d only=%zu:%s spent=%d "
		"counted=%d:%zu:%zu check=%d:%zu:%d\n", a->name, a->label ? a->label : "-",
		a->type, a->ctype, a->show, a->followed, a->helper, a->only_of,
		a->only_if ? a->only_if : "-", a->spent, a->counted, a->pointer, a->length,
		a->check, a->of, a->zeroed);
	show_values(to, a->values);
}

static inline void show_arg_site(FILE *to, const struct probe_arg_site *a)
{
	fprintf(to, "  '%s' '%s' '%s' %s %d bits=%u", a->note, a->fetch, a->why, a->type, a->state,
		a->bits);
	if (a->state == PROBE_ARG_COMPUTED && !a->bits)
		fprintf(to, " sib %s %s %s %d %" PRId64 " %" PRId64 " %u", a->sib.base, a->sib.index,
			a->sib.window, a->sib.scale, a->sib.disp, a->sib.start, a->sib.length);
	fputc('\n', to);
}

static inline void show_site(FILE *to, const struct probe *p, size_t n)
{
	const struct probe_site *s = &p->sites[n];
	char line[PROBE_DEFINITION_MAX + 1];
	struct trawl_error err = {0};

	fprintf(to, " site 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %s %s:%u", s->offset,
		s->vaddr, s->ref_ctr, s->semaphore, s->symbol, s->file, s->line);
	fprintf(to, " exit=%s to=%s insn=%s\n", s->exit, s->to, s->insn);
	for (size_t i = 0; i < p->nargs; i++)
		show_arg_site(to, &s->args[i]);
	fputs(probe_definition(p, n, "g", line, sizeof(line), &err) ? err.text : line, to);
}

static inline void show_probe(FILE *to, const struct probe *p)
{
	char *json = probe_meta_json(p);

	fprintf(to, "probe %d %s %s '%s' '%s' matched=%d conditions=0x%x covered=%d note='%s' "
		"alone=%s\n", p->kind, p->display_name, p->event, p->provider, p->name, p->matched,
		p->conditions, p->covered, p->note, p->alone ? p->alone : "-");
	for (size_t i = 0; i < p->nargs; i++)
		show_arg(to, &p->args[i]);
	for (size_t i = 0; i < p->nsites; i++)
		show_site(to, p, i);
	fprintf(to, "%s\n", json);
	free(json);
}

/* Without what differs from run to run: descriptors, devices and inodes, which are set to 0. */
static inline void show_list(FILE *to, const struct probe_list *list)
{
	int fds[8];

	for (size_t i = 0; i < list->nfiles; i++) {
		struct probe_file *f = list->files[i];

		fds[i % 8] = f->fd;
		f->fd = 0;
		f->inode = f->major = f->minor = 0;
		fprintf(to, "file %s given=%s %s size=%" PRIu64 " deleted=%d refs=%u\n", f->path,
			f->given ? f->given : "-", f->build_id ? f->build_id : "-", f->size,
			f->deleted, f->refs);
	}
	for (size_t i = 0; i < list->n; i++)
		show_probe(to, list->probes[i]);
	for (size_t i = 0; i < list->nnotes; i++)
		fprintf(to, "note %s\n", list->notes[i]);
	for (size_t i = 0; i < list->nfiles; i++)
		list->files[i]->fd = fds[i % 8];
}

#endif
