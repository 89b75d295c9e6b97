/* SPDX-License-Identifier: MIT */
/*
 * The table begins with a header:
 *
 *	u32 magic, u8 pad[2], u8 pc_quantum, u8 pointer_size,
 *	u64 functions, u64 files, u64 text_start (from Go 1.18 on), u64 names, u64 units,
 *	u64 file_names, u64 pc_tables, u64 entries
 *
 * `names` and `entries` are offsets from the header. An entry is an address, which Go from 1.18 on
 * counts from text_start, and an offset from `entries` to the function's description, which begins
 * with the address again and the offset of the name from `names`. The last entry is an address
 * alone, the end of the last function. Numbers of entries are pointers, from Go 1.18 on u32.
 */
#include "config.h"

#include <string.h>

#include "capture/probe/gosymbols.h"
#include "capture/sys/alloc.h"
#include "common/array.h"

enum {
	MAGIC_1_16 = 0xfffffffa, MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1,
	POINTER = 8,
};

struct table {
	const char *bytes;
	uint64_t size;
	uint64_t functions, text_start, names, entries;
	unsigned int width; /* of a number of an entry, in bytes */
};

bool gosymbols_is_go(struct elf_file *f)
{
	static const char *const sections[] = {
		".gopclntab", ".data.rel.ro.gopclntab", ".note.go.buildid", ".go.buildinfo",
	};
	GElf_Shdr sh;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (elf_section(f->elf, sections[i], &sh))
			return true;
	return false;
}

/* Reads a number of `width` bytes; false if it is not in the table. */
static bool number(const struct table *t, uint64_t at, unsigned int width, uint64_t *value)
{
	*value = 0;
	if (at > t->size || t->size - at < width)
		return false;
	memcpy(value, t->bytes + at, width);
	return true;
}

/* What a relocation without a symbol writes at vaddr; 0 if there is none. */
static uint64_t relocated(struct elf_file *f, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn))) {
		Elf_Data *data;
		GElf_Rela rela;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == vaddr &&
			    GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE)
				return (uint64_t)rela.r_addend;
	}
	return 0;
}

/* Reads the header. False if it is not one that is known. */
static bool header_of(struct table *t, struct elf_file *f, uint64_t vaddr)
{
	enum { FUNCTIONS = 8, TEXT_START = 24, OFFSETS = 24 };
	uint64_t magic, quantum_and_pointer, offsets = OFFSETS;

	if (!number(t, 0, 4, &magic) || !number(t, 6, 2, &quantum_and_pointer) ||
	    quantum_and_pointer != (POINTER << 8 | 1) || !number(t, FUNCTIONS, 8, &t->functions))
		return false;
	t->width = POINTER;
	if (magic == MAGIC_1_18 || magic == MAGIC_1_20) {
		if (!number(t, TEXT_START, 8, &t->text_start))
			return false;
		if (!t->text_start)
			t->text_start = relocated(f, vaddr + TEXT_START);
		if (!t->text_start)
			return false;
		offsets += 8;
		t->width = 4;
	} else if (magic != MAGIC_1_16) {
		return false;
	}
	return number(t, offsets, 8, &t->names) && number(t, offsets + 32, 8, &t->entries) &&
	       t->names <= t->size && t->entries <= t->size &&
	       t->functions < (t->size - t->entries) / (2 * t->width);
}

/* The function's name, which ends in the table; NULL if it has none. */
static const char *name_of(const struct table *t, uint64_t description)
{
	uint64_t name;

	if (description > t->size - t->entries ||
	    !number(t, t->entries + description + t->width, 4, &name) ||
	    name >= t->size - t->names)
		return NULL;
	name += t->names;
	if (!t->bytes[name] || !memchr(t->bytes + name, 0, t->size - name))
		return NULL;
	return t->bytes + name;
}

/* The length of a function without the padding behind it. */
static uint64_t length_of(const struct elf_file *f, uint64_t start, uint64_t next)
{
	enum { INT3 = 0xcc, ALIGNMENT = 32 };
	unsigned char end[ALIGNMENT];
	uint64_t n = next - start < sizeof(end) ? next - start : sizeof(end);

	if (elf_read(f, next - n, end, n) != n)
		return next - start;
	while (n > 1 && end[n - 1] == INT3) {
		n--;
		next--;
	}
	return next - start;
}

static void add_function(struct elf_file *f, const struct table *t, uint64_t i)
{
	uint64_t start, next, description, at = t->entries + i * 2 * t->width;
	const struct elf_segment *seg;
	const char *name;

	if (!number(t, at, t->width, &start) ||
	    !number(t, at + t->width, t->width, &description) ||
	    !number(t, at + (uint64_t)2 * t->width, t->width, &next))
		return;
	start += t->text_start;
	next += t->text_start;
	seg = elf_segment_of(f, start);
	name = name_of(t, description);
	if (!name || !seg || !seg->exec || next <= start || next - seg->vaddr > seg->memsz)
		return;
	xgrow(f->symbols, f->nsymbols);
	f->symbols[f->nsymbols] = (struct elf_symbol){
		.name = name, .vaddr = start, .size = length_of(f, start, next),
		.order = (uint32_t)f->nsymbols, .function = true, .global = true,
	};
	f->nsymbols++;
}

/* Finds the table in a section; it may be at each multiple of `step` bytes. */
static bool table_in(struct table *t, struct elf_file *f, const char *section, uint64_t step)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_section(f->elf, section, &sh);
	Elf_Data *data = scn && sh.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;

	for (uint64_t at = 0; data && data->d_buf && at < data->d_size; at += step) {
		*t = (struct table){ .bytes = (const char *)data->d_buf + at,
				     .size = data->d_size - at };
		if (header_of(t, f, sh.sh_addr + at))
			return true;
	}
	return false;
}

void gosymbols_add(struct elf_file *f)
{
	/* of the table in merged data; a section of its own begins with it */
	enum { ALIGNMENT = 32, WHOLE = INT32_MAX };
	struct table t;

	if (!gosymbols_is_go(f))
		return;
	/*
	 * In a position-independent program its addresses are relocated, so that it has another
	 * name; C's linker merges it with other data.
	 */
	if (!table_in(&t, f, ".gopclntab", WHOLE) &&
	    !table_in(&t, f, ".data.rel.ro.gopclntab", WHOLE) &&
	    !table_in(&t, f, ".data.rel.ro", ALIGNMENT))
		return;
	for (uint64_t i = 0; i < t.functions; i++)
		add_function(f, &t, i);
}
