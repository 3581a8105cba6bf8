/* SPDX-License-Identifier: BSD-2-Clause */
/* Casts between the types of samples (manual 7.1), as the reference does them: which pairs
 * exist, and what becomes of the value. Called by expr_chain.c, patterns.c and whoever needs a
 * sample as text. Strings are made in scratch memory. */
#include "expr/expr.h"

#include "base/bug.h"
#include "net/addr.h"

#include <arpa/inet.h>

const char *sample_type_name(enum sample_type type)
{
	static const char *const names[] = {
		[SMP_ANY] = "any",   [SMP_BOOL] = "boolean", [SMP_INT] = "integer",
		[SMP_IPV4] = "ipv4", [SMP_IPV6] = "ipv6",    [SMP_STR] = "string",
		[SMP_BIN] = "binary", [SMP_METH] = "method", [SMP_ADDR] = "address",
		[SMP_SAME] = "same",
	};

	return names[type];
}

/* Bits of the types that a value of the row's type can become. */
#define TO(t) (1u << SMP_##t)
static const unsigned cast_table[SMP_TYPES] = {
	[SMP_ANY] = ~0u,
	[SMP_BOOL] = TO(BOOL) | TO(INT) | TO(STR) | TO(BIN),
	[SMP_INT] = TO(BOOL) | TO(INT) | TO(IPV4) | TO(IPV6) | TO(STR) | TO(BIN),
	[SMP_IPV4] = TO(BOOL) | TO(INT) | TO(IPV4) | TO(IPV6) | TO(STR) | TO(BIN),
	[SMP_IPV6] = TO(IPV4) | TO(IPV6) | TO(STR) | TO(BIN),
	[SMP_STR] = TO(BOOL) | TO(INT) | TO(IPV4) | TO(IPV6) | TO(STR) | TO(BIN) | TO(METH),
	[SMP_BIN] = TO(STR) | TO(BIN),
	[SMP_METH] = TO(STR) | TO(BIN) | TO(METH),
};

bool sample_castable(enum sample_type from, enum sample_type to)
{
	if (to == SMP_ANY || from == to)
		return true;
	if (from == SMP_ADDR)
		return sample_castable(SMP_IPV4, to) || sample_castable(SMP_IPV6, to);
	if (to == SMP_ADDR)
		return sample_castable(from, SMP_IPV4) || sample_castable(from, SMP_IPV6);
	return cast_table[from] & 1u << to;
}

/* As strtoll reads it, but of digits alone; saturates. */
static int64_t cast_number(struct span s)
{
	const char *p = s.ptr, *end = p + s.len;
	bool minus = false;
	int64_t n = 0;

	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, minus ? '0' - *p : *p - '0', &n))
			return minus ? INT64_MIN : INT64_MAX;
	}
	return n;
}

/* "192.0.2.1", and whatever follows that is neither digit nor dot: "192.0.2.1:80". */
static bool cast_str_v4(struct sample *smp)
{
	const char *p = smp->str.ptr, *end = p + smp->str.len, *start;
	uint32_t addr = 0;
	unsigned n, part;

	for (n = 0; n < 4; n++) {
		if (n && (p == end || *p++ != '.'))
			return false;
		start = p;
		for (part = 0; p < end && *p >= '0' && *p <= '9' && p - start < 4; p++)
			part = part * 10 + (unsigned)(*p - '0');
		if (p == start || part > 255)
			return false;
		addr = addr << 8 | part;
	}
	if (p < end && (*p == '.' || (*p >= '0' && *p <= '9')))
		return false;
	smp->v4.s_addr = htonl(addr);
	smp->type = SMP_IPV4;
	return true;
}

static bool cast_str_v6(struct sample *smp)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct in6_addr addr;

	if (smp->str.len >= sizeof(text))
		return false;
	memcpy(text, smp->str.ptr, smp->str.len);
	text[smp->str.len] = 0;
	if (inet_pton(AF_INET6, text, &addr) != 1)
		return false;
	smp->v6 = addr;
	smp->type = SMP_IPV6;
	return true;
}

/* The IPv4 address inside ::ffff:a.b.c.d. */
static bool cast_v6_v4(struct sample *smp)
{
	struct in_addr v4;

	if (!IN6_IS_ADDR_V4MAPPED(&smp->v6))
		return false;
	memcpy(&v4, &smp->v6.s6_addr[12], 4);
	smp->v4 = v4;
	smp->type = SMP_IPV4;
	return true;
}

static void cast_v4_v6(struct sample *smp)
{
	struct in_addr v4 = smp->v4;

	memset(&smp->v6, 0, 10);
	memset(&smp->v6.s6_addr[10], 0xff, 2);
	memcpy(&smp->v6.s6_addr[12], &v4, 4);
	smp->type = SMP_IPV6;
}

static bool cast_num(struct sample *smp, enum sample_type to)
{
	if (smp->type == SMP_IPV4)
		smp->num = ntohl(smp->v4.s_addr);
	else if (smp->type == SMP_STR && smp->str.len)
		smp->num = cast_number(smp->str);
	else if (smp->type != SMP_BOOL && smp->type != SMP_INT)
		return false;
	if (to == SMP_BOOL)
		smp->num = smp->num != 0;
	smp->type = to;
	return true;
}

static bool cast_v4(struct sample *smp)
{
	if (smp->type == SMP_STR)
		return cast_str_v4(smp);
	if (smp->type == SMP_IPV6)
		return cast_v6_v4(smp);
	if (smp->type != SMP_INT)
		return false;
	smp->v4.s_addr = htonl((uint32_t)smp->num);
	smp->type = SMP_IPV4;
	return true;
}

/* A number is an address of IPv4 first. */
static bool cast_v6(struct sample *smp)
{
	if (smp->type == SMP_IPV4 || (smp->type == SMP_INT && cast_v4(smp))) {
		cast_v4_v6(smp);
		return true;
	}
	return smp->type == SMP_STR && cast_str_v6(smp);
}

static bool cast_addr(struct sample *smp)
{
	if (smp->type == SMP_IPV4 || smp->type == SMP_IPV6)
		return true;
	return cast_v4(smp) || cast_v6(smp);
}

/* A string ends at the first zero byte, a block of bytes does not. */
static void cast_cut(struct sample *smp)
{
	smp->str.len = strnlen(smp->str.ptr, smp->str.len);
}

static bool cast_str(struct sample *smp)
{
	struct text t;
	char *scratch;

	if (smp->type == SMP_STR || smp->type == SMP_BIN || smp->type == SMP_METH) {
		if (smp->type == SMP_BIN)
			cast_cut(smp);
		smp->type = SMP_STR;
		return true;
	}
	scratch = expr_scratch();
	text_init(&t, scratch, expr_scratch_size);
	if (smp->type == SMP_BOOL || smp->type == SMP_INT) {
		text_num(&t, smp->num);
	} else if (smp->type == SMP_IPV4) {
		addr_print_v4(smp->v4, &t);
	} else {
		if (!inet_ntop(AF_INET6, &smp->v6, scratch, INET6_ADDRSTRLEN))
			return false;
		t.len = strlen(scratch);
	}
	smp->str = (struct span){ scratch, t.len };
	smp->type = SMP_STR;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

static bool cast_bin(struct sample *smp)
{
	char *scratch;
	size_t len;

	if (smp->type == SMP_STR || smp->type == SMP_METH) {
		smp->type = SMP_BIN;
		return true;
	}
	scratch = expr_scratch();
	if (smp->type == SMP_IPV4 || smp->type == SMP_IPV6) {
		len = smp->type == SMP_IPV4 ? 4 : 16;
		memcpy(scratch, &smp->v6, len);
	} else {
		uint64_t big = __builtin_bswap64((uint64_t)smp->num);

		len = sizeof(big);
		memcpy(scratch, &big, len);
	}
	smp->str = (struct span){ scratch, len };
	smp->type = SMP_BIN;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* To another type than it has. Apart, so that the usual answer of sample_cast keeps no registers.
 * */
static APART bool cast_other(struct sample *smp, enum sample_type to)
{
	if (!sample_castable(smp->type, to))
		return false;
	switch (to) {
	case SMP_BOOL:
	case SMP_INT:
		return cast_num(smp, to);
	case SMP_IPV4:
		return cast_v4(smp);
	case SMP_IPV6:
		return cast_v6(smp);
	case SMP_ADDR:
		return cast_addr(smp);
	case SMP_STR:
		return cast_str(smp);
	case SMP_BIN:
		return cast_bin(smp);
	case SMP_METH:
		smp->type = SMP_METH;
		return true;
	case SMP_ANY:
	case SMP_SAME:
		break;
	}
	return true;
}

bool sample_cast(struct sample *smp, enum sample_type to)
{
	return to == SMP_ANY || to == SMP_SAME || smp->type == to || cast_other(smp, to);
}
