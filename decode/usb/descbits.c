/* SPDX-License-Identifier: MIT */
/*
 * Sources: DFU 1.1 (4.1.3), CCID 1.1 (5.1), CDC 1.2 with PSTN 1.2 (5.3.1, 5.3.2), CDC ECM 1.2
 * (5.4), Audio 1.0 (3.7.2.3, 4.3.2.5, 4.6.1.2), Audio 2.0 (4.1, 4.7) with its formats (A.2), Video
 * 1.5 (3.7.2.3, 3.7.2.5, 3.9.2), USB 3.2 (9.6.2).
 */
#include "decode/usb/descbits.h"
#include "common/array.h"

#include "decode/base/bytes.h"

#include <string.h>

#define FIELD(name) name, name "_set"
#define BITS(...)                                                                                  \
	((const char *const[]){__VA_ARGS__}), ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))

#define CHANNELS                                                                                   \
	"left front", "right front", "center front", "low frequency", "left surround",             \
		"right surround", "left of center", "right of center", "surround", "side left",    \
		"side right", "top"

#define CHANNELS_2                                                                                 \
	"front left", "front right", "front center", "low frequency", "back left", "back right",   \
		"front left of center", "front right of center", "back center", "side left",       \
		"side right", "top center", "top front left", "top front center",                  \
		"top front right", "top back left", "top back center", "top back right",           \
		"top front left of center", "top front right of center", "left low frequency",     \
		"right low frequency", "top side left", "top side right", "bottom center",         \
		"back left of center", "back right of center", NULL, NULL, NULL, NULL, "raw data"

#define INTERLACE "interlaced", "one field per frame", "field 1 first"

/* Names of the bits of a field, from bit 0 up; NULL: the bit has no name. */
static const struct bits {
	const char *layout, *field, *list;
	const char *const *names;
	size_t count;
} table[] = {
	{"DFU functional", FIELD("bmAttributes"),
	 BITS("can download", "can upload", "manifestation tolerant", "will detach")},
	{"smart card", FIELD("bVoltageSupport"), BITS("5.0 V", "3.0 V", "1.8 V")},
	{"smart card", FIELD("dwProtocols"), BITS("T=0", "T=1")},
	{"smart card", FIELD("dwSynchProtocols"), BITS("2-wire", "3-wire", "I2C")},
	{"smart card", FIELD("dwMechanical"), BITS("accept", "eject", "capture", "lock/unlock")},
	{"smart card", FIELD("bPINSupport"), BITS("verification", "modification")},
	{"smart card", FIELD("dwFeatures"),
	 BITS(NULL, "parameters from the ATR", "activation on insertion", "voltage selection",
	      "clock frequency", "baud rate", "parameter negotiation", "PPS", "clock stop",
	      "NAD other than 0", "IFSD exchange", NULL, NULL, NULL, NULL, NULL, "TPDU level",
	      "short APDU level", "short and extended APDU level", NULL, "wake-up")},
	{"USB3 Vision device", FIELD("bmSpeedSupport"), BITS("low", "full", "high", "super")},
	{"CDC call management", FIELD("bmCapabilities"),
	 BITS("call management", "over data interface")},
	{"CDC abstract control management", FIELD("bmCapabilities"),
	 BITS("comm features", "line coding and state", "send break", "network connection")},
	{"CDC NCM", FIELD("bmNetworkCapabilities"),
	 BITS("packet filter", "net address", "encapsulated commands", "max datagram size",
	      "CRC mode", "8-byte input size")},
	{"CDC ethernet", FIELD("bmEthernetStatistics"),
	 BITS("frames sent", "frames received", "frames not sent", "frames with errors",
	      "frames without a buffer", "directed bytes sent", "directed frames sent",
	      "multicast bytes sent", "multicast frames sent", "broadcast bytes sent",
	      "broadcast frames sent", "directed bytes received", "directed frames received",
	      "multicast bytes received", "multicast frames received", "broadcast bytes received",
	      "broadcast frames received", "CRC errors", "transmit queue length",
	      "alignment errors", "one collision", "more collisions", "deferred",
	      "too many collisions", "overruns", "underruns", "heartbeat failures",
	      "carrier sense lost", "late collisions")},
	{"audio input terminal", FIELD("bmChannelConfig"), BITS(CHANNELS_2)},
	{"audio mixer unit", FIELD("bmChannelConfig"), BITS(CHANNELS_2)},
	{"audio processing unit", FIELD("bmChannelConfig"), BITS(CHANNELS_2)},
	{"audio extension unit", FIELD("bmChannelConfig"), BITS(CHANNELS_2)},
	{"audio stream", FIELD("bmChannelConfig"), BITS(CHANNELS_2)},
	{"audio input terminal", FIELD("wChannelConfig"), BITS(CHANNELS)},
	{"audio mixer unit", FIELD("wChannelConfig"), BITS(CHANNELS)},
	{"audio processing unit", FIELD("wChannelConfig"), BITS(CHANNELS)},
	{"audio endpoint", FIELD("bmAttributes"),
	 BITS("sampling frequency", "pitch", NULL, NULL, NULL, NULL, NULL, "max packets only")},
	{"video input terminal", FIELD("bmControls"),
	 BITS("scanning mode", "auto exposure mode", "auto exposure priority",
	      "exposure time (absolute)", "exposure time (relative)", "focus (absolute)",
	      "focus (relative)", "iris (absolute)", "iris (relative)", "zoom (absolute)",
	      "zoom (relative)", "pan/tilt (absolute)", "pan/tilt (relative)", "roll (absolute)",
	      "roll (relative)", NULL, NULL, "auto focus", "privacy", "focus (simple)", "window",
	      "region of interest")},
	{"video processing unit", FIELD("bmControls"),
	 BITS("brightness", "contrast", "hue", "saturation", "sharpness", "gamma",
	      "white balance temperature", "white balance component", "backlight compensation",
	      "gain", "power line frequency", "hue, auto", "white balance temperature, auto",
	      "white balance component, auto", "digital multiplier", "digital multiplier limit",
	      "analog video standard", "analog video lock status", "contrast, auto")},
	{"video processing unit", FIELD("bmVideoStandards"),
	 BITS("none", "NTSC 525/60", "PAL 625/50", "SECAM 625/50", "NTSC 625/50", "PAL 525/60")},
	{"video uncompressed format", FIELD("bmInterlaceFlags"), BITS(INTERLACE)},
	{"video frame-based format", FIELD("bmInterlaceFlags"), BITS(INTERLACE)},
	{"video MJPEG format", FIELD("bmInterlaceFlags"), BITS(INTERLACE)},
	{"video input header", FIELD("bmInfo"), BITS("dynamic format change")},
	{"video uncompressed frame", FIELD("bmCapabilities"),
	 BITS("still image", "fixed frame rate")},
	{"video MJPEG frame", FIELD("bmCapabilities"), BITS("still image", "fixed frame rate")},
	{"video frame-based frame", FIELD("bmCapabilities"),
	 BITS("still image", "fixed frame rate")},
	{"video MJPEG format", FIELD("bmFlags"), BITS("fixed-size samples")},
	{"USB 2.0 extension", FIELD("bmAttributes"), BITS(NULL, "LPM", "BESL")},
	{"SuperSpeed capability", FIELD("bmAttributes"), BITS(NULL, "LTM")},
	{"SuperSpeed capability", FIELD("wSpeedsSupported"),
	 BITS("low", "full", "high", "5 Gbit/s")},
};

/*
 * The same where a control has two bits (Audio 2.0, 4.7): 1 is read-only, 3 can be set, too, and 2
 * is not allowed.
 */
static const struct bits pairs[] = {
	{"audio control header", FIELD("bmControls"), BITS("latency")},
	{"audio input terminal", FIELD("bmControls"),
	 BITS("copy protection", "connector", "overload", "cluster", "underflow", "overflow")},
	{"audio output terminal", FIELD("bmControls"),
	 BITS("copy protection", "connector", "overload", "underflow", "overflow")},
	{"audio selector unit", FIELD("bmControls"), BITS("selector")},
	{"audio clock source", FIELD("bmControls"), BITS("frequency", "validity")},
	{"audio clock selector", FIELD("bmControls"), BITS("selector")},
	{"audio clock multiplier", FIELD("bmControls"), BITS("numerator", "denominator")},
	{"audio stream", FIELD("bmControls"),
	 BITS("active alternate setting", "valid alternate settings")},
	{"audio endpoint", FIELD("bmControls"), BITS("pitch", "overrun", "underrun")},
};

static const char *const feature_controls[] = {
	"mute", "volume", "bass", "mid", "treble", "graphic equalizer", "automatic gain", "delay",
	"bass boost", "loudness", "input gain", "input gain pad", "phase inverter", "underflow",
	"overflow",
};

#define SURROUND_FORMATS                                                                           \
	"IEC61937 AC-3", "IEC61937 MPEG-1 layer 1", "IEC61937 MPEG-1 layer 2/3 or MPEG-2",         \
		"IEC61937 MPEG-2 with extension", "IEC61937 MPEG-2 AAC ADTS",                      \
		"IEC61937 MPEG-2 layer 1 low rate", "IEC61937 MPEG-2 layer 2/3 low rate",          \
		"IEC61937 DTS-I", "IEC61937 DTS-II", "IEC61937 DTS-III", "IEC61937 ATRAC",         \
		"IEC61937 ATRAC2/3", "WMA (type III)"
#define PCM_FORMATS "PCM", "PCM8", "IEEE float", "A-law", "mu-law"

/* The bits of bmFormats of an Audio 2.0 stream, by its bFormatType; bit 31 is raw data. */
static const struct {
	const char *const *names;
	size_t count;
} formats[] = {
	{BITS(NULL)},
	{BITS(PCM_FORMATS)},
	{BITS("MPEG", "AC-3", "WMA", "DTS")},
	{BITS(SURROUND_FORMATS)},
	{BITS(PCM_FORMATS, "MPEG", "AC-3", "WMA", SURROUND_FORMATS, "IEC60958 PCM")},
};

static void names_tree(const char *list, const char *const *names, size_t count, uint64_t v,
		       struct tree *t)
{
	tree_list(t, list);
	for (size_t i = 0; i < count; i++)
		if (v >> i & 1 && names[i])
			tree_str(t, list, names[i]);
	tree_close(t);
}

static void pairs_tree(const char *list, const char *const *names, size_t count, uint64_t v,
		       struct tree *t)
{
	static const char *const access[4] = {NULL, " (read-only)", " (invalid)", ""};

	tree_list(t, list);
	for (size_t i = 0; i < count; i++)
		if (v >> 2 * i & 3)
			tree_printf(t, list, "%s%s", names[i], access[v >> 2 * i & 3]);
	tree_close(t);
}

void desc_bits_tree(const struct desc_layout *l, const char *field, uint64_t v, struct tree *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].layout, l->name) || strcmp(table[i].field, field))
			continue;
		names_tree(table[i].list, table[i].names, table[i].count, v, t);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (!strcmp(pairs[i].layout, l->name) && !strcmp(pairs[i].field, field))
			pairs_tree(pairs[i].list, pairs[i].names, pairs[i].count, v, t);
}

void desc_feature_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	bool two = l->protocol == 0x20;
	size_t at = two ? 5 : 6, size;

	if (strcmp(l->name, "audio feature unit") || d->room <= at || d->room < d->length)
		return;
	size = two ? 4 : d->p[5];
	if (!size || size > 4)
		return;
	tree_list(t, "channels");
	for (unsigned int i = 0; at + size < d->room; i++, at += size) {
		tree_object(t, "channel");
		tree_uint(t, "channel", i);
		(two ? pairs_tree : names_tree)("controls", feature_controls,
						ARRAY_SIZE(feature_controls),
						get_le(d->p + at, size), t);
		tree_close(t);
	}
	tree_close(t);
	tree_uint(t, "iFeature", d->p[d->room - 1]);
}

/* Numbers that share a field with others. */
static void parts_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	static const char *const types[] = {"external", "internal fixed", "internal variable",
					    "internal programmable"};

	if (!strcmp(l->name, "audio clock source") && d->room > 4) {
		tree_str(t, "clock_type", types[d->p[4] & 3]);
		tree_bool(t, "synchronized_to_sof", d->p[4] & 4);
	} else if (!strcmp(l->name, "CDC ethernet") && d->room > 11) {
		tree_uint(t, "multicast_filters", get16(d->p + 10) & 0x7fff);
		tree_bool(t, "multicast_imperfect", d->p[11] & 0x80);
	} else if (!strcmp(l->name, "smart card") && d->room > 51) {
		tree_uint(t, "lcd_lines", d->p[51]);
		tree_uint(t, "lcd_characters", d->p[50]);
	}
}

static void formats_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	const uint8_t *p = d->p;

	if (l->protocol != 0x20 || strcmp(l->name, "audio stream") || d->room < 10 ||
	    p[5] >= ARRAY_SIZE(formats))
		return;
	tree_list(t, "bmFormats_set");
	for (size_t i = 0; i < formats[p[5]].count; i++)
		if (get32(p + 6) >> i & 1 && formats[p[5]].names[i])
			tree_str(t, "bmFormats_set", formats[p[5]].names[i]);
	if (p[9] & 0x80)
		tree_str(t, "bmFormats_set", "raw data");
	tree_close(t);
}

void desc_parts_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	parts_tree(l, d, t);
	formats_tree(l, d, t);
}

void desc_midi_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	size_t at = 6, end;

	if (strcmp(l->name, "MIDI out jack") || d->room < at)
		return;
	end = at + 2 * (size_t)d->p[5];
	if (end >= d->room)
		return;
	tree_list(t, "baSourceID");
	for (size_t i = at; i < end; i += 2)
		tree_uint(t, "baSourceID", d->p[i]);
	tree_close(t);
	tree_list(t, "baSourcePin");
	for (size_t i = at; i < end; i += 2)
		tree_uint(t, "baSourcePin", d->p[i + 1]);
	tree_close(t);
	tree_uint(t, "iJack", d->p[end]);
}

void desc_camera_tree(const struct desc_layout *l, const struct descriptor *d, struct tree *t)
{
	enum { CAMERA = 0x0201, BEHIND = 8 };
	const uint8_t *p = d->p;

	if (strcmp(l->name, "video input terminal") || d->room < BEHIND + 7 ||
	    get16(p + 4) != CAMERA)
		return;
	tree_uint(t, "wObjectiveFocalLengthMin", get16(p + BEHIND));
	tree_uint(t, "wObjectiveFocalLengthMax", get16(p + BEHIND + 2));
	tree_uint(t, "wOcularFocalLength", get16(p + BEHIND + 4));
	tree_uint(t, "bControlSize", p[BEHIND + 6]);
	if (!p[BEHIND + 6] || p[BEHIND + 6] > 8 || d->room < BEHIND + 7u + p[BEHIND + 6])
		return;
	tree_hex(t, "bmControls", get_le(p + BEHIND + 7, p[BEHIND + 6]), p[BEHIND + 6] * 2u);
	desc_bits_tree(l, "bmControls", get_le(p + BEHIND + 7, p[BEHIND + 6]), t);
}

bool desc_bits_have(const char *name, size_t n)
{
	static const char *const more[] = {
		"baSourcePin",
		"bmFormats_set",
		"channel",
		"channels",
		"clock_type",
		"controls",
		"iFeature",
		"lcd_characters",
		"lcd_lines",
		"multicast_filters",
		"multicast_imperfect",
		"synchronized_to_sof",
		"wObjectiveFocalLengthMax",
		"wObjectiveFocalLengthMin",
		"wOcularFocalLength",
	};

	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (strlen(more[i]) == n && !memcmp(more[i], name, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strlen(table[i].list) == n && !memcmp(table[i].list, name, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (strlen(pairs[i].list) == n && !memcmp(pairs[i].list, name, n))
			return true;
	return false;
}
