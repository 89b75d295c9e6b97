# SPDX-License-Identifier: MIT
# USB without any USB: captures that are made of nothing (usbsynth.py), decoded and converted.
EXTRA_DIST += tests/decode/usb/usbsynth.py tests/decode/usb/modem.py tests/decode/usb/parts.py tests/decode/usb/gadgets.py tests/decode/usb/sweep.py tests/decode/usb/codes.py tests/decode/usb/bluetooth.py tests/decode/usb/discs.py tests/decode/usb/cameras.py tests/decode/usb/members.py \
	tests/cli/usb.py tests/cli/usbview.py tests/cli/usbprotocol.py tests/cli/usbclasses.py \
	tests/cli/usbcontext.py tests/cli/usbreplayable.py tests/cli/usbprinted.py
TESTS += tests/cli/usb.py tests/cli/usbview.py tests/cli/usbprotocol.py tests/cli/usbclasses.py \
	tests/cli/usbcontext.py tests/cli/usbreplayable.py tests/cli/usbprinted.py

if HAVE_CRITERION
UNIT_USB = \
	tests/decode/usb/test_busstatistics \
	tests/decode/usb/test_descriptor \
	tests/decode/usb/test_duplicate \
	tests/decode/usb/test_hidreport \
	tests/decode/usb/test_hub \
	tests/decode/usb/test_msc \
	tests/decode/usb/test_control \
	tests/decode/usb/test_transfer \
	tests/decode/usb/test_urb tests/decode/usb/test_echofield \
	tests/decode/usb/test_device \
	tests/decode/usb/test_usbmontext
check_PROGRAMS += $(UNIT_USB)
TESTS += $(UNIT_USB)
USB_LDADD = libdecode.la libcommon.la libformat.la $(CRITERION_LIBS)
tests_decode_usb_test_busstatistics_SOURCES = tests/decode/usb/test_busstatistics.c
tests_decode_usb_test_busstatistics_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_busstatistics_LDADD = $(USB_LDADD)
tests_decode_usb_test_descriptor_SOURCES = tests/decode/usb/test_descriptor.c
tests_decode_usb_test_descriptor_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_descriptor_LDADD = $(USB_LDADD)
tests_decode_usb_test_duplicate_SOURCES = tests/decode/usb/test_duplicate.c
tests_decode_usb_test_duplicate_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_duplicate_LDADD = $(USB_LDADD)
tests_decode_usb_test_hidreport_SOURCES = tests/decode/usb/test_hidreport.c
tests_decode_usb_test_hidreport_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_hidreport_LDADD = $(USB_LDADD)
tests_decode_usb_test_hub_SOURCES = tests/decode/usb/test_hub.c
tests_decode_usb_test_hub_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_hub_LDADD = $(USB_LDADD)
tests_decode_usb_test_msc_SOURCES = tests/decode/usb/test_msc.c
tests_decode_usb_test_msc_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_msc_LDADD = $(USB_LDADD)
tests_decode_usb_test_control_SOURCES = tests/decode/usb/test_control.c
tests_decode_usb_test_control_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_control_LDADD = $(USB_LDADD)
tests_decode_usb_test_transfer_SOURCES = tests/decode/usb/test_transfer.c
tests_decode_usb_test_transfer_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_transfer_LDADD = $(USB_LDADD)
tests_decode_usb_test_echofield_SOURCES = tests/decode/usb/test_echofield.c
tests_decode_usb_test_echofield_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_echofield_LDADD = $(USB_LDADD)
tests_decode_usb_test_urb_SOURCES = tests/decode/usb/test_urb.c
tests_decode_usb_test_urb_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_urb_LDADD = $(USB_LDADD)
tests_decode_usb_test_device_SOURCES = tests/decode/usb/test_device.c
tests_decode_usb_test_device_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_device_LDADD = $(USB_LDADD)
tests_decode_usb_test_usbmontext_SOURCES = tests/decode/usb/test_usbmontext.c
tests_decode_usb_test_usbmontext_CFLAGS = $(UNIT_CFLAGS)
tests_decode_usb_test_usbmontext_LDADD = $(USB_LDADD)
endif

# A capture with snapshots of devices, for tests/cli/usb.py tests/cli/usbview.py tests/cli/usbprotocol.py tests/cli/usbclasses.py.
check_PROGRAMS += tests/decode/usb/make-usb
tests_decode_usb_make_usb_SOURCES = tests/decode/usb/make-usb.c
tests_decode_usb_make_usb_CFLAGS = $(AM_CFLAGS)
tests_decode_usb_make_usb_LDADD = libimport.la libdecode.la libcommon.la libformat.la
