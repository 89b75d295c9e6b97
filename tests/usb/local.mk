# SPDX-License-Identifier: MIT
# USB without any USB: captures that are made of nothing (usbsynth.py), decoded and converted.
EXTRA_DIST += tests/usb/usbsynth.py tests/cli/usb.py
TESTS += tests/cli/usb.py

if HAVE_CRITERION
UNIT_USB = \
	tests/usb/test_descriptor \
	tests/usb/test_hidreport \
	tests/usb/test_hub \
	tests/usb/test_msc \
	tests/usb/test_setup \
	tests/usb/test_transfer \
	tests/usb/test_urb \
	tests/usb/test_usbdev \
	tests/usb/test_usbmontext
check_PROGRAMS += $(UNIT_USB)
TESTS += $(UNIT_USB)
USB_LDADD = libdecode.la libcommon.la libtrawl.la $(CRITERION_LIBS)
tests_usb_test_descriptor_SOURCES = tests/usb/test_descriptor.c
tests_usb_test_descriptor_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_descriptor_LDADD = $(USB_LDADD)
tests_usb_test_hidreport_SOURCES = tests/usb/test_hidreport.c
tests_usb_test_hidreport_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_hidreport_LDADD = $(USB_LDADD)
tests_usb_test_hub_SOURCES = tests/usb/test_hub.c
tests_usb_test_hub_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_hub_LDADD = $(USB_LDADD)
tests_usb_test_msc_SOURCES = tests/usb/test_msc.c
tests_usb_test_msc_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_msc_LDADD = $(USB_LDADD)
tests_usb_test_setup_SOURCES = tests/usb/test_setup.c
tests_usb_test_setup_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_setup_LDADD = $(USB_LDADD)
tests_usb_test_transfer_SOURCES = tests/usb/test_transfer.c
tests_usb_test_transfer_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_transfer_LDADD = $(USB_LDADD)
tests_usb_test_urb_SOURCES = tests/usb/test_urb.c
tests_usb_test_urb_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_urb_LDADD = $(USB_LDADD)
tests_usb_test_usbdev_SOURCES = tests/usb/test_usbdev.c
tests_usb_test_usbdev_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_usbdev_LDADD = $(USB_LDADD)
tests_usb_test_usbmontext_SOURCES = tests/usb/test_usbmontext.c
tests_usb_test_usbmontext_CFLAGS = $(UNIT_CFLAGS)
tests_usb_test_usbmontext_LDADD = $(USB_LDADD)
endif

# A capture with snapshots of devices, for tests/cli/usb.py.
check_PROGRAMS += tests/usb/make-usb
tests_usb_make_usb_SOURCES = tests/usb/make-usb.c
tests_usb_make_usb_CFLAGS = $(AM_CFLAGS)
tests_usb_make_usb_LDADD = libedit.la libdecode.la libcommon.la libtrawl.la
