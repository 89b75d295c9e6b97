/* SPDX-License-Identifier: MIT */
/* What to do where trawl.ko is not loaded, by what is installed for which kernel. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/branch/kmodfile.h"

#define RUNNING "6.12.1-amd64"

static char folder[] = "/tmp/kmodfile-XXXXXX";

static void begin(void)
{
	cr_assert(mkdtemp(folder));
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(kmodfile, .init = begin, .fini = end);

/* Installs a module for a kernel, which has been built for another one, if `built_for` is one. */
static void install(const char *kernel, const char *where, const char *built_for)
{
	static const char head[] = "\x7f"
				   "ELF\0name=trawl\0vermagic=";
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p %s/%s/%s", folder, kernel, where);
	*strrchr(path, '/') = '\0';
	cr_assert_eq(system(path), 0);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, kernel, where);
	f = fopen(path, "w");
	cr_assert(f);
	if (built_for) {
		fwrite(head, 1, sizeof(head) - 1, f);
		fprintf(f, "%s SMP preempt mod_unload ", built_for);
	}
	fclose(f);
}

static void is(const char *want)
{
	char text[768];

	kmodfile_remedy(folder, RUNNING, text, sizeof(text));
	cr_assert_str_eq(text, want);
}

#define LOAD "trawl.ko is installed, but not loaded; run 'modprobe trawl'"
#define REBUILD(release)                                                                           \
	"trawl.ko is built for the kernel " release ", and this one is " RUNNING                   \
	"; build kmod/ for this kernel ('dkms autoinstall', or 'make clean kmod') and load it"

Test(kmodfile, none_is_installed)
{
	is("build kmod/ for this kernel and load trawl.ko");
	install(RUNNING, "updates/dkms/other.ko", RUNNING);
	is("build kmod/ for this kernel and load trawl.ko");
}

Test(kmodfile, it_is_installed_for_this_kernel)
{
	install("5.10.0-1-amd64", "updates/dkms/trawl.ko", "5.10.0-1-amd64");
	install(RUNNING, "updates/dkms/trawl.ko", RUNNING);
	is(LOAD);
}

Test(kmodfile, it_is_installed_for_another_kernel)
{
	install("5.10.0-1-amd64", "extra/trawl.ko", "5.10.0-1-amd64");
	is(REBUILD("5.10.0-1-amd64"));
}

Test(kmodfile, that_of_another_kernel_is_in_the_place_of_this_ones)
{
	install(RUNNING, "updates/trawl.ko", "5.10.0-2-amd64");
	is(REBUILD("5.10.0-2-amd64"));
}

Test(kmodfile, a_compressed_one_is_there)
{
	install(RUNNING, "extra/trawl.ko.xz", NULL);
	is(LOAD);
}
