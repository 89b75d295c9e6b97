# SPDX-License-Identifier: MIT
# trawl -D SOURCE lists probes, functions and events as -i takes them; the lists are compared with
# readelf and with the kernel's format files. Also trawl-decode -D FILE.
. "$TRAWL_SRC/tests/tap.sh"
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$TRAWL_BUILD" || exit 99

# names [OPTION] TEXT: prints the first column of the list.
names() { trawl -D "$@" | awk '{ print $1 }'; }
# usdt_of FILE: prints provider:name of the file's notes by readelf.
usdt_of() {
	readelf -n "$1" | awk '/Provider:/ { p = $2 } /Name:/ && p { print p ":" $2; p = "" }' |
		sort -u
}

if [ ! -x samples/forms ]; then
	echo "1..0 # SKIP the samples are not built: sys/sdt.h is missing"
	exit
fi

# ---- -i takes names with blanks and stars as they are listed
cat >"$dir/names.cc" <<'EOF'
#include <cstddef>
struct money { long n; };
template <typename A, typename B> long most(A a, B b) { return a > b ? a : b; }
template long most<long, unsigned long>(long, unsigned long);
long operator*(money a, money b) { return a.n * b.n; }
void *operator new[](size_t, money) { return nullptr; }
struct root { int a; };
struct base : virtual root { base(int n); };
base::base(int n) { a = n; }
int main() { return base(1).a - 1; }
EOF
if command -v g++ >/dev/null && g++ -g -o "$dir/names" "$dir/names.cc" 2>/dev/null; then
	trawl -D "uprobe:$dir/names:*[mo]*" | sed -n 's/^\(uprobe:\([^ \\]\|\\.\)*\).*/\1/p' >"$dir/listed"
	has "a name with blanks has backslashes" "$(cat "$dir/listed")" 'most<long,\\ unsigned\\ long>'
	wrong=""
	while read -r name; do
		tests/capture/probe/show_probes -l "$name" >"$dir/one" 2>&1
		[ "$(wc -l <"$dir/one")" = 1 ] || wrong="$wrong $name: $(cat "$dir/one")"
	done <"$dir/listed"
	same "each name is that of one function" "" "$wrong"
	trawl -D "uprobe:$dir/names:*base*" | sed -n 's/^\(uprobe:\([^ \\]\|\\.\)*\).*/\1/p' >"$dir/listed"
	same "constructors that share a name are listed by their symbols" \
		"$(nm "$dir/names" | awk '$3 ~ /4baseC/ { print $3 }' | sort | paste -sd' ')" \
		"$(sed 's/.*://' "$dir/listed" | sort | paste -sd' ')"
else
	skip "names with blanks" "g++ is not installed"
fi

# ---- Rust: both forms of its symbols are demangled like c++filt does
cat >"$dir/names.rs" <<'EOF'
mod shop {
    pub struct Cart<T> { pub n: T }
    pub trait Priced { fn price(&self) -> u64; }
    impl<T: Copy + Into<u64>> Priced for Cart<T> {
        #[inline(never)]
        fn price(&self) -> u64 { self.n.into() * 3 }
    }
    impl Cart<u32> {
        #[inline(never)]
        pub fn add(&mut self, n: u32) -> u32 { self.n += n; self.n }
    }
    #[inline(never)]
    pub fn most<T: PartialOrd>(a: T, b: T) -> T { if a > b { a } else { b } }
}
use shop::Priced;
fn main() {
    let mut c = shop::Cart { n: std::env::args().count() as u32 };
    let d = shop::Cart { n: 1u8 };
    let f = |n: u64| shop::most(n, c.price());
    println!("{} {}", f(d.price()), shop::most::<&str>("a", "b"));
    println!("{}", c.add(2));
}
EOF
if command -v rustc >/dev/null && command -v c++filt >/dev/null &&
	rustc -g -C symbol-mangling-version=v0 -o "$dir/names-v0" "$dir/names.rs" 2>/dev/null; then
	trawl -D --json "uprobe:$dir/names-v0:*shop*" >"$dir/listed"
	same "Rust's v0 names are those of c++filt" \
		"$(nm "$dir/names-v0" | awk '$2 ~ /[tT]/ && $3 ~ /^_R.*shop/ { print $3 }' | c++filt |
			sed 's/\[[0-9a-f]*\]//g' | grep shop | sort)" \
		"$(/usr/bin/python3 -c '
import json, sys
for f in json.load(open(sys.argv[1])):
    print(f["name"].split(":", 2)[2].replace("\\ ", " "))' "$dir/listed" | sort)"
	for name in 'names::shop::Cart<u32>::add' '<names::shop::Cart<u32>>::add'; do
		has "$name is found" "$(trawl -D "uprobe:$dir/names-v0:$name")" '^uprobe:.*Cart<u32>>::add'
	done
	same "a name without type arguments means all" 2 \
		"$(trawl -D "uprobe:$dir/names-v0:names::shop::most" | wc -l)"
else
	skip "Rust's v0 names" "rustc or c++filt is not installed"
fi

# ---- static probes
for program in samples/tick samples/forms samples/threads samples/libgreet.so; do
	if [ -z "$(usdt_of "$program")" ]; then
		skip "$program: the same probes as readelf" "it has none here"
		continue
	fi
	same "$program: the same probes as readelf" "$(usdt_of "$program")" \
		"$(names "usdt:$program" | sed "s,^usdt:$program:,," | sort -u)"
done
same "a pattern" "usdt:samples/forms:forms:high8 usdt:samples/forms:forms:high8s" \
	"$(names 'usdt:samples/forms:forms:high*' | sort | paste -sd' ')"
has "arguments" "$(trawl -D usdt:samples/tick)" \
	'^usdt:samples/tick:tick:loop +\(arg1:s32, arg2:u64, arg3:u64\)'
has "floating-point ones have their types" "$(trawl -D usdt:samples/forms:floats)" \
	'\(arg1:double, arg2:float, .*, arg5:double\)'
has "an unavailable one has a reason" "$(trawl -D usdt:samples/forms:floats)" \
	'arg3 \(unavailable: .*xmm0'
if [ "$(id -u)" = 0 ]; then
	./samples/tick 100 20000 >/dev/null & tick=$!
	sleep 0.1
	has "of a process" "$(trawl -D usdt:pid=$tick)" "^usdt:pid=$tick:tick:loop .*tick$"
	kill $tick
	wait $tick 2>/dev/null
	trawl -q -w "$dir/floats.trawl" -i usdt:samples/forms:floats -- samples/forms >/dev/null
	has "floating-point ones have their types in a file" "$(trawl-decode -D "$dir/floats.trawl")" \
		'^forms:floats .* double arg1, float arg2, .*double arg5'
else
	skip "of a process" "needs root"
fi

# ---- functions
same "every function that readelf lists, each address once" \
	"$(readelf -sW samples/params | awk '$4 == "FUNC" && $7 != "UND" { print $2 }' | sort -u |
		wc -l)" \
	"$(names uprobe:samples/params | wc -l)"
same "a pattern" \
	"$(nm samples/params | awk '$2 ~ /[tT]/ && $3 ~ /^params_/ { print "uprobe:samples/params:" $3 }' | sort)" \
	"$(names 'uprobe:samples/params:params_*' | sort)"
has "parameters and line" "$(trawl -D uprobe:samples/params:params_stack)" \
	'^uprobe:samples/params:params_stack +\(int a, int b, int c, int d, int e, int f, short int g, long int h, char i\)  .*params\.c:[0-9]+$'
same "with \$params, each parameter once" "$(trawl -D uprobe:samples/params:params_stack)" \
	"$(trawl -D 'uprobe:samples/params:params_stack $params')"
has "with ARGs, those" "$(trawl -D 'uprobe:samples/params:params_stack g x=b')" \
	'^uprobe:samples/params:params_stack +\(short int g, int x\)  '
libdw=$(ldconfig -p | awk '$1 == "libdw.so.1" { print $NF; exit }')
trawl -q -w "$dir/reads.trawl" -i "uprobe:$libdw:dwarf_getfuncs" -- \
	trawl -D 'uprobe:samples/params:*' >"$dir/params.list"
same "a unit's functions are read once, with and without parameters" 2 \
	"$(trawl-decode --name '*:dwarf_getfuncs' "$dir/reads.trawl" | wc -l)"
has "a function without debug information" "$(trawl -D uprobe:samples/params:_start)" \
	'_start +\(\?\)$'
cp samples/params "$dir/stripped" && strip "$dir/stripped"
fails "a stripped program" 2 'stripped' trawl -D "uprobe:$dir/stripped"
cp .libs/libtrawl.so "$dir/exports" && strip "$dir/exports"
has "an unknown name in a stripped program: the message mentions stripping" \
	"$(trawl -w "$dir/x.trawl" -i "uprobe:$dir/exports:nosuch" 2>&1)" 'it is stripped, only what'
mkdir "$dir/.debug"
objcopy --only-keep-debug .libs/libtrawl.so "$dir/.debug/exports.debug"
(cd "$dir/.debug" && objcopy --add-gnu-debuglink=exports.debug ../exports)
said=$(trawl -w "$dir/x.trawl" -i "uprobe:$dir/exports:nosuch" 2>&1)
has "a name that its debug file does not have either" "$said" 'nosuch: no such symbol'
ok "$(echo "$said" | grep -c 'it is stripped')" "is not for its being stripped"
# described FILE: prints the number of functions that have a place in the source.
described() { trawl -D "uprobe:$1:*" | grep -c '\.c:[0-9]*$'; }
all=$(described "$dir/exports")
ok $((all == 0)) "a debug file is found by .gnu_debuglink"
same "and of a program with a relative name" "$all" "$(cd "$dir" && described ./exports)"
mkdir "$dir/links" && ln -s ../exports "$dir/links/e"
same "and of a link's target" "$all" "$(described "$dir/links/e")"
objcopy -R .note.gnu.build-id "$dir/exports"
same "and, by its checksum, if only the debug file has a build id" "$all" \
	"$(described "$dir/exports")"
echo >>"$dir/.debug/exports.debug"
same "and not with another checksum" 0 "$(described "$dir/exports")"
fails "no such function, nearest name" 2 'did you mean params_stack' trawl \
	-D uprobe:samples/params:params_stck
# A symbol that looks like a glob hides no other function.
objcopy --redefine-sym params_stack='*' --redefine-sym params_ints='params_[sw]*' \
	samples/params "$dir/star"
listed=$(trawl -D "uprobe:$dir/star:*")
has "a symbol called * hides no others" "$listed" 'params_types'
same "and is listed by what -i takes" 1 \
	"$(trawl -D "$(grep -o "^uprobe:$dir/star:0x[^ ]*" <<<"$listed" | head -1)" | wc -l)"
has "a function whose name is a pattern is marked" \
	"$(trawl -w "$dir/x.trawl" -i "uprobe:$dir/star:params_[sw]*" -- true 2>&1)" \
	'3 others that it matches as a pattern are left out'
fails "trawl -D on a full disk" 3 'standard output: cannot be written' bash -c "trawl -D >/dev/full"
fails "beyond the limit of a file's size" 3 'standard output: cannot be written' \
	bash -c "ulimit -f 1; trawl --help >'$dir/limited'"
fails "no such file" 2 'no such file' trawl -D uprobe:./nosuch
fails "no probes" 2 'no usdt probes' trawl -D usdt:samples/params
# A name may have escape sequences for a terminal.
objcopy --redefine-sym params_stack="$(printf 'a\033[31m')" samples/params "$dir/red"
same "no escapes" 0 "$(trawl -D "uprobe:$dir/red" | grep -c "$(printf '\033')")"

# ---- events
events=/sys/kernel/tracing/events
if [ -r $events/sched/sched_switch/format ]; then
	same "fields are those of the kernel's format file" \
		"$(sed -n 's/.*field:\(.*\);\toffset.*/\1/p' $events/sched/sched_switch/format |
			sed 's/^.*common_.*$//' |
			sed 's/ \([^ ]*\)$/ \1/' | grep . | paste -sd, | sed 's/,/, /g')" \
		"$(trawl -D event:sched:sched_switch | sed 's/^[^ ]* *//')"
	same "all of a group" "$(ls $events/sched | grep -vx 'enable\|filter' | sort)" \
		"$(names 'event:sched:*' | cut -d: -f3 | sort)"
	same "a name of any group" event:sched:sched_switch "$(names event:sched_switch)"
	same "a pattern of any group" \
		"$(ls -d $events/*/sched_w* | sed "s,$events/,event:,; s,/,:," | sort)" \
		"$(names 'event:sched_w*' | sort)"
	same "a group by its name" "$(names 'event:sched:*')" "$(names event:sched)"
	fails "no such event, nearest name" 2 'did you mean sched:sched_switch' trawl \
		-D event:sched:sched_swich
else
	skip "fields are those of the kernel's format file" "needs root and tracefs"
fi

# ---- all together
trawl -D --json uprobe:samples/params:params_ints usdt:samples/tick >"$dir/json"
/usr/bin/python3 - "$dir/json" <<'PY'
import json, sys
ints, loop = json.load(open(sys.argv[1]))
assert ints["name"] == "uprobe:samples/params:params_ints" and ints["described"], ints
assert [a["name"] for a in ints["args"]] == list("abcdef") and ints["args"][2]["ctype"] == "int", ints
assert ints["sites"][0]["file"].endswith("params.c") and ints["sites"][0]["line"] > 0, ints
assert loop["name"] == "usdt:samples/tick:tick:loop" and len(loop["args"]) == 3, loop
PY
ok $? "JSON has arguments and sites"
same "-D -i SOURCE is the same" "$(trawl -D usdt:samples/tick)" "$(trawl -D -i usdt:samples/tick)"
same "--json may stand after it" "$(cat "$dir/json")" \
	"$(trawl -D uprobe:samples/params:params_ints usdt:samples/tick --json)"
fails "other options may not" 2 '-x: -D takes only what is to be listed' trawl \
	-D usdt:samples/tick -x
# Two functions of one name: -i takes what is listed for each.
for n in 1 2; do
	echo "static __attribute__((noinline)) int same(int a)
{ __asm__ volatile(\"\"); return a + $n; }
	int call$n(int a) { return same(a) + 1; }" >"$dir/same$n.c"
done
echo 'int call1(int), call2(int); int main(void) { return call1(0) + call2(0) - 5; }' >"$dir/main.c"
gcc -g -O1 -fno-ipa-cp -o "$dir/same" "$dir/same1.c" "$dir/same2.c" "$dir/main.c"
for n in 1 2; do
	same "the same name twice: number $n is found again" "1 $n" \
		"$(trawl -D "uprobe:$dir/same:same" | sed -n "${n}s/ .*//p" |
		xargs -I@ trawl -D @ --json | /usr/bin/python3 -c '
import json, re, sys
found = [e for e in json.load(sys.stdin) if "same" in e["name"] or "0x" in e["name"]]
one = found[int(sys.argv[1]) - 1 if len(found) > 1 else 0]
print(1, re.search(r"same(\d)\.c", one["sites"][0]["file"])[1])' $n)"
done
fails "an invalid source" 2 'no such source' trawl -D nosuch:x

# A user who has the right by a capability, and is not root.
has "a user with a capability to read tracefs sees its events" \
	"$(setpriv --reuid=65534 --regid=65534 --clear-groups \
		--inh-caps=+dac_override,+dac_read_search \
		--ambient-caps=+dac_override,+dac_read_search trawl \
		-D event:sched:sched_switch 2>&1)" 'sched:sched_switch.*prev_comm'

# ---- a file
f=$TRAWL_SRC/samples/tick.trawl
same "each event with its count, as in --json" \
	"$(trawl-decode --json "$f" | grep -o '"name":"[a-z_]*:[^"]*"' | cut -d'"' -f4 | sort |
		uniq -c | awk '{ print $2, $1 }')" \
	"$(trawl-decode -D "$f" | awk '{ print $1, $3 }' | sort)"
has "with the fields" "$(trawl-decode -D "$f")" \
	'^tick:loop +usdt +5  .*arg1, .*arg2, .*arg3, .*symbol, file, line$'
has "of USB" "$(trawl-decode -D "$TRAWL_SRC/samples/usb-storage.trawl")" \
	'^usb:bulk +usb +[0-9]+  bus, dev, ep, dir'
same "only selected events" "tick:loop" \
	"$(trawl-decode -D --name 'tick:l*' "$f" | awk '{ print $1 }')"
same "JSON" "5 arg1" "$(trawl-decode -D --json --name tick:loop "$f" | /usr/bin/python3 -c '
import json, sys
(e,) = json.load(sys.stdin)
print(e["events"], [f["name"] for f in e["fields"] if not f["name"].startswith("__")][0])')"
same "--where accepts every field" "" \
	"$(trawl-decode -D --json --name tick:loop "$f" | /usr/bin/python3 -c '
import json, sys
print("\n".join(f["name"] for f in json.load(sys.stdin)[0]["fields"]))' | while read -r field; do
	trawl-decode --where "$field == 1 or true == 1" "$f" 2>&1 >/dev/null | grep \
		"no event has a field .$field.$"
done)"
fails "-D goes with nothing else" 2 '-D: cannot be combined' trawl-decode -D --summary "$f"
tap_done
