/* SPDX-License-Identifier: MIT */
#include "decode/usb/control.h"
#include "common/array.h"
#include "decode/base/bytes.h"
#include "decode/usb/descriptor.h"
#include "decode/usb/ftdi.h"

void control_parse(struct control_request *s, const uint8_t bytes[8])
{
	*s = (struct control_request){
		.type = bytes[0],
		.request = bytes[1],
		.value = get16(bytes + 2),
		.index = get16(bytes + 4),
		.length = get16(bytes + 6),
	};
}

/* ---- names -------------------------------------------------------------------------------- */

#define ANY 0xff

/* How wValue and wIndex are interpreted, for requests that share an interpretation. */
enum form {
	PLAIN,
	DESCRIPTOR,  /* wValue: type, index; wIndex: language or interface */
	FEATURE,     /* wValue: feature selector */
	ADDRESS,     /* wValue: address */
	CONFIG,      /* wValue: bConfigurationValue */
	ALTERNATE,   /* wValue: alternate setting, wIndex: interface */
	HUB_FEATURE, /* the same for hubs; wIndex: port, selector of its test or indicator */
	TT_BUFFER,   /* wValue: endpoint, device, type and direction behind a hub's translator */
	HID_REPORT,  /* wValue: report type, report id */
	HID_IDLE,    /* wValue: duration in 4 ms, report id */
	HID_PROTOCOL,
	LINE_STATE,  /* wValue: DTR, RTS */
	BREAK,       /* wValue: duration in ms; 0xffff: until a request with 0 */
	DEVICE_ID,   /* wIndex: interface, alternate setting */
	CONTROL,     /* wValue: selector, channel; wIndex: entity, interface or endpoint */
	BLOCK,       /* wValue: block number */
	DETACH,      /* wValue: time until the reset, in ms */
	FTDI,
};

enum { BREAK_ON = 0xffff };

struct request {
	uint8_t class, subclass, request, form;
	const char *name;
};

static const struct request standard[] = {
	{ANY, ANY, 0, PLAIN, "GET_STATUS"},
	{ANY, ANY, 1, FEATURE, "CLEAR_FEATURE"},
	{ANY, ANY, 3, FEATURE, "SET_FEATURE"},
	{ANY, ANY, 5, ADDRESS, "SET_ADDRESS"},
	{ANY, ANY, 6, DESCRIPTOR, "GET_DESCRIPTOR"},
	{ANY, ANY, 7, DESCRIPTOR, "SET_DESCRIPTOR"},
	{ANY, ANY, 8, PLAIN, "GET_CONFIGURATION"},
	{ANY, ANY, 9, CONFIG, "SET_CONFIGURATION"},
	{ANY, ANY, 10, PLAIN, "GET_INTERFACE"},
	{ANY, ANY, 11, ALTERNATE, "SET_INTERFACE"},
	{ANY, ANY, 12, PLAIN, "SYNCH_FRAME"},
	{ANY, ANY, 13, PLAIN, "SET_ENCRYPTION"},
	{ANY, ANY, 14, PLAIN, "GET_ENCRYPTION"},
	{ANY, ANY, 15, PLAIN, "SET_HANDSHAKE"},
	{ANY, ANY, 16, PLAIN, "GET_HANDSHAKE"},
	{ANY, ANY, 17, PLAIN, "SET_CONNECTION"},
	{ANY, ANY, 18, PLAIN, "SET_SECURITY_DATA"},
	{ANY, ANY, 19, PLAIN, "GET_SECURITY_DATA"},
	{ANY, ANY, 20, PLAIN, "SET_WUSB_DATA"},
	{ANY, ANY, 21, PLAIN, "LOOPBACK_DATA_WRITE"},
	{ANY, ANY, 22, PLAIN, "LOOPBACK_DATA_READ"},
	{ANY, ANY, 23, PLAIN, "SET_INTERFACE_DS"},
	{ANY, ANY, 26, PLAIN, "GET_FW_STATUS"},
	{ANY, ANY, 27, PLAIN, "SET_FW_STATUS"},
	{ANY, ANY, 48, PLAIN, "SET_SEL"},
	{ANY, ANY, 49, PLAIN, "SET_ISOCH_DELAY"},
};

static const struct request class_requests[] = {
	/* audio */
	{0x01, ANY, 0x01, CONTROL, "SET_CUR"},
	{0x01, ANY, 0x02, CONTROL, "SET_MIN"},
	{0x01, ANY, 0x03, CONTROL, "SET_MAX"},
	{0x01, ANY, 0x04, CONTROL, "SET_RES"},
	{0x01, ANY, 0x05, CONTROL, "SET_MEM"},
	{0x01, ANY, 0x81, CONTROL, "GET_CUR"},
	{0x01, ANY, 0x82, CONTROL, "GET_MIN"},
	{0x01, ANY, 0x83, CONTROL, "GET_MAX"},
	{0x01, ANY, 0x84, CONTROL, "GET_RES"},
	{0x01, ANY, 0x85, CONTROL, "GET_MEM"},
	{0x01, ANY, 0xff, CONTROL, "GET_STAT"},
	/* communication */
	{0x02, ANY, 0x00, PLAIN, "SEND_ENCAPSULATED_COMMAND"},
	{0x02, ANY, 0x01, PLAIN, "GET_ENCAPSULATED_RESPONSE"},
	{0x02, ANY, 0x02, PLAIN, "SET_COMM_FEATURE"},
	{0x02, ANY, 0x03, PLAIN, "GET_COMM_FEATURE"},
	{0x02, ANY, 0x04, PLAIN, "CLEAR_COMM_FEATURE"},
	{0x02, ANY, 0x05, PLAIN, "RESET_FUNCTION"},
	{0x02, ANY, 0x20, PLAIN, "SET_LINE_CODING"},
	{0x02, ANY, 0x21, PLAIN, "GET_LINE_CODING"},
	{0x02, ANY, 0x22, LINE_STATE, "SET_CONTROL_LINE_STATE"},
	{0x02, ANY, 0x23, BREAK, "SEND_BREAK"},
	{0x02, ANY, 0x40, PLAIN, "SET_ETHERNET_MULTICAST_FILTERS"},
	{0x02, ANY, 0x41, PLAIN, "SET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER"},
	{0x02, ANY, 0x42, PLAIN, "GET_ETHERNET_POWER_MANAGEMENT_PATTERN_FILTER"},
	{0x02, ANY, 0x43, PLAIN, "SET_ETHERNET_PACKET_FILTER"},
	{0x02, ANY, 0x44, PLAIN, "GET_ETHERNET_STATISTIC"},
	{0x02, ANY, 0x80, PLAIN, "GET_NTB_PARAMETERS"},
	{0x02, ANY, 0x81, PLAIN, "GET_NET_ADDRESS"},
	{0x02, ANY, 0x82, PLAIN, "SET_NET_ADDRESS"},
	{0x02, ANY, 0x83, PLAIN, "GET_NTB_FORMAT"},
	{0x02, ANY, 0x84, PLAIN, "SET_NTB_FORMAT"},
	{0x02, ANY, 0x85, PLAIN, "GET_NTB_INPUT_SIZE"},
	{0x02, ANY, 0x86, PLAIN, "SET_NTB_INPUT_SIZE"},
	{0x02, ANY, 0x87, PLAIN, "GET_MAX_DATAGRAM_SIZE"},
	{0x02, ANY, 0x88, PLAIN, "SET_MAX_DATAGRAM_SIZE"},
	{0x02, ANY, 0x89, PLAIN, "GET_CRC_MODE"},
	{0x02, ANY, 0x8a, PLAIN, "SET_CRC_MODE"},
	/* HID */
	{0x03, ANY, 0x01, HID_REPORT, "GET_REPORT"},
	{0x03, ANY, 0x02, HID_IDLE, "GET_IDLE"},
	{0x03, ANY, 0x03, PLAIN, "GET_PROTOCOL"},
	{0x03, ANY, 0x09, HID_REPORT, "SET_REPORT"},
	{0x03, ANY, 0x0a, HID_IDLE, "SET_IDLE"},
	{0x03, ANY, 0x0b, HID_PROTOCOL, "SET_PROTOCOL"},
	/* still image */
	{0x06, ANY, 0x64, PLAIN, "CANCEL"},
	{0x06, ANY, 0x65, PLAIN, "GET_EXTENDED_EVENT_DATA"},
	{0x06, ANY, 0x66, PLAIN, "DEVICE_RESET"},
	{0x06, ANY, 0x67, PLAIN, "GET_DEVICE_STATUS"},
	/* printer */
	{0x07, ANY, 0x00, DEVICE_ID, "GET_DEVICE_ID"},
	{0x07, ANY, 0x01, PLAIN, "GET_PORT_STATUS"},
	{0x07, ANY, 0x02, PLAIN, "SOFT_RESET"},
	/* mass storage */
	{0x08, ANY, 0x00, PLAIN, "ADSC"},
	{0x08, ANY, 0xfc, PLAIN, "GET_REQUESTS"},
	{0x08, ANY, 0xfd, PLAIN, "PUT_REQUESTS"},
	{0x08, ANY, 0xfe, PLAIN, "GET_MAX_LUN"},
	{0x08, ANY, 0xff, PLAIN, "BULK_ONLY_RESET"},
	/* hub */
	{0x09, ANY, 0, PLAIN, "GET_STATUS"},
	{0x09, ANY, 1, HUB_FEATURE, "CLEAR_FEATURE"},
	{0x09, ANY, 3, HUB_FEATURE, "SET_FEATURE"},
	{0x09, ANY, 6, DESCRIPTOR, "GET_DESCRIPTOR"},
	{0x09, ANY, 7, DESCRIPTOR, "SET_DESCRIPTOR"},
	{0x09, ANY, 8, TT_BUFFER, "CLEAR_TT_BUFFER"},
	{0x09, ANY, 9, PLAIN, "RESET_TT"},
	{0x09, ANY, 10, PLAIN, "GET_TT_STATE"},
	{0x09, ANY, 11, PLAIN, "STOP_TT"},
	{0x09, ANY, 12, PLAIN, "SET_HUB_DEPTH"},
	{0x09, ANY, 13, PLAIN, "GET_PORT_ERR_COUNT"},
	/* smart card */
	{0x0b, ANY, 1, PLAIN, "ABORT"},
	{0x0b, ANY, 2, PLAIN, "GET_CLOCK_FREQUENCIES"},
	{0x0b, ANY, 3, PLAIN, "GET_DATA_RATES"},
	/* video */
	{0x0e, ANY, 0x01, CONTROL, "SET_CUR"},
	{0x0e, ANY, 0x11, CONTROL, "SET_CUR_ALL"},
	{0x0e, ANY, 0x81, CONTROL, "GET_CUR"},
	{0x0e, ANY, 0x82, CONTROL, "GET_MIN"},
	{0x0e, ANY, 0x83, CONTROL, "GET_MAX"},
	{0x0e, ANY, 0x84, CONTROL, "GET_RES"},
	{0x0e, ANY, 0x85, CONTROL, "GET_LEN"},
	{0x0e, ANY, 0x86, CONTROL, "GET_INFO"},
	{0x0e, ANY, 0x87, CONTROL, "GET_DEF"},
	{0x0e, ANY, 0x91, CONTROL, "GET_CUR_ALL"},
	{0x0e, ANY, 0x92, CONTROL, "GET_MIN_ALL"},
	{0x0e, ANY, 0x93, CONTROL, "GET_MAX_ALL"},
	{0x0e, ANY, 0x94, CONTROL, "GET_RES_ALL"},
	{0x0e, ANY, 0x97, CONTROL, "GET_DEF_ALL"},
	/* wireless: Bluetooth */
	{0xe0, 0x01, 0x00, PLAIN, "HCI_COMMAND"},
	/* application specific: DFU, USBTMC */
	{0xfe, 0x01, 0, DETACH, "DFU_DETACH"},
	{0xfe, 0x01, 1, BLOCK, "DFU_DNLOAD"},
	{0xfe, 0x01, 2, BLOCK, "DFU_UPLOAD"},
	{0xfe, 0x01, 3, PLAIN, "DFU_GETSTATUS"},
	{0xfe, 0x01, 4, PLAIN, "DFU_CLRSTATUS"},
	{0xfe, 0x01, 5, PLAIN, "DFU_GETSTATE"},
	{0xfe, 0x01, 6, PLAIN, "DFU_ABORT"},
	{0xfe, 0x03, 1, PLAIN, "INITIATE_ABORT_BULK_OUT"},
	{0xfe, 0x03, 2, PLAIN, "CHECK_ABORT_BULK_OUT_STATUS"},
	{0xfe, 0x03, 3, PLAIN, "INITIATE_ABORT_BULK_IN"},
	{0xfe, 0x03, 4, PLAIN, "CHECK_ABORT_BULK_IN_STATUS"},
	{0xfe, 0x03, 5, PLAIN, "INITIATE_CLEAR"},
	{0xfe, 0x03, 6, PLAIN, "CHECK_CLEAR_STATUS"},
	{0xfe, 0x03, 7, PLAIN, "GET_CAPABILITIES"},
};

/*
 * In Audio 2.0 and 3.0 one bRequest serves both directions; only bmRequestType distinguishes them.
 */
static const struct request audio2[] = {
	{0x01, ANY, 0x01, CONTROL, "CUR"},
	{0x01, ANY, 0x02, CONTROL, "RANGE"},
	{0x01, ANY, 0x03, CONTROL, "MEM"},
};


static const struct request *look_up(const struct request *list, size_t n, uint8_t request,
				     const struct control_target *to)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].request == request &&
		    (list[i].class == ANY || list[i].class == to->class) &&
		    (list[i].subclass == ANY || list[i].subclass == to->subclass))
			return &list[i];
	return NULL;
}

/*
 * Whether the request has the form of a hub's request: the recipient is the device or a port
 * (other).
 */
static bool hub_form(const struct control_request *s)
{
	unsigned int r = control_recipient(s);

	return r == SETUP_OTHER || r == SETUP_DEVICE;
}

static const struct request *find(const struct control_request *s, const struct control_target *to)
{
	static const struct control_target hub = {.class = 0x09}, communication = {.class = 0x02};
	static const struct request ftdi = {ANY, ANY, 0, FTDI, ""};

	switch (control_kind(s)) {
	case SETUP_STANDARD:
		return look_up(standard, ARRAY_SIZE(standard), s->request, to);
	case SETUP_CLASS:
		if (to->class == 0x01 && to->protocol >= 0x20)
			return look_up(audio2, ARRAY_SIZE(audio2), s->request, to);
		if (!to->class && hub_form(s))
			to = &hub;
		if (is_rndis_class(to->class, to->subclass, to->protocol))
			to = &communication;
		return look_up(class_requests, ARRAY_SIZE(class_requests), s->request, to);
	case SETUP_VENDOR:
		return ftdi_is(to->vendor, to->product) && ftdi_request(s->request) ? &ftdi : NULL;
	case SETUP_RESERVED:
		break;
	}
	return NULL;
}

static const char *request_name(const struct request *r, const struct control_request *s)
{
	return r->form == FTDI ? ftdi_request(s->request) : r->name;
}

void control_request_words(decoder_name_fn *fn, void *arg)
{
	static const struct { const struct request *list; size_t n; } tables[] = {
		{standard, ARRAY_SIZE(standard)},
		{class_requests, ARRAY_SIZE(class_requests)},
		{audio2, ARRAY_SIZE(audio2)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (size_t k = 0; k < tables[i].n; k++)
			fn(arg, tables[i].list[k].name);
}

static const char *pick(const char *const *names, size_t n, unsigned int i)
{
	return i < n ? names[i] : NULL;
}

static const char *feature_name(const struct control_request *s)
{
	static const char *const of_device[] = {
		NULL, "DEVICE_REMOTE_WAKEUP", "TEST_MODE", "B_HNP_ENABLE", "A_HNP_SUPPORT",
		"A_ALT_HNP_SUPPORT", "WUSB_DEVICE",
	};

	if (control_recipient(s) == SETUP_ENDPOINT)
		return s->value == 0 ? "ENDPOINT_HALT" : NULL;
	if (control_recipient(s) == SETUP_INTERFACE)
		return s->value == 0 ? "FUNCTION_SUSPEND" : NULL;
	switch (s->value) {
	case 48:
		return "U1_ENABLE";
	case 49:
		return "U2_ENABLE";
	case 50:
		return "LTM_ENABLE";
	default:
		return pick(of_device, ARRAY_SIZE(of_device), s->value);
	}
}

static const char *hub_feature_name(const struct control_request *s)
{
	static const char *const of_hub[] = {"C_HUB_LOCAL_POWER", "C_HUB_OVER_CURRENT"};
	static const char *const of_port[] = {
		"PORT_CONNECTION", "PORT_ENABLE", "PORT_SUSPEND", "PORT_OVER_CURRENT", "PORT_RESET",
		"PORT_LINK_STATE", NULL, NULL, "PORT_POWER", "PORT_LOW_SPEED", "PORT_L1", NULL,
		NULL, NULL, NULL, NULL, "C_PORT_CONNECTION", "C_PORT_ENABLE", "C_PORT_SUSPEND",
		"C_PORT_OVER_CURRENT", "C_PORT_RESET", "PORT_TEST", "PORT_INDICATOR",
		"PORT_U1_TIMEOUT", "PORT_U2_TIMEOUT", "C_PORT_LINK_STATE", "C_PORT_CONFIG_ERROR",
		"PORT_REMOTE_WAKE_MASK", "BH_PORT_RESET", "C_BH_PORT_RESET",
		"FORCE_LINKPM_ACCEPT",
	};

	if (control_recipient(s) == SETUP_DEVICE)
		return pick(of_hub, ARRAY_SIZE(of_hub), s->value);
	return pick(of_port, ARRAY_SIZE(of_port), s->value);
}

static const char *report_type(unsigned int type)
{
	static const char *const names[] = {NULL, "input", "output", "feature"};

	return pick(names, ARRAY_SIZE(names), type);
}

/* ---- fields ------------------------------------------------------------------------------- */

static void index_tree(const struct control_request *s, struct tree *t)
{
	if (control_recipient(s) == SETUP_INTERFACE)
		tree_uint(t, "interface", s->index & 0xff);
	else if (control_recipient(s) == SETUP_ENDPOINT)
		tree_hex(t, "endpoint", s->index & 0xff, 2);
}

static void control_tree(const struct control_request *s, const struct control_target *to,
			 struct tree *t)
{
	unsigned int selector = s->value >> 8;

	tree_uint(t, "selector", selector);
	if (to->class == 0x01 && control_recipient(s) == SETUP_ENDPOINT && to->protocol < 0x20)
		tree_str(t, "control", selector == 1   ? "SAMPLING_FREQ"
				       : selector == 2 ? "PITCH"
						       : NULL);
	if (to->class == 0x0e && to->subclass == 2)
		tree_str(t, "control", selector == 1   ? "VS_PROBE"
				       : selector == 2 ? "VS_COMMIT"
						       : NULL);
	if (to->class == 0x01)
		tree_uint(t, "channel", s->value & 0xff);
	index_tree(s, t);
	if (control_recipient(s) == SETUP_INTERFACE)
		tree_uint(t, "entity", s->index >> 8);
}

static void descriptor_tree_of(const struct control_request *s, const struct control_target *to,
			       struct tree *t)
{
	tree_str(t, "descriptor", descriptor_name((uint8_t)(s->value >> 8), to));
	tree_uint(t, "descriptor_index", s->value & 0xff);
	if (control_recipient(s) == SETUP_DEVICE && s->value >> 8 == DESC_STRING)
		tree_hex(t, "language", s->index, 4);
	index_tree(s, t);
}

/* Types of endpoints as descriptors have them (USB 2.0, 11.24.2.3). */
static const char *const tt_xfers[] = {"control", "isochronous", "bulk", "interrupt"};

/* Decodes wValue, for the forms in which wIndex only names the recipient. */
static void value_tree(const struct control_request *s, enum form form, struct tree *t)
{
	switch (form) {
	case FEATURE:
		tree_str(t, "feature", feature_name(s));
		break;
	case HUB_FEATURE:
		tree_str(t, "feature", hub_feature_name(s));
		if (s->index >> 8)
			tree_uint(t, "port_selector", s->index >> 8);
		break;
	case TT_BUFFER:
		tree_uint(t, "tt_device", s->value >> 4 & 0x7f);
		tree_uint(t, "tt_endpoint", s->value & 15);
		tree_str(t, "tt_xfer", tt_xfers[s->value >> 11 & 3]);
		tree_str(t, "tt_direction", s->value & 0x8000 ? "in" : "out");
		break;
	case HID_REPORT:
		tree_str(t, "report_type", report_type(s->value >> 8));
		tree_uint(t, "report_id", s->value & 0xff);
		break;
	case HID_IDLE:
		tree_uint(t, "report_id", s->value & 0xff);
		if (!control_in(s))
			tree_uint(t, "idle_ms", (s->value >> 8) * 4u);
		break;
	case HID_PROTOCOL:
		tree_str(t, "protocol", s->value ? "report" : "boot");
		break;
	case LINE_STATE:
		tree_bool(t, "dtr", s->value & 1);
		tree_bool(t, "rts", s->value & 2);
		break;
	case BREAK:
		if (s->value == BREAK_ON || !s->value)
			tree_bool(t, "break", s->value);
		else
			tree_uint(t, "break_ms", s->value);
		break;
	case BLOCK:
		tree_uint(t, "block", s->value);
		break;
	case DETACH:
		tree_uint(t, "timeout_ms", s->value);
		break;
	default:
		break;
	}
}

static void form_tree(const struct control_request *s, const struct control_target *to,
		      enum form form, struct tree *t)
{
	switch (form) {
	case DESCRIPTOR:
		descriptor_tree_of(s, to, t);
		break;
	case ADDRESS:
		tree_uint(t, "address", s->value);
		break;
	case CONFIG:
		tree_uint(t, "configuration", s->value & 0xff);
		break;
	case ALTERNATE:
		tree_uint(t, "interface", s->index & 0xff);
		tree_uint(t, "alternate", s->value);
		break;
	case DEVICE_ID:
		tree_uint(t, "interface", s->index >> 8);
		tree_uint(t, "alternate", s->index & 0xff);
		break;
	case CONTROL:
		control_tree(s, to, t);
		break;
	case FTDI:
		ftdi_setup_tree(s, to->product, t);
		break;
	default:
		value_tree(s, form, t);
		if (control_kind(s) == SETUP_CLASS && control_recipient(s) == SETUP_OTHER)
			tree_uint(t, "port", s->index & 0xff);
		index_tree(s, t);
		break;
	}
}

const char *const control_recipients[] = {"device", "interface", "endpoint", "other", NULL};

static const char *recipient_name(unsigned int r)
{
	return pick(control_recipients, ARRAY_SIZE(control_recipients) - 1, r);
}

static const char *kind_name(enum control_kind kind)
{
	static const char *const names[] = {"standard", "class", "vendor", "reserved"};

	return names[kind];
}

void control_request_tree(const struct control_request *s, const struct control_target *to,
			  struct tree *t)
{
	const struct request *r = find(s, to);

	tree_hex(t, "bmRequestType", s->type, 2);
	tree_uint(t, "bRequest", s->request);
	tree_hex(t, "wValue", s->value, 4);
	tree_hex(t, "wIndex", s->index, 4);
	tree_uint(t, "wLength", s->length);
	tree_str(t, "direction", control_in(s) ? "in" : "out");
	tree_str(t, "type", kind_name(control_kind(s)));
	tree_str(t, "recipient", recipient_name(control_recipient(s)));
	if (!r)
		return;
	tree_str(t, "request", request_name(r, s));
	if (to->guessed)
		tree_bool(t, "class_guessed", true);
	form_tree(s, to, (enum form)r->form, t);
}

/* ---- brief text --------------------------------------------------------------------------- */

static void brief_text(struct out *o, const char *s)
{
	if (s) {
		out_char(o, ' ');
		out_str(o, s);
	}
}

static void brief_descriptor(const struct control_request *s, const struct control_target *to,
			     struct out *o)
{
	const char *name = descriptor_name((uint8_t)(s->value >> 8), to);

	if (name)
		brief_text(o, name);
	else
		out_printf(o, " type 0x%02x", s->value >> 8);
	if (s->value & 0xff)
		out_printf(o, " %u", s->value & 0xff);
}

static void brief_recipient(const struct control_request *s, struct out *o)
{
	if (control_kind(s) == SETUP_CLASS && control_recipient(s) == SETUP_OTHER)
		out_printf(o, " port %u", s->index & 0xff);
	else if (control_recipient(s) == SETUP_INTERFACE)
		out_printf(o, " interface %u", s->index & 0xff);
	else if (control_recipient(s) == SETUP_ENDPOINT)
		out_printf(o, " endpoint 0x%02x", s->index & 0xff);
}

/* The same forms as value_tree(). */
static void brief_value(const struct control_request *s, enum form form, struct out *o)
{
	switch (form) {
	case FEATURE:
		brief_text(o, feature_name(s));
		break;
	case HUB_FEATURE:
		brief_text(o, hub_feature_name(s));
		if (s->index >> 8)
			out_printf(o, " selector %u", s->index >> 8);
		break;
	case TT_BUFFER:
		out_printf(o, " of device %u ep%u %s %s", s->value >> 4 & 0x7f, s->value & 15,
			   s->value & 0x8000 ? "in" : "out", tt_xfers[s->value >> 11 & 3]);
		break;
	case HID_REPORT:
		brief_text(o, report_type(s->value >> 8));
		out_printf(o, " id %u", s->value & 0xff);
		break;
	case HID_IDLE:
		if (!control_in(s) && s->value >> 8)
			out_printf(o, " %u ms", (s->value >> 8) * 4u);
		else if (!control_in(s))
			/* a report is sent only when something changes */
			out_str(o, " indefinite");
		break;
	case HID_PROTOCOL:
		brief_text(o, s->value ? "report" : "boot");
		break;
	case LINE_STATE:
		out_printf(o, " dtr=%u rts=%u", s->value & 1, s->value >> 1 & 1);
		break;
	case BREAK:
		if (s->value == BREAK_ON || !s->value)
			out_str(o, s->value ? " on" : " off");
		else
			out_printf(o, " %u ms", s->value);
		break;
	case BLOCK:
		out_printf(o, " block %u", s->value);
		break;
	case DETACH:
		out_printf(o, " within %u ms", s->value);
		break;
	default:
		break;
	}
}

static void brief_form(const struct control_request *s, const struct control_target *to,
		       enum form form, struct out *o)
{
	switch (form) {
	case DESCRIPTOR:
		brief_descriptor(s, to, o);
		brief_recipient(s, o);
		break;
	case ADDRESS:
	case CONFIG:
		out_printf(o, " %u", s->value);
		break;
	case ALTERNATE:
		out_printf(o, " %u alternate %u", s->index & 0xff, s->value);
		break;
	case DEVICE_ID:
		out_printf(o, " interface %u", s->index >> 8);
		break;
	case CONTROL:
		out_printf(o, " selector %u", s->value >> 8);
		if (control_recipient(s) == SETUP_INTERFACE)
			out_printf(o, " entity %u", s->index >> 8);
		brief_recipient(s, o);
		break;
	case FTDI:
		ftdi_setup_brief(s, to->product, o);
		break;
	default:
		brief_value(s, form, o);
		brief_recipient(s, o);
		break;
	}
}

void control_request_brief(const struct control_request *s, const struct control_target *to,
			   struct out *o)
{
	const struct request *r = find(s, to);

	if (r) {
		out_str(o, request_name(r, s));
		brief_form(s, to, (enum form)r->form, o);
		if (to->guessed)
			out_str(o, " (class guessed)");
		return;
	}
	out_printf(o, "%s request 0x%02x value 0x%04x index 0x%04x", kind_name(control_kind(s)),
		   s->request, s->value, s->index);
	brief_text(o, recipient_name(control_recipient(s)));
}
