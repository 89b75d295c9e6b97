// SPDX-License-Identifier: MIT
// Strings in the layouts of several C++ libraries, without these libraries: for objects.py.
#define KEEP __attribute__((noinline))
#define NOT_EMPTY __asm__ volatile("" ::: "memory")
#define TEMPLATE template <class C, class T = char_traits<C>, class A = allocator<C>>

namespace std {
template <class C> struct char_traits {};
template <class C> struct allocator {};

// libstdc++ before GCC 5: one pointer, the length before the text
TEMPLATE struct basic_string {
	struct { C *_M_p; } _M_dataplus;
	~basic_string() { NOT_EMPTY; }
};

namespace __cxx11 {
TEMPLATE struct basic_string {
	struct { C *_M_p; } _M_dataplus;
	unsigned long _M_string_length;
	union { C local[16]; unsigned long capacity; };
	~basic_string() { NOT_EMPTY; }
};
}

// libc++, in its default layout and in the other one
namespace __1 {
TEMPLATE struct basic_string {
	struct __long { unsigned long __is_long_ : 1, __cap_ : 63, __size_; C *__data_; };
	struct __short { unsigned char __is_long_ : 1, __size_ : 7; C __data_[23]; };
	struct __rep { union { __short __s; __long __l; }; } __r_;
	~basic_string() { NOT_EMPTY; }
};
}
namespace __2 {
TEMPLATE struct basic_string {
	struct __long { C *__data_; unsigned long __size_, __cap_; };
	struct __short { C __data_[23]; unsigned char __size_; };
	struct __rep { union { __short __s; __long __l; }; } __r_;
	~basic_string() { NOT_EMPTY; }
};
}

template <class C, class T = char_traits<C>> struct basic_string_view {
	unsigned long _M_len;
	const C *_M_str;
};
}

namespace other {
struct pair { const char *a, *b; unsigned long len; };
}

#define FUNCTIONS(name, type) \
	KEEP int name##_value(type s, int n) { NOT_EMPTY; return n + !&s; } \
	KEEP int name##_reference(const type &s, int n) { NOT_EMPTY; return n + !&s; } \
	KEEP int name##_pointer(type *s, int n) { NOT_EMPTY; return n + !s; } \
	KEEP int name##_inside(struct name##_holder *h) { NOT_EMPTY; return !h; } \
	struct name##_holder { int n; type s; type *p; }; \
	KEEP type name##_result(type *s) { NOT_EMPTY; return *s; }

FUNCTIONS(old, std::basic_string<char>)
FUNCTIONS(now, std::__cxx11::basic_string<char>)
FUNCTIONS(one, std::__1::basic_string<char>)
FUNCTIONS(two, std::__2::basic_string<char>)
FUNCTIONS(view, std::basic_string_view<char>)
FUNCTIONS(wide, std::__cxx11::basic_string<wchar_t>)
FUNCTIONS(pair, other::pair)
