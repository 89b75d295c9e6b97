/* SPDX-License-Identifier: MIT */
/*
 * How a USDT probe is stored
 * --------------------------
 * A probe in the source is a single nop in the code and a note beside it, of owner "stapsdt" and
 * type 3, in a section that is not loaded (.note.stapsdt). The note's descriptor is
 *
 *	u64 pc          address of the nop
 *	u64 base        address of the section .stapsdt.base when the note was written
 *	u64 semaphore   address of a u16 that the program tests before it prepares arguments, or 0
 *	provider\0 name\0 arguments\0
 *
 * The addresses are those of link time. A tool that moves a library afterwards (prelink) adjusts
 * the section headers but not the notes; .stapsdt.base is an empty allocated section whose address
 * shows how far everything moved.
 *
 * The probe is armed by a breakpoint on the nop. A semaphore is counted up while anybody listens;
 * the kernel does that in every process that maps the file if it gets the semaphore's file
 * offset (the "reference counter" of uprobe_events). One probe may have many sites - the compiler
 * inlined or unrolled its function - each with own arguments, and even own semaphore.
 *
 * Distributions strip programs; a few move the notes into the separate debug file.
 */
#include "config.h"

#include "capture/sys/alloc.h"
#include "capture/probe/usdt.h"

enum { NOTE_TYPE = 3, FIXED = 24 };

/* The state of reading one ELF handle. */
struct reading {
	struct elf_file *file;
	uint64_t base; /* virtual address of .stapsdt.base in the file; 0: none */
	struct usdt_note *notes;
	size_t n;
};

/*
 * Copies the string at offset *at of the descriptor and advances *at behind it; NULL if the string
 * does not end within the descriptor.
 */
static char *take_string(const char *desc, size_t size, size_t *at)
{
	const char *end = *at < size ? memchr(desc + *at, 0, size - *at) : NULL;
	char *s;

	if (!end)
		return NULL;
	s = xstrdup(desc + *at);
	*at = (size_t)(end - desc) + 1;
	return s;
}

/* Finds the file offsets of nop and semaphore, or sets note->why. */
static void locate(const struct reading *r, struct usdt_note *note)
{
	const struct elf_segment *code = elf_segment_of(r->file, note->vaddr);

	if (!code || !code->exec || !elf_offset(r->file, note->vaddr, &note->offset))
		note->why = xasprintf("its address 0x%llx is not in the file's code",
				      (unsigned long long)note->vaddr);
	else if (note->semaphore && (!elf_offset(r->file, note->semaphore, &note->ref_ctr) ||
				     elf_segment_of(r->file, note->semaphore)->exec))
		note->why = xasprintf("its semaphore 0x%llx is not in the file's data",
				      (unsigned long long)note->semaphore);
}

static bool add_note(struct reading *r, const char *desc, size_t size)
{
	struct usdt_note note = { 0 };
	uint64_t addresses[3];
	size_t at = FIXED;

	if (size < FIXED)
		return false;
	memcpy(addresses, desc, sizeof(addresses));
	note.provider = take_string(desc, size, &at);
	note.name = note.provider ? take_string(desc, size, &at) : NULL;
	note.args = note.name ? take_string(desc, size, &at) : NULL;
	if (!note.args || !*note.provider || !*note.name) {
		free(note.provider);
		free(note.name);
		free(note.args);
		return false;
	}
	/* Some assembler macros write ":" for "no arguments". */
	if (note.args[0] == ':')
		note.args[0] = '\0';
	note.vaddr = addresses[0];
	note.semaphore = addresses[2];
	if (r->base && addresses[1]) {
		note.vaddr += r->base - addresses[1];
		if (note.semaphore)
			note.semaphore += r->base - addresses[1];
	}
	locate(r, &note);
	xgrow(r->notes, r->n);
	r->notes[r->n++] = note;
	return true;
}

static void read_section(struct reading *r, Elf_Data *data)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while (data && data->d_buf && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const char *owner = (const char *)data->d_buf + name;

		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof("stapsdt") &&
		    !memcmp(owner, "stapsdt", sizeof("stapsdt")) &&
		    !add_note(r, (const char *)data->d_buf + desc, note.n_descsz))
			return;
		at = next;
	}
}

static void read_handle(struct reading *r, Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_section(elf, ".stapsdt.base", &sh);

	r->base = scn ? sh.sh_addr : 0;
	scn = NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			read_section(r, elf_getdata(scn, NULL));
	}
}

size_t usdt_read(struct elf_file *f, struct usdt_note **notes)
{
	struct reading r = { .file = f };

	read_handle(&r, f->elf);
	if (!r.n && elf_debug(f))
		read_handle(&r, elf_debug(f));
	*notes = r.notes;
	return r.n;
}

void usdt_free(struct usdt_note *notes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(notes[i].provider);
		free(notes[i].name);
		free(notes[i].args);
		free(notes[i].why);
	}
	free(notes);
}
