/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a capture of a USB device that is replayed: read as a tape, exported as a program
 * and as a list, and played to a host that enumerates it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/import/foreign.h"
#include "replay/hostprogram.h"
#include "replay/player.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* A request for `length` bytes of an endpoint, as usbip sends it. */
static void ask(int fd, uint32_t number, uint8_t endpoint, const uint8_t *setup, uint32_t length)
{
	uint8_t m[48] = {0};

	put(m, USBIP_SUBMIT);
	put(m + 4, number);
	put(m + 8, 1u << 16 | 1);
	put(m + 12, 1);
	put(m + 16, endpoint);
	put(m + 24, length);
	put(m + 32, UINT32_MAX);
	if (setup)
		memcpy(m + 40, setup, 8);
	if (write(fd, m, sizeof(m)) != sizeof(m))
		abort();
}

static void play(struct tape *t)
{
	static const uint8_t setups[][8] = {
		{0x80, 6, 0, 1, 0, 0, 18, 0}, {0x80, 6, 0, 2, 0, 0, 255, 0},
		{0x80, 6, 1, 3, 9, 4, 255, 0}, {0, 9, 1, 0, 0, 0, 0, 0},
		{0xa1, 0xfe, 0, 0, 0, 0, 1, 0},
	};
	struct player_options o = {.timeout = 1000000, .partial = true};
	struct verdict v = {0};
	struct trawl_error err;
	struct player *p = player_new(t, &o, &v, &err);
	struct usbip u = USBIP_NOTHING;
	sig_atomic_t stop = 0;
	char text[200];
	int pair[2];

	for (unsigned int i = 0; p && player_note(p, i, text, sizeof(text)); i++)
		;
	if (p && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		for (uint32_t i = 0; i < ARRAY_SIZE(setups); i++)
			ask(pair[1], i + 1, 0, setups[i], setups[i][6]);
		for (uint32_t i = 1; i < 16; i++)
			ask(pair[1], 100 + i, (uint8_t)i, NULL, 512);
		shutdown(pair[1], SHUT_WR);
		u.fd = pair[0];
		if (player_run(p, &u, &stop, &err) >= 0)
			player_finish(p);
		usbip_close(&u);
		close(pair[1]);
	}
	player_free(p);
}

static void tell(const struct tape *t)
{
	void (*const forms[])(const struct tape *, const char *, struct out *) = {
		hostprogram_c, hostprogram_python};
	struct out o;

	for (int i = 0; i < 3; i++) {
		out_memory(&o);
		if (i < 2)
			forms[i](t, "capture", &o);
		else
			hostprogram_list(t, &o);
		out_free(&o);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct tape_file file = { 0 };
	struct trawl_error err;
	struct foreign f;
	struct tape t;
	char path[32];

	if (fd < 0 || size > 1000000 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file.name = path;
	if (!tape_open(&t, &f, &file, TAPE_UNCAGED, &err)) {
		if (t.device.known)
			tell(&t);
		if (!standard_check(&t, "capture", true, &err))
			play(&t);
	}
	tape_free(&t);
	foreign_close(&f);
	close(fd);
	return 0;
}
