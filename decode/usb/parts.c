/* SPDX-License-Identifier: MIT */
/*
 * What the parts of "setup", "decoded" and "packets" are called: any of these may stand in --where
 * by itself. Fields of descriptors are in the table of descriptors.
 */
#include "decode/usb/class.h"
#include "decode/usb/descbits.h"
#include "decode/usb/desctable.h"
#include "decode/usb/usb.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const char *const parts[] = {
	"action",
	"actual",
	"additional",
	"address",
	"allocation_length",
	"alternate",
	"answer",
	"application",
	"asc",
	"ascq",
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
	"bus",
	"captured",
	"cdb",
	"change",
	"channel",
	"class_guessed",
	"class_name",
	"command",
	"configuration",
	"connected",
	"constant",
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
	"dev",
	"device_type",
	"device_type_name",
	"dir",
	"direction",
	"downstream_bps",
	"dtr",
	"dwDTERate",
	"elapsed_ns",
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
	"form",
	"format",
	"function",
	"function_name",
	"halt",
	"hub",
	"hub_changed",
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
	"modes",
	"mode_data_length",
	"no_data",
	"not_captured",
	"notification",
	"offset",
	"opcode",
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
	"pid",
	"port",
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
	"status",
	"status_name",
	"state",
	"stop_bits",
	"svid_name",
	"storage",
	"submit_ns",
	"subtype",
	"synchronisation",
	"tag",
	"tag_differs",
	"text",
	"timeout_ms",
	"transfer",
	"transport",
	"type",
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
	"wSVID",
	"bAlternateMode",
	"iAlternateModeString",
	"wHubChange",
	"wHubStatus",
	"wIndex",
	"wLANGID",
	"wLength",
	"wPortChange",
	"wPortStatus",
	"wValue",
	"write_protect",
	"xfer",
};

/* Fields of one kind wherever they stand, so that what is compared with them can be checked. */
static const char *const numbers[] = {
	"actual", "bRequest", "blocks", "bmRequestType", "bus", "captured", "data_length",
	"dev", "dwDTERate", "ep", "elapsed_ns", "error_count", "flags", "interval",
	"keys_down", "latency_ns", "lba", "length", "lun", "not_captured", "opcode",
	"packet_count", "report_id", "residue", "start_frame", "submit_ns", "tag", "wIndex",
	"wLength", "wValue",
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

/* A path leads to where its last part may be of another kind, but for that of the setup packet. */
unsigned int usb_comparable(void *state, const struct trawl_event_type *type, const char *name)
{
	static const char setup[] = "setup.";

	if (!strncmp(name, setup, strlen(setup)))
		name += strlen(setup);
	if (is_one_of(numbers, LENGTH(numbers), name))
		return COMPARABLE_NUMBER;
	if (is_one_of(texts, LENGTH(texts), name))
		return COMPARABLE_TEXT;
	return is_one_of(both, LENGTH(both), name) ? COMPARABLE_NUMBER | COMPARABLE_TEXT : 0;
}

bool usb_part(const char *name)
{
	size_t n = strcspn(name, ".[");

	for (size_t i = 0; i < LENGTH(parts); i++)
		if (!strncmp(parts[i], name, n) && !parts[i][n])
			return true;
	return desc_has_field(name, n) || desc_bits_have(name, n) || usb_class_has_name(name, n);
}
