/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/probe/usdt.h"
#include "common/array.h"

static char *image;
static size_t size;

/* Opens a file of the build tree. */
static void load(const char *name)
{
	const char *build = getenv("TRAWL_BUILD");
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/samples/%s", build ? build : ".", name);
	fd = open(path, O_RDONLY);
	cr_assert_geq(fd, 0, "%s", path);
	cr_assert_eq(fstat(fd, &st), 0);
	size = (size_t)st.st_size;
	image = malloc(size);
	cr_assert_eq(read(fd, image, size), (ssize_t)size);
	close(fd);
}

static size_t notes_of_image(struct usdt_note **notes)
{
	struct trawl_error err;
	struct elf_file *f = elf_open_memory(image, size, "image", &err);
	size_t n;

	*notes = NULL;
	if (!f)
		return 0;
	n = usdt_read(f, notes);
	elf_free(f);
	return n;
}

static Elf64_Shdr *section(const char *name)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;
	Elf64_Shdr *sh = (Elf64_Shdr *)(image + eh->e_shoff);

	for (int i = 0; i < eh->e_shnum; i++) {
		if (!strcmp(image + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name, name))
			return &sh[i];
	}
	return NULL;
}

static const struct usdt_note *find(const struct usdt_note *notes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(notes[i].name, name))
			return &notes[i];
	}
	cr_assert_fail("no probe %s", name);
	return NULL;
}

Test(usdt, notes_of_a_program)
{
	struct usdt_note *notes;
	const struct usdt_note *note;
	size_t n, sites = 0;

	load("forms");
	n = notes_of_image(&notes);
	note = find(notes, n, "reg32");
	cr_assert_str_eq(note->provider, "forms");
	cr_assert_str_eq(note->args, "-4@%eax 4@%ebx -4@%r8d 4@%r15d -4@%edi");
	cr_assert_null(note->why);
	cr_assert_eq(image[note->offset], (char)0x90, "the site is a nop");
	cr_assert_str_eq(find(notes, n, "none")->args, "");
	for (size_t i = 0; i < n; i++)
		sites += !strcmp(notes[i].name, "multi");
	cr_assert_eq(sites, 3);
	usdt_free(notes, n);
	free(image);
}

Test(usdt, semaphores_are_in_the_data)
{
	struct usdt_note *notes;
	const struct usdt_note *hello, *costly;
	size_t n;

	load("libgreet.so");
	n = notes_of_image(&notes);
	cr_assert_eq(n, 2);
	hello = find(notes, n, "hello");
	costly = find(notes, n, "costly");
	cr_assert_neq(hello->ref_ctr, 0);
	cr_assert_neq(hello->ref_ctr, costly->ref_ctr);
	cr_assert_eq(image[hello->ref_ctr], 0);
	usdt_free(notes, n);
	free(image);
}

/* prelink moves the sections, but the notes keep their addresses. */
Test(usdt, a_moved_base_moves_probes_and_semaphores)
{
	struct usdt_note *before, *after;
	size_t n;

	load("libgreet.so");
	n = notes_of_image(&before);
	section(".stapsdt.base")->sh_addr += 2;
	cr_assert_eq(notes_of_image(&after), n);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(after[i].vaddr, before[i].vaddr + 2);
		cr_assert_eq(after[i].offset, before[i].offset + 2);
		cr_assert_eq(after[i].semaphore, before[i].semaphore + 2);
	}
	usdt_free(before, n);
	usdt_free(after, n);
	free(image);
}

Test(usdt, a_probe_outside_the_code_says_so)
{
	struct usdt_note *notes;
	size_t n;

	load("libgreet.so");
	section(".stapsdt.base")->sh_addr += 0x100000;
	n = notes_of_image(&notes);
	cr_assert_eq(n, 2);
	cr_assert(notes[0].why && strstr(notes[0].why, "not in the file's code"));
	usdt_free(notes, n);
	free(image);
}

Test(usdt, notes_that_do_not_end_are_left_out)
{
	struct usdt_note *notes;
	Elf64_Shdr *sh;
	size_t n, all;

	load("forms");
	all = notes_of_image(&notes);
	usdt_free(notes, all);
	sh = section(".note.stapsdt");
	/* The last string of the first note lacks its NUL: the length of the note limits it. */
	memset(image + sh->sh_offset + 20, 'x', 60);
	n = notes_of_image(&notes);
	cr_assert_lt(n, all);
	usdt_free(notes, n);
	free(image);
}

Test(usdt, lengths_that_lie_are_survived)
{
	static const uint32_t lies[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	struct usdt_note *notes;
	Elf64_Shdr *sh;

	load("forms");
	sh = section(".note.stapsdt");
	for (size_t field = 0; field < 8; field += 4) {
		uint32_t saved;

		memcpy(&saved, image + sh->sh_offset + field, 4);
		for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
			size_t n;

			memcpy(image + sh->sh_offset + field, &lies[i], 4);
			n = notes_of_image(&notes);
			usdt_free(notes, n);
		}
		memcpy(image + sh->sh_offset + field, &saved, 4);
	}
	sh->sh_size = UINT64_MAX;
	cr_assert_eq(notes_of_image(&notes), 0);
	usdt_free(notes, 0);
	free(image);
}
