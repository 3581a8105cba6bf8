/* SPDX-License-Identifier: BSD-2-Clause */
/* Secrets that stand in the open. Called while lines are read. What an expression or a variable of
 * the environment gives is none of the file. */
#include "expr/secret.h"

#include "config/config.h"
#include "config/diag.h"
#include "http/message.h"

#include <string.h>

static bool is_secret(struct span name)
{
	static const char *const names[] = { "authorization", "proxy-authorization", "x-api-key",
					     "cookie", NULL };
	const char *const *known;

	for (known = names; *known; known++)
		if (span_equal_nocase(name, span_of(*known)))
			return true;
	return false;
}

static bool has_variable(const struct statement *st, int i)
{
	const struct word *w = &st->words[i];

	return w->column && memchr(st->text + w->column - 1, '$', w->raw_len);
}

void doubt_secret(struct statement *st, int i, struct span name)
{
	if (i >= st->count || !is_secret(name) || strchr(st->words[i].text, '%') ||
	    has_variable(st, i))
		return;
	stmt_secret(st, i, DIAG_NOTE,
		    "a secret for '%.*s' stands in the open: a variable of the environment keeps "
		    "it out of the file",
		    (int)name.len, name.ptr);
}

void doubt_password(struct statement *st, int i)
{
	if (!has_variable(st, i))
		stmt_secret(st, i, DIAG_NOTE,
			    "the password stands in the open: a variable of the environment keeps "
			    "it out of the file");
}
