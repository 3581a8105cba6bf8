/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds characters of UTF-8 that nobody sees, or takes for others. Called for lines with problems.
 */
#include "config/odd.h"

#include "base/bug.h"

#include <string.h>

static const struct {
	const char *bytes, *name, *plain;
	bool quote;
} odds[] = {
	{ "\xc2\xa0", "U+00A0, a no-break space", "a plain blank", false },
	{ "\xe2\x80\x87", "U+2007, a figure space", "a plain blank", false },
	{ "\xe2\x80\xaf", "U+202F, a narrow no-break space", "a plain blank", false },
	{ "\xe3\x80\x80", "U+3000, an ideographic space", "a plain blank", false },
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
};

bool odd_find(const char *text, size_t len, struct odd *odd)
{
	size_t at, i, size;

	for (at = 0; at < len; at++) {
		if (!((unsigned char)text[at] & 0x80) && text[at] != '\r')
			continue;
		for (i = 0; i < ARRAY_LEN(odds); i++) {
			size = strlen(odds[i].bytes);
			if (len - at < size || memcmp(text + at, odds[i].bytes, size) != 0)
				continue;
			*odd = (struct odd){ odds[i].name, odds[i].plain, at, size, odds[i].quote };
			return true;
		}
	}
	return false;
}
