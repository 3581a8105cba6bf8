/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads files of cases (explain/cases.h). Called by cases.c; pure. */
#include "explain/cases.h"

#include "base/arena.h"
#include "base/err.h"

struct reader {
	struct arena *arena;
	const char *file;
	const char *at, *end;
	unsigned line;
	struct err *err;
	const char *files[CASES_WORDS]; /* "-f", name, ... */
	unsigned file_count;
	struct cases_case *first, **tail, *last;
};

static int wrong(struct reader *r, const char *what)
{
	return err_set(r->err, "%s:%u: %s", r->file, r->line, what);
}

/* One word, out of quotes and escapes; *word NULL: the line has no more. 0, or -1. */
static int word_next(struct reader *r, const char **word)
{
	char *to, quote = 0;
	const char *c;

	*word = NULL;
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	if (r->at == r->end || *r->at == '\n' || *r->at == '#')
		return 0;
	*word = to = arena_alloc(r->arena, (size_t)(r->end - r->at) + 1);
	for (c = r->at; c < r->end && *c != '\n'; c++) {
		if (!*c)
			return wrong(r, "a zero byte");
		if (*c == '\\' && quote != '\'' && c + 1 < r->end && c[1] != '\n')
			*to++ = *++c;
		else if (quote && *c == quote)
			quote = 0;
		else if (!quote && (*c == '"' || *c == '\''))
			quote = *c;
		else if (!quote && (*c == ' ' || *c == '\t' || *c == '\r'))
			break;
		else
			*to++ = *c;
	}
	r->at = c;
	*to = 0;
	return quote ? wrong(r, "a quote is not closed on its line") : 0;
}

static int take_file(struct reader *r)
{
	const char *word;

	r->file_count = 0;
	while (word_next(r, &word) == 0) {
		if (!word)
			return r->file_count ? 0 : wrong(r, "behind 'file' a file is expected");
		if (r->file_count + 3 > CASES_WORDS)
			return wrong(r, "too many files");
		r->files[r->file_count++] = "-f";
		r->files[r->file_count++] = word;
	}
	return -1;
}

static int case_word(struct reader *r, const char *word)
{
	if (r->last->count == CASES_WORDS)
		return wrong(r, "too many words");
	r->last->words[r->last->count++] = word;
	return 0;
}

static int take_words(struct reader *r, const char *word)
{
	while (word) {
		if (case_word(r, word) < 0 || word_next(r, &word) < 0)
			return -1;
	}
	return 0;
}

static int case_begin(struct reader *r, const char *word)
{
	struct cases_case *c = arena_alloc(r->arena, sizeof(*c));

	if (*word != '/' && str_distance(word, "file", 2) == 1)
		return err_set(r->err, "%s:%u: '%s': did you mean 'file'?", r->file, r->line, word);
	if (!r->file_count)
		return wrong(r, "a line 'file NAME' is expected before the first case");
	c->file = r->file;
	c->line = r->line;
	c->words = arena_alloc(r->arena, CASES_WORDS * sizeof(*c->words));
	memcpy(c->words, r->files, r->file_count * sizeof(*r->files));
	c->count = r->file_count;
	c->words[c->count++] = "-q";
	c->own = c->count;
	*r->tail = c;
	r->tail = &c->next;
	r->last = c;
	return 0;
}

static int take_line(struct reader *r)
{
	bool goes_on = *r->at == ' ' || *r->at == '\t';
	const char *word;

	if (word_next(r, &word) < 0)
		return -1;
	if (!word)
		return 0;
	if (!goes_on && !strcmp(word, "file")) {
		r->last = NULL;
		return take_file(r);
	}
	if (goes_on && !r->last)
		return wrong(r, "a case begins at the margin, without a blank in front");
	if (!goes_on && case_begin(r, word) < 0)
		return -1;
	return take_words(r, word);
}

struct cases_case *cases_parse(struct arena *arena, const char *file, struct span text,
			       struct err *err)
{
	struct reader r = { .arena = arena, .file = file, .at = text.ptr,
			    .end = text.ptr + text.len, .err = err };

	err_set(err, "%s", "");
	r.tail = &r.first;
	if (text.len >= 3 && !memcmp(text.ptr, "\xef\xbb\xbf", 3)) {
		r.line = 1;
		wrong(&r, "it begins with a byte order mark (BOM), which has to go");
		return NULL;
	}
	while (r.at < r.end) {
		r.line++;
		if (take_line(&r) < 0)
			return NULL;
		while (r.at < r.end && *r.at != '\n')
			r.at++;
		r.at += r.at < r.end;
	}
	return r.first;
}
