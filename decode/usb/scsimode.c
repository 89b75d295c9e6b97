/* SPDX-License-Identifier: MIT */
#include "decode/usb/scsimode.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/bitlayout.h"

#include <string.h>

FIELDS(recovery, FLAG("awre", 2, 7), FLAG("arre", 2, 6), FLAG("tb", 2, 5), FLAG("rc", 2, 4),
       FLAG("eer", 2, 3), FLAG("per", 2, 2), FLAG("dte", 2, 1), FLAG("dcr", 2, 0),
       BYTE("read_retry_count", 3), BYTE("correction_span", 4), BYTE("head_offset_count", 5),
       BYTE("data_strobe_offset_count", 6), BYTE("write_retry_count", 8),
       WORD("recovery_time_limit", 10));
FIELDS(reconnect, BYTE("buffer_full_ratio", 2), BYTE("buffer_empty_ratio", 3),
       WORD("bus_inactivity_limit", 4), WORD("disconnect_time_limit", 6),
       WORD("connect_time_limit", 8), WORD("maximum_burst_size", 10), FLAG("emdp", 12, 7),
       BITS("fair_arbitration", 12, 4, 3), FLAG("dimm", 12, 3), BITS("dtdc", 12, 0, 3),
       WORD("first_burst_size", 14));
FIELDS(format, WORD("tracks_per_zone", 2), WORD("alternate_sectors_per_zone", 4),
       WORD("alternate_tracks_per_zone", 6), WORD("alternate_tracks_per_unit", 8),
       WORD("sectors_per_track", 10), WORD("data_bytes_per_physical_sector", 12),
       WORD("interleave", 14), WORD("track_skew_factor", 16), WORD("cylinder_skew_factor", 18),
       FLAG("ssec", 20, 7), FLAG("hsec", 20, 6), FLAG("rmb", 20, 5), FLAG("surf", 20, 4));
FIELDS(geometry, TRIPLE("number_of_cylinders", 2), BYTE("number_of_heads", 5),
       TRIPLE("starting_cylinder_precompensation", 6),
       TRIPLE("starting_cylinder_reduced_write_current", 9), WORD("device_step_rate", 12),
       TRIPLE("landing_zone_cylinder", 14), BITS("rpl", 17, 0, 2),
       BYTE("rotational_offset", 18), WORD("medium_rotation_rate", 20));
FIELDS(flexible, WORD("transfer_rate", 2), BYTE("number_of_heads", 4),
       BYTE("sectors_per_track", 5), WORD("data_bytes_per_sector", 6),
       WORD("number_of_cylinders", 8), WORD("starting_cylinder_precompensation", 10),
       WORD("starting_cylinder_reduced_write_current", 12), WORD("device_step_rate", 14),
       BYTE("step_pulse_width", 16), WORD("head_settle_delay", 17), BYTE("motor_on_delay", 19),
       BYTE("motor_off_delay", 20), FLAG("trdy", 21, 7), FLAG("ssn", 21, 6), FLAG("mo", 21, 5),
       WORD("medium_rotation_rate", 28));
FIELDS(writing, FLAG("bufe", 2, 6), FLAG("ls_v", 2, 5), FLAG("test_write", 2, 4),
       BITS("write_type", 2, 0, 4), BITS("multi_session", 3, 6, 2), FLAG("fp", 3, 5),
       FLAG("copy", 3, 4), BITS("track_mode", 3, 0, 4), BITS("data_block_type", 4, 0, 4),
       BYTE("link_size", 5), BITS("initiator_application_code", 7, 0, 6),
       BYTE("session_format", 8), LONG("packet_size", 10), WORD("audio_pause_length", 14));
FIELDS(verify, FLAG("eer", 2, 3), FLAG("per", 2, 2), FLAG("dte", 2, 1), FLAG("dcr", 2, 0),
       BYTE("verify_retry_count", 3), BYTE("verify_correction_span", 4),
       WORD("verify_recovery_time_limit", 10));
FIELDS(caching, FLAG("ic", 2, 7), FLAG("abpf", 2, 6), FLAG("cap", 2, 5), FLAG("disc", 2, 4),
       FLAG("size", 2, 3), FLAG("wce", 2, 2), FLAG("mf", 2, 1), FLAG("rcd", 2, 0),
       BITS("demand_read_retention_priority", 3, 4, 4),
       BITS("write_retention_priority", 3, 0, 4), WORD("disable_prefetch_transfer_length", 4),
       WORD("minimum_prefetch", 6), WORD("maximum_prefetch", 8),
       WORD("maximum_prefetch_ceiling", 10), FLAG("fsw", 12, 7), FLAG("lbcss", 12, 6),
       FLAG("dra", 12, 5), BITS("sync_prog", 12, 1, 2), FLAG("nv_dis", 12, 0),
       BYTE("number_of_cache_segments", 13), WORD("cache_segment_size", 14),
       TRIPLE("non_cache_segment_size", 17));
FIELDS(control, BITS("tst", 2, 5, 3), FLAG("tmf_only", 2, 4), FLAG("dpicz", 2, 3),
       FLAG("d_sense", 2, 2), FLAG("gltsd", 2, 1), FLAG("rlec", 2, 0),
       BITS("queue_algorithm_modifier", 3, 4, 4), FLAG("nuar", 3, 3), BITS("qerr", 3, 1, 2),
       FLAG("dque", 3, 0), FLAG("rac", 4, 6), BITS("ua_intlck_ctrl", 4, 4, 2),
       FLAG("swp", 4, 3), FLAG("ato", 5, 7), FLAG("tas", 5, 6), FLAG("atmpe", 5, 5),
       FLAG("rwwp", 5, 4), BITS("autoload_mode", 5, 0, 3), WORD("busy_timeout_period", 8),
       WORD("extended_self_test_completion_time", 10));
FIELDS(control_extension, FLAG("tcmos", 4, 2), FLAG("scsip", 4, 1), FLAG("ialuae", 4, 0),
       BITS("initial_command_priority", 5, 0, 4), BYTE("maximum_sense_data_length", 6));
FIELDS(cd_device, BITS("inactivity_timer_multiplier", 3, 0, 4), WORD("s_units_per_m_unit", 4),
       WORD("f_units_per_s_unit", 6));
FIELDS(cd_audio, FLAG("immed", 2, 2), FLAG("sotc", 2, 1), BITS("port_0_channels", 8, 0, 4),
       BYTE("port_0_volume", 9), BITS("port_1_channels", 10, 0, 4), BYTE("port_1_volume", 11),
       BITS("port_2_channels", 12, 0, 4), BYTE("port_2_volume", 13),
       BITS("port_3_channels", 14, 0, 4), BYTE("port_3_volume", 15));
FIELDS(protocol, BITS("protocol_identifier", 2, 0, 4));
FIELDS(power, BITS("pm_bg_precedence", 2, 6, 2), FLAG("standby_y", 2, 0), FLAG("idle_c", 3, 3),
       FLAG("idle_b", 3, 2), FLAG("idle_a", 3, 1), FLAG("standby_z", 3, 0),
       LONG("idle_a_timer", 4), LONG("standby_z_timer", 8), LONG("idle_b_timer", 12),
       LONG("idle_c_timer", 16), LONG("standby_y_timer", 20));
FIELDS(removable, FLAG("sflp", 2, 7), FLAG("srfp", 2, 6), FLAG("ncd", 3, 7), FLAG("sml", 3, 6),
       BITS("tlun", 3, 0, 3));
FIELDS(exceptions, FLAG("perf", 2, 7), FLAG("ebf", 2, 5), FLAG("ewasc", 2, 4),
       FLAG("dexcpt", 2, 3), FLAG("test", 2, 2), FLAG("ebackerr", 2, 1), FLAG("logerr", 2, 0),
       BITS("mrie", 3, 0, 4), LONG("interval_timer", 4), LONG("report_count", 8));
FIELDS(timeout, FLAG("g3enable", 4, 3), FLAG("tmoe", 4, 2), FLAG("disp", 4, 1),
       FLAG("swpp", 4, 0), WORD("group_1_timeout", 6), WORD("group_2_timeout", 8),
       WORD("group_3_timeout", 10));
FIELDS(cd_capabilities, FLAG("dvd_ram_read", 2, 5), FLAG("dvd_r_read", 2, 4),
       FLAG("dvd_rom_read", 2, 3), FLAG("method_2", 2, 2), FLAG("cd_rw_read", 2, 1),
       FLAG("cd_r_read", 2, 0), FLAG("dvd_ram_write", 3, 5), FLAG("dvd_r_write", 3, 4),
       FLAG("dvd_rom_write", 3, 3), FLAG("test_write", 3, 2), FLAG("cd_rw_write", 3, 1),
       FLAG("cd_r_write", 3, 0), FLAG("buf", 4, 7), FLAG("multi_session", 4, 6),
       FLAG("mode_2_form_2", 4, 5), FLAG("mode_2_form_1", 4, 4), FLAG("digital_port_2", 4, 3),
       FLAG("digital_port_1", 4, 2), FLAG("composite", 4, 1), FLAG("audio_play", 4, 0),
       FLAG("read_bar_code", 5, 7), FLAG("upc", 5, 6), FLAG("isrc", 5, 5),
       FLAG("c2_pointers", 5, 4), FLAG("rw_deinterleaved_corrected", 5, 3),
       FLAG("rw_supported", 5, 2), FLAG("cd_da_accurate", 5, 1), FLAG("cd_da_commands", 5, 0),
       BITS("loading_mechanism_type", 6, 5, 3), FLAG("eject", 6, 3),
       FLAG("prevent_jumper", 6, 2), FLAG("lock_state", 6, 1), FLAG("lock", 6, 0),
       FLAG("rw_in_lead_in", 7, 5), FLAG("side_change_capable", 7, 4),
       FLAG("sw_slot_selection", 7, 3), FLAG("changer_supports_disc_present", 7, 2),
       FLAG("separate_channel_mute", 7, 1), FLAG("separate_volume_levels", 7, 0),
       WORD("maximum_read_speed", 8), WORD("number_of_volume_levels", 10),
       WORD("buffer_size", 12), WORD("current_read_speed", 14), BITS("length", 17, 4, 2),
       FLAG("lsbf", 17, 3), FLAG("rck", 17, 2), FLAG("bckf", 17, 1),
       WORD("maximum_write_speed", 18), WORD("current_write_speed", 20),
       WORD("copy_management_revision", 22), BITS("rotation_control", 27, 0, 2),
       WORD("current_write_speed_selected", 28), WORD("write_speed_descriptors", 30));

/*
 * A code may be another page for disks and for CD drives. Which of them it is, the length tells;
 * the device type is in the answer to INQUIRY, which the capture may lack.
 */
static const struct page {
	uint8_t code, subpage;
	uint8_t least, most; /* bytes after the page's header */
	const char *name;
	bit_layout fields;
} pages[] = {
	{0x01, 0, 0, 255, "read-write error recovery", recovery},
	{0x02, 0, 0, 255, "disconnect-reconnect", reconnect},
	{0x03, 0, 0, 255, "format device", format},
	{0x04, 0, 0, 255, "rigid disk geometry", geometry},
	{0x05, 0, 30, 30, "flexible disk", flexible},
	{0x05, 0, 50, 255, "write parameters", writing},
	{0x07, 0, 0, 255, "verify error recovery", verify},
	{0x08, 0, 0, 255, "caching", caching},
	{0x0a, 0, 0, 255, "control", control},
	{0x0a, 1, 0, 255, "control extension", control_extension},
	{0x0d, 0, 6, 6, "CD device parameters", cd_device},
	{0x0e, 0, 14, 14, "CD audio control", cd_audio},
	{0x18, 0, 0, 255, "protocol-specific logical unit", protocol},
	{0x19, 0, 0, 255, "protocol-specific port", protocol},
	{0x1a, 0, 0, 255, "power condition", power},
	{0x1b, 0, 10, 10, "removable block access capabilities", removable},
	{0x1c, 0, 0, 255, "informational exceptions control", exceptions},
	{0x1d, 0, 8, 10, "timeout and protect", timeout},
	{0x2a, 0, 0, 255, "CD capabilities and mechanical status", cd_capabilities},
	{0x3f, 0, 0, 255, "all pages", NULL},
};

static const struct page *find(uint8_t code, uint8_t subpage, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i].code == code && pages[i].subpage == subpage &&
		    (!length || (length >= pages[i].least && length <= pages[i].most)))
			return &pages[i];
	return NULL;
}

const char *scsi_mode_page_name(uint8_t code, uint8_t subpage, size_t length)
{
	const struct page *p = find(code, subpage, length);

	return p && (length || (p->least == 0 && p->most == 255)) ? p->name : NULL;
}

bool scsi_mode_has_name(const char *name, size_t n)
{
	static const char *const others[] = {
		"block_descriptor_length", "block_descriptors", "block_length", "dpofua",
		"long_lba", "number_of_blocks", "page_code", "page_length", "page_name", "pages",
		"ps", "subpage",
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strlen(others[i]) == n && !memcmp(others[i], name, n))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i].fields && bit_layout_has(pages[i].fields, name, n))
			return true;
	return false;
}

/* ---- parts ---------------------------------------------------------------------------------- */

struct parameters {
	size_t header, descriptors; /* bytes of each */
	bool long_lba;
};

static bool parse(const uint8_t *p, size_t n, bool ten, struct parameters *m)
{
	m->header = ten ? 8 : 4;
	if (n < m->header)
		return false;
	m->descriptors = ten ? get_be16(p + 6) : p[3];
	m->long_lba = ten && p[4] & 1;
	return true;
}

struct mode_page {
	const struct page *known;
	const uint8_t *p;
	size_t header, length; /* the page's own and its length field's */
	size_t n;              /* bytes of the page that are there, with its header */
	uint8_t code, subpage;
};

/* Finds the page at *at and moves on. Page 0 is the vendor's and need not have a header. */
static bool next_page(const uint8_t *p, size_t n, size_t *at, struct mode_page *m)
{
	size_t left = n - *at;
	bool sub;

	if (left < 2 || !(p[*at] & 0x3f))
		return false;
	sub = p[*at] & 0x40;
	if (sub && left < 4)
		return false;
	*m = (struct mode_page){
		.p = p + *at, .code = p[*at] & 0x3f, .subpage = sub ? p[*at + 1] : 0,
		.header = sub ? 4 : 2, .length = sub ? get_be16(p + *at + 2) : p[*at + 1],
	};
	m->n = m->header + m->length > left ? left : m->header + m->length;
	m->known = find(m->code, m->subpage, m->length);
	*at += m->n;
	return true;
}

/* ---- printing ------------------------------------------------------------------------------- */

/*
 * Byte 0 is a density code, or for disks the highest byte of the number of blocks: the number is
 * shown only if both are the same.
 */
static void descriptor_tree(const uint8_t *p, bool long_lba, struct tree *t)
{
	tree_object(t, "");
	if (long_lba)
		tree_uint(t, "number_of_blocks", get_be64(p));
	else if (!p[0])
		tree_uint(t, "number_of_blocks", get_be32(p));
	else
		tree_bytes(t, "data", p, 8);
	tree_uint(t, "block_length", long_lba ? get_be32(p + 12) : get_be32(p + 4) & 0xffffff);
	tree_close(t);
}

static void page_tree(const struct mode_page *m, struct tree *t)
{
	tree_object(t, "");
	tree_hex(t, "page_code", m->code, 2);
	if (m->p[0] & 0x40)
		tree_hex(t, "subpage", m->subpage, 2);
	tree_str(t, "page_name", m->known ? m->known->name : NULL);
	tree_bool(t, "ps", m->p[0] & 0x80);
	tree_uint(t, "page_length", m->length);
	if (m->known && m->known->fields)
		bit_layout_tree(m->known->fields, m->p, m->n, t);
	else
		tree_bytes(t, "page_data", m->p + m->header, m->n - m->header);
	if (m->n < m->header + m->length)
		tree_bool(t, "cut", true);
	tree_close(t);
}

void scsi_mode_tree(const uint8_t *p, size_t n, bool ten, struct tree *t)
{
	struct parameters m;
	struct mode_page page;
	size_t at, end, size;

	if (!parse(p, n, ten, &m))
		return;
	tree_uint(t, "mode_data_length", ten ? get_be16(p) : p[0]);
	tree_uint(t, "medium_type", p[ten ? 2 : 1]);
	tree_bool(t, "write_protect", p[ten ? 3 : 2] & 0x80);
	tree_bool(t, "dpofua", p[ten ? 3 : 2] & 0x10);
	if (ten)
		tree_bool(t, "long_lba", m.long_lba);
	tree_uint(t, "block_descriptor_length", m.descriptors);
	size = m.long_lba ? 16 : 8;
	end = m.header + m.descriptors;
	if (m.descriptors) {
		tree_list(t, "block_descriptors");
		for (at = m.header; at + size <= end && at + size <= n; at += size)
			descriptor_tree(p + at, m.long_lba, t);
		tree_close(t);
	}
	if (end >= n)
		return;
	at = end;
	tree_list(t, "pages");
	while (at < n && next_page(p, n, &at, &page))
		page_tree(&page, t);
	tree_close(t);
	if (at < n)
		tree_bytes(t, "page_data", p + at, n - at);
}

bool scsi_mode_brief(const uint8_t *p, size_t n, bool ten, struct out *o)
{
	struct parameters m;
	struct mode_page page;
	const char *separator = "";
	size_t at;

	if (!parse(p, n, ten, &m))
		return false;
	if (p[ten ? 3 : 2] & 0x80) {
		out_str(o, " write-protected");
		separator = ",";
	}
	at = m.header + m.descriptors;
	while (at < n && next_page(p, n, &at, &page)) {
		out_str(o, separator);
		separator = ",";
		if (page.known)
			out_printf(o, " %s", page.known->name);
		else
			out_printf(o, " page 0x%02x", page.code);
		if (page.known && page.known->fields)
			bit_layout_brief(page.known->fields, page.p, page.n, o);
	}
	if (!*separator)
		out_str(o, " no pages");
	return at >= n;
}

void scsi_mode_words(const char *member, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; !strcmp(member, "page_name") && i < ARRAY_SIZE(pages); i++)
		fn(arg, pages[i].name);
}
