/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/probe/list.h"
#include "capture/probe/names.h"
#include "capture/sys/alloc.h"

struct probe_file *probe_list_file(struct probe_list *list, int fd, const char *path, bool deleted,
				   struct trawl_error *err)
{
	struct probe_file *file;
	struct stat st;

	if (fstat(fd, &st) < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: %s", path, strerror(errno));
		close(fd);
		return NULL;
	}
	for (size_t i = 0; i < list->nfiles; i++) {
		file = list->files[i];
		if (file->inode == st.st_ino && file->major == major(st.st_dev) &&
		    file->minor == minor(st.st_dev)) {
			close(fd);
			return file;
		}
	}
	file = xcalloc(1, sizeof(*file));
	file->fd = fd;
	file->path = deleted ? NULL : realpath(path, NULL);
	if (!file->path)
		file->path = xstrdup(path);
	file->given = xstrdup(path);
	file->inode = st.st_ino;
	file->major = major(st.st_dev);
	file->minor = minor(st.st_dev);
	file->size = (uint64_t)st.st_size;
	file->deleted = deleted;
	xgrow(list->files, list->nfiles);
	list->files[list->nfiles++] = file;
	return file;
}

const char *probe_file_name(const struct probe_file *file)
{
	const char *slash = strrchr(file->given, '/');

	return slash ? slash + 1 : file->given;
}

void probe_free(struct probe *p)
{
	for (size_t i = 0; i < p->nsites; i++) {
		struct probe_site *site = &p->sites[i];

		for (size_t k = 0; k < p->nargs; k++) {
			free(site->args[k].note);
			free(site->args[k].fetch);
			free(site->args[k].why);
		}
		free(site->args);
		free(site->symbol);
		free(site->file);
		free(site->to);
		free(site->fetchargs);
	}
	for (size_t k = 0; k < p->nargs; k++) {
		free(p->args[k].label);
		value_names_free(p->args[k].values);
		free(p->args[k].only_if);
	}
	p->file->refs--;
	free(p->sites);
	free(p->args);
	free(p->provider);
	free(p->name);
	free(p->display_name);
	free(p->note);
	free(p->alone);
	free(p);
}

void probe_drop(struct probe_list *list, size_t n)
{
	while (list->n > n)
		probe_free(list->probes[--list->n]);
}

void probe_remark(struct probe_list *list, char *text)
{
	xgrow(list->notes, list->nnotes);
	list->notes[list->nnotes++] = text;
}

void probe_list_shrink(struct probe_list *list, size_t n)
{
	size_t kept = 0;

	probe_drop(list, n);
	for (size_t i = 0; i < list->nfiles; i++) {
		struct probe_file *file = list->files[i];

		if (file->refs) {
			list->files[kept++] = file;
			continue;
		}
		close(file->fd);
		free(file->path);
		free(file->given);
		free(file->build_id);
		free(file);
	}
	list->nfiles = kept;
}

void probe_list_free(struct probe_list *list)
{
	probe_list_shrink(list, 0);
	for (size_t i = 0; i < list->nnotes; i++)
		free(list->notes[i]);
	free(list->notes);
	free(list->probes);
	free(list->files);
	*list = (struct probe_list){ 0 };
}
