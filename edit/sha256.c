/* SPDX-License-Identifier: MIT */
#include "edit/sha256.h"

#include <errno.h>
#include <sha2.h>
#include <unistd.h>

bool sha256_file(int fd, char text[65], const volatile sig_atomic_t *stop)
{
	uint8_t p[1 << 16];
	SHA2_CTX s;
	off_t at = 0;
	ssize_t n;

	SHA256Init(&s);
	do {
		if (stop && *stop) {
			errno = EINTR;
			return false;
		}
		n = pread(fd, p, sizeof(p), at);
		if (n > 0) {
			SHA256Update(&s, p, (size_t)n);
			at += n;
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	SHA256End(&s, text);
	return !n;
}
