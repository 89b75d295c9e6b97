/* SPDX-License-Identifier: MIT */
#include "replay/hostprogram.h"

#include <inttypes.h>

#include "decode/base/bytes.h"
#include "decode/base/number.h"
#include "decode/usb/control.h"
#include "decode/usb/descriptor.h"
#include "replay/standard.h"

bool hostprogram_leaves_out(const struct tape_entry *e)
{
	return e->cancelled || (tape_in(e) && !e->answered) || (e->xfer == URB_ISO && !e->npackets);
}

/*
 * Whether a program omits an entry: the programs have one call for each transfer, but isochronous
 * ones must be queued together.
 */
static bool program_leaves_out(const struct tape_entry *e)
{
	return e->xfer == URB_ISO || hostprogram_leaves_out(e);
}

/* Writes a comment on the transfers that a program omits. */
static void put_left_out(const struct tape *t, const char *begin, const char *end, struct out *o)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += t->entries[i].xfer == URB_ISO;
	if (n)
		out_printf(o, "%s%" PRIu64 " isochronous transfers are left out%s", begin, n, end);
}

uint32_t hostprogram_interfaces(const struct tape *t)
{
	const struct usb_config *c = tape_config(t);
	struct descriptor_walk w = descriptor_walk(c ? c->p : t->descriptor, c ? c->len : 0);
	struct descriptor d;
	uint32_t all = 0;

	while (descriptor_next(&w, &d))
		if (d.type == DESC_INTERFACE && d.room >= 3 && d.p[2] < 32)
			all |= UINT32_C(1) << d.p[2];
	return all;
}

static bool is_standard(const struct tape_entry *e)
{
	return e->xfer == URB_CONTROL && !(e->setup[0] & 0x60);
}

/* Writes what an entry is, as a comment on one line. */
static void put_comment(const struct tape_entry *e, const char *begin, const char *end,
			struct out *o)
{
	struct control_request s;
	struct control_target to = {0};

	out_printf(o, "%stransfer %" PRIu64, begin, e->item);
	if (e->xfer == URB_CONTROL) {
		control_parse(&s, e->setup);
		out_str(o, ": ");
		control_request_brief(&s, &to, o);
	}
	if (e->status && e->status != -121)
		out_printf(o, ", which ended with %d", e->status);
	out_str(o, end);
}

/* ---- C --------------------------------------------------------------------------------------- */

static const char c_head[] =
	"#include <libusb-1.0/libusb.h>\n"
	"#include <stdint.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"\n"
	"#define TIMEOUT 5000 /* ms */\n"
	"#define BYTES(...) (uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})\n"
	"#define NONE (uint8_t[1]){0}, 0\n"
	"#define STALL -1 /* in place of a length */\n"
	"\n"
	"static libusb_device_handle *device;\n"
	"static unsigned int same, different;\n"
	"\n";

static const char c_judge[] =
	"/* n: what the device answered when this was recorded, or STALL. */\n"
	"static void judge(int transfer, int got, const uint8_t *answer, const uint8_t *was, int n)\n"
	"{\n"
	"\tint i = 0;\n"
	"\n"
	"\tif (got == LIBUSB_ERROR_PIPE)\n"
	"\t\tgot = STALL;\n"
	"\twhile (answer && i < got && i < n && answer[i] == was[i])\n"
	"\t\ti++;\n"
	"\tif (got == n && (!answer || n < 0 || i == n)) {\n"
	"\t\tsame++;\n"
	"\t\treturn;\n"
	"\t}\n"
	"\tif (!different++)\n"
	"\t\tprintf(\"first difference: transfer %d: \", transfer);\n"
	"\telse\n"
	"\t\tprintf(\"transfer %d: \", transfer);\n"
	"\tif (got < 0)\n"
	"\t\tprintf(\"%s\\n\", libusb_error_name(got == STALL ? LIBUSB_ERROR_PIPE : got));\n"
	"\telse if (got != n)\n"
	"\t\tprintf(\"%d bytes, were %d\\n\", got, n);\n"
	"\telse\n"
	"\t\tprintf(\"byte %d is 0x%02x, was 0x%02x\\n\", i, answer[i], was[i]);\n"
	"}\n"
	"\n";

static const char c_ask[] =
	"static void ask(int transfer, uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length,\n"
	"\t\tconst uint8_t *was, size_t n, int status)\n"
	"{\n"
	"\tuint8_t *p = calloc(1, length + 1);\n"
	"\tint got = libusb_control_transfer(device, type, request, value, index, p, length, TIMEOUT);\n"
	"\n"
	"\tjudge(transfer, got, p, was, status ? STALL : (int)n);\n"
	"\tfree(p);\n"
	"}\n"
	"\n";

static const char c_tell[] =
	"static void tell(int transfer, uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint8_t *p,\n"
	"\t\t size_t n, int status)\n"
	"{\n"
	"\tint got = libusb_control_transfer(device, type, request, value, index, p, (uint16_t)n, TIMEOUT);\n"
	"\n"
	"\tjudge(transfer, got, NULL, NULL, status ? STALL : (int)n);\n"
	"}\n"
	"\n";

static const char c_move[] =
	"static int move(int bulk, uint8_t endpoint, uint8_t *p, int n)\n"
	"{\n"
	"\tint done = 0, got = (bulk ? libusb_bulk_transfer : libusb_interrupt_transfer)(device, endpoint, p, n, &done, TIMEOUT);\n"
	"\n"
	"\treturn got ? got : done;\n"
	"}\n"
	"\n";

static const char c_send[] =
	"static void send(int transfer, int bulk, uint8_t endpoint, uint8_t *p, size_t n, int status)\n"
	"{\n"
	"\tjudge(transfer, move(bulk, endpoint, p, (int)n), NULL, NULL, status ? STALL : (int)n);\n"
	"}\n"
	"\n";

static const char c_receive[] =
	"static void receive(int transfer, int bulk, uint8_t endpoint, int room, const uint8_t *was, size_t n, int status)\n"
	"{\n"
	"\tuint8_t *p = calloc(1, (size_t)room + 1);\n"
	"\n"
	"\tjudge(transfer, move(bulk, endpoint, p, room), p, was, status ? STALL : (int)n);\n"
	"\tfree(p);\n"
	"}\n"
	"\n";


static void put_c_bytes(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	const uint8_t *p = tape_data(t, e);

	if (!e->data_len) {
		out_str(o, "NONE");
		return;
	}
	out_str(o, "BYTES(");
	for (uint32_t i = 0; i < e->data_len; i++)
		out_printf(o, "%s0x%02x", !i ? "" : i % 16 ? ", " : ",\n\t\t", p[i]);
	out_char(o, ')');
}

static void put_c_control(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	const uint8_t *s = e->setup;

	if (is_standard(e) && s[1] == REQ_SET_CONFIGURATION) {
		out_printf(o, "libusb_set_configuration(device, %u);", s[2]);
	} else if (is_standard(e) && s[1] == REQ_SET_INTERFACE) {
		out_printf(o, "libusb_set_interface_alt_setting(device, %u, %u);", s[4], s[2]);
	} else if (is_standard(e)) {
		out_printf(o, "libusb_clear_halt(device, 0x%02x);", s[4]);
	} else {
		out_printf(o, "%s(%" PRIu64 ", 0x%02x, 0x%02x, 0x%04x, 0x%04x, ",
			   tape_in(e) ? "ask" : "tell", e->item, s[0], s[1], get16(s + 2),
			   get16(s + 4));
		if (tape_in(e))
			out_printf(o, "%u, ", get16(s + 6));
		put_c_bytes(t, e, o);
		out_printf(o, ", %d);", e->status == -121 ? 0 : e->status);
	}
}

/* Writes the functions that the session calls: a compiler complains of others. */
static void put_c_functions(const struct tape *t, struct out *o)
{
	bool ask = false, tell = false, send = false, receive = false;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];
		bool in = tape_in(e), control = e->xfer == URB_CONTROL;

		if (program_leaves_out(e) || (control && is_standard(e)))
			continue;
		ask |= control && in;
		tell |= control && !in;
		receive |= !control && in;
		send |= !control && !in;
	}
	out_str(o, ask || tell || send || receive ? c_judge : "");
	out_str(o, ask ? c_ask : "");
	out_str(o, tell ? c_tell : "");
	out_str(o, send || receive ? c_move : "");
	out_str(o, send ? c_send : "");
	out_str(o, receive ? c_receive : "");
}

static void put_c_entry(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	out_char(o, '\t');
	if (e->xfer == URB_CONTROL) {
		put_c_control(t, e, o);
	} else {
		out_printf(o, "%s(%" PRIu64 ", %d, 0x%02x, ", tape_in(e) ? "receive" : "send",
			   e->item, e->xfer == URB_BULK, e->endpoint);
		if (tape_in(e))
			out_printf(o, "%u, ", tape_room(e));
		put_c_bytes(t, e, o);
		out_printf(o, ", %d);", e->status == -121 ? 0 : e->status);
	}
	put_comment(e, " /* ", " */\n", o);
}

/*
 * Writes a file name for a comment of the program, without characters that could end the comment.
 */
static void put_name(const char *name, struct out *o)
{
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	for (; *base; base++)
		out_char(o, (*base >= '0' && *base <= '9') || (*base >= 'a' && *base <= 'z') ||
			    (*base >= 'A' && *base <= 'Z') || strchr("-_.", *base) ? *base : '_');
}

/* Writes the line for each of these interfaces, with its number in place of the %. */
static void put_each(uint32_t interfaces, const char *line, struct out *o)
{
	for (unsigned int i = 0; i < 32; i++) {
		if (!(interfaces >> i & 1))
			continue;
		out_char(o, '\t');
		for (const char *p = line; *p; p++) {
			if (*p == '%')
				out_printf(o, "%u", i);
			else
				out_char(o, *p);
		}
		out_char(o, '\n');
	}
}

void hostprogram_c(const struct tape *t, const char *capture, struct out *o)
{
	uint32_t interfaces = hostprogram_interfaces(t);

	out_str(o, "/*\n * The session of ");
	put_name(capture, o);
	out_printf(o, " with %04x:%04x, as trawl recorded it.\n * cc session.c -lusb-1.0\n */\n",
		   t->device.vendor, t->device.product);
	out_str(o, c_head);
	put_c_functions(t, o);
	out_str(o, "static void session(void)\n{\n");
	put_left_out(t, "\t/* ", " */\n", o);
	for (uint32_t i = 0; i < t->n; i++)
		if (!program_leaves_out(&t->entries[i]))
			put_c_entry(t, &t->entries[i], o);
	out_str(o, "}\n\nint main(void)\n{\n");
	if (interfaces)
		out_str(o, "\tint had_driver[32];\n\n");
	out_str(o, "\tlibusb_init(NULL);\n");
	out_printf(o, "\tdevice = libusb_open_device_with_vid_pid(NULL, 0x%04x, 0x%04x);\n",
		   t->device.vendor, t->device.product);
	out_printf(o,
		   "\tif (!device) {\n\t\tfprintf(stderr, \"%04x:%04x: cannot be opened: is it "
		   "plugged in, and may you?\\n\");\n"
		   "\t\treturn 3;\n\t}\n",
		   t->device.vendor, t->device.product);
	put_each(interfaces, "had_driver[%] = libusb_kernel_driver_active(device, %) == 1;", o);
	out_str(o, "\tlibusb_set_auto_detach_kernel_driver(device, 1);\n");
	put_each(interfaces, "libusb_claim_interface(device, %);", o);
	out_str(o, "\tsession();\n\t/* A driver of several interfaces takes none before all are free. */\n"
		   "\tlibusb_set_auto_detach_kernel_driver(device, 0);\n");
	put_each(interfaces, "libusb_release_interface(device, %);", o);
	put_each(interfaces, "if (had_driver[%]) libusb_attach_kernel_driver(device, %);", o);
	out_str(o, "\tlibusb_close(device);\n\tlibusb_exit(NULL);\n"
		   "\tprintf(\"%u transfers as recorded, %u otherwise\\n\", same, different);\n"
		   "\treturn different != 0;\n}\n");
}

/* ---- Python ---------------------------------------------------------------------------------- */

static const char python_head[] =
	"import errno\n"
	"import sys\n"
	"\n"
	"import usb.core\n"
	"import usb.util\n"
	"\n"
	"TIMEOUT = 5000  # ms\n"
	"STALL = None  # in place of an answer\n"
	"same = different = 0\n"
	"\n"
	"\n"
	"def judge(transfer, call, was):\n"
	"    \"\"\"was: what the device answered when this was recorded: bytes, how many it took, or STALL.\"\"\"\n"
	"    global same, different\n"
	"    try:\n"
	"        got = call()\n"
	"        got = got if isinstance(got, int) else bytes(got)\n"
	"    except usb.core.USBError as e:\n"
	"        got = STALL if e.errno == errno.EPIPE else e\n"
	"    if got == was:\n"
	"        same += 1\n"
	"        return\n"
	"    print(f\"{'' if different else 'first difference: '}transfer {transfer}: {got!r}, was {was!r}\")\n"
	"    different += 1\n"
	"\n"
	"\n"
	"def control(transfer, type, request, value, index, data, was):\n"
	"    judge(transfer, lambda: device.ctrl_transfer(type, request, value, index, data, TIMEOUT), was)\n"
	"\n"
	"\n"
	"def send(transfer, endpoint, data, was):\n"
	"    judge(transfer, lambda: device.write(endpoint, data, TIMEOUT), was)\n"
	"\n"
	"\n"
	"def receive(transfer, endpoint, room, was):\n"
	"    judge(transfer, lambda: device.read(endpoint, room, TIMEOUT), was)\n"
	"\n"
	"\n";

static void put_python_bytes(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	if (!e->data_len) {
		out_str(o, "b\"\"");
		return;
	}
	out_str(o, "bytes.fromhex(\"");
	out_hexbytes(o, tape_data(t, e), e->data_len);
	out_str(o, "\")");
}

/*
 * Writes the recorded answer: the bytes of a read, or the number of bytes that a write transferred.
 */
static void put_python_was(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	if (e->status && e->status != -121)
		out_str(o, "STALL");
	else if (tape_in(e))
		put_python_bytes(t, e, o);
	else
		out_u64(o, e->data_len);
}

static void put_python_control(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	const uint8_t *s = e->setup;

	if (is_standard(e) && s[1] == REQ_SET_CONFIGURATION) {
		out_printf(o, "device.set_configuration(%u)", s[2]);
	} else if (is_standard(e) && s[1] == REQ_SET_INTERFACE) {
		out_printf(o, "device.set_interface_altsetting(%u, %u)", s[4], s[2]);
	} else if (is_standard(e)) {
		out_printf(o, "device.clear_halt(0x%02x)", s[4]);
	} else {
		out_printf(o, "control(%" PRIu64 ", 0x%02x, 0x%02x, 0x%04x, 0x%04x, ", e->item,
			   s[0], s[1], get16(s + 2), get16(s + 4));
		if (tape_in(e))
			out_u64(o, get16(s + 6));
		else
			put_python_bytes(t, e, o);
		out_str(o, ", ");
		put_python_was(t, e, o);
		out_char(o, ')');
	}
}

static void put_python_entry(const struct tape *t, const struct tape_entry *e, struct out *o)
{
	if (e->xfer == URB_CONTROL) {
		put_python_control(t, e, o);
	} else {
		out_printf(o, "%s(%" PRIu64 ", 0x%02x, ", tape_in(e) ? "receive" : "send", e->item,
			   e->endpoint);
		if (tape_in(e))
			out_u64(o, tape_room(e));
		else
			put_python_bytes(t, e, o);
		out_str(o, ", ");
		put_python_was(t, e, o);
		out_char(o, ')');
	}
	put_comment(e, "  # ", "\n", o);
}

void hostprogram_python(const struct tape *t, const char *capture, struct out *o)
{
	uint32_t interfaces = hostprogram_interfaces(t);

	out_str(o, "#!/usr/bin/env python3\n\"\"\"The session of ");
	put_name(capture, o);
	out_printf(o, " with %04x:%04x, as trawl recorded it: needs pyusb.\"\"\"\n",
		   t->device.vendor, t->device.product);
	out_str(o, python_head);
	out_printf(o, "device = usb.core.find(idVendor=0x%04x, idProduct=0x%04x)\n",
		   t->device.vendor, t->device.product);
	out_printf(o, "if device is None:\n    print(\"%04x:%04x: is not plugged in; plug it in\", "
		      "file=sys.stderr)\n    sys.exit(3)\n",
		   t->device.vendor, t->device.product);
	out_str(o, "detached = []\n");
	for (unsigned int i = 0; i < 32; i++)
		if (interfaces >> i & 1)
			out_printf(o,
				   "try:\n    if device.is_kernel_driver_active(%u):\n"
				   "        device.detach_kernel_driver(%u)\n        "
				   "detached.append(%u)\n"
				   "except (NotImplementedError, usb.core.USBError):\n    pass\n",
				   i, i, i);
	out_char(o, '\n');
	put_left_out(t, "# ", "\n", o);
	for (uint32_t i = 0; i < t->n; i++)
		if (!program_leaves_out(&t->entries[i]))
			put_python_entry(t, &t->entries[i], o);
	out_str(o,
		"\nusb.util.dispose_resources(device)\nfor number in detached:\n    "
		"device.attach_kernel_driver(number)\n"
		"print(f\"{same} transfers as recorded, {different} "
		"otherwise\")\nsys.exit(different != 0)\n");
}

/* ---- for a person ---------------------------------------------------------------------------- */

void hostprogram_list(const struct tape *t, struct out *o)
{
	uint64_t left_out = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];

		if (hostprogram_leaves_out(e)) {
			left_out++;
			continue;
		}
		out_printf(o, "%s ",
			   is_standard(e)	? "set up "
				   : tape_in(e) ? "read   "
						: "write  ");
		tape_entry_text(t, e, o);
		out_char(o, '\n');
	}
	if (left_out)
		out_printf(o,
			   "%" PRIu64 " transfers are left out: what the host cancelled or had "
				      "not got\n",
			   left_out);
}
