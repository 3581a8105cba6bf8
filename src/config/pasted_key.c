/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and certificates that somebody has pasted among the lines of a configuration. Called for
 * each line before and after it is cut into words. Nothing of such lines is shown: messages end in
 * logs of many. */
#include "config/reader.h"

#include "base/str.h"
#include "config/diag.h"
#include "config/lexer.h"
#include "config/lookup.h"

#include <ctype.h>
#include <string.h>

enum { LONG = 40 }; /* characters of base64 that are no word of people */

static const char base64[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=";

/* -- raw lines ------------------------------------------------------------------------------ */

/* "-----BEGIN X" or "---- BEGIN X": where its B is; the blank may have a backslash. */
static const char *find_begin(const char *line, const char *end)
{
	const char *p = line, *b, *dashes;

	for (; (b = memmem(p, (size_t)(end - p), "BEGIN", 5)); p = b + 5) {
		dashes = b - (b > line && b[-1] == ' ');
		for (p = dashes; p > line && p[-1] == '-'; p--)
			;
		if (dashes - p < DASHES_LEAST)
			continue;
		p = b + 5;
		p += p < end && *p == '\\';
		if (end - p > 1 && *p == ' ' && isupper((unsigned char)p[1]))
			return b;
	}
	return NULL;
}

/* Dashes and END, behind marks such as "> ", numbers, quotes, and what comments begin with. */
static bool is_end(const char *p, const char *end)
{
	const char *dashes;

	while (p < end && strchr(" \t#>|\"'0123456789", *p))
		p++;
	for (dashes = p; p < end && *p == '-'; p++)
		;
	if (p - dashes < DASHES_LEAST)
		return false;
	p += p < end && *p == ' ';
	return end - p > 3 && !memcmp(p, "END", 3);
}

/* The last word, without what may stand behind a line of a key. */
static struct span last_word(const char *line, const char *end)
{
	const char *p;

	while (end > line && strchr(" \t\r\n\\\"'", end[-1]))
		end--;
	for (p = end; p > line && strchr(base64, p[-1]); p--)
		;
	return (struct span){ p, (size_t)(end - p) };
}

/* Only marks or a number in front of the last word: "> ", "| ", "12 ". */
static bool is_alone(const char *line, struct span last)
{
	for (; line < last.ptr; line++)
		if (isalpha((unsigned char)*line) || *line == '-' || *line == '.')
			return false;
	return true;
}

/* A section or a word of its own. */
static bool is_word(const struct reader *rd, struct span last)
{
	char name[64];
	struct word word = { .text = name };

	if (last.len >= sizeof(name))
		return false;
	memcpy(name, last.ptr, last.len);
	name[last.len] = 0;
	return lookup_section(rd->cfg->modules, name) || known_section(name) ||
	       lookup_find(rd->index, rd->scope, &word, 1);
}

/* "Proc-Type: 4,ENCRYPTED" */
static bool is_header(const char *line, const char *end)
{
	while (line < end && strchr(" \t>|", *line))
		line++;
	while (line < end && !strchr(" \t", *line))
		if (*line++ == ':')
			return true;
	return false;
}

static bool goes_on(const struct reader *rd, const char *line, const char *end)
{
	struct span last = last_word(line, end);
	bool blank = last.len && (last.ptr == line || strchr(" \t", last.ptr[-1]));

	return is_header(line, end) || (blank && last.len >= LONG) ||
	       (last.len && is_alone(line, last) && !is_word(rd, last));
}

static bool is_comment(const char *line, const char *end)
{
	return lexer_line_blank(line, (size_t)(end - line));
}

/* -- what is said --------------------------------------------------------------------------- */

static void key_report(struct reader *rd, const char *what)
{
	struct place place = { .file = rd->loc.file, .line = rd->loc.line };

	if (rd->key == KEY_SAID)
		return;
	rd->key = KEY_SAID;
	if (!condition_open(rd))
		return;
	diag_addf(rd->cfg->diag, DIAG_ERROR, &place, "%s", what);
	diag_hintf(rd->cfg->diag, "it belongs in a file of its own, which 'crt' or 'ca-file' "
				  "names; nothing of it is shown");
}

static const char stands_here[] = "a certificate or a key stands in this line";

/* The line behind others of a key. True: it is passed over. */
static bool key_next(struct reader *rd, const char *line, const char *end)
{
	if (is_end(line, end)) {
		if (!is_comment(line, end))
			key_report(rd, stands_here);
		rd->key = KEY_NONE;
		return !is_comment(line, end);
	}
	if (is_comment(line, end))
		return false;
	if (!goes_on(rd, line, end)) {
		rd->key = KEY_NONE;
		return false;
	}
	key_report(rd, stands_here);
	return true;
}

bool reader_key_line(struct reader *rd, const char *line, size_t len)
{
	const char *end = line + len;
	struct span last;

	if (memchr(line, 0, len))
		return false;
	if (find_begin(line, end)) {
		if (is_comment(line, end) && rd->key == KEY_NONE)
			rd->key = KEY_BEGUN;
		return false;
	}
	if (rd->key != KEY_NONE && key_next(rd, line, end))
		return true;
	last = last_word(line, end);
	if (last.len < LONG || is_comment(line, end) || !is_alone(line, last) || is_word(rd, last))
		return false;
	key_report(rd, "this line is like one of a key, and no word of a configuration");
	return true;
}

/* Base64 in a row, behind the name of a private key. */
static bool holds_private(const char *begin, const char *end)
{
	const char *p = memmem(begin, (size_t)(end - begin), "PRIVATE", 7);
	size_t run = 0;

	for (; p && p < end && run < LONG; p++)
		run = strchr(base64, *p) ? run + 1 : 0;
	return run >= LONG;
}

/* Quoted words may hold the name, as that of a header does, which a certificate follows. */
bool reader_key_begins(struct reader *rd, const struct word *words, int count, const char *line,
		       size_t len)
{
	const char *begin = find_begin(line, line + len);
	size_t at;
	int i;

	if (!begin)
		return false;
	at = (size_t)(begin - line);
	for (i = 0; i < count && words[i].column + words[i].raw_len <= at + 7; i++)
		;
	if (count && i == count && words[i - 1].column + words[i - 1].raw_len <= at) {
		rd->key = KEY_BEGUN; /* a comment behind the words */
		return false;
	}
	if (i < count && words[i].column && words[i].column - 1 <= at &&
	    !holds_private(begin, line + len))
		return false;
	rd->key = KEY_NONE;
	key_report(rd, stands_here);
	rd->key = KEY_SAID;
	return true;
}
