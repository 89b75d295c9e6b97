/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "decode/base/bytes.h"
#include "decode/usb/codename.h"
#include "decode/usb/uvccontrol.h"
#include "common/array.h"

#define LAYOUT(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}

LAYOUT(value_u1, "value", "u1");
LAYOUT(value_u2, "value", "u2");
LAYOUT(value_s2, "value", "s2");
LAYOUT(value_u4, "value", "u4");
LAYOUT(value_s1, "value", "s1");
LAYOUT(error, "value", "e1R", "value_name");
LAYOUT(mode, "value", "e1A", "value_name");
LAYOUT(power, "value", "x1");
LAYOUT(freq, "value", "e1F", "value_name");
LAYOUT(zoomrel, "zoom", "s1", "digital_zoom", "u1", "speed", "u1");
LAYOUT(focusrel, "focus", "s1", "speed", "u1");
LAYOUT(pantilt, "pan", "s4", "tilt", "s4");
LAYOUT(pantiltrel, "pan", "s1", "pan_speed", "u1", "tilt", "s1", "tilt_speed", "u1");
LAYOUT(rollrel, "roll", "s1", "speed", "u1");
LAYOUT(window, "top", "u2", "left", "u2", "bottom", "u2", "right", "u2", "steps", "u2",
       "steps_units", "x2");
LAYOUT(roi, "top", "u2", "left", "u2", "bottom", "u2", "right", "u2", "auto_controls", "x2");
LAYOUT(wbcomp, "blue", "u2", "red", "u2");
LAYOUT(still, "bFormatIndex", "u1", "bFrameIndex", "u1", "bCompressionIndex", "u1",
       "dwMaxVideoFrameSize", "u4", "dwMaxPayloadTransferSize", "u4");

static const struct uvc_control controls[] = {
	{UVC_INTERFACE, 1, "VIDEO_POWER_MODE", power},
	{UVC_INTERFACE, 2, "REQUEST_ERROR_CODE", error},
	{UVC_CAMERA, 1, "SCANNING_MODE", value_u1},
	{UVC_CAMERA, 2, "AE_MODE", mode},
	{UVC_CAMERA, 3, "AE_PRIORITY", value_u1},
	{UVC_CAMERA, 4, "EXPOSURE_TIME_ABSOLUTE", value_u4},
	{UVC_CAMERA, 5, "EXPOSURE_TIME_RELATIVE", value_s1},
	{UVC_CAMERA, 6, "FOCUS_ABSOLUTE", value_u2},
	{UVC_CAMERA, 7, "FOCUS_RELATIVE", focusrel},
	{UVC_CAMERA, 8, "FOCUS_AUTO", value_u1},
	{UVC_CAMERA, 9, "IRIS_ABSOLUTE", value_u2},
	{UVC_CAMERA, 10, "IRIS_RELATIVE", value_s1},
	{UVC_CAMERA, 11, "ZOOM_ABSOLUTE", value_u2},
	{UVC_CAMERA, 12, "ZOOM_RELATIVE", zoomrel},
	{UVC_CAMERA, 13, "PANTILT_ABSOLUTE", pantilt},
	{UVC_CAMERA, 14, "PANTILT_RELATIVE", pantiltrel},
	{UVC_CAMERA, 15, "ROLL_ABSOLUTE", value_s2},
	{UVC_CAMERA, 16, "ROLL_RELATIVE", rollrel},
	{UVC_CAMERA, 17, "PRIVACY", value_u1},
	{UVC_CAMERA, 18, "FOCUS_SIMPLE", value_u1},
	{UVC_CAMERA, 19, "WINDOW", window},
	{UVC_CAMERA, 20, "REGION_OF_INTEREST", roi},
	{UVC_SELECTOR, 1, "INPUT_SELECT", value_u1},
	{UVC_PROCESSING, 1, "BACKLIGHT_COMPENSATION", value_u2},
	{UVC_PROCESSING, 2, "BRIGHTNESS", value_s2},
	{UVC_PROCESSING, 3, "CONTRAST", value_u2},
	{UVC_PROCESSING, 4, "GAIN", value_u2},
	{UVC_PROCESSING, 5, "POWER_LINE_FREQUENCY", freq},
	{UVC_PROCESSING, 6, "HUE", value_s2},
	{UVC_PROCESSING, 7, "SATURATION", value_u2},
	{UVC_PROCESSING, 8, "SHARPNESS", value_u2},
	{UVC_PROCESSING, 9, "GAMMA", value_u2},
	{UVC_PROCESSING, 10, "WHITE_BALANCE_TEMPERATURE", value_u2},
	{UVC_PROCESSING, 11, "WHITE_BALANCE_TEMPERATURE_AUTO", value_u1},
	{UVC_PROCESSING, 12, "WHITE_BALANCE_COMPONENT", wbcomp},
	{UVC_PROCESSING, 13, "WHITE_BALANCE_COMPONENT_AUTO", value_u1},
	{UVC_PROCESSING, 14, "DIGITAL_MULTIPLIER", value_u2},
	{UVC_PROCESSING, 15, "DIGITAL_MULTIPLIER_LIMIT", value_u2},
	{UVC_PROCESSING, 16, "HUE_AUTO", value_u1},
	{UVC_PROCESSING, 17, "ANALOG_VIDEO_STANDARD", value_u1},
	{UVC_PROCESSING, 18, "ANALOG_LOCK_STATUS", value_u1},
	{UVC_PROCESSING, 19, "CONTRAST_AUTO", value_u1},
	{UVC_ENCODING, 1, "SELECT_LAYER", value_u2},
	{UVC_ENCODING, 2, "PROFILE_TOOLSET", NULL},
	{UVC_ENCODING, 3, "VIDEO_RESOLUTION", NULL},
	{UVC_ENCODING, 4, "MIN_FRAME_INTERVAL", value_u4},
	{UVC_ENCODING, 5, "SLICE_MODE", NULL},
	{UVC_ENCODING, 6, "RATE_CONTROL_MODE", value_u1},
	{UVC_ENCODING, 7, "AVERAGE_BITRATE", value_u4},
	{UVC_ENCODING, 8, "CPB_SIZE", value_u4},
	{UVC_ENCODING, 9, "PEAK_BIT_RATE", value_u4},
	{UVC_ENCODING, 10, "QUANTIZATION_PARAMS", NULL},
	{UVC_ENCODING, 11, "SYNC_REF_FRAME", NULL},
	{UVC_ENCODING, 12, "LTR_BUFFER", NULL},
	{UVC_ENCODING, 13, "LTR_PICTURE", NULL},
	{UVC_ENCODING, 14, "LTR_VALIDATION", NULL},
	{UVC_ENCODING, 15, "LEVEL_IDC_LIMIT", value_u1},
	{UVC_ENCODING, 16, "SEI_PAYLOADTYPE", NULL},
	{UVC_ENCODING, 17, "QP_RANGE", NULL},
	{UVC_ENCODING, 18, "PRIORITY", value_u1},
	{UVC_ENCODING, 19, "START_OR_STOP_LAYER", value_u1},
	{UVC_ENCODING, 20, "ERROR_RESILIENCY", NULL},
	{UVC_STREAM, 1, "VS_PROBE", NULL},
	{UVC_STREAM, 2, "VS_COMMIT", NULL},
	{UVC_STREAM, 3, "VS_STILL_PROBE", still},
	{UVC_STREAM, 4, "VS_STILL_COMMIT", still},
	{UVC_STREAM, 5, "VS_STILL_IMAGE_TRIGGER", value_u1},
	{UVC_STREAM, 6, "VS_STREAM_ERROR_CODE", value_u1},
	{UVC_STREAM, 7, "VS_GENERATE_KEY_FRAME", value_u1},
	{UVC_STREAM, 8, "VS_UPDATE_FRAME_SEGMENT", NULL},
	{UVC_STREAM, 9, "VS_SYNC_DELAY", value_u2},
};

static const struct code_name errors[] = {
	{0, "no error"}, {1, "not ready"}, {2, "wrong state"}, {3, "power"}, {4, "out of range"},
	{5, "invalid unit"}, {6, "invalid control"}, {7, "invalid request"},
	{8, "invalid value within range"}, {255, "unknown"},
};

static const struct code_name exposures[] = {
	{1, "manual"}, {2, "auto"}, {4, "shutter priority"}, {8, "aperture priority"},
};

static const char *const attributes[] = {"value", "info", "failure", "minimum", "maximum"};
static const char *const frequencies[] = {"disabled", "50 Hz", "60 Hz", "auto"};

const char *uvc_name(char kind, uint64_t v)
{
	if (kind == 'R')
		return CODE_NAME(errors, (uint32_t)v);
	if (kind == 'A')
		return CODE_NAME(exposures, (uint32_t)v);
	if (kind == 'U')
		return v < ARRAY_SIZE(attributes) ? attributes[v] : NULL;
	return v < ARRAY_SIZE(frequencies) ? frequencies[v] : NULL;
}

enum uvc_entity uvc_entity_of(const uint8_t *p, size_t n)
{
	enum { INPUT_TERMINAL = 2, SELECTOR = 4, CAMERA = 0x0201 };
	static const uint8_t units[] = {
		[SELECTOR] = UVC_SELECTOR, UVC_PROCESSING, UVC_EXTENSION, UVC_ENCODING,
	};

	if (p[2] == INPUT_TERMINAL && n >= 6 && get16(p + 4) == CAMERA)
		return UVC_CAMERA;
	if (p[2] < SELECTOR)
		return UVC_TERMINAL;
	return p[2] < ARRAY_SIZE(units) ? units[p[2]] : UVC_NONE;
}

const char *uvc_entity_name(enum uvc_entity entity)
{
	static const char *const names[] = {
		"entity", "interface", "camera terminal", "terminal", "selector unit",
		"processing unit", "encoding unit", "extension unit", "stream",
	};

	return names[entity];
}

const struct uvc_control *uvc_control(enum uvc_entity entity, uint8_t selector)
{
	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		if (controls[i].entity == entity && controls[i].selector == selector)
			return &controls[i];
	return NULL;
}

bool uvc_has_field(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		if (controls[i].value && byte_layout_has(controls[i].value, name, n))
			return true;
	return false;
}

void uvc_words(const char *member, decoder_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(controls); i++)
		if (controls[i].value)
			byte_layout_words(controls[i].value, uvc_name, member, fn, arg);
}
