/* SPDX-License-Identifier: BSD-2-Clause */
/* Cures for conditions: what people write who know other languages, or leave braces and blanks out.
 */
#include "expr/cond_hint.h"

#include "base/str.h"
#include "expr/acl.h"
#include "expr/expr.h"

#include <string.h>
#include <strings.h>

static bool is_test(const char *word)
{
	struct span name = { word, strcspn(word, "(,") };

	return expr_fetch_find(name) || acl_word_known(name);
}

static bool hint_operator(struct statement *st, const char *word)
{
	if (!strcasecmp(word, "and") || !strcmp(word, "&&") || !strcmp(word, "&") ||
	    !strcmp(word, ","))
		stmt_hint(st, "ACLs that stand one after the other must all hold: leave '%s' out",
			  word);
	else if (!strcasecmp(word, "not"))
		stmt_hint(st, "'!' in front of an ACL negates it");
	else if (!strcmp(word, "|"))
		stmt_hint(st, "'or' or '||' stands between alternatives");
	else
		return false;
	return true;
}

bool cond_hint_word(struct statement *st, const char *word, bool negated)
{
	const char *bang = negated ? "!" : "";

	if (hint_operator(st, word))
		return true;
	if (word[0] == '{' && word[1])
		stmt_hint(st, "braces are words of their own: blanks belong around them, as in "
			  "%s{ %s ... }", bang, word + 1);
	else if (is_test(word) && !stmt_peek(st))
		stmt_hint(st, "a test stands in braces: %s{ %s }", bang, word);
	else if (is_test(word))
		stmt_hint(st, "a test stands in braces: %s{ %s %s ... }", bang, word,
			  stmt_peek(st));
	else
		return false;
	return true;
}

void cond_hint_value(struct statement *st)
{
	static const char *const actions[] = { "set-", "add-", "replace-", "redirect", "return" };
	const char *action = st->count > 1 ? st->words[1].text : "";
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strncmp(action, actions[i], strlen(actions[i])) && st->at - 1 > 2)
			stmt_hint(st, "quote the value if blanks are part of it");
}
