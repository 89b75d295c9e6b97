/* SPDX-License-Identifier: MIT */
/* Names of Bluetooth UUIDs. Source: Bluetooth SIG, Assigned Numbers, 3 (16-bit UUIDs). */
#include "decode/usb/btprotocol.h"

static const struct code_name uuids[] = {
	{0x0001, "SDP"}, {0x0003, "RFCOMM"}, {0x0005, "TCS-BIN"}, {0x0007, "ATT"},
	{0x0008, "OBEX"}, {0x000f, "BNEP"}, {0x0010, "UPNP"}, {0x0011, "HIDP"},
	{0x0012, "HardcopyControlChannel"}, {0x0014, "HardcopyDataChannel"},
	{0x0016, "HardcopyNotification"}, {0x0017, "AVCTP"}, {0x0019, "AVDTP"}, {0x001b, "CMTP"},
	{0x001e, "MCAPControlChannel"}, {0x001f, "MCAPDataChannel"}, {0x0100, "L2CAP"},
	{0x1000, "ServiceDiscoveryServer"}, {0x1001, "BrowseGroupDescriptor"},
	{0x1002, "PublicBrowseRoot"}, {0x1101, "SerialPort"}, {0x1102, "LANAccessUsingPPP"},
	{0x1103, "DialupNetworking"}, {0x1104, "IrMCSync"}, {0x1105, "OBEXObjectPush"},
	{0x1106, "OBEXFileTransfer"}, {0x1107, "IrMCSyncCommand"}, {0x1108, "Headset"},
	{0x1109, "CordlessTelephony"}, {0x110a, "AudioSource"}, {0x110b, "AudioSink"},
	{0x110c, "A/V_RemoteControlTarget"}, {0x110d, "AdvancedAudioDistribution"},
	{0x110e, "A/V_RemoteControl"}, {0x110f, "A/V_RemoteControlController"},
	{0x1110, "Intercom"}, {0x1111, "Fax"}, {0x1112, "HeadsetAudioGateway"},
	{0x1115, "PANU"}, {0x1116, "NAP"}, {0x1117, "GN"}, {0x1118, "DirectPrinting"},
	{0x111a, "Imaging"}, {0x111b, "ImagingResponder"}, {0x111e, "Handsfree"},
	{0x111f, "HandsfreeAudioGateway"}, {0x1122, "BasicPrinting"},
	{0x1124, "HumanInterfaceDeviceService"}, {0x1126, "HCR_Print"}, {0x112d, "SIM_Access"},
	{0x112e, "PhonebookAccessPCE"}, {0x112f, "PhonebookAccessPSE"},
	{0x1130, "PhonebookAccess"}, {0x1131, "Headset-HS"}, {0x1132, "MessageAccessServer"},
	{0x1133, "MessageNotificationServer"}, {0x1134, "MessageAccessProfile"},
	{0x113a, "MultiProfile"}, {0x1200, "PnPInformation"}, {0x1201, "GenericNetworking"},
	{0x1202, "GenericFileTransfer"}, {0x1203, "GenericAudio"}, {0x1204, "GenericTelephony"},
	{0x1303, "VideoSource"}, {0x1304, "VideoSink"}, {0x1305, "VideoDistribution"},
	{0x1400, "HDP"}, {0x1401, "HDPSource"}, {0x1402, "HDPSink"},
	{0x1800, "Generic Access"}, {0x1801, "Generic Attribute"}, {0x1802, "Immediate Alert"},
	{0x1803, "Link Loss"}, {0x1804, "Tx Power"}, {0x1805, "Current Time"},
	{0x1808, "Glucose"}, {0x1809, "Health Thermometer"}, {0x180a, "Device Information"},
	{0x180d, "Heart Rate"}, {0x180e, "Phone Alert Status"}, {0x180f, "Battery"},
	{0x1810, "Blood Pressure"}, {0x1811, "Alert Notification"},
	{0x1812, "Human Interface Device"}, {0x1813, "Scan Parameters"},
	{0x1814, "Running Speed and Cadence"}, {0x1815, "Automation IO"},
	{0x1816, "Cycling Speed and Cadence"}, {0x1818, "Cycling Power"},
	{0x1819, "Location and Navigation"}, {0x181a, "Environmental Sensing"},
	{0x181b, "Body Composition"}, {0x181c, "User Data"}, {0x181d, "Weight Scale"},
	{0x1826, "Fitness Machine"}, {0x1827, "Mesh Provisioning"}, {0x1828, "Mesh Proxy"},
	{0x2800, "Primary Service"}, {0x2801, "Secondary Service"}, {0x2802, "Include"},
	{0x2803, "Characteristic"}, {0x2900, "Characteristic Extended Properties"},
	{0x2901, "Characteristic User Description"},
	{0x2902, "Client Characteristic Configuration"},
	{0x2903, "Server Characteristic Configuration"},
	{0x2904, "Characteristic Presentation Format"},
	{0x2905, "Characteristic Aggregate Format"}, {0x2906, "Valid Range"},
	{0x2907, "External Report Reference"}, {0x2908, "Report Reference"},
	{0x2a00, "Device Name"}, {0x2a01, "Appearance"},
	{0x2a02, "Peripheral Privacy Flag"}, {0x2a03, "Reconnection Address"},
	{0x2a04, "Peripheral Preferred Connection Parameters"}, {0x2a05, "Service Changed"},
	{0x2a06, "Alert Level"}, {0x2a07, "Tx Power Level"}, {0x2a08, "Date Time"},
	{0x2a19, "Battery Level"}, {0x2a1c, "Temperature Measurement"},
	{0x2a22, "Boot Keyboard Input Report"}, {0x2a23, "System ID"},
	{0x2a24, "Model Number String"}, {0x2a25, "Serial Number String"},
	{0x2a26, "Firmware Revision String"}, {0x2a27, "Hardware Revision String"},
	{0x2a28, "Software Revision String"}, {0x2a29, "Manufacturer Name String"},
	{0x2a2a, "IEEE 11073-20601 Regulatory Certification Data List"},
	{0x2a2b, "Current Time"}, {0x2a32, "Boot Keyboard Output Report"},
	{0x2a33, "Boot Mouse Input Report"}, {0x2a37, "Heart Rate Measurement"},
	{0x2a38, "Body Sensor Location"}, {0x2a39, "Heart Rate Control Point"},
	{0x2a4a, "HID Information"}, {0x2a4b, "Report Map"}, {0x2a4c, "HID Control Point"},
	{0x2a4d, "Report"}, {0x2a4e, "Protocol Mode"}, {0x2a50, "PnP ID"},
	{0x2a6e, "Temperature"}, {0x2a6f, "Humidity"}, {0x2aa6, "Central Address Resolution"},
	{0x2b29, "Client Supported Features"}, {0x2b2a, "Database Hash"},
	{0x2b3a, "Server Supported Features"},
};

const char *bt_uuid_name(uint32_t uuid)
{
	return CODE_NAME(uuids, uuid);
}

void bt_uuid_text(const uint8_t *p, size_t n, struct out *o)
{
	/* the Bluetooth Base UUID, whose first 32 bits a short UUID replaces */
	static const uint8_t base[12] = {0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5f, 0x9b, 0x34, 0xfb};
	bool is_short = n < 16 || !memcmp(p + 4, base, sizeof(base));
	const char *name = is_short ? bt_uuid_name((uint32_t)get_be(p, n < 4 ? n : 4)) : NULL;

	if (name) {
		out_str(o, name);
		return;
	}
	if (n < 16)
		out_str(o, "0x");
	for (size_t i = 0; i < n; i++)
		out_printf(o, "%s%02x", n == 16 && i > 3 && i < 11 && !(i % 2) ? "-" : "", p[i]);
}
