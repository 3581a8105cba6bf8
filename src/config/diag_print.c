/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows collected problems: to people with the line and a caret under the word, to programs
 * as JSON. Called by main() when reading is over. Bytes of a configuration may be anything:
 * control characters are shown as '?' to people and escaped for programs.
 */
#include "config/diag.h"

#include "base/encode.h"
#include "base/fold.h"
#include "base/str.h"
#include "config/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 120, /* what is shown of a long line, in bytes */
       DOTS = 6,     /* in front of it and behind */
       HINT_SIZE = 2048, ALSO_SHOWN = 12 };

struct paint {
	const char *bold, *red, *yellow, *cyan, *green, *off;
};
static const struct paint paint_none = { "", "", "", "", "", "" };
static const struct paint paint_ansi = { "\033[1m",    "\033[1;31m", "\033[1;33m",
					 "\033[1;36m", "\033[1;32m", "\033[0m" };

static const char *paint_severity(const struct paint *paint, enum severity severity)
{
	switch (severity) {
	case DIAG_ERROR:
		return paint->red;
	case DIAG_WARNING:
		return paint->yellow;
	case DIAG_NOTICE:
	case DIAG_NOTE:
		break;
	}
	return paint->cyan;
}

static bool utf8_follows(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* U+0080 to U+009F, of size bytes: terminals obey them. */
static bool is_c1(const char *s, size_t size)
{
	return size == 2 && *s == '\xc2' && (unsigned char)s[1] < 0xa0;
}

/* What terminals obey becomes '?', as bytes of no character do that some of them take for C1. What
 * parts words is made a blank, so that the caret stands right. */
static void print_text(FILE *out, const char *s, const char *end)
{
	unsigned char u;
	size_t n;

	for (; s < end; s += n ? n : 1) {
		n = utf8_len(s, (size_t)(end - s));
		u = (unsigned char)*s;
		if (n > 1 && !is_c1(s, n))
			fwrite(s, 1, n, out);
		else
			fputc(lexer_blank(*s) ? ' ' : u < 0x20 || u == 0x7f || n > 1 ||
				      (!n && u < 0xa0) ? '?' : u, out);
	}
}

/* Columns of a line's number. */
static int number_width(const struct place *place)
{
	return snprintf(NULL, 0, "%5u", place->line);
}

/* Bytes that are shown of a line. */
static size_t window_size(const struct place *place, unsigned width)
{
	unsigned others = (unsigned)number_width(place) + 3 + DOTS;

	return width >= FOLD_LEAST && width - others < WINDOW ? width - others : WINDOW;
}

/* The part of the line around the place: [from, to). */
static void window(const struct place *place, size_t size, size_t *from, size_t *to)
{
	size_t len = strlen(place->text), at = place->column ? place->column - 1 : 0;

	while (len && (place->text[len - 1] == '\n' || place->text[len - 1] == '\r'))
		len--;
	*from = 0;
	if (len > size && at > size / 2)
		*from = at - size / 2;
	if (*from && len - size < *from)
		*from = len - size; /* as much as there is in front */
	*to = len - *from > size ? *from + size : len;
	while (*from && *from < len && utf8_follows(place->text[*from]))
		(*from)--;
	while (*to < len && utf8_follows(place->text[*to]))
		(*to)++;
}

static void print_caret(const struct place *place, FILE *out, const struct paint *paint,
			size_t from, size_t to, bool cut)
{
	size_t at = place->column - 1, i, marks = 0;

	fprintf(out, "%*s | %s", number_width(place), "", cut ? "..." : "");
	for (i = from; i < at; i++)
		if (i >= to || !utf8_follows(place->text[i]))
			fputc(' ', out);
	fputs(paint->green, out);
	for (i = at; i < at + (place->length ? place->length : 1); i++) {
		if (i > at && i >= to)
			break;
		if (i >= to || !utf8_follows(place->text[i]))
			fputc(marks++ ? '~' : '^', out);
	}
	fprintf(out, "%s\n", paint->off);
}

static void print_line(const struct place *place, FILE *out, const struct paint *paint,
		       unsigned width)
{
	size_t from, to;

	window(place, window_size(place, width), &from, &to);
	fprintf(out, "%5u | %s", place->line, from ? "..." : "");
	print_text(out, place->text + from, place->text + to);
	fprintf(out, "%s\n", place->text[to] && place->text[to] != '\r' &&
		place->text[to] != '\n' ? "..." : "");
	if (place->column)
		print_caret(place, out, paint, from, to, from > 0);
}

/* "also in lines 5, 9 and 12": of other files with their names, of many the first ones. */
static void also_text(const struct problem *p, struct text *t)
{
	const struct place_list *also;
	unsigned n = 0;

	text_str(t, p->also_count > 1 ? "also in lines " : "also in line ");
	for (also = p->also; also && n < ALSO_SHOWN; also = also->next, n++) {
		text_str(t, !n ? "" : also->next ? ", " : " and ");
		if (!p->place.file || strcmp(p->place.file, also->file) != 0)
			text_printf(t, "%s:", also->file);
		text_printf(t, "%u", also->line);
	}
	if (also)
		text_printf(t, " and %u more", p->also_count - n);
}

/* What terminals obey is shown as in the line. */
static void print_message(FILE *out, const char *s)
{
	const char *end;

	for (; *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '\n');
		print_text(out, s, end);
		if (*end)
			fputc('\n', out);
	}
	fputc('\n', out);
}

/* What helps, and where else the problem is; empty when there is nothing to say. */
static const char *hint_text(const struct problem *p, struct text *t)
{
	text_str(t, p->hint ? p->hint : "");
	if (p->also && p->hint)
		text_str(t, "; ");
	if (p->also)
		also_text(p, t);
	return t->ptr;
}

static void print_problem(const struct problem *p, FILE *out, const struct paint *paint,
			  unsigned width)
{
	char buf[HINT_SIZE];
	struct text hint;

	text_init(&hint, buf, sizeof(buf));
	fputs(paint->bold, out);
	if (p->place.file) {
		print_text(out, p->place.file, p->place.file + strlen(p->place.file));
		fputc(':', out);
	}
	if (p->place.file && p->place.line)
		fprintf(out, "%u:", p->place.line);
	if (p->place.file && p->place.line && p->place.column)
		fprintf(out, "%u:", p->place.column);
	fprintf(out, "%s%s%s%s:%s ", p->place.file ? " " : "", paint->off,
		paint_severity(paint, p->severity), diag_severity_name(p->severity), paint->off);
	print_message(out, p->message);
	if (p->place.text)
		print_line(&p->place, out, paint, width);
	if (!p->hint && !p->also)
		return;
	fprintf(out, "      = %shint:%s ", paint->bold, paint->off);
	print_message(out, hint_text(p, &hint));
}

/* False: no memory, nothing was written. */
static bool print_folded(FILE *out, const char *text, unsigned width)
{
	char *folded = NULL;
	size_t size;
	FILE *page = open_memstream(&folded, &size);
	bool whole;

	if (!page)
		return false;
	fold_text(page, text, width);
	whole = !fclose(page) && folded;
	if (whole)
		fwrite(folded, 1, size, out);
	free(folded);
	return whole;
}

static void print_problems(const struct diag *diag, FILE *out, const struct paint *paint,
			   unsigned width, enum severity least)
{
	const struct problem *p;

	for (p = diag->first; p; p = p->next)
		if (p->severity >= least)
			print_problem(p, out, paint, width);
}

/* Written at once: stderr has no buffer, and each byte would be a call of the system. */
void diag_print(const struct diag *diag, FILE *out, bool colour, unsigned width,
		enum severity least)
{
	const struct paint *paint = colour ? &paint_ansi : &paint_none;
	char *text = NULL;
	size_t size;
	FILE *page = open_memstream(&text, &size);
	bool whole = false;

	if (page) {
		print_problems(diag, page, paint, width, least);
		whole = !fclose(page) && text;
	}
	if (!whole) /* no memory */
		print_problems(diag, out, paint, width, least);
	else if (!width || !print_folded(out, text, width))
		fwrite(text, 1, size, out);
	free(text);
}

/* A JSON string; what is not UTF-8 becomes U+FFFD (RFC 8259, 8.1). */
static void json_string(FILE *out, const char *s)
{
	const char *end = s + strlen(s);
	size_t n;

	fputc('"', out);
	for (; s < end; s += n ? n : 1) {
		n = utf8_len(s, (size_t)(end - s));
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\u%04x", (unsigned char)*s);
		else if (is_c1(s, n))
			fprintf(out, "\\u%04x", (unsigned char)s[1]);
		else if (n)
			fwrite(s, 1, n, out);
		else
			fputs("\\ufffd", out);
	}
	fputc('"', out);
}

static void json_problem(const struct problem *p, FILE *out)
{
	char buf[HINT_SIZE];
	struct text hint;

	text_init(&hint, buf, sizeof(buf));
	fputs("  {\"file\": ", out);
	if (p->place.file)
		json_string(out, p->place.file);
	else
		fputs("null", out);
	fprintf(out, ", \"line\": %u, \"column\": %u, \"severity\": \"%s\", \"message\": ",
		p->place.line, p->place.column, diag_severity_name(p->severity));
	json_string(out, p->message);
	fputs(", \"hint\": ", out);
	if (p->hint || p->also)
		json_string(out, hint_text(p, &hint));
	else
		fputs("null", out);
	fputc('}', out);
}

void diag_print_json(const struct diag *diag, FILE *out, enum severity least)
{
	const struct problem *p;
	bool any = false;

	fputc('[', out);
	for (p = diag->first; p; p = p->next) {
		if (p->severity < least)
			continue;
		fputs(any ? ",\n" : "\n", out);
		json_problem(p, out);
		any = true;
	}
	fputs(any ? "\n]\n" : "]\n", out);
}
