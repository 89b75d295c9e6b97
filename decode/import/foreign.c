/* SPDX-License-Identifier: MIT */
#include "decode/import/foreign.h"
#include "common/array.h"
#include "common/pcapng.h"
#include "decode/import/unpack.h"
#include "decode/base/bytes.h"
#include "decode/usb/usbmontext.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD 65536

/*
 * Whether the file is a pcapng file of another program. .trawl files are valid pcapng files; any
 * block of ours identifies one, however damaged the other blocks are. A file that ends before its
 * first interface has nothing to import and may be a damaged .trawl file.
 */
static bool is_foreign_pcapng(FILE *in)
{
	uint8_t p[12];
	bool swapped = false;
	long at = 0;

	while (!fseek(in, at, SEEK_SET) && fread(p, 1, sizeof(p), in) == sizeof(p)) {
		uint32_t type, len;

		if (get32(p) == PCAPNG_SECTION)
			swapped = get_be32(p + 8) == PCAPNG_BYTE_ORDER;
		type = swapped ? get_be32(p) : get32(p);
		len = swapped ? get_be32(p + 4) : get32(p + 4);
		if (type == PCAPNG_INTERFACE)
			return !trawl_is_ours(fileno(in));
		if (len < 12)
			break;
		at += (len + 3l) & ~3l;
	}
	return false;
}

enum foreign_kind foreign_kind(FILE *in)
{
	uint8_t head[HEAD];
	size_t n = fread(head, 1, sizeof(head), in);
	uint32_t le = n >= 12 ? get32(head) : 0, be = n >= 12 ? get_be32(head) : 0;

	if (le == PCAPNG_SECTION) {
		bool foreign = is_foreign_pcapng(in);

		rewind(in);
		return foreign ? FOREIGN_PCAPNG : FOREIGN_NONE;
	}
	rewind(in);
	/* microseconds, nanoseconds, and the modified format of old Red Hat releases */
	if (le == 0xa1b2c3d4 || be == 0xa1b2c3d4 || le == 0xa1b23c4d || be == 0xa1b23c4d ||
	    le == 0xa1b2cd34 || be == 0xa1b2cd34)
		return FOREIGN_PCAP;
	return usbmontext_probe((const char *)head, n) ? FOREIGN_USBMON : FOREIGN_NONE;
}

static int read_all(FILE *in, enum foreign_kind kind, const char *name, struct usb_import *im,
		    struct trawl_error *err)
{
	switch (kind) {
	case FOREIGN_PCAP:
		return pcap_import(im, in, name, err);
	case FOREIGN_PCAPNG:
		return pcapng_import(im, in, name, err);
	case FOREIGN_USBMON:
		return usbmontext_import(im, in, name, err);
	case FOREIGN_NONE:
		break;
	}
	return trawl_fail(err, TRAWL_CANNOT, "%s: neither pcap nor pcapng nor usbmon text", name);
}

/*
 * The counting pass: finds what must be written before the first event. Errors in the file are
 * reported by the import that follows.
 */
static int count(FILE *in, enum foreign_kind kind, const char *name, struct usb_import *im,
		 struct trawl_error *err)
{
	struct trawl_error unused;

	if (usb_import_count(im, name, err))
		return -1;
	if (!read_all(in, kind, name, im, &unused))
		usbpcap_end(im, &unused);
	rewind(in);
	return 0;
}

int foreign_import(FILE *in, enum foreign_kind kind, const char *name,
		   const struct foreign_output *out, struct usb_import *im,
		   struct trawl_error *err)
{
	struct trawl_writer_options o = {
		.comment = "USB capture, imported", .name = out->name, .level = out->level,
	};
	struct trawl_writer *w = trawl_writer_new(out->fd, &o, err);
	struct usb_import counted = {0};
	struct trawl_error late;
	int ret;

	memset(im, 0, sizeof(*im));
	if (!w)
		return -1;
	ret = count(in, kind, name, &counted, err);
	if (!ret)
		ret = usb_import_begin(im, w, name, &counted, err);
	usb_import_free(&counted);
	im->usb_linktype = out->usb ? *out->usb : 0;
	if (!ret)
		ret = read_all(in, kind, name, im, err);
	if (!ret)
		ret = usb_import_finish(im, err);
	if (out->usb)
		*out->usb = im->usb_linktype;
	usb_import_free(im);
	if (trawl_writer_close(w, &late) < 0 && !ret) {
		*err = late;
		ret = -1;
	}
	return ret;
}

/* Advice for link types that are not supported. */
static const char *linktype_remedy(uint32_t linktype)
{
	/* Two different formats use this number, and neither is documented. */
	if (linktype == 186)
		return "FreeBSD and libpcap before 1.0 use it for different formats; record on "
		       "Linux, macOS or Windows (USBPcap)";
	return "only USB is imported (189, 220, 249, 266, 288, 293 to 295)";
}

int foreign_verdict(const struct usb_import *im, const char *name, struct trawl_error *err)
{
	bool nothing = im->other && !im->events; /* no events for reasons other than damage */

	if (im->cut_at && !im->events && !nothing)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: is damaged after byte %llu, before the first event; nothing "
				  "was imported",
				  name, (unsigned long long)im->cut_at);
	if (im->cut_at && !nothing)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: is damaged after byte %llu; the %llu event%s before it %s "
				  "imported",
				  name, (unsigned long long)im->cut_at,
				  (unsigned long long)im->events, im->events == 1 ? "" : "s",
				  im->events == 1 ? "was" : "were");
	if (im->bad)
		return trawl_fail(err, TRAWL_BAD_DATA, "%s: %llu event%s left out; the first: %s",
				  name, (unsigned long long)im->bad, im->bad == 1 ? "" : "s",
				  im->bad_what);
	if (nothing)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: has no USB%s, but %llu packet%s of link type %u: %s", name,
				  im->other_linktype == 186 ? " that can be read" : "",
				  (unsigned long long)im->other, im->other == 1 ? "" : "s",
				  im->other_linktype, linktype_remedy(im->other_linktype));
	if (im->other)
		return trawl_fail(err, TRAWL_BAD_DATA,
				  "%s: %llu packet%s left out, the first of link type %u: %s", name,
				  (unsigned long long)im->other, im->other == 1 ? "" : "s",
				  im->other_linktype, linktype_remedy(im->other_linktype));
	return 0;
}

/*
 * Opens a copy of a descriptor as a stream positioned at its start. Returns NULL with *err on
 * failure.
 */
static FILE *stream_of(int fd, const char *name, struct trawl_error *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	FILE *in = copy < 0 ? NULL : fdopen(copy, "r");

	if (in) {
		rewind(in);
		return in;
	}
	trawl_fail(err, TRAWL_CANNOT, "%s: %s", name, strerror(errno));
	if (copy >= 0)
		close(copy);
	return NULL;
}

int foreign_front(int fd, const char *name, struct trawl_error *err)
{
	FILE *in = stream_of(fd, name, err);
	struct trawl_reader *r;
	bool known;

	if (!in)
		return -1;
	known = unpack_is_compressed(in) || foreign_kind(in) != FOREIGN_NONE;
	fclose(in);
	lseek(fd, 0, SEEK_END);
	if (known)
		return 0;
	r = trawl_open_fd(fd, name, NULL, err);
	trawl_close(r);
	/* what is damaged or cut here may be whole after it */
	return r || err->status == TRAWL_BAD_DATA ? 0 : -1;
}

/* What errors call the file. */
static const char *called(const struct foreign *f)
{
	return strcmp(f->name, "-") ? f->name : "standard input";
}

/* Fails with the reason if the temporary file could not be created. */
static int temporary(const struct foreign *f, int fd, struct trawl_error *err)
{
	if (fd < 0)
		*err = f->full;
	return fd < 0 ? -1 : 0;
}

static int import_to(struct foreign *f, FILE *in, enum foreign_kind kind, struct trawl_error *err)
{
	struct foreign_output out = { .name = "temporary file", .level = FOREIGN_FAST };
	struct usb_import im;

	if (temporary(f, f->made, err))
		return -1;
	out.fd = fcntl(f->made, F_DUPFD_CLOEXEC, 3);
	if (out.fd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", called(f), strerror(errno));
	if (foreign_import(in, kind, called(f), &out, &im, err) < 0)
		return -1;
	if (foreign_verdict(&im, called(f), &f->verdict) == 0)
		f->verdict.status = TRAWL_OK;
	f->usb_whole = im.events && !im.cut_at && !im.bad;
	f->fd = f->made;
	return 0;
}

/* Replaces a compressed file with its contents. */
static FILE *unpacked(struct foreign *f, FILE *in, struct trawl_error *err)
{
	bool bad = temporary(f, f->plain, err) ||
		   unpack(in, f->plain, called(f), foreign_front, err);

	fclose(in);
	if (bad)
		return NULL;
	f->fd = f->plain;
	return stream_of(f->plain, called(f), err);
}

static bool is_regular(int fd, uint64_t *bytes)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	*bytes = (uint64_t)st.st_size;
	return true;
}

int foreign_open(struct foreign *f, const char *path, bool twice, struct trawl_error *err)
{
	bool standard = !strcmp(path, "-");

	*f = (struct foreign)FOREIGN_NOTHING;
	f->name = path;
	f->twice = twice;
	if (standard && !twice)
		return 0;
	f->in = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
			   open(path, O_RDONLY | O_CLOEXEC);
	if (f->in < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot be opened: %s", path, strerror(errno));
		err->sys = errno;
		return -1;
	}
	f->regular = !standard && is_regular(f->in, &f->bytes);
	if (!f->regular && !twice)
		return 0;
	if (!f->regular)
		f->copy = unpack_temporary(&f->full);
	if (!f->full.status)
		f->plain = unpack_temporary(&f->full);
	if (!f->full.status)
		f->made = unpack_temporary(&f->full);
	return 0;
}

/*
 * Opens what must be examined. A pipe is examined only if it is copied, because what is read from
 * it cannot be read again.
 */
static int source_of(struct foreign *f, bool *looked_into, struct trawl_error *err)
{
	*looked_into = f->regular || f->twice;
	f->fd = f->in < 0 ? 0 : f->in;
	if (f->regular || !f->twice)
		return 0;
	f->fd = f->copy;
	return temporary(f, f->copy, err) ||
	       unpack_copy(f->in, f->copy, called(f), foreign_front, err) ? -1 : 0;
}

static int resolve(struct foreign *f, struct trawl_error *err)
{
	enum foreign_kind kind;
	bool looked_into;
	FILE *in;
	int ret = 0;

	if (source_of(f, &looked_into, err))
		return -1;
	if (!looked_into)
		return 0;
	in = stream_of(f->fd, called(f), err);
	if (in && unpack_is_compressed(in))
		in = unpacked(f, in, err);
	if (!in)
		return -1;
	kind = foreign_kind(in);
	if (kind != FOREIGN_NONE)
		ret = import_to(f, in, kind, err);
	fclose(in);
	return ret;
}

int foreign_resolve(struct foreign *f, struct trawl_error *err)
{
	int ret = resolve(f, err);

	snprintf(f->path, sizeof(f->path), f->fd ? "/proc/self/fd/%d" : "-", f->fd);
	return ret;
}

void foreign_call(const struct foreign *f, struct trawl_error *err)
{
	size_t n = strlen(f->path);
	struct trawl_error e = *err;

	if (n && !strncmp(e.text, f->path, n) && e.text[n] == ':')
		trawl_fail(err, e.status, "%s%s", called(f), e.text + n);
}

void foreign_close(struct foreign *f)
{
	const int fds[] = {f->in, f->copy, f->plain, f->made};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*f = (struct foreign)FOREIGN_NOTHING;
}
