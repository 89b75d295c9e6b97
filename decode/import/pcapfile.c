/* SPDX-License-Identifier: MIT */
/*
 * Classic pcap, read with libpcap, which handles all byte orders and swaps the USB headers of
 * Linux.
 */
#include "config.h"
#include "decode/import/usbimport.h"

#ifdef HAVE_PCAP
#include "decode/base/bytes.h"

#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_NANO 0xa1b23c4d
#define MAGIC_MODIFIED 0xa1b2cd34

static int copy_packets(struct usb_import *im, pcap_t *cap, const char *name,
			struct trawl_error *err)
{
	uint32_t linktype = (uint32_t)pcap_datalink(cap);
	const unsigned char *data;
	struct pcap_pkthdr *h;
	int got, ret = 0;

	while (!ret && (got = pcap_next_ex(cap, &h, &data)) == 1) {
		struct capture_packet p = {
			.linktype = linktype,
			.time = (uint64_t)h->ts.tv_sec * 1000000000 + (uint64_t)h->ts.tv_usec,
			.data = data,
			.captured = h->caplen,
			.length = h->len,
		};

		ret = usb_import_packet(im, &p, err);
	}
	if (!ret && got == PCAP_ERROR) {
		long at = ftell(pcap_file(cap));

		im->cut_at = at > 0 ? (uint64_t)at : 1;
	}
	return ret;
}

/* Returns the resolution of the file's time stamps in ns; libpcap does not report it. */
static uint32_t resolution(FILE *in)
{
	uint8_t magic[4] = {0};
	ssize_t n = pread(fileno(in), magic, sizeof(magic), 0);

	return n == 4 && (get32(magic) == MAGIC_NANO || get_be32(magic) == MAGIC_NANO) ? 1 : 1000;
}

/* Whether the header of a packet can be at this place: its lengths, and microseconds. */
static bool can_be_packet(FILE *in, uint64_t at)
{
	uint8_t h[16];

	return pread(fileno(in), h, sizeof(h), (off_t)at) == sizeof(h) &&
	       get32(h + 4) < 1000000 && get32(h + 8) <= get32(h + 12) && get32(h + 12);
}

/*
 * Whether the packets of a file with the modified magic have headers of 28 bytes, as of SuSE Linux
 * 6.3. libpcap takes all such files for those with 24, and finds no second packet in these; a file
 * with one packet ends with that.
 */
static bool has_long_headers(FILE *in)
{
	uint8_t h[40];
	struct stat st;
	uint64_t end;

	if (pread(fileno(in), h, sizeof(h), 0) != sizeof(h) || get32(h) != MAGIC_MODIFIED ||
	    fstat(fileno(in), &st))
		return false;
	end = 24 + (uint64_t)get32(h + 32);
	return !can_be_packet(in, end + 24) &&
	       (can_be_packet(in, end + 28) || (uint64_t)st.st_size == end + 28);
}

int pcap_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err)
{
	char text[PCAP_ERRBUF_SIZE];
	/* pcap_close() closes the file it reads, so it gets a copy of the caller's. */
	FILE *copy;
	pcap_t *cap;
	int ret;

	if (has_long_headers(in))
		return trawl_fail(err, TRAWL_CANNOT, "%s: pcap with packet headers of 28 bytes, "
				  "which libpcap misreads; make plain pcap of it "
				  "(editcap -F pcap)", name);
	im->resolution = resolution(in);
	copy = fdopen(dup(fileno(in)), "r");
	cap = copy ? pcap_fopen_offline_with_tstamp_precision(copy, PCAP_TSTAMP_PRECISION_NANO,
							      text)
		   : NULL;
	if (!cap) {
		if (copy)
			fclose(copy);
		return trawl_fail(err, TRAWL_CANNOT, "%s: libpcap cannot read it: %s", name,
				  copy ? text : "out of memory");
	}
	/*
	 * For bus packets the header is not kept: it would be a tenth of the size of a small file.
	 */
	im->is_pcap = !usbtypes_is_packet((uint32_t)pcap_datalink(cap)) &&
		      pread(fileno(in), im->header, sizeof(im->header), 0) == sizeof(im->header);
	ret = copy_packets(im, cap, name, err);
	pcap_close(cap);
	return ret;
}
#else
int pcap_import(struct usb_import *im, FILE *in, const char *name, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "%s: pcap cannot be read: trawl was built without "
			  "libpcap; make pcapng of it (editcap -F pcapng)", name);
}
#endif
