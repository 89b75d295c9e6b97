# SPDX-License-Identifier: MIT
# trawl.ko is built by the kernel's Kbuild, never by plain make: the rest needs no kernel headers.
#	make kmod [KDIR=...]		for the kernel that runs, into BUILD/kmod-build/kmod/trawl.ko
#	make kmod-install		installs it (dkms.conf is for those who want it anew for each kernel)
KMOD_FILES = kmod/Kbuild kmod/attached.c kmod/attached.h kmod/attachment.c kmod/attachment.h kmod/compat.h \
	kmod/device.c kmod/device.h kmod/select.c kmod/select.h kmod/hooks.c kmod/hooks.h kmod/insn.c kmod/insn.h \
	kmod/lastbranches.c kmod/lastbranches.h kmod/lbr.c kmod/lbr.h kmod/lbr_format.c kmod/lbr_format.h kmod/libiht.c kmod/libiht.h kmod/main.c kmod/permit.c kmod/permit.h kmod/plain.h \
	kmod/probe.c kmod/probe.h kmod/provider.c kmod/provider.h kmod/request.c kmod/request.h kmod/ring.c kmod/ring.h kmod/session.c \
	kmod/session.h kmod/step.c kmod/step.h kmod/store.c kmod/store.h kmod/task.c kmod/task.h kmod/traced.h \
	kmod/tracing.c kmod/tracing.h kmod/trawl_libiht.h kmod/trawl_uapi.h \
	kmod/breakpoint.c kmod/kuprobe.c kmod/kuprobe.h kmod/khandler.c kmod/khandler.h kmod/lifecycle.c kmod/stop.c kmod/stopped.c kmod/tracer.c \
	kmod/tracer.h kmod/trawl_uprobe.h
EXTRA_DIST += $(KMOD_FILES) kmod/dkms.conf

KDIR = /lib/modules/$$(uname -r)/build
# Kbuild writes beside the sources: it gets a copy.
kmod: kmod-build/kmod/trawl.ko
kmod-build/kmod/trawl.ko: $(KMOD_FILES:%=$(srcdir)/%)
	@test -e "$(KDIR)/Makefile" || { echo "trawl.ko: $(KDIR): no kernel headers;" \
		"install linux-headers-$$(uname -r), or give KDIR=" >&2; exit 3; }
	@$(MKDIR_P) kmod-build/kmod
	@cp -u $(KMOD_FILES:%=$(srcdir)/%) kmod-build/kmod/
	$(MAKE) -C "$(KDIR)" M='$(abs_builddir)/kmod-build/kmod' modules
kmod-install: kmod-build/kmod/trawl.ko
	$(MAKE) -C "$(KDIR)" M='$(abs_builddir)/kmod-build/kmod' modules_install
clean-local: kmod-clean
kmod-clean:
	rm -rf kmod-build
.PHONY: kmod kmod-install kmod-clean
