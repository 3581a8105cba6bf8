/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds characters that nobody sees, or takes for others, and bytes that are no UTF-8. Called for
 * lines with problems. */
#include "config/odd.h"

#include "base/bug.h"
#include "base/encode.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *bytes, *name, *plain;
	bool quote;
} odds[] = {
	{ "\xc2\xa0", "U+00A0, a no-break space", "a plain blank", false },
	{ "\xe2\x80\x87", "U+2007, a figure space", "a plain blank", false },
	{ "\xe2\x80\xaf", "U+202F, a narrow no-break space", "a plain blank", false },
	{ "\xe3\x80\x80", "U+3000, an ideographic space", "a plain blank", false },
	{ "\xe2\x80\xa8", "U+2028, a line separator", "a line of its own", false },
	{ "\xe2\x80\xa9", "U+2029, a paragraph separator", "a line of its own", false },
	{ "\xc2\xad", "U+00AD, a soft hyphen", "nothing", false },
	{ "\xe2\x80\x8b", "U+200B, a zero width space", "nothing", false },
	{ "\xe2\x80\x8c", "U+200C, a zero width non-joiner", "nothing", false },
	{ "\xe2\x80\x8d", "U+200D, a zero width joiner", "nothing", false },
	{ "\xe2\x80\x8e", "U+200E, a left-to-right mark", "nothing", false },
	{ "\xe2\x80\x8f", "U+200F, a right-to-left mark", "nothing", false },
	{ "\xe2\x81\xa0", "U+2060, a word joiner", "nothing", false },
	{ "\xef\xbb\xbf", "U+FEFF, a byte order mark", "nothing", false },
	{ "\xe2\x80\x9c", "U+201C, a quote of word processors", "a plain quote (\")", true },
	{ "\xe2\x80\x9d", "U+201D, a quote of word processors", "a plain quote (\")", true },
	{ "\xe2\x80\x9e", "U+201E, a quote of word processors", "a plain quote (\")", true },
	{ "\xe2\x80\x98", "U+2018, a quote of word processors", "a plain quote (')", true },
	{ "\xe2\x80\x99", "U+2019, a quote of word processors", "a plain quote (')", true },
	{ "\xe2\x80\x93", "U+2013, a dash of word processors", "a plain '-'", true },
	{ "\xe2\x80\x94", "U+2014, a dash of word processors", "a plain '-'", true },
	{ "\xe2\x88\x92", "U+2212, a minus sign", "a plain '-'", true },
	{ "\r", "a carriage return", "nothing", false },
	{ "\v", "U+000B, a vertical tab", "a plain blank", false },
	{ "\f", "U+000C, a form feed", "a plain blank", false },
	{ "\xc2\x85", "U+0085, a next line", "a line of its own", false },
};

/* -- letters of other scripts --------------------------------------------------------------- */

/* Those that look like Latin ones. */
static const struct {
	uint16_t code;
	char latin;
} alikes[] = {
	{ 0x430, 'a' }, { 0x435, 'e' }, { 0x43e, 'o' }, { 0x440, 'p' }, { 0x441, 'c' },
	{ 0x443, 'y' }, { 0x445, 'x' }, { 0x455, 's' }, { 0x456, 'i' }, { 0x458, 'j' },
	{ 0x4bb, 'h' }, { 0x501, 'd' }, { 0x51b, 'q' }, { 0x51d, 'w' }, { 0x410, 'A' },
	{ 0x412, 'B' }, { 0x415, 'E' }, { 0x41a, 'K' }, { 0x41c, 'M' }, { 0x41d, 'H' },
	{ 0x41e, 'O' }, { 0x420, 'P' }, { 0x421, 'C' }, { 0x422, 'T' }, { 0x425, 'X' },
	{ 0x405, 'S' }, { 0x406, 'I' }, { 0x408, 'J' }, { 0x3bf, 'o' }, { 0x3bd, 'v' },
	{ 0x391, 'A' }, { 0x392, 'B' }, { 0x395, 'E' }, { 0x396, 'Z' }, { 0x397, 'H' },
	{ 0x399, 'I' }, { 0x39a, 'K' }, { 0x39c, 'M' }, { 0x39d, 'N' }, { 0x39f, 'O' },
	{ 0x3a1, 'P' }, { 0x3a4, 'T' }, { 0x3a5, 'Y' }, { 0x3a7, 'X' },
};

/* The number of a character of two bytes; 0: it is none. */
static unsigned letter_code(const char *text, size_t size)
{
	return size == 2 ? (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu) : 0;
}

static char letter_latin(unsigned code)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(alikes); i++)
		if (alikes[i].code == code)
			return alikes[i].latin;
	return 0;
}

static bool is_script(unsigned code)
{
	return code >= 0x370 && code <= 0x52f; /* Greek and Cyrillic */
}

/* What letters a text holds. */
struct letters {
	bool counted;
	bool own;             /* some are of another script, and not mistaken: the text is of it */
	size_t script, latin; /* how many are of another script, and Latin */
};

static void count_letters(const char *text, size_t len, struct letters *letters)
{
	size_t at, size;
	unsigned code;

	if (letters->counted)
		return;
	letters->counted = true;
	for (at = 0; at < len; at += size ? size : 1) {
		size = utf8_len(text + at, len - at);
		code = letter_code(text + at, size);
		letters->script += is_script(code);
		letters->latin += size == 1 && isalpha((unsigned char)text[at]);
		letters->own |= is_script(code) && !letter_latin(code);
	}
}

static bool beside_latin(const char *text, size_t len, const struct odd *odd)
{
	size_t end = odd->at + odd->len;

	return (odd->at && isalpha((unsigned char)text[odd->at - 1])) ||
	       (end < len && isalpha((unsigned char)text[end]));
}

static bool odd_letter(const char *text, size_t len, struct letters *letters, struct odd *odd)
{
	unsigned code = letter_code(text + odd->at, odd->len);
	char latin = is_script(code) ? letter_latin(code) : 0;

	if (!latin)
		return false;
	count_letters(text, len, letters);
	if (letters->own)
		return false;
	snprintf(odd->name, sizeof(odd->name), "U+%04X, a %s letter that looks like '%c'", code,
		 code < 0x400 ? "Greek" : "Cyrillic", latin);
	snprintf(odd->plain, sizeof(odd->plain), "a plain '%c'", latin);
	odd->foreign = letters->script > letters->latin || !beside_latin(text, len, odd);
	return true;
}

/* -- bytes ---------------------------------------------------------------------------------- */

static bool odd_control(char c, struct odd *odd)
{
	if (!iscntrl((unsigned char)c) || strchr("\t\n", c))
		return false;
	snprintf(odd->name, sizeof(odd->name), "U+%04X, a control character", (unsigned char)c);
	snprintf(odd->plain, sizeof(odd->plain), "nothing");
	return true;
}

/* Of files in Latin-1, or cut. */
static void odd_byte(unsigned char c, struct odd *odd)
{
	bool blank = c == 0xa0;

	snprintf(odd->name, sizeof(odd->name), "the byte 0x%02X, %s", c,
		 blank ? "a no-break space of Latin-1" : "which is no UTF-8");
	snprintf(odd->plain, sizeof(odd->plain), blank ? "a plain blank" : "UTF-8");
	odd->foreign = !blank;
}

/* -- what is found -------------------------------------------------------------------------- */

static bool odd_listed(const char *text, struct odd *odd)
{
	size_t i, size;

	for (i = 0; i < ARRAY_LEN(odds); i++) {
		size = strlen(odds[i].bytes);
		if (odd->len != size || memcmp(text, odds[i].bytes, size) != 0)
			continue;
		snprintf(odd->name, sizeof(odd->name), "%s", odds[i].name);
		snprintf(odd->plain, sizeof(odd->plain), "%s", odds[i].plain);
		odd->quote = odds[i].quote;
		return true;
	}
	return false;
}

bool odd_find(const char *text, size_t len, struct odd *odd)
{
	struct letters letters = { 0 };
	size_t at, size;

	for (at = 0; at < len; at += size ? size : 1) {
		size = utf8_len(text + at, len - at);
		*odd = (struct odd){ .at = at, .len = size ? size : 1 };
		if (!size)
			odd_byte((unsigned char)text[at], odd);
		if (!size || odd_listed(text + at, odd) ||
		    odd_letter(text, len, &letters, odd) ||
		    (size == 1 && odd_control(text[at], odd)))
			return true;
	}
	return false;
}
