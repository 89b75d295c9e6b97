# SPDX-License-Identifier: MIT
"""Print formats of all kinds, each with records that differ, as lines of tests/decode/make-lines;
and event types with fields of all kinds without one."""
from printed.kernelmade import MACHINE
from printed.lines import Lines, Numbers

FIELDS = ["int num", "u64 big", "u8 byte", "char comm[16]", "u32 arr[2]", "u8 mac[6]",
          "__data_loc char[] str", "__data_loc u64[] dyn", "__rel_loc char[] rel", "x32 mask",
          "bool yes", "char letter", "void * at", "short small", "dev_t dev", "long wide", "u8 uuid[16]", "u8 sock[28]",
          "__data_loc u64[] stack"]

FORMATS = (
    '"%d %u %x %X %o", REC->num, REC->num, REC->num, REC->num, REC->num',
    '"%ld %lu %lx %#llx %#llo", REC->wide, REC->wide, REC->wide, REC->big, REC->big',
    '"%hhd %hhu %hd %hu %hx", REC->byte, REC->byte, REC->small, REC->small, REC->small',
    '"%5d|%-5d|%05d|%+d|% d|%.3d|%8.4x|%-8x|", REC->byte, REC->byte, REC->byte, REC->byte, '
    'REC->byte, REC->byte, REC->byte, REC->byte',
    '"%*d|%-*d|", 6, REC->num, 6, REC->num', '"%c%c%%", REC->letter, REC->byte',
    '"%s|%10s|%-10s|%.3s|%10.2s|", REC->comm, REC->comm, REC->comm, REC->comm, REC->comm',
    '"%s and %s", __get_str(str), __get_rel_str(rel)', '"%s", REC->yes ? "yes" : "no"',
    '"%s", __print_flags(REC->mask, "|", { 1, "ONE" }, { 2, "TWO" }, { 0x30, "BOTH" })',
    '"%s", __print_flags(REC->byte, ",", { 0x80, "HIGH" })',
    '"mask=%s", __print_flags_u64(REC->big, "|", { 1ULL << 40, "FORTY" }, { 1, "ONE" })',
    '"%s", __print_symbolic(REC->num, { 0, "ZERO" }, { -1, "MINUS" }, { 7, "SEVEN" })',
    '"byte=%u(%s)", REC->byte, __print_symbolic(REC->byte, { 1, "one" }, { 200, "many" })',
    '"num=%d byte=%#x big=%llx", REC->num, REC->byte, REC->big',
    '"dev=%d,%d", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) '
    '- 1)))', '"{%s}", __print_array(REC->arr, 2, 4)', '"%s", __print_hex(REC->mac, 6)',
    '"%s", __print_hex_str(REC->mac, 6)', '"%pM %pm %pMR", REC->mac, REC->mac, REC->mac',
    '"%pI4 %pi4", REC->arr, REC->arr', '"%p %px %pK", REC->at, REC->at, REC->at',
    '"%pS %ps %pB", REC->at, REC->at, REC->at', '"%*ph|%*phC|%*phN|%*phD", 6, REC->mac, 6, '
    'REC->mac, 6, REC->mac, 6, REC->mac',
    '"%s", __print_array(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn) / 8, 8)',
    '"%s", __print_hex(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn))',
    '"%s", __print_dynamic_array(dyn, 8)', '"%d %d", REC->arr[0], REC->arr[1]',
    '"%d", REC->num > 5 ? REC->byte : -REC->byte', '"%d", REC->num && REC->byte || REC->yes',
    '"%lld", REC->wide * 3 - REC->num / 2 + REC->byte % 7', '"%x", ~REC->mask & 0xff | 0x100',
    '"%x", REC->mask ^ 0xf0 << 2 >> 1', '"%d", !REC->num', '"%d", (s8)REC->byte',
    '"%u", (u16)REC->num', '"%llu", (unsigned long long)REC->num', '"%d %d", REC->num < REC->byte, '
    'REC->num <= (u32)REC->byte', '"%d %d", REC->wide == REC->num, REC->wide != REC->num',
    '"%llu.%06lu", REC->big / 1000000000ULL, (unsigned long)(REC->big % 1000000000ULL) / 1000',
    '"%s", REC->byte == 1 ? "a" : REC->byte == 2 ? "b" : "c"', '"%s: %s", "fixed", REC->comm',
    '"%s%s", REC->mask & 1 ? "x" : "", REC->mask & 2 ? "y" : "-"', '"a" " b" " %d", REC->num',
    '"%d", sizeof(u64)', '"%s", NULL', '"%d"', '"%d", REC->gone', '"%d", no_such(REC->num)',
    '"%d", REC->num +', '"%q", REC->num', '"num=%d", REC->num)', 'REC->num', '"%s", REC->num',
    '"%d %d", REC->num, NOT_KNOWN', '"%pV", REC->at', '"%pUb %pUl", REC->mac, REC->mac',
    '"%pISpc", REC->mac', '"%s", __get_bitmask(dyn)', '"%s", __get_sockaddr(dyn)',
    '"%s", __get_dynamic_array(str)', '"%.*s|", 3, REC->comm', '"%lluns", REC->big', '"%i", REC->num',
    '"%zu %zd", REC->big, REC->wide', '"%#06x %#X", REC->byte, REC->byte', '"==> %lx", REC->big',
    '"%s=%d", "num", REC->num', '"num:%d, byte:%u", REC->num, REC->byte', '"comm=%s num=%d yes=%d '
    'letter=%c", REC->comm, REC->num, REC->yes, REC->letter', '"mask=0x%x at=%p", REC->mask, '
    'REC->at', '"big=%#llx wide=%ld small=%hd", REC->big, REC->wide, REC->small',
    '"arr=%s mac=%s", __print_array(REC->arr, 2, 4), __print_hex_str(REC->mac, 6)',
    '"({ int x = (REC->num); x; })"', '"%d", ({ int x = (REC->num); x * 2; })',
    '"%s", ({ const char *p = __get_str(str); p; })', '"%s", __print_ns_to_secs(REC->big)',
    '"%s", __print_symbolic(REC->num & 3, { 0, "a" }, { 1, "b" }, { 2, "c" }, { 3, "d" })',
    '"%d %d %d", REC->arr[REC->byte & 1], REC->arr[7], REC->mac[REC->num & 3]',
    '"%c %d", __get_str(str)[0], REC->comm[1]', '"%pUb %pUl %pUB", REC->uuid, REC->uuid, REC->uuid',
    '"%pISpc %pISc %pIS", REC->sock, REC->sock, REC->sock', '"%pI6 %pI6c", REC->uuid, REC->uuid',
    '"%*pbl %*pb", 40, REC->mac, 20, REC->mac', '"%s", __get_stacktrace(stack)',
    '"%s", __print_hex_dump("x", 0, 16, 1, REC->mac, 6, 1)', '"%s", __get_stacktrace(dyn)',
    '"%llu.%09u", __print_ns_to_secs(REC->big), __print_ns_without_secs(REC->big)',
    '"%s", call_of(REC->comm, REC->mac, __get_str(str), REC->num, "text")',
    '"%d %d", REC->ent.pid, REC->ent.flags', '"%u %u", REC->__data_loc_str & 0xffff, '
    'REC->__data_loc_str >> 16', '"%lu %lu", sizeof(REC->arr), sizeof(struct none)',
    '"%s", __print_symbolic(REC->byte, { 1 + 0, "sum" }, { 1 << 7, "high" }, { UNKNOWN, "?" })',
    '"%d %d %d %d", REC->num >= 0, REC->num > -6, REC->big >= 7, 3 <= REC->byte',
    '"%d", ({ int a = (REC->num); int b = (a + 1); (a) > (b) ? (a) : (b); })',
    '"%d %d", *REC->arr, -(-REC->num)', '"%x %x", REC->byte << 33, 1 << REC->byte',
    '"%s", (const char *)__get_str(str)', '"%d", (int)(u8)REC->num + (bool)REC->byte',
    '"%p", (void *)REC->wide', '"%llx", (u64)REC->num << 32 | REC->mask', '"%d:%d", 010, 0x1f',
)


def values(n, pick):
    return {
        "num": (-5, 7, 1 << 30, 0)[n % 4], "big": (pick.below(1 << 31) << 30 | n),
        "byte": (200, 1, 2, 0x80)[n % 4], "comm": ("init", "two\nlines", "x" * 16, "")[n % 4],
        "arr": [pick.below(1 << 31), n], "mac": bytes(pick.below(256) for _ in range(6)),
        "str": (b"hello\0", b"", b"a\tb\xff\0", b"cut")[n % 4],
        "dyn": b"".join(pick.below(1 << 31).to_bytes(8, "little") for _ in range(n % 4)),
        "rel": b"relative\0", "mask": (0, 3, 0x33, 0xffffffff)[n % 4], "yes": n & 1,
        "letter": b"k\x80\0\n"[n % 4], "at": (0xffffffff81000042, 0xffffffff81000100, 0,
                                               0xffff888000001000)[n % 4],
        "small": (-300, 300, 0, -1)[n % 4], "dev": (8 << 20 | 3, 11 << 20, 0, 259 << 20)[n % 4],
        "wide": (-5, 7, -(1 << 40), 1 << 60)[n % 4], "uuid": bytes(range(n, n + 16)),
        "sock": (b"\2\0\0\x50\x7f\0\0\1", b"\x0a\0\x1f\x90\0\0\0\0\x20\1\x0d\xb8" + bytes(11) + b"\1",
                 b"\1\0/path", bytes(28))[n % 4],
        "stack": b"".join(v.to_bytes(8, "little") for v in (
            (2, 0xffffffff81000042, 0xffffffff81000110), (0xffffffff81000042, 2 ** 64 - 1, 7), (),
            (0xffffffff81000142, 0x1000))[n % 4])}


def formats():
    lines, pick = Lines(), Numbers(3)
    lines.meta("kernel/kallsyms", "ffffffff81000000 T do_work\nffffffff81000100 t other [module]\n"
               "ffffffff81000200 T last\n")
    lines.source("event")
    for n, text in enumerate(FORMATS):
        lines.type(f"made:f{n:03}", FIELDS, text)
    lines.type("made:none", FIELDS)
    lines.type("made:plain", ["u8 a", "s8 b", "u16 c", "short d", "u32 e", "int f", "u64 g",
                              "s64 h", "x32 i", "x64 j", "bool k", "char l", "float m", "double n",
                              "void * o", "pid_t p", "short q[3]", "bool r[4]", "double s[2]"])
    for name in lines.types:
        if name != "made:plain":
            for n in range(4):
                lines.event(name, 1500, n % 2, 7, (0, 8, 0x10, 0x40)[n], **values(n, pick))
    for n in range(6):
        edge = (0, 1, 127, 128, 255, 1 << 63)[n]
        more = {f: edge % 2 ** (8 * size) for f, size in
                zip("abcdefghijkl", (1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1, 1))}
        lines.event("made:plain", 1, 0, 7, **more, m=(0.0, 1.5, -0.1, 1e30, float("nan"),
                                                     float("inf"))[n],
                    n=(1e-300, -0.0, 1 / 3, 1e22, 5e-324, float("-inf"))[n], o=edge, p=n,
                    q=[-1, n, 300], r=[0, 1, 2, 255], s=b"\0\0\0\0\0\0\xf8\x3f" * 2)
    return lines


def probes():
    """Arguments that are computed, missing, cut, alternatives, texts and enumerations."""
    lines = Lines()
    lines.meta("machine", {**MACHINE, "boot_id": "77", "hostname": "other", "arch": "mips"})
    kinds = {"n": "s32", "color": "u8", "bits": "u64", "s": "string", "tag": "u8", "one": "s32",
             "two": "u64", "f": "f64", "b": "u8", "c": "u8", "ptr": "u64", "list": "u32[3]"}
    args = [{"name": name, "type": kind, "show": "int"} for name, kind in kinds.items()]
    args[1].update(values={"RED": 1, "GREEN": 2, "ALIAS": 2}, otherwise="OTHER")
    args[2].update(show="hex")
    args[3].update(show="text")
    args[4].update(show="variant", values={"One": 1, "Two": 2})
    args[5].update(when={"arg": "tag", "is": "One"})
    args[6].update(when={"arg": "tag", "is": "Two"}, show="addr")
    args[7].update(show="float")
    args[8].update(show="bool")
    args[9].update(show="char")
    sites = []
    for n, state in enumerate(("exact", "computed", "unavailable")):
        own = [{"name": name, "note": "", "fetch": "", "state": "exact", "type": kind}
               for name, kind in kinds.items()]
        if state == "computed":
            own[2].update(state=state, bits=12)
            own[0].update(state=state, sib={"base": "n_base", "index": "n_idx", "window": "n_win",
                                            "scale": 4, "disp": 8, "start": 4, "length": 16})
        elif state == "unavailable":
            own[2].update(state=state, why="optimised out")
            own[3].update(state=state, why="in a register\n of floating point")
        sites.append({"offset": 0x1000 + 64 * n, "vaddr": 0x1000 + 64 * n, "semaphore": 0,
                      "symbol": f"main+{n:#x}", "file": f"/src/app{n}.c", "line": 10 + n,
                      "insn": "push", "exit": ("", "return", "tail call")[n],
                      "to": "next" if n == 2 else "", "args": own})
    for kind, name in ("uprobe", "app:call"), ("uprobe", "app:call%return"), ("usdt", "app:mark"):
        lines.meta(f"probe/{kind}/{name}", {
            "event": name, "kind": "uretprobe" if "%" in name else kind, "path": "/opt/app",
            "build_id": "ab12", "inode": 77, "dev": "8:1", "size": 4096, "deleted": False,
            "args": args, "sites": sites})
    lines.meta("maps/5", "55d000000000-55d000010000 r-xp 00000000 08:01 77 /opt/app")
    lines.meta("task/5", {"tid": 5, "pid": 5, "comm": "app", "time_ns": 1})
    fields = ["ip __probe_ip", "s32 n", "u8 color", "u64 bits", "__data_loc char[] s", "u8 tag",
              "s32 one", "u64 two", "double f", "u64 b", "u32 c", "u64 ptr", "u32 list[3]",
              "x64 n_base", "s64 n_idx", "s32 n_win[4]", "u32 __fault_ptr"]
    for source, names in (("uprobe", ("app:call", "app:call%return")), ("usdt", ("app:mark",))):
        lines.source(source)
        for name in names:
            lines.type(name, fields)
    lines.meta("maps/5", "55d000000000-55d000001000 r-xp 00001000 08:01 77 /opt/app",
               lines.now + 18 * 700)
    for n in range(36):
        name = ("app:call", "app:mark", "app:call%return")[n % 3]
        lines.event(name, 700, n % 2, 5, __probe_ip=0x55d000001000 + 64 * (n // 3 % 3), n=n - 9,
                    color=n % 5, bits=n * 0x123456789, s=(b"text\0", b"", b"\0\0", b"cut")[n % 4],
                    tag=n % 3, one=-n, two=n << 40, f=n / 3, b=n & 3 | 0x100, c=0x141 + n, ptr=n,
                    list=[n, n + 1, n + 2], n_base=0x7000, n_idx=n % 6, n_win=[5, 6, 7, 8],
                    __fault_ptr=n % 3)
    return lines
