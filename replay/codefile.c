/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "replay/codefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buildid.h"
#include "common/regular.h"
#include "decode/base/output.h"

#define FILE_MAX (1 << 30)

/* True if an ELF file has this build id (hex). */
static bool has_build_id(const uint8_t *p, size_t size, const char *id)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)p;
	size_t len = strlen(id) / 2;

	if (size < sizeof(*e) || memcmp(p, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_phoff > size || e->e_phnum > (size - e->e_phoff) / sizeof(Elf64_Phdr))
		return false;
	for (unsigned int i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr h;

		memcpy(&h, p + e->e_phoff + i * sizeof(h), sizeof(h));
		if (h.p_type != PT_NOTE || h.p_offset > size || h.p_filesz > size - h.p_offset)
			continue;
		for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= h.p_filesz;) {
			const uint8_t *note = p + h.p_offset + at;
			Elf64_Nhdr n;
			size_t name, desc;
			char hex[3];

			memcpy(&n, note, sizeof(n));
			name = (n.n_namesz + 3u) & ~3u;
			desc = (n.n_descsz + 3u) & ~3u;
			if (name > h.p_filesz - at - sizeof(n) ||
			    desc > h.p_filesz - at - sizeof(n) - name)
				break;
			at += sizeof(n) + name + desc;
			if (!build_id_kind((const char *)note + sizeof(n), n.n_namesz, n.n_type) ||
			    n.n_descsz != len)
				continue;
			for (size_t k = 0; k < len; k++) {
				snprintf(hex, sizeof(hex), "%02x", note[sizeof(n) + name + k]);
				if (memcmp(hex, id + 2 * k, 2) != 0)
					return false;
			}
			return len > 0;
		}
	}
	return false;
}

const char *code_no_memory(void)
{
	out_lack_memory();
	return "out of memory";
}

/*
 * Copies a file of at most FILE_MAX bytes. A file of somebody else may change or become shorter at
 * any time: in a mapping, what was checked would not be what is read.
 */
static void copy_file(struct code_file *c, const char *path)
{
	int fd = regular_open(path); /* the path is the capture's: foreign */
	struct stat st;
	uint8_t *p = NULL;
	size_t n = 0;
	ssize_t got = 0;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > FILE_MAX)
		c->why = "its file here is larger than 1 GiB";
	else if (fd >= 0 && st.st_size > 0 && !(p = malloc((size_t)st.st_size)))
		c->why = code_no_memory();
	while (p && n < (size_t)st.st_size &&
	       (got = read(fd, p + n, (size_t)st.st_size - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (n)
		*c = (struct code_file){.p = p, .size = n, .is_file = true};
	else
		free(p);
}

/* The vdso has no file, but each process of the same kernel has the same one. */
static void own_vdso(struct code_file *c)
{
	/* NOLINT: the kernel's address */
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	if (!e)
		return;
	c->p = (const uint8_t *)e;
	c->size = e->e_shoff + (size_t)e->e_shnum * e->e_shentsize; /* its end */
}

struct code_file code_file_open(const char *path, const char *build_id)
{
	bool vdso = !strcmp(path, "[vdso]");
	struct code_file c = {0};

	if (vdso)
		own_vdso(&c);
	else
		copy_file(&c, path);
	if (!c.p) {
		c.why = c.why ? c.why : "its file is not here";
	} else if (!has_build_id(c.p, c.size, build_id)) {
		code_file_close(&c);
		c.why = vdso	    ? "it is another kernel's"
			: *build_id ? "its file here has another build id, or none"
				    : "it was recorded without a build id, by which its file is known";
	}
	return c;
}

void code_file_close(struct code_file *c)
{
	if (c->is_file)
		free((void *)c->p);
	*c = (struct code_file){0};
}
