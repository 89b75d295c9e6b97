/* SPDX-License-Identifier: MIT */
/*
 * .eh_frame is a list of common entries (CIE) and of entries for ranges of code (FDE) that refer to
 * a CIE. The CIE's augmentation string ("zPLR") gives the encoding of addresses in its FDEs.
 * Formats: .eh_frame in the Linux Standard Base, "Exception Frames"; the table of landing pads
 * (LSDA) in the Itanium C++ ABI.
 */
#include "config.h"

#include "capture/probe/frames.h"
#include "capture/sys/alloc.h"
#include "common/compare.h"
#include "common/search.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#endif

/*
 * Pointer encodings (DW_EH_PE_*): the low four bits are the format, the next three what is added to
 * the value.
 */
enum {
	ENC_ABSPTR = 0x00, ENC_ULEB = 0x01, ENC_UDATA2 = 0x02, ENC_UDATA4 = 0x03, ENC_UDATA8 = 0x04,
	ENC_SLEB = 0x09, ENC_SDATA2 = 0x0a, ENC_SDATA4 = 0x0b, ENC_SDATA8 = 0x0c,
	ENC_PCREL = 0x10, ENC_APPLIED = 0x70, ENC_INDIRECT = 0x80, ENC_OMIT = 0xff,
};

enum { MAX_CALLS = 65536 };

struct frames {
	struct elf_file *file;
	size_t n;
	struct frame *list; /* by address */
#ifdef HAVE_DW
	Dwarf_CFI *cfi;
#endif
};

/* ---- bytes ---------------------------------------------------------------------------------- */

/*
 * A sequence of the file's bytes and how far it was read; `ok` becomes false at the first read
 * beyond its end.
 */
struct cursor {
	const unsigned char *data;
	size_t at, size;
	uint64_t vaddr; /* virtual address of data[0] */
	bool ok;
};

static uint64_t take(struct cursor *c, unsigned int bytes)
{
	uint64_t v = 0;

	if (!c->ok || c->size - c->at < bytes) {
		c->ok = false;
		return 0;
	}
	memcpy(&v, c->data + c->at, bytes);
	c->at += bytes;
	return v;
}

/* Reads a LEB128 number, sign-extended to 64 bits if has_sign. */
static uint64_t take_leb(struct cursor *c, bool has_sign)
{
	uint64_t v = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (c->ok && byte & 0x80);
	if (has_sign && shift < 64 && byte & 0x40)
		v |= ~0ull << shift;
	return v;
}

static uint64_t extend(uint64_t v, unsigned int bits)
{
	return v & 1ull << (bits - 1) ? v | ~0ull << bits : v;
}

/*
 * Reads an address or a number in encoding `enc`. A value of 0 means none, so nothing is added to
 * it.
 */
static uint64_t take_encoded(struct cursor *c, unsigned int enc)
{
	uint64_t place = c->vaddr + c->at, v = 0;

	switch (enc & 0x0f) {
	case ENC_ABSPTR:
	case ENC_UDATA8:
	case ENC_SDATA8:
		v = take(c, 8);
		break;
	case ENC_ULEB:
		v = take_leb(c, false);
		break;
	case ENC_SLEB:
		v = take_leb(c, true);
		break;
	case ENC_UDATA2:
		v = take(c, 2);
		break;
	case ENC_SDATA2:
		v = extend(take(c, 2), 16);
		break;
	case ENC_UDATA4:
		v = take(c, 4);
		break;
	case ENC_SDATA4:
		v = extend(take(c, 4), 32);
		break;
	default:
		c->ok = false;
	}
	if ((enc & ENC_APPLIED) == ENC_PCREL && v)
		v += place;
	else if (enc & ENC_APPLIED)
		c->ok = false;
	return v;
}

/* ---- .eh_frame ------------------------------------------------------------------------------ */

/* What a CIE says about its FDEs. */
struct common_entry {
	size_t at; /* its offset in .eh_frame */
	unsigned int address, lsda;
	bool augmented, ok;
};

static void read_common(const struct cursor *section, size_t at, struct common_entry *cie)
{
	struct cursor c = *section;
	const char *text;
	size_t len;

	*cie = (struct common_entry){ .at = at, .address = ENC_ABSPTR, .lsda = ENC_OMIT };
	c.at = at;
	if (take(&c, 4) == UINT32_MAX || take(&c, 4) != 0)
		return;
	take(&c, 1); /* version */
	text = (const char *)c.data + c.at;
	len = strnlen(text, c.size - c.at);
	c.at += len < c.size - c.at ? len + 1 : len;
	/* alignment factors of code and data, register of the return address */
	take_leb(&c, false);
	take_leb(&c, true);
	take_leb(&c, false);
	if (len && *text == 'z') {
		cie->augmented = true;
		take_leb(&c, false);
	}
	for (size_t i = 1; cie->augmented && i < len; i++) {
		if (text[i] == 'R')
			cie->address = (unsigned int)take(&c, 1);
		else if (text[i] == 'L')
			cie->lsda = (unsigned int)take(&c, 1);
		else if (text[i] == 'P')
			take_encoded(&c, (unsigned int)take(&c, 1) & ~ENC_INDIRECT);
		else if (text[i] != 'S' && text[i] != 'B')
			return;
	}
	cie->ok = c.ok && !(cie->address & ENC_INDIRECT);
}

static void add_frame(struct frames *f, struct cursor c, const struct common_entry *cie)
{
	struct frame frame = { 0 };

	frame.start = take_encoded(&c, cie->address);
	frame.end = frame.start + take_encoded(&c, cie->address & 0x0f);
	if (cie->augmented && take_leb(&c, false) && cie->lsda != ENC_OMIT)
		frame.lsda = take_encoded(&c, cie->lsda & ~ENC_INDIRECT);
	if (!c.ok || frame.end <= frame.start)
		return;
	xgrow(f->list, f->n);
	f->list[f->n++] = frame;
}

static int compare(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	return compare_numbers(x->start, y->start);
}

static void read_frames(struct frames *f)
{
	struct common_entry cie = { .at = SIZE_MAX };
	GElf_Shdr sh;
	Elf_Scn *scn = elf_section(f->file->elf, ".eh_frame", &sh);
	Elf_Data *data = scn && sh.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
	struct cursor c = { .ok = true };

	if (!data || !data->d_buf)
		return;
	c.data = data->d_buf;
	c.size = data->d_size;
	c.vaddr = sh.sh_addr;
	while (c.ok && c.at < c.size) {
		size_t start = c.at, next;
		uint64_t len = take(&c, 4), id = take(&c, 4);

		/*
		 * A length of 0 ends the list. The 64-bit form is not supported: no compiler emits
		 * it.
		 */
		if (!c.ok || !len || len == UINT32_MAX || len > c.size - start - 4 || len < 4)
			break;
		next = start + 4 + len;
		if (id && id <= start + 4) {
			struct cursor entry = c;

			if (cie.at != start + 4 - id)
				read_common(&c, start + 4 - id, &cie);
			entry.size = next;
			if (cie.ok)
				add_frame(f, entry, &cie);
		}
		c.at = next;
	}
	if (f->n)
		qsort(f->list, f->n, sizeof(*f->list), compare);
}

struct frames *frames_open(struct elf_file *file)
{
	struct frames *f = xcalloc(1, sizeof(*f));

	f->file = file;
	read_frames(f);
#ifdef HAVE_DW
	f->cfi = f->n ? dwarf_getcfi_elf(file->elf) : NULL;
#endif
	return f;
}

void frames_close(struct frames *f)
{
	if (!f)
		return;
#ifdef HAVE_DW
	if (f->cfi)
		dwarf_cfi_end(f->cfi);
#endif
	free(f->list);
	free(f);
}

const struct frame *frames_at(const struct frames *f, uint64_t vaddr)
{
	size_t n = partition_point(f->n, i, f->list[i].start <= vaddr);

	return n && vaddr < f->list[n - 1].end ? &f->list[n - 1] : NULL;
}

#ifdef HAVE_DW
bool frames_cfa(const struct frames *f, uint64_t vaddr, int *reg, int64_t *offset)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	bool known;
	size_t n;

	*reg = -1;
	if (!f->cfi || !frames_at(f, vaddr) || dwarf_cfi_addrframe(f->cfi, vaddr, &frame) != 0)
		return false;
	known = dwarf_frame_cfa(frame, &ops, &n) == 0 && n > 0;
	if (known && n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < 16) {
		*reg = (int)ops[0].number;
		*offset = (int64_t)ops[0].number2;
	}
	free(frame);
	return known;
}

enum frames_stack frames_stack(const struct frames *f, uint64_t vaddr)
{
	int64_t offset = 0;
	int reg;

	if (!frames_cfa(f, vaddr, &reg, &offset))
		return FRAMES_UNKNOWN;
	/* Until something is pushed, the CFA is %rsp (DWARF register 7) + 8. */
	return reg == 7 && offset == 8 ? FRAMES_AT_RETURN : FRAMES_BELOW;
}
#else
bool frames_cfa(const struct frames *f, uint64_t vaddr, int *reg, int64_t *offset)
{
	(void)f, (void)vaddr, (void)offset;
	*reg = -1;
	return false;
}

enum frames_stack frames_stack(const struct frames *f, uint64_t vaddr)
{
	(void)f, (void)vaddr;
	return FRAMES_UNKNOWN;
}
#endif

/* ---- landing pads --------------------------------------------------------------------------- */

static bool read_calls(struct cursor *c, const struct frame *frame, struct frame_call **calls,
		       size_t *n)
{
	unsigned int enc = (unsigned int)take(c, 1);
	uint64_t base = enc == ENC_OMIT ? frame->start : take_encoded(c, enc);
	uint64_t len;
	size_t end;

	if (take(c, 1) != ENC_OMIT)
		take_leb(c, false); /* offset of the type table */
	enc = (unsigned int)take(c, 1);
	len = take_leb(c, false);
	if (!c->ok || len > c->size - c->at)
		return false;
	end = c->at + (size_t)len;
	while (c->ok && c->at < end && *n < MAX_CALLS) {
		struct frame_call call;
		uint64_t pad;

		call.start = frame->start + take_encoded(c, enc);
		call.end = call.start + take_encoded(c, enc);
		pad = take_encoded(c, enc);
		call.pad = pad ? base + pad : 0;
		take_leb(c, false); /* action */
		xgrow(*calls, *n);
		(*calls)[(*n)++] = call;
	}
	return c->ok && c->at == end;
}

bool frames_calls(const struct frames *f, const struct frame *frame, struct frame_call **calls,
		  size_t *n)
{
	enum { FIRST = 4096, MOST = 1 << 20 };
	bool ok = false;

	*calls = NULL;
	*n = 0;
	if (!frame->lsda)
		return true;
	/*
	 * The table's length is known only once its header is read, so growing buffers are tried.
	 */
	for (size_t size = FIRST; !ok && size <= MOST; size *= 16) {
		unsigned char *buf = xcalloc(1, size);
		struct cursor c = { .data = buf, .vaddr = frame->lsda, .ok = true };

		c.size = elf_read(f->file, frame->lsda, buf, size);
		*n = 0;
		free(*calls);
		*calls = NULL;
		ok = read_calls(&c, frame, calls, n);
		free(buf);
		if (c.size < size)
			break;
	}
	return ok;
}
