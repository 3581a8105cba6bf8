/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts one line into words: quotes, escapes, comments, environment variables. Manual 2.2
 * and 2.3. Knows neither files nor keywords. */
#ifndef CONFIG_LEXER_H
#define CONFIG_LEXER_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Why a line could not be cut, or NULL in message. */
struct lexer_problem {
	const char *message;
	const char *hint;  /* may be NULL */
	unsigned column;   /* bytes from 1 */
	unsigned length;
};

struct lexer {
	struct arena *arena; /* words are allocated here */
	/* The value of a variable, NULL: not set. The name may begin with a dot: one of
	 * .FILE .LINE .SECTION, asked of the same function. */
	const char *(*variable)(void *arg, const char *name);
	void *arg;
	/* Results: */
	struct word *words;
	int count;
	struct lexer_problem problem;
	unsigned ignored; /* column of a carriage return with text behind it, else 0 */
};

/* What parts words: as in the reference a vertical tab and a form feed, too, which some editors put
 * between pages. */
#define LEXER_BLANKS " \t\v\f"
static inline bool lexer_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Cuts the line of len bytes (the final line feed is not needed). 0, or -1 with problem
 * filled in. A NUL byte is a problem. There is no limit to length or number of words. */
int lexer_split(struct lexer *lx, const char *line, size_t len);

/* Has the line nothing but blanks and a comment? */
bool lexer_line_blank(const char *line, size_t len);

/* The second level: one argument of a list in parentheses, as in regsub(a,b,c) and
 * streq(a,b). Reads from s up to a comma or closing parenthesis outside quotes; resolves
 * quotes and escapes (not \# \$ \xNN). Returns the argument, in the arena, and in *end where
 * it stopped; NULL when a quote is not closed. */
const char *lexer_argument(struct arena *arena, const char *s, const char **end);

#endif
