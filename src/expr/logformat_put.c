/* SPDX-License-Identifier: BSD-2-Clause */
/* Values in a line of a log format, quoted and escaped as flags want it. Called by aliases and by
 * what writes lines. */
#include "expr/logformat_alias.h"

#include "http/chars.h"
#include "log/date.h"

#include <sys/time.h>

static void put_absent(struct text *t, unsigned flags)
{
	if (flags & (LF_HTTP | LF_BARE))
		return;
	if (flags & LF_QUOTE)
		text_str(t, "\"\"");
	else if (!(flags & LF_RAW))
		text_char(t, '-');
}

/* How many of the first bytes stand in a log line as they are, whatever its flags. */
static size_t plain_bytes(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len && char_is(s[i], CHAR_TOKEN | CHAR_HOST); i++)
		;
	return i;
}

void logformat_put(struct text *t, struct span value, unsigned flags)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t i;

	if (!value.ptr) {
		put_absent(t, flags);
		return;
	}
	if (flags & LF_BARE) {
		text_add(t, value.ptr, value.len);
		return;
	}
	if (flags & LF_QUOTE)
		text_char(t, '"');
	for (i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];
		size_t plain = plain_bytes(value.ptr + i, value.len - i);

		if (plain) {
			text_add(t, value.ptr + i, plain);
			i += plain - 1;
			continue;
		}
		if ((c < ' ' || c == 0x7f) && !(flags & (LF_RAW | LF_BIN)) &&
		    !(c == '\t' && flags & LF_HTTP)) {
			char code[3] = { flags & LF_HTTP ? '%' : '#', hex[c >> 4], hex[c & 15] };

			text_add(t, code, sizeof(code));
			continue;
		}
		if (flags & LF_ESCAPE && (c == '"' || c == '\\' || c == ']'))
			text_char(t, '\\');
		text_char(t, (char)c);
	}
	if (flags & LF_QUOTE)
		text_char(t, '"');
}

void logformat_put_iso(struct text *t, const struct timeval *at)
{
	const struct date *date = date_of(at->tv_sec);

	text_str(t, date->iso);
	text_char(t, '.');
	text_digits(t, (unsigned)at->tv_usec / 1000, 3);
	text_str(t, date->iso_zone);
}
