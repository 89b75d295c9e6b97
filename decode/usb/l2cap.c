/* SPDX-License-Identifier: MIT */
#include "decode/usb/l2cap.h"
#include "decode/usb/codename.h"

enum { SIGNALS = 1, ATTRIBUTES = 4, LE_SIGNALS = 5, PAIRING = 6, CLASSIC_PAIRING = 7 };
enum { HEADER = 4, CONNECTION_REQUEST = 2, CONNECTION_RESPONSE = 3, CONFIGURE_REQUEST = 4 };
enum { RETRANSMISSION = 4 }; /* the option that has the mode */

/* Returns the channel whose packets of this direction have this CID, or NULL. */
static struct usb_l2cap_channel *find(struct usb_l2cap *l, uint16_t handle, bool in, uint16_t cid)
{
	for (size_t i = 0; i < ARRAY_SIZE(l->channels); i++)
		if (cid && l->channels[i].handle == handle && l->channels[i].cid[in] == cid)
			return &l->channels[i];
	return NULL;
}

/* The same, but a new channel in place of the oldest if there is none. */
static struct usb_l2cap_channel *channel(struct usb_l2cap *l, uint16_t handle, bool in,
					 uint16_t cid)
{
	struct usb_l2cap_channel *c = find(l, handle, in, cid);

	if (c)
		return c;
	c = &l->channels[l->next++ % ARRAY_SIZE(l->channels)];
	*c = (struct usb_l2cap_channel){.handle = handle};
	c->cid[in] = cid;
	return c;
}

/* A CID that is given to a channel is no longer that of an earlier one. */
static void give(struct usb_l2cap *l, struct usb_l2cap_channel *c, bool in, uint16_t cid)
{
	struct usb_l2cap_channel *earlier = find(l, c->handle, in, cid);

	if (earlier && earlier != c)
		earlier->cid[in] = 0;
	c->cid[in] = cid;
}

/* Takes the mode from the options of a Configure Request. */
static void take_mode(struct usb_l2cap_channel *c, bool in, const uint8_t *p, size_t n)
{
	for (; n >= 2 && p[1] + 2u <= n; n -= p[1] + 2u, p += p[1] + 2u)
		if ((p[0] & 0x7f) == RETRANSMISSION && p[1])
			c->mode[in] = p[2];
}

/*
 * One signal. The source CID is that of the side that asks, so packets towards that side have it.
 * A response may be recorded before its request, whose transfer ends later.
 */
static void follow_one(struct usb_l2cap *l, const struct l2cap_channel *at, const uint8_t *p,
		       size_t n)
{
	struct usb_l2cap_channel *c;

	if (p[0] == CONNECTION_REQUEST && n >= 4) {
		c = channel(l, at->handle, !at->in, get16(p + HEADER + 2));
		c->psm = get16(p + HEADER);
		memset(c->mode, 0, sizeof(c->mode));
	} else if (p[0] == CONNECTION_RESPONSE && n >= 6 && !get16(p + HEADER + 4)) {
		c = channel(l, at->handle, at->in, get16(p + HEADER + 2));
		give(l, c, !at->in, get16(p + HEADER));
	} else if (p[0] == CONFIGURE_REQUEST && n >= 4) {
		c = find(l, at->handle, at->in, get16(p + HEADER));
		if (c)
			take_mode(c, at->in, p + HEADER + 4, n - 4);
	}
}

void l2cap_follow(struct usb_l2cap *l, const struct l2cap_channel *c, const uint8_t *p, size_t n)
{
	if (c->cid != SIGNALS)
		return;
	while (n >= HEADER && get16(p + 2) <= n - HEADER) {
		size_t length = get16(p + 2);

		follow_one(l, c, p, length);
		p += HEADER + length;
		n -= HEADER + length;
	}
}

uint16_t l2cap_psm(struct usb_l2cap *l, const struct l2cap_channel *at)
{
	const struct usb_l2cap_channel *c = find(l, at->handle, at->in, at->cid);

	return c && !c->mode[0] && !c->mode[1] ? c->psm : 0;
}

const struct bt_protocol *l2cap_protocol(uint16_t cid, uint16_t psm)
{
	switch (cid) {
	case SIGNALS:
	case LE_SIGNALS:
		return &bt_signal;
	case ATTRIBUTES:
		return &bt_att;
	case PAIRING:
	case CLASSIC_PAIRING:
		return &bt_smp;
	}
	return psm == 0x01 ? &bt_sdp : psm == 0x03 ? &bt_rfcomm : psm == 0x1f ? &bt_att : NULL;
}

static const struct code_name psms[] = {
	{0x01, "SDP"}, {0x03, "RFCOMM"}, {0x05, "TCS-BIN"}, {0x07, "TCS-BIN-CORDLESS"},
	{0x0f, "BNEP"}, {0x11, "HID control"}, {0x13, "HID interrupt"}, {0x15, "UPnP"},
	{0x17, "AVCTP"}, {0x19, "AVDTP"}, {0x1b, "AVCTP browsing"}, {0x1d, "UDI C-plane"},
	{0x1f, "ATT"}, {0x21, "3DSP"}, {0x23, "IPSP"}, {0x25, "OTS"}, {0x27, "EATT"},
};

const char *l2cap_psm_name(uint16_t psm)
{
	return CODE_NAME(psms, psm);
}

static const struct bt_protocol *const protocols[] = {
	&bt_signal, &bt_att, &bt_smp, &bt_sdp, &bt_rfcomm,
};

bool l2cap_has_name(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		const struct bt_protocol *p = protocols[i];

		if ((strlen(p->member) == n && !strncmp(p->member, name, n)) ||
		    p->has_name(name, n))
			return true;
	}
	return false;
}

void l2cap_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "psm_name"))
		CODE_WORDS(psms, fn, arg);
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++)
		protocols[i]->words(member, fn, arg);
}
