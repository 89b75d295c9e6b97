/* SPDX-License-Identifier: MIT */
#include "decode/import/halves.h"
#include "common/json.h"
#include "decode/usb/urb.h"

#include <stdlib.h>

#define BUCKETS 256
/* With fewer submissions, their completions may just be missing at the end of the capture. */
#define ENOUGH 2
#define ENOUGH_CONTROL 4

struct pipe {
	struct pipe *next;
	uint16_t bus;
	uint8_t device, endpoint, xfer;
	uint64_t submitted, completed;
};

struct halves {
	struct pipe *table[BUCKETS];
};

struct halves *halves_new(void)
{
	return calloc(1, sizeof(struct halves));
}

void halves_free(struct halves *h)
{
	for (unsigned int i = 0; h && i < BUCKETS; i++) {
		while (h->table[i]) {
			struct pipe *p = h->table[i];

			h->table[i] = p->next;
			free(p);
		}
	}
	free(h);
}

bool halves_count(struct halves *h, const uint8_t *record)
{
	struct pipe **at, *p;
	struct urb u;

	urb_parse(&u, record, URB_HEADER);
	at = &h->table[(u.bus * 7u + u.device * 31u + u.endpoint) % BUCKETS];
	for (p = *at; p; p = p->next)
		if (p->bus == u.bus && p->device == u.device && p->endpoint == u.endpoint &&
		    p->xfer == u.xfer)
			break;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return false;
		p->bus = u.bus;
		p->device = u.device;
		p->endpoint = u.endpoint;
		p->xfer = u.xfer;
		p->next = *at;
		*at = p;
	}
	p->submitted += u.type == 'S';
	p->completed += u.type != 'S';
	return true;
}

/* IN submissions carry no data, so a lone one is no half of interest. */
static bool is_half(const struct pipe *p)
{
	return !p->completed && !(p->endpoint & 0x80) &&
	       p->submitted >= (p->xfer == URB_CONTROL ? ENOUGH_CONTROL : ENOUGH);
}

int halves_write(const struct halves *h, struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_meta m = {.name = "import/halves", .type = "application/json"};
	struct json j = {0};
	bool any = false;
	int ret = 0;

	json_object(&j, NULL);
	json_array(&j, "submissions_only");
	for (unsigned int i = 0; i < BUCKETS; i++) {
		for (const struct pipe *p = h->table[i]; p; p = p->next) {
			if (!is_half(p))
				continue;
			any = true;
			json_object(&j, NULL);
			json_uint(&j, "bus", p->bus);
			json_uint(&j, "dev", p->device);
			json_uint(&j, "endpoint", p->endpoint);
			json_string(&j, "xfer", urb_xfer_name(p->xfer));
			json_end(&j);
		}
	}
	json_end(&j);
	json_end(&j);
	m.data = j.text;
	m.len = j.len;
	if (any)
		ret = trawl_writer_meta(w, &m, err);
	json_free(&j);
	return ret;
}
