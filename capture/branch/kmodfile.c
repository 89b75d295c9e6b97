/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/branch/kmodfile.h"
#include "common/array.h"
#include "common/regular.h"

enum { RELEASE_MOST = 255, PATH_ROOM = 512, FILE_MOST = 64 << 20 };

/*
 * Finds the module for a release where DKMS and `make modules_install` put modules that are not the
 * kernel's own. Returns false if there is none.
 */
static bool find_file(const char *folder, const char *release, char path[static PATH_ROOM])
{
	static const char *const folders[] = {"updates/dkms", "updates", "extra", "misc"};
	static const char *const suffixes[] = {"", ".xz", ".zst", ".gz"};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(suffixes); k++) {
			if (snprintf(path, PATH_ROOM, "%s/%s/%s/trawl.ko%s", folder, release,
				     folders[i], suffixes[k]) < PATH_ROOM &&
			    !access(path, F_OK))
				return true;
		}
	}
	return false;
}

/* Copies RELEASE of "vermagic=RELEASE WORDS..." in a module's bytes. Returns false without it. */
static bool copy_release(const char *image, size_t size, char release[static RELEASE_MOST + 1])
{
	static const char word[] = "vermagic=";
	const char *at = memmem(image, size, word, sizeof(word) - 1);
	size_t room, length = 0;

	if (!at)
		return false;
	at += sizeof(word) - 1;
	room = image + size - at;
	while (length < room && length < RELEASE_MOST && at[length] > ' ' && at[length] < 0x7f)
		length++;
	memcpy(release, at, length);
	release[length] = '\0';
	return length > 0;
}

/*
 * Copies the release of the kernel that a module was built for. Returns false if the file does not
 * show it: it is compressed, larger than FILE_MOST, or cannot be read.
 */
static bool read_release(const char *path, char release[static RELEASE_MOST + 1])
{
	int fd = regular_open(path);
	char *image = MAP_FAILED;
	struct stat st;
	bool found;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < FILE_MOST)
		image = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED)
		return false;
	found = copy_release(image, st.st_size, release);
	munmap(image, st.st_size);
	return found;
}

/* Copies the release of a kernel for which the module is installed. Returns false without one. */
static bool find_other_kernel(const char *folder, char release[static RELEASE_MOST + 1])
{
	DIR *d = opendir(folder);
	char path[PATH_ROOM];
	bool found = false;

	for (const struct dirent *e; d && !found && (e = readdir(d));) {
		if (e->d_name[0] == '.' || !find_file(folder, e->d_name, path))
			continue;
		snprintf(release, RELEASE_MOST + 1, "%.*s", RELEASE_MOST, e->d_name);
		found = true;
	}
	if (d)
		closedir(d);
	return found;
}

void kmodfile_remedy(const char *folder, const char *running, char *text, size_t size)
{
	char path[PATH_ROOM], release[RELEASE_MOST + 1];
	bool here = find_file(folder, running, path);

	if (here && (!read_release(path, release) || !strcmp(release, running)))
		snprintf(text, size, "trawl.ko is installed, but not loaded; run 'modprobe trawl'");
	else if (here || find_other_kernel(folder, release))
		snprintf(text, size,
			 "trawl.ko is built for the kernel %s, and this one is %s; build kmod/ for "
			 "this kernel ('dkms autoinstall', or 'make clean kmod') and load it",
			 release, running);
	else
		snprintf(text, size, "build kmod/ for this kernel and load trawl.ko");
}
