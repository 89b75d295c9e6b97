# SPDX-License-Identifier: MIT
# Event probes and synthetic events of the kernel; included by local.mk.
libcapture_la_SOURCES += \
	capture/kernel/histpair.c capture/kernel/histpair.h \
	capture/kernel/eprobe.c capture/kernel/eprobeargs.c capture/kernel/eprobeargs.h \
	capture/kernel/eprobecheck.c capture/kernel/eprobecheck.h capture/kernel/eprobedefine.c \
	capture/kernel/eprobedefine.h capture/kernel/eprobeexit.c capture/kernel/eprobeexit.h \
	capture/kernel/block.c capture/kernel/block.h \
	capture/kernel/event.h \
	capture/tracefs/kallsyms.c capture/tracefs/kallsyms.h \
	capture/kernel/ktest.c capture/kernel/ktest.h \
	capture/kernel/synth.c \
	capture/kernel/task.c \
	capture/kernel/syscallname.c capture/kernel/syscallname.h

# Names of system calls, from the headers of the machine that trawl is built for.
BUILT_SOURCES += capture/kernel/syscalls.inc
CLEANFILES += capture/kernel/syscalls.inc
# By a variable: automake would take the target's own name for its compile rule.
syscalls_user = capture/kernel/libcapture_la-syscallname.lo
$(syscalls_user): capture/kernel/syscalls.inc
capture/kernel/syscalls.inc:
	$(AM_V_GEN)mkdir -p capture/kernel; echo '#include <asm/unistd.h>' | $(CC) -E -dM - | \
		awk '$$2 ~ /^__NR_/ && $$3 ~ /^[0-9]+$$/ { print "{ " $$3 ", \"" substr($$2, 6) "\" }," }' \
		| sort >$@.new && mv $@.new $@
