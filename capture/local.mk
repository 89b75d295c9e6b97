# SPDX-License-Identifier: MIT
# trawl: capture. A convenience library, so that unit tests see its internals.
noinst_LTLIBRARIES += libcapture.la
libcapture_la_SOURCES = \
	capture/session/endreport.c capture/session/endreport.h \
	capture/session/command.c capture/session/command.h \
	capture/otherspec.c capture/otherspec.h \
	capture/kernel/event.c capture/tracefs/filter.h capture/tracefs/filter.c \
	capture/tracefs/eventformat.c capture/tracefs/eventformat.h \
	capture/output/first.c capture/output/first.h \
	capture/output/flight.c capture/output/flight.h \
	capture/tracefs/gc.c capture/tracefs/gc.h \
	capture/session/inputs.c capture/session/inputs.h \
	capture/task/crash.c capture/task/crash.h \
	capture/task/taskfilter.c capture/task/taskfilter.h \
	capture/cli/list.c capture/cli/list.h \
	capture/trace/tamper.c capture/trace/tamper.h \
	capture/tracefs/longtext.c capture/tracefs/longtext.h \
	capture/tracefs/countedtext.c capture/tracefs/countedtext.h \
	capture/tracefs/readcheck.c capture/tracefs/readcheck.h \
	capture/tracefs/loss.c capture/tracefs/loss.h \
	capture/output/machine.c capture/output/machine.h \
	capture/session/eventfd.c capture/session/eventfd.h \
	capture/sys/clock.h \
	capture/sys/meta.c capture/sys/meta.h \
	capture/output/newfile.c capture/output/newfile.h \
	capture/cli/options.c capture/cli/options.h \
	capture/output/output.c capture/output/output.h \
	capture/tracefs/owner.c capture/tracefs/owner.h \
	capture/output/pending.c capture/output/pending.h \
	capture/tracefs/pidfilter.c capture/tracefs/pidfilter.h \
	capture/sys/priority.c capture/sys/priority.h \
	capture/sys/privileges.c capture/sys/privileges.h \
	capture/sys/callfilter.c capture/sys/callfilter.h \
	capture/output/recording.c capture/output/recording.h \
	capture/tracefs/ring.c capture/tracefs/ring.h \
	capture/session/scope.c capture/session/scope.h \
	capture/session/state.h capture/session/session.c capture/session/service.c capture/session.h \
	capture/source.h capture/sources.c \
	capture/sys/proc.c capture/sys/proc.h \
	capture/task/task.c capture/task/task.h \
	capture/task/initial.c capture/task/initial.h \
	capture/trace/losses.c capture/trace/losses.h \
	capture/trace/drain.c capture/trace/drain.h \
	capture/trace/finallosses.c capture/trace/finallosses.h \
	capture/trace/instance.c capture/trace/instance.h \
	capture/trace/state.h \
	capture/trace/trace.c capture/trace/trace.h \
	capture/tracefs/printkformats.c capture/tracefs/printkformats.h \
	capture/tracefs/tracefs.c capture/tracefs/tracefs.h \
	capture/tracefs/waiting.c capture/tracefs/waiting.h \
	capture/user/checked.c capture/user/checked.h \
	capture/user/companion.c capture/user/companion.h \
	capture/user/counted.c capture/user/counted.h \
	capture/user/jumped.c capture/user/jumped.h \
	capture/user/userprobe.c capture/user/listing.c capture/user/listing.h \
	capture/sys/user.c capture/sys/user.h capture/sys/lockdown.c capture/sys/lockdown.h \
	capture/branch/backend.h capture/branch/backends.c capture/branch/branch.c \
	capture/branch/codecache.c capture/branch/codecache.h capture/branch/event.h \
	capture/branch/images.c capture/branch/images.h capture/branch/last.c capture/branch/last.h \
	capture/branch/insn.c capture/branch/insn.h \
	capture/branch/lookup.c capture/branch/lookup.h \
	capture/branch/module.c capture/branch/module.h \
	capture/branch/reader.c capture/branch/reader.h capture/branch/findings.c capture/branch/findings.h \
	capture/branch/kmod.c capture/branch/kmodfile.c capture/branch/kmodfile.h \
	capture/branch/perfmaps.c capture/branch/perfmaps.h capture/branch/perfthreads.c capture/branch/perfthreads.h capture/branch/switches.c capture/branch/switches.h \
	capture/branch/selftest.c capture/branch/selftest.h capture/branch/loop.c capture/branch/loop.h \
	capture/branch/lbrcheck.c capture/branch/lbrcheck.h \
	capture/branch/join.c capture/branch/join.h capture/branch/joined.c \
	capture/branch/perf.c capture/branch/stack.c capture/branch/stack.h \
	capture/branch/perfring.c capture/branch/perfring.h \
	capture/branch/contention.c capture/branch/contention.h capture/branch/dating.c capture/branch/dating.h capture/branch/execs.c capture/branch/execs.h capture/branch/forks.c capture/branch/forks.h \
	capture/branch/popflags.c capture/branch/popflags.h \
	capture/branch/plt.c capture/branch/plt.h \
	capture/branch/ptrace.c capture/branch/queue.c capture/branch/queue.h \
	capture/branch/step.c capture/branch/step.h \
	capture/branch/tracer.c capture/branch/tracer.h \
	capture/usb/usb.c \
	capture/usb/devices.c capture/usb/devices.h \
	capture/usb/filter.c capture/usb/filter.h \
	capture/usb/hold.c capture/usb/hold.h \
	capture/usb/list.c capture/usb/list.h \
	capture/usb/usbmon.c capture/usb/usbmon.h capture/usb/usbmon_ioctl.h \
	capture/usb/node.c capture/usb/node.h \
	capture/usb/sysfs.c capture/usb/sysfs.h \
	capture/usb/tally.c capture/usb/tally.h \
	capture/usb/text.c capture/usb/text.h
libcapture_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) -O2 -DBINDIR='"$(bindir)"'

# Probes in programs: from what the user writes to what uprobe_events takes.
libcapture_la_SOURCES += \
	capture/sys/alloc.h capture/sys/fdmessage.c capture/sys/fdmessage.h \
	capture/probe/build.c capture/probe/build.h capture/probe/checks.c \
	capture/probe/callers.c capture/probe/callers.h capture/probe/code.c \
	capture/probe/cxx.c capture/probe/cxx.h capture/probe/cxx_probe.c \
	capture/probe/abi.c capture/probe/abi.h capture/probe/language.c capture/probe/language.h \
	capture/probe/apart.c capture/probe/apart.h \
	capture/probe/confine.c capture/probe/confine.h capture/probe/wire.c capture/probe/wire.h \
	capture/probe/opener.c capture/probe/opener.h \
	capture/probe/reply.c capture/probe/reply.h \
	capture/probe/definition.c capture/probe/definition.h \
	capture/probe/die.c capture/probe/die.h \
	capture/probe/dwarf.c capture/probe/dwarf.h \
	capture/probe/location.c capture/probe/location.h \
	capture/probe/param.c capture/probe/param.h \
	capture/probe/paramargloc.c capture/probe/paramargloc.h \
	capture/probe/part.c capture/probe/part.h \
	capture/probe/typed.c capture/probe/typed.h \
	capture/probe/dwarfargloc.c capture/probe/dwarfargloc.h \
	capture/probe/prologue.c capture/probe/prologue.h \
	capture/probe/elf.c capture/probe/elf.h capture/probe/symbol.c \
	capture/probe/gosymbols.c capture/probe/gosymbols.h \
	capture/probe/gopieces.c capture/probe/gopieces.h \
	capture/probe/enumeration.c capture/probe/enumeration.h \
	capture/probe/member.c capture/probe/member.h \
	capture/probe/arrayshape.c capture/probe/arrayshape.h \
	capture/probe/names.c capture/probe/names.h capture/probe/opaque.c capture/probe/opaque.h \
	capture/probe/passed.c capture/probe/passed.h capture/probe/taken.c capture/probe/taken.h \
	capture/probe/fetch.c capture/probe/fetch.h \
	capture/probe/flow.c capture/probe/flow.h capture/probe/origins.c capture/probe/origins.h \
	capture/probe/reentry.c capture/probe/reentry.h \
	capture/probe/frames.c capture/probe/frames.h \
	capture/probe/insn.c capture/probe/insn.h \
	capture/probe/list.c capture/probe/list.h \
	capture/probe/operand.c capture/probe/operand.h \
	capture/sys/path.c capture/sys/path.h \
	capture/probe/argloc.c capture/probe/argloc.h \
	capture/probe/probe.c capture/probe/probe.h capture/probe/probe_json.c \
	capture/probe/procmap.c capture/probe/procmap.h \
	capture/probe/punycode.c capture/probe/punycode.h \
	capture/probe/relocs.c capture/probe/relocs.h \
	capture/probe/resolve.h \
	capture/probe/passing.c capture/probe/passing.h \
	capture/probe/results.c capture/probe/results.h capture/probe/retval.c capture/probe/retval.h \
	capture/probe/rustname.c capture/probe/rustname.h capture/probe/rustv0.c capture/probe/rustv0.h \
	capture/cli/readable.c capture/cli/readable.h capture/cli/spec.c capture/cli/spec.h \
	capture/probe/text.c capture/probe/text.h \
	capture/probe/trampoline.c capture/probe/trampoline.h \
	capture/probe/types.h \
	capture/probe/uprobe.c capture/probe/userarg.c capture/probe/making.h \
	capture/probe/usdt.c capture/probe/usdt.h capture/probe/usdt_probe.c \
	capture/probe/value.c capture/probe/value.h \
	capture/probe/variant.c capture/probe/variant.h
libcapture_la_LIBADD = $(ELF_LIBS) $(DW_LIBS) $(ZYDIS_LIBS) $(CXX_LIBS)

include capture/kernel.mk

bin_PROGRAMS += trawl
trawl_SOURCES = capture/main.c
trawl_CFLAGS = $(AM_CFLAGS) -O2
trawl_LDADD = libcapture.la libdecode.la libcommon.la libformat.la
