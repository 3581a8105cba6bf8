/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for a terminal of some width (base/fold.h). Called by whoever writes to people;
 * pure but for the question how wide the terminal is. */
#include "base/fold.h"

#include "base/encode.h"
#include "base/str.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { HANG = 4 }; /* columns that what goes on stands further in */

/* Bytes of what stands at p and takes no column: a colour. 0: it takes one. */
static size_t colour_len(const char *p, const char *end)
{
	const char *at = p + 2;

	if (end - p < 3 || p[0] != '\033' || p[1] != '[')
		return 0;
	while (at < end && *at != 'm')
		at++;
	return at < end ? (size_t)(at + 1 - p) : 0;
}

/* Of one character, also of one that is no UTF-8. */
static size_t char_len(const char *p, const char *end)
{
	size_t len = utf8_len(p, (size_t)(end - p));

	return len ? len : 1;
}

/* Columns of one character: of a tab the most that it can have. */
static size_t char_columns(char c)
{
	return c == '\t' ? 8 : 1;
}

/* Columns of the whole. */
static size_t columns_of(const char *p, const char *end)
{
	size_t n = 0, colour;

	while (p < end) {
		colour = colour_len(p, end);
		n += colour ? 0 : char_columns(*p);
		p += colour ? colour : char_len(p, end);
	}
	return n;
}

/* Behind colours, and characters of this set, which are counted. */
static const char *skip(const char *p, const char *end, const char *set, size_t *n)
{
	size_t colour;

	for (; p < end; p += colour ? colour : 1) {
		colour = colour_len(p, end);
		if (!colour && !strchr(set, *p))
			break;
		*n += !colour;
	}
	return p;
}

/* Where its text begins: behind blanks, and behind the number and the mark of a rule, or the mark
 * of a hint. */
static size_t indent_of(const char *p, const char *end)
{
	size_t blanks = 0, n;

	p = skip(p, end, " ", &blanks);
	n = blanks;
	p = skip(skip(p, end, "0123456789", &n), end, " ", &n);
	if (!blanks || end - p < 2 || !strchr("+-.?=", *p) || p[1] != ' ')
		return blanks;
	n++;
	skip(p + 1, end, " ", &n);
	return n;
}

/* Where the line is parted: behind as many characters as fit, or at a blank among their latter
 * half. *next: where it goes on. */
static const char *part_at(const char *p, const char *end, size_t room, const char **next)
{
	const char *blank = NULL;
	size_t n, colour;

	for (n = 0; p < end; p += colour ? colour : char_len(p, end)) {
		colour = colour_len(p, end);
		if (colour)
			continue;
		if (*p == ' ' && n > room / 2)
			blank = p;
		n += char_columns(*p);
		if (n > room)
			break;
	}
	*next = blank ? blank + 1 : p;
	return blank ? blank : p;
}

static void fold_line(FILE *out, const char *p, const char *end, size_t width)
{
	size_t hang = indent_of(p, end) + HANG, room = width;
	const char *stop, *next;

	if (hang > width / 2)
		hang = HANG;
	while (columns_of(p, end) > room) {
		stop = part_at(p, end, room, &next);
		fprintf(out, "%.*s\n%*s", (int)(stop - p), p, (int)hang, "");
		p = next;
		room = width - hang;
	}
	fwrite(p, 1, (size_t)(end - p), out);
}

/* U+0080 to U+009F, and bytes 0x80 to 0x9f that belong to no character. */
static bool is_control(const char *p, size_t len)
{
	unsigned char c = (unsigned char)p[len - 1];

	return len == 1 ? c >= 0x80 && c < 0xa0 : len == 2 && *p == '\xc2' && c < 0xa0;
}

static void put_safely(FILE *out, const char *text)
{
	const char *end = text + strlen(text);
	size_t len, i;

	for (; text < end; text += len) {
		len = char_len(text, end);
		if (!is_control(text, len))
			fwrite(text, 1, len, out);
		else
			for (i = 0; i < len; i++)
				fprintf(out, "\\x%02x", (unsigned char)text[i]);
	}
}

static void fold_lines(FILE *out, const char *text, unsigned width)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		if (width < FOLD_LEAST)
			fwrite(text, 1, (size_t)(end - text), out);
		else
			fold_line(out, text, end, width);
		if (*end)
			fputc('\n', out);
	}
}

void fold_text(FILE *out, const char *text, unsigned width)
{
	char *safe = NULL;
	size_t len;
	FILE *memory = width ? open_memstream(&safe, &len) : NULL;

	if (!memory) {
		fputs(text, out);
		return;
	}
	put_safely(memory, text);
	if (fclose(memory) == 0)
		fold_lines(out, safe, width);
	free(safe);
}

unsigned fold_width(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
