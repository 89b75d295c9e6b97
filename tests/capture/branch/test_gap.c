/* SPDX-License-Identifier: MIT */
/*
 * The kernel emulates some branches at uprobes, and moves a task to a signal's handler: no record
 * contains it. The code shows where it is so.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/branch/images.h"
#include "capture/branch/insn.h"
#include "capture/branch/lbrcheck.h"

#ifdef __x86_64__
#define LABELS "begin, at_call, back, at_jz, at_ret, there, there_ret, far, far_ret, at_lret, after_lret\n"
__asm__(".text\n"
	".globl " LABELS
	".hidden " LABELS
	"begin: nop\n"
	"at_call: call there\n"
	"back: nop\n"
	"at_jz: jz far\n"
	"at_ret: ret\n"
	"there: nop\n"
	"there_ret: ret\n"
	"far: nop\n"
	"far_ret: ret\n"
	"at_lret: lretq\n"
	"after_lret: ret\n");
extern const char begin[], at_call[], back[], at_jz[], at_ret[], there[], there_ret[], far[],
	far_ret[], at_lret[], after_lret[];

enum { TRAMPOLINE = 0x1000 };

/* Maps of the program itself, and of the page that the kernel adds to processes with uprobes. */
static char *maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char *text = NULL, *line = NULL;
	size_t len = 0, room = 0;
	FILE *out = open_memstream(&text, &len);

	while (getline(&line, &room, f) > 0) {
		if (strstr(line, "r-xp"))
			fputs(line, out);
	}
	fprintf(out, "%x-%x r-xp 00000000 00:00 0 [uprobes]\n", TRAMPOLINE, 2 * TRAMPOLINE);
	free(line);
	fclose(f);
	fclose(out);
	return text;
}

/* Definitions in tracefs: a probe on the conditional jump, and one on a path that is not a file. */
static char *definitions(void)
{
	char path[4096], line[4096], *text;
	unsigned long start, end, offset, at = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	while (!at && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start, &end, &offset, path) == 4 &&
		    (uintptr_t)at_jz >= start && (uintptr_t)at_jz < end)
			at = (uintptr_t)at_jz - start + offset;
	}
	fclose(f);
	cr_assert(at);
	cr_assert(asprintf(&text, "p:a/b /nowhere:0x%016lx\np:a/c x\np:a/d %s:0x%016lx(0x1) a=%%di\n"
				  "p:a/e %s:0x1", at, path, at, path) > 0);
	return text;
}

/* Only where records may have a part of a target, one in no mapping is not known. */
Test(gap, a_target_that_is_cut)
{
	static struct images im;
	struct trawl_writer_options o = { 0 };
	struct trawl_error err;
	struct trawl_writer *w;
	char *text = maps();

	cr_assert(!reader_starter_open(&im.starter, &err));
	w = trawl_writer_new(memfd_create("x", MFD_CLOEXEC), &o, &err);
	cr_assert(w && !branch_images_map(&im, getpid(), text, 1, w, &err));
	cr_assert_not(branch_images_cut(&im, getpid(), 0));
	im.cut = true;
	cr_assert(branch_images_cut(&im, getpid(), 0));
	cr_assert_not(branch_images_cut(&im, getpid(), (uintptr_t)begin));
	cr_assert_not(branch_images_cut(&im, 1, 0), "a process whose mappings are not known");
	branch_images_free(&im);
	trawl_writer_close(w, &err);
	free(text);
}

Test(gap, by_code)
{
	static struct images im;
	struct trawl_writer_options o = { 0 };
	struct trawl_error err;
	struct trawl_writer *w;
	char *text = maps(), *probes = definitions();
	const struct {
		const char *from, *to;
		enum way way, with_probe;
	} ways[] = {
		{ begin, at_call, WAY_OPEN, WAY_OPEN },
		{ there, there_ret, WAY_OPEN, WAY_OPEN },
		{ back, at_ret, WAY_OPEN, WAY_MISSING },
		/* the call is missing; the taken jump is missing */
		{ begin, there_ret, WAY_MISSING, WAY_MISSING },
		{ back, far_ret, WAY_MISSING, WAY_MISSING },
		/* both are missing, and no path connects them: a signal handler, for example */
		{ begin, far_ret, WAY_NONE, WAY_NONE },
		{ there_ret, far_ret, WAY_NONE, WAY_NONE },
		{ back, there_ret, WAY_NONE, WAY_NONE },
		{ back, begin, WAY_NONE, WAY_NONE },
		/* no code is known there */
		{ (const char *)&im, far_ret, WAY_OPEN, WAY_OPEN },
		/* from the page of uprobes, and into it */
		{ (const char *)TRAMPOLINE, back, WAY_MISSING, WAY_MISSING },
		{ there, (const char *)TRAMPOLINE + 128, WAY_MISSING, WAY_MISSING },
	};

	if (!branch_insn_known())
		cr_skip_test("built without Zydis");
	cr_assert(!reader_starter_open(&im.starter, &err));
	w = trawl_writer_new(memfd_create("x", MFD_CLOEXEC), &o, &err);
	cr_assert(w && !branch_images_map(&im, getpid(), text, 1, w, &err));
	for (int again = 0; again < 3; again++) {
		if (again == 2) {
			branch_images_probes(&im, probes);
			cr_assert(!branch_images_map(&im, getpid(), text, 2, w, &err));
		}
		for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
			cr_assert_eq(branch_images_way(&im, getpid(), (uintptr_t)ways[i].from,
							 (uintptr_t)ways[i].to),
				     again == 2 ? ways[i].with_probe : ways[i].way, "way %zu", i);
	}
	/* The processor leaves far branches out only where it is told to. */
	cr_assert_eq(branch_images_way(&im, getpid(), (uintptr_t)at_lret, (uintptr_t)after_lret),
		     WAY_NONE);
	im.near_only = true;
	cr_assert_eq(branch_images_way(&im, getpid(), (uintptr_t)begin, (uintptr_t)at_call),
		     WAY_OPEN);
	cr_assert_eq(branch_images_way(&im, getpid(), (uintptr_t)at_lret, (uintptr_t)far_ret),
		     WAY_MISSING);
	cr_assert_eq(branch_images_way(&im, 1, (uintptr_t)begin, (uintptr_t)there_ret), WAY_OPEN);
	branch_images_free(&im);
	trawl_writer_close(w, &err);
	free(text);
	free(probes);
}
#endif

Test(gap, processors_that_cut_targets)
{
	static const struct {
		const char *vendor, *model;
		bool cuts;
	} machines[] = {
		{ "GenuineIntel", "92", true },
		{ "GenuineIntel", "95", true },
		{ "GenuineIntel", "94", false },
		{ "AuthenticAMD", "92", false },
	};
	char text[256], path[] = "/tmp/cpuinfo-XXXXXX";
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		int n = snprintf(text, sizeof(text),
				 "vendor_id\t: %s\ncpu family\t: 6\nmodel\t\t: %s\nmodel name\t: 0\n",
				 machines[i].vendor, machines[i].model);

		cr_assert(!ftruncate(fd, 0) && pwrite(fd, text, (size_t)n, 0) == n);
		cr_assert_eq(lbr_cuts_targets(path), machines[i].cuts, "machine %zu", i);
	}
	close(fd);
	unlink(path);
}
