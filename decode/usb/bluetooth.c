/* SPDX-License-Identifier: MIT */
/* Bluetooth controllers: HCI over USB. Source: Bluetooth Core 5.3, volume 4, parts B and E. */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"

enum { COMMAND_COMPLETE = 0x0e, COMMAND_STATUS = 0x0f, LE_META = 0x3e, ACL_HEADER = 4 };

static const struct code_name commands[] = {
	{0x0401, "Inquiry"}, {0x0402, "Inquiry_Cancel"}, {0x0405, "Create_Connection"},
	{0x0406, "Disconnect"}, {0x0409, "Accept_Connection_Request"},
	{0x040a, "Reject_Connection_Request"}, {0x040b, "Link_Key_Request_Reply"},
	{0x040c, "Link_Key_Request_Negative_Reply"}, {0x040d, "PIN_Code_Request_Reply"},
	{0x0411, "Authentication_Requested"}, {0x0413, "Set_Connection_Encryption"},
	{0x0419, "Remote_Name_Request"}, {0x041b, "Read_Remote_Supported_Features"},
	{0x041d, "Read_Remote_Version_Information"}, {0x0803, "Sniff_Mode"},
	{0x080d, "Write_Link_Policy_Settings"}, {0x080f, "Write_Default_Link_Policy_Settings"},
	{0x0c01, "Set_Event_Mask"}, {0x0c03, "Reset"}, {0x0c05, "Set_Event_Filter"},
	{0x0c0d, "Read_Stored_Link_Key"}, {0x0c12, "Delete_Stored_Link_Key"},
	{0x0c13, "Write_Local_Name"}, {0x0c14, "Read_Local_Name"},
	{0x0c16, "Write_Connection_Accept_Timeout"}, {0x0c18, "Write_Page_Timeout"},
	{0x0c1a, "Write_Scan_Enable"}, {0x0c23, "Read_Class_of_Device"},
	{0x0c24, "Write_Class_of_Device"}, {0x0c25, "Read_Voice_Setting"},
	{0x0c33, "Host_Buffer_Size"}, {0x0c38, "Read_Number_Of_Supported_IAC"},
	{0x0c39, "Read_Current_IAC_LAP"}, {0x0c45, "Write_Inquiry_Mode"},
	{0x0c52, "Write_Extended_Inquiry_Response"}, {0x0c56, "Write_Simple_Pairing_Mode"},
	{0x0c58, "Read_Inquiry_Response_Transmit_Power_Level"},
	{0x0c63, "Set_Event_Mask_Page_2"}, {0x0c6d, "Write_LE_Host_Support"},
	{0x1001, "Read_Local_Version_Information"}, {0x1002, "Read_Local_Supported_Commands"},
	{0x1003, "Read_Local_Supported_Features"}, {0x1004, "Read_Local_Extended_Features"},
	{0x1005, "Read_Buffer_Size"}, {0x1009, "Read_BD_ADDR"}, {0x1405, "Read_RSSI"},
	{0x2001, "LE_Set_Event_Mask"}, {0x2002, "LE_Read_Buffer_Size"},
	{0x2003, "LE_Read_Local_Supported_Features"}, {0x2005, "LE_Set_Random_Address"},
	{0x2006, "LE_Set_Advertising_Parameters"},
	{0x2007, "LE_Read_Advertising_Channel_Tx_Power"}, {0x2008, "LE_Set_Advertising_Data"},
	{0x2009, "LE_Set_Scan_Response_Data"}, {0x200a, "LE_Set_Advertising_Enable"},
	{0x200b, "LE_Set_Scan_Parameters"}, {0x200c, "LE_Set_Scan_Enable"},
	{0x200d, "LE_Create_Connection"}, {0x200e, "LE_Create_Connection_Cancel"},
	{0x200f, "LE_Read_White_List_Size"}, {0x2010, "LE_Clear_White_List"},
	{0x2013, "LE_Connection_Update"}, {0x2016, "LE_Read_Remote_Used_Features"},
	{0x2018, "LE_Rand"}, {0x2019, "LE_Start_Encryption"}, {0x201c, "LE_Read_Supported_States"},
	{0x2023, "LE_Read_Suggested_Default_Data_Length"}, {0x202f, "LE_Read_Maximum_Data_Length"},
	{0x2041, "LE_Set_Extended_Scan_Parameters"}, {0x2042, "LE_Set_Extended_Scan_Enable"},
};

static const struct code_name events[] = {
	{0x01, "Inquiry_Complete"}, {0x02, "Inquiry_Result"}, {0x03, "Connection_Complete"},
	{0x04, "Connection_Request"}, {0x05, "Disconnection_Complete"},
	{0x06, "Authentication_Complete"}, {0x07, "Remote_Name_Request_Complete"},
	{0x08, "Encryption_Change"}, {0x0b, "Read_Remote_Supported_Features_Complete"},
	{0x0c, "Read_Remote_Version_Information_Complete"}, {0x0e, "Command_Complete"},
	{0x0f, "Command_Status"}, {0x10, "Hardware_Error"}, {0x12, "Role_Change"},
	{0x13, "Number_Of_Completed_Packets"}, {0x14, "Mode_Change"},
	{0x16, "PIN_Code_Request"}, {0x17, "Link_Key_Request"}, {0x18, "Link_Key_Notification"},
	{0x1b, "Max_Slots_Change"}, {0x22, "Inquiry_Result_with_RSSI"},
	{0x23, "Read_Remote_Extended_Features_Complete"},
	{0x2c, "Synchronous_Connection_Complete"}, {0x2f, "Extended_Inquiry_Result"},
	{0x31, "IO_Capability_Request"}, {0x32, "IO_Capability_Response"},
	{0x33, "User_Confirmation_Request"}, {0x36, "Simple_Pairing_Complete"},
	{0x38, "Link_Supervision_Timeout_Changed"}, {0x3e, "LE_Meta"}, {0xff, "Vendor"},
};

static const struct code_name le_events[] = {
	{0x01, "LE_Connection_Complete"}, {0x02, "LE_Advertising_Report"},
	{0x03, "LE_Connection_Update_Complete"}, {0x04, "LE_Read_Remote_Features_Complete"},
	{0x05, "LE_Long_Term_Key_Request"}, {0x07, "LE_Data_Length_Change"},
	{0x0a, "LE_Enhanced_Connection_Complete"}, {0x0d, "LE_Extended_Advertising_Report"},
};

static bool is_controller(const struct usb_interface *f)
{
	return f && f->class == 0xe0 && f->subclass == 0x01 && f->protocol == 0x01;
}

static bool fits(const struct usb_detail *d)
{
	return is_controller(d->interface) && (d->urb.xfer == URB_BULK ||
					       (d->urb.xfer == URB_INTERRUPT && urb_in(&d->urb)));
}

/* Long events come in several transfers: only the first begins with a header. */
static bool is_event(const uint8_t *p, size_t n)
{
	return n >= 2 && n <= p[1] + 2u && CODE_NAME(events, p[0]);
}

static void opcode_tree(uint16_t opcode, struct tree *t)
{
	tree_hex(t, "opcode", opcode, 4);
	tree_str(t, "command", CODE_NAME(commands, opcode));
}

static void event_tree(const uint8_t *p, size_t n, struct tree *t)
{
	tree_hex(t, "event_code", p[0], 2);
	tree_str(t, "event", p[0] == LE_META && n >= 3 && CODE_NAME(le_events, p[2])
				     ? CODE_NAME(le_events, p[2])
				     : CODE_NAME(events, p[0]));
	if (p[0] == COMMAND_COMPLETE && n >= 5) {
		opcode_tree(get16(p + 3), t);
		if (n >= 6)
			tree_hex(t, "hci_status", p[5], 2);
	} else if (p[0] == COMMAND_STATUS && n >= 6) {
		opcode_tree(get16(p + 4), t);
		tree_hex(t, "hci_status", p[2], 2);
	}
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data;

	tree_object(t, "hci");
	if (d->urb.xfer == URB_INTERRUPT && is_event(p, d->data_len)) {
		event_tree(p, d->data_len, t);
	} else if (d->urb.xfer == URB_BULK && d->data_len >= ACL_HEADER) {
		tree_hex(t, "handle", get16(p) & 0xfff, 3);
		tree_uint(t, "boundary", get16(p) >> 12 & 3);
		tree_uint(t, "acl_length", get16(p + 2));
		if (d->data_len >= ACL_HEADER + 4 && (get16(p) >> 12 & 3) != 1)
			tree_hex(t, "cid", get16(p + 6), 4);
	}
	tree_close(t);
}

static void command_brief(uint16_t opcode, struct out *o)
{
	const char *name = CODE_NAME(commands, opcode);

	if (name)
		out_printf(o, " %s", name);
	else
		out_printf(o, " command 0x%04x", opcode);
}

static bool event_brief(const uint8_t *p, size_t n, struct out *o)
{
	const char *name = p[0] == LE_META && n >= 3 ? CODE_NAME(le_events, p[2]) : NULL;

	out_printf(o, " %s", name ? name : CODE_NAME(events, p[0]));
	if (p[0] == COMMAND_COMPLETE && n >= 5) {
		command_brief(get16(p + 3), o);
		if (n >= 6)
			out_printf(o, " status 0x%02x", p[5]);
		return n <= 6;
	}
	if (p[0] == COMMAND_STATUS && n >= 6) {
		command_brief(get16(p + 4), o);
		out_printf(o, " status 0x%02x", p[2]);
		return true;
	}
	return n <= 2;
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;

	out_str(o, "HCI");
	if (d->urb.xfer == URB_INTERRUPT) {
		if (is_event(p, d->data_len))
			return event_brief(p, d->data_len, o);
		out_str(o, " event data");
		return !d->data_len;
	}
	out_str(o, " ACL");
	if (d->data_len >= ACL_HEADER) {
		out_printf(o, " handle 0x%03x, %u bytes", get16(p) & 0xfff, get16(p + 2));
		if (d->data_len >= ACL_HEADER + 4 && (get16(p) >> 12 & 3) != 1)
			out_printf(o, ", L2CAP cid 0x%04x", get16(p + 6));
	}
	return !d->data_len;
}

/* Commands go to the device, or to the interface. */
static bool requested(const struct usb_detail *d)
{
	return setup_kind(&d->setup) == SETUP_CLASS && d->setup.request == 0 &&
	       !setup_in(&d->setup) && d->target.class == 0xe0 && d->target.subclass == 0x01 &&
	       d->data_len >= 3;
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	tree_object(t, "hci");
	opcode_tree(get16(d->data), t);
	if (d->data_len > 3)
		tree_bytes(t, "parameters", d->data + 3, d->data_len - 3);
	tree_close(t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	command_brief(get16(d->data), o);
	return d->data_len == 3;
}

static const char *const names[] = {
	"acl_length", "boundary", "cid", "command", "event", "event_code", "handle", "hci",
	"hci_status", "opcode", "parameters", NULL,
};

const struct usb_class usb_bluetooth_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
};
