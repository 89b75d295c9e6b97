/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsimmc.h"
#include "common/array.h"
#include "common/search.h"
#include "decode/base/bytes.h"
#include "decode/usb/bitlayout.h"
#include "decode/usb/codename.h"
#include "decode/usb/scsiopcode.h"

#include <string.h>

enum {
	TOC_HEADER = 4,
	FEATURES_AT = 8,
	FEATURE_HEADER = 4,
	PROFILES = 0x0000,
	SERIAL = 0x0108,
	LEAD_OUT = 0xaa
};

/* ---- features of GET CONFIGURATION: MMC-6, 5.3. Places count from the feature's code --------- */

FIELDS(core, LONG("physical_interface", 4), FLAG("inq2", 8, 1), FLAG("dbe", 8, 0));
FIELDS(morphing, FLAG("ocevent", 4, 1), FLAG("async", 4, 0));
FIELDS(removable, BITS("loading_mechanism_type", 4, 5, 3), FLAG("load", 4, 4), FLAG("eject", 4, 3),
       FLAG("prevent_jumper", 4, 2), FLAG("dbml", 4, 1), FLAG("lock", 4, 0));
FIELDS(random_readable, LONG("block_size", 4), WORD("blocking", 8), FLAG("pp", 10, 0));
FIELDS(cd_read, FLAG("dap", 4, 7), FLAG("c2_flags", 4, 1), FLAG("cd_text", 4, 0));
FIELDS(dvd_read, FLAG("multi110", 4, 0), FLAG("dual_rw", 6, 1), FLAG("dual_r", 6, 0));
FIELDS(random_writable, LONG("last_lba", 4), LONG("block_size", 8), WORD("blocking", 12),
       FLAG("pp", 14, 0));
FIELDS(incremental, WORD("data_types", 4), FLAG("trio", 6, 2), FLAG("arsv", 6, 1),
       FLAG("buf", 6, 0), BYTE("link_sizes", 7));
FIELDS(formattable, FLAG("renosa", 4, 3), FLAG("expand", 4, 2), FLAG("qcert", 4, 1),
       FLAG("cert", 4, 0), FLAG("rrm", 8, 0));
FIELDS(defects, FLAG("ssa", 4, 7));
FIELDS(mrw, FLAG("dvd_plus_write", 4, 2), FLAG("dvd_plus_read", 4, 1), FLAG("write", 4, 0));
FIELDS(writes, FLAG("write", 4, 0));
FIELDS(dvd_plus_rw, FLAG("write", 4, 0), FLAG("quick_start", 5, 1), FLAG("close_only", 5, 0));
FIELDS(rigid, FLAG("dsdg", 4, 3), FLAG("dsdr", 4, 2), FLAG("intermediate", 4, 1),
       FLAG("blank", 4, 0));
FIELDS(track_at_once, FLAG("buf", 4, 6), FLAG("rw_raw", 4, 4), FLAG("rw_pack", 4, 3),
       FLAG("test_write", 4, 2), FLAG("cd_rw", 4, 1), FLAG("rw_subcode", 4, 0),
       WORD("data_types", 6));
FIELDS(mastering, FLAG("buf", 4, 6), FLAG("sao", 4, 5), FLAG("raw_ms", 4, 4), FLAG("raw", 4, 3),
       FLAG("test_write", 4, 2), FLAG("cd_rw", 4, 1), FLAG("rw", 4, 0),
       TRIPLE("maximum_cue_sheet_length", 5));
FIELDS(dvd_r_write, FLAG("buf", 4, 6), FLAG("rdl", 4, 3), FLAG("test_write", 4, 2),
       FLAG("dvd_rw", 4, 1));
FIELDS(css, BYTE("css_version", 7));
FIELDS(streaming, FLAG("rbcb", 4, 4), FLAG("scs", 4, 3), FLAG("mp2a", 4, 2), FLAG("wspd", 4, 1),
       FLAG("sw", 4, 0));

static const struct feature {
	uint16_t code;
	const char *name;
	bit_layout fields;
} features[] = {
	{PROFILES, "profile list", NULL},
	{0x0001, "core", core},
	{0x0002, "morphing", morphing},
	{0x0003, "removable medium", removable},
	{0x0004, "write protect", NULL},
	{0x0010, "random readable", random_readable},
	{0x001d, "multi-read", NULL},
	{0x001e, "CD read", cd_read},
	{0x001f, "DVD read", dvd_read},
	{0x0020, "random writable", random_writable},
	{0x0021, "incremental streaming writable", incremental},
	{0x0023, "formattable", formattable},
	{0x0024, "hardware defect management", defects},
	{0x0025, "write once", random_readable},
	{0x0026, "restricted overwrite", NULL},
	{0x0027, "CD-RW CAV write", NULL},
	{0x0028, "MRW", mrw},
	{0x0029, "enhanced defect reporting", NULL},
	{0x002a, "DVD+RW", dvd_plus_rw},
	{0x002b, "DVD+R", writes},
	{0x002c, "rigid restricted overwrite", rigid},
	{0x002d, "CD track at once", track_at_once},
	{0x002e, "CD mastering", mastering},
	{0x002f, "DVD-R/-RW write", dvd_r_write},
	{0x0033, "layer jump recording", NULL},
	{0x0037, "CD-RW media write support", NULL},
	{0x003a, "DVD+RW dual layer", dvd_plus_rw},
	{0x003b, "DVD+R dual layer", writes},
	{0x0040, "BD read", NULL},
	{0x0041, "BD write", NULL},
	{0x0080, "hybrid disc", NULL},
	{0x0100, "power management", NULL},
	{0x0101, "SMART", NULL},
	{0x0102, "embedded changer", NULL},
	{0x0103, "CD audio external play", NULL},
	{0x0104, "microcode upgrade", NULL},
	{0x0105, "timeout", NULL},
	{0x0106, "DVD CSS", css},
	{0x0107, "real-time streaming", streaming},
	{SERIAL, "logical unit serial number", NULL},
	{0x0109, "media serial number", NULL},
	{0x010a, "disc control blocks", NULL},
	{0x010b, "DVD CPRM", NULL},
	{0x010c, "firmware information", NULL},
	{0x010d, "AACS", NULL},
};

static const struct code_name profiles[] = {
	{0x0001, "non-removable disk"},
	{0x0002, "removable disk"},
	{0x0003, "MO erasable"},
	{0x0004, "optical write once"},
	{0x0005, "AS-MO"},
	{0x0008, "CD-ROM"},
	{0x0009, "CD-R"},
	{0x000a, "CD-RW"},
	{0x0010, "DVD-ROM"},
	{0x0011, "DVD-R sequential"},
	{0x0012, "DVD-RAM"},
	{0x0013, "DVD-RW restricted overwrite"},
	{0x0014, "DVD-RW sequential"},
	{0x0015, "DVD-R DL sequential"},
	{0x0016, "DVD-R DL layer jump"},
	{0x0017, "DVD-RW DL"},
	{0x0018, "DVD download"},
	{0x001a, "DVD+RW"},
	{0x001b, "DVD+R"},
	{0x002a, "DVD+RW DL"},
	{0x002b, "DVD+R DL"},
	{0x0040, "BD-ROM"},
	{0x0041, "BD-R sequential"},
	{0x0042, "BD-R random"},
	{0x0043, "BD-RE"},
	{0x0050, "HD DVD-ROM"},
	{0x0051, "HD DVD-R"},
	{0x0052, "HD DVD-RAM"},
	{0x0053, "HD DVD-RW"},
	{0x0058, "HD DVD-R DL"},
	{0x005a, "HD DVD-RW DL"},
	{0xffff, "non-standard"},
};

static const struct feature *find_feature(uint16_t code)
{
	return find_by(features, code, code);
}

static void profiles_tree(const uint8_t *p, size_t n, struct tree *t)
{
	tree_list(t, "profiles");
	for (size_t at = FEATURE_HEADER; at + 4 <= n; at += 4) {
		uint16_t code = get_be16(p + at);

		tree_object(t, "");
		tree_hex(t, "profile", code, 4);
		tree_str(t, "profile_name", CODE_NAME(profiles, code));
		tree_bool(t, "current", p[at + 2] & 1);
		tree_close(t);
	}
	tree_close(t);
}

/* One feature of n bytes, with its header. */
static void feature_tree(const uint8_t *p, size_t n, struct tree *t)
{
	const struct feature *f = find_feature(get_be16(p));

	tree_object(t, "");
	tree_hex(t, "feature", get_be16(p), 4);
	tree_str(t, "feature_name", f ? f->name : NULL);
	tree_uint(t, "feature_version", p[2] >> 2 & 15);
	tree_bool(t, "persistent", p[2] & 2);
	tree_bool(t, "current", p[2] & 1);
	tree_uint(t, "additional_length", p[3]);
	if (f && f->code == PROFILES)
		profiles_tree(p, n, t);
	else if (f && f->code == SERIAL)
		tree_text(t, "serial", p + FEATURE_HEADER, n - FEATURE_HEADER);
	else if (f && f->fields)
		bit_layout_tree(f->fields, p, n, t);
	else if (n > FEATURE_HEADER)
		tree_bytes(t, "feature_data", p + FEATURE_HEADER, n - FEATURE_HEADER);
	tree_close(t);
}

static void configuration_tree(const uint8_t *p, size_t n, struct tree *t)
{
	size_t size;

	if (n < FEATURES_AT)
		return;
	tree_uint(t, "data_length", get_be32(p));
	tree_hex(t, "current_profile", get_be16(p + 6), 4);
	tree_str(t, "current_profile_name", CODE_NAME(profiles, get_be16(p + 6)));
	tree_list(t, "features");
	for (size_t at = FEATURES_AT; at + FEATURE_HEADER <= n; at += size) {
		size = FEATURE_HEADER + (size_t)p[at + 3];
		if (size <= n - at)
			feature_tree(p + at, size, t);
	}
	tree_close(t);
}

static bool configuration_brief(const uint8_t *p, size_t n, struct out *o)
{
	const char *name;

	if (n < FEATURES_AT)
		return false;
	name = CODE_NAME(profiles, get_be16(p + 6));
	if (name)
		out_printf(o, " profile %s", name);
	else
		out_printf(o, " profile 0x%04x", get_be16(p + 6));
	return n == FEATURES_AT;
}

/* ---- the disc and its tracks: MMC-6, 6.21, 6.25 to 6.27 ------------------------------------- */

FIELDS(disc, WORD("data_length", 0), BITS("disc_data_type", 2, 5, 3), FLAG("erasable", 2, 4),
       BITS("last_session_state", 2, 2, 2), BITS("disc_status", 2, 0, 2), BYTE("first_track", 3),
       FLAG("did_v", 7, 7), FLAG("dbc_v", 7, 6), FLAG("uru", 7, 5), FLAG("dac_v", 7, 4),
       FLAG("dbit", 7, 2), BITS("background_format", 7, 0, 2), BYTE("disc_type", 8),
       LONG("disc_identification", 12), LONG("last_session_lead_in", 16),
       LONG("last_possible_lead_out", 20), {"disc_bar_code", 24, 0, 64},
       BYTE("disc_application_code", 32), BYTE("opc_tables", 33));
FIELDS(disc_other, WORD("data_length", 0), BITS("disc_data_type", 2, 5, 3));
FIELDS(track, WORD("data_length", 0), BITS("ljrs", 5, 6, 2), FLAG("damage", 5, 5),
       FLAG("copy", 5, 4), BITS("track_mode", 5, 0, 4), FLAG("rt", 6, 7), FLAG("blank", 6, 6),
       FLAG("packet", 6, 5), FLAG("fp", 6, 4), BITS("data_mode", 6, 0, 4), FLAG("lra_v", 7, 1),
       FLAG("nwa_v", 7, 0), LONG("track_start_address", 8), LONG("next_writable_address", 12),
       LONG("free_blocks", 16), LONG("fixed_packet_size", 20), LONG("track_size", 24),
       LONG("last_recorded_address", 28), LONG("read_compatibility_lba", 36));
FIELDS(toc, WORD("data_length", 0), BYTE("first_track", 2), BYTE("last_track", 3));
FIELDS(sessions, WORD("data_length", 0), BYTE("first_session", 2), BYTE("last_session", 3));
FIELDS(atip, WORD("data_length", 0), BITS("write_power", 4, 4, 3), BITS("reference_speed", 4, 0, 3),
       FLAG("uru", 5, 6), FLAG("cd_rw", 6, 6), BITS("disc_subtype", 6, 3, 3),
       TRIPLE("lead_in_time", 8), TRIPLE("lead_out_time", 12));
FIELDS(toc_lba, BITS("adr", 1, 4, 4), BITS("control", 1, 0, 4), BYTE("track", 2),
       LONG("track_start_address", 4));
FIELDS(toc_time, BITS("adr", 1, 4, 4), BITS("control", 1, 0, 4), BYTE("track", 2),
       LONG("track_start_time", 4));
FIELDS(full_toc, BYTE("session", 0), BITS("adr", 1, 4, 4), BITS("control", 1, 0, 4), BYTE("tno", 2),
       BYTE("point", 3), TRIPLE("time", 4), TRIPLE("point_time", 8));

static const char *const disc_states[] = {"empty", "incomplete", "finalized", "other"};

static void disc_tree(const uint8_t *p, size_t n, struct tree *t)
{
	if (n > 2 && p[2] >> 5) {
		bit_layout_tree(disc_other, p, n, t);
		return;
	}
	bit_layout_tree(disc, p, n, t);
	if (n > 2)
		tree_str(t, "disc_status_name", disc_states[p[2] & 3]);
	if (n < 12)
		return;
	/* the high bytes of these numbers stand apart */
	tree_uint(t, "sessions", p[4] | p[9] << 8);
	tree_uint(t, "first_track_in_last_session", p[5] | p[10] << 8);
	tree_uint(t, "last_track_in_last_session", p[6] | p[11] << 8);
}

static bool disc_brief(const uint8_t *p, size_t n, struct out *o)
{
	if (n < 12 || p[2] >> 5)
		return false;
	out_printf(o, " %s, %u session%s, tracks %u to %u", disc_states[p[2] & 3], p[4] | p[9] << 8,
		   p[4] == 1 && !p[9] ? "" : "s", p[3], p[6] | p[11] << 8);
	return false;
}

/* Whether the high bytes of the numbers of track and session are there, or are not sent. */
static bool is_numbered(const uint8_t *p, size_t n)
{
	return n > 33 || (n > 4 && get_be16(p) + 2u <= n);
}

static void track_tree(const uint8_t *p, size_t n, struct tree *t)
{
	bit_layout_tree(track, p, n, t);
	if (!is_numbered(p, n))
		return;
	tree_uint(t, "track", p[2] | (n > 32 ? p[32] << 8 : 0));
	tree_uint(t, "session", p[3] | (n > 33 ? p[33] << 8 : 0));
}

static bool track_brief(const uint8_t *p, size_t n, struct out *o)
{
	if (n < 28 || !is_numbered(p, n))
		return false;
	out_printf(o, " track %u session %u at %u + %u", p[2] | (n > 32 ? p[32] << 8 : 0),
		   p[3] | (n > 33 ? p[33] << 8 : 0), get_be32(p + 8), get_be32(p + 24));
	return false;
}

/* Entries of a table of contents, behind its header. */
static void entries_tree(const char *name, const uint8_t *p, size_t n, size_t size,
			 bit_layout fields, struct tree *t)
{
	tree_list(t, name);
	for (size_t at = TOC_HEADER; at + size <= n; at += size) {
		tree_object(t, "");
		bit_layout_tree(fields, p + at, size, t);
		tree_close(t);
	}
	tree_close(t);
}

static void toc_tree(const uint8_t *cdb, const uint8_t *p, size_t n, struct tree *t)
{
	bool time = cdb[1] & 2;

	switch (cdb[2] & 15) {
	case 0:
		bit_layout_tree(toc, p, n, t);
		entries_tree("tracks", p, n, 8, time ? toc_time : toc_lba, t);
		break;
	case 1:
		bit_layout_tree(sessions, p, n, t);
		entries_tree("tracks", p, n, 8, time ? toc_time : toc_lba, t);
		break;
	case 2:
	case 3:
		bit_layout_tree(sessions, p, n, t);
		entries_tree("points", p, n, 11, full_toc, t);
		break;
	case 4:
		bit_layout_tree(atip, p, n, t);
		break;
	default:
		break;
	}
}

static void place(const uint8_t *p, bool time, struct out *o)
{
	if (time)
		out_printf(o, " %02u:%02u.%02u", p[1], p[2], p[3]);
	else
		out_printf(o, " %u", get_be32(p));
}

static bool toc_brief(const uint8_t *cdb, const uint8_t *p, size_t n, struct out *o)
{
	unsigned int form = cdb[2] & 15;

	if (n < 4 || form > 1)
		return false;
	out_printf(o, form ? " sessions %u to %u" : " tracks %u to %u", p[2], p[3]);
	for (size_t at = TOC_HEADER; at + 8 <= n; at += 8) {
		if (p[at + 2] == LEAD_OUT)
			out_str(o, ", lead-out at");
		else
			out_printf(o, ", %u at", p[at + 2]);
		place(p + at + 4, cdb[1] & 2, o);
	}
	return false;
}

/* ---- events: MMC-6, 6.6 --------------------------------------------------------------------- */

FIELDS(events, WORD("data_length", 0), FLAG("nea", 2, 7), BITS("notification_class", 2, 0, 3),
       BYTE("supported_classes", 3));
FIELDS(operational, BITS("event_code", 4, 0, 4), FLAG("persistent_prevent", 5, 7),
       BITS("event_status", 5, 0, 4), WORD("operational_change", 6));
FIELDS(power, BITS("event_code", 4, 0, 4), BYTE("power_status", 5));
FIELDS(request, BITS("event_code", 4, 0, 4), FLAG("persistent_prevent", 5, 7),
       BITS("event_status", 5, 0, 4), WORD("external_request", 6));
FIELDS(media, BITS("event_code", 4, 0, 4), FLAG("media_present", 5, 1), FLAG("door_open", 5, 0),
       BYTE("start_slot", 6), BYTE("end_slot", 7));
FIELDS(initiators, BITS("event_code", 4, 0, 4), FLAG("persistent_prevent", 5, 7),
       BITS("event_status", 5, 0, 4), WORD("event_priority", 6));
FIELDS(busy, BITS("event_code", 4, 0, 4), BYTE("busy_status", 5), WORD("busy_time", 6));

static const struct notification {
	const char *name;
	bit_layout fields;
	const char *codes[7];
} notifications[8] = {
	[1] = {"operational change",
	       operational,
	       {"no change", "change requested", "changed", "feature changed"}},
	[2] = {"power management", power, {"no change", "change succeeded", "change failed"}},
	[3] = {"external request", request, {"no request", "key down", "key up", "request"}},
	[4] = {"media",
	       media,
	       {"no change", "eject request", "new media", "media removal", "media changed",
		"background format completed", "background format restarted"}},
	[5] = {"multi-initiator",
	       initiators,
	       {"no change", "control request", "control granted", "control released"}},
	[6] = {"device busy", busy, {"no change", "busy"}},
};

static const char *event_name(const struct notification *e, uint8_t code)
{
	return (code & 15u) < ARRAY_SIZE(e->codes) ? e->codes[code & 15] : NULL;
}

static void event_tree(const uint8_t *p, size_t n, struct tree *t)
{
	const struct notification *e = n > 2 ? &notifications[p[2] & 7] : NULL;

	bit_layout_tree(events, p, n, t);
	if (!e || p[2] & 0x80 || !e->name)
		return;
	tree_str(t, "notification_class_name", e->name);
	bit_layout_tree(e->fields, p, n, t);
	if (n > 4)
		tree_str(t, "event_name", event_name(e, p[4]));
}

static bool event_brief(const uint8_t *p, size_t n, struct out *o)
{
	const struct notification *e = n >= 4 ? &notifications[p[2] & 7] : NULL;
	const char *name;

	if (!e)
		return false;
	if (p[2] & 0x80 || !e->name) {
		out_str(o, " no event");
		return n == 4;
	}
	name = n > 4 ? event_name(e, p[4]) : NULL;
	out_printf(o, " %s", e->name);
	if (name)
		out_printf(o, " %s", name);
	if (e->fields == media && n > 5)
		out_printf(o, ", %s%s", p[5] & 2 ? "media present" : "no media",
			   p[5] & 1 ? ", door open" : "");
	return false;
}

/* ---- others: all fields at fixed places ----------------------------------------------------- */

FIELDS(physical, WORD("data_length", 0), BITS("book_type", 4, 4, 4), BITS("part_version", 4, 0, 4),
       BITS("disc_size", 5, 4, 4), BITS("maximum_rate", 5, 0, 4), BITS("layers", 6, 5, 2),
       FLAG("track_path", 6, 4), BITS("layer_type", 6, 0, 4), BITS("linear_density", 7, 4, 4),
       BITS("track_density", 7, 0, 4), TRIPLE("first_physical_sector", 9),
       TRIPLE("last_physical_sector", 13), TRIPLE("last_physical_sector_layer_0", 17),
       FLAG("bca", 20, 7));
FIELDS(copyright, WORD("data_length", 0), BYTE("protection_system", 4), BYTE("region", 5));
FIELDS(adip, FLAG("extended_format", 20, 6), BYTE("disc_application_code", 21),
       BITS("extended_format_blocks", 22, 0, 6), BYTE("product_revision", 34),
       BYTE("physical_information_length", 35));
FIELDS(structure, WORD("data_length", 0));
FIELDS(region, WORD("data_length", 0), BITS("rpc_type", 4, 6, 2), BITS("vendor_resets", 4, 3, 3),
       BITS("user_changes", 4, 0, 3), BYTE("region_mask", 5), BYTE("rpc_scheme", 6));
FIELDS(stream, BITS("wrc", 0, 3, 2), FLAG("rdd", 0, 2), FLAG("exact", 0, 1), FLAG("ra", 0, 0),
       LONG("start_lba", 4), LONG("end_lba", 8), LONG("read_size", 12), LONG("read_time", 16),
       LONG("write_size", 20), LONG("write_time", 24));
FIELDS(buffer, WORD("data_length", 0), FLAG("block", 3, 0), LONG("buffer_length", 4),
       LONG("available_length", 8));
FIELDS(mechanism, FLAG("fault", 0, 7), BITS("changer_state", 0, 5, 2),
       BITS("current_slot", 0, 0, 5), BITS("mechanism_state", 1, 5, 3), FLAG("door_open", 1, 4),
       TRIPLE("current_lba", 2), BYTE("slots", 5), WORD("slot_table_length", 6));

enum { ADIP = 0x11, RPC_STATE = 0x08 };

/* kind: the format of the answer, by the command; -1: there is only one */
static const struct plain {
	uint16_t code;
	int16_t kind;
	bit_layout fields;
} plains[] = {
	{SCSI_READ_DISC_STRUCTURE, 0x00, physical}, {SCSI_READ_DISC_STRUCTURE, 0x01, copyright},
	{SCSI_READ_DISC_STRUCTURE, ADIP, physical}, {SCSI_READ_DISC_STRUCTURE, -1, structure},
	{SCSI_REPORT_KEY, RPC_STATE, region},	    {SCSI_SET_STREAMING, 0, stream},
	{SCSI_READ_BUFFER_CAPACITY, -1, buffer},    {SCSI_MECHANISM_STATUS, -1, mechanism},
};

static unsigned int kind_of(unsigned int code, const uint8_t *cdb)
{
	switch (code) {
	case SCSI_READ_DISC_STRUCTURE:
		return cdb[7];
	case SCSI_REPORT_KEY:
		return cdb[10] & 0x3f;
	case SCSI_SET_STREAMING:
		return cdb[8];
	default:
		return 0;
	}
}

static const struct plain *plain_of(unsigned int code, const uint8_t *cdb)
{
	for (size_t i = 0; i < ARRAY_SIZE(plains); i++)
		if (plains[i].code == code &&
		    (plains[i].kind < 0 || (unsigned int)plains[i].kind == kind_of(code, cdb)))
			return &plains[i];
	return NULL;
}

/* The address in pregroove of a DVD+R, behind a header of 4 bytes. */
static void adip_tree(const uint8_t *p, size_t n, struct tree *t)
{
	bit_layout_tree(adip, p, n, t);
	if (n < 34)
		return;
	tree_text(t, "disc_manufacturer", p + 23, strnlen((const char *)p + 23, 8));
	tree_text(t, "media_type", p + 31, strnlen((const char *)p + 31, 3));
}

void scsi_mmc_tree(unsigned int code, const uint8_t *cdb, const uint8_t *p, size_t n,
		   struct tree *t)
{
	const struct plain *plain = plain_of(code, cdb);

	if (plain)
		bit_layout_tree(plain->fields, p, n, t);
	switch (code) {
	case SCSI_GET_CONFIGURATION:
		configuration_tree(p, n, t);
		break;
	case SCSI_READ_DISC_INFORMATION:
		disc_tree(p, n, t);
		break;
	case SCSI_READ_TRACK_INFORMATION:
		track_tree(p, n, t);
		break;
	case SCSI_READ_TOC_PMA_ATIP:
		toc_tree(cdb, p, n, t);
		break;
	case SCSI_GET_EVENT_STATUS_NOTIFICATION:
		event_tree(p, n, t);
		break;
	case SCSI_READ_DISC_STRUCTURE:
		if (cdb[7] == ADIP)
			adip_tree(p, n, t);
		break;
	default:
		break;
	}
}

bool scsi_mmc_brief(unsigned int code, const uint8_t *cdb, const uint8_t *p, size_t n,
		    struct out *o)
{
	switch (code) {
	case SCSI_GET_CONFIGURATION:
		return configuration_brief(p, n, o);
	case SCSI_READ_DISC_INFORMATION:
		return disc_brief(p, n, o);
	case SCSI_READ_TRACK_INFORMATION:
		return track_brief(p, n, o);
	case SCSI_READ_TOC_PMA_ATIP:
		return toc_brief(cdb, p, n, o);
	case SCSI_GET_EVENT_STATUS_NOTIFICATION:
		return event_brief(p, n, o);
	default:
		return false;
	}
}

bool scsi_mmc_has_name(const char *name, size_t n)
{
	static const bit_layout layouts[] = {
		disc,	track,	     toc,   sessions, atip,  toc_lba,	 toc_time, full_toc,
		events, operational, power, request,  media, initiators, busy,	   adip,
	};
	static const char *const others[] = {
		"current",
		"current_profile",
		"current_profile_name",
		"disc_manufacturer",
		"disc_status_name",
		"event_name",
		"feature",
		"feature_data",
		"feature_name",
		"feature_version",
		"features",
		"first_track_in_last_session",
		"last_track_in_last_session",
		"media_type",
		"notification_class_name",
		"persistent",
		"points",
		"profile",
		"profile_name",
		"profiles",
		"session",
		"sessions",
		"tracks",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strlen(others[i]) == n && !memcmp(others[i], name, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (bit_layout_has(layouts[i], name, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].fields && bit_layout_has(features[i].fields, name, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(plains); i++)
		if (bit_layout_has(plains[i].fields, name, n))
			return true;
	return false;
}

static void notification_words(const char *member, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(notifications); i++)
		if (!strcmp(member, "event_name"))
			LIST_WORDS(notifications[i].codes, fn, arg);
		else if (!strcmp(member, "notification_class_name") && notifications[i].name)
			fn(arg, notifications[i].name);
}

void scsi_mmc_words(const char *member, decoder_name_fn *fn, void *arg)
{
	if (!strcmp(member, "profile_name") || !strcmp(member, "current_profile_name"))
		CODE_WORDS(profiles, fn, arg);
	else if (!strcmp(member, "disc_status_name"))
		LIST_WORDS(disc_states, fn, arg);
	for (size_t i = 0; !strcmp(member, "feature_name") && i < ARRAY_SIZE(features); i++)
		fn(arg, features[i].name);
	notification_words(member, fn, arg);
}
