/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/relocs.h"
#include "capture/sys/alloc.h"
#include "common/compare.h"
#include "common/search.h"

struct slot {
	uint64_t vaddr;
	const char *name; /* valid until elf_free() */
};

struct relocs {
	size_t nslots, npointers;
	struct slot *slots;  /* sorted by address */
	uint64_t *pointers;  /* sorted */
};

static const char *symbol_name(struct elf_file *f, const GElf_Shdr *symbols, Elf_Data *data,
			       size_t i)
{
	GElf_Sym sym;

	if (!data || !gelf_getsym(data, (int)i, &sym))
		return NULL;
	return elf_strptr(f->elf, symbols->sh_link, sym.st_name);
}

static void add_table(struct relocs *r, struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	GElf_Shdr symbols = { 0 };
	Elf_Scn *link = elf_getscn(f->elf, sh->sh_link);
	Elf_Data *names = link && gelf_getshdr(link, &symbols) ? elf_getdata(link, NULL) : NULL;

	for (size_t i = 0; i < n; i++) {
		GElf_Rela rela;
		unsigned int type;
		const char *name;

		if (!gelf_getrela(data, (int)i, &rela))
			return;
		type = GELF_R_TYPE(rela.r_info);
		if (type == R_X86_64_RELATIVE) {
			const struct elf_segment *seg =
				elf_segment_of(f, (uint64_t)rela.r_addend);

			if (!seg || !seg->exec)
				continue;
			xgrow(r->pointers, r->npointers);
			r->pointers[r->npointers++] = (uint64_t)rela.r_addend;
			continue;
		}
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		name = symbol_name(f, &symbols, names, GELF_R_SYM(rela.r_info));
		if (!name || !*name)
			continue;
		xgrow(r->slots, r->nslots);
		r->slots[r->nslots++] = (struct slot){ rela.r_offset, name };
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return compare_numbers(x->vaddr, y->vaddr);
}

struct relocs *relocs_open(struct elf_file *f)
{
	struct relocs *r = xcalloc(1, sizeof(*r));
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			add_table(r, f, scn, &sh);
	}
	if (r->nslots)
		qsort(r->slots, r->nslots, sizeof(*r->slots), compare_slots);
	if (r->npointers)
		qsort(r->pointers, r->npointers, sizeof(*r->pointers), by_number);
	return r;
}

void relocs_close(struct relocs *r)
{
	if (!r)
		return;
	free(r->slots);
	free(r->pointers);
	free(r);
}

const char *relocs_slot(const struct relocs *r, uint64_t vaddr)
{
	size_t at = partition_point(r->nslots, i, r->slots[i].vaddr < vaddr);

	return at < r->nslots && r->slots[at].vaddr == vaddr ? r->slots[at].name : NULL;
}

uint64_t relocs_pointer(const struct relocs *r, uint64_t start, uint64_t end, size_t i)
{
	size_t at = i + partition_point(r->npointers, k, r->pointers[k] < start);

	return at < r->npointers && r->pointers[at] < end ? r->pointers[at] : 0;
}
