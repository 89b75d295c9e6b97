/* SPDX-License-Identifier: MIT */
/* Any bytes as a file to be imported: pcap, pcapng, usbmon text; also compressed. */
#include "decode/import/foreign.h"
#include "decode/import/unpack.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	enum foreign_kind kind;
	struct usb_import im;
	struct trawl_error err;

	if (!in || write(fd, data, size) != (ssize_t)size)
		return 0;
	rewind(in);
	if (unpack_is_compressed(in)) {
		FILE *plain = tmpfile();
		bool bad = !plain || unpack(in, fileno(plain), "input", foreign_front, &err);

		fclose(in);
		in = plain;
		if (bad) {
			if (in)
				fclose(in);
			return 0;
		}
		rewind(in);
	}
	kind = foreign_kind(in);
	if (kind != FOREIGN_NONE) {
		struct foreign_output out = {
			.fd = open("/dev/null", O_WRONLY | O_CLOEXEC), .name = "output",
			.level = FOREIGN_FAST,
		};

		if (foreign_import(in, kind, "input", &out, &im, &err) == 0)
			foreign_verdict(&im, "input", &err);
	}
	fclose(in);
	return 0;
}
