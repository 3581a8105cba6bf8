/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a file a configuration at all? Called before its first line is read. What is no configuration
 * may be a secret, so that nothing of it is shown. */
#include "config/reader.h"

#include "base/str.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/lexer.h"
#include "config/lookup.h"
#include "config/odd.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */

/* The first word of the first line that has one; line: its number. */
static struct span first_word(const char *text, size_t len, unsigned *line)
{
	const char *p = text, *end = text + len, *next;
	size_t size;

	for (*line = 1; p < end; p = next, ++*line) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
		if (lexer_line_blank(p, (size_t)(next - p)))
			continue;
		p += strspn(p, LEXER_BLANKS);
		for (size = 0; p + size < next && !strchr(LEXER_BLANKS "\r\n#\"'\\", p[size]); size++)
			;
		return (struct span){ p, size };
	}
	return (struct span){ text, 0 };
}

/* "-----BEGIN ", where a line begins: a certificate or a key. */
static bool begins_pem(const char *line, const char *end)
{
	const char *dashes;

	if (end - line > 3 && !memcmp(line, mark, 3))
		line += 3;
	while (line < end && lexer_blank(*line))
		line++;
	for (dashes = line; line < end && *line == '-'; line++)
		;
	if (line - dashes < DASHES_LEAST)
		return false;
	line += line < end && *line == ' ';
	return end - line > 6 && !memcmp(line, "BEGIN ", 6);
}

static bool holds_pem(const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	for (; p; p = memchr(p, '\n', (size_t)(end - p))) {
		p += p > text || *p == '\n';
		if (begins_pem(p, end))
			return true;
	}
	return false;
}

static bool is_control(char c)
{
	return iscntrl((unsigned char)c) && (!c || !strchr("\t\n\v\f\r", c));
}

static bool holds_control(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (is_control(text[i]))
			return true;
	return false;
}

/* Each second byte of what Windows calls Unicode is zero, where it is English. */
static bool is_utf16(const char *text, size_t len)
{
	if (len < 2)
		return false;
	return !memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2) ||
	       (len > 3 && ((text[0] && !text[1] && text[2] && !text[3]) ||
			    (!text[0] && text[1] && !text[2] && text[3])));
}

/* May a configuration begin with the word, or was such a one meant? Letters alone: "user:" is none
 * of its words. */
static bool may_begin(struct reader *rd, struct span first)
{
	char name[64];
	struct word word = { .text = name };
	struct odd odd;

	if (!first.len || first.len >= sizeof(name))
		return !first.len;
	snprintf(name, sizeof(name), "%.*s", (int)first.len, first.ptr);
	if (odd_find(name, first.len, &odd))
		return true;
	if (name[0] == '.')
		return condition_name(name);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") <
	    first.len)
		return false;
	return known_section(name) || lookup_section_nearest(rd->cfg->modules, name) ||
	       lookup_find(rd->index, ~0u, &word, 1);
}

static const char no_section[] = "it does not begin with a section";
static const char hint_sections[] = "sections are global, defaults, frontend, backend, listen and "
				    "others; nothing of the file is shown";

static void report_other(struct reader *rd, unsigned line, const char *kind, const char *hint)
{
	struct place place = { .file = rd->loc.file, .line = line };

	diag_addf(rd->cfg->diag, DIAG_ERROR, &place, "this file is no configuration: %s", kind);
	diag_hintf(rd->cfg->diag, "%s", hint);
}

void reader_no_section(struct reader *rd)
{
	report_other(rd, rd->loc.line, no_section, hint_sections);
}

/* What the file is instead; NULL: it may be a configuration. Then hint says what to do. */
static const char *other_kind(struct reader *rd, const char *text, size_t len, struct span first,
			      const char **hint)
{
	char name[64] = "";

	*hint = "nothing of it is shown";
	if (is_utf16(text, len)) {
		*hint = "save it as UTF-8";
		return "it is UTF-16 text";
	}
	if (first.len < sizeof(name))
		snprintf(name, sizeof(name), "%.*s", (int)first.len, first.ptr);
	if (lookup_section(rd->cfg->modules, name) || known_section(name))
		return NULL;
	if (holds_pem(text, len)) {
		*hint = "files of certificates are named on 'bind' and 'server' lines: 'crt', "
			"'ca-file'; nothing of it is shown";
		return "it holds a certificate or a key";
	}
	/* Comments of what begins with a condition may hold anything but NUL. */
	if (name[0] == '.' && condition_name(name) ? memchr(text, 0, len) != NULL :
						     holds_control(text, len))
		return "it is no text";
	if (may_begin(rd, first))
		return NULL;
	*hint = hint_sections;
	return no_section;
}

bool reader_file_other(struct reader *rd, const char *text, size_t len)
{
	unsigned line;
	struct span first = first_word(text, len, &line);
	const char *hint, *kind = other_kind(rd, text, len, first, &hint);

	if (!kind)
		return false;
	report_other(rd, line, kind, hint);
	return true;
}
