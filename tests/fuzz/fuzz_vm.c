/* SPDX-License-Identifier: MIT */
/*
 * What trawl-replay vm reads beside the capture (fuzz_tape). The first byte chooses: what the guest
 * says, its kernel's log, a kernel image, or depmod's lists (modules.dep, modules.alias,
 * modules.builtin, with a byte 0 between them).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/modules.h"
#include "replay/vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("vm", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

/* Aborts if a text of the result has a control character other than those of layout. */
static void check_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' && *text != '\n' && *text != '\t')
			abort();
}

static void listen_to(const uint8_t *data, size_t size)
{
	static const struct vm_machine m = {.quiet = true, .limit = 1000000000};
	struct vm_result r = {.status = -1};
	int fd = file_of(data, size);

	vm_listen(&m, fd, &r);
	check_plain(r.finding);
	close(fd);
}

static void read_console(const uint8_t *data, size_t size)
{
	struct vm_result r = {.status = -1};

	vm_read_console(file_of(data, size), &r, false);
	check_plain(r.complaint);
}

static void read_kernel(const uint8_t *data, size_t size)
{
	int fd = file_of(data, size);
	char path[32], release[128];
	struct trawl_error err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!modules_release(path, release, sizeof(release), &err))
		check_plain(release);
	close(fd);
}

/* A sound card that is a keyboard and a disk, too. */
static void choose_modules(struct modules *m)
{
	static uint8_t config[] = {
		9, 2, 36, 0, 3, 1, 0, 0x80, 50,
		9, 4, 0, 0, 0, 1, 1, 0, 0,
		9, 4, 1, 0, 1, 3, 1, 1, 0,
		9, 4, 2, 0, 2, 8, 6, 0x50, 0,
	};
	static struct tape t = {
		.descriptor = {18, 1, 0, 2, 0, 0, 0, 64, 0x6b, 0x1d, 4, 1, 0, 2},
		.configs = {{.p = config, .len = sizeof(config)}},
		.device = {.vendor = 0x1d6b, .product = 0x104},
	};
	struct trawl_error err;

	modules_has(m, "vhci_hcd");
	modules_choose(m, "vhci_hcd", &err);
	modules_for(m, &t, &err);
}

static void read_lists(const uint8_t *data, size_t size)
{
	struct modules m = {.folder = "/modules"};
	char **lists[] = {&m.dep, &m.alias, &m.builtin};

	for (size_t i = 0; i < 3; i++) {
		size_t n = strnlen((const char *)data, size);

		*lists[i] = strndup((const char *)data, n);
		if (!*lists[i])
			abort();
		n += n < size;
		data += n;
		size -= n;
	}
	choose_modules(&m);
	modules_close(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parts[])(const uint8_t *data, size_t size) = {
		listen_to, read_console, read_kernel, read_lists,
	};

	if (size && size < 100000)
		parts[data[0] % 4](data + 1, size - 1);
	return 0;
}
