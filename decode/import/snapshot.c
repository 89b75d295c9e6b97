/* SPDX-License-Identifier: MIT */
#include "decode/import/snapshot.h"
#include "decode/base/number.h"
#include "decode/usb/control.h"
#include "decode/usb/urb.h"

#include <stdio.h>
#include <string.h>

static void begin(struct snapshot *s, const struct urb *u)
{
	s->bus = u->bus;
	s->device = u->device;
	s->time = u->time;
	out_memory(&s->descriptors);
	json_object(&s->text, NULL);
	json_uint(&s->text, "busnum", u->bus);
	json_uint(&s->text, "devnum", u->device);
	json_array(&s->text, "interfaces");
}

int snapshot_end(struct snapshot *s, struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_meta m = {.type = "application/json", .time = s->time};
	char name[32];
	int ret;

	if (!s->text.len)
		return 0;
	json_end(&s->text);
	json_bytes(&s->text, "descriptors", s->descriptors.data, s->descriptors.len);
	json_end(&s->text);
	snprintf(name, sizeof(name), "usb/%u:%u", s->bus, s->device);
	m.name = name;
	m.data = s->text.text;
	m.len = s->text.len;
	ret = s->failed || s->descriptors.error ?
		      trawl_fail(err, TRAWL_CANNOT, "import: out of memory") :
		      trawl_writer_meta(w, &m, err);
	snapshot_free(s);
	return ret;
}

void snapshot_free(struct snapshot *s)
{
	if (s->text.len)
		out_free(&s->descriptors);
	json_free(&s->text);
	*s = (struct snapshot){0};
}

static void report(struct snapshot *s, const uint8_t *p, size_t n)
{
	struct out text;

	out_memory(&text);
	out_hexbytes(&text, p, n);
	s->failed |= text.error != 0;
	json_object(&s->text, NULL);
	json_uint(&s->text, "number", s->setup[4]);
	json_bytes(&s->text, "hid_report", text.data, text.len);
	json_end(&s->text);
	out_free(&text);
}

int snapshot_add(struct snapshot *s, struct trawl_writer *w, const uint8_t *record, size_t len,
		 struct trawl_error *err)
{
	struct urb u;

	urb_parse(&u, record, len);
	if (!s->text.len || u.bus != s->bus || u.device != s->device) {
		if (snapshot_end(s, w, err))
			return -1;
		begin(s, &u);
	}
	if (u.type == 'S') /* the completion does not contain the setup packet */
		memcpy(s->setup, u.setup, sizeof(s->setup));
	else if (s->setup[1] == REQ_GET_DESCRIPTOR && s->setup[3] == DESC_HID_REPORT)
		report(s, u.data, u.data_len);
	else
		out_hexbytes(&s->descriptors, u.data, u.data_len);
	return 0;
}
