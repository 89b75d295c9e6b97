/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/sys/alloc.h"
#include "capture/probe/elf.h"
#include "capture/probe/opener.h"
#include "common/array.h"
#include "common/buildid.h"

static const char *machine_name(unsigned int machine)
{
	static const struct {
		unsigned int machine;
		const char *name;
	} names[] = {
		{ EM_386, "32-bit x86" }, { EM_ARM, "32-bit Arm" }, { EM_AARCH64, "64-bit Arm" },
		{ EM_PPC, "PowerPC" }, { EM_PPC64, "64-bit PowerPC" }, { EM_S390, "s390" },
		{ EM_RISCV, "RISC-V" }, { EM_MIPS, "MIPS" }, { EM_SPARCV9, "SPARC" },
		{ EM_BPF, "BPF" }, { EM_IA_64, "Itanium" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].machine == machine)
			return names[i].name;
	}
	return NULL;
}

/* The code of which files is accepted. */
enum accepted { ACCEPT_64, ACCEPT_X86 };

static int check_machine(struct elf_file *f, enum accepted which, struct trawl_error *err)
{
	const char *machine = machine_name(f->header.e_machine);

	if (which == ACCEPT_X86 &&
	    (f->header.e_machine == EM_386 || f->header.e_machine == EM_X86_64))
		return 0;
	if (f->header.e_machine == EM_X86_64 && f->header.e_ident[EI_CLASS] != ELFCLASS64)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: an x32 program; only 64-bit x86 code can be probed, because "
				  "argument layout and register names differ", f->name);
	if (f->header.e_machine != EM_X86_64 && machine)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: code for %s; only 64-bit x86 code can be probed, because "
				  "argument layout and register names differ", f->name, machine);
	if (f->header.e_machine != EM_X86_64)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: code for another processor (ELF machine %u); only 64-bit "
				  "x86 code can be probed", f->name, f->header.e_machine);
	return 0;
}

static int check_kind(struct elf_file *f, enum accepted which, struct trawl_error *err)
{
	if (elf_kind(f->elf) == ELF_K_AR)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: an archive of object files; probes go into the program that "
				  "is linked from it", f->name);
	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->header))
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: not an ELF file; give the program itself, not a script that "
				  "starts it", f->name);
	if (check_machine(f, which, err) < 0)
		return -1;
	if (f->header.e_type != ET_DYN && f->header.e_type != ET_EXEC)
		return trawl_fail(err, TRAWL_USAGE,
				  "%s: %s; probes go into programs and shared libraries", f->name,
				  f->header.e_type == ET_REL ? "an object file that is not linked" :
				  f->header.e_type == ET_CORE ? "a core dump" :
								"neither program nor library");
	f->pie = f->header.e_type == ET_DYN;
	return 0;
}

static int read_segments(struct elf_file *f, struct trawl_error *err)
{
	size_t n;

	if (elf_getphdrnum(f->elf, &n) < 0 || n == 0)
		return trawl_fail(err, TRAWL_USAGE, "%s: has no program headers; nothing of it is "
				  "ever loaded", f->name);
	f->segments = xcalloc(n, sizeof(*f->segments));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			return trawl_fail(err, TRAWL_USAGE, "%s: damaged program headers: %s",
					  f->name, elf_errmsg(-1));
		if (ph.p_type != PT_LOAD || ph.p_vaddr + ph.p_memsz < ph.p_vaddr ||
		    ph.p_offset + ph.p_filesz < ph.p_offset)
			continue;
		f->segments[f->nsegments++] = (struct elf_segment){
			.vaddr = ph.p_vaddr, .offset = ph.p_offset, .filesz = ph.p_filesz,
			.memsz = ph.p_memsz, .exec = ph.p_flags & PF_X,
		};
	}
	if (!f->nsegments)
		return trawl_fail(err, TRAWL_USAGE, "%s: has no loadable segment; it may be a "
						    "file with only debug information", f->name);
	return 0;
}

/* Looks for a build id of this kind in one sequence of notes. */
static bool build_id_in(Elf_Data *data, enum build_id_kind kind, char *hex, size_t size)
{
	size_t at = 0, name, desc, len;
	GElf_Nhdr note;

	while (data && (len = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const unsigned char *id = (unsigned char *)data->d_buf + desc;

		if (build_id_kind((char *)data->d_buf + name, note.n_namesz, note.n_type) == kind &&
		    note.n_descsz > 0 && note.n_descsz * 2 < size) {
			for (size_t i = 0; i < note.n_descsz; i++)
				snprintf(hex + i * 2, size - i * 2, "%02x", id[i]);
			return true;
		}
		at = len;
	}
	return false;
}

static bool find_build_id(Elf *elf, enum build_id_kind kind, char *hex, size_t size)
{
	size_t n;
	Elf_Scn *scn = NULL;

	if (elf_getphdrnum(elf, &n) == 0) {
		for (size_t i = 0; i < n; i++) {
			GElf_Phdr ph;

			if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
			    build_id_in(elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
							     ph.p_align == 8 ? ELF_T_NHDR8 :
									       ELF_T_NHDR),
					kind, hex, size))
				return true;
		}
	}
	/*
	 * The program headers of a debug file still have the offsets of the original file: its
	 * notes are found through the section headers.
	 */
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		    build_id_in(elf_getdata(scn, NULL), kind, hex, size))
			return true;
	}
	return false;
}

static void read_build_id(Elf *elf, char *hex, size_t size)
{
	hex[0] = '\0';
	for (enum build_id_kind kind = BUILD_ID_GNU; kind < BUILD_ID_KINDS; kind++)
		if (find_build_id(elf, kind, hex, size))
			return;
}

static struct elf_file *open_elf(Elf *elf, uint64_t size, const char *name, enum accepted which,
				 struct trawl_error *err)
{
	struct elf_file *f = xcalloc(1, sizeof(*f));

	f->name = xstrdup(name);
	f->debug_fd = f->fd = -1;
	f->elf = elf;
	f->size = size;
	if (!elf) {
		trawl_fail(err, TRAWL_USAGE, "%s: cannot be read: %s", name, elf_errmsg(-1));
		goto fail;
	}
	if (check_kind(f, which, err) < 0 || read_segments(f, err) < 0)
		goto fail;
	read_build_id(elf, f->build_id, sizeof(f->build_id));
	return f;
fail:
	elf_free(f);
	return NULL;
}

static struct elf_file *open_file(int fd, const char *name, const char *path, enum accepted which,
				  struct trawl_error *err)
{
	struct elf_file *f;
	struct stat st;

	elf_version(EV_CURRENT);
	if (fstat(fd, &st) < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: %s", name, strerror(errno));
		return NULL;
	}
	f = open_elf(elf_begin(fd, ELF_C_READ, NULL), (uint64_t)st.st_size, name, which, err);
	if (f) {
		f->fd = fd;
		f->path = xstrdup(path);
	}
	return f;
}

struct elf_file *elf_open(int fd, const char *name, const char *path, struct trawl_error *err)
{
	return open_file(fd, name, path, ACCEPT_64, err);
}

struct elf_file *elf_open_code(int fd, const char *path, struct trawl_error *err)
{
	return open_file(fd, path, path, ACCEPT_X86, err);
}

struct elf_file *elf_open_memory(char *image, size_t size, const char *name,
				 struct trawl_error *err)
{
	struct elf_file *f;

	elf_version(EV_CURRENT);
	f = open_elf(elf_memory(image, size), size, name, ACCEPT_64, err);
	if (f) {
		f->image = image;
		f->debug_looked = true;
	}
	return f;
}

void elf_free(struct elf_file *f)
{
	if (!f)
		return;
	free(f->symbols);
	if (f->debug)
		elf_end(f->debug);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	free(f->debug_path);
	if (f->elf)
		elf_end(f->elf);
	free(f->segments);
	free(f->path);
	free(f->name);
	free(f);
}

/* ---- the separate debug file --------------------------------------------------------------- */

Elf_Scn *elf_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s;

		if (gelf_getshdr(scn, header) && (s = elf_strptr(elf, names, header->sh_name)) &&
		    !strcmp(s, name))
			return scn;
	}
	return NULL;
}

/* The checksum that .gnu_debuglink uses: CRC-32 as in zlib, computed four bits at a time. */
static bool file_crc(int fd, uint32_t *sum)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	unsigned char buf[65536];
	uint32_t crc = ~0u;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			crc ^= buf[i];
			crc = table[crc & 15] ^ (crc >> 4);
			crc = table[crc & 15] ^ (crc >> 4);
		}
		at += n;
	}
	*sum = ~crc;
	return n == 0;
}

/*
 * Opens `path` (which it takes over) as the debug file if that belongs to f: same build id or, if
 * one of them has none, same checksum.
 */
static bool try_debug(struct elf_file *f, char *path, const uint32_t *crc)
{
	char build_id[sizeof(f->build_id)];
	uint32_t sum;
	int fd = opener_open(path);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (!elf || elf_kind(elf) != ELF_K_ELF)
		goto no;
	read_build_id(elf, build_id, sizeof(build_id));
	if (*build_id && *f->build_id ? strcmp(build_id, f->build_id) != 0 :
					!crc || !file_crc(fd, &sum) || sum != *crc)
		goto no;
	f->debug = elf;
	f->debug_fd = fd;
	f->debug_path = path;
	return true;
no:
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	free(path);
	return false;
}

/* The name and checksum in .gnu_debuglink. */
static const char *debug_link(struct elf_file *f, uint32_t *crc)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_section(f->elf, ".gnu_debuglink", &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t len, at;

	if (!data || !data->d_buf)
		return NULL;
	len = strnlen(data->d_buf, data->d_size);
	at = (len + 4) & ~(size_t)3;
	if (!len || len > NAME_MAX || at + 4 > data->d_size || memchr(data->d_buf, '/', len))
		return NULL;
	memcpy(crc, (char *)data->d_buf + at, 4);
	return data->d_buf;
}

Elf *elf_debug(struct elf_file *f)
{
	const char *link;
	uint32_t crc;
	int folder;

	if (f->debug_looked)
		return f->debug;
	f->debug_looked = true;
	if (strlen(f->build_id) > 2 &&
	    try_debug(f, xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", f->build_id,
				   f->build_id + 2), NULL))
		return f->debug;
	link = debug_link(f, &crc);
	if (!link || *f->path != '/')
		return NULL;
	folder = (int)(strrchr(f->path, '/') - f->path);
	if (!try_debug(f, xasprintf("%.*s/%s", folder, f->path, link), &crc) &&
	    !try_debug(f, xasprintf("%.*s/.debug/%s", folder, f->path, link), &crc))
		try_debug(f, xasprintf("/usr/lib/debug%.*s/%s", folder, f->path, link), &crc);
	return f->debug;
}

/* ---- addresses and offsets ------------------------------------------------------------------ */

const struct elf_segment *elf_segment_of(const struct elf_file *f, uint64_t vaddr)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz)
			return s;
	}
	return NULL;
}

bool elf_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *offset)
{
	const struct elf_segment *s = elf_segment_of(f, vaddr);

	if (!s || vaddr - s->vaddr >= s->filesz)
		return false;
	*offset = vaddr - s->vaddr + s->offset;
	return true;
}

bool elf_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *vaddr)
{
	/* Two segments may contain the same file page; the executable one is preferred. */
	for (int exec = 1; exec >= 0; exec--) {
		for (size_t i = 0; i < f->nsegments; i++) {
			const struct elf_segment *s = &f->segments[i];

			if (s->exec == exec && offset >= s->offset &&
			    offset - s->offset < s->filesz) {
				*vaddr = offset - s->offset + s->vaddr;
				return true;
			}
		}
	}
	return false;
}

size_t elf_read(const struct elf_file *f, uint64_t vaddr, void *buf, size_t size)
{
	const struct elf_segment *s = elf_segment_of(f, vaddr);
	uint64_t offset, n;
	ssize_t got;

	if (!s || !elf_offset(f, vaddr, &offset) || offset >= f->size)
		return 0;
	n = f->size - offset;
	if (n > s->filesz - (vaddr - s->vaddr))
		n = s->filesz - (vaddr - s->vaddr);
	if (n > size)
		n = size;
	/*
	 * Not read by elf_getdata_rawchunk(): libelf keeps every chunk and searches all of them for
	 * the next one.
	 */
	if (f->image) {
		memcpy(buf, f->image + offset, n);
		return n;
	}
	got = pread(f->fd, buf, n, (off_t)offset);
	return got > 0 ? (size_t)got : 0;
}
