/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters between bytes and their written forms: hexadecimal, decimal, base64; parts of
 * blocks; masks of addresses (manual 7.3.1). Results that are not spans of the input are
 * made in scratch memory; what does not fit there is no result. */
#include "base/err.h"
#include "expr/tables.h"

#include <arpa/inet.h>
#include <stdlib.h>

static bool bytes_result(const struct text *t, struct sample *smp, enum sample_type type)
{
	if (t->cut)
		return false;
	smp->str = (struct span){ t->ptr, t->len };
	smp->type = type;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* -- hexadecimal and decimal ------------------------------------------------------------ */

static const char hex_digits[] = "0123456789ABCDEF";

static void text_hex(struct text *t, unsigned char c)
{
	char pair[2] = { hex_digits[c >> 4], hex_digits[c & 15] };

	text_add(t, pair, 2);
}

/* Arguments: separator, bytes in a piece, whether an incomplete last piece is left out.
 * Argument 3 keeps the largest piece that the row admits. */
static int check_pieces(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[1].type == ARG_NONE && args[0].type == ARG_NONE) {
		args[1] = (struct expr_arg){ .type = ARG_INT, .num = INT64_MAX };
	} else if (args[1].type == ARG_NONE || args[1].num <= 0) {
		return err_set(err, "the bytes in a piece must be at least 1");
	}
	return 0;
}

static int check_be2dec(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[1].num < 1 || args[1].num > 8)
		return err_set(err, "a piece has 1 to 8 bytes, not %lld", (long long)args[1].num);
	return 0;
}

static void text_piece(struct text *t, const unsigned char *p, size_t len, bool decimal)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (decimal)
			n = n << 8 | p[i];
		else
			text_hex(t, p[i]);
	}
	if (decimal && n > INT64_MAX)
		text_printf(t, "%llu", (unsigned long long)n);
	else if (decimal)
		text_num(t, (int64_t)n);
}

enum { PIECES_DECIMAL, PIECES_HEX };

static bool convert_pieces(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	const unsigned char *p = (const unsigned char *)smp->str.ptr, *end = p + smp->str.len;
	size_t size = (size_t)args[1].num, len;
	bool cut = args[2].type == ARG_INT && args[2].num;
	struct text t;

	(void)view;
	text_init(&t, expr_scratch(), expr_scratch_size);
	for (; p < end; p += len) {
		len = (size_t)(end - p) < size ? (size_t)(end - p) : size;
		if (cut && len < size && size != (size_t)INT64_MAX)
			break;
		if (t.len && args[0].type == ARG_STR)
			text_add(&t, args[0].str.ptr, args[0].str.len);
		text_piece(&t, p, len, row->data == PIECES_DECIMAL);
	}
	return bytes_result(&t, smp, SMP_STR);
}

static bool convert_hex(const struct expr_arg *args, struct sample *smp, const struct view *view,
			const struct converter *row)
{
	struct text t;

	(void)args;
	(void)view;
	(void)row;
	text_init(&t, expr_scratch(), expr_scratch_size);
	text_piece(&t, (const unsigned char *)smp->str.ptr, smp->str.len, false);
	return bytes_result(&t, smp, SMP_STR);
}

static bool convert_hex2i(const struct expr_arg *args, struct sample *smp,
			  const struct view *view, const struct converter *row)
{
	uint64_t n = 0;
	size_t i;

	(void)args;
	(void)view;
	(void)row;
	for (i = 0; i < smp->str.len; i++) {
		int digit = str_hex_digit(smp->str.ptr[i]);

		if (digit < 0)
			return false;
		n = n << 4 | (unsigned)digit;
	}
	smp->num = (int64_t)n;
	smp->type = SMP_INT;
	return true;
}

static bool convert_htonl(const struct expr_arg *args, struct sample *smp,
			  const struct view *view, const struct converter *row)
{
	uint32_t big = htonl((uint32_t)smp->num);
	char *out = expr_scratch();

	(void)args;
	(void)view;
	(void)row;
	memcpy(out, &big, sizeof(big));
	smp->str = (struct span){ out, sizeof(big) };
	smp->type = SMP_BIN;
	return true;
}

/* -- base64 (RFC 4648) ------------------------------------------------------------------ */

static const char base64_plain[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64_url[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum { BASE64_PLAIN, BASE64_URL };

static bool convert_base64(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	const unsigned char *p = (const unsigned char *)smp->str.ptr;
	const char *digits = row->data == BASE64_URL ? base64_url : base64_plain;
	size_t left = smp->str.len;
	struct text t;

	(void)args;
	(void)view;
	text_init(&t, expr_scratch(), expr_scratch_size);
	for (; left; p += 3, left = left > 3 ? left - 3 : 0) {
		unsigned n = (unsigned)p[0] << 16 | (left > 1 ? (unsigned)p[1] << 8 : 0) |
			     (left > 2 ? p[2] : 0);
		char out[4] = { digits[n >> 18], digits[n >> 12 & 63], digits[n >> 6 & 63],
				digits[n & 63] };

		if (left >= 3 || row->data == BASE64_URL) {
			text_add(&t, out, left >= 3 ? 4 : left + 1);
		} else {
			text_add(&t, out, left + 1);
			text_add(&t, "==", 3 - left);
		}
	}
	return bytes_result(&t, smp, SMP_STR);
}

static int base64_digit(char c, const char *digits)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The text without its padding: whole groups of four, or in the URL form any rest but 1. */
static bool base64_trim(struct span *s, bool url)
{
	size_t padding = 0;

	if (url)
		return s->len % 4 != 1;
	if (s->len % 4)
		return false;
	while (padding < 2 && s->len && s->ptr[s->len - 1] == '=') {
		s->len--;
		padding++;
	}
	return true;
}

static bool convert_unbase64(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	bool url = row->data == BASE64_URL;
	const char *digits = url ? base64_url : base64_plain;
	struct span s = smp->str;
	struct text t;
	unsigned n = 0;
	size_t i;

	(void)args;
	(void)view;
	if (!base64_trim(&s, url))
		return false;
	text_init(&t, expr_scratch(), expr_scratch_size);
	for (i = 0; i < s.len; i++) {
		int digit = base64_digit(s.ptr[i], digits);

		if (digit < 0)
			return false;
		n = n << 6 | (unsigned)digit;
		if (i % 4) /* 8 more bits are complete */
			text_char(&t, (char)(n >> (6 - 2 * (i % 4))));
	}
	return bytes_result(&t, smp, SMP_BIN);
}

/* -- parts and masks -------------------------------------------------------------------- */

static bool convert_bytes(const struct expr_arg *args, struct sample *smp,
			  const struct view *view, const struct converter *row)
{
	int64_t offset = args[0].num, len = args[1].num;

	(void)view;
	(void)row;
	if (offset < 0 || (uint64_t)offset > smp->str.len) {
		smp->str.len = 0;
		return true;
	}
	smp->str.ptr += offset;
	smp->str.len -= (size_t)offset;
	if (args[1].type == ARG_INT && len >= 0 && (uint64_t)len < smp->str.len)
		smp->str.len = (size_t)len;
	return true;
}

/* An IPv4 address inside IPv6 is masked as what it is; IPv6 needs a mask of its own. */
static bool convert_ipmask(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	int i;

	(void)view;
	(void)row;
	if (smp->type == SMP_IPV6 && IN6_IS_ADDR_V4MAPPED(&smp->v6))
		sample_cast(smp, SMP_IPV4);
	if (smp->type == SMP_IPV4) {
		smp->v4.s_addr &= args[0].v4.s_addr;
		return true;
	}
	if (args[1].type == ARG_NONE)
		return false;
	for (i = 0; i < 16; i++)
		smp->v6.s6_addr[i] &= args[1].v6.s6_addr[i];
	return true;
}

/* -- control characters ----------------------------------------------------------------- */

/* Bit n: the character of code n; bit 32: 0x7f. */
#define CONTROL_ANY 0x1ffffffffull
#define CONTROL_USUAL (CONTROL_ANY & ~(1ull << '\t'))
#define CONTROL_HTTP (1ull << 0 | 1ull << '\n' | 1ull << '\r')

static int check_has_ctl(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *text = args[0].type == ARG_STR ? args[0].str.ptr : "";
	unsigned long long mask = CONTROL_USUAL;
	char *end = "";

	(void)ctx;
	if (!strcmp(text, "any"))
		mask = CONTROL_ANY;
	else if (!strcmp(text, "http"))
		mask = CONTROL_HTTP;
	else if (*text)
		mask = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
	if (*end || !mask || mask > CONTROL_ANY)
		return err_set(
			err,
			"the mask is 'any', 'http' or a number from 1 to 0x1ffffffff, not '%s'",
			text);
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = (int64_t)mask };
	return 0;
}

static bool convert_has_ctl(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	uint64_t mask = (uint64_t)args[0].num;
	bool found = false;
	size_t i;

	(void)view;
	(void)row;
	for (i = 0; i < smp->str.len && !found; i++) {
		unsigned char c = (unsigned char)smp->str.ptr[i];

		found = (c < ' ' && mask >> c & 1) || (c == 0x7f && mask >> 32);
	}
	smp->type = SMP_BOOL;
	smp->num = found;
	return true;
}

const struct converter converter_bytes[] = {
	{ "b64dec", { 0 }, SMP_STR, SMP_BIN, convert_unbase64, .data = BASE64_PLAIN,
	  .help = "decodes base64" },
	{ "base64", { 0 }, SMP_BIN, SMP_STR, convert_base64, .data = BASE64_PLAIN,
	  .help = "encodes as base64" },
	{ "be2dec", ARGS(2, ARG_STR, ARG_INT, ARG_INT), SMP_BIN, SMP_STR, convert_pieces,
	  check_be2dec, .data = PIECES_DECIMAL, .help = "pieces as decimal numbers" },
	{ "be2hex", ARGS(0, ARG_STR, ARG_INT, ARG_INT), SMP_BIN, SMP_STR, convert_pieces,
	  check_pieces, .data = PIECES_HEX, .help = "pieces in hexadecimal" },
	{ "bytes", ARGS(1, ARG_INT, ARG_INT), SMP_BIN, SMP_BIN, convert_bytes,
	  .help = "bytes from an offset on" },
	{ "has_ctl", ARGS(0, ARG_STR), SMP_BIN, SMP_BOOL, convert_has_ctl, check_has_ctl,
	  .help = "is there a control character among the bytes?" },
	{ "hex", { 0 }, SMP_BIN, SMP_STR, convert_hex, .help = "in hexadecimal" },
	{ "hex2i", { 0 }, SMP_STR, SMP_INT, convert_hex2i, .help = "number from hexadecimal" },
	{ "htonl", { 0 }, SMP_INT, SMP_BIN, convert_htonl,
	  .help = "32-bit number in network byte order" },
	{ "ipmask", ARGS(1, ARG_MASK4, ARG_MASK6), SMP_ADDR, SMP_ADDR, convert_ipmask,
	  .help = "network of an address" },
	{ "ub64dec", { 0 }, SMP_STR, SMP_BIN, convert_unbase64, .data = BASE64_URL,
	  .help = "decodes base64url" },
	{ "ub64enc", { 0 }, SMP_BIN, SMP_STR, convert_base64, .data = BASE64_URL,
	  .help = "encodes as base64url" },
	{ 0 },
};
