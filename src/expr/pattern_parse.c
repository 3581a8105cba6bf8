/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns as they are written: ranges, networks, hexadecimal, regular expressions (manual
 * 7.1.2 to 7.1.6). Called by patterns.c. */
#include "expr/pattern_parse.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "expr/arg.h"
#include "expr/regex.h"
#include "net/addr.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>

static const char *const op_names[] = { [OP_EQUAL] = "eq", [OP_GREATER_EQUAL] = "ge",
					[OP_GREATER] = "gt", [OP_LESS_EQUAL] = "le",
					[OP_LESS] = "lt" };

bool pattern_operator(const char *word, enum pattern_op *op)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(op_names); i++) {
		if (!strcmp(word, op_names[i])) {
			*op = (enum pattern_op)i;
			return true;
		}
	}
	return false;
}

/* -- numbers ---------------------------------------------------------------------------- */

/* "3" or "3.1": the major number in bits 16 and up. */
static bool parse_version(const char *text, int64_t *num)
{
	int64_t major, minor = 0;
	char copy[24], *dot;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	dot = strchr(copy, '.');
	if (dot)
		*dot++ = 0;
	if (!str_to_int(copy, 0, 65535, &major) || (dot && !str_to_int(dot, 0, 65535, &minor)))
		return false;
	*num = major << 16 | minor;
	return true;
}

static bool parse_num(const char *text, enum match match, int64_t *num)
{
	if (match == MATCH_VERSION)
		return parse_version(text, num);
	return str_to_int(text, INT64_MIN, INT64_MAX, num);
}

/* "a:b", ":b", "a:", and the same with '-'; bounds are not negative then. */
static bool parse_range(struct pattern *p, const char *mark, enum match match,
			struct arena *arena)
{
	char *low = arena_strndup(arena, p->text, (size_t)(mark - p->text));

	p->min = INT64_MIN;
	p->max = INT64_MAX;
	if (!*low && !mark[1])
		return false;
	if ((*low && !parse_num(low, match, &p->min)) ||
	    (mark[1] && (mark[1] == '-' || !parse_num(mark + 1, match, &p->max))))
		return false;
	return p->min <= p->max;
}

/* Above the greatest number and below the least there is nothing: an empty interval. */
static void pattern_interval(struct pattern *p, enum pattern_op op, int64_t num)
{
	p->op = (uint8_t)op;
	p->min = INT64_MIN;
	p->max = INT64_MAX;
	switch (op) {
	case OP_EQUAL:
		p->min = p->max = num;
		break;
	case OP_GREATER_EQUAL:
		p->min = num;
		break;
	case OP_LESS_EQUAL:
		p->max = num;
		break;
	case OP_GREATER:
		if (__builtin_add_overflow(num, 1, &p->min))
			p->min = num, p->max = num - 1;
		break;
	case OP_LESS:
		if (__builtin_sub_overflow(num, 1, &p->max))
			p->max = num, p->min = num + 1;
		break;
	}
}

void pattern_say(const struct pattern *p, enum match match, struct text *to)
{
	bool above = p->op == OP_GREATER || p->op == OP_GREATER_EQUAL, beyond = p->min > p->max;
	int64_t n = above ? p->min - (p->op == OP_GREATER && !beyond) :
			    p->max + (p->op == OP_LESS && !beyond);

	if (p->op == OP_EQUAL)
		text_str(to, p->text);
	else if (match == MATCH_VERSION)
		text_printf(to, "%s %lld.%lld", op_names[p->op], (long long)(n >> 16),
			    (long long)(n & 0xffff));
	else
		text_printf(to, "%s %lld", op_names[p->op], (long long)n);
}

static int parse_number(struct pattern *p, enum match match, enum pattern_op op, unsigned flags,
			struct arena *arena, struct err *err)
{
	bool running = flags & PATTERN_RUNNING;
	/* Behind an operator a minus belongs to the number; a range stays a range. */
	const char *mark = strpbrk(p->text + (op != OP_EQUAL && *p->text == '-'), ":-");
	int64_t num;

	if (mark) {
		if (!parse_range(p, mark, match, arena))
			return err_set(err, running ? "'%s' is not a valid number range." :
						      "'%s' is no range of numbers", p->text);
		return 0;
	}
	if (!parse_num(p->text, match, &num))
		return err_set(err, !running ? "'%s' is no number" :
			       match == MATCH_VERSION ? "'%s' is not a dotted number." :
							"'%s' is not a number.", p->text);
	pattern_interval(p, op, num);
	return 0;
}

/* -- addresses -------------------------------------------------------------------------- */

/* Up to four numbers, the last of which fills what is left: "10.1" is 10.0.0.1. A number that
 * begins with 0 is octal. */
static bool parse_v4(const char *text, uint8_t *addr)
{
	return strspn(text, "0123456789.") == strlen(text) &&
	       inet_aton(text, (struct in_addr *)(void *)addr);
}

/* Bits of the mask when it is a prefix, else 255. */
static uint8_t prefix_bits(const uint8_t *mask, int size)
{
	int bits = 0, i;

	while (bits < size * 8 && mask[bits / 8] & 0x80 >> bits % 8)
		bits++;
	for (i = bits; i < size * 8; i++) {
		if (mask[i / 8] & 0x80 >> i % 8)
			return 255;
	}
	return (uint8_t)bits;
}

static bool parse_mask(struct pattern *p, const char *mask, int size)
{
	struct in_addr v4;
	struct in6_addr v6;

	memset(&p->mask, 0xff, sizeof(p->mask));
	if (!mask)
		return true;
	if (size == 4) {
		if (!arg_mask4(span_of(mask), &v4))
			return false;
		memcpy(&p->mask, &v4, 4);
		return true;
	}
	if (strchr(mask, ':') || !arg_mask6(span_of(mask), &v6))
		return false;
	p->mask = v6;
	return true;
}

/* Letters, digits, '-', '_' in labels parted by single dots, and some letter at all. */
static bool looks_like_name(const char *text)
{
	bool letter = false;
	const char *c;

	for (c = text; *c; c++) {
		letter = letter || isalpha((unsigned char)*c);
		if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
			return false;
		if (*c == '.' && (c == text || c[-1] == '.'))
			return false;
	}
	return letter;
}

static bool resolve_v4(const char *name, uint8_t *addr)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found;

	if (getaddrinfo(name, NULL, &hints, &found))
		return false;
	memcpy(addr, &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, 4);
	freeaddrinfo(found);
	return true;
}

/* For a check only, which asks no longer once names without an address have taken five seconds. */
static void try_name(struct pattern *p, const char *text, uint8_t *addr)
{
	static uint64_t failing_us;
	uint64_t began = clock_read_us();

	if (!addr_names.stay && (failing_us >= 5000000 || resolve_v4(text, addr)))
		return;
	failing_us += clock_read_us() - began;
	p->unresolved = true;
}

static bool parse_name(struct pattern *p, const char *text, unsigned flags, uint8_t *addr)
{
	if (flags & PATTERN_NO_NAMES || !looks_like_name(text))
		return false;
	memset(addr, 0, 4);
	if (!(flags & PATTERN_TRUST_NAMES))
		return resolve_v4(text, addr);
	try_name(p, text, addr);
	return true;
}

static int parse_network(struct pattern *p, unsigned flags, struct arena *arena, struct err *err)
{
	char *host = arena_strdup(arena, p->text), *mask = strchr(host, '/');
	int size = strchr(host, ':') ? 16 : 4, i;
	bool good;

	if (mask)
		*mask++ = 0;
	p->family = size == 16 ? AF_INET6 : AF_INET;
	if (size == 16)
		good = inet_pton(AF_INET6, host, &p->addr) == 1;
	else
		good = parse_v4(host, p->addr.s6_addr) ||
		       parse_name(p, host, flags, p->addr.s6_addr);
	if (flags & PATTERN_RUNNING && (!good || !parse_mask(p, mask, size)))
		return err_set(err, "'%s' is not a valid IPv4 or IPv6 address.", p->text);
	if (!good)
		return err_set(err, "'%s' is no IPv4 or IPv6 address%s", p->text,
			       looks_like_name(host) && !(flags & PATTERN_NO_NAMES) ?
				       ", and no host of this name was found" : "");
	if (!parse_mask(p, mask, size))
		return err_set(err, "'%s': the mask of an %s", p->text,
			       size == 4 ? "IPv4 address is 0 to 32 bits, or an address"
					 : "IPv6 address is 0 to 128 bits");
	p->bits = prefix_bits(p->mask.s6_addr, size);
	for (i = 0; i < size; i++)
		p->addr.s6_addr[i] &= p->mask.s6_addr[i];
	return 0;
}

/* -- bytes ------------------------------------------------------------------------------ */

/* In the words of the stats socket. */
static int hex_mistake(const char *text, struct err *err)
{
	if (strlen(text) % 2)
		return err_set(err, "an even number of hex digit is expected.");
	return err_set(err, "an hex digit is expected (found '%c').",
		       text[strspn(text, "0123456789abcdefABCDEF")]);
}

static int parse_hex(struct pattern *p, unsigned flags, struct arena *arena, struct err *err)
{
	bool running = flags & PATTERN_RUNNING;
	size_t len = strlen(p->text), i;
	char *bytes = arena_alloc(arena, len / 2 + 1);

	if (len % 2)
		return running ? hex_mistake(p->text, err) : err_set(err, "'%s': an even number of hexadecimal digits is expected",
			       p->text);
	for (i = 0; i < len && bytes; i += 2) {
		int high = str_hex_digit(p->text[i]), low = str_hex_digit(p->text[i + 1]);

		if (high < 0 || low < 0)
			return running ? hex_mistake(p->text, err) :
			       err_set(err, "'%.2s' in '%s' are no hexadecimal digits", p->text + i,
				       p->text);
		bytes[i / 2] = (char)(high << 4 | low);
	}
	p->str = (struct span){ bytes, len / 2 };
	return 0;
}

int pattern_parse(struct pattern *p, enum match match, enum pattern_op op, unsigned flags,
		  struct arena *arena, struct err *err)
{
	switch (match) {
	case MATCH_INT:
	case MATCH_LEN:
	case MATCH_VERSION:
		return parse_number(p, match, op, flags, arena, err);
	case MATCH_IP:
		return parse_network(p, flags, arena, err);
	case MATCH_BIN:
		p->ignore_case = false;
		return parse_hex(p, flags, arena, err);
	case MATCH_REG:
		p->regex = regex_compile_as(p->text, p->ignore_case,
					    flags & PATTERN_RUNNING ? REGEX_SAID_SHORT : REGEX_SAID,
					    arena, err);
		return p->regex ? 0 : -1;
	default:
		p->str = span_of(p->text);
		return 0;
	}
}
