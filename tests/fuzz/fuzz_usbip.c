/* SPDX-License-Identifier: MIT */
/* Any bytes as messages of a usbip host: read, answered, and freed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "replay/usbip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(struct usbip *u, struct usbip_urb *urb)
{
	static const uint8_t reply[4096];
	uint32_t n = urb->length < sizeof(reply) ? urb->length : sizeof(reply);

	/* the announced data is present: AddressSanitizer checks that all of it can be read */
	if (urb->data && urb->length && memchr(urb->data, 0xa5, urb->length))
		n /= 2;
	for (uint32_t i = 0; i < urb->npackets; i++)
		if (urb->packets[i].offset > urb->length ||
		    urb->packets[i].length > urb->length - urb->packets[i].offset)
			abort();
	usbip_answer(u, urb, 0, urb->in ? reply : NULL, n);
	usbip_urb_free(urb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usbip u = USBIP_NOTHING;
	struct trawl_error err;
	struct usbip_urb *urb;
	uint32_t number, victim;
	int pair[2], got = 1;
	char drain[8192];

	if (size > 100000 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return 0;
	u.fd = pair[0];
	if (write(pair[1], data, size) != (ssize_t)size)
		size = 0;
	shutdown(pair[1], SHUT_WR);
	while (got >= 0 && usbip_read(&u, false) >= 0) {
		while ((got = usbip_next(&u, &urb, &number, &victim, &err)) > 0) {
			if (got == USBIP_SUBMIT)
				answer(&u, urb);
			else
				usbip_answer_unlink(&u, number, -104);
			while (read(pair[1], drain, sizeof(drain)) > 0)
				;
		}
	}
	usbip_close(&u);
	close(pair[1]);
	return 0;
}
