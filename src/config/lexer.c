/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts a line into words. Called by the parser for each line and for -cc. A pure function of
 * the line and of what the caller says about variables: it reads no environment, reports
 * nothing, keeps nothing. Each word's bytes are gathered in one buffer that is as long as
 * the line and grows only when a variable brings more.
 */
#include "config/lexer.h"

#include "base/arena.h"
#include "base/bug.h"

#include <string.h>

struct scan {
	struct lexer *lx;
	const char *line, *end, *p;
	char *out;        /* the word so far, and those before it */
	size_t used, room;
	size_t word;      /* where the current word begins in out */
	const char *from; /* where it begins in the line */
	bool open;        /* inside a word */
	bool quoted;
	bool variable;    /* a variable was part of it */
	int slots;        /* allocated in lx->words */
};

static int scan_fail(struct scan *s, const char *at, size_t len, const char *message,
		     const char *hint)
{
	s->lx->problem = (struct lexer_problem){
		.message = message,
		.hint = hint,
		.column = (unsigned)(at - s->line) + 1,
		.length = len ? (unsigned)len : 1,
	};
	return -1;
}

/* Words already given away keep their memory: only the current one moves. */
static void scan_grow(struct scan *s, size_t more)
{
	size_t len = s->used - s->word;
	size_t room = 2 * (len + more) + (size_t)(s->end - s->p) + 64;
	char *out = arena_alloc(s->lx->arena, room);

	memcpy(out, s->out + s->word, len);
	s->out = out;
	s->word = 0;
	s->used = len;
	s->room = room;
}

static void scan_put(struct scan *s, const char *bytes, size_t len)
{
	if (s->room - s->used < len)
		scan_grow(s, len);
	memcpy(s->out + s->used, bytes, len);
	s->used += len;
}

static void scan_char(struct scan *s, char c)
{
	scan_put(s, &c, 1);
}

static void scan_open(struct scan *s, const char *from)
{
	if (s->open)
		return;
	s->open = true;
	s->quoted = false;
	s->variable = false;
	s->from = from;
	s->word = s->used;
}

static void scan_close(struct scan *s)
{
	struct lexer *lx = s->lx;
	struct word *w;

	if (!s->open)
		return;
	if (lx->count == s->slots) {
		struct word *more;

		s->slots = s->slots ? 2 * s->slots : 16;
		more = arena_alloc(lx->arena, (size_t)s->slots * sizeof(*more));
		if (lx->count)
			memcpy(more, lx->words, (size_t)lx->count * sizeof(*more));
		lx->words = more;
	}
	scan_char(s, 0);
	w = &lx->words[lx->count++];
	w->text = s->out + s->word;
	w->column = (unsigned)(s->from - s->line) + 1;
	w->raw_len = s->p > s->from ? (unsigned)(s->p - s->from) : 1;
	w->quoted = s->quoted;
	w->unset = s->variable && !*w->text;
	s->open = false;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int scan_hex(struct scan *s)
{
	int high = s->end - s->p > 2 ? hex_digit(s->p[2]) : -1;
	int low = high >= 0 && s->end - s->p > 3 ? hex_digit(s->p[3]) : -1;

	if (low < 0)
		return scan_fail(s, s->p, high < 0 ? 2 : 3,
				 "two hexadecimal digits expected after \\x",
				 "write \\\\x for a backslash and an x");
	if (high == 0 && low == 0)
		return scan_fail(s, s->p, 4, "\\x00 cannot be part of a word", NULL);
	scan_char(s, (char)(high * 16 + low));
	s->p += 4;
	return 0;
}

/* At a backslash. Unknown sequences keep the backslash; \$ is one only in weak quotes. */
static int scan_escape(struct scan *s, bool weak)
{
	char c = s->end - s->p > 1 ? s->p[1] : 0;

	s->quoted = true;
	switch (c) {
	case 'x':
		return scan_hex(s);
	case 'n':
		c = '\n';
		break;
	case 'r':
		c = '\r';
		break;
	case 't':
		c = '\t';
		break;
	case ' ':
	case '#':
	case '\\':
	case '\'':
	case '"':
		break;
	case '\t':
		break;
	case '$':
		if (weak)
			break;
		/* fall through */
	default:
		scan_char(s, '\\');
		s->p++;
		return 0;
	}
	scan_char(s, c);
	s->p += 2;
	return 0;
}

static bool name_first(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool name_next(char c)
{
	return name_first(c) || (c >= '0' && c <= '9');
}

/* A reference to a variable as it stands in the line. */
struct reference {
	const char *start;            /* the dollar */
	const char *name, *name_end;
	const char *dflt, *dflt_end;  /* NULL: none */
	bool braces, list;
};

static int scan_name(struct scan *s, struct reference *ref)
{
	const char *p = s->p;

	ref->name = p;
	if (p < s->end && (name_first(*p) || (*p == '.' && p + 1 < s->end && name_first(p[1]))))
		for (p++; p < s->end && name_next(*p); p++)
			;
	if (p == ref->name)
		return scan_fail(s, ref->start, (size_t)(p - ref->start) + 1,
				 "the name of a variable expected after $",
				 "write \\$ for a dollar sign in double quotes, or use single "
				 "quotes");
	ref->name_end = s->p = p;
	return 0;
}

/* Behind the name, in braces: [*], -default, the closing brace. */
static int scan_braces(struct scan *s, struct reference *ref)
{
	const char *p = s->p;

	if (p < s->end && *p == '[') {
		if (s->end - p < 3 || memcmp(p, "[*]", 3) != 0)
			return scan_fail(s, p, 1, "[*] expected after the name of a list", NULL);
		ref->list = true;
		p += 3;
	}
	if (p < s->end && *p == '-') {
		ref->dflt = ++p;
		while (p < s->end && *p != '}')
			p++;
		ref->dflt_end = p;
	}
	if (p == s->end || *p != '}')
		return scan_fail(s, ref->start, (size_t)(p - ref->start),
				 "closing brace of the variable expected", NULL);
	s->p = p + 1;
	return 0;
}

/* Each value of a list is a word of its own; what stands before the reference sticks to
 * the first, what follows to the last. */
static void scan_list(struct scan *s, const char *value, size_t len)
{
	const char *end = value + len, *from;
	bool first = true;

	while (value < end) {
		while (value < end && (*value == ' ' || *value == '\t'))
			value++;
		for (from = value; value < end && *value != ' ' && *value != '\t'; value++)
			;
		if (value == from)
			break;
		if (!first) {
			scan_close(s);
			scan_open(s, s->from);
			s->quoted = true;
		}
		scan_put(s, from, (size_t)(value - from));
		first = false;
	}
}

/* At a dollar sign inside weak quotes. */
static int scan_variable(struct scan *s)
{
	struct reference ref = { .start = s->p };
	const char *value, *name;
	size_t len;

	s->variable = true;
	s->p++;
	if (s->p < s->end && *s->p == '{') {
		ref.braces = true;
		s->p++;
	}
	if (scan_name(s, &ref) < 0 || (ref.braces && scan_braces(s, &ref) < 0))
		return -1;
	name = arena_strndup(s->lx->arena, ref.name, (size_t)(ref.name_end - ref.name));
	value = s->lx->variable(s->lx->arg, name);
	if (!value && *name == '.')
		return scan_fail(s, ref.start, (size_t)(s->p - ref.start),
				 "unknown pseudo-variable",
				 "there are .FILE, .LINE and .SECTION");
	if (!value && ref.dflt) {
		value = ref.dflt;
		len = (size_t)(ref.dflt_end - ref.dflt);
	} else {
		value = value ? value : "";
		len = strlen(value);
	}
	if (ref.list)
		scan_list(s, value, len);
	else
		scan_put(s, value, len);
	return 0;
}

static int scan_strong(struct scan *s)
{
	const char *open = s->p++, *close = memchr(s->p, '\'', (size_t)(s->end - s->p));

	s->quoted = true;
	if (!close)
		return scan_fail(s, open, 1, "this quote is never closed", NULL);
	scan_put(s, s->p, (size_t)(close - s->p));
	s->p = close + 1;
	return 0;
}

static int scan_weak(struct scan *s)
{
	const char *open = s->p++;
	int rc;

	s->quoted = true;
	while (s->p < s->end && *s->p != '"') {
		if (*s->p == '\\')
			rc = scan_escape(s, true);
		else if (*s->p == '$')
			rc = scan_variable(s);
		else
			rc = (scan_char(s, *s->p++), 0);
		if (rc < 0)
			return rc;
	}
	if (s->p == s->end)
		return scan_fail(s, open, 1, "this quote is never closed", NULL);
	s->p++;
	return 0;
}

/* One step: a blank, or a piece of a word. */
static int scan_step(struct scan *s)
{
	if (lexer_blank(*s->p)) {
		scan_close(s);
		s->p++;
		return 0;
	}
	scan_open(s, s->p);
	if (*s->p == '\\') {
		bool was = s->quoted;
		const char *before = s->p;
		int rc = scan_escape(s, false);

		if (s->p == before + 1) /* kept as it stands */
			s->quoted = was;
		return rc;
	}
	if (*s->p == '\'')
		return scan_strong(s);
	if (*s->p == '"')
		return scan_weak(s);
	scan_char(s, *s->p++);
	return 0;
}

/* Where the line ends for its reader: line feed, or carriage return. A backslash before it
 * protects nothing. */
static const char *line_end(struct lexer *lx, const char *line, size_t len)
{
	const char *end = memchr(line, '\n', len), *cr;

	if (!end)
		end = line + len;
	cr = memchr(line, '\r', (size_t)(end - line));
	if (!cr)
		return end;
	if (cr + 1 != end)
		lx->ignored = (unsigned)(cr - line) + 1;
	return cr;
}

int lexer_split(struct lexer *lx, const char *line, size_t len)
{
	struct scan s = { .lx = lx, .line = line, .p = line };
	const char *nul;

	lx->words = NULL;
	lx->count = 0;
	lx->ignored = 0;
	lx->problem.message = NULL;
	s.end = line_end(lx, line, len);
	nul = memchr(line, 0, (size_t)(s.end - line));
	if (nul)
		return scan_fail(&s, nul, 1, "a NUL byte cannot be part of a configuration",
				 "is this a text file?");
	s.room = (size_t)(s.end - line) + 1;
	s.out = arena_alloc(lx->arena, s.room);
	while (s.p < s.end && *s.p != '#')
		if (scan_step(&s) < 0)
			return -1;
	scan_close(&s);
	return 0;
}

static char argument_escape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case ' ':
	case '\\':
	case '\'':
	case '"':
		return c;
	}
	return 0;
}

const char *lexer_argument(struct arena *arena, const char *s, const char **end)
{
	char *text = arena_alloc(arena, strlen(s) + 1), *out = text;
	char quote = 0;

	if (!text) /* a limited arena */
		return NULL;
	for (; *s; s++) {
		if (!quote && (*s == ',' || *s == ')'))
			break;
		if (*s == '\\' && quote != '\'' && argument_escape(s[1]))
			*out++ = argument_escape(*++s);
		else if (*s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else
			*out++ = *s;
	}
	*end = s;
	return quote ? NULL : text;
}

bool lexer_line_blank(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len && lexer_blank(line[i]); i++)
		;
	return i == len || line[i] == '#' || line[i] == '\n' || line[i] == '\r';
}
