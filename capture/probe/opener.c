/* SPDX-License-Identifier: MIT */
#include "capture/probe/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the process; it belongs to no file or probe. 0: whoever asks opens. */
static int asked;

void opener_ask(int socket)
{
	asked = socket;
}

/* ---- asking ------------------------------------------------------------------------------- */

/* Room for one descriptor beside a byte. */
struct parcel {
	char byte;
	struct iovec io;
	struct msghdr message;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control; /* last: it ends with an array */
};

static void parcel_init(struct parcel *p)
{
	memset(p, 0, sizeof(*p));
	p->io = (struct iovec){&p->byte, 1};
	p->message = (struct msghdr){
		.msg_iov = &p->io, .msg_iovlen = 1,
		.msg_control = &p->control, .msg_controllen = sizeof(p->control),
	};
}

int opener_open(const char *path)
{
	size_t n = strlen(path);
	struct cmsghdr *head;
	struct parcel p;
	ssize_t got;
	int fd;

	if (!asked)
		return open(path, O_RDONLY | O_CLOEXEC);
	if (n >= OPENER_PATH_MAX || write(asked, path, n) != (ssize_t)n)
		return -1;
	parcel_init(&p);
	while ((got = recvmsg(asked, &p.message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	head = got == 1 ? CMSG_FIRSTHDR(&p.message) : NULL;
	if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
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

/* A regular file that says that it is an ELF file; -1: it is none. */
static int open_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[4];
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || pread(fd, magic, 4, 0) != 4 ||
			memcmp(magic, "\177ELF", 4))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool opener_answer(int socket, const char *const *folders, size_t n)
{
	char path[OPENER_PATH_MAX];
	struct parcel p;
	ssize_t len = recv(socket, path, sizeof(path) - 1, MSG_DONTWAIT);
	bool sent;
	int fd;

	if (len <= 0 || memchr(path, '\0', (size_t)len))
		return false;
	path[len] = '\0';
	fd = opener_allows(path, folders, n) ? open_elf(path) : -1;
	parcel_init(&p);
	if (fd < 0) {
		p.message.msg_control = NULL;
		p.message.msg_controllen = 0;
	} else {
		p.control.head = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(&p.control.head), &fd, sizeof(fd));
	}
	sent = sendmsg(socket, &p.message, MSG_NOSIGNAL) == 1;
	if (fd >= 0)
		close(fd);
	return sent;
}
