/* SPDX-License-Identifier: MIT */
/* SANITIZERS: a build with AddressSanitizer or MemorySanitizer, which make calls of their own. */
#ifndef TRAWL_COMMON_SANITIZERS_H
#define TRAWL_COMMON_SANITIZERS_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZERS 1
#endif
#endif
#ifndef SANITIZERS
#define SANITIZERS 0
#endif

#endif
