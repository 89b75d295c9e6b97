/* SPDX-License-Identifier: MIT */
#include "replay/usbip.h"
#include "common/array.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADER 48
#define PACKET 16
#define BUFFER_MAX (64u << 20) /* most bytes of an URB; the kernel's limit for usbfs is lower */
#define PACKETS_MAX 1024       /* USBIP_MAX_ISO_PACKETS */
#define READ_STEP (256u << 10)

static uint32_t get(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static void put_short(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void usbip_urb_free(struct usbip_urb *u)
{
	if (!u)
		return;
	free(u->data);
	free(u->packets);
	free(u);
}

/* ---- messages -------------------------------------------------------------------------------- */

int usbip_read(struct usbip *u, bool wait)
{
	ssize_t n;

	if (!array_reserve(u->in, u->room, u->used + READ_STEP))
		return -1;
	do
		n = recv(u->fd, u->in + u->used, u->room - u->used,
			 wait ? 0 : MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return -1;
	u->used += (size_t)n;
	return 0;
}

static void drop(struct usbip *u, size_t n)
{
	u->used -= n;
	memmove(u->in, u->in + n, u->used);
}

static int take_packets(struct usbip_urb *urb, const uint8_t *p)
{
	urb->packets = calloc(urb->npackets, sizeof(*urb->packets));
	if (!urb->packets)
		return -1;
	for (uint32_t i = 0; i < urb->npackets; i++, p += PACKET) {
		urb->packets[i] = (struct usbip_packet){.offset = get(p), .length = get(p + 4)};
		if (urb->packets[i].offset > urb->length ||
		    urb->packets[i].length > urb->length - urb->packets[i].offset)
			return -1;
	}
	return 0;
}

static int refuse(struct trawl_error *err, const char *what)
{
	return trawl_fail(err, TRAWL_CANNOT,
			  "the host's side of usbip sent %s; it may be another version", what);
}

/*
 * Parses a SUBMIT at the front of the buffer. Returns USBIP_SUBMIT; 0 if it is incomplete; -1 with
 * *err.
 */
static int submit(struct usbip *u, struct usbip_urb **out, struct trawl_error *err)
{
	const uint8_t *p = u->in;
	uint32_t length = get(p + 24), n = get(p + 32);
	bool in = get(p + 12);
	struct usbip_urb *urb;
	size_t size;

	if (n == UINT32_MAX)
		n = 0;
	if (length > BUFFER_MAX || n > PACKETS_MAX)
		return refuse(err, "an URB of an invalid size");
	size = HEADER + (in ? 0 : length) + (size_t)n * PACKET;
	if (u->used < size)
		return 0;
	urb = calloc(1, sizeof(*urb));
	if (!urb || (!in && !(urb->data = malloc(length + 1)))) {
		usbip_urb_free(urb);
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	}
	urb->seqnum = get(p + 4);
	urb->in = in;
	urb->endpoint = (uint8_t)((get(p + 16) & 15) | (in ? 0x80 : 0));
	urb->length = length;
	urb->npackets = n;
	urb->interval = get(p + 36);
	memcpy(urb->setup, p + 40, 8);
	if (!in)
		memcpy(urb->data, p + HEADER, length);
	if (n && take_packets(urb, p + size - (size_t)n * PACKET)) {
		usbip_urb_free(urb);
		return refuse(err, "invalid isochronous packets");
	}
	drop(u, size);
	*out = urb;
	return USBIP_SUBMIT;
}

int usbip_next(struct usbip *u, struct usbip_urb **urb, uint32_t *seqnum, uint32_t *victim,
	       struct trawl_error *err)
{
	if (u->used < HEADER)
		return 0;
	switch (get(u->in)) {
	case USBIP_SUBMIT:
		return submit(u, urb, err);
	case USBIP_UNLINK:
		*seqnum = get(u->in + 4);
		*victim = get(u->in + 20);
		drop(u, HEADER);
		return USBIP_UNLINK;
	default:
		return refuse(err, "an unknown command");
	}
}

/* Sends everything. -1: the other side is gone. */
static int send_all(int fd, struct iovec *v, int n)
{
	struct msghdr m = {.msg_iov = v, .msg_iovlen = (size_t)n};

	while (m.msg_iovlen) {
		ssize_t k = sendmsg(fd, &m, MSG_NOSIGNAL);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			poll(&p, 1, -1);
			continue;
		}
		if (k < 0)
			return -1;
		while (m.msg_iovlen && (size_t)k >= m.msg_iov->iov_len) {
			k -= (ssize_t)m.msg_iov->iov_len;
			m.msg_iov++;
			m.msg_iovlen--;
		}
		if (m.msg_iovlen) {
			m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + k;
			m.msg_iov->iov_len -= (size_t)k;
		}
	}
	return 0;
}

int usbip_answer(struct usbip *u, const struct usbip_urb *urb, int32_t status, const void *data,
		 uint32_t n)
{
	uint8_t head[HEADER] = {0};
	uint8_t *packets = NULL;
	uint32_t errors = 0;
	struct iovec v[3] = {{head, HEADER}, {(void *)data, urb->in ? n : 0}, {NULL, 0}};
	int ret;

	if (urb->npackets) {
		packets = calloc(urb->npackets, PACKET);
		if (!packets)
			return -1;
		for (uint32_t i = 0; i < urb->npackets; i++) {
			const struct usbip_packet *p = &urb->packets[i];

			put(packets + i * PACKET, p->offset);
			put(packets + i * PACKET + 4, p->length);
			put(packets + i * PACKET + 8, p->actual);
			put(packets + i * PACKET + 12, (uint32_t)p->status);
			errors += p->status != 0;
		}
		v[2] = (struct iovec){packets, (size_t)urb->npackets * PACKET};
	}
	put(head, USBIP_RET_SUBMIT);
	put(head + 4, urb->seqnum);
	put(head + 20, (uint32_t)status);
	put(head + 24, n);
	put(head + 32, urb->npackets);
	put(head + 36, errors);
	ret = send_all(u->fd, v, 3);
	free(packets);
	return ret;
}

int usbip_answer_unlink(struct usbip *u, uint32_t seqnum, int32_t status)
{
	uint8_t head[HEADER] = {0};
	struct iovec v = {head, HEADER};

	put(head, USBIP_RET_UNLINK);
	put(head + 4, seqnum);
	put(head + 20, (uint32_t)status);
	return send_all(u->fd, &v, 1);
}

/* ---- vhci_hcd -------------------------------------------------------------------------------- */

#define VHCI "/sys/devices/platform"

static bool has_vhci(void)
{
	return !access(VHCI "/vhci_hcd.0/status", F_OK);
}

static void load_vhci(void)
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDERR_FILENO);
		execlp("modprobe", "modprobe", "-q", "vhci_hcd", (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Finds the first free port of a hub type ("hs", "ss") in a status file; -1 if there is none. */
static int free_port(const char *path, const char *hub)
{
	char line[160], kind[8];
	unsigned int port, state;
	FILE *f = fopen(path, "re");
	int found = -1;

	while (f && found < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%7s %u %u", kind, &port, &state) == 3 && !strcmp(kind, hub) &&
		    state == 4)
			found = (int)port;
	if (f)
		fclose(f);
	return found;
}

/* The ports of all controllers are listed in vhci_hcd.0's files status, status.1, ... */
static int find_port(const char *hub)
{
	char path[128];
	int port = -1;

	for (int i = 0; port < 0 && i < 128; i++) {
		snprintf(path, sizeof(path),
			 i ? VHCI "/vhci_hcd.0/status.%d" : VHCI "/vhci_hcd.0/status", i);
		if (access(path, F_OK))
			break;
		port = free_port(path, hub);
	}
	return port;
}

static int cannot_attach(int why, struct trawl_error *err)
{
	if (why == EACCES || why == EPERM)
		return trawl_fail(err, TRAWL_CANNOT,
				  "vhci_hcd: no permission to plug a device in; run as root, or use "
				  "--listen and have root run 'usbip attach'");
	return trawl_fail(err, TRAWL_CANNOT, "vhci_hcd: cannot plug the device in: %s",
			  strerror(why));
}

static int attach(struct usbip *u, int fd, enum usbip_speed speed, struct trawl_error *err)
{
	const char *hub = speed >= USBIP_SUPER ? "ss" : "hs";
	char text[64];

	/* Another process may take the port first: then the next one is tried. */
	for (int tries = 0; tries < 16; tries++) {
		u->port = find_port(hub);
		if (u->port < 0)
			return trawl_fail(err, TRAWL_CANNOT,
					  "vhci_hcd: no %s port is free: detach a device (usbip "
					  "port, usbip detach -p N)",
					  speed >= USBIP_SUPER ? "SuperSpeed" : "USB 2");
		snprintf(text, sizeof(text), "%d %d %u %d", u->port, fd,
			 1u << 16 | (unsigned int)u->port, (int)speed);
		if (pwrite(u->attach, text, strlen(text), 0) > 0)
			return 0;
		if (errno != EBUSY)
			break;
	}
	u->port = -1;
	return cannot_attach(errno, err);
}

void usbip_prepare(struct usbip *u)
{
	*u = USBIP_NOTHING;
	if (!has_vhci())
		load_vhci();
	u->attach = open(VHCI "/vhci_hcd.0/attach", O_WRONLY | O_CLOEXEC);
	u->why = errno;
	if (u->attach >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, u->pair)) {
		u->why = errno;
		close(u->attach);
		u->attach = -1;
	}
}

int usbip_plug(struct usbip *u, enum usbip_speed speed, struct trawl_error *err)
{
	int ret;

	if (!has_vhci())
		return trawl_fail(err, TRAWL_CANNOT,
				  "vhci_hcd: is not loaded; as root, 'modprobe vhci_hcd' (a "
				  "kernel with CONFIG_USBIP_VHCI_HCD), or use --listen for "
				  "another machine's");
	if (u->attach < 0)
		return cannot_attach(u->why, err);
	u->fd = u->pair[0];
	u->pair[0] = -1;
	ret = attach(u, u->pair[1], speed, err);
	close(u->pair[1]);
	u->pair[1] = -1;
	return ret;
}

void usbip_stop(const struct usbip *u)
{
	/* The kernel unplugs the device then. */
	if (u->fd >= 0)
		shutdown(u->fd, SHUT_RDWR);
}

void usbip_close(struct usbip *u)
{
	usbip_stop(u);
	if (u->fd >= 0)
		close(u->fd);
	for (int i = 0; i < 2; i++)
		if (u->pair[i] >= 0)
			close(u->pair[i]);
	if (u->attach >= 0)
		close(u->attach);
	if (u->listener >= 0)
		close(u->listener);
	free(u->in);
	*u = USBIP_NOTHING;
}

/* ---- over TCP -------------------------------------------------------------------------------- */

#define VERSION 0x0111
enum {
	OP_REQ_IMPORT = 0x8003,
	OP_REP_IMPORT = 0x0003,
	OP_REQ_DEVLIST = 0x8005,
	OP_REP_DEVLIST = 0x0005
};
#define BUSID "1-1"

void usbip_listen(struct usbip *u, uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	socklen_t n = sizeof(a);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	*u = USBIP_NOTHING;
	u->tcp_port = port;
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 4) &&
	    !getsockname(fd, (struct sockaddr *)&a, &n)) {
		u->listener = fd;
		u->tcp_port = ntohs(a.sin_port); /* for port 0, the kernel has chosen one */
		return;
	}
	u->why = errno;
	if (fd >= 0)
		close(fd);
}

int usbip_listens(const struct usbip *u, struct trawl_error *err)
{
	if (u->listener >= 0)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "--listen %u: %s%s", u->tcp_port, strerror(u->why),
			  u->why == EADDRINUSE ? ": choose another port (usbip --tcp-port)" : "");
}

/*
 * Writes the description of a device, 312 bytes; in a list 4 bytes for each interface follow.
 * Returns the length.
 */
static size_t describe(const struct usbip_device *d, bool list, uint8_t *p)
{
	const uint8_t *x = d->descriptor, *c = d->config, *end = c + d->config_len;
	uint8_t *interfaces = p + 312;
	unsigned int n = 0;

	memset(p, 0, 312);
	strcpy((char *)p, "/sys/devices/trawl-replay/" BUSID);
	strcpy((char *)p + 256, BUSID);
	put(p + 288, 1);
	put(p + 292, 2);
	put(p + 296, d->speed);
	put_short(p + 300, (uint16_t)(x[8] | x[9] << 8));
	put_short(p + 302, (uint16_t)(x[10] | x[11] << 8));
	put_short(p + 304, (uint16_t)(x[12] | x[13] << 8));
	memcpy(p + 306, x + 4, 3);
	p[309] = d->config_len > 5 ? c[5] : 0;
	p[310] = x[17];
	for (; end - c >= 2 && c[0] >= 2 && c[0] <= end - c && n < 32; c += c[0]) {
		if (c[1] != 4 || c[0] < 9 || c[3])
			continue;
		memcpy(interfaces + 4 * n, c + 5, 3);
		interfaces[4 * n++ + 3] = 0;
	}
	p[311] = (uint8_t)n;
	return list ? 312 + 4 * n : 312;
}

static bool receive(int fd, void *p, size_t n)
{
	return recv(fd, p, n, MSG_WAITALL) == (ssize_t)n;
}

/*
 * Serves one request of a client. Returns 1 if it imported the device, 0 if it may send another, -1
 * if it is gone.
 */
static int serve(int fd, const struct usbip_device *d)
{
	uint8_t request[8], reply[12 + 312 + 32 * 4] = {0};
	char busid[32];
	size_t n = 8;
	bool import, good;

	if (!receive(fd, request, sizeof(request)))
		return -1;
	import = (request[2] << 8 | request[3]) == OP_REQ_IMPORT;
	good = import || (request[2] << 8 | request[3]) == OP_REQ_DEVLIST;
	if (!good || (import && !receive(fd, busid, sizeof(busid))))
		return -1;
	put_short(reply, VERSION);
	put_short(reply + 2, import ? OP_REP_IMPORT : OP_REP_DEVLIST);
	if (import && strncmp(busid, BUSID, sizeof(busid))) {
		good = false;
		put(reply + 4, 1);
	} else if (import) {
		n += describe(d, false, reply + 8);
	} else {
		put(reply + 8, 1);
		n += 4 + describe(d, true, reply + 12);
	}
	if (send_all(fd, &(struct iovec){reply, n}, 1))
		return -1;
	return import && good;
}

int usbip_accept(struct usbip *u, const struct usbip_device *d, struct trawl_error *err)
{
	int fd, got = 0, on = 1;

	while (got <= 0) {
		fd = accept4(u->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			return trawl_fail(err, TRAWL_CANNOT,
					  errno == EINTR ? "interrupted before a client came"
							 : "--listen: no client: %s",
					  strerror(errno));
		do
			got = serve(fd, d);
		while (!got);
		if (got < 0)
			close(fd);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	u->fd = fd;
	close(u->listener);
	u->listener = -1;
	return 0;
}
