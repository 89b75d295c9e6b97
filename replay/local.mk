# SPDX-License-Identifier: MIT
# trawl-replay: a saved file acted out again.
# Everything but main(), which harnesses share.
noinst_LTLIBRARIES += libreplay.la
libreplay_la_SOURCES = replay/way.h \
	replay/device.c \
	replay/branch.c replay/codefile.h replay/codefile.c replay/walk.h replay/walk.c replay/walkevent.h replay/walkevent.c replay/gdbstub.h replay/gdbstub.c \
	replay/filearray.h replay/filearray.c \
	replay/host.c replay/hostprogram.h replay/hostprogram.c replay/hostusb.h replay/hostusb.c \
	replay/hostread.h replay/hostread.c replay/hostguard.h replay/hostguard.c \
	replay/initramfs.h replay/initramfs.c replay/modules.h replay/modules.c \
	replay/vm.h replay/vm.c replay/vmguest.c replay/qemu.c replay/mutate.h replay/mutate.c \
	replay/stream.c replay/pace.h replay/pace.c \
	replay/pathlist.h replay/pathlist.c \
	replay/player.h replay/playeroptions.h replay/playing.h replay/player.c replay/sentdata.c replay/reads.c replay/packets.c replay/requests.c \
	replay/probes.c replay/recordedprobes.h replay/recordedprobes.c replay/sdtobject.h replay/sdtobject.c \
	replay/disk.h replay/disk.c replay/sectors.h replay/sectors.c \
	replay/standard.h replay/standard.c \
	replay/storage.h replay/storage.c replay/recordedcommands.h replay/recordedcommands.c replay/blockrange.h replay/blockrange.c \
	replay/store.h replay/store.c \
	replay/tapefile.h replay/tapereader.h replay/tapereader.c replay/tapedevice.h replay/tapedevice.c replay/tape.h replay/tape.c replay/opentape.c \
	replay/usbip.h replay/usbip.c \
	replay/verdict.h replay/verdict.c
libreplay_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(LIBUSB_CFLAGS) -O2
libreplay_la_LIBADD = $(JSON_LIBS) $(LIBUSB_LIBS) $(ZYDIS_LIBS)

bin_PROGRAMS += trawl-replay
trawl_replay_SOURCES = replay/trawl-replay.c
trawl_replay_LDADD = libreplay.la libimport.la libdecode.la libcommon.la libformat.la
