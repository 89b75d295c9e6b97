# SPDX-License-Identifier: MIT
# Tests that need a kernel other than this machine's: tests/lab/guest/*.sh, run in QEMU under each
# of Debian's kernels. Not part of `make check`: these need QEMU, a package mirror and minutes.
LAB_KERNELS = 6.1 6.12
TESTS += tests/lab/runner.sh tests/lab/lbr.sh
EXTRA_DIST += tests/lab/lbr.sh tests/lab/run tests/lab/guest.py tests/lab/runner.sh tests/lab/kernel tests/lab/kmod tests/lab/init tests/lab/main tests/lab/lab.sh \
	tests/lab/linux-6.1.sh tests/lab/linux-6.12.sh \
	tests/lab/guest/smoke.sh tests/lab/guest/noroot.sh tests/lab/guest/eprobe.sh tests/lab/guest/fetch.sh tests/lab/guest/atexit.sh \
	tests/lab/guest/branch-step.sh tests/lab/host/branch-step.sh tests/lab/guest/branch-last.sh tests/lab/lastsame.py tests/lab/horizon.py \
	tests/lab/guest/kmod-step.sh tests/lab/guest/kmod-programs.sh tests/lab/host/kmod-programs.sh \
	tests/lab/guest/kmod-lbr.sh tests/lab/guest/kmod-probe.sh tests/lab/guest/kmod-safe.sh tests/lab/guest/kmod-python.sh \
	tests/lab/guest/synth.sh tests/lab/guest/meddled.sh tests/lab/guest/limit.sh \
	tests/lab/guest/requests.sh tests/lab/guest/times.sh tests/lab/host/times.sh tests/lab/calls.py \
	tests/lab/guest/together.sh tests/lab/host/together.sh tests/lab/together.py \
	tests/lab/guest/kerneltext.sh tests/lab/host/kerneltext.sh \
	tests/lab/guest/formats.sh tests/lab/guest/timeline.sh tests/lab/guest/bound.sh tests/lab/host/bound.sh \
	tests/lab/slew.py tests/lab/guest/slew.sh tests/lab/host/slew.sh \
	tests/lab/guest/usb-capture.sh tests/lab/host/usb-capture.sh \
	tests/lab/urbs.py tests/lab/marks.py tests/lab/guest/offline.sh tests/lab/guest/late.sh tests/lab/host/late.sh tests/lab/guest/suspend.sh tests/lab/host/suspend.sh \
	tests/lab/guest/usb-extcap.sh tests/lab/guest/usb-flight.sh tests/lab/guest/usb-trigger.sh \
	tests/lab/guest/usb-hotplug.sh tests/lab/host/usb-hotplug.sh \
	tests/lab/guest/usb-load.sh tests/lab/host/usb-load.sh \
	tests/lab/odddevice.py tests/lab/guest/usb-odd.sh tests/lab/host/usb-odd.sh \
	tests/lab/guest/usb-iommu.sh tests/lab/host/usb-iommu.sh \
	tests/lab/guest/usb-same.sh tests/lab/host/usb-same.sh tests/lab/host/pcapsame.py tests/lab/host/decodesame.py \
	tests/lab/evdev.py tests/lab/ports.py tests/lab/guest/usb-replay.sh tests/lab/guest/usb-samples.sh tests/lab/host/usb-samples.sh \
	tests/lab/guest/replay-vm.sh tests/lab/host/replay-vm.sh \
	tests/lab/guest/replay-host.sh tests/lab/queued.py tests/lab/usbtalk.py \
	tests/lab/guest/replay-kinds.sh tests/lab/microphone.py tests/lab/guest/replay-speed.sh \
	tests/lab/guest/usb-uas.sh tests/lab/host/usb-uas.sh \
	tests/lab/mtpread.py tests/lab/guest/usb-classes.sh tests/lab/host/usb-classes.sh \
	tests/lab/guest/usb-gadgets.sh tests/lab/host/usb-gadgets.sh \
	tests/lab/guest/usb-text.sh tests/lab/host/usb-text.sh tests/lab/host/textsame.py \
	tests/lab/qemu/build tests/lab/qemu/branch-record.patch tests/lab/qemu/README.md tests/lab/qemu/COPYING tests/lab/kmod-headers tests/lab/kernel-debug tests/lab/guest/bench-branch.sh tests/lab/host/bench-branch.sh \
	tests/lab/guest/branch-hardware.sh tests/lab/guest/branch-isolated.sh tests/lab/guest/branch-gap.sh tests/lab/guest/branch-threads.sh tests/lab/guest/branch-beside.sh tests/lab/guest/branch-first.sh tests/lab/host/branch-first.sh tests/lab/numbered.py tests/lab/guest/branch-taken.sh tests/lab/guest/branch-times.sh tests/lab/between.py tests/lab/guest/branch-hotplug.sh tests/lab/host/branch-hotplug.sh tests/lab/guest/branch-overflow.sh tests/lab/guest/branch-late.sh tests/lab/guest/lbr-faults.sh tests/lab/guest/faults.sh tests/lab/host/branch-overflow.sh tests/lab/guest/lockdown.sh tests/lab/guest/lbr-unknown.sh \
	tests/lab/guest/kmod-debugger.sh tests/lab/guest/block-step.sh tests/lab/blockstep.py \
	tests/lab/guest/lbr-lies.sh \
	tests/lab/branchsame.py tests/lab/guest/cpu-branches.sh tests/lab/guest/cpu-stacks.sh tests/lab/brstack.py

# Not in parallel with all, which is a make of its own and would link the same libraries.
lab-programs: all tests/fault/fault.so
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_LTLIBRARIES)
lab-check: lab-programs
	TRAWL_TEST_SECONDS=$${TRAWL_TEST_SECONDS:-2400} $(MAKE) $(AM_MAKEFLAGS) check-TESTS TEST_SUITE_LOG=lab-suite.log \
		TESTS='$(LAB_KERNELS:%=tests/lab/linux-%.sh)'

# Every test of the lab on every kernel that it is for, including those for emulated processors:
# half an hour.
lab-long:
	LAB_LONG=1 LAB_STRESS=3 TRAWL_TEST_SECONDS=6000 $(MAKE) $(AM_MAKEFLAGS) lab-check
.PHONY: lab-long

# The tests of trawl.ko that take minutes: a minute of random requests, a long trace, on both
# kernels; and on a processor with branch records, with an allocator that checks its memory.
kmod-long: lab-programs
	for k in $(LAB_KERNELS); do TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' LAB_FUZZ_SECONDS=60 \
		$(srcdir)/tests/lab/run $$k kmod-safe kmod-python || exit; \
		TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' LAB_FUZZ_SECONDS=60 \
		$(srcdir)/tests/lab/run --machine skylake-slub $$k kmod-lbr kmod-safe branch-last || exit; done
.PHONY: kmod-long

# trawl.ko on a kernel with KASAN and lockdep, built from Debian's source: 2 GB and ten minutes the
# first time. The second run is on a processor with branch records.
lab-kasan: lab-programs
	$(srcdir)/tests/lab/kernel-debug lab/6.1-debug
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' LAB_LIMIT=1500 \
		$(srcdir)/tests/lab/run --limit 3600 6.1-debug kmod-step kmod-safe kmod-uprobe
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' LAB_LIMIT=1500 \
		$(srcdir)/tests/lab/run --limit 3600 --machine skylake 6.1-debug kmod-lbr kmod-safe branch-last
.PHONY: lab-kasan

# The cost of each back end of branches, on the emulated processor: takes minutes.
bench-branch: lab-programs
	@for k in $(LAB_KERNELS); do TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		LAB_LIMIT=900 $(srcdir)/tests/lab/run --limit 1500 $$k bench-branch || exit; done
.PHONY: bench-branch

# trawl.ko for kernels newer than the lab's, by DKMS; root, half a gigabyte, some minutes the first time.
lab-kmod-headers:
	$(srcdir)/tests/lab/kmod-headers '$(abs_top_builddir)/lab/newer'
.PHONY: lab-kmod-headers

# make lab-shell KERNEL=6.12
KERNEL = 6.1
lab-shell: lab-programs
	TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		$(srcdir)/tests/lab/run --shell $(KERNEL)

# Both kernels and what they need to start, which takes the network and a while.
lab-kernels:
	@for k in $(LAB_KERNELS); do $(srcdir)/tests/lab/kernel $$k lab/$$k && $(srcdir)/tests/lab/kmod $$k lab/$$k || exit; done

# The QEMU whose processor has branch records, which takes minutes; LAB_CACHE keeps it elsewhere.
lab-qemu:
	@$(srcdir)/tests/lab/qemu/build "$${LAB_CACHE:-lab}"

# Branch stacks on every processor that the lab's QEMU plays: ten minutes.
LAB_CPUS = sandybridge haswell skylake skylake-pti goldmont tremont sapphirerapids arch-lbr-8 arch-lbr-16 arch-lbr-24 zen4
lab-cpus: lab-programs
	@for k in $(LAB_KERNELS); do for c in $(LAB_CPUS); do echo "# $$k $$c"; \
		TRAWL_SRC='$(abs_top_srcdir)' TRAWL_BUILD='$(abs_top_builddir)' \
		$(srcdir)/tests/lab/run --machine $$c $$k cpu-stacks branch-last || exit; done; done

clean-local: lab-clean
lab-clean:
	rm -rf lab
.PHONY: lab-qemu lab-cpus lab-programs lab-check lab-shell lab-kernels lab-clean

check_PROGRAMS += tests/lab/usbload tests/lab/tsc tests/lab/lbr tests/lab/branchload tests/lab/branchnumber tests/lab/branchtasks tests/lab/branchwild
tests_lab_branchwild_SOURCES = tests/lab/branchwild.c
tests_lab_branchwild_CFLAGS = $(AM_CFLAGS)
tests_lab_tsc_SOURCES = tests/lab/tsc.c
tests_lab_tsc_CFLAGS = $(AM_CFLAGS)
tests_lab_usbload_SOURCES = tests/lab/usbload.c
tests_lab_usbload_CFLAGS = $(AM_CFLAGS)
tests_lab_lbr_SOURCES = tests/lab/lbr.c
tests_lab_lbr_CFLAGS = $(AM_CFLAGS)
tests_lab_branchload_SOURCES = tests/lab/branchload.c
# -O1 keeps the loop and the jump as they are written; position-independent code has a fixed place in the file.
tests_lab_branchload_CFLAGS = $(AM_CFLAGS) -O1 -fno-pie
tests_lab_branchload_LDFLAGS = -no-pie
tests_lab_branchtasks_SOURCES = tests/lab/branchtasks.c
tests_lab_branchtasks_CFLAGS = $(AM_CFLAGS) -O1
tests_lab_branchnumber_SOURCES = tests/lab/branchnumber.c
tests_lab_branchnumber_CFLAGS = $(AM_CFLAGS) -O1 -fno-pie
tests_lab_branchnumber_LDFLAGS = -no-pie
