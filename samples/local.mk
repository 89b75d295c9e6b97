# SPDX-License-Identifier: MIT
# Programs to trace. Their probes come from <sys/sdt.h>.
EXTRA_DIST += samples/forms.expect
if HAVE_SDT
noinst_PROGRAMS += samples/tick samples/forms
samples_tick_SOURCES = samples/tick.c
samples_forms_SOURCES = samples/forms.c
endif
