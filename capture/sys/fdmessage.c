/* SPDX-License-Identifier: MIT */
#include "capture/sys/fdmessage.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(FDMESSAGE_MAX * sizeof(int))];
};

bool fdmessage_send(int socket, const void *bytes, size_t len, const int *fds, size_t n,
		    int flags)
{
	struct iovec io = { (void *)(uintptr_t)bytes, len };
	struct msghdr message = { .msg_iov = &io, .msg_iovlen = 1 };
	union control control = { 0 };

	if (n > FDMESSAGE_MAX) {
		errno = EINVAL;
		return false;
	}
	if (n) {
		control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(n * sizeof(int)),
						.cmsg_level = SOL_SOCKET,
						.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.head), fds, n * sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(n * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL | flags) == (ssize_t)len;
}

ssize_t fdmessage_receive(int socket, void *bytes, size_t room, int fds[FDMESSAGE_MAX], size_t *n)
{
	struct iovec io = { bytes, room };
	union control control = { 0 };
	/* Not the size of the union: alignment makes room for one descriptor more there. */
	struct msghdr message = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = CMSG_LEN(FDMESSAGE_MAX * sizeof(int)) };
	const struct cmsghdr *head;
	ssize_t got;

	*n = 0;
	while ((got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
		*n = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(head), *n * sizeof(int));
	}
	return got;
}
