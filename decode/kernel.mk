# SPDX-License-Identifier: MIT
# Print formats and exports of kernel events, and what is around an event; included by local.mk.
libdecode_la_SOURCES += \
	decode/kernel/printfmt.h decode/kernel/printexpr.h decode/kernel/printfmt.c \
	decode/kernel/printparse.h decode/kernel/printparse.c \
	decode/kernel/printtoken.h decode/kernel/printtoken.c \
	decode/kernel/printtype.h decode/kernel/printtype.c \
	decode/kernel/constants.h decode/kernel/constants.c \
	decode/kernel/printeval.h decode/kernel/printeval.c \
	decode/kernel/printbytes.h decode/kernel/printbytes.c \
	decode/kernel/printconv.h decode/kernel/printconv.c \
	decode/kernel/symbols.h decode/kernel/symbols.c \
	decode/kernel/printfield.h decode/kernel/printfield.c \
	decode/kernel/numbernames.h decode/kernel/numbernames.c \
	decode/export/perfetto.h decode/export/perfetto.c decode/export/protobuf.h \
	decode/export/ftracepb.h decode/export/ftracepb.c decode/export/protobuf.c \
	decode/export/tracedat.h decode/export/tracedat.c decode/export/datprobe.h decode/export/datprobe.c \
	decode/query/around.h decode/query/around.c \
	decode/query/join.h decode/query/join.c \
	decode/query/durations.h decode/query/durations.c decode/query/losses.c \
	decode/query/took.h decode/query/took.c \
	decode/export/longest.h decode/export/longest.c
