/* SPDX-License-Identifier: MIT */
/*
 * Names of the members of "setup", "decoded" and "packets" that --where accepts without a path. The
 * fields of descriptors are in desctable.c.
 */
#include "common/array.h"
#include "decode/usb/class.h"
#include "decode/usb/descbits.h"
#include "decode/usb/desctable.h"
#include "decode/usb/usb.h"


static const char *const parts[] = {
	"action",
	"actual",
	"additional",
	"address",
	"allocation_length",
	"alternate",
	"answer",
	"apart_ns",
	"application",
	"asc",
	"ascq",
	"bAlternateMode",
	"bCharFormat",
	"bDataBits",
	"bDescriptorSubtype",
	"bDescriptorType",
	"bLength",
	"bNotificationCode",
	"bParityType",
	"bRequest",
	"bString",
	"baud",
	"bit",
	"bits",
	"block",
	"block_size",
	"blocks",
	"bmRequestType",
	"break",
	"break_ms",
	"buffered",
	"bus",
	"captured",
	"cdb",
	"change",
	"channel",
	"character",
	"class_guessed",
	"class_name",
	"command",
	"configuration",
	"connected",
	"constant",
	"context_guessed",
	"control",
	"count",
	"cut",
	"darwin",
	"data",
	"data_direction",
	"data_length",
	"decoded",
	"descriptor",
	"descriptor_index",
	"descriptors",
	"descriptors_not_captured",
	"dev",
	"device_type",
	"device_type_name",
	"dir",
	"direction",
	"downstream_bps",
	"dtr",
	"duplicate",
	"dwDTERate",
	"elapsed_ns",
	"enabled",
	"end",
	"endpoint",
	"entity",
	"ep",
	"errno",
	"error_count",
	"evpd",
	"extra",
	"feature",
	"field",
	"flags",
	"flow",
	"flow_name",
	"form",
	"format",
	"function",
	"function_name",
	"halt",
	"hub",
	"hub_changed",
	"iAlternateModeString",
	"id",
	"idle_ms",
	"information",
	"interface",
	"interval",
	"io_id",
	"io_status",
	"io_status_name",
	"irp",
	"irp_info",
	"key",
	"keyboard",
	"keys",
	"keys_down",
	"kind",
	"language",
	"languages",
	"last_lba",
	"latency_ns",
	"latency_timer_ms",
	"lba",
	"length",
	"lengths",
	"line_coding",
	"link_state",
	"location_id",
	"lun",
	"luns",
	"made_up",
	"masked",
	"max",
	"max_lun",
	"medium_type",
	"min",
	"mode",
	"mode_data_length",
	"mode_name",
	"modes",
	"no_data",
	"no_preferred",
	"nonlinear",
	"not_captured",
	"notification",
	"null_state",
	"offset",
	"opcode",
	"owner_interface",
	"packet",
	"packet_count",
	"packet_size",
	"packets",
	"packets_per_microframe",
	"page",
	"page_data",
	"page_length",
	"parameter_list",
	"parameter_list_length",
	"parity",
	"phase",
	"physical_max",
	"physical_min",
	"pid",
	"pins",
	"platform",
	"port",
	"port_selector",
	"ports_changed",
	"prevent",
	"product",
	"protocol",
	"recipient",
	"relative",
	"remote_wakeup",
	"removable",
	"report",
	"report_id",
	"report_type",
	"reports",
	"request",
	"reset",
	"residue",
	"response",
	"response_code",
	"response_name",
	"revision",
	"rts",
	"scsi",
	"selector",
	"self_powered",
	"sense",
	"sense_key",
	"sense_key_name",
	"serial",
	"serial_state",
	"service_action",
	"setup",
	"short",
	"speed",
	"stage",
	"start_frame",
	"state",
	"status",
	"status_name",
	"stop_bits",
	"storage",
	"submit_ns",
	"subtype",
	"svid_name",
	"synchronisation",
	"tag",
	"tag_differs",
	"text",
	"timeout_ms",
	"times_cross",
	"transport",
	"two_readers",
	"tt_device",
	"tt_direction",
	"tt_endpoint",
	"tt_xfer",
	"type",
	"unit",
	"unit_code",
	"unit_exponent",
	"upstream_bps",
	"usage",
	"usages",
	"usbd_status",
	"usbd_status_name",
	"usbpcap",
	"value",
	"values",
	"vendor",
	"version",
	"vid",
	"volatile",
	"wHubChange",
	"wHubStatus",
	"wIndex",
	"wLANGID",
	"wLength",
	"wPortChange",
	"wPortStatus",
	"wSVID",
	"wValue",
	"wrap",
	"write_protect",
	"xfer",
	"xoff",
	"xon",
	"zeroed",
	"zeroed_bytes",
	"zeroed_from",
};

/* Members that have one kind of value wherever they occur, so that operands can be checked. */
static const char *const numbers[] = {
	"actual", "apart_ns", "bRequest", "blocks", "bmRequestType", "bus", "captured",
	"data_length", "descriptors_not_captured", "dev", "dwDTERate", "ep", "elapsed_ns", "error_count", "flags", "interval",
	"keys_down", "latency_ns", "lba", "length", "lun", "not_captured", "opcode",
	"packet_count", "report_id", "residue", "start_frame", "submit_ns", "tag", "wIndex",
	"wLength", "wValue", "zeroed_bytes", "zeroed_from",
};
static const char *const texts[] = {
	"command", "dir", "end", "errno", "masked_by", "no_data", "phase", "recipient",
	"request", "sense_key_name", "status_name", "text", "transport", "type", "xfer",
};
static const char *const both[] = {"idProduct", "idVendor", "pid", "status", "vid"};

static bool is_one_of(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

/*
 * Only paths below "setup" can be checked: in other objects, members of one name may have several
 * kinds of values.
 */
unsigned int usb_comparable(void *state, const struct trawl_event_type *type, const char *name)
{
	static const char setup[] = "setup.";

	if (!strncmp(name, setup, strlen(setup)))
		name += strlen(setup);
	if (is_one_of(numbers, ARRAY_SIZE(numbers), name))
		return COMPARABLE_NUMBER;
	if (is_one_of(texts, ARRAY_SIZE(texts), name))
		return COMPARABLE_TEXT;
	return is_one_of(both, ARRAY_SIZE(both), name) ? COMPARABLE_NUMBER | COMPARABLE_TEXT : 0;
}

bool usb_part(const char *name)
{
	size_t n = strcspn(name, ".[");

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strncmp(parts[i], name, n) && !parts[i][n])
			return true;
	return desc_has_field(name, n) || desc_bits_have(name, n) || usb_class_has_name(name, n);
}

void usb_parts(decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		fn(arg, parts[i]);
	usb_class_names(fn, arg);
	desc_field_names(fn, arg);
}
