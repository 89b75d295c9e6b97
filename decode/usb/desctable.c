/* SPDX-License-Identifier: MIT */
/*
 * Sources: USB 2.0 and 3.2 chapters 9 and 11, the interface association ECN, HID 1.11 (6.2.1),
 * CDC 1.2 (5.2.3) with PSTN, ECM and NCM, Audio 1.0 and 2.0 (chapter 4), Video 1.5 (chapter 3),
 * UAS (5.2.3.5), DFU 1.1 (4.1.3), CCID 1.1 (5.1).
 */
#include "decode/usb/desctable.h"
#include "common/array.h"

#include <string.h>

#define U(name, size) {name, size, FIELD_UINT, FIELD_NO_REF, FIELD_NO_REF}
#define X(name, size) {name, size, FIELD_HEX, FIELD_NO_REF, FIELD_NO_REF}
#define ID(name) {name, 2, FIELD_ID, FIELD_NO_REF, FIELD_NO_REF}
#define BCD(name) {name, 2, FIELD_BCD, FIELD_NO_REF, FIELD_NO_REF}
#define EP(name) {name, 1, FIELD_ENDPOINT, FIELD_NO_REF, FIELD_NO_REF}
#define GUID(name) {name, 16, FIELD_GUID, FIELD_NO_REF, FIELD_NO_REF}
#define BYTES(name) {name, 0, FIELD_BYTES, FIELD_NO_REF, FIELD_NO_REF}
#define BYTES_BEFORE(name, last) {name, last, FIELD_BYTES, FIELD_NO_REF, FIELD_NO_REF}
#define LIST(name, size, count) {name, size, FIELD_LIST, count, FIELD_NO_REF}
#define MASKS(name, count, size) {name, 1, FIELD_MASKS, count, size}
#define MASK(name, size) {name, 1, FIELD_MASK, size, FIELD_NO_REF}
#define REST(name, size) {name, size, FIELD_REST, FIELD_NO_REF, FIELD_NO_REF}
#define SKIP(size) {"reserved", size, FIELD_SKIP, FIELD_NO_REF, FIELD_NO_REF}
#define SKIP_LIST(size, count) {"reserved", size, FIELD_SKIP_LIST, count, FIELD_NO_REF}

/* ---- chapter 9 ------------------------------------------------------------------------------ */

static const struct desc_field device[] = {
	BCD("bcdUSB"), X("bDeviceClass", 1), X("bDeviceSubClass", 1), X("bDeviceProtocol", 1),
	U("bMaxPacketSize0", 1), ID("idVendor"), ID("idProduct"), BCD("bcdDevice"),
	U("iManufacturer", 1), U("iProduct", 1), U("iSerialNumber", 1), U("bNumConfigurations", 1),
};
static const struct desc_field config[] = {
	U("wTotalLength", 2), U("bNumInterfaces", 1), U("bConfigurationValue", 1),
	U("iConfiguration", 1), X("bmAttributes", 1), U("bMaxPower", 1),
};
static const struct desc_field interface[] = {
	U("bInterfaceNumber", 1), U("bAlternateSetting", 1), U("bNumEndpoints", 1),
	X("bInterfaceClass", 1), X("bInterfaceSubClass", 1), X("bInterfaceProtocol", 1),
	U("iInterface", 1),
};
static const struct desc_field endpoint[] = {
	EP("bEndpointAddress"), X("bmAttributes", 1), U("wMaxPacketSize", 2), U("bInterval", 1),
};
/* Audio 1.0 endpoint descriptors are two bytes longer. */
static const struct desc_field audio_endpoint[] = {
	EP("bEndpointAddress"), X("bmAttributes", 1), U("wMaxPacketSize", 2), U("bInterval", 1),
	U("bRefresh", 1), EP("bSynchAddress"),
};
static const struct desc_field qualifier[] = {
	BCD("bcdUSB"), X("bDeviceClass", 1), X("bDeviceSubClass", 1), X("bDeviceProtocol", 1),
	U("bMaxPacketSize0", 1), U("bNumConfigurations", 1), SKIP(1),
};
static const struct desc_field otg[] = {X("bmAttributes", 1), BCD("bcdOTG")};
static const struct desc_field debug[] = {EP("bDebugInEndpoint"), EP("bDebugOutEndpoint")};
static const struct desc_field iad[] = {
	U("bFirstInterface", 1), U("bInterfaceCount", 1), X("bFunctionClass", 1),
	X("bFunctionSubClass", 1), X("bFunctionProtocol", 1), U("iFunction", 1),
};
static const struct desc_field bos[] = {U("wTotalLength", 2), U("bNumDeviceCaps", 1)};
static const struct desc_field companion[] = {
	U("bMaxBurst", 1), X("bmAttributes", 1), U("wBytesPerInterval", 2),
};
static const struct desc_field ssp_companion[] = {SKIP(2), U("dwBytesPerInterval", 4)};
static const struct desc_field hub[] = {
	U("bNbrPorts", 1), X("wHubCharacteristics", 2), U("bPwrOn2PwrGood", 1),
	U("bHubContrCurrent", 1), BYTES("DeviceRemovable"),
};
static const struct desc_field ss_hub[] = {
	U("bNbrPorts", 1), X("wHubCharacteristics", 2), U("bPwrOn2PwrGood", 1),
	U("bHubContrCurrent", 1), U("bHubHdrDecLat", 1), U("wHubDelay", 2),
	X("DeviceRemovable", 2),
};

/* ---- device capabilities -------------------------------------------------------------------- */

static const struct desc_field cap_usb2[] = {X("bmAttributes", 4)};
static const struct desc_field cap_ss[] = {
	X("bmAttributes", 1), X("wSpeedsSupported", 2), U("bFunctionalitySupport", 1),
	U("bU1DevExitLat", 1), U("wU2DevExitLat", 2),
};
static const struct desc_field cap_container[] = {SKIP(1), GUID("ContainerID")};
static const struct desc_field cap_platform[] = {
	SKIP(1), GUID("PlatformCapabilityUUID"), BYTES("CapabilityData"),
};
static const struct desc_field cap_ssp[] = {
	SKIP(1), X("bmAttributes", 4), X("wFunctionalitySupport", 2), SKIP(2),
	REST("bmSublinkSpeedAttr", 4),
};
/* The bitmap bmConfigured of 32 bytes and the modes at the end are decoded in descriptor.c. */
static const struct desc_field cap_billboard[] = {
	U("iAdditionalInfoURL", 1), U("bNumberOfAlternateModes", 1),
	U("bPreferredAlternateMode", 1), X("VCONN_Power", 2), SKIP(32), BCD("bcdVersion"),
	X("bAdditionalFailureInfo", 1), SKIP(1), SKIP_LIST(4, 1),
};
static const struct desc_field cap_billboard_mode[] = {
	U("bIndex", 1), X("dwAlternateModeVdo", 4),
};
static const struct desc_field cap_other[] = {BYTES("data")};

/* ---- HID, storage, DFU, smart card, USB3 Vision --------------------------------------------- */

/*
 * Pairs of type and length follow, one for each class descriptor; only the first pair has names
 * here.
 */
static const struct desc_field hid[] = {
	BCD("bcdHID"), U("bCountryCode", 1), U("bNumDescriptors", 1), X("bReportDescriptorType", 1),
	U("wDescriptorLength", 2), BYTES("more"),
};
static const struct desc_field pipe[] = {U("bPipeID", 1), SKIP(1)};
static const struct desc_field dfu[] = {
	X("bmAttributes", 1), U("wDetachTimeOut", 2), U("wTransferSize", 2), BCD("bcdDFUVersion"),
};
static const struct desc_field ccid[] = {
	BCD("bcdCCID"), U("bMaxSlotIndex", 1), X("bVoltageSupport", 1), X("dwProtocols", 4),
	U("dwDefaultClock", 4), U("dwMaximumClock", 4), U("bNumClockSupported", 1),
	U("dwDataRate", 4), U("dwMaxDataRate", 4), U("bNumDataRatesSupported", 1),
	U("dwMaxIFSD", 4),
	X("dwSynchProtocols", 4), X("dwMechanical", 4), X("dwFeatures", 4),
	U("dwMaxCCIDMessageLength", 4), X("bClassGetResponse", 1), X("bClassEnvelope", 1),
	X("wLcdLayout", 2), X("bPINSupport", 1), U("bMaxCCIDBusySlots", 1),
};

/* The versions of GenCP and USB3 Vision; the low 16 bits of each are the minor version. */
static const struct desc_field vision[] = {
	U("GenCPVersion_minor", 2), U("GenCPVersion_major", 2), U("U3VVersion_minor", 2),
	U("U3VVersion_major", 2), U("iDeviceGUID", 1), U("iVendorName", 1), U("iModelName", 1),
	U("iFamilyName", 1), U("iDeviceVersion", 1), U("iManufacturerInfo", 1),
	U("iSerialNumber", 1), U("iUserDefinedName", 1), X("bmSpeedSupport", 1),
};

/* ---- CDC ------------------------------------------------------------------------------------- */

static const struct desc_field cdc_header[] = {BCD("bcdCDC")};
static const struct desc_field cdc_call[] = {X("bmCapabilities", 1), U("bDataInterface", 1)};
static const struct desc_field cdc_acm[] = {X("bmCapabilities", 1)};
static const struct desc_field cdc_union[] = {
	U("bControlInterface", 1), REST("bSubordinateInterface", 1),
};
static const struct desc_field cdc_country[] = {
	U("iCountryCodeRelDate", 1), REST("wCountryCode", 2),
};
static const struct desc_field cdc_ethernet[] = {
	U("iMACAddress", 1), X("bmEthernetStatistics", 4), U("wMaxSegmentSize", 2),
	X("wNumberMCFilters", 2), U("bNumberPowerFilters", 1),
};
static const struct desc_field cdc_mdlm[] = {BCD("bcdVersion"), GUID("bGUID")};
static const struct desc_field cdc_ncm[] = {BCD("bcdNcmVersion"), X("bmNetworkCapabilities", 1)};
static const struct desc_field cdc_mbim[] = {
	BCD("bcdMBIMVersion"), U("wMaxControlMessage", 2), U("bNumberFilters", 1),
	U("bMaxFilterSize", 1), U("wMaxSegmentSize", 2), X("bmNetworkCapabilities", 1),
};

/* ---- audio 1.0 ------------------------------------------------------------------------------ */

static const struct desc_field ac_header[] = {
	BCD("bcdADC"), U("wTotalLength", 2), U("bInCollection", 1), LIST("baInterfaceNr", 1, 2),
};
static const struct desc_field ac_input[] = {
	U("bTerminalID", 1), X("wTerminalType", 2), U("bAssocTerminal", 1), U("bNrChannels", 1),
	X("wChannelConfig", 2), U("iChannelNames", 1), U("iTerminal", 1),
};
static const struct desc_field ac_output[] = {
	U("bTerminalID", 1), X("wTerminalType", 2), U("bAssocTerminal", 1), U("bSourceID", 1),
	U("iTerminal", 1),
};
static const struct desc_field ac_mixer[] = {
	U("bUnitID", 1), U("bNrInPins", 1), LIST("baSourceID", 1, 1), U("bNrChannels", 1),
	X("wChannelConfig", 2), U("iChannelNames", 1), BYTES_BEFORE("bmControls", 1),
	U("iMixer", 1),
};
static const struct desc_field ac_selector[] = {
	U("bUnitID", 1), U("bNrInPins", 1), LIST("baSourceID", 1, 1), U("iSelector", 1),
};
/* One mask for the master channel and one for each channel; the last byte is iFeature. */
static const struct desc_field ac_feature[] = {
	U("bUnitID", 1), U("bSourceID", 1), U("bControlSize", 1), BYTES("bmaControls"),
};
static const struct desc_field ac_processing[] = {
	U("bUnitID", 1), X("wProcessType", 2), U("bNrInPins", 1), LIST("baSourceID", 1, 2),
	U("bNrChannels", 1), X("wChannelConfig", 2), U("iChannelNames", 1), U("bControlSize", 1),
	MASK("bmControls", 7), U("iProcessing", 1),
};
static const struct desc_field as_general[] = {
	U("bTerminalLink", 1), U("bDelay", 1), X("wFormatTag", 2),
};
/*
 * bSamFreqType sampling rates of three bytes follow; if it is 0, the lowest and highest rate
 * follow.
 */
static const struct desc_field as_format[] = {
	U("bFormatType", 1), U("bNrChannels", 1), U("bSubframeSize", 1), U("bBitResolution", 1),
	U("bSamFreqType", 1), REST("tSamFreq", 3),
};
/* For compressed streams. */
static const struct desc_field as_format_2[] = {
	U("bFormatType", 1), U("wMaxBitRate", 2), U("wSamplesPerFrame", 2), U("bSamFreqType", 1),
	REST("tSamFreq", 3),
};
static const struct desc_field as_endpoint[] = {
	X("bmAttributes", 1), U("bLockDelayUnits", 1), U("wLockDelay", 2),
};
static const struct desc_field midi_header[] = {BCD("bcdMSC"), U("wTotalLength", 2)};
static const struct desc_field midi_in[] = {U("bJackType", 1), U("bJackID", 1), U("iJack", 1)};
static const struct desc_field midi_out[] = {
	U("bJackType", 1), U("bJackID", 1), U("bNrInputPins", 1), BYTES("sources"),
};
static const struct desc_field midi_endpoint[] = {
	U("bNumEmbMIDIJack", 1), LIST("baAssocJackID", 1, 0),
};

/* ---- audio 2.0 ------------------------------------------------------------------------------ */

static const struct desc_field ac2_header[] = {
	BCD("bcdADC"), X("bCategory", 1), U("wTotalLength", 2), X("bmControls", 1),
};
static const struct desc_field ac2_input[] = {
	U("bTerminalID", 1), X("wTerminalType", 2), U("bAssocTerminal", 1), U("bCSourceID", 1),
	U("bNrChannels", 1), X("bmChannelConfig", 4), U("iChannelNames", 1), X("bmControls", 2),
	U("iTerminal", 1),
};
static const struct desc_field ac2_output[] = {
	U("bTerminalID", 1), X("wTerminalType", 2), U("bAssocTerminal", 1), U("bSourceID", 1),
	U("bCSourceID", 1), X("bmControls", 2), U("iTerminal", 1),
};
static const struct desc_field ac2_selector[] = {
	U("bUnitID", 1), U("bNrInPins", 1), LIST("baSourceID", 1, 1), X("bmControls", 1),
	U("iSelector", 1),
};
/* Masks of four bytes; the last byte is iFeature. */
static const struct desc_field ac2_feature[] = {
	U("bUnitID", 1), U("bSourceID", 1), BYTES("bmaControls"),
};
static const struct desc_field ac2_mixer[] = {
	U("bUnitID", 1), U("bNrInPins", 1), LIST("baSourceID", 1, 1), U("bNrChannels", 1),
	X("bmChannelConfig", 4), U("iChannelNames", 1), BYTES_BEFORE("bmMixerControls", 2),
	X("bmControls", 1), U("iMixer", 1),
};
static const struct desc_field ac2_effect[] = {
	U("bUnitID", 1), X("wEffectType", 2), U("bSourceID", 1), BYTES("bmaControls"),
};
static const struct desc_field ac2_processing[] = {
	U("bUnitID", 1), X("wProcessType", 2), U("bNrInPins", 1), LIST("baSourceID", 1, 2),
	U("bNrChannels", 1), X("bmChannelConfig", 4), U("iChannelNames", 1), X("bmControls", 2),
	U("iProcessing", 1),
};
static const struct desc_field ac2_extension[] = {
	U("bUnitID", 1), X("wExtensionCode", 2), U("bNrInPins", 1), LIST("baSourceID", 1, 2),
	U("bNrChannels", 1), X("bmChannelConfig", 4), U("iChannelNames", 1), X("bmControls", 1),
	U("iExtension", 1),
};
static const struct desc_field ac2_multiplier[] = {
	U("bClockID", 1), U("bCSourceID", 1), X("bmControls", 1), U("iClockMultiplier", 1),
};
static const struct desc_field ac2_converter[] = {
	U("bUnitID", 1), U("bSourceID", 1), U("bCSourceInID", 1), U("bCSourceOutID", 1),
	U("iSRC", 1),
};
static const struct desc_field ac2_clock[] = {
	U("bClockID", 1), X("bmAttributes", 1), X("bmControls", 1), U("bAssocTerminal", 1),
	U("iClockSource", 1),
};
static const struct desc_field ac2_clock_selector[] = {
	U("bClockID", 1), U("bNrInPins", 1), LIST("baCSourceID", 1, 1), X("bmControls", 1),
	U("iClockSelector", 1),
};
static const struct desc_field as2_general[] = {
	U("bTerminalLink", 1), X("bmControls", 1), U("bFormatType", 1), X("bmFormats", 4),
	U("bNrChannels", 1), X("bmChannelConfig", 4), U("iChannelNames", 1),
};
static const struct desc_field as2_format[] = {
	U("bFormatType", 1), U("bSubslotSize", 1), U("bBitResolution", 1),
};
static const struct desc_field as2_format_2[] = {
	U("bFormatType", 1), U("wMaxBitRate", 2), U("wSlotsPerFrame", 2),
};
static const struct desc_field as2_endpoint[] = {
	X("bmAttributes", 1), X("bmControls", 1), U("bLockDelayUnits", 1), U("wLockDelay", 2),
};

/* ---- video ---------------------------------------------------------------------------------- */

static const struct desc_field vc_header[] = {
	BCD("bcdUVC"), U("wTotalLength", 2), U("dwClockFrequency", 4), U("bInCollection", 1),
	LIST("baInterfaceNr", 1, 3),
};
static const struct desc_field vc_input[] = {
	U("bTerminalID", 1), X("wTerminalType", 2), U("bAssocTerminal", 1), U("iTerminal", 1),
	BYTES("camera"),
};
static const struct desc_field vc_output[] = {
	U("bTerminalID", 1), X("wTerminalType", 2), U("bAssocTerminal", 1), U("bSourceID", 1),
	U("iTerminal", 1),
};
static const struct desc_field vc_selector[] = {
	U("bUnitID", 1), U("bNrInPins", 1), LIST("baSourceID", 1, 1), U("iSelector", 1),
};
static const struct desc_field vc_processing[] = {
	U("bUnitID", 1), U("bSourceID", 1), U("wMaxMultiplier", 2), U("bControlSize", 1),
	MASK("bmControls", 3), U("iProcessing", 1), X("bmVideoStandards", 1),
};
static const struct desc_field vc_extension[] = {
	U("bUnitID", 1), GUID("guidExtensionCode"), U("bNumControls", 1), U("bNrInPins", 1),
	LIST("baSourceID", 1, 3), U("bControlSize", 1), MASK("bmControls", 5), U("iExtension", 1),
};
static const struct desc_field vc_encoding[] = {
	U("bUnitID", 1), U("bSourceID", 1), U("iEncoding", 1), U("bControlSize", 1),
	MASK("bmControls", 3), MASK("bmControlsRuntime", 3),
};
static const struct desc_field vs_input[] = {
	U("bNumFormats", 1), U("wTotalLength", 2), EP("bEndpointAddress"), X("bmInfo", 1),
	U("bTerminalLink", 1), U("bStillCaptureMethod", 1), U("bTriggerSupport", 1),
	U("bTriggerUsage", 1), U("bControlSize", 1), MASKS("bmaControls", 0, 8),
};
static const struct desc_field vs_output[] = {
	U("bNumFormats", 1), U("wTotalLength", 2), EP("bEndpointAddress"), U("bTerminalLink", 1),
	U("bControlSize", 1), MASKS("bmaControls", 0, 4),
};
static const struct desc_field vs_uncompressed[] = {
	U("bFormatIndex", 1), U("bNumFrameDescriptors", 1), GUID("guidFormat"),
	U("bBitsPerPixel", 1), U("bDefaultFrameIndex", 1), U("bAspectRatioX", 1),
	U("bAspectRatioY", 1), X("bmInterlaceFlags", 1), U("bCopyProtect", 1),
};
static const struct desc_field vs_frame_format[] = {
	U("bFormatIndex", 1), U("bNumFrameDescriptors", 1), GUID("guidFormat"),
	U("bBitsPerPixel", 1), U("bDefaultFrameIndex", 1), U("bAspectRatioX", 1),
	U("bAspectRatioY", 1), X("bmInterlaceFlags", 1), U("bCopyProtect", 1),
	U("bVariableSize", 1),
};
static const struct desc_field vs_mjpeg[] = {
	U("bFormatIndex", 1), U("bNumFrameDescriptors", 1), X("bmFlags", 1),
	U("bDefaultFrameIndex", 1), U("bAspectRatioX", 1), U("bAspectRatioY", 1),
	X("bmInterlaceFlags", 1), U("bCopyProtect", 1),
};
/* Intervals are in 100 ns; with bFrameIntervalType 0 they are minimum, maximum and step. */
static const struct desc_field vs_frame[] = {
	U("bFrameIndex", 1), X("bmCapabilities", 1), U("wWidth", 2), U("wHeight", 2),
	U("dwMinBitRate", 4), U("dwMaxBitRate", 4), U("dwMaxVideoFrameBufferSize", 4),
	U("dwDefaultFrameInterval", 4), U("bFrameIntervalType", 1), REST("dwFrameInterval", 4),
};
static const struct desc_field vs_frame_based[] = {
	U("bFrameIndex", 1), X("bmCapabilities", 1), U("wWidth", 2), U("wHeight", 2),
	U("dwMinBitRate", 4), U("dwMaxBitRate", 4), U("dwDefaultFrameInterval", 4),
	U("bFrameIntervalType", 1), U("dwBytesPerLine", 4), REST("dwFrameInterval", 4),
};
static const struct desc_field vs_still[] = {
	EP("bEndpointAddress"), U("bNumImageSizePatterns", 1), BYTES("patterns"),
};
static const struct desc_field vs_color[] = {
	U("bColorPrimaries", 1), U("bTransferCharacteristics", 1), U("bMatrixCoefficients", 1),
};
static const struct desc_field vc_endpoint[] = {U("wMaxTransferSize", 2)};

#define ANY 0xff
#define ROW(c, sc, p, type, sub, name, f) {c, sc, p, type, sub, name, f, ARRAY_SIZE(f), 0}
#define ROW_FIRST(c, sc, p, type, sub, name, f, first)                                            \
	{c, sc, p, type, sub, name, f, ARRAY_SIZE(f), first}

/* The first layout that matches is used, so specific ones stand before general ones. */
static const struct desc_layout layouts[] = {
	ROW(ANY, ANY, ANY, 0x01, -1, "device", device),
	ROW(ANY, ANY, ANY, 0x02, -1, "configuration", config),
	ROW(ANY, ANY, ANY, 0x04, -1, "interface", interface),
	ROW(0x01, ANY, 0x00, 0x05, -1, "endpoint", audio_endpoint),
	ROW(ANY, ANY, ANY, 0x05, -1, "endpoint", endpoint),
	ROW(ANY, ANY, ANY, 0x06, -1, "device qualifier", qualifier),
	ROW(ANY, ANY, ANY, 0x07, -1, "other speed configuration", config),
	ROW(ANY, ANY, ANY, 0x09, -1, "OTG", otg),
	ROW(ANY, ANY, ANY, 0x0a, -1, "debug", debug),
	ROW(ANY, ANY, ANY, 0x0b, -1, "interface association", iad),
	ROW(ANY, ANY, ANY, 0x0f, -1, "BOS", bos),
	ROW(ANY, ANY, ANY, 0x29, -1, "hub", hub),
	ROW(ANY, ANY, ANY, 0x2a, -1, "SuperSpeed hub", ss_hub),
	ROW(ANY, ANY, ANY, 0x30, -1, "SuperSpeed endpoint companion", companion),
	ROW(ANY, ANY, ANY, 0x31, -1, "SuperSpeedPlus isochronous companion", ssp_companion),

	ROW(0x03, ANY, ANY, 0x21, -1, "HID", hid),
	ROW(0x08, ANY, 0x62, 0x24, -1, "pipe usage", pipe),
	ROW(0xfe, 0x01, ANY, 0x21, -1, "DFU functional", dfu),
	ROW(0x0b, ANY, ANY, 0x21, -1, "smart card", ccid),
	ROW(0xef, 0x05, 0x00, 0x24, 0x01, "USB3 Vision device", vision),

	ROW(0x02, ANY, ANY, 0x24, 0x00, "CDC header", cdc_header),
	ROW(0x02, ANY, ANY, 0x24, 0x01, "CDC call management", cdc_call),
	ROW(0x02, ANY, ANY, 0x24, 0x02, "CDC abstract control management", cdc_acm),
	ROW(0x02, ANY, ANY, 0x24, 0x06, "CDC union", cdc_union),
	ROW(0x02, ANY, ANY, 0x24, 0x07, "CDC country selection", cdc_country),
	ROW(0x02, ANY, ANY, 0x24, 0x0f, "CDC ethernet", cdc_ethernet),
	ROW(0x02, ANY, ANY, 0x24, 0x12, "CDC MDLM", cdc_mdlm),
	ROW(0x02, ANY, ANY, 0x24, 0x1a, "CDC NCM", cdc_ncm),
	ROW(0x02, ANY, ANY, 0x24, 0x1b, "CDC MBIM", cdc_mbim),

	ROW(0x01, 0x01, 0x00, 0x24, 0x01, "audio control header", ac_header),
	ROW(0x01, 0x01, 0x00, 0x24, 0x02, "audio input terminal", ac_input),
	ROW(0x01, 0x01, 0x00, 0x24, 0x03, "audio output terminal", ac_output),
	ROW(0x01, 0x01, 0x00, 0x24, 0x04, "audio mixer unit", ac_mixer),
	ROW(0x01, 0x01, 0x00, 0x24, 0x05, "audio selector unit", ac_selector),
	ROW(0x01, 0x01, 0x00, 0x24, 0x06, "audio feature unit", ac_feature),
	ROW(0x01, 0x01, 0x00, 0x24, 0x07, "audio processing unit", ac_processing),
	ROW(0x01, 0x01, 0x00, 0x24, 0x08, "audio extension unit", ac_processing),
	ROW(0x01, 0x02, 0x00, 0x24, 0x01, "audio stream", as_general),
	ROW_FIRST(0x01, 0x02, 0x00, 0x24, 0x02, "audio format", as_format_2, 2),
	ROW(0x01, 0x02, 0x00, 0x24, 0x02, "audio format", as_format),
	ROW(0x01, 0x02, 0x00, 0x25, 0x01, "audio endpoint", as_endpoint),
	ROW(0x01, 0x03, ANY, 0x24, 0x01, "MIDI header", midi_header),
	ROW(0x01, 0x03, ANY, 0x24, 0x02, "MIDI in jack", midi_in),
	ROW(0x01, 0x03, ANY, 0x24, 0x03, "MIDI out jack", midi_out),
	ROW(0x01, 0x03, ANY, 0x25, 0x01, "MIDI endpoint", midi_endpoint),

	ROW(0x01, 0x01, 0x20, 0x24, 0x01, "audio control header", ac2_header),
	ROW(0x01, 0x01, 0x20, 0x24, 0x02, "audio input terminal", ac2_input),
	ROW(0x01, 0x01, 0x20, 0x24, 0x03, "audio output terminal", ac2_output),
	ROW(0x01, 0x01, 0x20, 0x24, 0x04, "audio mixer unit", ac2_mixer),
	ROW(0x01, 0x01, 0x20, 0x24, 0x05, "audio selector unit", ac2_selector),
	ROW(0x01, 0x01, 0x20, 0x24, 0x06, "audio feature unit", ac2_feature),
	ROW(0x01, 0x01, 0x20, 0x24, 0x07, "audio effect unit", ac2_effect),
	ROW(0x01, 0x01, 0x20, 0x24, 0x08, "audio processing unit", ac2_processing),
	ROW(0x01, 0x01, 0x20, 0x24, 0x09, "audio extension unit", ac2_extension),
	ROW(0x01, 0x01, 0x20, 0x24, 0x0a, "audio clock source", ac2_clock),
	ROW(0x01, 0x01, 0x20, 0x24, 0x0b, "audio clock selector", ac2_clock_selector),
	ROW(0x01, 0x01, 0x20, 0x24, 0x0c, "audio clock multiplier", ac2_multiplier),
	ROW(0x01, 0x01, 0x20, 0x24, 0x0d, "audio sample rate converter", ac2_converter),
	ROW(0x01, 0x02, 0x20, 0x24, 0x01, "audio stream", as2_general),
	ROW_FIRST(0x01, 0x02, 0x20, 0x24, 0x02, "audio format", as2_format_2, 2),
	ROW(0x01, 0x02, 0x20, 0x24, 0x02, "audio format", as2_format),
	ROW(0x01, 0x02, 0x20, 0x25, 0x01, "audio endpoint", as2_endpoint),

	ROW(0x0e, 0x01, ANY, 0x24, 0x01, "video control header", vc_header),
	ROW(0x0e, 0x01, ANY, 0x24, 0x02, "video input terminal", vc_input),
	ROW(0x0e, 0x01, ANY, 0x24, 0x03, "video output terminal", vc_output),
	ROW(0x0e, 0x01, ANY, 0x24, 0x04, "video selector unit", vc_selector),
	ROW(0x0e, 0x01, ANY, 0x24, 0x05, "video processing unit", vc_processing),
	ROW(0x0e, 0x01, ANY, 0x24, 0x06, "video extension unit", vc_extension),
	ROW(0x0e, 0x01, ANY, 0x24, 0x07, "video encoding unit", vc_encoding),
	ROW(0x0e, 0x01, ANY, 0x25, 0x03, "video endpoint", vc_endpoint),
	ROW(0x0e, 0x02, ANY, 0x24, 0x01, "video input header", vs_input),
	ROW(0x0e, 0x02, ANY, 0x24, 0x02, "video output header", vs_output),
	ROW(0x0e, 0x02, ANY, 0x24, 0x03, "video still image frame", vs_still),
	ROW(0x0e, 0x02, ANY, 0x24, 0x04, "video uncompressed format", vs_uncompressed),
	ROW(0x0e, 0x02, ANY, 0x24, 0x05, "video uncompressed frame", vs_frame),
	ROW(0x0e, 0x02, ANY, 0x24, 0x06, "video MJPEG format", vs_mjpeg),
	ROW(0x0e, 0x02, ANY, 0x24, 0x07, "video MJPEG frame", vs_frame),
	ROW(0x0e, 0x02, ANY, 0x24, 0x0d, "video color matching", vs_color),
	ROW(0x0e, 0x02, ANY, 0x24, 0x10, "video frame-based format", vs_frame_format),
	ROW(0x0e, 0x02, ANY, 0x24, 0x11, "video frame-based frame", vs_frame_based),
};

static const struct desc_layout capabilities[] = {
	ROW(ANY, ANY, ANY, 0x10, 0x02, "USB 2.0 extension", cap_usb2),
	ROW(ANY, ANY, ANY, 0x10, 0x03, "SuperSpeed capability", cap_ss),
	ROW(ANY, ANY, ANY, 0x10, 0x04, "container ID", cap_container),
	ROW(ANY, ANY, ANY, 0x10, 0x05, "platform", cap_platform),
	ROW(ANY, ANY, ANY, 0x10, 0x06, "power delivery", cap_other),
	ROW(ANY, ANY, ANY, 0x10, 0x07, "battery", cap_other),
	ROW(ANY, ANY, ANY, 0x10, 0x08, "power consumer port", cap_other),
	ROW(ANY, ANY, ANY, 0x10, 0x09, "power provider port", cap_other),
	ROW(ANY, ANY, ANY, 0x10, 0x0a, "SuperSpeedPlus capability", cap_ssp),
	ROW(ANY, ANY, ANY, 0x10, 0x0b, "precision time measurement", cap_other),
	ROW(ANY, ANY, ANY, 0x10, 0x0d, "billboard", cap_billboard),
	ROW(ANY, ANY, ANY, 0x10, 0x0e, "authentication", cap_other),
	ROW(ANY, ANY, ANY, 0x10, 0x0f, "billboard mode", cap_billboard_mode),
	ROW(ANY, ANY, ANY, 0x10, 0x10, "configuration summary", cap_other),
};

const struct desc_layout *desc_capability(uint8_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++)
		if (capabilities[i].subtype == type)
			return &capabilities[i];
	return NULL;
}

static bool fits(uint8_t want, uint8_t have)
{
	return want == ANY || want == have;
}

const struct desc_layout *desc_layout(const struct descriptor *d, const struct control_target *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct desc_layout *l = &layouts[i];

		if (l->type != d->type || !fits(l->class, to->class) ||
		    !fits(l->subclass, to->subclass) || !fits(l->protocol, to->protocol))
			continue;
		if (l->first && (d->room <= 3 || d->p[3] != l->first))
			continue;
		if (l->subtype < 0 || (d->room > 2 && d->p[2] == l->subtype))
			return l;
	}
	return NULL;
}

static bool any_has(const struct desc_layout *l, size_t count, const char *name, size_t n)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < l[i].nfields; k++)
			if (l[i].fields[k].name && !strncmp(l[i].fields[k].name, name, n) &&
			    !l[i].fields[k].name[n])
				return true;
	return false;
}

bool desc_has_field(const char *name, size_t n)
{
	return any_has(layouts, ARRAY_SIZE(layouts), name, n) ||
	       any_has(capabilities, ARRAY_SIZE(capabilities), name, n);
}

static void names_of(const struct desc_layout *l, size_t count, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < l[i].nfields; k++)
			if (l[i].fields[k].name)
				fn(arg, l[i].fields[k].name);
}

void desc_field_names(decoder_name_fn *fn, void *arg)
{
	names_of(layouts, ARRAY_SIZE(layouts), fn, arg);
	names_of(capabilities, ARRAY_SIZE(capabilities), fn, arg);
}

void desc_layout_names(decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		fn(arg, layouts[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++)
		fn(arg, capabilities[i].name);
}
