/* SPDX-License-Identifier: MIT */
/*
 * PTP and MTP: containers of commands, data, responses and events. Sources: Still Image Capture
 * Device 1.0, PIMA 15740, MTP 1.1. Android phones do so over interfaces of a vendor's class: there,
 * containers are known by their form.
 */
#include "decode/base/bytes.h"
#include "decode/usb/class.h"
#include "decode/usb/codename.h"

enum { HEADER = 12, COMMAND = 1, DATA, RESPONSE, EVENT, PARAMETERS = 5 };

static const struct code_name codes[] = {
	{0x1001, "GetDeviceInfo"}, {0x1002, "OpenSession"}, {0x1003, "CloseSession"},
	{0x1004, "GetStorageIDs"}, {0x1005, "GetStorageInfo"}, {0x1006, "GetNumObjects"},
	{0x1007, "GetObjectHandles"}, {0x1008, "GetObjectInfo"}, {0x1009, "GetObject"},
	{0x100a, "GetThumb"}, {0x100b, "DeleteObject"}, {0x100c, "SendObjectInfo"},
	{0x100d, "SendObject"}, {0x100e, "InitiateCapture"}, {0x100f, "FormatStore"},
	{0x1010, "ResetDevice"}, {0x1011, "SelfTest"}, {0x1012, "SetObjectProtection"},
	{0x1013, "PowerDown"}, {0x1014, "GetDevicePropDesc"}, {0x1015, "GetDevicePropValue"},
	{0x1016, "SetDevicePropValue"}, {0x1017, "ResetDevicePropValue"},
	{0x1018, "TerminateOpenCapture"}, {0x1019, "MoveObject"}, {0x101a, "CopyObject"},
	{0x101b, "GetPartialObject"}, {0x101c, "InitiateOpenCapture"},
	{0x2000, "Undefined"}, {0x2001, "OK"}, {0x2002, "General_Error"},
	{0x2003, "Session_Not_Open"}, {0x2004, "Invalid_TransactionID"},
	{0x2005, "Operation_Not_Supported"}, {0x2006, "Parameter_Not_Supported"},
	{0x2007, "Incomplete_Transfer"}, {0x2008, "Invalid_StorageID"},
	{0x2009, "Invalid_ObjectHandle"}, {0x200a, "DeviceProp_Not_Supported"},
	{0x200c, "Store_Full"}, {0x200d, "Object_WriteProtected"}, {0x200e, "Store_Read-Only"},
	{0x200f, "Access_Denied"}, {0x2013, "Store_Not_Available"}, {0x2019, "Device_Busy"},
	{0x201d, "Invalid_Parameter"}, {0x201e, "Session_Already_Open"},
	{0x201f, "Transaction_Cancelled"},
	{0x4001, "CancelTransaction"}, {0x4002, "ObjectAdded"}, {0x4003, "ObjectRemoved"},
	{0x4004, "StoreAdded"}, {0x4005, "StoreRemoved"}, {0x4006, "DevicePropChanged"},
	{0x4007, "ObjectInfoChanged"}, {0x4008, "DeviceInfoChanged"},
	{0x4009, "RequestObjectTransfer"}, {0x400a, "StoreFull"}, {0x400c, "StorageInfoChanged"},
	{0x400d, "CaptureComplete"},
	{0x95c1, "GetPartialObject64"}, {0x95c2, "SendPartialObject"}, {0x95c3, "TruncateObject"},
	{0x95c4, "BeginEditObject"}, {0x95c5, "EndEditObject"},
	{0x9801, "GetObjectPropsSupported"}, {0x9802, "GetObjectPropDesc"},
	{0x9803, "GetObjectPropValue"}, {0x9804, "SetObjectPropValue"},
	{0x9805, "GetObjectPropList"}, {0x9806, "SetObjectPropList"},
	{0x9807, "GetInterdependentPropDesc"}, {0x9808, "SendObjectPropList"},
	{0x9810, "GetObjectReferences"}, {0x9811, "SetObjectReferences"},
	{0xa801, "Invalid_ObjectPropCode"}, {0xa802, "Invalid_ObjectProp_Format"},
	{0xa80a, "ObjectProp_Not_Supported"},
};

static const char *type_name(unsigned int type)
{
	static const char *const names[] = {NULL, "command", "data", "response", "event"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

static bool is_container(const uint8_t *p, size_t n)
{
	unsigned int type = n >= HEADER ? get16(p + 4) : 0, code;

	if (type < COMMAND || type > EVENT || get32(p) < HEADER)
		return false;
	code = get16(p + 6) & 0x7000;
	if (type != DATA && (get32(p) != n || n > HEADER + 4 * PARAMETERS || n % 4))
		return false;
	return code == (type == RESPONSE ? 0x2000 : type == EVENT ? 0x4000 : 0x1000);
}

static bool fits(const struct usb_detail *d)
{
	const struct usb_interface *f = d->interface;

	if (!f || (d->urb.xfer != URB_BULK && d->urb.xfer != URB_INTERRUPT))
		return false;
	return f->class == 0x06 || (f->class == 0xff && is_container(d->data, d->data_len) &&
				    get32(d->data) == d->data_len);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	const uint8_t *p = d->data;

	if (!is_container(p, d->data_len))
		return;
	tree_object(t, "ptp");
	tree_uint(t, "container_length", get32(p));
	tree_str(t, "container", type_name(get16(p + 4)));
	tree_hex(t, "code", get16(p + 6), 4);
	tree_str(t, "code_name", CODE_NAME(codes, get16(p + 6)));
	tree_uint(t, "transaction", get32(p + 8));
	if (get16(p + 4) != DATA) {
		tree_list(t, "parameters");
		for (size_t at = HEADER; at + 4 <= d->data_len; at += 4)
			tree_hex(t, "parameter", get32(p + at), 8);
		tree_close(t);
	}
	tree_close(t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	const uint8_t *p = d->data;
	const char *name;

	out_str(o, "PTP");
	if (!is_container(p, d->data_len)) {
		out_str(o, " data");
		return !d->data_len;
	}
	name = CODE_NAME(codes, get16(p + 6));
	out_printf(o, " %s ", type_name(get16(p + 4)));
	if (name)
		out_str(o, name);
	else
		out_printf(o, "0x%04x", get16(p + 6));
	out_printf(o, " transaction %u", get32(p + 8));
	if (get16(p + 4) == DATA)
		return d->data_len == HEADER;
	for (size_t at = HEADER; at + 4 <= d->data_len; at += 4)
		out_printf(o, "%s0x%x", at == HEADER ? " (" : ", ", get32(p + at));
	if (d->data_len > HEADER)
		out_char(o, ')');
	return true;
}

static const char *const names[] = {
	"code", "code_name", "container", "container_length", "parameter", "parameters", "ptp",
	"transaction", NULL,
};

const struct usb_class usb_ptp_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.names = names,
};
