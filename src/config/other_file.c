/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a file a configuration at all? Called before its first line is read. */
#include "config/reader.h"

#include "base/str.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/lookup.h"
#include "config/odd.h"

#include <stdio.h>
#include <string.h>

/* The first word of the first line that has one; line: its number. */
static struct span first_word(const char *text, size_t len, unsigned *line)
{
	const char *p = text, *end = text + len, *next;
	size_t size;

	for (*line = 1; p < end; p = next, ++*line) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
		if (reader_line_blank(p, (size_t)(next - p)))
			continue;
		p += strspn(p, " \t");
		for (size = 0; p + size < next && !strchr(" \t\r\n#\"'\\", p[size]); size++)
			;
		return (struct span){ p, size };
	}
	return (struct span){ text, 0 };
}

/* A certificate or a key, most likely: "-----BEGIN ", whatever stands before. */
static bool holds_pem(const char *text, size_t len)
{
	const char *p = text;

	while ((p = memmem(p, (size_t)(text + len - p), "-----BEGIN ", 11))) {
		if (p == text || p[-1] == '\n')
			return true;
		p++;
	}
	return false;
}

/* What is no configuration may be a key: nothing of it is shown. Its first word must be one that
 * might stand there, or be meant. */
bool reader_file_other(struct reader *rd, const char *text, size_t len)
{
	char name[64];
	struct word word = { .text = name };
	unsigned line;
	struct span first = first_word(text, len, &line);
	struct place place = { .file = rd->loc.file, .line = line };
	bool pem = holds_pem(text, len);

	if (!pem && (!first.len || *first.ptr == '.' || memchr(text, 0, len)))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(first.len < sizeof(name) ? first.len : 0),
		 first.ptr);
	if (!pem && (known_section(name) || lookup_section_nearest(rd->cfg->modules, name) ||
		     known_old(~0u, &word, 1) || known_find(~0u, &word, 1) ||
		     lookup_nearest(rd->index, ~0u, &word, 1) ||
		     odd_find(first.ptr, first.len, &(struct odd){ 0 })))
		return false;
	diag_addf(rd->cfg->diag, DIAG_ERROR, &place, pem ?
		  "this file is no configuration: it holds a certificate or a key" :
		  "this file is no configuration: it does not begin with a section");
	diag_hintf(rd->cfg->diag, pem ? "files of certificates are named on 'bind' and 'server' "
					"lines: 'crt', 'ca-file'"
				      : "sections are global, defaults, frontend, backend, listen "
					"and others; nothing of the file is shown");
	return true;
}
