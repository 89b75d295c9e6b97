/* SPDX-License-Identifier: MIT */
#include "capture/probe/opener.h"
#include "capture/sys/fdmessage.h"
#include "common/regular.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The socket to ask at; a property of the process, not of a file or probe. -1: open directly. */
static int parent_socket = -1;

void opener_set_socket(int socket)
{
	parent_socket = socket;
}

/* ---- asking ------------------------------------------------------------------------------- */

int opener_open(const char *path)
{
	size_t len = strlen(path), n;
	int fds[FDMESSAGE_MAX];
	char byte;

	if (parent_socket < 0)
		return open(path, O_RDONLY | O_CLOEXEC);
	if (len >= OPENER_PATH_MAX || write(parent_socket, path, len) != (ssize_t)len)
		return -1;
	return fdmessage_receive(parent_socket, &byte, 1, fds, &n) == 1 && n == 1 ? fds[0] : -1;
}

/* ---- answering ---------------------------------------------------------------------------- */

bool opener_allows(const char *path, const char *const *folders, size_t n)
{
	static const char debug[] = "/usr/lib/debug/";
	const char *name = strrchr(path, '/');

	if (*path != '/' || !name || !name[1] || strstr(path, "/../"))
		return false;
	if (!strncmp(path, debug, sizeof(debug) - 1))
		return true;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(folders[i]);

		if (strncmp(path, folders[i], len))
			continue;
		if (path + len == name ||
		    (path + len + 7 == name && !strncmp(path + len, "/.debug", 7)))
			return true;
	}
	return false;
}

/* Opens a regular file with ELF's magic number; -1 if it is none. */
static int open_elf(const char *path)
{
	int fd = regular_open(path);
	char magic[4];

	if (fd >= 0 && (pread(fd, magic, 4, 0) != 4 || memcmp(magic, "\177ELF", 4))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool opener_answer(int socket, const char *const *folders, size_t n)
{
	char path[OPENER_PATH_MAX];
	ssize_t len = recv(socket, path, sizeof(path) - 1, MSG_DONTWAIT);
	bool sent;
	int fd;

	if (len <= 0 || memchr(path, '\0', (size_t)len))
		return false;
	path[len] = '\0';
	fd = opener_allows(path, folders, n) ? open_elf(path) : -1;
	/* a reader that does not receive the answers is not waited for */
	sent = fdmessage_send(socket, "", 1, &fd, fd >= 0 ? 1 : 0, MSG_DONTWAIT);
	if (fd >= 0)
		close(fd);
	return sent;
}
