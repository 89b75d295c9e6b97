/* SPDX-License-Identifier: MIT */
#include "decode/usb/hidusage.h"
#include "common/array.h"

#include <stddef.h>


static const char *const keys[] = {
	NULL, "ErrorRollOver", "POSTFail", "ErrorUndefined",
	"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
	"N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z",
	"1", "2", "3", "4", "5", "6", "7", "8", "9", "0",
	"Enter", "Escape", "Backspace", "Tab", "Space", "-", "=", "[", "]", "\\", "NonUS#", ";",
	"'", "`", ",", ".", "/", "CapsLock",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
	"PrintScreen", "ScrollLock", "Pause", "Insert", "Home", "PageUp", "Delete", "End",
	"PageDown", "Right", "Left", "Down", "Up", "NumLock", "Keypad/", "Keypad*", "Keypad-",
	"Keypad+", "KeypadEnter", "Keypad1", "Keypad2", "Keypad3", "Keypad4", "Keypad5", "Keypad6",
	"Keypad7", "Keypad8", "Keypad9", "Keypad0", "Keypad.", "NonUS\\", "Application", "Power",
	"Keypad=", "F13", "F14", "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F22", "F23",
	"F24", "Execute", "Help", "Menu", "Select", "Stop", "Again", "Undo", "Cut", "Copy", "Paste",
	"Find", "Mute", "VolumeUp", "VolumeDown",
};

static const char *const modifiers[] = {
	"LeftControl", "LeftShift", "LeftAlt", "LeftGUI",
	"RightControl", "RightShift", "RightAlt", "RightGUI",
};

static const char *const leds[] = {
	NULL, "NumLock", "CapsLock", "ScrollLock", "Compose", "Kana", "Power", "Shift",
	"DoNotDisturb", "Mute",
};

struct usage {
	uint16_t id;
	const char *name;
};

static const struct usage desktop[] = {
	{0x01, "Pointer"}, {0x02, "Mouse"}, {0x04, "Joystick"}, {0x05, "Gamepad"},
	{0x06, "Keyboard"}, {0x07, "Keypad"}, {0x08, "MultiAxis"}, {0x09, "Tablet"},
	{0x30, "X"}, {0x31, "Y"}, {0x32, "Z"}, {0x33, "Rx"}, {0x34, "Ry"}, {0x35, "Rz"},
	{0x36, "Slider"}, {0x37, "Dial"}, {0x38, "Wheel"}, {0x39, "HatSwitch"},
	{0x3a, "CountedBuffer"}, {0x3b, "ByteCount"}, {0x3d, "Start"}, {0x3e, "Select"},
	{0x40, "Vx"}, {0x41, "Vy"}, {0x42, "Vz"}, {0x48, "ResolutionMultiplier"},
	{0x80, "SystemControl"}, {0x81, "SystemPowerDown"}, {0x82, "SystemSleep"},
	{0x83, "SystemWakeUp"}, {0x90, "DPadUp"}, {0x91, "DPadDown"}, {0x92, "DPadRight"},
	{0x93, "DPadLeft"},
};

static const struct usage consumer[] = {
	{0x01, "ConsumerControl"}, {0x30, "Power"}, {0x6f, "BrightnessUp"},
	{0x70, "BrightnessDown"}, {0xb0, "Play"}, {0xb1, "Pause"}, {0xb2, "Record"},
	{0xb3, "FastForward"}, {0xb4, "Rewind"}, {0xb5, "NextTrack"}, {0xb6, "PreviousTrack"},
	{0xb7, "Stop"}, {0xb8, "Eject"}, {0xcd, "PlayPause"}, {0xe2, "Mute"}, {0xe9, "VolumeUp"},
	{0xea, "VolumeDown"}, {0x183, "MediaSelect"}, {0x18a, "Mail"}, {0x192, "Calculator"},
	{0x194, "FileBrowser"}, {0x221, "Search"}, {0x223, "Home"}, {0x224, "Back"},
	{0x225, "Forward"}, {0x226, "Stop"}, {0x227, "Refresh"}, {0x22a, "Bookmarks"},
	{0x238, "Pan"},
};

static const struct usage digitizer[] = {
	{0x01, "Digitizer"}, {0x02, "Pen"}, {0x04, "TouchScreen"}, {0x05, "TouchPad"},
	{0x20, "Stylus"}, {0x22, "Finger"}, {0x30, "TipPressure"}, {0x32, "InRange"},
	{0x3b, "Battery"}, {0x3c, "Invert"}, {0x3d, "XTilt"}, {0x3e, "YTilt"}, {0x42, "TipSwitch"},
	{0x44, "BarrelSwitch"}, {0x45, "Eraser"}, {0x47, "Confidence"}, {0x48, "Width"},
	{0x49, "Height"}, {0x51, "ContactId"}, {0x54, "ContactCount"}, {0x55, "ContactCountMax"},
	{0x56, "ScanTime"},
};

static const char *in_list(const struct usage *list, size_t n, uint32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].id == id)
			return list[i].name;
	return NULL;
}

const char *hid_usage_name(uint32_t usage)
{
	uint32_t id = usage & 0xffff;

	switch (HID_PAGE(usage)) {
	case HID_DESKTOP:
		return in_list(desktop, ARRAY_SIZE(desktop), id);
	case HID_KEYBOARD:
		if (id >= 0xe0 && id <= 0xe7)
			return modifiers[id - 0xe0];
		return id < ARRAY_SIZE(keys) ? keys[id] : NULL;
	case HID_LED:
		return id < ARRAY_SIZE(leds) ? leds[id] : NULL;
	case HID_CONSUMER:
		return in_list(consumer, ARRAY_SIZE(consumer), id);
	case HID_DIGITIZER:
		return in_list(digitizer, ARRAY_SIZE(digitizer), id);
	default:
		return NULL;
	}
}
