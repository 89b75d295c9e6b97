# SPDX-License-Identifier: MIT
# The examples of uprobe_poll(3) compile, as C and as C++, and says what is wrong where there is no
# module.
. "$TRAWL_SRC/tests/tap.sh"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
. "$TRAWL_SRC/tests/uprobe/example.sh"
example example >"$top/example.c"
example 'second example' >"$top/second.c"
has "the manual has an example" "$(cat "$top/example.c")" 'uprobe_poll'
has "and one that starts a program" "$(cat "$top/second.c")" 'UPEV_EXEC'
for name in trawl-uprobe.h trawl_uprobe.h; do
	cp "$TRAWL_SRC"/*/$name "$top"
done
for language in c c++; do
	${CC:-gcc} -x $language -Wall -Wextra -Wno-missing-field-initializers -Werror -I"$top" -c \
		-o "$top/example.$language.o" "$top/example.c" 2>"$top/said"
	ok $? "it compiles as $language"
	sed 's/^/# /' "$top/said"
	${CC:-gcc} -x $language -Wall -Wextra -Wno-missing-field-initializers -Werror -I"$top" -c \
		-o "$top/second.o" "$top/second.c" 2>"$top/said"
	ok $? "and the other one"
	sed 's/^/# /' "$top/said"
done
# A library that was built with sanitizers wants a program that was.
flags=
! ldd "$TRAWL_BUILD/.libs/libtrawl-uprobe.so" | grep -q libasan ||
	flags=-fsanitize=address,undefined
${CC:-gcc} $flags -o "$top/example" "$top/example.c.o" -L"$TRAWL_BUILD/.libs" -ltrawl-uprobe \
	-Wl,-rpath,"$TRAWL_BUILD/.libs" 2>"$top/said"
ok $? "and links"
sed 's/^/# /' "$top/said"
if [ -e /dev/trawl ]; then
	ok 0 "# SKIP the module is loaded"
else
	out=$("$top/example" 1 1000 2>&1)
	has "without the module it says so" "$out" \
		'^/dev/trawl: No such file or directory; load the module: modprobe trawl'
fi
has "names of symbols begin with uprobe_ only" \
	"$(nm -D --defined-only "$TRAWL_BUILD/.libs/libtrawl-uprobe.so" | awk '{ print $3 }' |
		grep -vc '^uprobe_')" '^0$'
tap_done
