/* SPDX-License-Identifier: MIT */
#include "replay/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/import/unpack.h"
#include "decode/usb/descriptor.h"
#include "replay/standard.h"

static char *read_text(const char *folder, const char *name)
{
	char path[PATH_MAX];
	char *text = NULL;
	size_t room = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = fopen(path, "re");
	if (!in)
		return NULL;
	if (getdelim(&text, &room, '\0', in) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(in);
	return text;
}

static bool has_list(const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/modules.dep", folder);
	return !access(path, R_OK);
}

/* Finds lib/modules/RELEASE below a folder, or the only one there if the release is unknown. */
static bool below(struct modules *m, const char *folder, const char *release)
{
	char path[600];
	unsigned int n = 0;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/lib/modules", folder);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (*e->d_name == '.' || (*release && strcmp(release, e->d_name) != 0))
			continue;
		snprintf(path, sizeof(path), "%.300s/lib/modules/%.200s", folder, e->d_name);
		if (!has_list(path))
			continue;
		memcpy(m->folder, path, sizeof(m->folder) - 1);
		n++;
	}
	if (d)
		closedir(d);
	return n == 1;
}

int modules_open(struct modules *m, const char *folder, const char *release,
		 struct trawl_error *err)
{
	*m = (struct modules){0};
	if (!folder)
		return 0;
	if (has_list(folder))
		snprintf(m->folder, sizeof(m->folder), "%s", folder);
	else if (!below(m, folder, release))
		return trawl_fail(err, TRAWL_CANNOT,
				  "--modules %.200s: no modules of %s are there; name the folder "
				  "with modules.dep, or what 'make modules_install "
				  "INSTALL_MOD_PATH=DIR' filled",
				  folder, *release ? release : "one kernel");
	m->dep = read_text(m->folder, "modules.dep");
	m->alias = read_text(m->folder, "modules.alias");
	m->builtin = read_text(m->folder, "modules.builtin");
	if (m->dep && m->alias && m->builtin)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  "--modules %.200s: modules.dep, modules.alias or modules.builtin is "
			  "missing; run depmod",
			  m->folder);
}

void modules_close(struct modules *m)
{
	pathlist_free(&m->chosen);
	free(m->dep);
	free(m->alias);
	free(m->builtin);
	*m = (struct modules){0};
}

/* ---- the kernel's release -------------------------------------------------------------------- */

/*
 * A bzImage has the release at the offset in its header (the kernel's
 * Documentation/arch/x86/boot.rst), a vmlinux in its banner.
 */
int modules_release(const char *image, char *release, size_t room, struct trawl_error *err)
{
	static const char banner[] = "Linux version ";
	int fd = open(image, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const uint8_t *p = MAP_FAILED, *at = NULL;
	size_t n = 0;

	*release = '\0';
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0x1000)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return trawl_fail(err, TRAWL_CANNOT, "--kernel %.200s: %s", image,
				  fd < 0 ? strerror(errno) : "not a kernel image; give a bzImage or vmlinux");
	if (!memcmp(p + 0x202, "HdrS", 4))
		at = p + 0x200 + get16(p + 0x20e);
	else if ((at = memmem(p, (size_t)st.st_size, banner, sizeof(banner) - 1)))
		at += sizeof(banner) - 1;
	for (; at && at + n < p + st.st_size && n + 1 < room && at[n] > ' ' && at[n] < 0x7f; n++)
		release[n] = (char)at[n];
	release[n] = '\0';
	munmap((void *)p, (size_t)st.st_size);
	return 0;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* True if a file in modules.dep is the module `name`; '-' and '_' are equal in names. */
static bool is_named(const char *file, size_t len, const char *name)
{
	const char *base = file + len;
	size_t i;

	while (base > file && base[-1] != '/')
		base--;
	for (i = 0; name[i]; i++)
		if (base + i >= file + len ||
		    (base[i] != name[i] && !(strchr("-_", base[i]) && strchr("-_", name[i]))))
			return false;
	return base + i < file + len && base[i] == '.';
}

/* Finds a module's line in modules.dep or modules.builtin; NULL if there is none. */
static const char *find_line(const char *text, const char *name)
{
	while (text && *text) {
		size_t len = strcspn(text, ":\n");

		if (is_named(text, len, name))
			return text;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return NULL;
}

bool modules_has(const struct modules *m, const char *name)
{
	return find_line(m->dep, name) || find_line(m->builtin, name);
}

int modules_add(struct modules *m, const char *path, struct trawl_error *err)
{
	return pathlist_add(&m->chosen, path, err) < 0 ? -1 : 0;
}

/*
 * depmod's lines are "FILE: FILE FILE"; the dependencies are ordered from the nearest to the
 * farthest, so they are loaded from the last to the first.
 */
int modules_choose(struct modules *m, const char *name, struct trawl_error *err)
{
	const char *line = find_line(m->dep, name), *end, *at;
	char path[PATH_MAX];

	end = line ? line + strcspn(line, "\n") : NULL;
	for (; line && end > line; end = at > line ? at - 1 : line) {
		size_t len;

		for (at = end; at > line && at[-1] != ' '; at--)
			;
		len = (size_t)(end - at);
		len -= len && at[len - 1] == ':';
		snprintf(path, sizeof(path), "%s/%.*s", m->folder, (int)len, at);
		if (len && modules_add(m, path, err))
			return -1;
	}
	return 0;
}

/* Chooses every module with an alias that matches a device's modalias. */
static int choose_alias(struct modules *m, const char *device, struct trawl_error *err)
{
	const char *line = m->alias;
	char copy[420], pattern[300], name[100];

	while (line && *line) {
		/* sscanf() measures its whole text first: it gets one line. */
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
		if (sscanf(copy, "alias %299s %99s", pattern, name) == 2 &&
		    !fnmatch(pattern, device, 0) && modules_choose(m, name, err))
			return -1;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return 0;
}

/* Modules that are loaded after the driver of an interface of this class. */
static const char *const after[][4] = {
	[0x01] = {"snd-usb-audio"},
	[0x03] = {"usbhid", "hid-generic", "evdev", "hidraw"},
	[0x08] = {"sd_mod", "sr_mod"},
};

static int choose_behind(struct modules *m, uint8_t class, const struct tape *t,
			 struct trawl_error *err)
{
	char alias[80];

	if (class >= ARRAY_SIZE(after))
		return 0;
	for (unsigned int i = 0; i < 4 && after[class][i]; i++)
		if (modules_choose(m, after[class][i], err))
			return -1;
	if (class != 0x03)
		return 0;
	snprintf(alias, sizeof(alias), "hid:b0003g0001v%08Xp%08X", t->device.vendor,
		 t->device.product);
	return choose_alias(m, alias, err);
}

int modules_for(struct modules *m, const struct tape *t, struct trawl_error *err)
{
	const struct usb_config *c = tape_config(t);
	struct descriptor_walk w = descriptor_walk(c->p, c->len);
	const uint8_t *d = t->descriptor;
	struct descriptor x;
	char alias[120];

	while (descriptor_next(&w, &x)) {
		if (x.type != DESC_INTERFACE || x.room < 9)
			continue;
		snprintf(alias, sizeof(alias),
			 "usb:v%04Xp%04Xd%04Xdc%02Xdsc%02Xdp%02Xic%02Xisc%02Xip%02Xin%02X",
			 get16(d + 8), get16(d + 10), get16(d + 12), d[4], d[5], d[6], x.p[5],
			 x.p[6], x.p[7], x.p[2]);
		if (choose_alias(m, alias, err) || choose_behind(m, x.p[5], t, err))
			return -1;
	}
	return 0;
}

/* ---- packing --------------------------------------------------------------------------------- */

static int pack(const char *path, unsigned int number, struct initramfs *r, struct trawl_error *err)
{
	FILE *in = fopen(path, "re"), *plain = NULL;
	char to[32];
	int fd, ret = -1;

	snprintf(to, sizeof(to), "/modules/%03u", number);
	if (!in)
		return trawl_fail(err, TRAWL_CANNOT, "%.300s: %s", path, strerror(errno));
	if (!unpack_is_compressed(in)) {
		ret = initramfs_stream(r, to, in, 0644, err);
	} else if ((fd = unpack_temporary(err)) >= 0) {
		plain = fdopen(fd, "r+");
		if (plain && !unpack(in, fd, path, NULL, err))
			ret = initramfs_stream(r, to, plain, 0644, err);
	}
	if (plain)
		fclose(plain);
	fclose(in);
	return ret;
}

int modules_pack(const struct modules *m, struct initramfs *r, struct trawl_error *err)
{
	if (initramfs_folder(r, "/modules", err))
		return -1;
	for (size_t i = 0; i < m->chosen.n; i++)
		if (pack(m->chosen.path[i], (unsigned int)i, r, err))
			return -1;
	return 0;
}
