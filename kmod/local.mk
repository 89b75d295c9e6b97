# SPDX-License-Identifier: MIT
# trawl.ko is built by the kernel's Kbuild (make kmod), never by plain make: nobody needs its headers
# for the rest.
EXTRA_DIST += kmod/trawl_uapi.h kmod/trawl_libiht.h
