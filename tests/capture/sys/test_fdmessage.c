/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/sys/fdmessage.h"

/* Simulates a peer that sends n descriptors, which fdmessage_send() refuses. */
static void send_many(int socket, size_t n)
{
	union {
		struct cmsghdr head;
		char room[256];
	} control = {.head = {.cmsg_len = CMSG_LEN(n * sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	char byte = 0;
	struct iovec io = {&byte, 1};
	struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = &control,
				 .msg_controllen = CMSG_SPACE(n * sizeof(int))};
	int *fds = (int *)CMSG_DATA(&control.head);

	for (size_t i = 0; i < n; i++)
		fds[i] = STDERR_FILENO;
	cr_assert_eq(sendmsg(socket, &message, 0), 1);
}

Test(fdmessage, more_descriptors_than_room)
{
	for (size_t sent = FDMESSAGE_MAX; sent < FDMESSAGE_MAX + 4; sent++) {
		struct {
			int fds[FDMESSAGE_MAX], behind;
		} got = {.behind = -7};
		int pair[2];
		char byte;
		size_t n;

		cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
		send_many(pair[0], sent);
		cr_expect_eq(fdmessage_receive(pair[1], &byte, 1, got.fds, &n), 1);
		cr_expect_eq(n, FDMESSAGE_MAX, "%zu of %zu", n, sent);
		cr_expect_eq(got.behind, -7, "%zu sent: the int behind fds is %d", sent, got.behind);
		for (size_t i = 0; i < n && i < FDMESSAGE_MAX; i++)
			close(got.fds[i]);
		close(pair[0]);
		close(pair[1]);
	}
}
