# SPDX-License-Identifier: MIT
# Event probes and synthetic events of the kernel; included by local.mk.
libcapture_la_SOURCES += \
	capture/chain.c capture/chain.h \
	capture/eprobe.c \
	capture/event.h \
	capture/kallsyms.c capture/kallsyms.h \
	capture/ktest.c capture/ktest.h \
	capture/synth.c \
	capture/syscallname.c capture/syscallname.h

# Names of system calls, from the headers of the machine that trawl is built for.
BUILT_SOURCES += capture/syscalls.inc
CLEANFILES += capture/syscalls.inc
# By a variable: automake would take the target's own name for its compile rule.
syscalls_user = capture/libcapture_la-syscallname.lo
$(syscalls_user): capture/syscalls.inc
capture/syscalls.inc:
	$(AM_V_GEN)mkdir -p capture; echo '#include <asm/unistd.h>' | $(CC) -E -dM - | \
		awk '$$2 ~ /^__NR_/ && $$3 ~ /^[0-9]+$$/ { print "{ " $$3 ", \"" substr($$2, 6) "\" }," }' \
		| sort >$@.new && mv $@.new $@
