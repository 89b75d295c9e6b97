// SPDX-License-Identifier: GPL-2.0-only
/*
 * Not a full disassembler: only instructions that branch, enter the kernel or affect the trap flag
 * are decoded. All others are INSN_PLAIN and get no length.
 */
#include "kmod/insn.h"
#include "kmod/trawl_uapi.h"

/* The position in an instruction that is being decoded. */
struct reader {
	const __u8 *bytes;
	size_t count, at;
	__u64 ip;
	bool mode64, data16, address_prefix, rex_w;
	bool cut;
};

static __u8 next(struct reader *r)
{
	if (r->at >= r->count || r->at >= INSN_MAX) {
		r->cut = true;
		return 0;
	}
	return r->bytes[r->at++];
}

static __s64 signed_number(struct reader *r, unsigned int bytes)
{
	__u64 v = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		v |= (__u64)next(r) << (8 * i);
	return (__s64)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

/* Reads the prefixes; returns the first byte of the opcode. */
static __u8 prefixes(struct reader *r)
{
	for (;;) {
		__u8 b = next(r);

		switch (b) {
		case 0x66:
			r->data16 = true;
			r->rex_w = false;
			continue;
		case 0x67:
			r->address_prefix = true;
			r->rex_w = false;
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		case 0xf0: case 0xf2: case 0xf3:
			r->rex_w = false;
			continue;
		}
		if (!r->mode64 || (b & 0xf0) != 0x40)
			return b;
		r->rex_w = b & 8;
	}
}

/*
 * A branch by a signed displacement of 1 or 4 bytes (2 for 16-bit operands). In 64-bit mode
 * processors treat prefix 66 differently (Intel's ignore it), so that neither length nor target is
 * known then.
 */
static void by_constant(struct reader *r, struct insn *insn, __u8 kind, unsigned int bytes)
{
	bool odd = r->data16 && !r->rex_w;
	__s64 distance = signed_number(r, odd && !r->mode64 && bytes == 4 ? 2 : bytes);

	insn->kind = kind;
	insn->length = r->at;
	insn->constant = !odd;
	insn->target = r->ip + r->at + distance;
	if (!r->mode64)
		insn->target = (__u32)insn->target;
}

static void by_condition(struct reader *r, struct insn *insn, __u8 condition, unsigned int bytes)
{
	insn->condition = condition;
	by_constant(r, insn, TRAWL_KIND_JCC, bytes);
	insn->counter_bits =
		r->mode64 ? (r->address_prefix ? 32 : 64) : (r->address_prefix ? 16 : 32);
}

/* Skips the bytes of a memory operand (SIB, displacement) after its ModRM byte. */
static void operand(struct reader *r, __u8 modrm)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7, bytes = 0;

	if (mod == 3)
		return;
	if (!r->mode64 && r->address_prefix) {
		bytes = mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;
	} else {
		if (rm == 4 && (next(r) & 7) == 5 && mod == 0)
			bytes = 4;
		if (mod == 1)
			bytes = 1;
		else if (mod == 2 || (mod == 0 && rm == 5))
			bytes = 4;
	}
	while (bytes--)
		next(r);
}

static void branch(struct reader *r, struct insn *insn, __u8 kind, __u8 special)
{
	insn->kind = kind;
	insn->special = special;
	insn->length = r->at;
}

static void two_bytes(struct reader *r, struct insn *insn)
{
	__u8 b = next(r);

	if ((b & 0xf0) == 0x80)
		by_condition(r, insn, b & 15, 4);
	else if (b == 0x05)
		branch(r, insn, 0, INSN_SYSCALL);
	else if (b == 0x34)
		branch(r, insn, 0, INSN_SYSENTER);
}

static void group_ff(struct reader *r, struct insn *insn)
{
	static const __u8 kinds[8] = {
		[2] = TRAWL_KIND_IND_CALL,
		[3] = TRAWL_KIND_FAR,
		[4] = TRAWL_KIND_IND_JMP,
		[5] = TRAWL_KIND_FAR,
	};
	__u8 modrm = next(r), kind = kinds[modrm >> 3 & 7];

	if (!kind)
		return;
	operand(r, modrm);
	branch(r, insn, kind, INSN_PLAIN);
}

static void mov_to_segment(struct reader *r, struct insn *insn)
{
	__u8 modrm = next(r);

	if ((modrm >> 3 & 7) != 2)
		return;
	operand(r, modrm);
	branch(r, insn, 0, INSN_MOV_SS);
}

/* Instructions that 64-bit mode does not have: pop ss, into, and far branches to a constant. */
static void only_32_bit(struct reader *r, struct insn *insn, __u8 opcode)
{
	switch (opcode) {
	case 0x17:
		branch(r, insn, 0, INSN_MOV_SS);
		break;
	case 0xce:
		branch(r, insn, 0, INSN_TRAP);
		break;
	case 0x9a: case 0xea:
		signed_number(r, r->data16 ? 4 : 6);
		branch(r, insn, TRAWL_KIND_FAR, INSN_PLAIN);
		break;
	}
}

/* ret, far ret, iret. 0xc2 and 0xca have an operand: bytes to remove from the stack. */
static void by_return(struct reader *r, struct insn *insn, __u8 opcode)
{
	if (opcode == 0xc2 || opcode == 0xca)
		signed_number(r, 2);
	branch(r, insn, opcode <= 0xc3 ? TRAWL_KIND_RET : TRAWL_KIND_FAR,
	       opcode == 0xcf ? INSN_POPF : INSN_PLAIN);
}

static void one_byte(struct reader *r, struct insn *insn, __u8 opcode)
{
	switch (opcode) {
	case 0x70 ... 0x7f:
		by_condition(r, insn, opcode & 15, 1);
		break;
	case 0xe0 ... 0xe3:
		by_condition(r, insn, INSN_LOOPNE + (opcode & 3), 1);
		break;
	case 0xe8:
		by_constant(r, insn, TRAWL_KIND_REL_CALL, 4);
		break;
	case 0xe9:
		by_constant(r, insn, TRAWL_KIND_REL_JMP, 4);
		break;
	case 0xeb:
		by_constant(r, insn, TRAWL_KIND_REL_JMP, 1);
		break;
	case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcf:
		by_return(r, insn, opcode);
		break;
	case 0x9c:
		branch(r, insn, 0, INSN_PUSHF);
		break;
	case 0x9d:
		branch(r, insn, 0, INSN_POPF);
		break;
	case 0xcc: case 0xf1:
		branch(r, insn, 0, INSN_TRAP);
		break;
	case 0xcd:
		branch(r, insn, 0, next(r) == 3 ? INSN_TRAP : INSN_INT);
		insn->length = r->at;
		break;
	case 0x8e:
		mov_to_segment(r, insn);
		break;
	case 0xff:
		group_ff(r, insn);
		break;
	default:
		if (!r->mode64)
			only_32_bit(r, insn, opcode);
	}
}

bool insn_decode(struct insn *insn, const __u8 *bytes, size_t count, __u64 ip, bool mode64)
{
	struct reader r = { .bytes = bytes, .count = count, .ip = ip, .mode64 = mode64 };
	__u8 opcode;

	memset(insn, 0, sizeof(*insn));
	opcode = prefixes(&r);
	if (!r.cut) {
		if (opcode == 0x0f)
			two_bytes(&r, insn);
		else
			one_byte(&r, insn, opcode);
	}
	return !r.cut;
}

enum { CARRY = 1, PARITY = 4, ZERO = 0x40, SIGN = 0x80, OVERFLOW = 0x800 };

static bool flag_condition(__u8 condition, __u64 flags)
{
	bool less = !(flags & SIGN) != !(flags & OVERFLOW), holds = false;

	switch (condition >> 1) {
	case 0:
		holds = flags & OVERFLOW;
		break;
	case 1:
		holds = flags & CARRY;
		break;
	case 2:
		holds = flags & ZERO;
		break;
	case 3:
		holds = flags & (CARRY | ZERO);
		break;
	case 4:
		holds = flags & SIGN;
		break;
	case 5:
		holds = flags & PARITY;
		break;
	case 6:
		holds = less;
		break;
	case 7:
		holds = less || flags & ZERO;
		break;
	}
	return holds != (condition & 1);
}

bool insn_taken(const struct insn *insn, __u64 flags, __u64 counter)
{
	__u64 mask = insn->counter_bits == 64 ? ~0ull : (1ull << insn->counter_bits) - 1;
	bool more = ((counter - 1) & mask) != 0;

	switch (insn->condition) {
	case INSN_LOOPNE:
		return more && !(flags & ZERO);
	case INSN_LOOPE:
		return more && (flags & ZERO);
	case INSN_LOOP:
		return more;
	case INSN_JCXZ:
		return !(counter & mask);
	}
	return flag_condition(insn->condition, flags);
}
