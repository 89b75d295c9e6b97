/* SPDX-License-Identifier: MIT */
#include "replay/initramfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/import/unpack.h"

static int failed(const char *what, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "%s: %s; the virtual machine needs it", what,
			  strerror(errno));
}

int initramfs_open(struct initramfs *r, struct trawl_error *err)
{
	int fd = unpack_temporary(err);

	*r = (struct initramfs){0};
	if (fd < 0)
		return -1;
	r->out = fdopen(fd, "w+");
	if (r->out)
		return 0;
	close(fd);
	return failed("a temporary file", err);
}

void initramfs_close(struct initramfs *r)
{
	if (r->out)
		fclose(r->out);
	pathlist_free(&r->paths);
	*r = (struct initramfs){0};
}

static void pad(struct initramfs *r, size_t n)
{
	for (; n & 3; n++)
		fputc(0, r->out);
}

/*
 * Writes the header of an entry. device: the numbers of a device file, otherwise 0. Returns 0; 1 if
 * the archive has the path already; -1 with *err.
 */
static int header(struct initramfs *r, const char *path, unsigned int mode, size_t size,
		  dev_t device, struct trawl_error *err)
{
	size_t len = strlen(path) + 1;
	int known = pathlist_add(&r->paths, path, err);

	if (known)
		return known;
	fprintf(r->out, "070701%08zx%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", r->paths.n,
		mode, 0, 0, 1, 0, size, 0, 0, major(device), minor(device), len, 0);
	fwrite(path, 1, len, r->out);
	pad(r, 110 + len);
	return 0;
}

/* Names in the archive are relative to its root. */
static const char *relative(const char *path)
{
	return path + strspn(path, "/");
}

int initramfs_folder(struct initramfs *r, const char *path, struct trawl_error *err)
{
	char part[PATH_MAX];
	int got = 0;

	path = relative(path);
	for (size_t i = 1; got >= 0 && i <= strlen(path) && i < sizeof(part); i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		got = header(r, part, S_IFDIR | 0755, 0, 0, err);
	}
	return got < 0 ? -1 : 0;
}

static int parent(struct initramfs *r, const char *path, struct trawl_error *err)
{
	char folder[PATH_MAX];
	const char *end = strrchr(relative(path), '/');

	if (!end)
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", (int)(end - relative(path)), relative(path));
	return initramfs_folder(r, folder, err);
}

int initramfs_bytes(struct initramfs *r, const char *path, const void *p, size_t n,
		    struct trawl_error *err)
{
	int got = parent(r, path, err) ? -1 : header(r, relative(path), S_IFREG | 0644, n, 0, err);

	if (got)
		return got < 0 ? -1 : 0;
	fwrite(p, 1, n, r->out);
	pad(r, n);
	return 0;
}

int initramfs_device(struct initramfs *r, const char *path, unsigned int major, unsigned int minor,
		     struct trawl_error *err)
{
	dev_t device = makedev(major, minor);

	if (parent(r, path, err))
		return -1;
	return header(r, relative(path), S_IFCHR | 0600, 0, device, err) < 0 ? -1 : 0;
}

int initramfs_stream(struct initramfs *r, const char *path, FILE *in, unsigned int mode,
		     struct trawl_error *err)
{
	char part[65536];
	struct stat st;
	size_t size, left, n;
	int got;

	if (fstat(fileno(in), &st))
		return failed(path, err);
	size = left = (size_t)st.st_size;
	rewind(in);
	got = parent(r, path, err)
		? -1
		: header(r, relative(path), S_IFREG | (mode & 0777), size, 0, err);
	if (got)
		return got < 0 ? -1 : 0;
	for (; left && (n = fread(part, 1, left < sizeof(part) ? left : sizeof(part), in));
	     left -= n)
		fwrite(part, 1, n, r->out);
	if (left)
		return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read whole", path);
	pad(r, size);
	return 0;
}

int initramfs_file(struct initramfs *r, const char *path, const char *from, struct trawl_error *err)
{
	FILE *in = fopen(from, "re");
	struct stat st;
	int ret;

	if (!in || fstat(fileno(in), &st) || !S_ISREG(st.st_mode)) {
		errno = in ? EINVAL : errno;
		ret = failed(from, err);
	} else {
		ret = initramfs_stream(r, path, in, st.st_mode, err);
	}
	if (in)
		fclose(in);
	return ret;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Adds a shared library: it is found by name in /lib; the dynamic loader by its path. */
static int library(struct initramfs *r, const char *path, struct trawl_error *err)
{
	char to[PATH_MAX];

	if (*path != '/')
		return 0; /* the vDSO */
	snprintf(to, sizeof(to), "/lib/%s", strrchr(path, '/') + 1);
	return initramfs_file(r, strstr(to, "/ld-") ? path : to, path, err);
}

struct own {
	struct initramfs *r;
	struct trawl_error *err;
};

static int own_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct own *o = arg;

	return library(o->r, info->dlpi_name, o->err);
}

int initramfs_self(struct initramfs *r, struct trawl_error *err)
{
	struct own o = {r, err};

	return initramfs_file(r, "/init", "/proc/self/exe", err) || dl_iterate_phdr(own_library, &o)
		? -1
		: 0;
}

/* Reads the path of an ELF file's dynamic loader. False if it is no ELF file or needs none. */
static bool loader_of(FILE *in, char *loader, size_t room)
{
	ElfW(Ehdr) e;
	ElfW(Phdr) p;
	size_t n;

	if (fread(&e, sizeof(e), 1, in) != 1 || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    e.e_phentsize != sizeof(p))
		return false;
	for (unsigned int i = 0; i < e.e_phnum; i++) {
		if (fseek(in, (long)(e.e_phoff + i * sizeof(p)), SEEK_SET) ||
		    fread(&p, sizeof(p), 1, in) != 1)
			return false;
		if (p.p_type != PT_INTERP)
			continue;
		n = p.p_filesz < room - 1 ? p.p_filesz : room - 1;
		if (fseek(in, (long)p.p_offset, SEEK_SET) || fread(loader, 1, n, in) != n)
			return false;
		loader[n] = '\0';
		return true;
	}
	return false;
}

/* Adds the libraries that the dynamic loader lists: lines "NAME => PATH (ADDRESS)". */
static int libraries(struct initramfs *r, const char *loader, const char *path,
		     struct trawl_error *err)
{
	int ends[2], status, ret = 0;
	char line[PATH_MAX + 200], *at;
	FILE *in;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return failed(path, err);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		execl(loader, loader, "--list", path, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	in = fdopen(ends[0], "r");
	while (in && !ret && fgets(line, sizeof(line), in)) {
		at = strstr(line, " (0x");
		if (!at)
			continue;
		*at = '\0';
		at = strchr(line, '/');
		ret = at ? library(r, at, err) : 0;
	}
	if (in)
		fclose(in);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return failed(path, err);
	return ret;
}

int initramfs_program(struct initramfs *r, const char *path, struct trawl_error *err)
{
	char loader[PATH_MAX];
	FILE *in = fopen(path, "re");
	int ret;

	if (!in)
		return failed(path, err);
	ret = initramfs_file(r, path, path, err);
	rewind(in);
	if (!ret && loader_of(in, loader, sizeof(loader)))
		ret = initramfs_file(r, loader, loader, err) || libraries(r, loader, path, err) ? -1
												: 0;
	fclose(in);
	return ret;
}

int initramfs_end(struct initramfs *r, struct trawl_error *err)
{
	if (header(r, "TRAILER!!!", 0, 0, 0, err))
		return -1;
	if (fflush(r->out) || ferror(r->out))
		return failed("the initial file system", err);
	return 0;
}
