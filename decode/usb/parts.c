/* SPDX-License-Identifier: MIT */
/*
 * What the parts of "setup", "decoded" and "packets" are called: any of these may stand in --where
 * by itself. Fields of descriptors are in the table of descriptors.
 */
#include "decode/usb/desctable.h"
#include "decode/usb/usb.h"

static const char *const parts[] = {
	"action", "actual", "additional", "address", "allocation_length", "alternate", "answer",
	"application", "asc", "ascq", "bCharFormat", "bDataBits", "bDescriptorSubtype",
	"bDescriptorType", "bLength", "bNotificationCode", "bParityType", "bRequest", "bString",
	"baud", "bit", "bits", "block", "block_size", "blocks", "bmRequestType", "break",
	"break_ms", "bus", "captured", "cdb", "change", "channel", "class_name", "command",
	"configuration", "connected", "constant", "control", "count", "cut", "data",
	"data_direction", "data_length", "decoded", "descriptor", "descriptor_index",
	"descriptors", "dev", "device_type", "device_type_name", "dir", "direction",
	"downstream_bps", "dtr", "dwDTERate", "elapsed_ns", "end", "endpoint", "entity", "ep",
	"errno", "error_count", "evpd", "extra", "feature", "field", "flags", "form", "format",
	"function", "function_name", "halt", "hub", "hub_changed", "id", "idle_ms",
	"information", "interface", "interval", "irp", "irp_info", "key", "keyboard", "keys",
	"keys_down", "kind", "language", "last_lba", "latency_ns", "latency_timer_ms", "lba",
	"length", "lengths", "line_coding", "link_state", "lun", "luns", "made_up", "masked",
	"max", "max_lun", "medium_type", "min", "mode_data_length", "no_data", "not_captured",
	"notification", "offset", "opcode", "packet", "packet_count", "packet_size", "packets",
	"packets_per_microframe", "page", "page_data", "page_length", "parity", "phase", "pid",
	"port", "ports_changed", "prevent", "product", "protocol", "recipient", "relative",
	"remote_wakeup", "removable", "report", "report_id", "report_type", "reports", "request",
	"reset", "residue", "response", "response_code", "response_name", "revision", "rts",
	"scsi", "selector", "self_powered", "sense", "sense_key", "sense_key_name", "serial",
	"serial_state", "service_action", "setup", "short", "stage", "start_frame", "status",
	"status_name", "stop_bits", "storage", "submit_ns", "subtype", "synchronisation", "tag",
	"tag_differs", "text", "transfer", "transport", "type", "upstream_bps", "usage",
	"usages", "usbd_status", "usbd_status_name", "usbpcap", "value", "values", "vendor",
	"version", "vid", "wHubChange", "wHubStatus", "wIndex", "wLANGID", "wLength",
	"wPortChange", "wPortStatus", "wValue", "write_protect", "xfer",
};

bool usb_part(const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strncmp(parts[i], name, n) && !parts[i][n])
			return true;
	return desc_has_field(name, n);
}
