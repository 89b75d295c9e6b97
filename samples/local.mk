# SPDX-License-Identifier: MIT
# Programs to trace. Their probes come from <sys/sdt.h>, but for runtime, which makes its own.
EXTRA_DIST += samples/forms.expect samples/greet.c
if HAVE_SDT
noinst_PROGRAMS += samples/tick samples/forms samples/threads samples/greeter samples/params \
	samples/runtime
samples_tick_SOURCES = samples/tick.c
samples_forms_SOURCES = samples/forms.c
samples_threads_SOURCES = samples/threads.c
samples_greeter_SOURCES = samples/greeter.c
samples_params_SOURCES = samples/params.c
samples_params_CFLAGS = $(AM_CFLAGS) -g
samples_runtime_SOURCES = samples/runtime.c
samples_runtime_LDADD = $(ELF_LIBS)

# A plain library file beside greeter: libtool would hide both in .libs.
EXTRA_samples_greeter_DEPENDENCIES = samples/libgreet.so
CLEANFILES += samples/libgreet.so
samples/libgreet.so: samples/greet.c
	$(AM_V_CCLD)$(MKDIR_P) samples && $(CC) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ $(srcdir)/samples/greet.c
endif

# Real USB captures of the lab's devices: tests/lab/guest/usb-samples.sh makes them.
EXTRA_DIST += samples/usb-audio.trawl samples/usb-errors.trawl samples/usb-hotplug.trawl \
	samples/usb-keyboard.trawl samples/usb-serial.trawl samples/usb-storage.trawl \
	samples/usb-tablet.trawl

# A real capture of tick's probes, for machines that cannot trace.
EXTRA_DIST += samples/tick.trawl

# Every kind of branch, without a library: for the source of branches.
EXTRA_DIST += samples/branches.S
noinst_DATA = samples/branches
CLEANFILES += samples/branches
samples/branches: samples/branches.S
	$(AM_V_CCLD)$(MKDIR_P) samples && $(CC) -g -nostdlib -static -no-pie -Wl,--build-id=sha1 -o $@ $(srcdir)/samples/branches.S
