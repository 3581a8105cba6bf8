/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as JSON and CBOR. Called by who composes log lines, and by who cuts them. Values are
 * encoded where they stand, at the end of a text: most need no change, and are read once. One that
 * grows is moved to the end of the text's memory and comes back byte by byte.
 */
#include "base/encode.h"

#include "base/bug.h"

size_t utf8_len(const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3
			: s[0] < 0xf5 ? 4 : 0, i;

	if (len > left)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* -- growing in place ------------------------------------------------------------------- */

/* What stands for the character at s: appends it to made (of 8 bytes), returns how many bytes of s
 * it stands for. */
typedef size_t put_character(struct text *made, const char *s, size_t left);

static void grow(struct text *t, size_t from, put_character *put)
{
	char *end = t->ptr + t->size - 1, *s = end - (t->len - from);
	char memory[8];
	struct text made;

	memmove(s, t->ptr + from, t->len - from);
	t->len = from;
	while (s < end) {
		text_init(&made, memory, sizeof(memory));
		s += put(&made, s, (size_t)(end - s));
		if (made.len > (size_t)(s - t->ptr) - t->len) {
			t->cut = true;
			break;
		}
		memcpy(t->ptr + t->len, memory, made.len);
		t->len += made.len;
	}
	t->ptr[t->len] = 0;
}

/* Room for n bytes in front of what t has since `from`. False, and t is cut there: there is none.
 */
static bool shift(struct text *t, size_t from, size_t n)
{
	if (n > t->size - 1 - t->len) {
		t->cut = true;
		t->len = from;
		t->ptr[from] = 0;
		return false;
	}
	memmove(t->ptr + from + n, t->ptr + from, t->len - from);
	t->len += n;
	t->ptr[t->len] = 0;
	return true;
}

/* -- JSON ------------------------------------------------------------------------------- */

static bool json_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void json_code(struct text *made, unsigned code)
{
	static const char digits[] = "0123456789abcdef";

	text_add(made, "\\u00", 4);
	text_char(made, digits[code >> 4 & 15]);
	text_char(made, digits[code & 15]);
}

static size_t json_character(struct text *made, const char *s, size_t left)
{
	static const char short_names[] = "\"\"\\\\b\bf\fn\nr\rt\t";
	unsigned char c = (unsigned char)*s;
	size_t len = utf8_len(s, left), i;

	if (len == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0) {
		json_code(made, (unsigned char)s[1]); /* U+0080 to U+009F: terminals obey them */
		return 2;
	}
	if (len > 1 || json_plain(c)) {
		text_add(made, s, len);
		return len;
	}
	for (i = 0; i < sizeof(short_names) - 1; i += 2)
		if (c == (unsigned char)short_names[i + 1]) {
			text_char(made, '\\');
			text_char(made, short_names[i]);
			return 1;
		}
	json_code(made, c);
	return 1;
}

void json_escape(struct text *t, size_t from)
{
	size_t i;

	for (i = from; i < t->len; i++)
		if (unlikely(!json_plain((unsigned char)t->ptr[i]))) {
			grow(t, i, json_character);
			return;
		}
}

/* The end of the character of an escaped string at p; p: it is not there as a whole. */
static size_t json_character_end(struct span s, size_t p)
{
	size_t len = 1;

	if (s.ptr[p] == '\\')
		len = p + 1 < s.len && s.ptr[p + 1] == 'u' ? 6 : 2;
	else
		len = utf8_len(s.ptr + p, s.len - p);
	return len <= s.len - p ? p + len : p;
}

struct cut {
	size_t keep, room;
	struct span closing;
};

static bool cut_here(struct cut *cut, size_t at, const char *closing)
{
	struct span end = span_of(closing);

	if (at + end.len > cut->room)
		return false;
	cut->keep = at;
	cut->closing = end;
	return true;
}

/* Behind the string whose quote is at p; 0: its end is not there, or beyond the room. cut: where
 * within the string it may end; NULL: nowhere. */
static size_t json_string_end(struct span s, size_t p, struct cut *cut)
{
	size_t next;

	for (p++; p < s.len && s.ptr[p] != '"'; p = next) {
		if (cut && !cut_here(cut, p, "\"}"))
			return 0;
		next = json_character_end(s, p);
		if (next == p)
			return 0;
	}
	if (p >= s.len || (cut && !cut_here(cut, p, "\"}")))
		return 0;
	return p + 1;
}

/* Behind the member at p, and where it may be cut; 0: that is as far as it goes. */
static size_t json_member_end(struct span s, size_t p, struct cut *cut)
{
	if (p < s.len && s.ptr[p] == ',')
		p++;
	if (p >= s.len || s.ptr[p] != '"')
		return 0;
	p = json_string_end(s, p, NULL);
	if (!p || p + 1 >= s.len || s.ptr[p++] != ':')
		return 0;
	if (s.ptr[p] == '"')
		return json_string_end(s, p, cut);
	while (p < s.len && s.ptr[p] != ',' && s.ptr[p] != '}')
		p++;
	return p < s.len ? p : 0; /* of a number that is not followed by anything, more may have
				   * been meant */
}

static void json_cut(struct span s, struct cut *cut)
{
	size_t p = 1;

	if (s.len && cut_here(cut, p, "}"))
		while ((p = json_member_end(s, p, cut)) && cut_here(cut, p, "}"))
			;
}

/* -- CBOR ------------------------------------------------------------------------------- */

enum { CBOR_UNSIGNED = 0 << 5, CBOR_NEGATIVE = 1 << 5, CBOR_BYTES = 2 << 5, CBOR_TEXT = 3 << 5,
       CBOR_HEAD_MAX = 9 };

/* RFC 8949 3: the shortest head. Returns its length. */
static size_t cbor_head(char *head, unsigned major, uint64_t n)
{
	size_t len = n < 24            ? 0
		     : n <= UINT8_MAX  ? 1
		     : n <= UINT16_MAX ? 2
		     : n <= UINT32_MAX ? 4
				       : 8;
	unsigned kind = len == 1 ? 24 : len == 2 ? 25 : len == 4 ? 26 : 27;
	size_t i;

	head[0] = (char)(major | (len ? kind : (unsigned)n));
	for (i = len; i; i--, n >>= 8)
		head[i] = (char)(n & 0xff);
	return 1 + len;
}

static void cbor_string(struct text *t, size_t from, unsigned major)
{
	char head[CBOR_HEAD_MAX];
	size_t len = cbor_head(head, major, t->len - from);

	if (shift(t, from, len))
		memcpy(t->ptr + from, head, len);
}

void cbor_bytes(struct text *t, size_t from)
{
	cbor_string(t, from, CBOR_BYTES);
}

/* A byte that is no UTF-8 is a character of Latin-1. */
static size_t utf8_character(struct text *made, const char *s, size_t left)
{
	unsigned char c = (unsigned char)*s;
	size_t len = utf8_len(s, left);

	if (len) {
		text_add(made, s, len);
		return len;
	}
	text_char(made, (char)(0xc0 | c >> 6));
	text_char(made, (char)(0x80 | (c & 0x3f)));
	return 1;
}

void cbor_text(struct text *t, size_t from)
{
	size_t i, len;

	for (i = from; i < t->len && (len = utf8_len(t->ptr + i, t->len - i)); i += len)
		;
	if (i < t->len)
		grow(t, i, utf8_character);
	cbor_string(t, from, CBOR_TEXT);
}

void cbor_int(struct text *t, int64_t n)
{
	char head[CBOR_HEAD_MAX];

	text_add(t, head, n < 0 ? cbor_head(head, CBOR_NEGATIVE, ~(uint64_t)n) :
				  cbor_head(head, CBOR_UNSIGNED, (uint64_t)n));
}

static size_t hex_character(struct text *made, const char *s, size_t left)
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned char c = (unsigned char)*s;

	(void)left;
	text_char(made, digits[c >> 4]);
	text_char(made, digits[c & 15]);
	return 1;
}

void encode_hex(struct text *t, size_t from)
{
	grow(t, from, hex_character);
}

/* An object of CBOR, as it is or in hexadecimal, that is read byte by byte. */
struct cbor {
	struct span s;
	size_t width; /* characters that a byte takes */
};

/* Byte number n; -1: it is not there. */
static int cbor_byte(const struct cbor *c, size_t n)
{
	const char *p = c->s.ptr + n * c->width;
	int high, low;

	if (n >= c->s.len / c->width)
		return -1;
	if (c->width == 1)
		return (unsigned char)*p;
	high = str_hex_digit(p[0]);
	low = str_hex_digit(p[1]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Behind the value at byte n; 0: there is none, or not as a whole. */
static size_t cbor_value_end(const struct cbor *c, size_t n)
{
	int head = cbor_byte(c, n++), more;
	size_t size = (size_t)(head & 31), i, wide = size < 24 ? 0 : (size_t)1 << (size - 24);
	unsigned major = (unsigned)head & 0xe0;

	if (head < 0 || head == CBOR_END || size > 27)
		return 0;
	for (i = 0, size = wide ? 0 : size; i < wide; i++, n++) {
		more = cbor_byte(c, n);
		size = size << 8 | (size_t)(more & 0xff);
		if (more < 0)
			return 0;
	}
	if (major == CBOR_BYTES || major == CBOR_TEXT) {
		if (size > c->s.len / c->width - n)
			return 0;
		n += size;
	}
	return n <= c->s.len / c->width ? n : 0;
}

static void cbor_cut(struct span s, size_t width, struct cut *cut)
{
	const struct cbor c = { s, width };
	size_t n = 1;

	if (cbor_byte(&c, 0) != CBOR_MAP)
		return;
	while (n && cut_here(cut, n * width, width == 1 ? "\xff" : "FF")) {
		n = cbor_value_end(&c, n);
		n = n ? cbor_value_end(&c, n) : 0;
	}
}

/* -- both ------------------------------------------------------------------------------- */

size_t encoded_cut(enum encoding encoding, struct span object, size_t room, struct span *closing)
{
	struct cut cut = { .room = room };

	switch (encoding) {
	case ENCODE_JSON:
		json_cut(object, &cut);
		break;
	case ENCODE_CBOR:
		cbor_cut(object, 1, &cut);
		break;
	case ENCODE_CBOR_HEX:
		cbor_cut(object, 2, &cut);
		break;
	case ENCODE_NONE:
		cut.keep = object.len < room ? object.len : room;
		break;
	}
	*closing = cut.closing;
	return cut.keep;
}
